"""Records of the tziakcha server: JSON, usually as base64 of zlib under `script`.

`w` the wall of 144 tiles in hex, `d` four dice in four bits each, `i` number of the hand, `a` acts
`[seat << 4 | type, data, ms]`, `b` and `y` the result. Seat 0 deals. Characters, bamboos, dots, winds, dragons,
four copies each, then flowers. data, from the lowest bit on: 8 bits tile, then for a flower 4 bits which it replaces,
for a discard 1 bit "from the hand", for a draw 1 bit "from the end of the wall". For a meld: 6 bits kind of its
(middle) tile, 2 bits place of the claimed tile in a chow or steps back to its seat (1 left, 2 across, 3 right, 0 own
tile), 2 bits form (chow, pung, kong, added kong), 2 bits copy of each tile of a chow. For a win 1 bit "by itself",
then its points.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from paiju.game.actions import Action, ActionKind, DrawnFrom
from paiju.game.events import SEATS
from paiju.game.formats.recorder import Recorder
from paiju.game.formats.visitor import FormatError, not_understood, turned
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.i18n import _
from paiju.tiles import TILE_COUNT

START, FLOWER, DISCARD, CHOW, PUNG, KONG, WIN, DRAW, PASS, GIVE_UP = range(10)
FORM_CHOW, FORM_PUNG, FORM_KONG, ADDED = range(4)
FLOWERS: Final = 136
STACKS: Final = 18


def decode(body: Any) -> Mapping[str, Any] | None:
    """The hand in a script, a server's answer or either as decoded; None if it is none of these."""
    if isinstance(body, dict):
        body = body["step"] if isinstance(body.get("step"), dict) else body.get("script", body)
    if isinstance(body, str):
        try:
            body = json.loads(zlib.decompress(base64.b64decode(body.strip().strip('"'), validate=True)))
        except (binascii.Error, zlib.error, ValueError):
            return None
    return body if isinstance(body, dict) and {"w", "d", "a"} <= body.keys() else None


def read_tziakcha(body: Mapping[str, Any], profile: str = "mcr1998") -> HandRecord:
    """The record of a decoded hand; raises FormatError with the act. Wins without points were none, and are left out;
    of two winners the one told first counts."""
    place = _("wall")
    reader = _Reader()
    recorder = reader.recorder
    try:
        throws = _throws(int(body["d"]))
        recorder.begin(Setup(0, int(body.get("i", 0)) // 4 % 4, profile))
        for seat, tiles in enumerate(_dealt(str(body["w"]), throws)):
            recorder.deal(seat, tuple(map(_face, tiles)))
        for number, act in enumerate(body["a"], 1):
            place = _("act {n}").format(n=number)
            who, data, ms = act
            recorder.ms = int(ms)
            if not recorder.position.over:
                reader.act(who >> 4 & 3, who & 15, int(data))
    except FormatError as error:
        raise FormatError(place, error.reason) from error
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise FormatError(place, not_understood(error)) from error
    if not recorder.position.over:
        recorder.end()
    return replace(recorder.record(), dice=throws)


def _throws(code: int) -> tuple[tuple[int, int], tuple[int, int]]:
    one, two, three, four = (code >> shift & 15 for shift in (0, 4, 8, 12))
    return (one, two), (three, four)


def _start(throws: Sequence[tuple[int, int]]) -> int:
    """Where in `w` the dealer begins."""
    first = sum(throws[0])
    return ((1 - first) % 4 * 2 * STACKS + 2 * (first + sum(throws[1]))) % TILE_COUNT


def _order() -> list[int]:
    """The seats in the order of the 53 dealt tiles."""
    return [seat for _round in range(3) for seat in SEATS for _tile in range(4)] + [*SEATS, 0]


def _dealt(wall: str, throws: Sequence[tuple[int, int]]) -> tuple[list[int], ...]:
    tiles = list(bytes.fromhex(wall))
    if sorted(tiles) != list(range(TILE_COUNT)):
        raise FormatError("", _("the wall does not hold each of the 144 tiles once"))
    start = _start(throws)
    hands: tuple[list[int], ...] = ([], [], [], [])
    for seat, tile in zip(_order(), tiles[start:] + tiles[:start], strict=False):
        hands[seat].append(tile)
    return hands


def _kind(kind: int) -> int:
    """Bamboos come before dots there; its own inverse."""
    return kind + 9 if 9 <= kind < 18 else kind - 9 if 18 <= kind < 27 else kind


def _face(tile: int) -> int:
    return _kind(tile >> 2) if tile < FLOWERS else tile - FLOWERS + 34


class _Reader:
    def __init__(self) -> None:
        self.recorder = Recorder()

    def act(self, seat: int, kind: int, data: int) -> None:
        recorder = self.recorder
        face, tile = _kind(data & 63), data & 255
        if kind == FLOWER:
            recorder.flower(seat, (data >> 8 & 15) + 34)
            recorder.draw(seat, _face(tile), DrawnFrom.FLOWER)
        elif kind == DISCARD:
            recorder.discard(seat, _face(tile))
        elif kind == DRAW:
            recorder.draw(seat, _face(tile), None if data >> 8 else DrawnFrom.WALL)
        elif kind == WIN and data >> 1:
            recorder.win_untold(seat)
        elif kind == CHOW and data:
            recorder.chow(seat, face, *recorder.offered)
        elif kind == PUNG and data:
            recorder.pung(seat, face, recorder.offered[1])
        elif kind == KONG and data >> 8 & 3 == ADDED:
            recorder.kong(seat, face, ActionKind.ADDED_KONG, None)
        elif kind == KONG and data:
            own = not data >> 6 & 3
            concealed = ActionKind.CONCEALED_KONG if own else ActionKind.MELDED_KONG
            recorder.kong(seat, face, concealed, None if own else recorder.offered[1])
        elif kind > GIVE_UP:
            raise FormatError("", _("there is no act of type {n}").format(n=kind))


def write_tziakcha(record: HandRecord) -> dict[str, str]:
    """The server's answer for a record; raises FormatError if seat 0 did not deal or a tile was never seen.

    The wall holds the tiles of this hand where they came from, the undrawn ones in between. A flower for which nothing
    is drawn any more cannot be told there.
    """
    if record.setup.dealer:
        raise turned("tziakcha")
    throws = record.dice if len(record.dice) == 2 else ((1, 1), (1, 1))
    acts, result = _acts(record), record.result
    winner, source = result.winner, result.source
    body: dict[str, Any] = {
        "w": bytes(_wall(record, throws)).hex(),
        "d": sum(die << 4 * place for place, die in enumerate((*throws[0], *throws[1]))),
        "i": record.setup.prevalent_wind * 4,
        "p": [{"n": name} for name in "ESWN"],
        "a": acts,
        "b": 0 if winner is None else 1 << winner | 1 << 4 + (winner if source is None else source),
        "y": [{"f": result.points} if seat == winner else {} for seat in SEATS],
    }
    return {"script": base64.b64encode(zlib.compress(json.dumps(body).encode())).decode()}


def _tile(tile: int) -> int:
    return _kind(tile >> 2) << 2 | tile & 3 if tile < FLOWERS else tile


def _wall(record: HandRecord, throws: Sequence[tuple[int, int]]) -> list[int]:
    hands = {a.seat: list(a.tiles) for a in record.actions if a.kind is ActionKind.DEAL}
    if any(len(hands.get(seat, ())) != record.setup.dealt(seat) for seat in SEATS):
        raise FormatError("", _("not all dealt tiles are known"))
    front = [hands[seat].pop(0) for seat in _order()]
    draws = [a for a in record.actions if a.kind is ActionKind.DRAW]
    front += [a.tiles[0] for a in draws if a.drawn_from is DrawnFrom.WALL]
    back = [a.tiles[0] for a in draws if a.drawn_from is not DrawnFrom.WALL]
    left = sorted(set(range(TILE_COUNT)) - {*front, *back})
    order = [_tile(tile) for tile in (*front, *left, *reversed(back))]
    start = _start(throws)
    return order[-start:] + order[:-start] if start else order


def _acts(record: HandRecord) -> list[list[int]]:
    zero = max((a.ms for a in record.actions if a.kind is ActionKind.DEAL), default=0)
    acts: list[list[int]] = [[START, 0, 0]]
    shown: dict[int, list[int]] = {seat: [] for seat in SEATS}
    for action in record.actions:
        seat = action.seat
        if seat is None or action.kind is ActionKind.DEAL:
            continue
        if not action.tiles:
            raise FormatError(_("action {n}").format(n=action.number), _("the drawn tile was never seen"))
        if action.kind is ActionKind.FLOWER:
            shown[seat].append(action.tiles[0] - FLOWERS)
            continue
        kind, data = _act(action, seat, record, shown[seat])
        acts.append([seat << 4 | kind, data, max(action.ms - zero, 0)])
    return acts


def _act(action: Action, seat: int, record: HandRecord, shown: list[int]) -> tuple[int, int]:
    first = _tile(action.tiles[0])
    if action.kind is ActionKind.DRAW:
        if action.drawn_from is DrawnFrom.FLOWER and shown:
            return FLOWER, first | shown.pop(0) << 8
        return DRAW, first | (action.drawn_from is not DrawnFrom.WALL) << 8
    if action.kind is ActionKind.DISCARD:
        return DISCARD, first
    if action.kind is ActionKind.WIN:
        return WIN, record.result.points << 1
    if action.kind is ActionKind.CHOW:
        tiles = sorted(map(_tile, action.tiles))
        copies = sum((tile & 3) << 10 + 2 * place for place, tile in enumerate(tiles))
        return CHOW, tiles[1] >> 2 | tiles.index(first) + 1 << 6 | FORM_CHOW << 8 | copies
    steps = 0 if action.source is None else (seat - action.source) % 4
    if action.kind is ActionKind.PUNG:
        return PUNG, first >> 2 | steps << 6 | FORM_PUNG << 8
    form = ADDED if action.kind is ActionKind.ADDED_KONG else FORM_KONG
    return KONG, first >> 2 | steps << 6 | form << 8
