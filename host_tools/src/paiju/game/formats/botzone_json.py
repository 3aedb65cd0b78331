"""Botzone's request protocol as a judge log: the lines every player is told, one list of strings per hand.

`0 seat wind`, then `1 f0 f1 f2 f3 <13 tiles>` per player, then `2 T` to the one who draws and `3 p VERB ...` to
all. PENG and CHI name the discard that follows, not the claimed tile. GANG is concealed when no discard is live.
Only the view of all four players together makes a record, so a log here is a list of steps `{"0": ..., "3": ...}`.
"""

from collections.abc import Mapping, Sequence

from paiju.game.actions import ActionKind, DrawnFrom
from paiju.game.formats.botzone_tiles import NAMES, face_of_name
from paiju.game.formats.recorder import Recorder
from paiju.game.formats.visitor import FormatError, visit
from paiju.game.position import FACE, Setup
from paiju.game.record import HandRecord

Steps = Sequence[Mapping[str, str]]


def read_botzone_json(steps: Steps, profile: str = "mcr1998") -> HandRecord:
    """The record of one hand from what the judge told the players; raises FormatError with the step."""
    reader = _Reader(profile)
    for number, step in enumerate(steps, 1):
        try:
            reader.step({int(player): request.split() for player, request in step.items()})
        except FormatError as error:
            raise FormatError(f"step {number}", error.reason) from error
        except (KeyError, IndexError, ValueError) as error:
            raise FormatError(f"step {number}", f"not understood: {error}") from error
    return reader.recorder.record()


class _Reader:
    def __init__(self, profile: str) -> None:
        self.recorder = Recorder()
        self._profile = profile
        self._drawn_from = DrawnFrom.WALL

    def step(self, told: dict[int, list[str]]) -> None:
        first = told[min(told)]
        if first[0] == "0":
            self.recorder.begin(Setup(0, int(first[2]), self._profile))
        elif first[0] == "1":
            for seat, words in sorted(told.items()):
                self.recorder.deal(seat, tuple(face_of_name(word) for word in words[5:]))
        else:
            self._play(told)

    def _play(self, told: dict[int, list[str]]) -> None:
        for seat, words in told.items():
            if words[0] == "2":
                self.recorder.draw(seat, face_of_name(words[1]), self._drawn_from)
                self._drawn_from = DrawnFrom.WALL
                return
        words = told[min(told)]
        if words[0] != "3":
            raise ValueError(" ".join(words))
        self._act(int(words[1]), words[2], [face_of_name(word) for word in words[3:]])

    def _act(self, seat: int, verb: str, faces: list[int]) -> None:
        recorder, position = self.recorder, self.recorder.position
        live, source = position.live, position.discarder
        if verb == "PLAY":
            recorder.discard(seat, faces[0])
        elif verb == "BUHUA":
            recorder.flower(seat, faces[0])
            self._drawn_from = DrawnFrom.FLOWER
        elif verb == "BUGANG":
            recorder.kong(seat, faces[0], ActionKind.ADDED_KONG, None)
            self._drawn_from = DrawnFrom.KONG
        elif verb == "GANG":
            kind = ActionKind.CONCEALED_KONG if live is None else ActionKind.MELDED_KONG
            recorder.kong(seat, FACE[live] if live is not None else faces[0], kind, source)
            self._drawn_from = DrawnFrom.KONG
        elif verb == "HU":
            self._win(seat)
        elif verb in ("PENG", "CHI"):
            if live is None or source is None:
                raise FormatError("", f"{verb} without a discard")
            if verb == "CHI":
                recorder.chow(seat, faces[0], FACE[live], source)
            else:
                recorder.pung(seat, FACE[live], source)
            recorder.discard(seat, faces[-1])
        elif verb == "HUANG":
            recorder.end()
        else:
            raise ValueError(verb)

    def _win(self, seat: int) -> None:
        position = self.recorder.position
        offered = position.live if position.live is not None else position.robbable
        drawn = position.last_draw[seat]
        if offered is not None and position.place[offered] // 4 != seat:
            self.recorder.win(seat, FACE[offered], position.place[offered] // 4)
        elif drawn is not None:
            self.recorder.win(seat, FACE[drawn.tiles[0]], None)
        else:
            raise FormatError("", f"seat {seat} wins without a tile")


def write_botzone_json(record: HandRecord) -> list[dict[str, str]]:
    """What the judge would tell the players; raises FormatError if seat 0 did not deal or a tile was never seen.

    A concealed kong names its tile, which Botzone keeps to itself; without it the log could not be read back.
    """
    if record.setup.dealer:
        raise FormatError("", "Botzone's dealer is seat 0: turn the seats first")
    writer = _Writer()
    visit(record, writer, fourteenth_as_draw=True)
    return writer.steps


class _Writer:
    def __init__(self) -> None:
        self.steps: list[dict[str, str]] = []
        self._claim: tuple[int, str] | None = None

    def begin(self, setup: Setup) -> None:
        self.steps.append({str(seat): f"0 {seat} {setup.prevalent_wind}" for seat in range(4)})
        self.steps.append({})

    def deal(self, seat: int, faces: tuple[int, ...]) -> None:
        self.steps[1][str(seat)] = " ".join(("1 0 0 0 0", *(NAMES[face] for face in faces)))

    def draw(self, seat: int, face: int, drawn_from: DrawnFrom) -> None:
        step = {str(other): f"3 {seat} DRAW" for other in range(4)}
        step[str(seat)] = f"2 {NAMES[face]}"
        self.steps.append(step)

    def flower(self, seat: int, face: int) -> None:
        self._tell(f"3 {seat} BUHUA {NAMES[face]}")

    def discard(self, seat: int, face: int) -> None:
        claim, self._claim = self._claim, None
        self._tell(f"3 {seat} PLAY {NAMES[face]}" if claim is None else f"3 {seat} {claim[1]} {NAMES[face]}")

    def chow(self, seat: int, middle: int, claimed: int, source: int) -> None:
        self._claim = seat, f"CHI {NAMES[middle]}"

    def pung(self, seat: int, face: int, source: int) -> None:
        self._claim = seat, "PENG"

    def kong(self, seat: int, face: int, kind: ActionKind, source: int | None) -> None:
        if kind is ActionKind.MELDED_KONG:
            self._tell(f"3 {seat} GANG")
        else:
            self._tell(f"3 {seat} {'BUGANG' if kind is ActionKind.ADDED_KONG else 'GANG'} {NAMES[face]}")

    def win(self, seat: int, face: int, source: int | None) -> None:
        self._tell(f"3 {seat} HU")

    def end(self) -> None:
        self._tell("3 0 HUANG")

    def _tell(self, request: str) -> None:
        self.steps.append({str(seat): request for seat in range(4)})
