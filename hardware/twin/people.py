"""Four players who act out a recorded hand with their fingers: they see the table, never the firmware."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from twin import geometry
from twin.clock import Clock, Event
from twin.geometry import SEATS, Point
from twin.script import Act, Script, ScriptError, WallOrder, deal_order, slot_of
from twin.signal import Signal
from twin.tiles import FACES, Ground, Tile

Span = tuple[float, float]  # shortest and longest duration, ms

SIT_DOWN: Span = (2000, 3000)
GLANCE: Span = (900, 1400)
PRESS: Span = (160, 240)
REACH: Span = (300, 420)  # a tile on its way through the air
THINK: Span = (250, 550)
TURN: Span = (200, 400)  # from a discard to the next player's hand on the wall
CLAIM: Span = (550, 850)
WITH_HAND: Span = (60, 160)  # between the tiles one hand moves in a row
NEXT_BLOCK: Span = (380, 520)
LAY_DOWN: Span = (500, 800)
SWEEP: Span = (120, 180)  # between two armfuls on their way into the gap
PATIENCE_MS = 4000  # nothing happens: press again
WALLS_PATIENCE_MS = 8000  # longer than the table waits for tiles to be pushed in
CONSOLE_PATIENCE_MS = 9000
GIVE_UP_MS = 300_000  # then somebody fetches the technician
AFTERWARDS_MS = 2500
ARMFUL = 6
RACK = 15


@dataclass(slots=True)
class Wait:
    """Until `condition` holds or `ms` have passed."""

    condition: Callable[[], bool]
    ms: float | None = None


Acting = Generator[float | Wait, bool | None, None]


class Confused(Exception):
    """The players cannot go on with the hand; the message says why."""


class Wires(Protocol):
    """Buttons and sensors, by name."""

    @property
    def inputs(self) -> Mapping[str, Signal]: ...


class Cups(Protocol):
    """The dice; see `twin.dice.Dice`."""

    fall: tuple[int, int] | None
    values: tuple[int, int] | None
    throws: int


class Parts(Protocol):
    """What people see and touch of a table; see `twin.mechanics.Mechanics`."""

    changed: list[Callable[[], None]]
    pan: dict[Tile, None]
    standing: dict[tuple[int, int], dict[int, Tile]]

    @property
    def board(self) -> Wires: ...
    @property
    def dice(self) -> Cups: ...
    @property
    def walls_up(self) -> bool: ...
    @property
    def console_open(self) -> bool: ...
    @property
    def anything_moves(self) -> bool: ...
    def arrange(self, sides: Sequence[Sequence[Tile]]) -> None: ...
    def take(self, seat: int, stack: int, level: int) -> Tile: ...
    def sweep(self) -> object: ...
    def drop_in(self, tile: Tile) -> None: ...
    def reach_into_gap(self, hands: int) -> None: ...


@dataclass(slots=True)
class Player:
    """What one player has before them."""

    rack: list[Tile | None] = field(default_factory=lambda: [None] * RACK)
    pond: list[Tile] = field(default_factory=list)
    flowers: int = 0
    meld_right: float = field(default_factory=geometry.meld_start)
    pungs: dict[str, Point] = field(default_factory=dict)  # face -> place of the tile that lies across
    drawn: Tile | None = None


class People:
    """They play `script` once; `phase` names what they do, `problem` why they stopped early.

    `pace` stretches every human delay: 1 is a quick player, 2 takes twice as long. With `clear` they push
    the tiles into the table after a won hand too, as they always do after a drawn one.
    """

    def __init__(
        self,
        clock: Clock,
        mechanics: Parts,
        ground: Ground,
        tiles: Sequence[Tile],
        script: Script,
        seed: int | str,
        pace: float = 1.0,
        clear: bool = False,
    ) -> None:
        self._clock = clock
        self._mechanics = mechanics
        self._ground = ground
        self._tiles = tiles
        self._script = script
        self._pace = pace
        self._clear = clear
        self._rng = random.Random(f"{seed}/people")
        self._plan = script.plan(random.Random(f"{seed}/plan"))
        self._order = WallOrder()
        self._players = [Player() for _ in range(SEATS)]
        self._claimable: Tile | None = None
        self._winner: int | None = None
        self._acting: Acting | None = None
        self._waiting: Wait | None = None
        self._deadline: Event | None = None
        self.phase = "idle"
        self.problem: str | None = None
        self.then: Callable[[], None] | None = None  # called when the hand is over

    @property
    def done(self) -> bool:
        return self.phase in ("done", "stuck")

    def arrange(self) -> None:
        """Make the table's next wall the one this hand needs."""
        by_number = {tile.number: tile for tile in self._tiles}
        feed = self._plan.feed(self._script.dealer)
        self._mechanics.arrange([[by_number[number] for number in side] for side in feed])

    def start(self) -> None:
        """Sit down and play the arranged wall."""
        self._mechanics.changed.append(self._look)
        self._acting = self._hand()
        self._go_on(None)

    # Running the acts in virtual time

    def _go_on(self, answer: bool | None) -> None:
        assert self._acting is not None
        self._clock.cancel(self._deadline)
        self._waiting = self._deadline = None
        try:
            # A condition that holds already needs no waiting.
            while isinstance(wish := self._acting.send(answer), Wait):
                if not wish.condition():
                    self._waiting = wish
                    if wish.ms is not None:
                        self._deadline = self._clock.after(wish.ms * 1000, lambda: self._go_on(False))
                    return
                answer = True
        except StopIteration:
            self._finish("done")
        except (Confused, ScriptError) as error:
            self.problem = str(error)
            self._finish("stuck")
        else:
            self._clock.after(wish * 1000, lambda: self._go_on(True))

    def _look(self) -> None:
        if self._waiting is not None and self._waiting.condition():
            # Seen now, acted on after the call that changed it has returned.
            self._waiting = None
            self._clock.cancel(self._deadline)
            self._clock.after(0, lambda: self._go_on(True))

    def _finish(self, phase: str) -> None:
        self.phase = phase
        self._mechanics.changed.remove(self._look)
        if self.then is not None:
            self.then()

    def _ms(self, span: Span) -> float:
        return self._rng.uniform(*span) * self._pace

    def _patience(self, reason: str) -> Callable[[], None]:
        """A check that raises Confused with `reason` once the players have waited long enough."""
        limit = self._clock.now + GIVE_UP_MS * 1000

        def in_time() -> None:
            if self._clock.now >= limit:
                raise Confused(f"{reason} within {GIVE_UP_MS // 60_000} minutes")

        return in_time

    # What fingers can do

    def _press(self, button: str) -> Acting:
        wire = self._mechanics.board.inputs[button]
        wire.set(1)
        yield self._ms(PRESS)
        wire.set(0)

    def _carry(self, tile: Tile, place: str, point: Point) -> float:
        """Begin to move a tile; returns the ms until it lies there."""
        self._ground.lift(tile)
        ms = self._ms(REACH)
        self._clock.after(ms * 1000, lambda: self._ground.put(tile, place, point))
        return ms

    def _carry_all(self, moves: Sequence[tuple[Tile, str, Point]], again: Span = WITH_HAND) -> Acting:
        """Move tiles one shortly after the other; ends when the last one lies."""
        left = 0.0
        for number, move in enumerate(moves):
            if number:
                pause = self._ms(again)
                yield pause
                left -= pause
            left = max(left, self._carry(*move))
        yield left

    def _from_wall(self, position: int) -> Tile:
        slot = slot_of(position, self._script.dealer, self._plan.throws)
        try:
            tile = self._mechanics.take(*slot)
        except KeyError:
            raise Confused(f"no tile stands in stack {slot.stack + 1} of wall {slot.seat}") from None
        if tile.number != self._plan.numbers[position]:
            raise Confused(f"the wall holds {tile.face} where the record draws another tile")
        return tile

    def _free_slot(self, seat: int) -> int:
        return self._players[seat].rack.index(None)

    def _into_rack(self, seat: int, tile: Tile) -> tuple[Tile, str, Point]:
        slot = self._free_slot(seat)
        self._players[seat].rack[slot] = tile
        return tile, f"hand.{seat}", geometry.hand(seat, slot)

    def _out_of_rack(self, seat: int, face: str, just_drawn: bool | None = None) -> Tile:
        """A tile of the hand with this face; which of several copies the record may tell."""
        player = self._players[seat]
        copies = [tile for tile in player.rack if tile is not None and tile.face == face]
        if not copies:
            raise Confused(f"seat {seat} has no {face} in the hand")
        if just_drawn is not None:
            copies.sort(key=lambda tile: (tile is player.drawn) != just_drawn)
        player.rack[player.rack.index(copies[0])] = None
        return copies[0]

    # The hand

    def _hand(self) -> Acting:
        yield from self._raise_walls()
        yield from self._throw_dice()
        yield from self._deal()
        self.phase = "play"
        yield from self._play()
        if self._winner is None or self._clear:
            yield from self._collect()
        yield AFTERWARDS_MS

    def _play(self) -> Acting:
        for act in self._script.acts:
            yield from self._act(act)

    def _act(self, act: Act) -> Acting:
        acts = {
            "draw": self._draw,
            "discard": self._discard,
            "flower": self._flower,
            "chow": self._claim,
            "pung": self._claim,
            "kong": self._kong,
            "win": self._win,
        }
        return acts[act.kind](act)

    def _raise_walls(self) -> Acting:
        self.phase = "walls"
        mechanics = self._mechanics
        yield self._ms(SIT_DOWN)
        in_time = self._patience("the walls did not come up")
        while not mechanics.walls_up:
            in_time()
            yield from self._press("button_raise")
            # The table works for a while after a press; when it rests without walls, somebody presses again.
            while (yield Wait(lambda: mechanics.anything_moves or mechanics.walls_up, WALLS_PATIENCE_MS)):
                if mechanics.walls_up:
                    break
                yield Wait(lambda: mechanics.walls_up or not mechanics.anything_moves, GIVE_UP_MS)
                in_time()
        yield self._ms(GLANCE)

    def _throw_dice(self) -> Acting:
        self.phase = "dice"
        dice = self._mechanics.dice
        for throw in self._plan.throws:
            dice.fall = throw
            before = dice.throws
            in_time = self._patience("the dice were not thrown")
            while dice.throws == before:
                in_time()
                yield from self._press("button_dice")
                if (yield Wait(lambda: dice.values is None, PATIENCE_MS)):
                    yield Wait(lambda: dice.values is not None, GIVE_UP_MS)
            yield self._ms(GLANCE)
        dice.fall = None

    def _deal(self) -> Acting:
        self.phase = "deal"
        seats = deal_order(self._script.dealer)
        while seats:
            seat = seats[0]
            count = next((n for n, other in enumerate(seats) if other != seat), len(seats))
            for _ in range(count):
                tile = self._from_wall(self._order.front())
                self._carry(*self._into_rack(seat, tile))
            del seats[:count]
            yield self._ms(NEXT_BLOCK)
        self._players[seat].drawn = tile
        yield self._ms(GLANCE)

    def _draw(self, act: Act) -> Acting:
        yield self._ms(TURN)
        tile = self._from_wall(self._order.front() if act.detail == "wall" else self._order.tail())
        self._players[act.seat].drawn = tile
        yield self._carry(*self._into_rack(act.seat, tile))

    def _discard(self, act: Act) -> Acting:
        yield self._ms(THINK)
        player = self._players[act.seat]
        tile = self._claimable = self._out_of_rack(act.seat, act.face, act.just_drawn)
        player.drawn = None
        point = geometry.pond(act.seat, len(player.pond))
        player.pond.append(tile)
        yield self._carry(tile, f"pond.{act.seat}", point)

    def _flower(self, act: Act) -> Acting:
        yield self._ms(THINK)
        player = self._players[act.seat]
        tile = self._out_of_rack(act.seat, act.face)
        point = geometry.flower(act.seat, player.flowers)
        player.flowers += 1
        yield self._carry(tile, f"meld.{act.seat}", point)

    def _claimed(self, act: Act) -> Tile:
        """The last discard, or the tile of an added kong that is robbed, leaves its owner."""
        tile = self._claimable
        if tile is None or tile.face != act.face or act.source is None:
            raise Confused(f"seat {act.seat} cannot claim {act.face}: it is not the last discard")
        pond = self._players[act.source].pond
        if tile in pond:
            pond.remove(tile)
        self._claimable = None
        return tile

    def _claim(self, act: Act) -> Acting:
        """Chow, pung or melded kong: the claimed tile lies across, on the side of its source."""
        yield self._ms(CLAIM)
        assert act.source is not None
        faces = act.chow_rest if act.kind == "chow" else [act.face] * (3 if act.kind == "kong" else 2)
        own = [self._out_of_rack(act.seat, face) for face in sorted(faces, key=FACES.index)]
        across = {3: 0, 2: 1, 1: len(own)}[(act.source - act.seat) % SEATS]
        tiles = [*own[:across], self._claimed(act), *own[across:]]
        points = self._lay_out(act.seat, len(tiles), across)
        if act.kind == "pung":
            self._players[act.seat].pungs[act.face] = points[across]
        moves = [(tile, f"meld.{act.seat}", point) for tile, point in zip(tiles, points, strict=True)]
        self._rng.shuffle(moves)
        yield from self._carry_all(moves)

    def _lay_out(self, seat: int, count: int, across: int | None) -> list[Point]:
        player = self._players[seat]
        points, player.meld_right = geometry.meld(seat, player.meld_right, count, across)
        return points

    def _kong(self, act: Act) -> Acting:
        if act.detail == "melded":
            yield from self._claim(act)
            return
        yield self._ms(THINK)
        if act.detail == "added":
            points = [geometry.added(act.seat, self._players[act.seat].pungs.pop(act.face))]
        else:
            points = self._lay_out(act.seat, 4, None)
        moves = [(self._out_of_rack(act.seat, act.face), f"meld.{act.seat}", point) for point in points]
        if act.detail == "added":
            self._claimable = moves[0][0]
        yield from self._carry_all(moves)

    def _win(self, act: Act) -> Acting:
        """Press the button, take the won discard to the hand, lay the hand down in its place."""
        self.phase = "win"
        yield self._ms(CLAIM)
        yield from self._press(f"win_{act.seat}")
        if self._winner is not None:
            return  # a second winner of the same discard gets no tile
        self._winner = act.seat
        yield self._ms(THINK)
        if act.source is not None and self._claimable is not None:
            yield self._carry(*self._into_rack(act.seat, self._claimed(act)))
        yield self._ms(LAY_DOWN)
        for slot, tile in enumerate(self._players[act.seat].rack):
            if tile is not None:
                self._ground.shift(tile, geometry.laid_down(act.seat, slot))

    # Afterwards

    def _collect(self) -> Acting:
        """Raise the console and push every tile into the gap."""
        self.phase = "collect"
        mechanics = self._mechanics
        yield self._ms(GLANCE)
        left = [tile for tile in self._tiles if tile not in mechanics.pan]
        self._rng.shuffle(left)
        yield from self._open_console()
        mechanics.reach_into_gap(1)
        mechanics.sweep()
        while left:
            armful, left = left[:ARMFUL], left[ARMFUL:]
            for tile in armful:
                self._ground.lift(tile)
            yield self._ms(SWEEP)
            yield from self._open_console()
            for tile in armful:
                mechanics.drop_in(tile)
        mechanics.reach_into_gap(-1)
        in_time = self._patience("the console did not go down")
        while not (yield Wait(lambda: bool(mechanics.board.inputs["lift_down"].level), CONSOLE_PATIENCE_MS)):
            in_time()
            yield from self._press("button_refill")

    def _open_console(self) -> Acting:
        mechanics = self._mechanics
        in_time = self._patience("the console did not come up")
        while not mechanics.console_open:
            in_time()
            yield from self._press("button_refill")
            yield Wait(lambda: mechanics.console_open, PATIENCE_MS)
