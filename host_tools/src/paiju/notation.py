"""Hands as text, two ways.

Project notation: tiles `123m 44p E C 3f`, melds `[444p,1]` (claimed from the left 1, across 2, right 3; with
5, 6, 7 a kong added to a pung from there), `[2222m]` (concealed kong), and the winning tile after `+`:
`[444p,1] 123m 55s 789s E E + E`. Spaces are free.

Compact notation of public calculators: the same, and after `|` the round wind, the seat wind and four digits
0 or 1 (self-drawn, last of its kind, last wall tile, kong replacement or robbed kong), and after a second `|`
the flowers as letters a-h or as their number: `[123m,1]55m12379s789p+8s|EE0000|2`. Without `+` the last tile wins.
With a `|` the number of a chow is not a seat, chows being from the left, but which of its tiles was claimed.

Errors are HandError `bad_notation` with the character's position.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from paiju.hand import Hand, HandError, Meld, MeldKind, Source
from paiju.tiles import DRAGONS, SUITS, WINDS, code_of, face_of, is_flower, is_suited, rank, suit

_HONOURS: Final = WINDS + DRAGONS
_FLOWER_LETTERS: Final = "efghabcd"  # a-d = 梅蘭竹菊, e-h = 春夏秋冬
_SOURCES: Final = {"1": Source.LEFT, "2": Source.ACROSS, "3": Source.RIGHT}
_DIGIT_OF: Final = {source: digit for digit, source in _SOURCES.items()}


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text says, before it is a hand: 13 tiles and no winning tile are allowed here."""

    melds: tuple[Meld, ...]
    concealed: tuple[int, ...]
    win_tile: int | None
    flowers: int


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
        found = f"{self.text[at]!r}" if at < len(self.text) else "the end"
        return HandError("bad_notation", f"{message}; found {found} at character {at + 1}.", at)

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
            what = "m, p, s or f after the digits" if digits else "a tile such as 5m, E, C or 3f"
            raise self.error(f"Expected {what}", self.at if digits else max(self.at, start))
        self.take()
        faces = []
        for digit, at in digits:
            try:
                faces.append(face_of(digit + char))
            except KeyError:
                raise self.error(f"There is no tile {digit}{char}", at) from None
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
                raise self.error("Expected 1, 2 or 3 (left, across, right), or 5, 6, 7 for an added kong", at)
        if self.take() != "]":
            raise self.error("Expected ] after the meld", self.at - 1)
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
        raise HandError("bad_meld", "5, 6 and 7 mark an added kong of four equal tiles.")
    # A chow without a digit can only come from the left; a pung must say.
    source = _SOURCES[digit] if digit and (same or not compact) else Source.LEFT
    if same and not digit and len(faces) == 3:
        raise HandError("wrong_source", "A pung names whom it came from: 1 left, 2 across or 3 right.")
    return Meld(kind, tuple(faces), source)


def parse_tiles(text: str) -> tuple[int, ...]:
    """Faces of `123m 44p E C 3f` in the order written. Raises HandError `bad_notation`."""
    reader = _Reader(text)
    faces: list[int] = []
    while reader.peek():
        faces += reader.run()
    return tuple(faces)


def parse(text: str) -> Parsed:
    """Melds, tiles and flowers of a text in either notation, up to any `|`. Raises HandError."""
    return _parse(_Reader(text.split("|")[0], "|" in text))


def _parse(reader: _Reader) -> Parsed:
    melds: list[Meld] = []
    faces: list[int] = []
    win: int | None = None
    while char := reader.peek():
        if char == "[":
            melds.append(reader.meld())
        elif char == "+":
            if win is not None:
                raise reader.error("There is already a winning tile")
            reader.take()
            at = reader.at
            run = reader.run()
            if len(run) != 1 or is_flower(run[0]):
                raise reader.error("Expected one winning tile after +", at)
            win = run[0]
        else:
            faces += reader.run()
    concealed = tuple(face for face in faces if not is_flower(face))
    flowers = [face for face in faces if is_flower(face)]
    for face in flowers:
        if flowers.count(face) > 1:
            raise HandError("too_many_copies", f"There are {flowers.count(face)} of {code_of(face)}; the set has one.")
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
        raise HandError("empty_input", "There is no hand: write one such as 123m 456m 789m 11p 12s + 3s.")
    body, *suffixes = text.split("|")
    parsed = _parse(_Reader(body, bool(suffixes)))
    concealed, win = parsed.concealed, parsed.win_tile
    if win is None:
        if not concealed:
            raise HandError("wrong_count", "The hand has no winning tile.")
        concealed, win = concealed[:-1], concealed[-1]
    count = parsed.flowers if flowers is None else flowers
    if len(suffixes) > 2:
        raise HandError("bad_notation", "There are more than two | in the hand.", text.rindex("|"))
    if suffixes and suffixes[0].strip():
        at = len(body) + 1
        flags = _flags(suffixes[0].strip(), at + len(suffixes[0]) - len(suffixes[0].lstrip()))
        prevalent_wind, seat_wind, (self_drawn, last_of_kind, last_wall_tile, kong) = flags
        kong_replacement, robbing_kong = kong and self_drawn, kong and not self_drawn
    if len(suffixes) == 2:
        count += _flower_count(suffixes[1].strip(), len(body) + len(suffixes[0]) + 2)
    return Hand(
        parsed.melds,
        concealed,
        win,
        self_drawn,
        last_of_kind,
        last_wall_tile,
        kong_replacement,
        robbing_kong,
        prevalent_wind,
        seat_wind,
        count,
    )


def _flags(text: str, at: int) -> tuple[int, int, tuple[bool, bool, bool, bool]]:
    for place in range(max(6, len(text))):
        char = text[place] if place < len(text) else ""
        allowed = WINDS if place < 2 else "01" if place < 6 else ""
        if not char or char not in allowed:
            want = "a wind E, S, W or N" if place < 2 else "0 or 1" if place < 6 else "two winds and four digits"
            raise HandError("bad_notation", f"Expected {want} at character {at + place + 1}.", at + place)
    bits = [digit == "1" for digit in text[2:]]
    return WINDS.index(text[0]), WINDS.index(text[1]), (bits[0], bits[1], bits[2], bits[3])


def _flower_count(text: str, at: int) -> int:
    if len(text) == 1 and text in "012345678":
        return int(text)
    for place, char in enumerate(text):
        if char not in _FLOWER_LETTERS or char in text[:place]:
            raise HandError(
                "bad_notation", f"Expected different flowers a to h at character {at + place + 1}.", at + place
            )
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
