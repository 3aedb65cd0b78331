"""Axes, sensors and the way of the tiles, driven at the motors and watched at the sensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from twin.geometry import MECHANICS, zone_number
from twin.tiles import AFI_DIE, AFI_TILE, make_set

SECOND = 1_000_000
LIFT = MECHANICS["axis"]["lift"]
DICE = MECHANICS["axis"]["dice"]
PLATE = MECHANICS["axis"]["plate"]
HEAD = MECHANICS["axis"]["head"]
FEED = MECHANICS["axis"]["feed"]
PUSHER = MECHANICS["axis"]["pusher"]


def when(table: Any, name: str, level: int = 1, seconds: float = 30) -> float:
    """Seconds from now until an input has this level."""
    start = table.clock.now
    end = table.run(seconds, lambda: table.board.inputs[name].level == level)
    assert table.board.inputs[name].level == level, name
    return end - start / SECOND


def lost_s(spec: dict[str, Any], drive: float = 1.0) -> float:
    """What a constant run-up from rest takes longer than the same way at full speed."""
    return float(drive * spec["run_up_ms"] / 2000)


def coast_mm(spec: dict[str, Any], drive: float = 1.0) -> float:
    """The way from this share of full speed to rest: the speed falls by the same amount each second."""
    return float(spec["speed_mm_s"] * spec["coast_ms"] / 2000 * drive**2)


def count_rises(table: Any, name: str) -> list[int]:
    rises: list[int] = []
    table.board.inputs[name].watch(lambda level: rises.append(table.clock.now) if level else None)
    return rises


@pytest.mark.parametrize("drive", [1.0, 0.5])
def test_plate_travels_at_its_speed(bench: Any, drive: float) -> None:
    table = bench()
    inputs, motor = table.board.inputs, table.board.motors["plate_2"]
    assert (inputs["plate_down_2"].level, inputs["plate_up_2"].level) == (1, 0)
    motor.run(drive)
    seconds = PLATE["travel_mm"] / PLATE["speed_mm_s"] / drive + lost_s(PLATE, drive)
    assert when(table, "plate_up_2") == pytest.approx(seconds, abs=1e-4)
    assert inputs["plate_down_2"].level == 0
    assert table.board.current_ma["plates"] == pytest.approx(1000 * drive * PLATE["current_a"])


def test_driving_against_the_end_stalls_and_reversing_frees(bench: Any) -> None:
    table = bench()
    table.board.motors["lift"].run(1.0)
    table.run(10)
    assert table.board.current_ma["lift"] == pytest.approx(1000 * LIFT["stall_a"])
    assert table.board.inputs["lift_up"].level == 1
    table.board.motors["lift"].run(-1.0)
    start = table.clock.now
    assert table.board.current_ma["lift"] == pytest.approx(1000 * (LIFT["stall_a"] + LIFT["current_a"]) / 2)
    table.run(LIFT["run_up_ms"] / 1000 + 0.001)
    assert table.board.current_ma["lift"] == pytest.approx(1000 * LIFT["current_a"])
    when(table, "lift_down")
    way = LIFT["travel_mm"] + LIFT["margin_mm"]  # from the mechanical end, beyond the switch
    seconds = way / LIFT["speed_mm_s"] + lost_s(LIFT)
    assert (table.clock.now - start) / SECOND == pytest.approx(seconds, abs=1e-4)
    table.board.motors["lift"].run(0.0)
    assert table.board.current_ma["lift"] == 0


@pytest.mark.parametrize("drive", [1.0, 0.4])
def test_an_axis_runs_on_beyond_its_switch_and_comes_to_rest_before_the_end(bench: Any, drive: float) -> None:
    table = bench()
    blows: list[float] = []
    axis, motor = table.world.mechanics.lift, table.board.motors["lift"]
    axis.struck = lambda direction, share: blows.append(share)
    motor.run(drive)
    when(table, "lift_up")
    motor.run(0.0)
    assert axis.moving
    table.run(drive * LIFT["coast_ms"] / 1000 + 0.001)
    assert not axis.moving
    assert axis.position == pytest.approx(LIFT["travel_mm"] + coast_mm(LIFT, drive), abs=0.01)
    assert blows == []
    assert table.board.inputs["lift_up"].level == 1


def test_what_is_not_switched_off_strikes_its_end(bench: Any) -> None:
    table = bench()
    blows: list[float] = []
    axis = table.world.mechanics.lift
    axis.struck = lambda direction, share: blows.append(share)
    table.board.motors["lift"].run(1.0)
    table.run(3)
    assert blows == [pytest.approx(1.0)]
    assert axis.position == LIFT["travel_mm"] + LIFT["margin_mm"]


def test_turning_back_at_speed_takes_the_way_to_rest_first(bench: Any) -> None:
    table = bench()
    axis, motor = table.world.mechanics.axes["pusher_0"], table.board.motors["pusher_0"]
    motor.run(1.0)
    when(table, "pusher_end_0")
    motor.run(-1.0)
    table.run(PUSHER["run_up_ms"] / 1000)  # the motor brakes as fast as it starts
    assert axis.position == pytest.approx(
        PUSHER["travel_mm"] + PUSHER["speed_mm_s"] * PUSHER["run_up_ms"] / 2000, abs=0.01
    )
    seconds = PUSHER["run_up_ms"] / 1000 + PUSHER["travel_mm"] / PUSHER["speed_mm_s"]
    assert when(table, "pusher_home_0") == pytest.approx(seconds, abs=1e-4)


def test_too_little_power_does_not_turn_a_motor(bench: Any) -> None:
    table = bench()
    least = MECHANICS["drive"]["pwm_min"] / MECHANICS["drive"]["pwm_full"]
    table.board.motors["plate_0"].run(least * 0.9)
    table.run(60)
    assert table.board.inputs["plate_down_0"].level == 1
    assert table.board.current_ma["plates"] == pytest.approx(900 * least * PLATE["stall_a"])


def test_an_axis_that_turns_back_half_way_meets_its_switch_again(bench: Any) -> None:
    table = bench()
    motor = table.board.motors["pusher_1"]
    motor.run(1.0)
    table.run(0.1)
    motor.run(0.0)
    table.run(5)
    assert table.board.inputs["pusher_home_1"].level == 0
    motor.run(-1.0)
    way = PUSHER["speed_mm_s"] * (0.1 - lost_s(PUSHER)) + coast_mm(PUSHER)
    assert when(table, "pusher_home_1") == pytest.approx(way / PUSHER["speed_mm_s"] + lost_s(PUSHER), abs=1e-4)
    assert table.board.inputs["pusher_end_1"].level == 0


def test_pulses_of_the_pan_in_both_directions(bench: Any) -> None:
    table = bench()
    rises = count_rises(table, "pan_pulse")
    spec = MECHANICS["axis"]["pan"]
    for drive in (1.0, -1.0):
        rises.clear()
        table.board.motors["pan"].run(drive)
        table.run(10)
        assert abs(len(rises) - 10 * spec["speed_turns_s"] * spec["pulses_a_turn"]) <= 1


# The relay


def test_relay_needs_its_output_and_opens_by_lid_and_stop(bench: Any) -> None:
    table = bench()
    inputs, enable = table.board.inputs, table.board.outputs["relay_enable"]
    mechanics = table.world.mechanics
    assert inputs["relay_closed"].level == 0
    enable.set(1)
    assert inputs["relay_closed"].level == 0  # contacts take their time
    assert when(table, "relay_closed") < 0.05
    for change in (mechanics.set_lid, mechanics.set_estop):
        change(True)
        assert inputs["relay_closed"].level == 0
        change(False)
        when(table, "relay_closed")
    enable.set(0)
    assert inputs["relay_closed"].level == 0
    enable.set(1)
    enable.set(0)
    table.run(1)
    assert inputs["relay_closed"].level == 0


# The way of the tiles


def feeding(bench: Any, side: int = 3, **more: Any) -> Any:
    table = bench(**more)
    for motor in ("pan", "ring", f"feed_{side}"):
        table.board.motors[motor].run(1.0)
    return table


def test_a_tile_waits_alone_over_the_gate_until_the_cam_lifts_it(bench: Any) -> None:
    table = feeding(bench)
    when(table, "feed_tile_3")
    gate = zone_number("gate.3")

    def at_gate() -> list[Any]:
        return [t for t in table.world.tiles if gate in table.air.zones_at(t.x, t.y, t.z)]

    table.run(5)
    (tile,) = at_gate()
    table.board.motors["head_3"].run(1.0)
    lift_s = HEAD["turn_s"] * HEAD["lift_at"]
    assert when(table, "feed_tile_3", 0) == pytest.approx(lift_s + lost_s(HEAD), abs=1e-4)
    assert at_gate() == []
    assert when(table, "head_home_3") == pytest.approx(HEAD["turn_s"] - lift_s, abs=1e-4)
    table.board.motors["head_3"].run(0.0)
    when(table, "feed_tile_3")
    assert at_gate() not in ([], [tile])
    assert table.board.inputs["head_full_3"].level == 0


def test_gap_between_two_tiles(bench: Any) -> None:
    table = feeding(bench)
    when(table, "feed_tile_3")
    table.board.motors["head_3"].run(1.0)
    when(table, "feed_tile_3", 0)
    assert when(table, "feed_tile_3") >= FEED["gap_s"] - 1e-5


@pytest.mark.parametrize("still", ["pan", "ring", "feed_3"])
def test_no_tile_comes_while_a_conveying_motor_stands(bench: Any, still: str) -> None:
    table = feeding(bench)
    table.board.motors[still].run(0.0)
    table.run(10)
    assert table.board.inputs["feed_tile_3"].level == 0
    table.board.motors[still].run(1.0)
    assert when(table, "feed_tile_3") < 2


def test_a_full_head_blocks_the_cam_until_the_stack_is_pushed(bench: Any) -> None:
    table = feeding(bench)
    cam, pusher = table.board.motors["head_3"], table.board.motors["pusher_3"]
    cam.run(1.0)
    when(table, "head_full_3")
    table.run(3)
    assert table.board.inputs["feed_tile_3"].level == 1
    assert table.board.current_ma["heads"] == pytest.approx(1000 * HEAD["stall_a"])
    pusher.run(1.0)
    stroke_s = PUSHER["travel_mm"] / PUSHER["speed_mm_s"] + lost_s(PUSHER)
    assert when(table, "pusher_end_3") == pytest.approx(stroke_s, abs=1e-4)
    assert table.board.inputs["head_full_3"].level == 0
    assert table.board.inputs["feed_tile_3"].level == 1  # the pusher is still in the way
    pusher.run(-1.0)
    when(table, "pusher_home_3")
    assert table.board.inputs["feed_tile_3"].level == 0
    table.run(HEAD["run_up_ms"] / 1000 + 0.001)
    assert table.board.current_ma["heads"] == pytest.approx(1000 * HEAD["current_a"])


def test_four_sides_stack_and_raise_complete_walls(bench: Any) -> None:
    table = bench()
    table.controlled().stack()
    seconds = table.run(80, lambda: table.world.mechanics.walls_up)
    assert table.world.mechanics.walls_up
    assert [sum(t.place == f"wall.{seat}" for t in table.world.tiles) for seat in range(4)] == [36] * 4
    # The least a side can need: two tiles' gap and cam turn and a pusher stroke for each of 18 stacks, one rise.
    stack = 2 * (FEED["gap_s"] + 0.6 * HEAD["turn_s"]) + 2 * PUSHER["travel_mm"] / PUSHER["speed_mm_s"]
    assert seconds > 18 * stack
    assert len(table.world.mechanics.pan) == 0


def test_the_seed_decides_the_order_of_the_wall(bench: Any) -> None:
    def walls(seed: int) -> list[Any]:
        table = bench(seed=seed)
        table.controlled().stack()
        table.run(80, lambda: table.world.mechanics.walls_up)
        standing = table.world.mechanics.standing
        return [standing[seat, stack][level].number for seat, stack in sorted(standing) for level in (0, 1)]

    assert walls(1) == walls(1)
    assert sorted(walls(1)) == list(range(144))
    assert walls(1) != walls(2)


def test_surface_sensor_sees_what_stands_over_lowered_plates(bench: Any) -> None:
    table = bench()
    table.controlled().stack()
    surface = table.board.inputs["surface_object"]
    table.run(80, lambda: table.world.mechanics.walls_up)
    table.run(1)
    assert surface.level == 0
    table.board.motors["plate_1"].run(-1.0)
    when(table, "plate_down_1")
    assert surface.level == 1
    for stack in range(18):
        for level in (1, 0):
            table.world.mechanics.take(1, stack, level)
    assert surface.level == 0
    table.world.mechanics.reach_into_gap(1)
    assert surface.level == 1


def test_tiles_fall_in_only_while_the_console_is_up(bench: Any) -> None:
    table = bench()
    mechanics = table.world.mechanics
    tile = table.world.tiles[0]
    del mechanics.pan[tile]
    with pytest.raises(ValueError, match="console is down"):
        mechanics.drop_in(tile)
    table.board.motors["lift"].run(1.0)
    when(table, "lift_up")
    mechanics.drop_in(tile)
    assert tile in mechanics.pan
    assert table.board.inputs["console_object"].level == 0
    mechanics.lay_on_console(1)
    assert table.board.inputs["console_object"].level == 1


# Tags and dice


def test_tags_carry_the_registered_memory() -> None:
    tiles = make_set(1, seed=5)
    assert len({tile.tag.uid for tile in tiles}) == 144
    for tile in (tiles[0], tiles[139]):
        assert tile.tag.memory[:4] == bytes((0x50, 0x4A, 1, tile.number))
        assert tile.tag.memory[6:8] == b"\x01\x00"
        assert tile.tag.afi == AFI_TILE + 1
        assert tile.tag.uid >> 40 == 0xE00401
        assert tile.tag.uid >> 32 & 0x18 == 0x08  # SLIX2 by its type bits
    assert (tiles[0].face, tiles[139].face, tiles[135].face) == ("1m", "4f", "P")
    assert [t.tag.uid for t in make_set(1, seed=5)] == [t.tag.uid for t in tiles]
    assert [t.tag.uid for t in make_set(0, seed=5)] != [t.tag.uid for t in tiles]


def lying(table: Any) -> list[Any]:
    return [list(table.air.present[n].values()) for n in range(16, 18)]


@pytest.mark.parametrize("values", [(1, 6), (3, 3), (5, 2)])
def test_only_the_face_a_die_lies_on_is_in_reach(bench: Any, values: tuple[int, int]) -> None:
    table = bench()
    dice = table.world.mechanics.dice
    dice.fall = values
    table.board.motors["dice"].run(1.0)
    table.run(1.2)
    assert lying(table) == [[], []]
    assert dice.values is None
    table.board.motors["dice"].run(0.0)
    stopped = table.clock.now
    table.run(5, lambda: dice.values is not None)
    assert (table.clock.now - stopped) / SECOND == pytest.approx(DICE["coast_ms"] / 1000 + DICE["settle_s"])
    for die, (faces, value) in enumerate(zip(lying(table), values, strict=True)):
        (face,) = faces
        assert 7 - face.face == value
        assert bytes(face.tag.memory[:4]) == bytes((0x50, 0x44, die, face.face))
        assert face.tag.afi == AFI_DIE


def test_throws_follow_the_seed_and_differ(bench: Any) -> None:
    def throws(seed: int) -> list[Any]:
        table = bench(seed=seed)
        values = []
        for _ in range(12):
            table.board.motors["dice"].run(1.0)
            table.run(1)
            table.board.motors["dice"].run(0.0)
            table.run(1)
            values.append(table.world.mechanics.dice.values)
        return values

    assert throws(1) == throws(1)
    assert throws(1) != throws(2)
    assert len(set(throws(1))) > 5


def test_nobody_plays_without_a_script(bench: Any) -> None:
    table = bench()
    pressed: list[Callable[[], None]] = []
    for name in ("button_raise", "button_dice", "button_refill"):
        table.board.inputs[name].watch(lambda level: pressed.append(level))
    table.world.start()
    table.run(60)
    assert table.world.done
    assert table.world.phase == "idle"
    assert pressed == []
