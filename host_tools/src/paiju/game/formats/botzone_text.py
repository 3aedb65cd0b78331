"""Botzone's readable log: `Match`, `Wind`, `Player n ...` line by line, `Huang` for a drawn hand, `Fan`, `Score`.

Seats are in turn order from East, the dealer is seat 0 and draws its fourteenth tile. A `Chi` names the middle
tile of the chow. `Ignore ...` after a claim or win tells of claims that gave way; the tile on a `Hu` line is
unreliable for a self-draw, so the last draw decides.
"""

from paiju.game.actions import ActionKind, DrawnFrom
from paiju.game.formats.botzone_tiles import NAMES, face_of_name
from paiju.game.formats.recorder import Recorder
from paiju.game.formats.visitor import FormatError, visit
from paiju.game.position import FACE, Setup
from paiju.game.record import HandRecord

_KONGS = {
    "Gang": ActionKind.MELDED_KONG,
    "AnGang": ActionKind.CONCEALED_KONG,
    "BuGang": ActionKind.ADDED_KONG,
}
_KONG_WORDS = {kind: word for word, kind in _KONGS.items()}


def read_botzone_text(text: str, profile: str = "mcr1998") -> HandRecord:
    """The record of one match; raises FormatError with the line."""
    reader = _Reader(profile)
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split(" Ignore ")[0].split()
        try:
            if words:
                reader.line(words)
        except FormatError as error:
            raise FormatError(f"line {number}", error.reason) from error
        except (KeyError, IndexError, ValueError) as error:
            raise FormatError(f"line {number}", f"not understood: {line.strip()!r}") from error
    return reader.recorder.record()


class _Reader:
    def __init__(self, profile: str) -> None:
        self.recorder = Recorder()
        self._profile = profile
        self._last = 0
        self._drawn_from = DrawnFrom.WALL

    def line(self, words: list[str]) -> None:
        if words[0] == "Wind":
            self.recorder.begin(Setup(0, int(words[1]), self._profile))
        elif words[0] == "Huang":
            self.recorder.end()
        elif words[0] == "Player":
            self._act(int(words[1]), words[2], [face_of_name(word) for word in words[3:]])
        elif words[0] not in ("Match", "Fan", "Score"):
            raise ValueError(words[0])

    def _act(self, seat: int, verb: str, faces: list[int]) -> None:
        recorder, live = self.recorder, self.recorder.position.live
        source = recorder.position.discarder
        if verb == "Deal":
            recorder.deal(seat, tuple(faces))
        elif verb == "Draw":
            recorder.draw(seat, faces[0], self._drawn_from)
            self._drawn_from = DrawnFrom.WALL
        elif verb == "Play":
            recorder.discard(seat, faces[0])
        elif verb == "BuHua":
            recorder.flower(seat, faces[0])
            self._drawn_from = DrawnFrom.FLOWER
        elif verb == "Hu":
            self._win(seat, faces)
        elif verb in _KONGS:
            recorder.kong(seat, faces[0], _KONGS[verb], source if verb == "Gang" else None)
            self._drawn_from = DrawnFrom.KONG
        elif verb in ("Chi", "Peng"):
            if live is None or source is None:
                raise FormatError("", f"{verb} without a discard")
            if verb == "Chi":
                recorder.chow(seat, faces[0], FACE[live], source)
            else:
                recorder.pung(seat, FACE[live], source)
        else:
            raise ValueError(verb)

    def _win(self, seat: int, faces: list[int]) -> None:
        position = self.recorder.position
        offered = position.live if position.live is not None else position.robbable
        if offered is not None and position.place[offered] // 4 != seat:
            self.recorder.win(seat, FACE[offered], position.place[offered] // 4)
            return
        drawn = position.last_draw[seat]
        self.recorder.win(seat, FACE[drawn.tiles[0]] if drawn is not None else faces[0], None)


def write_botzone_text(record: HandRecord, match: str = "") -> str:
    """The log of a record; raises FormatError if seat 0 did not deal or a tile was never seen."""
    if record.setup.dealer:
        raise FormatError("", "Botzone's dealer is seat 0: turn the seats first")
    writer = _Writer()
    visit(record, writer, fourteenth_as_draw=True)
    lines = [f"Match {match}".rstrip(), f"Wind {record.setup.prevalent_wind}", *writer.lines]
    if record.result.kind == "win":
        fans = " ".join(f"{fan.names['zh_Hans']}*{fan.count}" for fan in record.result.fans)
        lines.append(f"Fan {record.result.points} {fans}")
    lines.append("Score " + " ".join(map(str, record.result.payments)))
    return "\n".join(lines) + "\n"


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def begin(self, setup: Setup) -> None:
        pass

    def deal(self, seat: int, faces: tuple[int, ...]) -> None:
        self._add(seat, "Deal", *faces)

    def draw(self, seat: int, face: int, drawn_from: DrawnFrom) -> None:
        self._add(seat, "Draw", face)

    def flower(self, seat: int, face: int) -> None:
        self._add(seat, "BuHua", face)

    def discard(self, seat: int, face: int) -> None:
        self._add(seat, "Play", face)

    def chow(self, seat: int, middle: int, claimed: int, source: int) -> None:
        self._add(seat, "Chi", middle)

    def pung(self, seat: int, face: int, source: int) -> None:
        self._add(seat, "Peng", face)

    def kong(self, seat: int, face: int, kind: ActionKind, source: int | None) -> None:
        self._add(seat, _KONG_WORDS[kind], face)

    def win(self, seat: int, face: int, source: int | None) -> None:
        self._add(seat, "Hu", face)

    def end(self) -> None:
        self.lines.append("Huang")

    def _add(self, seat: int, verb: str, *faces: int) -> None:
        self.lines.append(" ".join((f"Player {seat} {verb}", *(NAMES[face] for face in faces))))
