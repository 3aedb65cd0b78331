"""Portable Majiang Notation: tag pairs; `Deal` by suits, `Play` as <act><seat><tile>.

Acts: T take, D discard, C chow (the middle tile), P pung, A concealed, B added, Z melded kong, R flower, M or H
mahjong. Suits c d b w r f; the tile `z1` of a discard is the one just taken. The dealer, East, takes its
fourteenth tile.
"""

import re
from typing import Final

from paiju.game.actions import ActionKind, DrawnFrom
from paiju.game.formats.recorder import Recorder
from paiju.game.formats.visitor import FormatError, not_understood, turned, visit
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.i18n import _, listed
from paiju.tiles import FACE_COUNT, WINDS

_STARTS: Final = {"c": 0, "d": 9, "b": 18, "w": 27, "r": 31, "f": 34}
_NAMES: Final = tuple(
    next(f"{letter}{face - start + 1}" for letter, start in reversed(_STARTS.items()) if face >= start)
    for face in range(FACE_COUNT)
)
_FACES: Final = {name: face for face, name in enumerate(_NAMES)}
_TAG: Final = re.compile(r'\[(\w+)\s+"([^"]*)"\s*\]')
_GAP: Final = re.compile(r"\n[ \t]*\n\s*\Z")
_ACT: Final = re.compile(r"\s*(?:([TDCPABZR])([0-3])([cdbwrfz][1-9])|([MH])([0-3])(?:[cdbwrfz][1-9])?)")
_KONGS: Final = {"A": ActionKind.CONCEALED_KONG, "B": ActionKind.ADDED_KONG, "Z": ActionKind.MELDED_KONG}
_KONG_LETTERS: Final = {kind: letter for letter, kind in _KONGS.items()}
TAKEN: Final = "z1"


def read_pmn(text: str, profile: str = "mcr1998") -> HandRecord:
    """The record of one board; raises FormatError. Of two winners of a discard, the one told first counts."""
    tags = dict(_TAG.findall(text))
    for name in ("Deal", "Play"):
        if name not in tags:
            raise FormatError("", _("the tag {name} is missing").format(name=name))
    wind = tags.get("PWind", "E")
    if wind not in tuple(WINDS):
        raise FormatError(_tag("PWind"), _("{what} is no wind").format(what=repr(wind)))
    reader = _Reader(Setup(0, WINDS.index(wind), profile))
    hands = tags["Deal"].split()
    if len(hands) != 4:
        raise FormatError(_tag("Deal"), _("there are {n} hands, not 4").format(n=len(hands)))
    for seat, hand in enumerate(hands):
        reader.recorder.deal(seat, _faces(hand))
    reader.play(tags["Play"].strip())
    return reader.recorder.record()


def boards(text: str) -> list[str]:
    """The boards of a file: one begins after an empty line, or with a tag that the board before has already."""
    starts, names = [0], set[str]()
    for tag in _TAG.finditer(text):
        if tag[1] in names or _GAP.search(text, starts[-1], tag.start()):
            starts.append(tag.start())
            names.clear()
        names.add(tag[1])
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def scores_of(text: str) -> list[int] | None:
    """The four scores under `Result`, without penalties."""
    try:
        return [int(word) for word in dict(_TAG.findall(text))["Result"].split()]
    except (KeyError, ValueError):
        return None


def _tag(name: str, act: int | None = None) -> str:
    tag = _("tag {name}").format(name=name)
    return tag if act is None else listed((tag, _("act {n}").format(n=act)))


def _faces(hand: str) -> tuple[int, ...]:
    faces, suit = [], ""
    for letter in hand:
        if letter in _STARTS:
            suit = letter
        elif f"{suit}{letter}" in _FACES:
            faces.append(_FACES[f"{suit}{letter}"])
        else:
            raise FormatError(_tag("Deal"), _("{what} is no tile").format(what=f"{suit}{letter}"))
    return tuple(faces)


class _Reader:
    def __init__(self, setup: Setup) -> None:
        self.recorder = Recorder()
        self.recorder.begin(setup)
        self._taken = -1

    def play(self, text: str) -> None:
        at = number = 0
        while at < len(text):
            found = _ACT.match(text, at)
            number += 1
            if found is None:
                raise FormatError(_tag("Play", number), not_understood(repr(text[at : at + 4])))
            at = found.end()
            over = self.recorder.position.over
            try:
                if found[4] and over:
                    self.recorder.give_way(int(found[5]))
                elif found[4]:
                    self.recorder.win_untold(int(found[5]))
                elif not over:
                    self._act(found[1], int(found[2]), found[3])
            except FormatError as error:
                raise FormatError(_tag("Play", number), error.reason) from error
        if not self.recorder.position.over:
            self.recorder.end()

    def _act(self, letter: str, seat: int, name: str) -> None:
        recorder = self.recorder
        if name != TAKEN and name not in _FACES:
            raise FormatError("", _("{what} is no tile").format(what=name))
        face = self._taken if name == TAKEN else _FACES[name]
        if letter == "T":
            recorder.draw(seat, face)
            self._taken = face
        elif letter == "D":
            recorder.discard(seat, face)
        elif letter == "R":
            recorder.flower(seat, face)
        elif letter in _KONGS:
            recorder.kong(seat, face, _KONGS[letter], recorder.position.discarder if letter == "Z" else None)
        elif letter == "C":
            recorder.chow(seat, face, *recorder.offered)
        else:
            recorder.pung(seat, *recorder.offered)


def write_pmn(record: HandRecord) -> str:
    """One board; raises FormatError if seat 0 did not deal or a tile was never seen."""
    if record.setup.dealer:
        raise turned("PMN")
    writer = _Writer()
    visit(record, writer, fourteenth_as_draw=True)
    result = record.result
    fans = ["None"] * 4
    if result.winner is not None:
        fans[result.winner] = ".".join(f"{fan.no}/{fan.count}" for fan in result.fans)
    tags = {
        "PWind": WINDS[record.setup.prevalent_wind],
        "Deal": " ".join(writer.deals),
        "Scoring": "MCR",
        "Starting": "0 0 0 0",
        "Result": " ".join(map(str, result.payments)),
        "Penalty": "0 0 0 0",
        "Play": "".join(writer.acts),
        "Fan": " ".join(fans),
    }
    return "".join(f'[{name} "{value}"]\n' for name, value in tags.items())


class _Writer:
    def __init__(self) -> None:
        self.deals = ["", "", "", ""]
        self.acts: list[str] = []

    def begin(self, setup: Setup) -> None:
        pass

    def deal(self, seat: int, faces: tuple[int, ...]) -> None:
        suit = ""
        for face in sorted(faces):
            name = _NAMES[face]
            self.deals[seat] += name[1] if name[0] == suit else name
            suit = name[0]

    def draw(self, seat: int, face: int, drawn_from: DrawnFrom) -> None:
        self._add("T", seat, face)

    def flower(self, seat: int, face: int) -> None:
        self._add("R", seat, face)

    def discard(self, seat: int, face: int) -> None:
        self._add("D", seat, face)

    def chow(self, seat: int, middle: int, claimed: int, source: int) -> None:
        self._add("C", seat, middle)

    def pung(self, seat: int, face: int, source: int) -> None:
        self._add("P", seat, face)

    def kong(self, seat: int, face: int, kind: ActionKind, source: int | None) -> None:
        self._add(_KONG_LETTERS[kind], seat, face)

    def win(self, seat: int, face: int, source: int | None) -> None:
        self.acts.append(f"M{seat}")

    def end(self) -> None:
        pass

    def _add(self, letter: str, seat: int, face: int) -> None:
        self.acts.append(f"{letter}{seat}{_NAMES[face]}")
