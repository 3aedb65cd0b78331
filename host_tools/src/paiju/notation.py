"""Hands as text, two ways.

Project notation: tiles `123m 44p E C 3f`, melds `[444p,1]` (claimed from the left 1, across 2, right 3; with
5, 6, 7 a kong added to a pung from there), `[2222m]` (concealed kong), and the winning tile after `+`:
`[444p,1] 123m 55s 789s E E + E`. Spaces are free.

Compact notation of public calculators: the same, and after `|` the round wind, the seat wind and four digits
0 or 1 (self-drawn, last of its kind, last wall tile, kong replacement or robbed kong), and after a second `|`
the flowers as letters a-h or as their number: `[123m,1]55m12379s789p+8s|EE0000|2`. Without `+` the last tile wins.
With a `|`, even one with nothing after it, the number of a chow is not a seat, chows being from the left, but
which of its tiles was claimed; without one, `[678s,3]` is refused and the error says how to write it.

Errors are HandError, most of them `bad_notation` with the character's position.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from paiju.hand import Hand, HandError, Meld, MeldKind, Source, quoted
from paiju.i18n import _
from paiju.tiles import (
    DRAGONS,
    FACE_COUNT,
    PLAYING_FACE_COUNT,
    SUITS,
    WINDS,
    code_of,
    face_of,
    is_flower,
    is_suited,
    rank,
    suit,
)

_HONOURS: Final = WINDS + DRAGONS
_FLOWER_LETTERS: Final = "efghabcd"  # a-d = 梅蘭竹菊, e-h = 春夏秋冬
_SOURCES: Final = {"1": Source.LEFT, "2": Source.ACROSS, "3": Source.RIGHT}
_DIGIT_OF: Final = {source: digit for digit, source in _SOURCES.items()}


@dataclass(frozen=True, slots=True)
class Way:
    """How a hand was won, as the suffixes of the compact notation say: winds 0..3 and the flags of `Hand`."""

    prevalent_wind: int = 0
    seat_wind: int = 0
    self_drawn: bool = False
    last_of_kind: bool = False
    last_wall_tile: bool = False
    kong_replacement: bool = False
    robbing_kong: bool = False


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text says, before it is a hand: 13 tiles and no winning tile are allowed here.

    `way` is None where no suffix gives it.
    """

    melds: tuple[Meld, ...]
    concealed: tuple[int, ...]
    win_tile: int | None
    flowers: int
    way: Way | None = None


class _Reader:
    """A text with a place in it."""

    def __init__(self, text: str, compact: bool = False) -> None:
        self.text = text
        self.compact = compact
        self.at = 0

    def peek(self) -> str:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self) -> str:
        char = self.peek()
        self.at += 1
        return char

    def error(self, message: str, at: int | None = None) -> HandError:
        at = min(self.at if at is None else at, len(self.text))
        found = quoted(self.text[at]) if at < len(self.text) else _("the end")
        text = _("{problem}; found {found} at character {place}.").format(problem=message, found=found, place=at + 1)
        return HandError("bad_notation", text, at)

    def run(self) -> list[int]:
        """Faces of one run such as `123m`, `E` or `3f`."""
        start = self.at
        char = self.peek()
        if char in _HONOURS and char:
            self.take()
            return [face_of(char)]
        digits: list[tuple[str, int]] = []
        while (char := self.peek()) and char in "0123456789":
            digits.append((char, self.at))
            self.take()
        char = self.peek()
        if not digits or not char or char not in SUITS + "f":
            if digits:
                raise self.error(_("Expected m, p, s or f after the digits"))
            raise self.error(_("Expected a tile such as 5m, E, C or 3f"), max(self.at, start))
        self.take()
        faces = []
        for digit, at in digits:
            try:
                faces.append(face_of(digit + char))
            except KeyError:
                raise self.error(_("There is no tile {tile}").format(tile=digit + char), at) from None
        return faces

    def meld(self) -> Meld:
        """A meld in brackets."""
        start = self.at
        self.take()
        faces: list[int] = []
        while (char := self.peek()) and char not in ",]":
            faces += self.run()
        digit = ""
        if self.peek() == ",":
            self.take()
            at = self.at
            digit = self.take()
            if not digit or digit not in "123567":
                raise self.error(_("Expected 1, 2 or 3 (left, across, right), or 5, 6, 7 for an added kong"), at)
        if self.take() != "]":
            raise self.error(_("Expected ] after the meld"), self.at - 1)
        try:
            return _meld(faces, digit, self.compact)
        except HandError as error:
            raise HandError(error.code, error.message, start) from None


def _meld(faces: list[int], digit: str, compact: bool) -> Meld:
    same = len(set(faces)) == 1
    if len(faces) == 4 and same:
        if not digit:
            return Meld(MeldKind.CONCEALED_KONG, tuple(faces), Source.SELF)
        kind = MeldKind.ADDED_KONG if digit in "567" else MeldKind.MELDED_KONG
        return Meld(kind, tuple(faces), _SOURCES[str((int(digit) - 1) % 4 + 1)])
    kind = MeldKind.PUNG if same else MeldKind.CHOW
    if digit in ("5", "6", "7"):
        raise HandError("bad_meld", _("5, 6 and 7 mark an added kong of four equal tiles."))
    # A chow without a digit can only come from the left; a pung must say.
    source = _SOURCES[digit] if digit and (same or not compact) else Source.LEFT
    if same and not digit and len(faces) == 3:
        raise HandError("wrong_source", _("A pung names whom it came from: 1 left, 2 across or 3 right."))
    try:
        return Meld(kind, tuple(faces), source)
    except HandError as error:
        if error.code != "wrong_source":
            raise
        message = _(
            "A chow comes from the left: write [{tiles},1], or put | after the hand "
            "if {digit} tells which of its tiles was claimed."
        )
        tiles = "".join(print_tiles(faces).split())
        raise HandError(error.code, message.format(tiles=tiles, digit=digit)) from None


def parse_tiles(text: str) -> tuple[int, ...]:
    """Faces of `123m 44p E C 3f` in the order written. Raises HandError `bad_notation`."""
    reader = _Reader(text)
    faces: list[int] = []
    while reader.peek():
        faces += reader.run()
    return tuple(faces)


def parse(text: str) -> Parsed:
    """What a text in either notation says: 13 tiles or 14, with or without suffixes. Raises HandError."""
    body, *suffixes = text.split("|")
    parsed = _parse(_Reader(body, bool(suffixes)))
    if len(suffixes) > 2:
        message = _("There are more than two | in the hand, the last at character {place}.")
        at = text.rindex("|")
        raise HandError("bad_notation", message.format(place=at + 1), at)
    if suffixes and suffixes[0].strip():
        at = len(body) + 1
        parsed = replace(parsed, way=_way(suffixes[0].strip(), at + len(suffixes[0]) - len(suffixes[0].lstrip())))
    if len(suffixes) == 2:
        flowers = parsed.flowers + _flower_count(suffixes[1].strip(), len(body) + len(suffixes[0]) + 2)
        parsed = replace(parsed, flowers=flowers)
    return parsed


def _parse(reader: _Reader) -> Parsed:
    melds: list[Meld] = []
    faces: list[int] = []
    win: int | None = None
    while char := reader.peek():
        if char == "[":
            melds.append(reader.meld())
        elif char == "+":
            if win is not None:
                raise reader.error(_("There is already a winning tile"))
            reader.take()
            at = reader.at
            run = reader.run()
            if len(run) != 1 or is_flower(run[0]):
                raise reader.error(_("Expected one winning tile after +"), at)
            win = run[0]
        else:
            faces += reader.run()
    concealed = tuple(face for face in faces if not is_flower(face))
    flowers = [face for face in faces if is_flower(face)]
    for face in range(PLAYING_FACE_COUNT, FACE_COUNT):
        if flowers.count(face) > 1:
            message = _("There are {count} of {tile}; the set has one.")
            raise HandError("too_many_copies", message.format(count=flowers.count(face), tile=code_of(face)))
    return Parsed(tuple(melds), concealed, win, len(flowers))


def parse_hand(
    text: str,
    *,
    self_drawn: bool = False,
    last_of_kind: bool = False,
    last_wall_tile: bool = False,
    kong_replacement: bool = False,
    robbing_kong: bool = False,
    prevalent_wind: int = 0,
    seat_wind: int = 0,
    flowers: int | None = None,
) -> Hand:
    """A hand from either notation. The suffixes of the compact one, where present, set winds and flags.

    Raises HandError: `empty_input`, `bad_notation` with a position, and whatever `Hand` refuses.
    """
    if not text.strip():
        raise HandError("empty_input", _('There is no hand: write one such as "123m 456m 789m 11p 12s + 3s".'))
    parsed = parse(text)
    concealed, win = parsed.concealed, parsed.win_tile
    if win is None:
        if not concealed:
            raise HandError("wrong_count", _("The hand has no winning tile: write it after a +."))
        concealed, win = concealed[:-1], concealed[-1]
    given = Way(prevalent_wind, seat_wind, self_drawn, last_of_kind, last_wall_tile, kong_replacement, robbing_kong)
    if parsed.way is not None and given != Way():
        raise HandError("bad_value", _("The hand says after | how it was won: leave out the options that do, too."))
    if parsed.flowers and flowers is not None:
        raise HandError("bad_value", _("The hand holds its flowers: leave out the option that counts them, too."))
    way = parsed.way or given
    return Hand(
        parsed.melds,
        concealed,
        win,
        way.self_drawn,
        way.last_of_kind,
        way.last_wall_tile,
        way.kong_replacement,
        way.robbing_kong,
        way.prevalent_wind,
        way.seat_wind,
        parsed.flowers if flowers is None else flowers,
    )


def _way(text: str, at: int) -> Way:
    wanted = (*(_("a wind E, S, W or N"),) * 2, *(_("0 or 1"),) * 4)
    for place in range(max(6, len(text))):
        char = text[place : place + 1]
        allowed = WINDS if place < 2 else "01" if place < 6 else ""
        if not char or char not in allowed:
            message = _("Expected {wanted} at character {place}.")
            what = wanted[place] if place < 6 else _("nothing after two winds and four digits")
            raise HandError("bad_notation", message.format(wanted=what, place=at + place + 1), at + place)
    drawn, last_of_kind, last_wall_tile, kong = (digit == "1" for digit in text[2:])
    winds = WINDS.index(text[0]), WINDS.index(text[1])
    return Way(*winds, drawn, last_of_kind, last_wall_tile, kong and drawn, kong and not drawn)


def _flower_count(text: str, at: int) -> int:
    if len(text) == 1 and text in "012345678":
        return int(text)
    for place, char in enumerate(text):
        if char not in _FLOWER_LETTERS or char in text[:place]:
            message = _("Expected a number 0 to 8 or different flowers a to h at character {place}.")
            raise HandError("bad_notation", message.format(place=at + place + 1), at + place)
    return len(text)


def print_tiles(faces: Sequence[int]) -> str:
    """`123m 44p E C 3f`: ascending, one run a suit."""
    words: list[str] = []
    last = ""
    for face in sorted(faces):
        kind = suit(face)
        if is_suited(face) and kind == last:
            words[-1] = words[-1][:-1] + str(rank(face)) + kind
        else:
            words.append(code_of(face))
        last = kind
    return " ".join(words)


def print_meld(meld: Meld) -> str:
    """`[444p,1]`; `[2222m]` for a concealed kong."""
    tiles = "".join(print_tiles(meld.tiles).split())
    if meld.is_concealed:
        return f"[{tiles}]"
    digit = int(_DIGIT_OF[meld.source]) + (4 if meld.kind is MeldKind.ADDED_KONG else 0)
    return f"[{tiles},{digit}]"


def print_hand(hand: Hand) -> str:
    """Project notation of melds, concealed tiles and winning tile; flags and winds are not in it."""
    melds = [print_meld(meld) for meld in hand.melds]
    return " ".join((*melds, print_tiles(hand.concealed), "+", code_of(hand.win_tile)))


def print_compact(hand: Hand) -> str:
    """Compact notation with wind and flag suffixes; `parse_hand` gives the hand back."""
    tiles = "".join(print_tiles(hand.concealed).split())
    melds = "".join(print_meld(meld) for meld in hand.melds)
    flags = (
        hand.self_drawn,
        hand.last_of_kind,
        hand.last_wall_tile,
        hand.kong_replacement or hand.robbing_kong,
    )
    way = WINDS[hand.prevalent_wind] + WINDS[hand.seat_wind] + "".join(str(int(flag)) for flag in flags)
    return f"{melds}{tiles}+{code_of(hand.win_tile)}|{way}|{hand.flowers}"
