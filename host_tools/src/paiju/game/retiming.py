"""Late sights moved to when they must have come about: the log as quicker readers and tidier players would make it.

A tile that went silent and turned up where it is played to was played when it went silent. The tiles of a meld were
laid down, for the order of acts, when the first of them was.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from paiju.game.events import HAND, MELD, MOVES, NO_ZONE, POND, TableEvent, number, zone_after
from paiju.game.position import FACE, FLOWER
from paiju.game.steps import claim_kind
from paiju.tiles import TILE_COUNT

Log = Sequence[tuple[TableEvent, int]]

HOLD_MS: Final = 1700
"""A tile is waited for so long before it is told to have left."""
LATE_MS: Final = 8000
"""Sights further apart than this have nothing to do with each other."""


@dataclass(slots=True)
class Arrival:
    """A tile came from one zone into another, at `ms`, by the event at `index` of the log."""

    index: int
    tile: int
    here: int
    zone: int
    ms: int


def retimed(log: Log) -> Log:
    """The same events in the order of the times at which they came about; each keeps its number."""
    times = [ms for _, ms in log]
    arrivals = _arrivals(log, times)
    _complete_melds(arrivals, times)
    order = sorted(range(len(log)), key=lambda index: (times[index], index))
    return [(log[index][0], times[index]) for index in order]


def _arrivals(log: Log, times: list[int]) -> list[Arrival]:
    """All arrivals; those of tiles that were silent before are set back."""
    last = [NO_ZONE] * TILE_COUNT
    left: dict[int, int] = {}  # tile -> index of its `leave`
    arrivals: list[Arrival] = []
    for index, (event, ms) in enumerate(log):
        tile = number(event, "tile") % 256 if event.kind in MOVES else TILE_COUNT
        if tile >= TILE_COUNT:
            continue
        zone = zone_after(event)
        if zone == NO_ZONE:
            left[tile] = index
            continue
        here, gone = last[tile], left.pop(tile, None)
        if gone is not None and _played(here, zone) and ms - times[gone] < LATE_MS:
            times[gone] = times[index] = max(times[gone] - HOLD_MS, 0)
        arrivals.append(Arrival(index, tile, here, zone, times[index]))
        last[tile] = zone
    return arrivals


def _played(here: int, zone: int) -> bool:
    """Out of a hand into its own pond or meld zone."""
    return here != NO_ZONE and here % 4 == HAND and here // 4 == zone // 4 and zone % 4 in (MELD, POND)


def _complete_melds(arrivals: Sequence[Arrival], times: list[int]) -> None:
    """Let the tiles of each claimed meld arrive together, when the first one did."""
    own: dict[int, list[Arrival]] = defaultdict(list)
    for arrival in arrivals:
        if arrival.zone % 4 == MELD and arrival.here == arrival.zone - MELD + HAND and not FLOWER[arrival.tile]:
            own[arrival.zone // 4].append(arrival)
    for claimed in arrivals:
        here, seat = claimed.here, claimed.zone // 4
        if here == NO_ZONE or here % 4 != POND or claimed.zone % 4 != MELD or here // 4 == seat:
            continue
        near = [arrival for arrival in own[seat] if abs(arrival.ms - claimed.ms) < LATE_MS]
        part = _rest_of_meld(claimed, near)
        first = min((arrival.ms for arrival in part), default=claimed.ms)
        for arrival in (claimed, *part):
            times[arrival.index] = min(first, claimed.ms)
        own[seat] = [arrival for arrival in own[seat] if arrival not in part]


def _rest_of_meld(claimed: Arrival, near: Sequence[Arrival]) -> list[Arrival]:
    """The claimer's own tiles of the meld; none if they could make different ones."""
    for size in (3, 2):
        sets = {}
        for part in combinations(near, size):
            tiles = [arrival.tile for arrival in part]
            if claim_kind(claimed.zone // 4, claimed.tile, tiles, claimed.here // 4) is not None:
                sets[tuple(sorted(FACE[tile] for tile in tiles))] = list(part)
        if sets:
            return next(iter(sets.values())) if len(sets) == 1 else []
    return []
