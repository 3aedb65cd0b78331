"""The cycle on the whole simulated table: it finishes, pauses, alternates, survives stops, and keeps to its states."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from soak.cycles import cycles, one_cut, stop, wall_is_right
from support.caretaker import Caretaker

from twin.board import Board
from twin.invariants import REACTION_US, Invariants
from twin.table import Table, Unsafe
from twin.tiles import Tile, make_set

FIRMWARE = Path(__file__).parents[2] / "firmware"
sys.path.insert(0, str(FIRMWARE))
from controller import states  # noqa: E402


def test_a_cycle_ends_with_the_right_walls_and_can_be_repeated() -> None:
    with Table(11) as table:
        caretaker = Caretaker(table)
        table.run_for(1)
        for _ in range(2):
            assert caretaker.build() == "up"
            assert wall_is_right(table)
            assert caretaker.of("audit")[-1]["result"] == "complete"
            assert caretaker.clear_table()
        assert caretaker.faults() == []


def test_wear_costs_time_not_walls() -> None:
    worn = cycles(6, 10, 6)
    assert worn.outcomes == {"completed": 6}
    assert worn.struck["head_jam"] + worn.struck["pusher_stuck"] + worn.struck["starved"] > 0
    assert worn.unsafe == []


def test_both_buttons_pause_and_either_resumes_the_same_cycle() -> None:
    with Table(12) as table:
        caretaker = Caretaker(table)
        mechanics = table.world.mechanics
        table.run_for(1)
        caretaker.press("raise")
        caretaker.wait(lambda: caretaker.state == "stack")
        table.run_for(4)
        stacked = sum(len(side.stacks) for side in mechanics.sides)
        assert stacked > 0
        caretaker.press("raise", "refill")
        assert caretaker.wait(lambda: mechanics.console_open, 5)
        table.run_for(5)
        assert caretaker.state == "pause"
        assert sum(len(side.stacks) for side in mechanics.sides) >= stacked
        caretaker.press("refill")
        assert caretaker.until_rest() == "up"
        assert wall_is_right(table)
        states_told = [e["state"] for e in caretaker.of("cycle")]
        assert states_told.count("shuffle") == 1
        assert "collect" not in states_told


def test_missing_tiles_are_named_by_face_and_the_cycle_goes_on() -> None:
    with Table(13) as table:
        caretaker = Caretaker(table)
        mechanics = table.world.mechanics
        gone = [tile for tile in mechanics.pan if tile.number in (0, 77, 143)]
        for tile in gone:
            del mechanics.pan[tile]
        table.run_for(1)
        assert caretaker.build() == "fault"
        assert [int(e["tile"]) for e in caretaker.of("missing")] == [0, 77, 143]
        assert caretaker.wait(lambda: mechanics.console_open, 5)
        table.run_for(1)
        for tile in gone:
            mechanics.drop_in(tile)
        assert caretaker.build() == "up"
        assert wall_is_right(table)


@pytest.mark.parametrize("stacks", [17, 12])
def test_other_counts_by_setting(stacks: int, tmp_path: Path) -> None:
    with Table(14, state=tmp_path) as table:
        caretaker = Caretaker(table)
        mechanics = table.world.mechanics
        mechanics.stacks = stacks
        while len(mechanics.pan) > 8 * stacks:
            del mechanics.pan[next(iter(mechanics.pan))]
        write_settings(tmp_path, stacks=stacks)
        table.cut_power()
        table.kernel.start()
        table.run_for(1)
        assert caretaker.build() == "up"
        assert mechanics.walls_up
        assert sum(tile.place.startswith("wall") for tile in table.world.tiles) == 8 * stacks


@pytest.mark.parametrize("bad", [{"stacks": 19}, {"stacks": 0}, {"sets": 3}, {"stacks": "many"}])
def test_settings_outside_the_mechanics_give_way_to_the_defaults(bad: dict[str, object], tmp_path: Path) -> None:
    write_settings(tmp_path, **bad)
    with Table(15, state=tmp_path) as table:
        caretaker = Caretaker(table)
        table.run_for(1)
        assert caretaker.faults() == [(92, 0)]
        assert caretaker.displays == ["E92  "] * 4
        assert caretaker.build() == "up"
        assert wall_is_right(table)


def write_settings(folder: Path, **values: object) -> None:
    from controller.settings import Settings

    Settings(str(folder / "settings"), {}).save(**values)


def test_two_sets_alternate_one_is_stacked_while_the_other_is_played(tmp_path: Path) -> None:
    write_settings(tmp_path, sets=2)
    with Table(16, state=tmp_path) as table:
        caretaker = Caretaker(table)
        mechanics, ground = table.world.mechanics, table.world.ground
        table.run_for(1)
        assert caretaker.build() == "up"
        sets = [table.world.tiles, make_set(1, 16)]
        for tile in sets[1]:
            ground.add(tile)

        def push_in(tiles: list[Tile]) -> None:
            caretaker.press("refill")
            assert caretaker.wait(lambda: mechanics.console_open, 10)
            for tile in tiles:
                mechanics.drop_in(tile)
            assert caretaker.wait(lambda: mechanics.sensors["lift_down"].level == 1, 30)
            assert caretaker.wait(lambda: caretaker.state == "hold", 60)

        push_in(sets[1])  # for the first time, while the walls of the other set stand
        for playing in (1, 0, 1):
            mechanics.sweep()
            push_in(sets[1 - playing])
            caretaker.press("raise")
            assert caretaker.wait(lambda: mechanics.walls_up, 20)
            assert caretaker.wait(lambda: caretaker.state == "stack", 20)
            assert {tile.set for stack in mechanics.standing.values() for tile in stack.values()} == {playing}
            # The dice, the players and the next wall at the same time.
            assert caretaker.wait(lambda: caretaker.state == "hold", 60)
            assert mechanics.walls_up
            assert {tile.set for side in mechanics.sides for stack in side.stacks for tile in stack} == {1 - playing}
        assert caretaker.faults() == []
        assert [e["result"] for e in caretaker.of("audit")] == ["complete"] * 5


@pytest.mark.parametrize("kind", ["power", "emergency stop", "lid"])
@pytest.mark.parametrize("at_s", [0.7, 3.3, 9.123, 13.21, 18.2, 18.9, 19.6, 25.5])
def test_stopped_at_any_time_it_comes_back_with_the_same_tiles(kind: str, at_s: float) -> None:
    with Table(int(10 * at_s)) as table:
        caretaker = Caretaker(table)
        table.run_for(1)
        assert one_cut(table, caretaker, kind, at_s) == "recovered"


def in_the_heads(table: Table) -> bool:
    """Tiles have been read and lifted, and not one stack is on a plate."""
    heads = [tile.place for tile in table.world.tiles if tile.place.startswith("head")]
    return len(heads) == 4 and not any(side.stacks for side in table.world.mechanics.sides)


def all_stacked(table: Table) -> bool:
    """The last stack is on its plate, the cycle has not yet noticed."""
    return all(len(side.stacks) == 18 for side in table.world.mechanics.sides)


@pytest.mark.parametrize("kind", ["power", "lid"])
@pytest.mark.parametrize("when", [in_the_heads, all_stacked])
def test_a_stop_costs_neither_what_was_read_nor_the_audit(when: Callable[[Table], bool], kind: str) -> None:
    with Table(23) as table:
        caretaker = Caretaker(table)
        table.run_for(1)
        caretaker.press("raise")
        assert caretaker.wait(lambda: when(table), 60)
        assert caretaker.of("audit") == []
        stop(table, kind)
        assert caretaker.build() == "up"
        assert wall_is_right(table)
        assert [e["result"] for e in caretaker.of("audit")] == ["complete"]


def test_a_hand_in_the_gap_opens_the_console_again() -> None:
    with Table(17) as table:
        caretaker = Caretaker(table)
        mechanics = table.world.mechanics
        table.run_for(1)
        assert caretaker.build() == "up"
        caretaker.press("refill")
        assert caretaker.wait(lambda: mechanics.console_open, 10)
        assert caretaker.wait(lambda: mechanics.lift.drive < 0, 20)
        table.run_for(0.4)
        mechanics.reach_into_gap(1)
        table.run_for(2)
        assert mechanics.console_open
        table.run_for(20)
        assert mechanics.console_open
        mechanics.reach_into_gap(-1)
        assert caretaker.wait(lambda: mechanics.sensors["lift_down"].level == 1, 10)
        assert caretaker.faults() == []


def test_presses_in_the_middle_do_not_count_as_going_on_after_a_fault() -> None:
    with Table(18) as table:
        caretaker = Caretaker(table)
        table.run_for(1)
        caretaker.press("raise")
        caretaker.wait(lambda: caretaker.state == "stack")
        caretaker.press("raise")
        table.world.mechanics.set_lid(True)
        table.run_for(0.5)
        table.world.mechanics.set_lid(False)
        table.run_for(20)
        assert caretaker.state == "fault"
        assert caretaker.held


@pytest.mark.parametrize(("low", "high", "text"), [
    ("plate_down_0", "plate_up_0", "E9716"),
    ("pusher_home_3", "pusher_end_3", "E9715"),
    ("lift_down", "lift_up", "E97 2"),
])  # fmt: skip
def test_a_sensor_map_that_contradicts_itself_keeps_the_table_still_and_is_shown(
    low: str, high: str, text: str
) -> None:
    with Table(25) as table:
        caretaker = Caretaker(table)
        mechanics = table.world.mechanics
        mechanics.sensors[high].stick(1)
        stop(table, "power")
        assert mechanics.sensors[low].level == 1
        for button in ("raise", "refill", "dice"):
            caretaker.press(button)
            table.run_for(2)
            assert caretaker.displays == [text] * 4
            assert not mechanics.anything_moves
            assert table.board.inputs["relay_closed"].level == 0
        mechanics.sensors[high].stick(None)
        assert caretaker.build() == "up"


def test_what_holds_the_table_outlives_a_power_cut() -> None:
    with Table(24) as table:
        caretaker = Caretaker(table)
        table.run_for(1)
        caretaker.press("raise")
        assert caretaker.wait(lambda: caretaker.state == "stack", 30)
        table.run_for(3)
        table.world.mechanics.set_estop(True)
        table.run_for(0.5)
        table.world.mechanics.set_estop(False)
        table.run_for(0.5)
        stop(table, "power")
        assert caretaker.held
        assert caretaker.faults() == [(43, 0)]  # told and counted once
        assert caretaker.displays == ["E43  "] * 4
        assert table.board.inputs["relay_closed"].level == 0
        assert caretaker.build() == "up"
        assert wall_is_right(table)
        stop(table, "power")
        assert not caretaker.held


def test_displays_say_the_fault_when_no_host_is_there() -> None:
    with Table(19) as table:
        caretaker = Caretaker(table)
        table.run_for(1)
        table.world.mechanics.set_estop(True)
        table.run_for(0.5)
        assert caretaker.displays == ["E43  "] * 4


def test_outputs_are_safe_within_a_millisecond_of_a_start() -> None:
    """A watchdog bite leaves expanders and PWM as they were; `boot.py` comes first."""
    with Table(20) as table:
        caretaker = Caretaker(table)
        table.run_for(1)
        caretaker.press("raise")
        caretaker.wait(lambda: caretaker.state == "stack")
        table.run_for(2)
        motors = table.board.motors.values()
        assert any(motor.duty for motor in motors)
        table.kernel._bite()
        start = table.now
        assert table.run_for(1, lambda: not any(motor.drive for motor in motors))
        assert table.now - start <= 1000
        assert table.run_for(1, lambda: not any(motor.duty for motor in motors))
        assert table.now - start <= 1000


# The state machine


def test_every_state_is_reached_and_leads_home_again() -> None:
    ways = {name: follow for name, _, follow in states.STATES}
    assert set().union(*ways.values()) == set(ways) - {"idle"} | {"idle"}
    for start in ways:
        seen, queue = {start}, deque([start])
        while queue:
            for following in ways[queue.popleft()]:
                if following not in seen:
                    seen.add(following)
                    queue.append(following)
        assert seen == set(ways), f"from {start} some states are never reached: {set(ways) - seen}"


def test_every_state_leaves_by_success_fault_or_a_person() -> None:
    for name, limit, follow in states.STATES:
        assert "fault" in follow, name
        assert set(follow) - {"fault", name}, name
        if not limit:
            assert name in (*states.AT_REST, "pause", "collect"), f"{name} waits for ever though nobody is asked"


# The watchers themselves


def run(board: Board, name: str, duty: int, reverse: int = 0) -> None:
    motor = board.motors[name]
    motor.duty = duty
    motor.apply(reverse, board.inputs["relay_closed"].level)


def test_the_invariants_notice_what_moves_before_it_is_home() -> None:
    table = Table(26)
    board, watched = table.board, table.invariants

    def drive(name: str, duty: int, reverse: int, seconds: float) -> set[str]:
        run(board, name, duty, reverse)
        table.clock.advance(table.clock.now + int(seconds * 1e6))
        run(board, name, 0, reverse)
        rules = {b.rule for b in watched.breaches}
        watched.clear()
        return rules

    def relay(closed: int) -> None:
        board.outputs["relay_enable"].set(closed)
        table.clock.advance(table.clock.now + 100_000)

    relay(1)
    assert drive("plate_0", 4095, 0, 0.5) == set()  # it is on its way when the relay opens
    relay(0)
    relay(1)
    assert drive("pan", 4095, 0, 0.5) == {"home"}
    assert drive("plate_0", 4095, 1, 0.1) == {"home"}
    assert drive("plate_1", 1600, 0, 0.1) == set()
    while not board.inputs["plate_down_0"].level:
        assert drive("plate_0", 1600, 1, 0.02) == set()  # slowly, as far as its switch
    assert drive("pan", 4095, 0, 0.5) == set()


def test_the_invariants_notice_what_must_not_happen() -> None:
    table = Table(21)
    mechanics, board = table.world.mechanics, table.board
    watched: Invariants = table.invariants
    board.outputs["relay_enable"].set(1)
    table.clock.advance(100_000)
    plate, lift = board.motors["plate_0"], board.motors["lift"]
    mechanics.reach_into_gap(1)
    plate.duty = 4095
    plate.apply(0, 1)
    table.clock.advance(300_000)
    assert {b.rule for b in watched.breaches} == {"above"}
    plate.duty = 0
    plate.apply(0, 1)
    mechanics.reach_into_gap(-1)
    watched.clear()
    lift.duty = 4095
    lift.apply(0, 1)
    table.clock.advance(3_000_000)
    assert {b.rule for b in watched.breaches} == {"limit", "blow"}
    watched.clear()
    mechanics.set_estop(True)
    table.clock.advance(4_000_000)
    assert {b.rule for b in watched.breaches} == {"relay"}
    watched.clear()
    mechanics.set_estop(False)
    table.clock.advance(5_000_000)
    assert "act" in {b.rule for b in watched.breaches}
    with pytest.raises(Unsafe, match="act"):
        table.check()


def test_an_end_that_has_just_been_met_is_not_yet_driven_against() -> None:
    table = Table(27)
    board, clock, watched = table.board, table.clock, table.invariants
    down = board.inputs["plate_down_0"]
    drive = partial(run, board, "plate_0")
    board.outputs["relay_enable"].set(1)
    clock.advance(100_000)
    drive(4095)
    while down.level:
        clock.advance(clock.now + 1_000)
    drive(0)
    clock.advance(clock.now + 300_000)
    watched.clear()
    started = clock.now
    drive(4095, 1)
    while not down.level:
        clock.advance(clock.now + 1_000)
    met = clock.now
    assert 1_000 < met - started < REACTION_US
    clock.advance(started + REACTION_US + 1_000)
    assert "limit" not in {b.rule for b in watched.breaches}
    clock.advance(met + REACTION_US + 1_000)
    assert "limit" in {b.rule for b in watched.breaches}


def test_a_start_against_an_end_has_its_time_too() -> None:
    table = Table(28)
    board, clock, watched = table.board, table.clock, table.invariants
    drive = partial(run, board, "plate_0")
    board.outputs["relay_enable"].set(1)
    clock.advance(100_000)
    assert board.inputs["plate_down_0"].level
    for pause in (0, REACTION_US - 10_000):  # stopped in time, and started again just before the first was looked at
        drive(0)
        clock.advance(clock.now + pause)
        drive(2048, 1)
        started = clock.now
        clock.advance(clock.now + 5_000)
    clock.advance(started + REACTION_US - 1_000)
    assert watched.breaches == []
    drive(4095, 1)  # another speed is no new start
    clock.advance(started + REACTION_US + 1_000)
    assert {b.rule for b in watched.breaches} == {"limit"}
