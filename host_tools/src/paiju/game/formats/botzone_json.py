"""Botzone's log of a match: what the judge told the players and what they answered, by turns.

A judge's entry is `{"output": {"command", "content", "display"}}`; content holds a request per player: `0 seat wind`,
`1 f0 f1 f2 f3 <13 tiles> <all flowers>`, `2 T` to the one who draws, else `3 p VERB ...`; display says the same to
a spectator. PENG and CHI name the discard that follows, not the claimed tile. GANG is concealed when no discard is
live; its tile stands in the display and in the player's answer. A flower is told when it is drawn, by BUHUA alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from paiju.game.actions import ActionKind, DrawnFrom
from paiju.game.events import SEATS
from paiju.game.formats.botzone_tiles import NAMES, face_of_name
from paiju.game.formats.recorder import Recorder
from paiju.game.formats.visitor import FormatError, not_understood, turned, visit
from paiju.game.position import FACE, Setup
from paiju.game.record import HandRecord
from paiju.i18n import _
from paiju.tiles import is_flower

Entry = Mapping[str, Any]
Log = Sequence[Entry]
PASS: Final = "PASS"


def log_of(body: Any) -> Log | None:
    """The entries in the JSON of a match, a judge's input or a bare log; None if it is none of these."""
    if isinstance(body, dict):
        body = body.get("logs", body.get("log"))
    return body if isinstance(body, list) and all(isinstance(entry, dict) for entry in body) else None


def scores_of(log: Log) -> list[int] | None:
    """The four scores at the end of a log, None if it does not come to its end."""
    for entry in reversed(log):
        output = entry.get("output")
        if isinstance(output, dict) and output.get("command") == "finish":
            content = output.get("content")
            if isinstance(content, dict) and all(isinstance(content.get(str(seat)), int) for seat in SEATS):
                return [content[str(seat)] for seat in SEATS]
    return None


def read_botzone_json(log: Log, profile: str = "mcr1998") -> HandRecord:
    """The record of one match; raises FormatError with the entry."""
    reader = _Reader(profile)
    for number, entry in enumerate(log, 1):
        place = _("entry {n}").format(n=number)
        try:
            reader.entry(entry)
        except FormatError as error:
            raise FormatError(place, error.reason) from error
        except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
            raise FormatError(place, not_understood(error)) from error
    return reader.recorder.record()


class _Reader:
    def __init__(self, profile: str) -> None:
        self.recorder = Recorder()
        self._profile = profile
        self._answers: dict[int, str] = {}

    def entry(self, entry: Entry) -> None:
        output = entry.get("output")
        if isinstance(output, dict):
            self._judge(output)
        elif "output" not in entry:
            self._answers = {int(seat): _answer(said) for seat, said in entry.items() if seat.isdigit()}

    def _judge(self, output: Entry) -> None:
        content, display = output.get("content") or {}, output.get("display") or {}
        if self.recorder.position.over:
            return
        if output.get("command") == "finish":
            self._finish(display)
            return
        told = {int(seat): request.split() for seat, request in content.items()}
        first = told[min(told)]
        if first[0] == "0":
            self.recorder.begin(Setup(0, int(first[2]), self._profile))
        elif first[0] == "1":
            self._deal(told)
        elif display.get("action"):
            tiles = [display[name] for name in ("tileCHI", "tile") if name in display]
            self._act(int(display["player"]), str(display["action"]), tiles)
        else:
            self._told(told)

    def _deal(self, told: Mapping[int, list[str]]) -> None:
        for seat, words in sorted(told.items()):
            counts = [int(word) for word in words[1:5]]
            before = 18 + sum(counts[:seat])
            flowers = words[before : before + counts[seat]]
            faces, shown = tuple(map(face_of_name, words[5:18])), tuple(map(face_of_name, flowers))
            if len(shown) != counts[seat]:
                raise FormatError("", _("the flowers of seat {seat} are not named").format(seat=seat))
            self.recorder.deal(seat, faces, shown)

    def _told(self, told: Mapping[int, list[str]]) -> None:
        for seat, words in told.items():
            if words[0] == "2":
                self._act(seat, "DRAW", words[1:])
                return
        words = told[min(told)]
        if words[0] != "3":
            raise ValueError(" ".join(words))
        self._act(int(words[1]), words[2], words[3:])

    def _act(self, seat: int, verb: str, tiles: Sequence[str]) -> None:
        recorder = self.recorder
        faces = [face_of_name(tile) for tile in tiles]
        if verb == "DRAW":
            recorder.draw(seat, faces[0])
        elif verb == "PLAY":
            recorder.discard(seat, faces[0])
        elif verb == "BUHUA":
            if not any(FACE[tile] == faces[0] for tile in recorder.position.hands[seat]):
                recorder.draw(seat, faces[0])
            recorder.flower(seat, faces[0])
        elif verb == "BUGANG":
            recorder.kong(seat, faces[0], ActionKind.ADDED_KONG, None)
        elif verb == "GANG" and recorder.position.live is not None:
            face, source = recorder.offered
            recorder.kong(seat, face, ActionKind.MELDED_KONG, source)
        elif verb == "GANG":
            own = faces or [face_of_name(self._answers.get(seat, "").split()[-1])]
            recorder.kong(seat, own[0], ActionKind.CONCEALED_KONG, None)
        elif verb == "PENG":
            recorder.pung(seat, *recorder.offered)
            recorder.discard(seat, faces[-1])
        elif verb == "CHI":
            recorder.chow(seat, faces[0], *recorder.offered)
            recorder.discard(seat, faces[-1])
        else:
            raise ValueError(verb)

    def _finish(self, display: Entry) -> None:
        """Other ends than a win or an empty wall are a player's error: the hand is broken off."""
        if display.get("action") == "HUANG":
            self.recorder.end()
        elif display.get("action") == "HU":
            winner = int(display["player"])
            self.recorder.win_untold(winner)
            for seat, answer in self._answers.items():
                if seat != winner and answer == "HU":
                    self.recorder.give_way(seat)


def _answer(said: Any) -> str:
    return str(said.get("response", PASS)) if isinstance(said, dict) else str(said)


def write_botzone_json(record: HandRecord) -> list[dict[str, Any]]:
    """The log of a record, as Botzone keeps it under `logs`.

    Flowers shown before a seat's first turn are told with the deal, as already replaced. Raises FormatError if seat 0
    did not deal, a tile was never seen or a flower was never replaced in the deal.
    """
    if record.setup.dealer:
        raise turned("Botzone")
    writer = _Writer()
    visit(record, writer)
    return writer.log(record)


class _Writer:
    def __init__(self) -> None:
        self._wind = 0
        self._hands: list[list[int]] = [[], [], [], []]
        self._shown: list[list[int]] = [[], [], [], []]
        self._begun = [False] * 4
        self._entries = [*_entries({}, "INIT"), *_entries({}, "DEAL"), *_entries({}, "DRAW")]  # told at the end
        self._claim: tuple[str, int | None] | None = None
        self._flower: tuple[int, int] | None = None

    def log(self, record: HandRecord) -> list[dict[str, Any]]:
        """The whole log, with the deal and the dealer's fourteenth tile as they came out."""
        for seat in SEATS:
            if len(self._hands[seat]) != record.setup.dealt(seat):
                raise FormatError("", _("seat {seat} shows a flower and draws no tile for it").format(seat=seat))
        *dealt, fourteenth = self._hands[0]
        names = [[NAMES[face] for face in hand] for hand in (dealt, *self._hands[1:])]
        counts = [str(len(flowers)) for flowers in self._shown]
        flowers = [NAMES[face] for shown in self._shown for face in shown]
        start = {str(seat): f"0 {seat} {self._wind}" for seat in SEATS}
        deal = {str(seat): " ".join(("1", *counts, *names[seat], *flowers)) for seat in SEATS}
        self._entries[0] = _told(start, "INIT", quan=self._wind)
        self._entries[2] = _told(deal, "DEAL", hand=names)
        self._entries[4] = _drawn(0, fourteenth)[0]
        return [*self._entries, *self._end(record)]

    def _end(self, record: HandRecord) -> list[dict[str, Any]]:
        result, scores = record.result, list(record.result.payments)
        content = {str(seat): scores[seat] for seat in SEATS}
        display: dict[str, Any] = {"action": "HUANG"}
        if result.winner is not None:
            fans = [{"name": f.names["zh_Hans"], "cnt": f.count, "value": f.points} for f in result.fans]
            display = {"action": "HU", "player": result.winner, "fanCnt": result.points, "fan": fans, "score": scores}
        elif result.kind == "aborted":
            display = {}
        return [{"output": {"command": "finish", "content": content, "display": display}}]

    def begin(self, setup: Setup) -> None:
        self._wind = setup.prevalent_wind

    def deal(self, seat: int, faces: tuple[int, ...]) -> None:
        self._hands[seat] = list(faces)

    def draw(self, seat: int, face: int, drawn_from: DrawnFrom) -> None:
        if drawn_from is DrawnFrom.FLOWER and not self._begun[seat]:
            self._hands[seat].append(face)
            return
        self._begin(seat)
        if is_flower(face):
            self._flower = seat, face  # told when it is shown, if it is
        else:
            self._entries += _drawn(seat, face)

    def flower(self, seat: int, face: int) -> None:
        if not self._begun[seat]:
            self._hands[seat].remove(face)
            self._shown[seat].append(face)
            return
        self._flower = None
        self._tell(seat, "BUHUA", face)

    def discard(self, seat: int, face: int) -> None:
        self._begin(seat)
        claim, self._claim = self._claim, None
        verb, middle = claim or ("PLAY", None)
        own = [verb, *([] if middle is None else [NAMES[middle]]), NAMES[face]]
        self._answer(seat, " ".join(own))
        self._tell(seat, verb, face, middle)

    def chow(self, seat: int, middle: int, claimed: int, source: int) -> None:
        self._begin(seat)
        self._claim = "CHI", middle

    def pung(self, seat: int, face: int, source: int) -> None:
        self._begin(seat)
        self._claim = "PENG", None

    def kong(self, seat: int, face: int, kind: ActionKind, source: int | None) -> None:
        self._begin(seat)
        verb = "BUGANG" if kind is ActionKind.ADDED_KONG else "GANG"
        self._answer(seat, verb if kind is ActionKind.MELDED_KONG else f"{verb} {NAMES[face]}")
        request = f"3 {seat} {verb}" + (f" {NAMES[face]}" if verb == "BUGANG" else "")
        self._entries += _entries({str(s): request for s in SEATS}, verb, player=seat, tile=NAMES[face])

    def win(self, seat: int, face: int, source: int | None) -> None:
        self._begin(seat)
        self._answer(seat, "HU")

    def end(self) -> None:
        pass

    def _begin(self, seat: int) -> None:
        self._begun[seat] = True
        if self._flower is not None:
            self._entries += _drawn(*self._flower)
            self._flower = None

    def _answer(self, seat: int, words: str) -> None:
        self._entries[-1][str(seat)] = {"response": words, "verdict": "OK"}

    def _tell(self, seat: int, verb: str, face: int, middle: int | None = None) -> None:
        names = [*([] if middle is None else [NAMES[middle]]), NAMES[face]]
        request = " ".join(("3", str(seat), verb, *names))
        extra = {} if middle is None else {"tileCHI": NAMES[middle]}
        self._entries += _entries({str(s): request for s in SEATS}, verb, player=seat, tile=NAMES[face], **extra)


def _told(content: Mapping[str, str], action: str, **display: Any) -> dict[str, Any]:
    return {"output": {"command": "request", "content": dict(content), "display": {"action": action, **display}}}


def _entries(content: Mapping[str, str], action: str, **display: Any) -> list[dict[str, Any]]:
    """A request to all, and nobody's answer yet."""
    answers: dict[str, Any] = {str(seat): {"response": PASS, "verdict": "OK"} for seat in SEATS}
    return [_told(content, action, **display), answers]


def _drawn(seat: int, face: int) -> list[dict[str, Any]]:
    content = {str(other): f"3 {seat} DRAW" for other in SEATS} | {str(seat): f"2 {NAMES[face]}"}
    return _entries(content, "DRAW", player=seat, tile=NAMES[face])
