"""Sights that proved wrong: a tile that lay somewhere for a while, where none comes from and none goes to."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from paiju.game.case import SETTLE_MS
from paiju.game.events import HAND, MELD, MOVES, NO_ZONE, POND, TableEvent, number, zone_after
from paiju.game.position import FLOWER
from paiju.tiles import TILE_COUNT

PASSING_MS: Final = 10_000
"""How long a tile may have lain where it cannot have been played to, to be one that lay there by mistake."""
GONE_MS: Final = 4000
"""How long a reader may take to tell that a tile is gone."""

ODD: Final = 3
LEFT_OUT: Final = 2
HAND_LEFT_OUT: Final = 4
"""What a step that no tile goes weighs, and a stay left out, in the open or in a hand before the tile left it."""

Cost = tuple[int, int]


@dataclass(slots=True)
class Stay:
    """A tile was seen in `zone` by the events `seqs`, for `ms` altogether."""

    zone: int
    seqs: list[int]
    ms: int = 0


def passing_sights(log: Sequence[tuple[TableEvent, int]], ended: bool = False) -> dict[int, int]:
    """Numbers of the events that saw a tile where it lay by mistake, with the zone where it lay next.

    Of each tile as few stays as possible, and the shortest, are left out for the rest to be a way that tiles go.
    ended: what has gone from a meld zone by the end of `log` has been so for long enough.
    """
    sights: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    winners: set[int] = set()
    now = 0
    for event, now in log:
        if event.kind == "button" and event.fields["button"] == "win":
            winners.add(number(event, "seat"))
        if event.kind in MOVES:
            sights[number(event, "tile")].append((event.seq, now, zone_after(event)))
    wrong: dict[int, int] = {}
    for code, seen in sights.items():
        flower = code % 256 < TILE_COUNT and FLOWER[code % 256]
        stays = _stays(seen, now, ended)
        if len(stays) > 1:
            kept = _kept(stays, winners, flower)
            for index, stay in enumerate(stays):
                if index not in kept:
                    following = next(stays[later].zone for later in kept if later > index)
                    wrong.update(dict.fromkeys(stay.seqs, following))
    return wrong


def _stays(seen: Sequence[tuple[int, int, int]], now: int, ended: bool) -> list[Stay]:
    """Where a tile was, one zone after the other; at last nowhere, if it went from the open back to where no reader
    is and had never been in a hand."""
    stays: list[Stay] = []
    for index, (seq, ms, zone) in enumerate(seen):
        if zone == NO_ZONE:
            continue
        if not stays or stays[-1].zone != zone:
            stays.append(Stay(zone, []))
        stays[-1].seqs.append(seq)
        if index + 1 < len(seen):
            stays[-1].ms += seen[index + 1][1] - ms
    seq, ms, zone = seen[-1]
    settled = ms + SETTLE_MS <= now or (ended and bool(stays) and stays[-1].zone % 4 == MELD)
    if zone == NO_ZONE and settled and all(stay.zone % 4 != HAND for stay in stays):
        stays.append(Stay(NO_ZONE, [seq]))
    return stays


def _kept(stays: Sequence[Stay], winners: set[int], flower: bool) -> list[int]:
    """Indices on the cheapest way to the last stay."""
    best: list[tuple[Cost, list[int]]] = []
    for end, stay in enumerate(stays):
        ways: list[tuple[Cost, list[int]]] = []
        for start in range(end, -1, -1):
            skipped = stays[start:end]
            if any(other.ms >= PASSING_MS + (GONE_MS if stay.zone == NO_ZONE else 0) for other in skipped):
                break
            skipped_ms = sum(other.ms for other in skipped)
            from_hand = HAND_LEFT_OUT if stay.zone % 4 != HAND else LEFT_OUT
            left_out = sum(from_hand if other.zone % 4 == HAND else LEFT_OUT for other in skipped)
            if start == 0:
                ways.append(((left_out, skipped_ms), [end]))
                continue
            cost, before = best[start - 1]
            odd = 0 if _goes(stays[start - 1].zone, stay.zone, winners, flower) else ODD
            ways.append(((cost[0] + odd + left_out, cost[1] + skipped_ms), [*before, end]))
        best.append(min(ways, key=lambda way: way[0]))
    return best[-1][1]


def _goes(here: int, there: int, winners: set[int], flower: bool) -> bool:
    """Whether tiles go from one zone to another in play: out of a hand to its own pond and melds, out of a pond
    into others' melds, but for a flower, and into a winner's hand."""
    if here == there:
        return True
    if there == NO_ZONE:
        return False
    if here % 4 == HAND:
        return here // 4 == there // 4
    if here % 4 != POND or here // 4 == there // 4 or flower:
        return False
    return there % 4 == MELD or (there % 4 == HAND and there // 4 in winners)
