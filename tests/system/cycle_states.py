"""Every input in every state of the cycle: the firmware's own classes on the twin's mechanics, without chips and pipes.

    python tests/system/cycle_states.py

A process of its own, since it stands in for MicroPython's modules. Prints one JSON object a line: the state, the
input, where the cycle went, by which faults, how long it stayed in each state, and how it ended.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "firmware"), str(ROOT / "firmware" / "lib")]
# ruff: noqa: E402

from twin.air import Air
from twin.board import Board, load
from twin.clock import Clock
from twin.invariants import Invariants
from twin.world import World

clock = Clock()


class VirtualSelector:
    """Nothing to wait for but the table's clock."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def select(self, timeout: float | None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("every task waits for ever")
        end = clock.now + int(timeout * 1e6 + 0.999)
        while not self._loop._ready:  # type: ignore[attr-defined]
            if not clock.step(end):
                clock.advance(end)
                break
        return []


class VirtualLoop(asyncio.BaseEventLoop):
    def __init__(self) -> None:
        super().__init__()
        self._selector = VirtualSelector(self)

    def _process_events(self, events: list[Any]) -> None: ...
    def _write_to_self(self) -> None: ...

    def time(self) -> float:
        return clock.now / 1e6


def stand_in() -> None:
    """What the firmware expects of MicroPython, in virtual time."""
    stand_ins: dict[str, dict[str, Any]] = {
        "micropython": {"const": lambda value: value},
        "machine": {**dict.fromkeys(("I2C", "SPI", "UART", "Pin", "WDT")), "PWRON_RESET": 1, "WDT_RESET": 3},
        "drivers.waiting": {"Operation": object, "IrqLine": object},
    }
    for name, values in stand_ins.items():
        module = types.ModuleType(name)
        vars(module).update(values)
        sys.modules[name] = module
    now: dict[str, Any] = {
        "ticks_ms": lambda: clock.now // 1000,
        "ticks_us": lambda: clock.now,
        "ticks_diff": lambda a, b: a - b,
        "ticks_add": lambda a, b: a + b,
        "sleep_us": lambda us: None,
        "sleep_ms": lambda ms: None,
    }
    vars(time).update(now)
    tasks: dict[str, Any] = {
        "sleep_ms": lambda ms: asyncio.sleep(ms / 1000),
        "wait_for_ms": lambda what, ms: asyncio.wait_for(what, ms / 1000),
        "ThreadSafeFlag": asyncio.Event,
    }
    vars(asyncio).update(tasks)


stand_in()

import board as bits
from controller import states
from controller.app import App
from controller.axes import Motors
from controller.cycle import Cycle
from controller.faults import FaultLog
from controller.memory import SIZE, Memory
from controller.notices import Notices
from controller.ports import Ports
from controller.safety import Safety
from controller.seats import Seats

STACKS = 2  # a side: enough for every step, and quick
SEEN_US = 1000  # from a sensor to the task that waits for it
ROUNDS = 8  # presses after which nobody would go on
GAP_US = 1000 * bits.GAP_CLEAR_MS


class Wires(Ports):  # type: ignore[misc]
    """The expanders' bits without their buses."""

    def __init__(self, table: Board) -> None:
        self._levels = [0] * len(bits.EXPANDER_INPUTS)
        self.rises, self.falls = bytearray(64), bytearray(64)
        self._waiting: list[Any] = []
        self.on_input: Callable[[int, int], None] | None = None
        self.heartbeat = None
        self.dead = False
        self._chips = [table.expanders[name].pins for name in load("board")["expanders"]["names"]]
        for chip in self._chips:
            for pin in chip.values():
                pin.watch(lambda _: clock.after(SEEN_US, self.read))

    def setup(self) -> None:
        self._levels = [self._port(n) for n in range(len(self._chips))]

    def put(self, bit: int, level: int) -> None:
        if not self.dead:
            tuple(self._chips[bit >> 4].values())[bit & 15].set(level)

    def _port(self, n: int) -> int:
        levels = sum(pin.level << bit for bit, pin in enumerate(self._chips[n].values()))
        return levels & bits.EXPANDER_INPUTS[n]

    def read(self) -> None:
        for n in range(len(self._chips)):
            changed = 0 if self.dead else self._port(n) ^ self._levels[n]
            self._levels[n] ^= changed
            for bit in range(16):
                if changed >> bit & 1:
                    self._changed(16 * n + bit, self._levels[n] >> bit & 1, 0)


class Bus:
    """I2C and FRAM as the drivers use them, and the currents as the ADC gives them."""

    def __init__(self, table: Board) -> None:
        self._table = table
        self._channels = load("board")["adc"]["channels"]
        self.dead = False

    def writeto(self, address: int, data: bytes) -> None:
        if not self.dead and not self._table.i2c_write(address, bytes(data)):
            raise OSError

    def writeto_mem(self, address: int, register: int, data: bytes) -> None:
        self.writeto(address, bytes((register, *data)))

    def read(self, channel: int) -> int:
        if channel == bits.ADC_RAIL:
            return int(self._table.rail_v * 1000 / 11 * 4096 / bits.ADC_VREF_MV)
        ma = self._table.current_ma[self._channels[channel]]
        return int(ma * bits.ADC_MV_PER_AMP / 1000 * 4096 / bits.ADC_VREF_MV)

    def readinto(self, address: int, buf: bytearray) -> None:
        buf[:] = self._table.fram[address : address + len(buf)]

    def write(self, address: int, buf: bytes) -> None:
        assert not self.dead
        self._table.fram[address : address + len(buf)] = buf


class Gates:
    """The scanner as the cycle knows it: it reads what waits at a gate."""

    def __init__(self, world: World) -> None:
        self._sides = world.mechanics.sides
        self.set = -1

    async def clear(self) -> None: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    async def read_seat(self, seat: int) -> None: ...

    async def read_gate(self, side: int) -> int | None:
        await asyncio.sleep(0.02)
        tile = self._sides[side]._waiting
        return None if tile is None else tile.code


class Told:
    """The link: events are kept."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []
        self.end = types.SimpleNamespace(service=False)

    def emit(self, name: str, *fields: Any) -> int:
        self.events.append((name, *fields))
        return len(self.events)


class Watched(Cycle):  # type: ignore[misc]
    """Tells every state that it enters, once that is kept."""

    entered: Callable[[str], None]

    def _enter(self, state: str) -> None:
        super()._enter(state)
        self.entered(state)


class Controller(App):  # type: ignore[misc]
    """The firmware's parts that move things, joined as `App` joins them."""

    def __init__(self, model: Model) -> None:
        self.bus = Bus(model.board)
        self.reason = "power_on"
        self.memory = Memory(self.bus, len(model.board.fram) - SIZE)
        self.link = model.told
        self.ports = Wires(model.board)
        self.log = FaultLog(self.ports, self.memory, self.link.emit, self._notice)
        self.seats = Seats(self.bus, self.ports, self.link.emit, self._pressed)
        self.notices = Notices(self.link, self.log, self.memory, self.seats)
        self.safety = Safety(self.ports, self.log, self._motors_off)
        self.motors = Motors(self.bus, self.ports, self.safety, self.bus, self.memory)
        self.scanner = Gates(model.world)
        self.cycle = Watched(
            self.ports, self.motors, self.scanner, self.safety, self.log, self.memory, self.notices.emit
        )
        self.cycle.entered = model.entered
        self.dice = types.SimpleNamespace(press=lambda: None, reset=lambda: None)
        self.settings = Settings(stacks=STACKS, sets=1, throws=2)
        self.ports.on_input = self._on_input
        self.service = None

    async def run(self) -> None:
        self.setup()
        self.safety.causes.append(self._gone)
        await self._start()


class Settings(dict[str, int]):
    damaged = 0


class Model:
    """A table with a controller that can lose its power; players push in what stands when the console is open."""

    def __init__(self) -> None:
        self.air = Air(clock)
        self.board = Board(clock, self.air)
        self.world = World(clock, self.board, self.air, 1)
        self.mechanics = self.world.mechanics
        self.invariants = Invariants(self.board, self.mechanics, self.air)
        self.mechanics.stacks = STACKS
        for tile in list(self.mechanics.pan)[8 * STACKS :]:
            del self.mechanics.pan[tile]
        self.told = Told()
        self.stays: dict[str, float] = {}
        self.on_entry: tuple[str, Callable[[], None]] | None = None
        self._since = clock.now
        self._state = "idle"
        self.person = asyncio.current_task()
        self.tasks: list[asyncio.Task[None]] = []
        self.died: list[str] = []
        self.board.inputs["lift_up"].watch(lambda level: clock.after(300_000, self._push_in) if level else None)

    def entered(self, state: str) -> None:
        self._stay(state)
        if self.on_entry is not None and self.on_entry[0] == state:
            act, self.on_entry = self.on_entry[1], None
            act()

    def _stay(self, state: str) -> None:
        stayed = (clock.now - self._since) / 1e6
        self.stays[self._state] = max(self.stays.get(self._state, 0.0), stayed)
        self._since, self._state = clock.now, state

    def _push_in(self) -> None:
        if self.mechanics.console_open:
            for tile in self.mechanics.sweep():
                self.world.ground.lift(tile)
                self.mechanics.drop_in(tile)

    def power_on(self) -> None:
        self.controller = Controller(self)
        self.tasks = []
        for steps in (self.controller.run(), self.controller.cycle.run(), self.controller.motors.run()):
            self.tasks.append(asyncio.get_event_loop().create_task(self._guard(steps)))

    async def _guard(self, steps: Any) -> None:
        try:
            await steps
        except Exception as error:
            self.died.append(repr(error))

    def power_off(self) -> None:
        self.controller.ports.dead = self.controller.bus.dead = True
        for task in asyncio.all_tasks() - {self.person}:
            task.cancel()
        self._stay("off")
        for wire in self.board.outputs.values():
            wire.set(0)
        self.board.power_cut()
        self.invariants.power_cut()

    @property
    def state(self) -> str:
        return str(self.controller.cycle.state)

    @property
    def held(self) -> bool:
        return bool(self.controller.log.code)

    def set(self, name: str, level: int) -> None:
        self.board.inputs[name].set(level)

    async def press(self, *buttons: str) -> None:
        for level in (1, 0):
            for name in buttons:
                self.set(f"button_{name}", level)
            await asyncio.sleep(0.15)

    async def until(self, done: Callable[[], bool], seconds: float) -> bool:
        end = clock.now + seconds * 1e6
        while not done():
            if clock.now >= end:
                return False
            await asyncio.sleep(0.005)
        return True

    async def rest(self) -> None:
        """Until the cycle waits for somebody; a pause may be about to end as long as the gap must stay empty."""
        await asyncio.sleep(1.2)
        end, busy = clock.now + 200e6, clock.now
        while self.controller.cycle.moving and clock.now < end and clock.now - busy <= 2 * GAP_US:
            await asyncio.sleep(0.02)
            if self.state != "pause" or self.mechanics.anything_moves:
                busy = clock.now


Act = Callable[[Model], Any]


async def to_idle(model: Model) -> None: ...


async def to_ready(model: Model) -> None:
    await model.press("raise")
    assert await model.until(lambda: model.state == "ready", 60)


async def to_collect(model: Model) -> None:
    await to_ready(model)
    await model.press("refill")


async def to_stack(model: Model) -> None:
    await model.press("raise")
    assert await model.until(lambda: model.state == "stack", 60)


async def to_hold(model: Model) -> None:
    """With a hand over the plates, or nothing would wait there."""
    await to_stack(model)
    model.mechanics.reach_into_gap(1)
    assert await model.until(lambda: model.state == "hold", 60)
    clock.after(3_000_000, lambda: model.mechanics.reach_into_gap(-1))


async def to_pause(model: Model) -> None:
    await to_stack(model)
    await asyncio.sleep(0.5)
    await model.press("raise", "refill")


async def to_fault(model: Model) -> None:
    """By the emergency stop while a pusher is on its way, so that there is something to bring home."""
    await to_stack(model)
    pusher = model.mechanics.axes["pusher_0"]
    assert await model.until(lambda: 20 < pusher.position < 40, 20)
    model.mechanics.set_estop(True)
    assert await model.until(lambda: model.state == "fault", 1)
    model.mechanics.set_estop(False)
    await asyncio.sleep(0.1)


async def to_home(model: Model) -> None:
    await to_fault(model)
    model.set("button_raise", 1)
    clock.after(100_000, lambda: model.set("button_raise", 0))


async def pressed(model: Model) -> None:
    await model.press("raise")


# How each state is brought about; those on the way from a press to walls are met on that way.
WAYS: dict[str, Act] = {
    "idle": to_idle, "home": to_home, "shuffle": pressed, "stack": pressed, "pause": to_pause, "audit": pressed,
    "hold": to_hold, "raise": pressed, "ready": to_ready, "collect": to_collect, "fault": to_fault,
}  # fmt: skip
AT_ONCE = ("audit",)  # states that nothing waits in: what comes there comes with the entry


def both(first: Act, second: Act, seconds: float) -> Act:
    """One thing, and the other after some time."""

    def act(model: Model) -> None:
        first(model)
        clock.after(seconds * 1e6, lambda: second(model))

    return act


def button(*names: str) -> Act:
    return both(
        lambda model: [model.set(f"button_{name}", 1) for name in names],
        lambda model: [model.set(f"button_{name}", 0) for name in names],
        0.15,
    )


def ail(*axes: str, **how: Any) -> Act:
    return lambda model: [model.mechanics.axes[axis].ail(**how) for axis in axes]


def sides(**values: Any) -> Act:
    return lambda model: [vars(model.mechanics.sides[0]).update(values)]


def cut(model: Model) -> None:
    model.power_off()
    clock.after(200_000, model.power_on)
    if asyncio.current_task() not in (None, model.person):
        raise asyncio.CancelledError  # in the middle of a step


def relay(dead: bool) -> Act:
    def act(model: Model) -> None:
        model.mechanics.relay_dead = dead
        model.mechanics.sensors["relay_closed"].set(0)

    return act


def nothing(model: Model) -> None: ...


def bring(tiles_s: float) -> Act:
    return lambda model: setattr(model.mechanics, "tiles_s", tiles_s)


def hand(count: int) -> Act:
    return lambda model: model.mechanics.reach_into_gap(count)


def cup(count: int) -> Act:
    return lambda model: model.mechanics.lay_on_console(count)


# What comes, and what takes it away again before anybody presses
INPUTS: dict[str, tuple[Act, Act]] = {
    "nothing": (nothing, nothing),
    "raise": (button("raise"), nothing),
    "refill": (button("refill"), nothing),
    "pause": (button("raise", "refill"), nothing),
    "dice": (button("dice"), nothing),
    "hand": (both(hand(1), hand(-1), 1.0), nothing),
    "hand stays": (hand(1), hand(-1)),
    "object": (both(cup(1), cup(-1), 1.0), nothing),
    "object stays": (cup(1), cup(-1)),
    "lid": (both(lambda m: m.mechanics.set_lid(True), lambda m: m.mechanics.set_lid(False), 0.3), nothing),
    "estop": (both(lambda m: m.mechanics.set_estop(True), lambda m: m.mechanics.set_estop(False), 0.3), nothing),
    "key": (both(lambda m: m.set("service_key", 1), lambda m: m.set("service_key", 0), 1.0), nothing),
    "power": (cut, nothing),
    "relay": (relay(True), relay(False)),
    "15 V": (lambda m: setattr(m.board, "rail_v", 15.0), lambda m: setattr(m.board, "rail_v", 24.0)),
    "too slow": (bring(0.01), bring(3.0)),
    "starved": (sides(starved=True, starved_for_good=True), sides(starved=False, starved_for_good=False)),
    "jammed": (sides(jams=99), sides(jams=0)),
    "pusher stuck": (ail("pusher_0", stuck=True), ail("pusher_0", stuck=False)),
    "plate stuck": (ail("plate_0", stuck=True), ail("plate_0", stuck=False)),
    "console stuck": (ail("lift", stuck=True), ail("lift", stuck=False)),
    "ring stuck": (ail("ring", stuck=True), ail("ring", stuck=False)),
    "motors dead": (ail("pusher_0", "plate_0", "lift", "ring", dead=True),
                    ail("pusher_0", "plate_0", "lift", "ring", dead=False)),
}  # fmt: skip


async def meet(state: str, stimulus: str) -> dict[str, Any]:
    """One input in one state, then presses until walls stand."""
    model = Model()
    act, cure = INPUTS[stimulus]
    model.power_on()
    await asyncio.sleep(0.5)
    met: list[str] = []

    def come() -> None:
        met.append(model.state)
        act(model)

    if state in AT_ONCE:
        model.on_entry = (state, come)
        await WAYS[state](model)
        await model.until(lambda: bool(met), 60)
    else:
        await WAYS[state](model)
        assert await model.until(lambda: model.state == state, 60), f"{state} is not reached"
        await asyncio.sleep(0.02)
        come()
    await model.rest()
    after = model.state
    cure(model)
    await asyncio.sleep(0.5)
    presses = 0
    while not (model.mechanics.walls_up and model.state == "ready" and not model.held) and presses < ROUNDS:
        presses += 1
        await model.press("refill" if model.mechanics.standing else "raise")
        await model.rest()
    up = model.mechanics.walls_up and model.state == "ready" and not model.held
    model.power_off()
    return {
        "state": state,
        "input": stimulus,
        "met": met,
        "after": after,
        "faults": sorted({fields[1] for fields in model.told.events if fields[0] == "fault"}),
        "stays": {name: round(seconds, 2) for name, seconds in model.stays.items()},
        "presses": presses,
        "ended": "walls" if up else f"no walls: {model.state}, {model.controller.log.code}",
        "died": model.died,
        "breaches": [f"{b.rule} {b.what}" for b in model.invariants.breaches],
    }


def explored() -> Iterator[dict[str, Any]]:
    for state in states.NAMES:
        for stimulus in INPUTS:
            global clock
            clock = Clock()
            loop = VirtualLoop()
            loop.set_exception_handler(lambda loop, context: None)  # what a step raised after its fault was told
            yield loop.run_until_complete(meet(state, stimulus))
            loop.close()


if __name__ == "__main__":
    for result in explored():
        print(json.dumps(result), flush=True)
