"""The technician's commands: leased, only with the key turned, never past an end or under a hand."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.caretaker import Caretaker
from support.workbench import Shop

from paiju.table import Reply
from paiju.table.host_link import CommandRefused
from paiju.technician.faults import AXES, catalogue
from tablelink import messages

LIFT, PLATE_0, PAN = AXES.index("lift"), AXES.index("plate E"), AXES.index("pan")


def ask(shop: Shop, name: str, *args: int) -> Reply:
    return asyncio.run(shop.command(name, *args))


def key(shop: Shop, turned: int = 1) -> None:
    shop.table.board.inputs["service_key"].set(turned)
    shop.table.run_for(0.2)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [((19, 1, 2), "stacks of setup is 10 to 18, not 19."), ((9, 1, 2), "stacks of setup is 10 to 18, not 9."),
     ((18, 3, 2), "sets of setup is 1 to 2, not 3."), ((18, 1, 3), "throws of setup is 1 to 2, not 3.")],
)  # fmt: skip
def test_settings_that_the_plates_have_no_room_for_are_refused(
    args: tuple[int, ...], sentence: str, tmp_path: Path
) -> None:
    """By the host with a sentence, and by the table from whatever host."""
    with Shop(tmp_path) as shop:
        with pytest.raises(CommandRefused, match=sentence):
            ask(shop, "setup", *args)
        number = messages.COMMANDS.get("setup").number
        lax = messages.Command(number, "setup", "stacks:u8:0..255 sets:u8:0..255 throws:u8:0..255")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(messages.Commands, "get", lambda self, key: lax)
            assert ask(shop, "setup", *args).status == "range"


@pytest.mark.parametrize(("name", "args"), [("jog", (20, 0, 40)), ("test", (20,)), ("jog", (PLATE_0, 1, 40))])
def test_no_axis_goes_where_there_is_none(name: str, args: tuple[int, ...], tmp_path: Path) -> None:
    """There is no axis 20, and a lowered plate cannot be lowered."""
    with Shop(tmp_path) as shop:
        key(shop)
        assert ask(shop, name, *args).status == "range"
        shop.table.run_for(1)
        assert not shop.table.world.mechanics.anything_moves


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
        assert ask(shop, "forget").status == "mode"
        key(shop)
        assert ask(shop, "jog", PAN, 0, 50).status == "busy"
        assert ask(shop, "home").status == "busy"
        key(shop, 0)
        assert caretaker.until_rest() == "up"


TURN = 0


def lamps(shop: Shop, lamp: int) -> list[int]:
    """Seats at which the lamp is lit."""
    return [seat for seat, panel in enumerate(shop.table.board.panels) if panel.rows[10] >> lamp & 1]


def throw(shop: Shop, caretaker: Caretaker, *fall: int) -> None:
    shop.table.world.mechanics.dice.fall = (fall[0], fall[1])
    caretaker.press("dice")
    shop.table.run_for(4)


@pytest.mark.parametrize(
    ("dealer", "throws", "thrower", "opened", "text"),
    [
        # Dealer South throws 7: the seventh from South is West's right neighbour, North; 15 stacks are counted off.
        (1, ((3, 4), (2, 6)), 3, (3, 15, 15), "15-16"),
        # 8 leads back to East, whose 18 stacks are fewer than 20: two more are counted at the next wall to the left.
        (1, ((3, 5), (6, 6)), 0, (3, 2, 20), " 2- 3"),
    ],
)
def test_two_throws_open_the_wall(
    dealer: int, throws: tuple[tuple[int, int], ...], thrower: int, opened: tuple[int, int, int], text: str,
    tmp_path: Path,
) -> None:  # fmt: skip
    """Rules of 1998: the first throw says who throws again, both together how many stacks are counted off."""
    with Shop(tmp_path) as shop:
        caretaker = Caretaker(shop.table)
        assert caretaker.build() == "up"
        assert ask(shop, "dealer", dealer).ok
        assert lamps(shop, TURN) == []
        throw(shop, caretaker, *throws[0])
        assert lamps(shop, TURN) == [thrower]
        assert caretaker.of("opening") == []
        throw(shop, caretaker, *throws[1])
        assert lamps(shop, TURN) == []
        assert len(caretaker.of("dice")) == 2
        (opening,) = caretaker.of("opening")
        assert (opening["seat"], opening["stack"], opening["points"]) == opened
        others = ["     "] * 4
        assert caretaker.displays == [*others[: opened[0]], text, *others[opened[0] + 1 :]]
        assert caretaker.clear_table()
        assert caretaker.displays == others


def test_stacks_are_counted_as_many_as_the_wall_has(tmp_path: Path) -> None:
    """17 a side: 20 stacks are 17 of one wall and 3 of the next; the wall that stands counts, not the next setting."""
    with Shop(tmp_path) as shop:
        mechanics = shop.table.world.mechanics
        mechanics.stacks = 17
        for tile in list(mechanics.pan)[: 144 - 8 * 17]:
            del mechanics.pan[tile]
        assert ask(shop, "setup", 17, 1, 2).ok
        caretaker = Caretaker(shop.table)
        assert caretaker.build() == "up"
        assert ask(shop, "setup", 18, 1, 2).ok
        throw(shop, caretaker, 4, 5)
        throw(shop, caretaker, 5, 6)
        (opening,) = caretaker.of("opening")
        assert (opening["seat"], opening["stack"], opening["points"]) == (3, 3, 20)
        assert caretaker.displays[3] == " 3- 4"


def test_an_opening_that_nobody_waits_for_any_more_is_not_shown(tmp_path: Path) -> None:
    """Collected between the two throws; and a fault in between takes the displays only for its time."""
    with Shop(tmp_path) as shop:
        caretaker = Caretaker(shop.table)
        assert caretaker.build() == "up"
        throw(shop, caretaker, 3, 4)
        assert lamps(shop, TURN) == [2]
        assert caretaker.clear_table()
        assert lamps(shop, TURN) == []
        assert caretaker.build() == "up"
        throw(shop, caretaker, 3, 4)
        throw(shop, caretaker, 2, 6)
        text = caretaker.displays
        assert text[2] == "15-16"
        shop.table.world.mechanics.set_lid(True)
        shop.table.run_for(0.5)
        assert caretaker.displays == ["E43  "] * 4
        shop.table.world.mechanics.set_lid(False)
        shop.table.run_for(0.5)
        caretaker.press("raise")
        shop.table.run_for(1)
        assert caretaker.displays == text


def test_one_throw_opens_the_wall(tmp_path: Path) -> None:
    """The other text: a single press; with 7 the seventh stack of the player opposite is the first."""
    with Shop(tmp_path) as shop:
        assert ask(shop, "setup", 18, 1, 1).ok
        caretaker = Caretaker(shop.table)
        assert caretaker.build() == "up"
        throw(shop, caretaker, 3, 4)
        (opening,) = caretaker.of("opening")
        assert (opening["seat"], opening["stack"], opening["points"]) == (2, 6, 7)
        assert caretaker.displays == ["     ", "     ", " 6- 7", "     "]
        assert lamps(shop, TURN) == []


def test_what_the_host_writes_comes_back_after_the_opening(tmp_path: Path) -> None:
    with Shop(tmp_path) as shop:
        caretaker = Caretaker(shop.table)
        assert caretaker.build() == "up"
        assert ask(shop, "display", 3, b"  123").ok
        for fall in ((1, 3), (1, 1)):
            throw(shop, caretaker, *fall)
        assert caretaker.displays[3] == " 6- 7"
        assert caretaker.clear_table()
        assert caretaker.displays[3] == "  123"
