"""Botzone's readable log: `Match`, `Wind`, `Player n ...` line by line, `Huang` for a drawn hand, `Fan`, `Score`.

Seats are in turn order from East, the dealer is seat 0 and draws its fourteenth tile. A `Chi` names the middle
tile of the chow. `Ignore Player n ...` after an act tells of claims that gave way; the tile on a `Hu` line is
unreliable for a self-draw, so the last draw decides.
"""

from paiju.game.actions import ActionKind, DrawnFrom
from paiju.game.formats.botzone_tiles import NAMES, face_of_name
from paiju.game.formats.recorder import Recorder
from paiju.game.formats.visitor import FormatError, not_understood, turned, visit
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.i18n import _

_KONGS = {
    "Gang": ActionKind.MELDED_KONG,
    "AnGang": ActionKind.CONCEALED_KONG,
    "BuGang": ActionKind.ADDED_KONG,
}
_KONG_WORDS = {kind: word for word, kind in _KONGS.items()}


def scores_of(text: str) -> list[int] | None:
    """The four scores on the `Score` line of a match."""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["Score"]:
            try:
                return [int(word) for word in words[1:]]
            except ValueError:
                return None
    return None


def read_botzone_text(text: str, profile: str = "mcr1998") -> HandRecord:
    """The record of one match; raises FormatError with the line."""
    reader = _Reader(profile)
    for number, line in enumerate(text.splitlines(), 1):
        place = _("line {n}").format(n=number)
        said, *gave_way = line.split(" Ignore Player ")
        try:
            if said.split():
                reader.line(said.split(), [words.split() for words in gave_way])
        except FormatError as error:
            raise FormatError(place, error.reason) from error
        except (KeyError, IndexError, ValueError) as error:
            raise FormatError(place, not_understood(repr(line.strip()))) from error
    return reader.recorder.record()


class _Reader:
    def __init__(self, profile: str) -> None:
        self.recorder = Recorder()
        self.recorder.begin(Setup(profile=profile))
        self._profile = profile

    def line(self, words: list[str], gave_way: list[list[str]]) -> None:
        if words[0] == "Wind":
            self.recorder.begin(Setup(0, int(words[1]), self._profile))
        elif words[0] == "Huang":
            self.recorder.end()
        elif words[0] == "Player":
            self._act(int(words[1]), words[2], [face_of_name(word) for word in words[3:]])
            if words[2] == "Hu":
                for other in gave_way:
                    if other[1].capitalize() == "Hu":
                        self.recorder.give_way(int(other[0]))
        elif words[0] not in ("Match", "Fan", "Score"):
            raise ValueError(words[0])

    def _act(self, seat: int, verb: str, faces: list[int]) -> None:
        recorder = self.recorder
        if verb == "Deal":
            recorder.deal(seat, tuple(faces))
        elif verb == "Draw":
            recorder.draw(seat, faces[0])
        elif verb == "Play":
            recorder.discard(seat, faces[0])
        elif verb == "BuHua":
            recorder.flower(seat, faces[0])
        elif verb == "Hu":
            recorder.win_untold(seat)
        elif verb in _KONGS:
            recorder.kong(seat, faces[0], _KONGS[verb], recorder.position.discarder if verb == "Gang" else None)
        elif verb == "Chi":
            recorder.chow(seat, faces[0], *recorder.offered)
        elif verb == "Peng":
            recorder.pung(seat, *recorder.offered)
        else:
            raise ValueError(verb)


def write_botzone_text(record: HandRecord, match: str = "") -> str:
    """The log of a record; raises FormatError if seat 0 did not deal or a tile was never seen."""
    if record.setup.dealer:
        raise turned("Botzone")
    writer = _Writer()
    visit(record, writer, fourteenth_as_draw=True)
    lines = [f"Match {match}".rstrip(), f"Wind {record.setup.prevalent_wind}", *writer.lines]
    if record.result.kind == "win":
        fans = "+".join(f"{fan.names['zh_Hans']}*{fan.count}" for fan in record.result.fans)
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
