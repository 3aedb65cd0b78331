"""Measures antennas with one test tile: noise floor, read rates over a grid, margin, cross-talk to the neighbours.

The power of a zone's field is tried first: as it is, a step lower and a step higher, with the tile at the corners of
the zone. How much a step does is the reader's own affair; what was measured decides.
"""

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
LONGER_SHOTS = 100
HEADROOM = 1  # the threshold stays so much above the loudest noise
WANTED_MARGIN = 2  # a zone with less is told
CROSSTALK_LIMIT = 0.05
STEP = 32  # of the power's trim between those that are tried
TRIMS = range(-128, 128)

Place = tuple[int, int]  # ninths of width from the player's left, of depth from the player's edge


@dataclass(slots=True)
class Trial:
    """A zone at one power. `rates` at the threshold, `levels` the highest level at which a place is still read well.

    `heard` tells of tiles that lie in another zone: the highest rate; `loudest` at which level one is still heard.
    """

    power: int
    floor: int
    level: int
    rates: dict[Place, float] = field(default_factory=dict)
    levels: dict[Place, int] = field(default_factory=dict)
    heard: dict[int, float] = field(default_factory=dict)
    loudest: dict[tuple[int, Place], int] = field(default_factory=dict)

    @property
    def margin(self) -> int:
        """Levels between the threshold and the worst place; below 0 it is not read well."""
        return min(self.levels.values(), default=0) - self.level

    @property
    def worst(self) -> float:
        """Lowest read rate of a place."""
        return min(self.rates.values(), default=0.0)

    @property
    def stray(self) -> float:
        """Highest rate at which a tile of another zone is heard here."""
        return max(self.heard.values(), default=0.0)

    @property
    def merit(self) -> tuple[bool, float, int]:
        """Full reads come first, then little cross-talk, then enough margin; what suffices is not bettered."""
        stray = self.stray if self.stray > CROSSTALK_LIMIT else 0.0
        return self.worst >= GOOD_RATE, -stray, min(self.margin, WANTED_MARGIN)


@dataclass(slots=True)
class ZoneResult:
    """One zone: the powers tried, its usual one first, and the one that is kept.

    `crosstalk` is the highest rate at which its tiles are heard in another zone, `apart` the least number of levels
    by which they are heard better here than there.
    """

    zone: int
    trials: list[Trial]
    kept: Trial
    crosstalk: dict[int, float] = field(default_factory=dict)
    apart: dict[int, int] = field(default_factory=dict)

    @property
    def remarks(self) -> list[str]:
        """What a technician should look at, a sentence each."""
        out = []
        title, kept = zone_title(self.zone), self.kept
        if kept.margin < 0:
            out.append(_("{zone} has places where the tile is not read: check antenna and tuning.").format(zone=title))
        elif kept.margin < WANTED_MARGIN:
            out.append(_("{zone} has little margin: check for metal and loose plugs.").format(zone=title))
        for other, rate in self.crosstalk.items():
            if rate > CROSSTALK_LIMIT:
                out.append(
                    _("A tile in {zone} is heard in {other} {rate:.0%} of the time.").format(
                        zone=title, other=zone_title(other), rate=rate
                    )
                )
        if kept is not self.trials[0]:
            out.append(
                _("{zone} has a new power, {power:+}: calibrate again to try beyond it.").format(
                    zone=title, power=kept.power
                )
            )
        return out


def places(columns: int, rows: int) -> list[Place]:
    """A grid of places over a zone, its edges included."""

    def steps(n: int) -> list[int]:
        return [NINTHS // 2] if n == 1 else [round(NINTHS * i / (n - 1)) for i in range(n)]

    return [(x, y) for y in steps(rows) for x in steps(columns)]


def corners(spots: Sequence[Place]) -> list[Place]:
    """Those of a grid's places that lie at its corners, where an antenna is weakest and its neighbours are nearest."""
    xs, ys = {x for x, _y in spots}, {y for _x, y in spots}
    return [(x, y) for x, y in spots if x in (min(xs), max(xs)) and y in (min(ys), max(ys))]


def neighbours(zone: int) -> tuple[int, ...]:
    """The zones whose antennas lie near enough to hear a tile of this one."""
    seat = zone // 4
    own = [other for other in SURFACE if other // 4 == seat and other != zone]
    beside = [4 * ((seat + turn) % 4) + 1 for turn in (1, 3)]
    return tuple(own + beside)


async def noise_floor(bench: Workbench, zone: int, power: int) -> int:
    """The highest level at which the receiver hears anything though nobody answers; 0 for none."""
    floor, quiet = 0, 0
    for level in range(1, LEVELS):
        if await bench.noise_floor(zone, level, power, FLOOR_SHOTS):
            floor, quiet = level, 0
        else:
            quiet += 1
            if quiet == 2:
                break
    return floor


class _Probe:
    """Reads the test tile `uid`, so many `shots` for a figure."""

    def __init__(self, bench: Workbench, uid: bytes, shots: int) -> None:
        self._bench = bench
        self._uid = uid
        self._shots = shots

    async def at_home(self, zone: int, trial: Trial, place: Place) -> None:
        """The tile lies at a place of the zone."""
        rate = trial.rates[place] = await self._well(zone, trial, trial.level)
        trial.levels[place] = await self._highest(zone, trial) if rate >= GOOD_RATE else trial.level - 1

    async def astray(self, zone: int, trial: Trial, home: int, place: Place) -> None:
        """The tile lies in another zone."""
        rate = await self._rate(zone, trial, trial.level)
        trial.heard[home] = max(rate, trial.heard.get(home, 0.0))
        heard = rate > CROSSTALK_LIMIT
        trial.loudest[home, place] = await self._highest(zone, trial, rate / 2) if heard else trial.level - 1

    async def _rate(self, zone: int, trial: Trial, level: int) -> float:
        return await self._bench.read_rate(zone, level, trial.power, self._shots, self._uid)

    async def _well(self, zone: int, trial: Trial, level: int) -> float:
        """The rate; one that may miss `GOOD_RATE` by chance alone (three sigma of the shots) is measured longer."""
        rate = await self._rate(zone, trial, level)
        if GOOD_RATE - 3 * (GOOD_RATE * (1 - GOOD_RATE) / self._shots) ** 0.5 <= rate < GOOD_RATE:
            more = await self._bench.read_rate(zone, level, trial.power, LONGER_SHOTS, self._uid)
            rate = (rate * self._shots + more * LONGER_SHOTS) / (self._shots + LONGER_SHOTS)
        return rate

    async def _highest(self, zone: int, trial: Trial, rate: float | None = None) -> int:
        """The highest level at which the rate (`GOOD_RATE`) is reached, as it is at the threshold; by bisection."""
        low, high = trial.level, LEVELS - 1
        while low < high:
            middle = (low + high + 1) // 2
            if rate is None:
                reached = await self._well(zone, trial, middle) >= GOOD_RATE
            else:
                reached = await self._rate(zone, trial, middle) >= rate
            if reached:
                low = middle
            else:
                high = middle - 1
        return low


def best(trials: Sequence[Trial]) -> Trial:
    """The one to keep; the first, the usual power, unless another is better."""
    return max(trials, key=lambda trial: trial.merit)


async def calibrate(
    bench: Workbench,
    guide: Guide,
    zones: Sequence[int],
    grid: tuple[int, int] = (5, 3),
    shots: int = 20,
    day: date | None = None,
    progress: Callable[[int, int], None] | None = None,
    step: int = STEP,
) -> list[ZoneResult]:
    """Measure the zones and store threshold, margin, floor, power and day on the table.

    The person moves one registered tile from place to place: once around at the corners of the zones, where three
    powers `step` apart are tried (`step` 0: only the usual one), then at all other places with the power that is kept.
    WorkbenchError when no single tag is found at the first.
    """
    spots = places(*grid)
    first = corners(spots)
    total, done = len(zones) * (1 + len(spots)), 0

    def told() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    trials: dict[int, list[Trial]] = {}
    for zone in zones:
        await guide.ask(zone // 4, f"E{zone % 4}", _("Clear {zone} of all tiles.").format(zone=zone_title(zone)))
        trials[zone] = []
        usual = (await bench.zone(zone)).power
        for power in dict.fromkeys(p for p in (usual, usual - step, usual + step) if p in TRIMS):
            floor = await noise_floor(bench, zone, power)
            trials[zone].append(Trial(power, floor, min(max(floor + HEADROOM, 1), LEVELS - 1)))
        told()
    for other in {other for zone in zones for other in neighbours(zone)} - set(zones):
        state = await bench.zone(other)
        trials[other] = [Trial(state.power, state.floor, state.level)]

    probe: _Probe | None = None

    async def measure(zone: int, place: Place) -> None:
        nonlocal probe
        x, y = place
        sentence = _("Lay the test tile on {zone}: {x} ninths from the left, {y} ninths from the player's edge.")
        await guide.ask(zone // 4, f"r{zone % 4} {x}{y}", sentence.format(zone=zone_title(zone), x=x, y=y))
        probe = probe or _Probe(bench, await _test_tile(bench, zone), shots)
        for trial in trials[zone]:
            await probe.at_home(zone, trial, place)
        for other in neighbours(zone):
            for trial in trials[other]:
                await probe.astray(other, trial, zone, place)
        told()

    for zone in zones:
        for place in first:
            await measure(zone, place)
    tried, trials = trials, {zone: [best(of)] for zone, of in trials.items()}
    for zone in zones:
        for place in spots:
            if place not in first:
                await measure(zone, place)
        (kept,) = trials[zone]
        await bench.keep(zone, kept.level, max(kept.margin, 0), kept.floor, kept.power, day or date.today())
    results = []
    for zone in zones:
        (kept,) = trials[zone]
        result = ZoneResult(zone, tried[zone], kept)
        for other in neighbours(zone):
            (there,) = trials[other]
            result.crosstalk[other] = there.heard[zone]
            result.apart[other] = min(kept.levels[place] - there.loudest[zone, place] for place in spots)
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
