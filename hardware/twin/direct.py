"""Hands played without chips and firmware: the same people at the same table, and the events they would cause.

For thousands of hands: one takes milliseconds. The meaning of the events is that of `docs/architecture.md`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

from twin import geometry
from twin.clock import Clock
from twin.geometry import LEVELS, SEATS, STACKS
from twin.script import Script
from twin.sights import NOISES, Noise, Sights
from twin.signal import Signal
from twin.sloppy import HABITS, Habits, SloppyPeople
from twin.tags import Tag
from twin.tiles import Ground, Placement, Tile, make_set

BUTTONS = ("raise", "dice", "refill")
CONSOLE = 255
BOOTED_MS = 20
RAISE_MS = 1200
ROLL_MS = 1800
LIFT_MS = 1500
AFTERWARDS_MS = 4000
LIMIT_MS = 3_600_000


class Said(NamedTuple):
    """An event as the controller would send it."""

    seq: int
    t_ms: int
    boot: int
    kind: str
    fields: Mapping[str, int | str]


class Dice:
    """Two dice that come to rest `ROLL_MS` after they were thrown."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.fall: tuple[int, int] | None = None
        self.values: tuple[int, int] | None = (1, 1)
        self.throws = 0

    def rest(self) -> tuple[int, int]:
        self.throws += 1
        self.values = self.fall or (self._rng.randint(1, 6), self._rng.randint(1, 6))
        return self.values


class Touched:
    """The inputs that people touch and look at."""

    def __init__(self) -> None:
        names = [f"win_{seat}" for seat in range(SEATS)] + [f"button_{name}" for name in BUTTONS]
        self.inputs = {name: Signal(name) for name in [*names, "lift_down"]}


class Stage:
    """The table as people meet it (`twin.mechanics.Mechanics`), without motors: each press is obeyed in time."""

    def __init__(
        self, clock: Clock, ground: Ground, tiles: Sequence[Tile], sights: Sights, say: Callable[..., None], seed: str
    ) -> None:
        self.board = Touched()
        self.changed: list[Callable[[], None]] = []
        self.dice = Dice(random.Random(f"{seed}/dice"))
        self.pan: dict[Tile, None] = dict.fromkeys(tiles)
        self.standing: dict[tuple[int, int], dict[int, Tile]] = {}
        self.console_open = False
        self.anything_moves = False
        self._clock = clock
        self._ground = ground
        self._sights = sights
        self._say = say
        self._planned: Sequence[Sequence[Tile]] = ()
        self._hands_in_gap = 0
        self.board.inputs["lift_down"].set(1)
        for tile in tiles:
            ground.put(tile, "pan", geometry.pan())
        for seat in range(SEATS):
            self._button(f"win_{seat}", seat, "win", partial(sights.read_seat, seat))
        for name, act in zip(BUTTONS, (self._raise, self._throw, self._refill), strict=True):
            self._button(f"button_{name}", CONSOLE, name, act)

    def _button(self, wire: str, seat: int, name: str, act: Callable[[], None]) -> None:
        def changed(level: int) -> None:
            self._say("button", seat=seat, button=name, pressed=level)
            if level:
                act()

        self.board.inputs[wire].watch(changed)

    def tell(self) -> None:
        for fn in tuple(self.changed):
            fn()

    def _moves(self, ms: float, then: Callable[[], None]) -> None:
        def done() -> None:
            self.anything_moves = False
            then()
            self.tell()

        self.anything_moves = True
        self.tell()
        self._clock.after(ms * 1000, done)

    # -- walls and dice

    def arrange(self, sides: Sequence[Sequence[Tile]]) -> None:
        """The tiles of the next walls, as `twin.mechanics.Mechanics.arrange` takes them."""
        self._planned = sides

    @property
    def walls_up(self) -> bool:
        return len(self.pan) == 0 and bool(self.standing)

    def _raise(self) -> None:
        if not self.anything_moves and not self.standing:
            self._cycle("raise")
            self._moves(RAISE_MS, self._walls)

    def _walls(self) -> None:
        for seat, tiles in enumerate(self._planned):
            for number, tile in enumerate(tiles):
                stack, level = STACKS - 1 - number // LEVELS, number % LEVELS
                self._ground.put(tile, f"wall.{seat}", geometry.wall(seat, stack, level))
                self.standing.setdefault((seat, stack), {})[level] = tile
        self.pan.clear()
        self._sights.dealing = True
        self._cycle("ready")

    def _cycle(self, state: str) -> None:
        self._say("cycle", state=state, set="A")

    def take(self, seat: int, stack: int, level: int) -> Tile:
        """A player takes a tile off the wall; KeyError when none is there."""
        tiles = self.standing[seat, stack]
        tile = tiles.pop(level)
        if not tiles:
            del self.standing[seat, stack]
        return tile

    def _throw(self) -> None:
        if self.dice.values is not None:
            self.dice.values = None
            self._moves(ROLL_MS, self._rest)

    def _rest(self) -> None:
        one, two = self.dice.rest()
        self._say("dice", throw=self.dice.throws, die1=one, die2=two)

    # -- collecting

    def _refill(self) -> None:
        if not self.anything_moves and not self.console_open:
            self._cycle("collect")
            self.board.inputs["lift_down"].set(0)
            self._moves(LIFT_MS, lambda: self._open(True))

    def _open(self, is_open: bool) -> None:
        self.console_open = is_open
        self.board.inputs["lift_down"].set(int(not is_open))
        if not is_open:
            self._sights.clear()

    def sweep(self) -> None:
        self.standing.clear()

    def drop_in(self, tile: Tile) -> None:
        self._ground.put(tile, "pan", geometry.pan())
        self.pan[tile] = None

    def reach_into_gap(self, hands: int) -> None:
        self._hands_in_gap += hands
        if not self._hands_in_gap:
            self._moves(LIFT_MS, lambda: self._open(False))


class Direct:
    """One hand at a table without chips. The same arguments give the same events.

    `noise` is a name of `NOISES` or a Noise, `sloppy` a name of `HABITS` or Habits.
    """

    def __init__(
        self,
        script: Script,
        seed: int | str = 1,
        noise: str | Noise = "none",
        sloppy: str | Habits = "none",
        pace: float = 1.0,
    ) -> None:
        self.clock = Clock()
        self.events: list[Said] = []
        noise = NOISES[noise] if isinstance(noise, str) else noise
        self.sights = Sights(self.clock, self._say, noise, seed)
        self.ground = Ground(self.clock, self.sights)
        tiles = [Tile(0, number, tag) for number, tag in enumerate(_tags())]
        for tile in tiles:
            self.ground.add(tile)
        self.stage = Stage(self.clock, self.ground, tiles, self.sights, self._say, str(seed))
        habits = HABITS[sloppy] if isinstance(sloppy, str) else sloppy
        self.people = SloppyPeople(habits, self.clock, self.stage, self.ground, tiles, script, seed, pace)

    @property
    def log(self) -> list[Placement]:
        """Where every tile really went."""
        return self.ground.log

    @property
    def problem(self) -> str | None:
        return self.people.problem

    def play(self) -> list[Said]:
        """Play the hand to its end; the events of it and of a few seconds more."""
        self.clock.advance(BOOTED_MS * 1000)
        self._say("boot", reason="power_on", count=1, version=0)
        self.people.arrange()
        self.people.start()
        self.sights.disturb()
        limit = LIMIT_MS * 1000
        while not self.people.done and self.clock.step(limit):
            self.sights.dealing = self.people.phase in ("walls", "dice", "deal")
        self.clock.advance(self.clock.now + AFTERWARDS_MS * 1000)
        return self.events

    def _say(self, event: str, **fields: int | str) -> None:
        self.events.append(Said(len(self.events) + 1, self.clock.now // 1000, 1, event, fields))

    @property
    def disturbances(self) -> Counter[str]:
        """How often each kind of noise and each habit came."""
        return Counter(self.sights.counts) + Counter(self.people.mishaps)


@cache
def _tags() -> tuple[Tag, ...]:
    """Tags that nobody reads, made once."""
    return tuple(tile.tag for tile in make_set(0, 0))
