"""This project's own plain form of a hand: `deal`, `events`, `result`, tiles in its notation.

Fields: see the hands of the twin and `docs/`; `deal` four lists, `events` with `t` draw (src wall, replacement,
flower), discard, chow (tile claimed, middle, frm), pung, kong (kind melded, concealed, added), flower, win.
"""

from collections.abc import Mapping
from typing import Any, Final

from paiju.game.actions import ActionKind, DrawnFrom
from paiju.game.events import SEATS
from paiju.game.formats.recorder import Recorder
from paiju.game.formats.visitor import FormatError, visit
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.i18n import _
from paiju.tiles import WINDS, code_of, face_of

_SOURCES: Final = {"wall": DrawnFrom.WALL, "replacement": DrawnFrom.KONG, "flower": DrawnFrom.FLOWER}
_SOURCE_NAMES: Final = {drawn_from: name for name, drawn_from in _SOURCES.items()}
_KONGS: Final = {
    "melded": ActionKind.MELDED_KONG,
    "concealed": ActionKind.CONCEALED_KONG,
    "added": ActionKind.ADDED_KONG,
}
_KONG_NAMES: Final = {kind: name for name, kind in _KONGS.items()}


def read_neutral(body: Mapping[str, Any], profile: str = "mcr1998") -> HandRecord:
    """The record of one hand; raises FormatError. Of two winners of a discard, the one told first counts."""
    recorder = Recorder()
    place = _("deal")
    try:
        recorder.begin(Setup(_wind(body["dealer"]), _wind(body["prevalent_wind"]), profile))
        shown = body.get("flowers_in_deal") or [[], [], [], []]
        for seat, codes in enumerate(body["deal"]):
            recorder.deal(seat, tuple(map(face_of, codes)), tuple(map(face_of, shown[seat])))
        for index, act in enumerate(body["events"], 1):
            place = _("event {n}").format(n=index)
            if not recorder.position.over:
                _read_act(act, recorder)
            elif act["t"] == "win":
                recorder.give_way(_wind(act["seat"]))
    except FormatError as error:
        raise FormatError(place, error.reason) from error
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise FormatError(place, _("missing or unknown: {what}").format(what=error)) from error
    if not recorder.position.over and body.get("result", {}).get("kind") == "draw":
        recorder.end()
    return recorder.record()


def _wind(value: Any) -> int:
    """A seat or wind: 0-3, or its letter."""
    number = WINDS.index(value) if isinstance(value, str) else int(value)
    if number not in SEATS:
        raise ValueError(value)
    return number


def _read_act(act: Mapping[str, Any], recorder: Recorder) -> None:
    kind, seat, face = act["t"], _wind(act["seat"]), face_of(act["tile"])
    if kind == "draw":
        recorder.draw(seat, face, _SOURCES[act["src"]] if "src" in act else None)
    elif kind == "discard":
        recorder.discard(seat, face)
    elif kind == "flower":
        recorder.flower(seat, face)
    elif kind == "chow":
        recorder.chow(seat, face_of(act["middle"]), face, act["frm"])
    elif kind == "pung":
        recorder.pung(seat, face, act["frm"])
    elif kind == "kong":
        recorder.kong(seat, face, _KONGS[act["kind"]], act.get("frm"))
    elif kind == "win" and act.get("frm") is None and act.get("by", "self") != "self":
        recorder.win_untold(seat)
    elif kind == "win":
        recorder.win(seat, face, act.get("frm"))
    else:
        raise KeyError(kind)


def write_neutral(record: HandRecord) -> dict[str, Any]:
    """The plain form of a record; raises FormatError where a tile was never seen."""
    writer = _Writer()
    visit(record, writer)
    result = record.result
    body: dict[str, Any] = {
        "prevalent_wind": record.setup.prevalent_wind,
        "dealer": record.setup.dealer,
        "deal": writer.deals,
        "events": writer.events,
        "result": {"kind": "draw", "scores": list(result.payments)},
    }
    if result.kind == "win":
        body["result"] = {
            "kind": "win",
            "winner": result.winner,
            "by": "self" if result.source is None else "discard",
            "discarder": result.source,
            "fan_total": result.points,
            "fans": [
                {"no": fan.no, "name": fan.names["zh_Hans"], "value": fan.points, "count": fan.count}
                for fan in result.fans
            ],
            "scores": list(result.payments),
        }
    return body


class _Writer:
    def __init__(self) -> None:
        self.deals: list[list[str]] = [[], [], [], []]
        self.events: list[dict[str, Any]] = []

    def begin(self, setup: Setup) -> None:
        pass

    def deal(self, seat: int, faces: tuple[int, ...]) -> None:
        self.deals[seat] = [code_of(face) for face in faces]

    def draw(self, seat: int, face: int, drawn_from: DrawnFrom) -> None:
        self._add("draw", seat, face, src=_SOURCE_NAMES[drawn_from])

    def flower(self, seat: int, face: int) -> None:
        self._add("flower", seat, face)

    def discard(self, seat: int, face: int) -> None:
        self._add("discard", seat, face)

    def chow(self, seat: int, middle: int, claimed: int, source: int) -> None:
        self._add("chow", seat, claimed, middle=code_of(middle), frm=source)

    def pung(self, seat: int, face: int, source: int) -> None:
        self._add("pung", seat, face, frm=source)

    def kong(self, seat: int, face: int, kind: ActionKind, source: int | None) -> None:
        extra = {} if source is None else {"frm": source}
        self._add("kong", seat, face, kind=_KONG_NAMES[kind], **extra)

    def win(self, seat: int, face: int, source: int | None) -> None:
        self._add("win", seat, face, by="self" if source is None else "discard", frm=source)

    def end(self) -> None:
        pass

    def _add(self, kind: str, seat: int, face: int, /, **rest: Any) -> None:
        self.events.append({"t": kind, "seat": seat, "tile": code_of(face), **rest})
