"""Measures antennas with one test tile: noise floor, read rates over a grid, margin, cross-talk to the neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from paiju.i18n import _
from paiju.technician.guide import Guide
from paiju.technician.workbench import LEVELS, SURFACE, Workbench, WorkbenchError, zone_title

FLOOR_SHOTS = 60
NINTHS = 9  # a place is told in ninths of the zone's width and depth
GOOD_RATE = 0.95
HEADROOM = 1  # the threshold stays so much above the loudest noise
WANTED_MARGIN = 2  # a zone with less is told
CROSSTALK_LIMIT = 0.05

Place = tuple[int, int]  # ninths of width from the player's left, of depth from the player's edge


@dataclass(slots=True)
class ZoneResult:
    """One zone. `rates` at the threshold, `levels` the highest level at which a place is still read well."""

    zone: int
    floor: int
    level: int
    rates: dict[Place, float] = field(default_factory=dict)
    levels: dict[Place, int] = field(default_factory=dict)
    crosstalk: dict[int, float] = field(default_factory=dict)  # other zone -> highest rate there

    @property
    def margin(self) -> int:
        """Levels between the threshold and the worst place; below 0 it is not read well."""
        return min(self.levels.values(), default=0) - self.level

    @property
    def remarks(self) -> list[str]:
        """What a technician should look at, a sentence each."""
        out = []
        title = zone_title(self.zone)
        if self.margin < 0:
            out.append(_("{zone} has places where the tile is not read: check antenna and tuning.").format(zone=title))
        elif self.margin < WANTED_MARGIN:
            out.append(_("{zone} has little margin: check for metal and loose plugs.").format(zone=title))
        for other, rate in self.crosstalk.items():
            if rate > CROSSTALK_LIMIT:
                out.append(
                    _("A tile in {zone} is heard in {other} {rate:.0%} of the time.").format(
                        zone=title, other=zone_title(other), rate=rate
                    )
                )
        return out


def places(columns: int, rows: int) -> list[Place]:
    """A grid of places over a zone, its edges included."""

    def steps(n: int) -> list[int]:
        return [NINTHS // 2] if n == 1 else [round(NINTHS * i / (n - 1)) for i in range(n)]

    return [(x, y) for y in steps(rows) for x in steps(columns)]


def neighbours(zone: int) -> tuple[int, ...]:
    """The zones whose antennas lie near enough to hear a tile of this one."""
    seat = zone // 4
    own = [other for other in SURFACE if other // 4 == seat and other != zone]
    beside = [4 * ((seat + turn) % 4) + 1 for turn in (1, 3)]
    return tuple(own + beside)


async def noise_floor(bench: Workbench, zone: int) -> int:
    """The highest level at which the receiver hears anything though nobody answers; 0 for none."""
    floor, quiet = 0, 0
    for level in range(1, LEVELS):
        if await bench.noise_floor(zone, level, FLOOR_SHOTS):
            floor, quiet = level, 0
        else:
            quiet += 1
            if quiet == 2:
                break
    return floor


async def highest_level(bench: Workbench, zone: int, uid: bytes, shots: int, floor: int) -> int:
    """The highest level at which the tile is read well, by bisection; `floor` - 1 when there is none."""
    low, high = floor - 1, LEVELS - 1
    while low < high:
        middle = (low + high + 1) // 2
        if await bench.read_rate(zone, middle, shots, uid) >= GOOD_RATE:
            low = middle
        else:
            high = middle - 1
    return low


async def calibrate(
    bench: Workbench,
    guide: Guide,
    zones: Sequence[int],
    grid: tuple[int, int] = (5, 3),
    shots: int = 20,
    day: date | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[ZoneResult]:
    """Measure the zones and store threshold, margin, floor and day on the table.

    The person moves one registered tile from place to place. WorkbenchError when no single tag is found at the first.
    """
    results: list[ZoneResult] = []
    spots = places(*grid)
    total, done = len(zones) * len(spots), 0
    uid: bytes | None = None
    for zone in zones:
        await guide.ask(zone // 4, f"E{zone % 4}", _("Clear {zone} of all tiles.").format(zone=zone_title(zone)))
        floor = await noise_floor(bench, zone)
        result = ZoneResult(zone, floor, min(max(floor + HEADROOM, 1), LEVELS - 1))
        for x, y in spots:
            sentence = _("Lay the test tile on {zone}: {x} ninths from the left, {y} ninths from the player's edge.")
            await guide.ask(zone // 4, f"r{zone % 4} {x}{y}", sentence.format(zone=zone_title(zone), x=x, y=y))
            if uid is None:
                uid = await _test_tile(bench, zone)
            result.rates[x, y] = await bench.read_rate(zone, result.level, shots, uid)
            result.levels[x, y] = await highest_level(bench, zone, uid, shots, result.level)
            for other in neighbours(zone):
                level = next((r.level for r in results if r.zone == other), result.level)
                rate = await bench.read_rate(other, level, shots, uid)
                result.crosstalk[other] = max(rate, result.crosstalk.get(other, 0.0))
            done += 1
            if progress is not None:
                progress(done, total)
        await bench.keep(zone, result.level, max(result.margin, 0), floor, day or date.today())
        results.append(result)
    for seat in sorted({zone // 4 for zone in zones}):
        await bench.show(seat, "")
    return results


async def _test_tile(bench: Workbench, zone: int) -> bytes:
    for _try in range(3):
        tags = (await bench.tags(zone)).tags
        if len(tags) == 1:
            return tags[0].uid
    raise WorkbenchError(
        _("{count} tags answer on {zone}: lay exactly one tile there.").format(count=len(tags), zone=zone_title(zone))
    )
