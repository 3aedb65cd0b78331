"""The technician's commands: leased, only with the key turned, never past an end or under a hand."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.caretaker import Caretaker
from support.workbench import Shop

from paiju.table import Reply
from paiju.technician.faults import AXES, catalogue

LIFT, PLATE_0, PAN = AXES.index("lift"), AXES.index("plate E"), AXES.index("pan")


def ask(shop: Shop, name: str, *args: int) -> Reply:
    return asyncio.run(shop.command(name, *args))


def key(shop: Shop, turned: int = 1) -> None:
    shop.table.board.inputs["service_key"].set(turned)
    shop.table.run_for(0.2)


@pytest.mark.parametrize(("name", "args"), [("jog", (LIFT, 0, 40)), ("home", ()), ("test", (PAN,)), ("forget", ())])
def test_without_the_key_nothing_moves(name: str, args: tuple[int, ...], tmp_path: Path) -> None:
    with Shop(tmp_path) as shop:
        assert ask(shop, name, *args).status == "mode"
        assert not shop.table.world.mechanics.anything_moves


def test_jog_stops_when_the_host_falls_silent(tmp_path: Path) -> None:
    with Shop(tmp_path) as shop:
        key(shop)
        lift = shop.table.world.mechanics.lift
        pending = shop.lease("jog", LIFT, 0, 15)
        shop.table.run_for(1.0)
        assert lift.moving
        shop.connection.unplug()
        shop.table.run_for(2.2)
        assert not lift.moving
        assert pending.reply is not None
        assert pending.reply.ok
        shop.table.check()


def test_jog_stops_at_the_end_and_under_a_hand_and_by_the_key(tmp_path: Path) -> None:
    with Shop(tmp_path) as shop:
        key(shop)
        mechanics = shop.table.world.mechanics
        pending = shop.lease("jog", LIFT, 0, 100)
        shop.table.run_for(4)
        assert mechanics.console_open
        assert not mechanics.lift.drive
        shop.release(pending)
        assert ask(shop, "jog", LIFT, 0, 50).status == "range"
        mechanics.reach_into_gap(1)
        shop.table.run_for(0.1)
        assert ask(shop, "jog", LIFT, 1, 50).status == "mode"
        assert ask(shop, "jog", PLATE_0, 0, 50).status == "mode"
        mechanics.reach_into_gap(-1)
        shop.table.run_for(0.1)
        pending = shop.lease("jog", LIFT, 1, 20)
        shop.table.run_for(1)
        assert mechanics.lift.moving
        key(shop, 0)
        assert not mechanics.lift.moving
        shop.release(pending)
        shop.table.check()


def test_home_brings_a_jogged_axis_back(tmp_path: Path) -> None:
    with Shop(tmp_path) as shop:
        key(shop)
        mechanics = shop.table.world.mechanics
        pending = shop.lease("jog", LIFT, 0, 60)
        shop.table.run_for(1)
        shop.release(pending)
        shop.table.run_for(2.5)
        assert mechanics.lift.position > 5
        assert ask(shop, "home").ok
        assert mechanics.sensors["lift_down"].level == 1
        shop.table.check()


def test_self_test_of_every_axis(tmp_path: Path) -> None:
    with Shop(tmp_path) as shop:
        key(shop)
        mechanics = shop.table.world.mechanics
        mechanics.axes["plate_2"].ail(dead=True)
        mechanics.axes["ring"].ail(stuck=True)
        mechanics.sensors["lift_up"].stick(0)
        bad = {}
        for number, name in enumerate(AXES):
            reply = ask(shop, "test", number)
            assert reply.ok, (name, reply)
            if reply.fields["code"]:
                bad[name] = catalogue()[int(reply.fields["code"])].name
        assert bad == {"plate W": "MOTOR_OPEN", "ring": "RING_SYNC", "lift": "LIFT_NOT_UP"}


def test_counters_survive_a_power_cut(tmp_path: Path) -> None:
    with Shop(tmp_path) as shop:
        caretaker = Caretaker(shop.table)
        assert caretaker.build() == "up"
        before = ask(shop, "counters").fields
        assert (before["cycles"], before["walls"], before["stops"]) == (1, 1, 0)
        assert int(before["pan"]) >= 15
        shop.table.cut_power()
        shop.table.kernel.start()
        shop.table.run_for(3)
        assert ask(shop, "counters").fields == before


def test_commands_in_the_wrong_mode_are_refused(tmp_path: Path) -> None:
    with Shop(tmp_path) as shop:
        caretaker = Caretaker(shop.table)
        caretaker.press("raise")
        caretaker.wait(lambda: caretaker.state == "stack")
        assert ask(shop, "setup", 17, 1, 2).status == "busy"
        key(shop)
        assert ask(shop, "jog", PAN, 0, 50).status == "busy"
        assert ask(shop, "home").status == "busy"
        key(shop, 0)
        assert caretaker.until_rest() == "up"


def test_the_first_stack_is_told_from_the_dice(tmp_path: Path) -> None:
    with Shop(tmp_path) as shop:
        caretaker = Caretaker(shop.table)
        assert caretaker.build() == "up"
        assert ask(shop, "dealer", 1).ok
        for fall in ((3, 4), (2, 6)):
            shop.table.world.mechanics.dice.fall = fall
            caretaker.press("dice")
            shop.table.run_for(4)
        assert len(caretaker.of("dice")) == 2
        (opening,) = caretaker.of("opening")
        # Dealer South throws 7: the seventh from South is West's right neighbour, North; 15 stacks are counted off.
        assert (opening["seat"], opening["stack"], opening["points"]) == (3, 15, 15)
