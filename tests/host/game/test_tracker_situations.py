"""What happens at real tables and hardly in recorded hands, one situation a test."""

import pytest
from scene import IDLE, Scene

from paiju.game.actions import Action, ActionKind, Confidence
from paiju.game.attention import Attention, Reason
from paiju.game.case import SETTLE_MS
from paiju.game.position import Setup

WAITS_ON_25S = ["3s", "4s", "1m", "2m", "3m", "4p", "5p", "6p", "5m", "6m", "7m", "N", "N"]
A = ActionKind


def actions(reports: list[object]) -> list[Action]:
    return [report for report in reports if isinstance(report, Action)]


# -- plain and guessed steps


def test_a_plain_discard_is_told_with_its_own_event() -> None:
    scene = Scene()
    (tile,) = scene.held(0, "P")
    (told,) = actions(scene.move(tile, 0, "pond"))
    assert (told.kind, told.seat, told.tiles, told.confidence) == (A.DISCARD, 0, (tile,), Confidence.SEEN)
    assert told.ms == scene.ms


def test_tile_drawn_and_discarded_without_ever_being_seen_in_the_hand() -> None:
    scene = Scene()
    scene.discard(0, "P")
    told = actions(scene.enter(scene.new("9m"), 1, "pond", 900))
    assert [(a.kind, a.seat) for a in told] == [(A.DRAW, 1), (A.DISCARD, 1)]


def test_discard_from_the_hand_waits_for_the_draw_nobody_saw() -> None:
    scene = Scene()
    scene.discard(0, "P")
    (tile,) = scene.held(1, "9s")
    assert not actions(scene.move(tile, 1, "pond", 900))
    drawn = scene.new("9m")
    told = actions(scene.enter(drawn, 1, "hand", 300))
    assert [(a.kind, a.tiles) for a in told] == [(A.DRAW, (drawn,)), (A.DISCARD, (tile,))]
    assert all(a.confidence is Confidence.SEEN for a in told)


def test_draw_that_stays_unseen_is_inferred_after_the_settle_time_and_completed_later() -> None:
    scene = Scene()
    scene.discard(0, "P")
    (tile,) = scene.held(1, "9s")
    scene.move(tile, 1, "pond", 900)
    told = actions(scene.wait(SETTLE_MS + 100))
    assert [(a.kind, a.confidence) for a in told] == [
        (A.DRAW, Confidence.INFERRED),
        (A.DISCARD, Confidence.SEEN),
    ]
    drawn = scene.new("9m")
    (late,) = actions(scene.enter(drawn, 1, "hand"))
    assert (late.number, late.kind, late.tiles, late.revision) == (told[0].number, A.DRAW, (drawn,), 1)


def test_two_discards_that_arrive_in_the_wrong_order() -> None:
    """F05: two moves in quick succession."""
    scene = Scene()
    first, second = scene.held(0, "P")[0], scene.new("9m")
    assert not actions(scene.enter(second, 1, "pond"))
    told = actions(scene.move(first, 0, "pond", 50))
    assert [(a.kind, a.seat) for a in told] == [(A.DISCARD, 0), (A.DRAW, 1), (A.DISCARD, 1)]
    assert not scene.open_items


def test_a_tile_that_passes_the_edge_of_the_pond() -> None:
    """F02: another tile of the seat shows in the pond for 400 ms before the real discard."""
    scene = Scene()
    passing, real = scene.held(0, "N")[0], scene.held(0, "P")[0]
    scene.move(passing, 0, "pond")
    scene.move(passing, 0, "hand", 400)
    scene.move(real, 0, "pond", 200)
    assert scene.acts == [(A.DISCARD, 0, "P")]
    assert not scene.last.flags
    assert [a.tiles for a in scene.hand.case.superseded] == [(passing,)]
    scene.turn(1)
    assert not scene.open_items


def test_a_discard_that_was_taken_back_is_flagged() -> None:
    scene = Scene()
    first, second = scene.held(0, "N")[0], scene.held(0, "P")[0]
    scene.move(first, 0, "pond")
    scene.move(first, 0, "hand", 1500)
    scene.move(second, 0, "pond", 500)
    assert scene.acts == [(A.DISCARD, 0, "P")]
    assert scene.last.flags == ("discard_changed",)
    assert [item.reason for item in scene.open_items] == [Reason.DISCARD_CHANGED]


# -- claims


def claim_scene() -> tuple[Scene, int, list[int]]:
    hands = [list(hand) for hand in IDLE]
    hands[2][:2] = ["P", "P"]
    scene = Scene(hands)
    live = scene.discard(0, "P")
    return scene, live, scene.held(2, "P", 2)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1), (1, 0, 2)])
def test_pung_in_any_order_of_its_tiles(order: tuple[int, int, int]) -> None:
    scene, live, own = claim_scene()
    tiles = [live, *own]
    for index in order[:2]:
        assert not actions(scene.move(tiles[index], 2, "meld"))
    (told,) = actions(scene.move(tiles[order[2]], 2, "meld"))
    assert (told.kind, told.seat, told.source, told.tiles) == (A.PUNG, 2, 0, (live, *own))


def test_discard_seen_before_the_claim_it_follows() -> None:
    scene, live, own = claim_scene()
    (out,) = scene.held(2, "F")
    scene.meld(2, live, own[0])
    assert not actions(scene.move(out, 2, "pond"))
    told = actions(scene.move(own[1], 2, "meld"))
    assert [(a.kind, a.seat) for a in told] == [(A.PUNG, 2), (A.DISCARD, 2)]


def test_claimed_tile_that_the_reader_does_not_find_again() -> None:
    scene, live, own = claim_scene()
    scene.leave(live)
    scene.meld(2, *own)
    assert scene.last.kind is A.DISCARD
    (told,) = actions(scene.wait(SETTLE_MS + 200))
    assert (told.kind, told.confidence, told.tiles) == (A.PUNG, Confidence.INFERRED, (live, *own))


def test_pung_after_the_next_player_drew_and_put_the_tile_back() -> None:
    scene, live, own = claim_scene()
    drawn = scene.draw(1, "9m")
    scene.leave(drawn)
    scene.meld(2, live, *own)
    assert scene.acts == [(A.DISCARD, 0, "P"), (A.PUNG, 2, "P P P")]
    assert scene.last.flags == ("draw_returned",)
    assert scene.hand.position.place[drawn] == -1


def test_kong_claim_seen_as_a_pung_first() -> None:
    hands = [list(hand) for hand in IDLE]
    hands[2][:3] = ["P", "P", "P"]
    scene = Scene(hands)
    live = scene.discard(0, "P")
    scene.meld(2, live, *scene.held(2, "P", 2))
    assert scene.last.kind is A.PUNG
    scene.meld(2, *scene.held(2, "P"))
    assert scene.acts == [(A.DISCARD, 0, "P"), (A.MELDED_KONG, 2, "P P P P")]
    scene.draw(2, "9m")
    assert scene.last.drawn_from == "kong"


def test_chow_only_from_the_left() -> None:
    hands = [list(hand) for hand in IDLE]
    hands[2][:2] = ["2s", "4s"]
    scene = Scene(hands)
    live = scene.discard(0, "3s")
    scene.meld(2, live, *scene.held(2, "2s"), scene.held(2, "4s")[0])
    assert scene.last.kind is A.DISCARD
    scene.wait(SETTLE_MS + 400)
    (item,) = scene.open_items
    assert (item.zone, len(item.tiles)) == (9, 3)


# -- kongs


def test_concealed_kong_with_the_drawn_tile_never_seen_in_the_hand() -> None:
    hands = [list(hand) for hand in IDLE]
    hands[1][:3] = ["9m", "9m", "9m"]
    scene = Scene(hands)
    scene.discard(0, "P")
    own = scene.held(1, "9m", 3)
    fourth = scene.new("9m")
    scene.meld(1, *own)
    assert scene.last.kind is A.DISCARD
    told = actions(scene.enter(fourth, 1, "meld"))
    assert [a.kind for a in told] == [A.DRAW, A.CONCEALED_KONG]


def added_kong_scene(late: bool = False) -> Scene:
    """Seat 0 has an exposed pung of 5s and has just added the fourth; seat 1 waits for 2s and 5s.

    late: the fourth is read only after seat 0 has also discarded its replacement, a 9m nobody saw in the hand.
    """
    hands = [list(hand) for hand in IDLE]
    hands[0][:2] = ["5s", "5s"]
    hands[1] = WAITS_ON_25S
    scene = Scene(hands)
    scene.discard(0, "P")
    for seat in (1, 2):
        scene.turn(seat)
    live = scene.turn(3, "5s")
    scene.meld(0, live, *scene.held(0, "5s", 2))
    scene.discard(0, "W")
    for seat in (1, 2, 3):
        scene.turn(seat)
    if late:
        fourth = scene.new("5s")
        scene.enter(scene.new("9m"), 0, "pond", 900)
        scene.enter(fourth, 0, "meld")
        return scene
    scene.meld(0, scene.draw(0, "5s"))
    assert scene.last.kind is A.ADDED_KONG
    return scene


def test_robbing_a_kong() -> None:
    scene = added_kong_scene()
    robbed = scene.last.tiles[0]
    scene.declare(1)
    scene.move(robbed, 1, "hand", 800)
    result = scene.record.result
    assert (result.winner, result.source, result.by) == (1, 0, "robbed_kong")
    assert result.hand is not None
    assert result.hand.robbing_kong
    assert "Robbing The Kong" in {line.names["en"] for line in result.fans}
    assert [meld.kind for meld in scene.record.position.melds[0]] == [A.PUNG]


def test_added_kong_read_only_after_the_replacement_was_played() -> None:
    plain = added_kong_scene()
    plain.turn(0, "9m")
    late = added_kong_scene(late=True)
    assert late.acts == plain.acts
    assert [a.drawn_from for a in late.hand.actions] == [a.drawn_from for a in plain.hand.actions]


def test_win_on_the_replacement_of_a_kong() -> None:
    hands = [list(hand) for hand in IDLE]
    hands[1] = ["9m", "9m", "9m", "1m", "2m", "3m", "4p", "5p", "6p", "3s", "4s", "N", "N"]
    scene = Scene(hands)
    scene.discard(0, "P")
    scene.draw(1, "9m")
    scene.meld(1, *scene.held(1, "9m", 4))
    scene.draw(1, "5s")
    scene.declare(1)
    result = scene.record.result
    assert (result.winner, result.by) == (1, "self_draw")
    assert result.hand is not None
    assert result.hand.kong_replacement


def test_win_on_the_replacement_of_a_flower_after_a_kong_is_no_kong_replacement() -> None:
    hands = [list(hand) for hand in IDLE]
    hands[1] = ["9m", "9m", "9m", "1m", "2m", "3m", "4p", "5p", "6p", "3s", "4s", "N", "N"]
    scene = Scene(hands, Setup(profile="mcr"))
    scene.discard(0, "P")
    scene.draw(1, "9m")
    scene.meld(1, *scene.held(1, "9m", 4))
    flower = scene.draw(1, "3f")
    scene.meld(1, flower)
    scene.draw(1, "5s")
    assert scene.last.drawn_from == "flower"
    scene.declare(1)
    items = [r for r in scene.wait(SETTLE_MS + 500) if isinstance(r, Attention)]
    assert scene.last.kind is A.DRAW
    assert [item.reason for item in items] == [Reason.BELOW_MINIMUM]


# -- the end of the wall


def waiting_hands(seat: int) -> list[list[str]]:
    hands = [list(hand) for hand in IDLE]
    hands[seat] = list(WAITS_ON_25S)
    return hands


@pytest.mark.parametrize("waiting", [1, 3])
def test_last_tile_of_the_wall(waiting: int) -> None:
    """Seat 3 draws it: it wins by self-draw, or seat 1 wins on the last discard."""
    scene = Scene(waiting_hands(waiting))
    tile = scene.new("5s")
    scene.discard(0, "P")
    seat = 1
    while scene.hand.position.wall_left > 9:
        scene.turn(seat)
        seat = (seat + 1) % 4
    assert seat == 3
    for number in range(1, 9):  # replaced from the tail one by one, so that a playing tile is left
        scene.meld(seat, scene.draw(seat, f"{number}f"))
    scene.enter(tile, seat, "hand")
    assert scene.hand.position.wall_left == 0
    if waiting == 1:
        scene.discard(seat, tile)
    scene.declare(waiting)
    result = scene.record.result
    assert (result.winner, result.source) == (waiting, None if waiting == 3 else 3)
    assert result.hand is not None
    assert result.hand.last_wall_tile
    assert result.hand.last_of_kind
    name = "Last Tile Draw" if waiting == 3 else "Last Tile Claim"
    assert name in {line.names["en"] for line in result.fans}


def test_drawn_hand_when_the_wall_is_empty() -> None:
    scene = Scene()
    scene.discard(0, "P")
    seat = 1
    while scene.hand.position.wall_left > 8:
        scene.turn(seat)
        seat = (seat + 1) % 4
    for number in range(1, 9):
        tile = scene.draw(seat, f"{number}f")
        if number < 8:
            scene.meld(seat, tile)
    scene.discard(seat, tile)
    assert scene.hand.position.wall_left == 0
    scene.say("button", seat=255, button="refill", pressed=1)
    assert scene.record.result.kind == "drawn"
    assert scene.record.actions[-1].flags == ("wall_exhausted",)
    assert not scene.record.attention


def test_hand_given_up_early_needs_attention() -> None:
    scene = Scene()
    scene.discard(0, "P")
    scene.say("cycle", state="collect", set="A")
    assert scene.record.result.kind == "drawn"
    assert [item.reason for item in scene.record.attention] == [Reason.WALL_NOT_EXHAUSTED]


# -- wins that do not hold


def test_declared_win_that_does_not_win_is_shown_and_the_hand_goes_on() -> None:
    scene = Scene()
    scene.discard(0, "N")
    scene.declare(1)
    scene.wait(SETTLE_MS + 500)
    assert [(item.reason, item.seat) for item in scene.open_items] == [(Reason.NOT_WINNING, 1)]
    scene.turn(1, "9m")
    assert scene.acts[-1] == (A.DISCARD, 1, "9m")


def test_win_below_the_minimum_is_proposed_not_applied() -> None:
    scene = Scene(waiting_hands(1))
    scene.discard(0, "P")
    scene.turn(1)
    scene.turn(2, "2s")
    scene.declare(1)
    scene.wait(SETTLE_MS + 500)
    assert scene.last.kind is A.DISCARD
    assert [item.reason for item in scene.open_items] == [Reason.BELOW_MINIMUM]


# -- out of place


def test_f06_knocked_over_wall_tile_is_noticed_and_clears_by_itself() -> None:
    scene = Scene()
    scene.discard(0, "P")
    acts = scene.acts
    tile = scene.new("9m")
    assert not scene.enter(tile, 3, "meld")
    (item,) = scene.wait(SETTLE_MS + 100)
    assert isinstance(item, Attention)
    assert (item.reason, item.zone, item.tiles, item.open) == (Reason.MISPLACED, 13, (tile,), True)
    scene.wait(5000)
    (cleared,) = scene.leave(tile)
    assert isinstance(cleared, Attention)
    assert (cleared.number, cleared.open) == (item.number, False)
    assert scene.acts == acts


def test_tile_gone_from_a_pond() -> None:
    scene = Scene()
    tile = scene.discard(0, "P")
    scene.turn(1)
    scene.leave(tile)
    scene.wait(SETTLE_MS + 100)
    assert [(i.reason, i.tiles) for i in scene.open_items] == [(Reason.MISSING, (tile,))]
    scene.enter(tile, 0, "pond")
    assert not scene.open_items


def test_draw_before_the_discard_is_held_until_the_discard_comes() -> None:
    scene = Scene()
    tile = scene.new("9m")
    assert not actions(scene.enter(tile, 1, "hand"))
    told = actions(scene.move(scene.held(0, "P")[0], 0, "pond"))
    assert [(a.kind, a.seat) for a in told] == [(A.DISCARD, 0), (A.DRAW, 1)]


def test_tile_of_the_other_set() -> None:
    scene = Scene()
    scene.say("enter", zone=6, tile=256 + 5)
    assert [item.reason for item in scene.open_items] == [Reason.FOREIGN_TILE]


# -- who deals


def test_the_table_shows_that_another_seat_deals() -> None:
    scene = Scene([IDLE[1], IDLE[0], IDLE[2], IDLE[3]], Setup(dealer=0))
    (tile,) = [t for t in range(136) if scene.hand.case.seen[t] == 4 and t // 4 == 33]
    reports = scene.move(tile, 1, "pond")
    assert scene.tracker.setup.dealer == 1
    assert scene.acts == [(A.DISCARD, 1, "P")]
    assert Reason.DEALER in {r.reason for r in reports if isinstance(r, Attention)}


# -- the table's clock and lost events


def test_restart_of_the_table_in_the_middle_of_a_hand() -> None:
    scene = Scene()
    scene.discard(0, "P")
    before = scene.last.ms
    scene.boot, scene.ms = 2, 0
    scene.say("boot", reason="power_on", count=2, version=1)
    scene.turn(1)
    assert scene.acts[-1][0] is A.DISCARD
    assert scene.last.ms > before
    assert not scene.open_items


def test_clock_that_jumps_back_and_lost_events_are_noticed() -> None:
    scene = Scene()
    scene.ms -= 1000
    scene.discard(0, "P")
    scene.say("gap", first=1, last=2, reason="overwritten")
    assert {item.reason for item in scene.open_items} == {Reason.CLOCK, Reason.GAP}


# -- corrections


def test_f03_f07_correction_of_a_discard_two_turns_later() -> None:
    """The record is derived again from there, and what was superseded is kept."""
    scene = Scene()
    wrong, right = scene.held(0, "N")[0], scene.held(0, "S")[0]
    scene.discard(0, wrong)
    scene.turn(1)
    scene.turn(2)
    number = next(a.number for a in scene.hand.actions if a.tiles == (wrong,))
    before = scene.acts
    reports = scene.tracker.correct(
        number, [Action(0, A.DISCARD, 0, (right,))], who="referee", why="read as another tile"
    )
    assert scene.acts == [(A.DISCARD, 0, "S"), *before[1:]]
    assert [(a.number, a.revision, a.confidence) for a in actions(reports)] == [(number, 1, Confidence.PERSON)]
    assert [a.tiles for a in scene.hand.case.superseded] == [(wrong,)]
    scene.say("cycle", state="collect", set="A")
    assert [(c.number, c.who) for c in scene.record.corrections] == [(number, "referee")]


def test_correction_of_something_that_is_not_there() -> None:
    scene = Scene()
    with pytest.raises(ValueError, match="no action 99"):
        scene.tracker.correct(99, [], who="referee", why="")


# -- the attention list in a person's hands


def test_discard_out_of_turn_is_proposed_and_taken_when_a_person_says_so() -> None:
    scene = Scene()
    scene.discard(0, "P")
    tile = scene.new("9m")
    scene.enter(tile, 2, "pond")
    (item,) = scene.wait(SETTLE_MS + 100)
    assert isinstance(item, Attention)
    assert item.explanations == ("draw 2 9m, discard 2 9m",)
    assert scene.acts == [(A.DISCARD, 0, "P")]
    scene.tracker.accept(item.number, 0, who="referee", why="seat 1 was passed over")
    assert scene.acts == [(A.DISCARD, 0, "P"), (A.DRAW, 2, "9m"), (A.DISCARD, 2, "9m")]
    assert scene.last.flags == ("out_of_turn",)
    assert not scene.open_items
    scene.turn(3)
    assert scene.acts[-1][:2] == (A.DISCARD, 3)


def test_unread_tile_of_a_claim_is_proposed_by_likelihood() -> None:
    hands = [list(hand) for hand in IDLE]
    hands[1] = ["2s", "4s", "3s", "3s", "9p", "9m", "1m", "E", "S", "W", "N", "C", "F"]
    scene = Scene(hands)
    live = scene.discard(0, "3s")
    three, four = scene.held(1, "3s")[0], scene.held(1, "4s")[0]
    scene.leave(four)
    scene.meld(1, live, scene.held(1, "2s")[0])
    scene.wait(SETTLE_MS + 200)
    (item,) = scene.open_items
    assert item.explanations == ("chow 1 3s 2s 4s",)
    scene.tracker.accept(item.number, 0, who="operator", why="seen with own eyes")
    assert scene.last.kind is A.CHOW
    assert four in scene.last.tiles
    assert three in scene.hand.position.hands[1]
    scene.discard(1, "9m")
    assert scene.acts[-1] == (A.DISCARD, 1, "9m")


def test_dismissed_item_stays_closed_while_nothing_changes() -> None:
    scene = Scene()
    scene.discard(0, "P")
    scene.enter(scene.new("9m"), 3, "meld")
    scene.wait(SETTLE_MS + 100)
    (item,) = scene.open_items
    scene.tracker.dismiss(item.number, "operator", "looked at it")
    scene.turn(1)
    scene.wait(SETTLE_MS + 100)
    assert not scene.open_items
    with pytest.raises(ValueError, match="no attention item 9"):
        scene.tracker.dismiss(9, "operator", "")
    with pytest.raises(ValueError, match="no explanation"):
        scene.tracker.accept(item.number, 3, "", "")


def test_self_draw_after_a_tile_that_was_never_read_asks_which_tile_was_drawn() -> None:
    hands = waiting_hands(1)
    hands[1] = ["4s", "1m", "2m", "3m", "4p", "5p", "6p", "7s", "8s", "9s", "N", "N"]
    scene = Scene(hands)
    scene.discard(0, "P")  # ends the deal: seat 1 holds a tile that no reader found
    drawn = scene.draw(1, "5s")
    scene.enter(scene.new("3s"), 1, "hand")
    scene.declare(1)
    assert scene.record.result.winner == 1
    assert scene.record.actions[-1].tiles[0] == drawn
    assert [item.reason for item in scene.record.attention] == [Reason.AMBIGUOUS]


def test_win_with_a_wrong_number_of_tiles() -> None:
    scene = Scene()
    scene.discard(0, "N")
    scene.leave(scene.held(1, "E")[0])
    scene.declare(1)
    scene.wait(SETTLE_MS + 500)
    assert [(item.reason, item.seat) for item in scene.open_items] == [(Reason.TILE_COUNT, 1)]


# -- overlooked tiles


def test_discard_that_no_reader_found_is_inferred_from_the_hand_it_left() -> None:
    scene = Scene()
    scene.discard(0, "P")
    scene.draw(1, "9m")
    (tile,) = scene.held(1, "9s")
    scene.leave(tile)
    scene.turn(2)
    scene.draw(3, "9m")
    assert scene.acts[-1][:2] == (A.DRAW, 1)
    scene.wait(SETTLE_MS + 100)
    overlooked = next(a for a in scene.hand.actions if a.tiles == (tile,))
    assert (overlooked.kind, overlooked.seat, overlooked.confidence) == (A.DISCARD, 1, Confidence.INFERRED)
    assert scene.acts[-1] == (A.DRAW, 3, "9m")
    scene.enter(tile, 1, "pond")
    assert not scene.open_items
    assert scene.acts[-1] == (A.DRAW, 3, "9m")


def test_the_next_discard_of_a_seat_does_not_stand_in_for_an_overlooked_one() -> None:
    scene = Scene()
    scene.discard(0, "P")
    scene.draw(1, "9m")
    (overlooked,) = scene.held(1, "9s")
    for seat in (2, 3, 0):
        scene.turn(seat)
    scene.draw(1, "6m")
    (following,) = scene.held(1, "W")
    scene.move(following, 1, "pond")
    assert scene.acts[-1][:2] == (A.DRAW, 1)
    scene.move(overlooked, 1, "pond", 300)
    scene.wait(3 * SETTLE_MS)
    told = [a.tiles[0] for a in scene.hand.actions if (a.kind, a.seat) == (A.DISCARD, 1)]
    assert set(told) == {overlooked, following}
    assert all(a.confidence is Confidence.INFERRED for a in scene.hand.actions if a.tiles == (told[0],))


def test_flower_read_after_the_discard_that_followed_its_replacement() -> None:
    scene = Scene()
    scene.discard(0, "P")
    scene.turn(1)
    scene.turn(2)
    scene.turn(3)
    scene.turn(0)
    flower = scene.draw(1, "3f")
    drawn = scene.draw(1, "9m")
    (tile,) = scene.held(1, "9s")
    assert not actions(scene.move(tile, 1, "pond"))
    told = actions(scene.move(flower, 1, "meld", 400))
    assert [(a.kind, a.tiles) for a in told] == [(A.FLOWER, (flower,)), (A.DRAW, (drawn,)), (A.DISCARD, (tile,))]
    assert told[1].drawn_from == "flower"


def test_win_on_a_discard_that_still_waits_for_its_draw() -> None:
    hands = waiting_hands(2)
    hands[2] = ["3s", "4s", "1m", "2m", "3m", "4p", "5p", "6p", "7s", "8s", "9s", "F", "F"]
    hands[1][0] = "5s"
    scene = Scene(hands)
    scene.discard(0, "P")
    (live,) = scene.held(1, "5s")
    scene.move(live, 1, "pond", 900)
    assert scene.acts == [(A.DISCARD, 0, "P")]
    scene.declare(2)
    assert (scene.record.result.winner, scene.record.result.source) == (2, 1)
    assert [a.confidence for a in scene.record.actions][-3] is Confidence.INFERRED


def test_won_discard_that_was_taken_before_any_reader_found_it() -> None:
    hands = waiting_hands(2)
    hands[2] = ["3s", "4s", "1m", "2m", "3m", "4p", "5p", "6p", "7s", "8s", "9s", "F", "F"]
    scene = Scene(hands)
    scene.discard(0, "P")
    live = scene.draw(1, "5s")
    scene.move(live, 2, "hand", 1500)
    scene.declare(2)
    assert (scene.record.result.winner, scene.record.result.source) == (2, 1)
    discard = scene.record.actions[-2]
    assert (discard.kind, discard.seat, discard.confidence) == (A.DISCARD, 1, Confidence.INFERRED)


def test_kong_replacement_read_before_the_claimed_tile() -> None:
    hands = [list(hand) for hand in IDLE]
    hands[1][:3] = ["P", "P", "P"]
    scene = Scene(hands)
    live = scene.discard(0, "P")
    scene.meld(1, *scene.held(1, "P", 3))
    drawn = scene.new("9m")
    assert not actions(scene.enter(drawn, 1, "hand"))
    told = actions(scene.move(live, 1, "meld"))
    assert [a.kind for a in told] == [A.MELDED_KONG, A.DRAW]
    assert told[1].drawn_from == "kong"
