"""Everything outside the controller: tiles, mechanics and people, joined to the board's wires."""

from __future__ import annotations

from twin.clock import Clock
from twin.mechanics import Board, Mechanics
from twin.people import People
from twin.script import Script
from twin.tiles import Air, Ground, Placement, Tile, make_set


class World:
    """The table and its players; without a `script` nobody sits at it.

    The same `seed` gives the same tags, dice, wall and delays. `pace` stretches the players' delays. At the
    start `tile_set` (0 = A, 1 = B) lies in the pan; the other one is not in the table. With `clear` the
    players push the tiles into the table after a won hand too.
    """

    def __init__(
        self,
        clock: Clock,
        board: Board,
        air: Air,
        seed: int,
        script: Script | None = None,
        pace: float = 1.0,
        *,
        tile_set: int = 0,
        clear: bool = False,
    ) -> None:
        self._clock = clock
        self._seed = seed
        self._pace = pace
        self._clear = clear
        self._script = script
        self._hands = 0
        self.ground = Ground(clock, air)
        self.tiles: list[Tile] = make_set(tile_set, seed)
        for tile in self.tiles:
            self.ground.add(tile)
        self.mechanics = Mechanics(clock, board, self.ground, self.tiles, seed)
        self.people: People | None = None

    @property
    def log(self) -> list[Placement]:
        """Where every tile really went; nothing of it reaches the controller."""
        return self.ground.log

    def start(self) -> None:
        """The players sit down."""
        if self._script is not None:
            self.play(self._script)

    def play(self, script: Script) -> None:
        """Act out one more hand; the tiles must be back in the pan."""
        self._hands += 1
        seed = self._seed if self._hands == 1 else f"{self._seed}/{self._hands}"
        self.people = People(
            self._clock,
            self.mechanics,
            self.ground,
            self.tiles,
            script,
            seed,
            self._pace,
            self._clear,
        )
        self.people.start()

    @property
    def phase(self) -> str:
        """What the players do: idle, walls, dice, deal, play, win, collect, done or stuck."""
        return "idle" if self.people is None else self.people.phase

    @property
    def done(self) -> bool:
        """The players have finished the hand, or cannot go on (`problem`)."""
        return self.people is None or self.people.done

    @property
    def problem(self) -> str | None:
        """Why the players gave up, in one sentence."""
        return None if self.people is None else self.people.problem
