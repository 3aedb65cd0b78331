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
        self._next: People | None = None

    @property
    def log(self) -> list[Placement]:
        """Where every tile really went; nothing of it reaches the controller."""
        return self.ground.log

    def start(self) -> None:
        """The players sit down."""
        if self._script is not None:
            self.play(self._script)

    def play(self, script: Script) -> None:
        """Act out one more hand, at once or after the present one.

        Its wall is arranged now, so call this before the table begins to stack it. ValueError while the
        wall of the present hand is still being built, or when another hand waits already.
        """
        if self._next is not None or self.phase == "walls":
            raise ValueError("the next hand can be given once the walls of the present one stand")
        self._hands += 1
        seed = self._seed if self._hands == 1 else f"{self._seed}/{self._hands}"
        self._next = People(
            self._clock,
            self.mechanics,
            self.ground,
            self.tiles,
            script,
            seed,
            self._pace,
            self._clear,
        )
        self._next.arrange()
        self._next.then = self._go_on
        if self.people is None or self.people.done:
            self._go_on()

    def _go_on(self) -> None:
        if self._next is not None:
            self.people, self._next = self._next, None
            self.people.start()

    @property
    def phase(self) -> str:
        """What the players do: idle, walls, dice, deal, play, win, collect, done or stuck."""
        return "idle" if self.people is None else self.people.phase

    @property
    def done(self) -> bool:
        """The players have finished every hand they were given, or cannot go on (`problem`)."""
        return self.people is None or self.people.done

    @property
    def problem(self) -> str | None:
        """Why the players gave up, in one sentence."""
        return None if self.people is None else self.people.problem
