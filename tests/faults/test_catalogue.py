"""Every fault of the catalogue, raised by its condition: the right one first, in time, safe, and recovered from."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support.caretaker import Caretaker

from twin import geometry
from twin.table import Table
from twin.tiles import make_set

CATALOGUE = {
    fault["name"]: fault
    for fault in tomllib.loads((Path(__file__).parents[2] / "hardware" / "faults.toml").read_text("utf-8"))["fault"]
}
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
    """What has come up is pushed into the console."""
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


def add_foreign(instead: bool) -> Step:
    def step(table: Table, _: Caretaker) -> None:
        mechanics, ground = table.world.mechanics, table.world.ground
        if instead:
            del mechanics.pan[next(iter(mechanics.pan))]
        tile = make_set(1, 5)[3]
        ground.add(tile)
        ground.put(tile, "pan", geometry.pan())
        mechanics.pan[tile] = None

    return step


def clear_gates(table: Table, _: Caretaker) -> None:
    for side in table.world.mechanics.sides:
        side.take_from_gate()


def plate_moves(table: Table, caretaker: Caretaker) -> None:
    mechanics = table.world.mechanics
    caretaker.press("raise")
    assert caretaker.wait(lambda: mechanics.sides[0].plate.position > 5, 60)


def welded(table: Table, caretaker: Caretaker) -> None:
    """The contacts stay closed though the lid is open; found out when somebody wants to go on."""
    mechanics = table.world.mechanics
    mechanics.relay_welded = True
    mechanics.set_lid(True)
    table.run_for(1)
    mechanics.set_lid(False)
    table.run_for(1)
    caretaker.press("raise")


def restart(table: Table, _: Caretaker) -> None:
    table.cut_power()
    table.kernel.start()
    table.run_for(0.05)


def settings(text: bytes) -> Step:
    def step(table: Table, _: Caretaker) -> None:
        assert table.kernel.cwd is not None
        (table.kernel.cwd / "settings.0").write_bytes(text)

    return step


@dataclass
class Case:
    """`before` the condition, `cause` raises it, then the fault must come; `cure` takes it away."""

    fault: str
    cause: Step
    before: Step = nothing
    then: Step = nothing
    cure: Step = nothing
    part: int = 0
    resume: Step | None = field(default=None)  # instead of a press of raise that ends with walls
    stops: bool = True
    earlier: tuple[str, ...] = ()  # faults that must come first because the condition includes theirs

    @property
    def id(self) -> str:
        return f"{self.fault}-{self.cause.__name__}"


def run_on(seconds: float) -> Step:
    return lambda table, _: table.run_for(seconds)


CASES = [
    Case("DECK_TIMEOUT", lambda t, c: setattr(t.world.mechanics, "tiles_s", 0.3), then=press("raise"),
         cure=lambda t, c: setattr(t.world.mechanics, "tiles_s", 3.0)),
    Case("TILE_SHORT", take_away(3), then=press("raise"), cure=give_back),
    Case("TILE_SHORT", take_away(40), then=press("raise"), cure=give_back),
    Case("TILE_EXTRA", add_foreign(False), then=press("raise"), cure=clear_gates, part=-1),
    Case("HEAD_JAM", on_side(1, jams=99), stacking, cure=on_side(1, jams=0), part=1),
    Case("HEAD_JAM", stick("feed_tile_2", 1), stacking, cure=stick("feed_tile_2", None), part=2),
    Case("HEAD_JAM", stick("head_home_0", 0), stacking, cure=stick("head_home_0", None), part=0),
    Case("HEAD_JAM", stick("head_full_3", 0), stacking, cure=stick("head_full_3", None), part=3),
    Case("HEAD_JAM", stick("head_full_3", 1), stacking, cure=stick("head_full_3", None), part=3),
    Case("HEAD_STARVED", on_side(0, starved=True, starved_for_good=True), stacking,
         cure=on_side(0, starved=False, starved_for_good=False), part=0),
    Case("HEAD_STARVED", stick("feed_tile_2", 0), stacking, cure=stick("feed_tile_2", None), part=2),
    Case("PUSH_STUCK", ail("pusher_2", stuck=True), stacking, cure=ail("pusher_2", stuck=False), part=2),
    Case("PUSH_STUCK", stick("pusher_home_1", 0), stacking, cure=stick("pusher_home_1", None), part=1),
    Case("CHAIN_NO_ZERO", ail("pusher_3", slips=True), stacking, cure=ail("pusher_3", slips=False), part=3),
    Case("PLATE_LIMIT", ail("plate_2", stuck=True), held, hand_off,
         both(ail("plate_2", stuck=False), clear_walls), part=2),
    Case("PLATE_LIMIT", stick("plate_up_2", 0), held, hand_off,
         both(stick("plate_up_2", None), clear_walls), part=2),
    Case("PLATE_SYNC", ail("plate_1", drag=0.5), held, hand_off, both(ail("plate_1", drag=1.0), clear_walls), part=1),
    Case("LIFT_NOT_UP", stick("lift_up", 0), walls, press("refill"), stick("lift_up", None), resume=clear_walls),
    Case("LIFT_OVERLOAD", lambda t, c: t.world.mechanics.lay_on_console(1), walls, press("refill"),
         lambda t, c: t.world.mechanics.lay_on_console(-1), resume=clear_walls),
    Case("LIFT_OVERLOAD", ail("lift", stuck=True), walls, press("refill"), ail("lift", stuck=False),
         resume=clear_walls),
    Case("LID_OPEN", lambda t, c: t.world.mechanics.set_lid(True), stacking,
         cure=lambda t, c: t.world.mechanics.set_lid(False)),
    Case("LID_OPEN", lambda t, c: t.world.mechanics.set_estop(True), stacking,
         cure=lambda t, c: t.world.mechanics.set_estop(False)),
    Case("HAND_IN_THE_WAY", lambda t, c: t.world.mechanics.reach_into_gap(1), plate_moves,
         cure=lambda t, c: t.world.mechanics.reach_into_gap(-1)),
    Case("HAND_IN_THE_WAY", lambda t, c: t.world.mechanics.reach_into_gap(1), then=press("raise"),
         cure=lambda t, c: t.world.mechanics.reach_into_gap(-1)),
    Case("RING_SYNC", ail("ring", stuck=True), stacking, cure=ail("ring", stuck=False)),
    Case("RING_SYNC", ail("ring", drag=0.1), stacking, cure=ail("ring", drag=1.0)),
    Case("MOTOR_OVERTEMP", ail("pan", load=3.0), then=press("raise"),
         cure=both(ail("pan", load=1.0), run_on(130)), part=0),
    Case("MOTOR_OPEN", ail("head_3", dead=True), stacking, cure=ail("head_3", dead=False), part=11),
    Case("MOTOR_OPEN", ail("feed_1", dead=True), stacking, cure=ail("feed_1", dead=False), part=5),
    Case("MOTOR_OPEN", ail("pusher_1", dead=True), stacking, cure=ail("pusher_1", dead=False), part=13),
    Case("MOTOR_OPEN", ail("ring", dead=True), stacking, cure=ail("ring", dead=False), part=1),
    Case("MOTOR_OPEN", ail("lift", dead=True), walls, press("refill"), ail("lift", dead=False), part=2,
         resume=clear_walls),
    Case("READER_DOWN", lambda t, c: t.board.readers[2].faults.add("dead"), part=2, stops=False),
    Case("UNKNOWN_TAG", lambda t, c: lay_card(t), part=-1, stops=False),
    Case("SET_MIXED", add_foreign(True), then=press("raise")),
    Case("ZONE_CROWDED", lambda t, c: pile_up(t), part=2, stops=False),
    Case("DICE_FAIL", ail("dice", dead=True), walls, press("dice"), stops=False),
    Case("CONFIG_BAD", settings(b"PJS1 torn"), then=restart, stops=False),
    Case("WDT_RESET", lambda t, c: t.kernel._bite(), stacking),
    Case("BROWNOUT", restart, stacking),
    Case("BROWNOUT", lambda t, c: setattr(t.board, "rail_v", 15.0), stacking,
         cure=lambda t, c: setattr(t.board, "rail_v", 24.0)),
    Case("CHIP_DOWN", lambda t, c: pull_pwm(t), then=restart, cure=lambda t, c: put_back_pwm(t), part=1),
    Case("SENSOR_CONFLICT", stick("plate_up_0", 1), then=restart, cure=stick("plate_up_0", None), part=16),
    Case("RELAY_FAULT", welded, stacking, earlier=("LID_OPEN",),
         cure=lambda t, c: (setattr(t.world.mechanics, "relay_welded", False), t.world.mechanics.set_lid(False),
                            t.world.mechanics.relay())),
]  # fmt: skip
NOT_MECHANICAL = {"TASK_DIED", "JOURNAL_GAP", "ZONE_CONFLICT"}


def lay_card(table: Table) -> None:
    """Somebody's card on the pond of seat 0."""
    tile = make_set(0, 99)[0]
    tile.tag.memory[:8] = bytes(8)
    table.world.ground.add(tile)
    table.world.ground.put(tile, "pond.0", geometry.pond(0, 0))


def pile_up(table: Table) -> None:
    """A third of a set on the pond of seat 0."""
    for tile in make_set(0, 98)[:48]:
        table.world.ground.add(tile)
        table.world.ground.put(tile, "pond.0", geometry.pond(0, 0))


def pull_pwm(table: Table) -> None:
    address = table.board.spec["pwm"]["addresses"][1]
    table.kept = table.board._i2c.pop(address)  # type: ignore[attr-defined]


def put_back_pwm(table: Table) -> None:
    table.board._i2c[table.board.spec["pwm"]["addresses"][1]] = table.kept  # type: ignore[attr-defined]


def test_no_fault_is_left_out() -> None:
    assert {case.fault for case in CASES} | NOT_MECHANICAL == set(CATALOGUE)


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{n}-{case.fault}" for n, case in enumerate(CASES)])
def test_fault(number: int, record_property: Callable[[str, object], None]) -> None:
    case = CASES[number]
    fault = CATALOGUE[case.fault]
    with Table(number + 1) as table:
        caretaker = Caretaker(table)
        table.run_for(1)
        case.before(table, caretaker)
        since = caretaker.last
        case.cause(table, caretaker)
        case.then(table, caretaker)
        caused = caretaker.table.now
        caretaker.wait(lambda: fault["code"] in dict(caretaker.faults(since)), fault["within_s"] or 20)
        took = (table.now - caused) / 1e6
        wanted = [*(CATALOGUE[name]["code"] for name in case.earlier), fault["code"]]
        told = caretaker.faults(since)
        assert [code for code, _ in told] == wanted, table.kernel.output()
        if case.part >= 0:
            assert told[-1][1] == case.part
        if fault["within_s"]:
            assert took <= fault["within_s"]
        table.run_for(9)
        inputs, motors = table.board.inputs, table.board.motors
        if not case.stops:
            assert not caretaker.held
            return
        assert caretaker.held
        if case.fault != "TILE_SHORT":
            assert not any(motor.drive for motor in motors.values())
        if case.fault not in ("TILE_SHORT", "RELAY_FAULT"):
            assert inputs["relay_closed"].level == 0
        mechanics = table.world.mechanics
        match fault["safe_state"]:
            case "plates down":
                assert all(side.plate.position < 1 for side in mechanics.sides if not side.plate.stuck)
            case "console up":
                assert mechanics.console_open
        record_property("seconds", round(took, 2))
        case.cure(table, caretaker)
        if case.resume is not None:
            case.resume(table, caretaker)
        else:
            assert caretaker.build() == "up", caretaker.faults(since)
            assert mechanics.walls_up
        assert not caretaker.held
        assert caretaker.faults(since)[: len(told)] == told
        assert len(caretaker.faults(since)) == len(told)
