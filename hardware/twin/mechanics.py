"""Motors, sensors and the way of the tiles below the surface.

pan -> (ring) -> belt -> gate -> (head cam) -> head -> (pusher) -> plate -> (plate lift) -> wall -> players
-> (console up, tiles pushed in) -> pan. Speeds, travels and currents are those of `hardware/mechanics.toml`.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from twin import geometry
from twin.axes import Axis, Motor, Work
from twin.clock import Clock
from twin.dice import Dice
from twin.geometry import MECHANICS, SEATS, STACKS
from twin.signal import Signal
from twin.tiles import Ground, Tile

PULSE_SHARE = 0.25  # of the way between two pulses the pulse sensor is active
CAM_HOME = 0.25  # of a turn the cam rests and its home switch is active
CAM_LIFT = 0.6  # here the cam lifts the tile
BELT_TILES = 2  # a conveyor holds so many before the one at the gate
RELAY_CLOSE_US = 8000


class Sensor:
    """What a sensor sees, `level`, and the wire that says so, unless the sensor is stuck."""

    def __init__(self, wire: Signal) -> None:
        self._wire = wire
        self._stuck: int | None = None
        self.level = wire.level

    def set(self, level: int) -> None:
        self.level = level
        self._wire.set(level if self._stuck is None else self._stuck)

    def stick(self, level: int | None) -> None:
        """Always report `level`; None heals it."""
        self._stuck = level
        self.set(self.level)


class Board(Protocol):
    """What the mechanics need of `twin.board.Board`."""

    @property
    def inputs(self) -> Mapping[str, Signal]: ...

    @property
    def outputs(self) -> Mapping[str, Signal]: ...

    @property
    def motors(self) -> Mapping[str, Motor]: ...

    current_ma: dict[str, float]


class Side:
    """One side's feed conveyor, stacking head, pusher and wall plate."""

    def __init__(self, table: Mechanics, seat: int) -> None:
        self.seat = seat
        self._table = table
        self._ground = table.ground
        clock, sensors = table.clock, table.sensors
        self.feed = table.axis(f"feed_{seat}", marks=(0.0,))
        self.cam = table.axis(f"head_{seat}", marks=(0.0, CAM_HOME, CAM_LIFT), crossed=self._cam_crossed)
        self.pusher = table.axis(f"pusher_{seat}", crossed=self._pusher_crossed)
        self.plate = table.axis(f"plate_{seat}", crossed=self._plate_crossed)
        self._tile_sensor = sensors[f"feed_tile_{seat}"]
        self._head_home = sensors[f"head_home_{seat}"]
        self._head_full = sensors[f"head_full_{seat}"]
        self._head_home.set(1)
        self._supply = Work(clock, self._supplied)
        self._approach = Work(clock, self._arrived)
        self._supplying = False
        self._belt: deque[Tile] = deque()
        self._waiting: Tile | None = None
        self._head: list[Tile] = []
        self.stacks: list[list[Tile]] = []  # on the plate, first pushed first
        self.plan: deque[Tile] = deque()  # the tiles the ring will bring, in this order
        self.jams = 0  # so many cam turns will be blocked by the tile at the gate
        self.starved = False  # the ring brings nothing until it is stirred in reverse
        self.starved_for_good = False
        self.pusher_jams = 0  # so many strokes will be blocked

    @property
    def up(self) -> bool:
        """The plate is flush with the surface."""
        return bool(self._table.sensors[f"plate_up_{self.seat}"].level)

    def update(self) -> None:
        """A motor changed: work out what moves at which rate."""
        if self._table.ring.drive < 0 and not self.starved_for_good:
            self.starved = False
        feed = self.feed.pace
        table = self._table
        supply = table.tiles_s * abs(table.ring.pace) if table.pan_axis.moving else 0.0
        self._supplying = feed > 0 and supply > 0
        self._supply.rate(supply if feed > 0 else 0.0)
        self._approach.rate(max(feed, 0.0))
        self._next()

    def _next(self) -> None:
        wanted = self._supplying and not self._supply.busy and len(self._belt) < BELT_TILES
        if wanted and self._table.has_supply(self):
            self._supply.start(1.0)
        if not self._approach.busy and self._waiting is None and self._belt:
            self._approach.start(self._table.gap_s)

    def _supplied(self) -> None:
        tile = self._table.pick(self)
        if tile is not None:
            self._belt.append(tile)
            self._ground.put(tile, f"belt.{self.seat}", geometry.belt(self.seat))
        self._next()

    def _arrived(self) -> None:
        tile = self._waiting = self._belt.popleft()
        self._ground.put(tile, f"gate.{self.seat}", geometry.gate(self.seat))
        self._tile_sensor.set(1)
        self._next()
        self._table.tell()

    def _cam_crossed(self, mark: float, direction: int) -> None:
        if mark == CAM_LIFT:
            if direction > 0 and self._waiting is not None:
                self._table.wear.cam(self)
                if self.jams:
                    self.jams -= 1
                    self.cam.block(True)
                elif self._room():
                    self._lift()
                else:
                    self.cam.block(True)
        else:
            self._head_home.set(int((mark == 0.0) == (direction > 0)))
            self._table.tell()

    def _room(self) -> bool:
        return len(self._head) < geometry.LEVELS and self.pusher.at_low

    def _lift(self) -> None:
        if self._waiting is None:
            return
        tile, self._waiting = self._waiting, None
        self._ground.put(tile, f"head.{self.seat}", geometry.head(self.seat, len(self._head)))
        self._head.append(tile)
        self._tile_sensor.set(0)
        self._head_full.set(int(len(self._head) == geometry.LEVELS))
        self._next()
        self._table.tell()

    def take_from_gate(self) -> Tile | None:
        """Somebody's fingers through the lid take the tile that waits."""
        tile, self._waiting = self._waiting, None
        self._tile_sensor.set(0)
        return tile

    def _pusher_crossed(self, mark: float, direction: int) -> None:
        self._table.set_ends(f"pusher_home_{self.seat}", f"pusher_end_{self.seat}", self.pusher)
        if direction > 0 and self._table.sensors[f"pusher_end_{self.seat}"].level:
            self._push()
        elif self.cam.blocked and self._room() and direction < 0:
            self._lift()
            self.cam.block(False)
        if direction > 0 and mark == 0.0:
            self._table.wear.pusher(self)
            if self.pusher_jams:
                self.pusher_jams -= 1
                self.pusher.block(True)

    def _push(self) -> None:
        if not self._head or len(self.stacks) == self._table.stacks or not self.plate.at_low:
            return
        stack = self._table.stacks - 1 - len(self.stacks)  # later stacks push the earlier ones to the left
        for level, tile in enumerate(self._head):
            self._ground.put(tile, f"plate.{self.seat}", geometry.plate(self.seat, stack, level))
        self.stacks.append(self._head)
        self._head = []
        self._head_full.set(0)

    def _plate_crossed(self, mark: float, direction: int) -> None:
        self._table.set_ends(f"plate_down_{self.seat}", f"plate_up_{self.seat}", self.plate)
        if direction > 0 and self.up and self.stacks:
            for number, tiles in enumerate(self.stacks):
                for level, tile in enumerate(tiles):
                    point = geometry.wall(self.seat, self._table.stacks - 1 - number, level)
                    self._ground.put(tile, f"wall.{self.seat}", point)
                    self._table.standing.setdefault((self.seat, self._table.stacks - 1 - number), {})[level] = tile
            self.stacks = []
        self._table.watch_surface()


class Wear:
    """Disturbances at random: `rates` as in `mechanics.toml` [wear], times `factor`; none without a seed.

    `struck` counts them by name.
    """

    def __init__(self, seed: int | None = None, factor: float = 1.0) -> None:
        self._rng = None if seed is None else random.Random(f"{seed}/wear")
        self._rates: dict[str, float] = {name: rate * factor for name, rate in MECHANICS["wear"].items()}
        self._persists: float = MECHANICS["wear"]["persists"]
        self.struck: Counter[str] = Counter()

    def _strikes(self, name: str) -> bool:
        if self._rng is None or self._rng.random() >= self._rates[name]:
            return False
        self.struck[name] += 1
        return True

    def _lasting(self) -> bool:
        assert self._rng is not None
        lasts = self._rng.random() < self._persists
        self.struck["lasting"] += lasts
        return lasts

    def cam(self, side: Side) -> None:
        if not side.jams and self._strikes("head_jam"):
            side.jams = 9 if self._lasting() else 1

    def pusher(self, side: Side) -> None:
        if not side.pusher_jams and self._strikes("pusher_stuck"):
            side.pusher_jams = 9 if self._lasting() else 1

    def feed(self, side: Side) -> None:
        if self._strikes("starved"):
            side.starved = True
            side.starved_for_good = self._lasting()


class Mechanics:
    """The table's moving parts between `Board.motors` and `Board.inputs`.

    `changed` are called whenever a sensor, an axis or the dice changed state.
    """

    def __init__(self, clock: Clock, board: Board, ground: Ground, tiles: Sequence[Tile], seed: int) -> None:
        self.clock = clock
        self.board = board
        self.ground = ground
        self.changed: list[Callable[[], None]] = []
        self.sensors = {name: Sensor(wire) for name, wire in board.inputs.items()}
        self.stacks = STACKS  # a side, as the table is set up
        self.wear = Wear()
        self.relay_dead = False
        self.relay_welded = False
        self._axes: dict[str, list[Axis]] = {}  # by current channel
        self.axes: dict[str, Axis] = {}  # by motor
        self._rng = random.Random(f"{seed}/pan")
        self.pan: dict[Tile, None] = dict.fromkeys(tiles)  # an ordered set
        self.standing: dict[tuple[int, int], dict[int, Tile]] = {}  # (seat, stack) -> level -> tile
        self._hands_in_gap = 0
        self._on_console = 0
        self._planned: list[list[Tile]] | None = None
        self.tiles_s: float = MECHANICS["axis"]["feed"]["tiles_s"]
        self.gap_s: float = MECHANICS["axis"]["feed"]["gap_s"]
        self.sides: list[Side] = []

        self.pan_axis = self._rotary("pan")
        self.ring = self._rotary("ring")
        self.lift = self.axis("lift", crossed=self._lift_crossed)
        self.dice = Dice(clock, ground, seed, MECHANICS["axis"]["dice"]["settle_s"], self.tell)
        self.dice_axis = self._rotary("dice")
        self._dice_channel: str = MECHANICS["axis"]["dice"]["channel"]
        self._dice_turning = False
        self.sides = [Side(self, seat) for seat in range(SEATS)]

        inputs, outputs = board.inputs, board.outputs
        for wire in (outputs["relay_enable"], inputs["lid_open"], inputs["estop"]):
            wire.watch(lambda _: self.relay())
        for name in ("lift_down", *(f"{axis}_{n}" for axis in ("pusher_home", "plate_down") for n in range(4))):
            self.sensors[name].set(1)
        for tile in tiles:
            ground.put(tile, "pan", geometry.pan())
        self.relay()

    # Axes

    def axis(
        self,
        name: str,
        *,
        marks: tuple[float, ...] = (),
        crossed: Callable[[float, int], None] = lambda mark, direction: None,
    ) -> Axis:
        """The axis of motor `name`, with the figures of its kind."""
        spec: dict[str, Any] = MECHANICS["axis"][name.partition("_")[0]]
        drive = MECHANICS["drive"]
        travel: float | None = spec.get("travel_mm")
        if travel is not None:
            speed, marks = spec["speed_mm_s"], (0.0, travel)
        else:
            speed = spec.get("speed_turns_s") or 1 / spec.get("turn_s", 1.0)
        axis = Axis(
            self.clock,
            self.board.motors[name],
            speed=speed,
            run_up_s=spec["run_up_ms"] / 1000,
            coast_s=spec["coast_ms"] / 1000,
            least_drive=drive["pwm_min"] / drive["pwm_full"],
            current_a=spec["current_a"],
            stall_a=spec["stall_a"],
            marks=marks,
            crossed=crossed,
            changed=lambda: self._axis_changed(spec["channel"]),
            travel=travel,
            margin=spec.get("margin_mm", 0.0),
        )
        self._axes.setdefault(spec["channel"], []).append(axis)
        self.axes[name] = axis
        return axis

    def _rotary(self, name: str) -> Axis:
        pulses: int = MECHANICS["axis"][name]["pulses_a_turn"]
        starts = tuple(n / pulses for n in range(pulses))
        ends = tuple((n + PULSE_SHARE) / pulses for n in range(pulses))
        wire = self.sensors[f"{name}_pulse"]
        wire.set(1)

        def crossed(mark: float, direction: int) -> None:
            wire.set(int((mark in starts) == (direction > 0)))

        return self.axis(name, marks=starts + ends, crossed=crossed)

    def _axis_changed(self, channel: str) -> None:
        self.board.current_ma[channel] = 1000 * sum(axis.current_a for axis in self._axes[channel])
        for side in self.sides:
            side.update()
        if channel == self._dice_channel and self.dice_axis.moving != self._dice_turning:
            self._dice_turning = self.dice_axis.moving
            self.dice.turning(self._dice_turning)
        self.tell()

    def set_ends(self, low: str, high: str, axis: Axis) -> None:
        """Set the two end switches of a linear axis."""
        self.sensors[low].set(int(axis.at_low))
        self.sensors[high].set(int(axis.at_high))
        self.tell()

    def tell(self) -> None:
        for fn in tuple(self.changed):
            fn()

    @property
    def anything_moves(self) -> bool:
        return any(axis.moving for axis in self.axes.values())

    # Safety

    def set_lid(self, is_open: bool) -> None:
        self.board.inputs["lid_open"].set(int(is_open))

    def set_estop(self, pressed: bool) -> None:
        self.board.inputs["estop"].set(int(pressed))

    def _relay_wanted(self) -> bool:
        inputs = self.board.inputs
        return bool(self.board.outputs["relay_enable"].level) and not (
            inputs["lid_open"].level or inputs["estop"].level
        )

    def relay(self) -> None:
        """The contacts follow their coil, unless they are welded or the coil is dead."""
        if self._relay_wanted() or self.relay_welded:
            self.clock.after(RELAY_CLOSE_US, self._relay_close)
        else:
            self.sensors["relay_closed"].set(0)

    def _relay_close(self) -> None:
        closed = self.relay_welded or (self._relay_wanted() and not self.relay_dead)
        self.sensors["relay_closed"].set(int(closed))

    # Tiles below

    def arrange(self, sides: Sequence[Sequence[Tile]] | None) -> None:
        """Make the ring bring these tiles to the four sides, in this order; None leaves it to the seed.

        Of a stack the lower tile comes first; the first stack ends up at the left of its player.
        """
        self._planned = None if sides is None else [list(side) for side in sides]
        for side in self.sides:
            side.plan.clear()

    def _deal_out(self) -> None:
        planned = self._planned
        self._planned = None
        if planned is None:
            tiles = list(self.pan)
            self._rng.shuffle(tiles)
            size = self.stacks * geometry.LEVELS
            # A shortage shows on all sides, as the ring deals to whoever asks.
            planned = [tiles[seat : SEATS * size : SEATS] for seat in range(SEATS)]
        for side, tiles in zip(self.sides, planned, strict=True):
            side.plan = deque(tiles)

    def has_supply(self, side: Side) -> bool:
        """The ring can bring this side another tile."""
        if side.starved:
            return False
        if not any(s.plan for s in self.sides) and len(self.pan) and not self._stacked():
            self._deal_out()
        while side.plan and side.plan[0] not in self.pan:
            side.plan.popleft()
        if not side.plan and self._stacked():
            # What nobody has planned for goes to whoever asks.
            planned = {tile for other in self.sides for tile in other.plan}
            left = next((tile for tile in self.pan if tile not in planned), None)
            if left is not None:
                side.plan.append(left)
        return bool(side.plan)

    def _stacked(self) -> bool:
        return any(side.stacks for side in self.sides)

    def pick(self, side: Side) -> Tile | None:
        """Take the next tile for this side out of the pan."""
        if not self.has_supply(side):
            return None
        self.wear.feed(side)
        if side.starved:
            return None
        tile = side.plan.popleft()
        del self.pan[tile]
        return tile

    # The surface

    @property
    def console_open(self) -> bool:
        return bool(self.sensors["lift_up"].level)

    @property
    def walls_up(self) -> bool:
        """All four walls stand on the surface, complete."""
        stacks = self.standing.values()
        return len(stacks) == SEATS * self.stacks and all(len(tiles) == geometry.LEVELS for tiles in stacks)

    def take(self, seat: int, stack: int, level: int) -> Tile:
        """A player takes a tile off the wall; KeyError when none is there."""
        tiles = self.standing[seat, stack]
        tile = tiles.pop(level)
        if not tiles:
            del self.standing[seat, stack]
        self.watch_surface()
        return tile

    def sweep(self) -> list[Tile]:
        """What is left of the walls is pushed over and no longer stands on the plates."""
        tiles = [tile for stack in self.standing.values() for tile in stack.values()]
        self.standing.clear()
        self.watch_surface()
        return tiles

    def drop_in(self, tile: Tile) -> None:
        """A tile falls through the gap round the raised console."""
        if not self.console_open:
            raise ValueError(f"{tile} cannot fall into the pan: the console is down")
        self.ground.put(tile, "pan", geometry.pan())
        self.pan[tile] = None

    def reach_into_gap(self, hands: int) -> None:
        """A hand enters (+1) or leaves (-1) the gap or the space over the plates."""
        self._hands_in_gap += hands
        self.watch_surface()

    @property
    def hands_in_gap(self) -> int:
        return self._hands_in_gap

    def lay_on_console(self, objects: int) -> None:
        """Objects laid on (+) or taken off (-) the centre console."""
        self._on_console += objects
        self.sensors["console_object"].set(int(self._on_console > 0))

    def watch_surface(self) -> None:
        """The surface sensor looks up through each lowered plate; a raised plate covers it."""
        covered = any(not self.sides[seat].up for seat, _ in self.standing)
        self.sensors["surface_object"].set(int(covered or self._hands_in_gap > 0))

    def _lift_crossed(self, mark: float, direction: int) -> None:
        self.set_ends("lift_down", "lift_up", self.lift)
