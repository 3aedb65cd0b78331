"""A table at which nobody sits, with tiles laid and moved by a test; the real firmware says where they are."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from support.workbench import Shop

from paiju.table import Event
from twin import geometry
from twin.noise import Noise
from twin.tags import Tag
from twin.tiles import Tile

HAND, MELD, POND, GATE = range(4)
NOWHERE = None


@dataclass(frozen=True, slots=True)
class Told:
    """An event of a tile and when it was stored at the host, virtual µs."""

    at: int
    kind: str
    tile: int
    zone: int | None  # where the tile is now


class Surface(Shop):
    """`lay`, `lift` and `run`; `told` is what the table said of tiles, `truth` the zones they were laid in.

    A tile's event is wrong when the tile had not been in that zone (or, for a leave, out of every zone) at any time
    since `LATE_US` before.
    """

    LATE_US = 5_000_000

    def __init__(self, folder: Path, noise: str | Noise | None = None, seed: int = 1) -> None:
        super().__init__(folder, None, seed)
        if noise is not None:
            self.make_noise(Noise.named(noise, seed) if isinstance(noise, str) else noise)
        self.stored_at: list[int] = []
        self._told: list[Told] = []
        self._where: dict[int, int] = {}
        self._followed = 0  # events
        self.truth: dict[int, list[tuple[int, int | None]]] = {}

    def make_noise(self, noise: Noise | None) -> None:
        """From now on; coupling by place cannot be switched on afterwards."""
        assert noise is None or not noise.profile.coupling
        self.table.air.noise = noise

    @property
    def now_us(self) -> int:
        return self.table.now

    def tile(self, number: int) -> Tile:
        return self.person.tiles[number]

    def lay(self, numbers: int | Iterable[int], zone: int) -> None:
        """Put tiles into a zone, side by side one place after the other from the left."""
        for number in [numbers] if isinstance(numbers, int) else numbers:
            self._lay(number, zone)

    def lift(self, number: int) -> None:
        """Take a tile into somebody's fingers."""
        self.table.world.ground.lift(self.tile(number))
        self._true(number, NOWHERE)

    def _lay(self, number: int, zone: int) -> None:
        part = geometry.ZONES["seat"][("hand", "meld", "pond", "gate")[zone % 4]]
        a_row = int((part["x"][1] - part["x"][0]) // geometry.WIDTH)
        used = sum(1 for places in self.truth.values() if places[-1][1] == zone)
        row, column = divmod(used, a_row)
        width, depth = part["x"][1] - part["x"][0], part["y"][1] - part["y"][0]
        x = geometry.WIDTH * (column + 0.5) / width
        self.person.lay(self.tile(number), zone, x, min((geometry.HEIGHT * row + 12) / depth, 1.0))
        self._true(number, zone)

    def _true(self, number: int, zone: int | None) -> None:
        self.truth.setdefault(number, [(0, NOWHERE)]).append((self.now_us, zone))

    def put_tag(self, tag: Tag, zone: int, x: float = 0.5) -> Tile:
        """A strange tag in a tile's body."""
        tile = Tile(0, 0, tag)
        self.table.air.add(tile)
        self.person.lay(tile, zone, x)
        return tile

    def run(self, seconds: float) -> None:
        self.table.run_for(seconds)

    def settle(self, limit: float = 30.0) -> bool:
        """Run until the table knows where every tile is, at most so long; whether it does."""
        return self.table.run_for(limit, lambda: self.places() == self.true_places())

    def true_places(self) -> dict[int, int]:
        return {n: zone for n, places in self.truth.items() if (zone := places[-1][1]) is not None}

    def of(self, *kinds: str) -> list[Event]:
        return [event for event in self.events if event.kind in kinds]

    @property
    def told(self) -> list[Told]:
        self._follow()
        return self._told

    def places(self) -> dict[int, int]:
        """Where the events put every tile."""
        self._follow()
        return dict(self._where)

    def _follow(self) -> None:
        """Take in the events since the last time; each tile is in one zone at a time."""
        where = self._where
        while self._followed < len(self.events):
            event, at = self.events[self._followed], self.stored_at[self._followed]
            self._followed += 1
            if event.kind not in ("enter", "leave", "moved"):
                continue
            tile, zone = int(event["tile"]), None
            if event.kind == "enter":
                assert tile not in where, event
                where[tile] = zone = int(event["zone"])
            elif event.kind == "moved":
                assert where[tile] == event["from"] != event["to"], event
                where[tile] = zone = int(event["to"])
            else:
                assert where.pop(tile) == event["zone"], event
            self._told.append(Told(at, event.kind, tile, zone))

    def wrong(self) -> list[Told]:
        """Events that tell of a tile what was not so."""
        return [told for told in self.told if not self._was_so(told)]

    def _was_so(self, told: Told) -> bool:
        places = self.truth.get(told.tile, [(0, NOWHERE)])
        for n, (since, zone) in enumerate(places):
            until = places[n + 1][0] if n + 1 < len(places) else told.at
            if since <= told.at and until >= told.at - self.LATE_US and zone == told.zone:
                return True
        return False

    def latency_ms(self, number: int, zone: int) -> float | None:
        """From the last time the tile was laid into the zone to the event stored, None while there is none."""
        since, place = self.truth[number][-1]
        assert place == zone
        times = [t.at for t in self.told if t.tile == number and t.zone == zone and t.at >= since]
        return (times[0] - since) / 1000 if times else None

    def _took(self, events: list[Event]) -> None:
        self.events.extend(events)
        self.stored_at.extend([self.table.now] * len(events))


def draw_and_discard(surface: Surface, rng: random.Random, seat: int, tile: int, rest: tuple[float, float]) -> None:
    """The seat draws `tile`, thinks, discards one of its hand; so many seconds follow, at random in `rest`."""
    surface.lay(tile, 4 * seat + HAND)
    surface.run(rng.uniform(0.8, 1.6))
    thrown = rng.choice([n for n, zone in surface.true_places().items() if zone == 4 * seat + HAND])
    surface.lift(thrown)
    surface.run(0.35)
    surface.lay(thrown, 4 * seat + POND)
    surface.run(rng.uniform(*rest))
