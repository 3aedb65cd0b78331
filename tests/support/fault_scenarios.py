"""Every fault of the catalogue: what brings it about, what then happens, and how the table comes back.

One list for the tests and for the table of `tests/bench/bench_faults.py`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

from support.caretaker import KEPT, Caretaker

from twin import geometry
from twin.board import Board, load
from twin.clock import Clock
from twin.firmware import image
from twin.kernel import Kernel
from twin.table import MAIN, Table
from twin.tags import Tag
from twin.tiles import Tile, make_set

ROOT = Path(__file__).parents[2]
CATALOGUE: dict[str, dict[str, Any]] = {
    fault["name"]: fault for fault in tomllib.loads((ROOT / "hardware" / "faults.toml").read_text("utf-8"))["fault"]
}
SETTLE_S = 9.0  # after the fault: everything that the table does about it by itself is over
Step = Callable[[Table, Caretaker], Any]


def nothing(table: Table, caretaker: Caretaker) -> None:
    pass


def ail(axis: str, **how: Any) -> Step:
    return lambda table, _: table.world.mechanics.axes[axis].ail(**how)


def stick(sensor: str, level: int | None) -> Step:
    return lambda table, _: table.world.mechanics.sensors[sensor].stick(level)


def on_side(side: int, **values: Any) -> Step:
    def step(table: Table, _: Caretaker) -> None:
        for name, value in values.items():
            setattr(table.world.mechanics.sides[side], name, value)

    return step


def both(*steps: Step) -> Step:
    def step(table: Table, caretaker: Caretaker) -> None:
        for each in steps:
            each(table, caretaker)

    return step


def stacking(table: Table, caretaker: Caretaker) -> None:
    """In the middle of the stacking."""
    caretaker.press("raise")
    assert caretaker.wait(lambda: caretaker.state == "stack", 30)
    table.run_for(3)


def walls(table: Table, caretaker: Caretaker) -> None:
    assert caretaker.build() == "up"


def held(table: Table, caretaker: Caretaker) -> None:
    """The wall is on the plates, a hand is over them."""
    stacking(table, caretaker)
    table.world.mechanics.reach_into_gap(1)
    assert caretaker.wait(lambda: caretaker.state == "hold", 60)


def hand_off(table: Table, _: Caretaker) -> None:
    table.world.mechanics.reach_into_gap(-1)


def press(button: str) -> Step:
    return lambda _, caretaker: caretaker.press(button)


def clear_walls(table: Table, caretaker: Caretaker) -> None:
    """refill: what stands above is pushed in"""
    assert caretaker.clear_table()


def take_away(count: int) -> Step:
    def step(table: Table, _: Caretaker) -> None:
        pan = table.world.mechanics.pan
        table.gone = list(pan)[:: len(pan) // count][:count]  # type: ignore[attr-defined]
        for tile in table.gone:  # type: ignore[attr-defined]
            del pan[tile]

    return step


def give_back(table: Table, caretaker: Caretaker) -> None:
    mechanics = table.world.mechanics
    assert caretaker.wait(lambda: mechanics.console_open, 10)
    for tile in table.gone:  # type: ignore[attr-defined]
        mechanics.drop_in(tile)


def into_the_pan(table: Table, tile: Tile) -> None:
    table.world.ground.add(tile)
    table.world.ground.put(tile, "pan", geometry.pan())
    table.world.mechanics.pan[tile] = None


def swap_for_foreign(table: Table, _: Caretaker) -> None:
    """A tile of set B for one of set A."""
    pan = table.world.mechanics.pan
    del pan[next(iter(pan))]
    into_the_pan(table, make_set(1, 5)[3])


def add_copy(table: Table, _: Caretaker) -> None:
    """A tile more than there should be; its tag says nothing that would be a fault of its own."""
    tag = table.world.tiles[3].tag
    into_the_pan(table, Tile(0, 3, Tag(tag.uid, bytes(tag.memory), tag.afi)))


def clear_gates(table: Table, _: Caretaker) -> None:
    for side in table.world.mechanics.sides:
        side.take_from_gate()


def plate_moves(table: Table, caretaker: Caretaker) -> None:
    mechanics = table.world.mechanics
    caretaker.press("raise")
    assert caretaker.wait(lambda: mechanics.sides[0].plate.position > 5, 60)


def welded(table: Table, caretaker: Caretaker) -> None:
    """The contacts stay closed though the lid is open; found out at the next press."""
    stacking(table, caretaker)
    mechanics = table.world.mechanics
    mechanics.relay_welded = True
    mechanics.set_lid(True)
    table.run_for(1)
    mechanics.set_lid(False)
    table.run_for(1)


def restart(table: Table, _: Caretaker) -> None:
    table.cut_power()
    table.kernel.start()
    table.run_for(0.05)


def settings(text: bytes) -> Step:
    def step(table: Table, _: Caretaker) -> None:
        assert table.kernel.cwd is not None
        (table.kernel.cwd / "settings.0").write_bytes(text)

    return step


def lay_card(table: Table, _: Caretaker) -> None:
    """Somebody's card on the pond of seat 0."""
    tile = make_set(0, 99)[0]
    tile.tag.memory[:8] = bytes(8)
    table.world.ground.add(tile)
    table.world.ground.put(tile, "pond.0", geometry.pond(0, 0))


def pile_up(table: Table, _: Caretaker) -> None:
    """A third of a set on the pond of seat 0."""
    for tile in make_set(0, 98)[:48]:
        table.world.ground.add(tile)
        table.world.ground.put(tile, "pond.0", geometry.pond(0, 0))


def pull_pwm(table: Table, _: Caretaker) -> None:
    address = table.board.spec["pwm"]["addresses"][1]
    table.kept = table.board._i2c.pop(address)  # type: ignore[attr-defined]


def put_back_pwm(table: Table, _: Caretaker) -> None:
    table.board._i2c[table.board.spec["pwm"]["addresses"][1]] = table.kept  # type: ignore[attr-defined]


def run_on(seconds: float) -> Step:
    return lambda table, _: table.run_for(seconds)


def broken_dice_task(seed: int) -> Table:
    """A controller whose task of the dice has a defect that shows at the first press."""
    defect = (
        "from controller import throws\n"
        "async def defect(self): raise ValueError('defect')\n"
        "throws.Throws._throw_once = defect\n"
    )

    def controller(clock: Clock, board: Board, heap: int, folder: Path, console: IO[bytes] | None) -> Kernel:
        main = MAIN.replace("import main", defect + "import main")
        return Kernel(clock, board, [main], heap=heap, cwd=folder, console=console, image=image())

    return Table(seed, controller=controller)


def full_journal(seed: int) -> Table:
    """A journal that no host has ever asked for, a few events short of coming round."""
    from controller.journal import Journal
    from tablelink.messages import EVENTS

    fram = bytearray(load("board")["fram"]["bytes"])
    journal = Journal(Memory(fram), len(fram) - KEPT)
    button = next(event for event in EVENTS if event.name == "button")
    for _ in range(journal.slots - 8):
        journal.append(button.number, 0, journal.boot, 0, 0, 1)
    return Table(seed, fram=fram)


class Memory:
    """A FRAM image as the firmware's drivers show it."""

    def __init__(self, image: bytearray) -> None:
        self._image = image

    def readinto(self, address: int, buf: bytearray) -> None:
        buf[:] = self._image[address : address + len(buf)]

    def write(self, address: int, buf: bytes) -> None:
        self._image[address : address + len(buf)] = buf


def lay_copy(table: Table, _: Caretaker) -> None:
    """A tile on the pond of seat 0, and one with a copy of its tag on that of seat 2."""
    tile = table.world.tiles[5]
    copy = Tile(tile.set, tile.number, Tag(tile.tag.uid, bytes(tile.tag.memory), afi=tile.tag.afi))
    table.world.ground.add(copy)
    table.world.ground.put(tile, "pond.0", geometry.pond(0, 0))
    table.run_for(3)
    table.world.ground.put(copy, "pond.2", geometry.pond(2, 0))


def reads_none(table: Table, _: Caretaker) -> None:
    """Nobody takes the events: they come round."""
    for _ in range(6):
        table.board.inputs["win_1"].set(1)
        table.run_for(0.2)
        table.board.inputs["win_1"].set(0)
        table.run_for(0.2)


def restarted(table: Table, caretaker: Caretaker) -> None:
    """restarts by itself, refill"""
    since = caretaker.last
    assert caretaker.wait(lambda: bool(caretaker.of("boot", since)), 10)
    table.run_for(1)
    assert caretaker.clear_table()


@dataclass
class Case:
    """`before` the situation, `cause` the condition, `then` what lets the table notice; `cure` takes the cause away.

    `doing` says it in words. `part` as the fault must name it, -1 for any.
    """

    fault: str
    doing: str
    cause: Step
    before: Step = nothing
    then: Step = nothing
    cure: Step = nothing
    part: int = 0
    resume: Step | None = None  # instead of a press of raise that ends with walls
    stops: bool = True
    afterwards: tuple[str, ...] = ()  # faults that tell of the recovery itself
    settle_s: float = SETTLE_S
    table: Callable[[int], Table] = Table


class Outcome(NamedTuple):
    """What a case came to: `told` up to the fault itself, `stood` as read from switches and motors."""

    told: list[tuple[int, int]]  # code and part
    took_s: float
    held: bool
    stood: str
    shown: list[str]  # on the displays of the four seats
    safe: bool  # as the catalogue's safe state wants it
    recovery: str
    recovered: bool
    later: list[tuple[int, int]]  # told after the table had come to rest
    until_rest: list[tuple[int, int]]  # all that was told up to then


def gap(hands: int) -> Step:
    return lambda table, _: table.world.mechanics.reach_into_gap(hands)


def console(objects: int) -> Step:
    return lambda table, _: table.world.mechanics.lay_on_console(objects)


def lid(is_open: bool) -> Step:
    return lambda table, _: table.world.mechanics.set_lid(is_open)


def stop(pressed: bool) -> Step:
    return lambda table, _: table.world.mechanics.set_estop(pressed)


def bring(tiles_s: float) -> Step:
    return lambda table, _: setattr(table.world.mechanics, "tiles_s", tiles_s)


def supply(volts: float) -> Step:
    return lambda table, _: setattr(table.board, "rail_v", volts)


def unweld(table: Table, _: Caretaker) -> None:
    table.world.mechanics.relay_welded = False
    table.world.mechanics.relay()


CASES = [
    Case("DECK_TIMEOUT", "ring brings 0.3 tiles/s", bring(0.3), then=press("raise"), cure=bring(3.0)),
    Case("TILE_SHORT", "3 tiles missing", take_away(3), then=press("raise"), cure=give_back),
    Case("TILE_SHORT", "40 tiles missing", take_away(40), then=press("raise"), cure=give_back),
    Case("TILE_EXTRA", "145 tiles", add_copy, then=press("raise"), cure=clear_gates, part=-1),
    Case("HEAD_JAM", "tile jams the cam", on_side(1, jams=99), stacking, cure=on_side(1, jams=0), part=1),
    Case("HEAD_JAM", "tile sensor always covered", stick("feed_tile_2", 1), stacking,
         cure=stick("feed_tile_2", None), part=2),
    Case("HEAD_JAM", "cam switch always open", stick("head_home_0", 0), stacking, cure=stick("head_home_0", None)),
    Case("HEAD_JAM", "stack sensor always dark", stick("head_full_3", 0), stacking,
         cure=stick("head_full_3", None), part=3),
    Case("HEAD_JAM", "stack sensor always covered", stick("head_full_3", 1), stacking,
         cure=stick("head_full_3", None), part=3),
    Case("HEAD_STARVED", "ring passes a side by", on_side(0, starved=True, starved_for_good=True), stacking,
         cure=on_side(0, starved=False, starved_for_good=False)),
    Case("HEAD_STARVED", "tile sensor never covered", stick("feed_tile_2", 0), stacking,
         cure=stick("feed_tile_2", None), part=2),
    Case("PUSH_STUCK", "pusher stuck", ail("pusher_2", stuck=True), stacking, cure=ail("pusher_2", stuck=False),
         part=2),
    Case("PUSH_STUCK", "home switch always open", stick("pusher_home_1", 0), stacking,
         cure=stick("pusher_home_1", None), part=1),
    Case("CHAIN_NO_ZERO", "chain slips", ail("pusher_3", slips=True), stacking, cure=ail("pusher_3", slips=False),
         part=3),
    Case("PLATE_LIMIT", "plate stuck", ail("plate_2", stuck=True), held, hand_off,
         both(ail("plate_2", stuck=False), clear_walls), part=2),
    Case("PLATE_LIMIT", "upper switch always open", stick("plate_up_2", 0), held, hand_off,
         both(stick("plate_up_2", None), clear_walls), part=2),
    Case("PLATE_SYNC", "plate at half its speed", ail("plate_1", drag=0.5), held, hand_off,
         both(ail("plate_1", drag=1.0), clear_walls), part=1),
    Case("LIFT_NOT_UP", "upper switch always open", stick("lift_up", 0), walls, press("refill"),
         stick("lift_up", None), resume=clear_walls),
    Case("LIFT_OVERLOAD", "cup on the console", console(1), walls, press("refill"), console(-1), resume=clear_walls),
    Case("LIFT_OVERLOAD", "console stuck", ail("lift", stuck=True), walls, press("refill"), ail("lift", stuck=False),
         resume=clear_walls),
    Case("LID_OPEN", "lid opened while stacking", lid(True), stacking, cure=lid(False)),
    Case("LID_OPEN", "emergency stop while stacking", stop(True), stacking, cure=stop(False)),
    Case("HAND_IN_THE_WAY", "hand over rising plates", gap(1), plate_moves, cure=gap(-1)),
    Case("HAND_IN_THE_WAY", "hand over the plates at the press", gap(1), then=press("raise"), cure=gap(-1)),
    Case("RING_SYNC", "ring stuck", ail("ring", stuck=True), stacking, cure=ail("ring", stuck=False)),
    Case("RING_SYNC", "ring at a tenth of its speed", ail("ring", drag=0.1), stacking, cure=ail("ring", drag=1.0)),
    Case("MOTOR_OVERTEMP", "pan at three times its current", ail("pan", load=3.0), then=press("raise"),
         cure=both(ail("pan", load=1.0), run_on(130))),
    Case("MOTOR_OPEN", "cam motor open", ail("head_3", dead=True), stacking, cure=ail("head_3", dead=False), part=11),
    Case("MOTOR_OPEN", "conveyor motor open", ail("feed_1", dead=True), stacking, cure=ail("feed_1", dead=False),
         part=5),
    Case("MOTOR_OPEN", "pusher motor open", ail("pusher_1", dead=True), stacking, cure=ail("pusher_1", dead=False),
         part=13),
    Case("MOTOR_OPEN", "ring motor open", ail("ring", dead=True), stacking, cure=ail("ring", dead=False), part=1),
    Case("MOTOR_OPEN", "console motor open", ail("lift", dead=True), walls, press("refill"), ail("lift", dead=False),
         part=2, resume=clear_walls),
    Case("READER_DOWN", "reader silent", lambda t, c: t.board.readers[2].faults.add("dead"), part=2, stops=False),
    Case("ZONE_CONFLICT", "copied tag in two ponds", lay_copy, stops=False),
    Case("UNKNOWN_TAG", "card on a pond", lay_card, part=-1, stops=False),
    Case("SET_MIXED", "tile of the other set", swap_for_foreign, then=press("raise")),
    Case("ZONE_CROWDED", "48 tiles on one pond", pile_up, part=2, stops=False),
    Case("DICE_FAIL", "dice motor open", ail("dice", dead=True), walls, press("dice"), stops=False),
    Case("JOURNAL_GAP", "journal comes round", reads_none, stops=False, table=full_journal),
    Case("CONFIG_BAD", "torn settings at the start", settings(b"PJS1 torn"), then=restart, stops=False),
    Case("WDT_RESET", "watchdog while stacking", lambda t, c: t.kernel._bite(), stacking),
    Case("BROWNOUT", "power cut while stacking", restart, stacking),
    Case("BROWNOUT", "15 V while stacking", supply(15.0), stacking, cure=supply(24.0)),
    Case("TASK_DIED", "defect in the dice's task", press("dice"), walls, resume=restarted, table=broken_dice_task,
         afterwards=("WDT_RESET",), settle_s=1.0),
    Case("CHIP_DOWN", "motor driver chip silent at the start", pull_pwm, then=restart, cure=put_back_pwm, part=1),
    Case("SENSOR_CONFLICT", "both ends of a plate at the start", stick("plate_up_0", 1), then=restart,
         cure=stick("plate_up_0", None), part=16),
    Case("RELAY_FAULT", "contacts welded, seen at the next press", press("raise"), welded, cure=unweld),
]  # fmt: skip


def examine(number: int) -> Outcome:
    """Bring about case `number` of CASES on a table of its own and see it through. Raises Unsafe as any table does."""
    case = CASES[number]
    fault = CATALOGUE[case.fault]
    with case.table(number + 1) as table:
        caretaker = Caretaker(table)
        table.run_for(1)
        case.before(table, caretaker)
        since, caused = caretaker.last, table.now
        case.cause(table, caretaker)
        case.then(table, caretaker)
        caretaker.wait(lambda: fault["code"] in dict(caretaker.faults(since)), fault["within_s"] or 20)
        took_s = (table.now - caused) / 1e6
        told = caretaker.faults(since)
        table.run_for(case.settle_s)
        held, stood, safe = caretaker.held, stand(table), stands_as(fault["safe_state"], case, table, caretaker)
        shown, rest, until_rest = caretaker.displays, caretaker.last, caretaker.faults(since)
        if not case.stops:
            return Outcome(told, took_s, held, stood, shown, safe, "goes on", not held, [], until_rest)
        case.cure(table, caretaker)
        if case.resume is not None:
            case.resume(table, caretaker)
            recovery = case.resume.__doc__ or ""
        else:
            ended = caretaker.build()
            recovery = "raise" if ended == "up" else f"raise: {ended}"
        recovered = not caretaker.held and (case.resume is not None or table.world.mechanics.walls_up)
        return Outcome(told, took_s, held, stood, shown, safe, recovery, recovered, caretaker.faults(rest), until_rest)


def stand(table: Table) -> str:
    """How the table stands, by its switches and motors."""
    inputs = table.board.inputs
    driven = sum(bool(motor.drive) for motor in table.board.motors.values())
    up = sum(inputs[f"plate_up_{n}"].level for n in range(4))
    console = "up" if inputs["lift_up"].level else "down" if inputs["lift_down"].level else "between"
    return (f"relay {'closed' if inputs['relay_closed'].level else 'open'}, {driven} motors on, "
            f"{up} plates up, console {console}")  # fmt: skip


def stands_as(wanted: str, case: Case, table: Table, caretaker: Caretaker) -> bool:
    """The safe state of the catalogue. A part that is stuck cannot follow; nor do the contacts that are welded."""
    mechanics = table.world.mechanics
    if not case.stops:
        return not caretaker.held
    moves = any(motor.drive for motor in table.board.motors.values())
    closed = mechanics.sensors["relay_closed"].level and not mechanics.relay_welded
    if wanted == "console up":  # it waits for tiles with its power on
        return mechanics.console_open and not moves
    if wanted == "plates down" and not all(side.plate.at_low for side in mechanics.sides if not side.plate.stuck):
        return False
    if wanted == "console at its last safe end" and not (mechanics.lift.at_low or mechanics.lift.at_high):
        return False
    return not moves and not closed
