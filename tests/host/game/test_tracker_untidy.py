"""Tiles seen late, in wrong zones or never: they find the turn they belong to, or a person is asked."""

import pytest
from scene import IDLE, Scene

from paiju.game.actions import ActionKind, Confidence
from paiju.game.attention import Reason
from paiju.game.case import SETTLE_MS
from paiju.tiles import TILE_COUNT, code_of, face_of_tile, is_flower

A = ActionKind
WAITS_ON_25S = ["3s", "4s", "1m", "2m", "3m", "4p", "5p", "6p", "7s", "8s", "9s", "F", "F"]


def hands_with(seat: int, tiles: list[str]) -> list[list[str]]:
    hands = [list(hand) for hand in IDLE]
    hands[seat] = list(tiles)
    return hands


def kinds(scene: Scene, seat: int) -> list[ActionKind]:
    return [kind for kind, actor, _ in scene.acts if actor == seat]


def test_a_flower_drawn_while_a_claim_is_laid_down_belongs_to_the_turn_after_the_claim() -> None:
    hands = [list(hand) for hand in IDLE]
    hands[1][:2] = ["P", "P"]
    scene = Scene(hands)
    scene.discard(0, "E")
    scene.turn(1)
    scene.turn(2, "9m")
    scene.turn(3, "8m")
    live = scene.turn(0, "P")
    one, two = scene.held(1, "P", 2)
    scene.move(one, 1, "meld", 800)
    scene.move(scene.held(1, "E")[0], 1, "pond", 800)
    flower = scene.draw(2, "3f")
    scene.move(flower, 2, "meld", 900)
    assert A.FLOWER not in kinds(scene, 2)
    scene.move(two, 1, "meld", 200)
    scene.move(live, 1, "meld", 200)
    assert [kind for kind, *_ in scene.acts][-4:] == [A.PUNG, A.DISCARD, A.DRAW, A.FLOWER]


def test_a_flower_that_fell_from_the_wall_and_went_back_was_never_shown() -> None:
    scene = Scene()
    flower = scene.new("1f")
    scene.discard(0, "P")
    scene.enter(flower, 1, "meld", 300)
    tile = scene.draw(1, "9m")
    scene.discard(1, tile)
    assert A.FLOWER in kinds(scene, 1)
    scene.turn(2)
    scene.leave(flower, 1500)
    for seat in (3, 0, 1):
        scene.turn(seat)
    scene.wait(SETTLE_MS)
    assert kinds(scene, 1) == [A.DRAW, A.DISCARD] * 2
    assert not scene.open_items


def test_a_discard_put_right_after_the_next_player_discarded_keeps_its_turn_and_the_win_after_it() -> None:
    scene = Scene(hands_with(3, WAITS_ON_25S))
    scene.discard(0, "P")
    astray = scene.draw(1, "9m")
    scene.move(astray, 1, "meld", 600)
    live = scene.draw(2, "5s")
    scene.move(live, 2, "pond", 600)
    scene.declare(3)
    scene.move(astray, 1, "pond", 700)
    scene.move(live, 3, "hand", 500)
    assert (scene.record.result.winner, scene.record.result.source) == (3, 2)
    assert [kind for kind, seat, _ in scene.acts if seat == 1] == [A.DRAW, A.DISCARD]


def test_a_discard_left_in_a_wrong_zone_when_somebody_wins_by_own_draw_is_asked_about() -> None:
    scene = Scene(hands_with(2, WAITS_ON_25S))
    scene.discard(0, "P")
    scene.move(scene.draw(1, "9m"), 2, "pond", 600)
    scene.draw(2, "5s")
    scene.declare(2)
    assert (scene.record.result.winner, scene.record.result.source) == (2, None)
    assert Reason.AMBIGUOUS in {item.reason for item in scene.record.attention}


def test_a_tile_that_only_the_full_read_finds_is_not_the_draw_of_a_winner_by_discard() -> None:
    hands = hands_with(1, WAITS_ON_25S)
    unread = hands[1].pop(5)
    scene = Scene(hands)
    scene.discard(0, "P")
    for seat in (1, 2, 3):
        scene.turn(seat, but=("2s", "5s"))
    live = scene.turn(0, "5s")
    scene.say("button", 700, seat=1, button="win", pressed=1)
    scene.enter(scene.new(unread), 1, "hand")
    scene.read(1)
    scene.move(live, 1, "hand", 700)
    assert (scene.record.result.winner, scene.record.result.source) == (1, 0)


def six_m_taken(third: str) -> tuple[Scene, int]:
    """Seat 1 holds 4m, 5m and `third` and has put the discarded 6m, the second value, among its melds."""
    hands = hands_with(2, WAITS_ON_25S)
    hands[1] = ["4m", "5m", third, "2p", "5p", "8p", "3s", "6s", "9s", "E", "S", "W", "N"]
    hands[0][0] = "6m"
    scene = Scene(hands)
    live = scene.discard(0, "6m")
    scene.move(live, 1, "meld", 800)
    return scene, live


def test_a_chow_laid_down_in_part_stands_when_its_player_has_discarded() -> None:
    scene, live = six_m_taken("9m")
    first, last = scene.held(1, "4m")[0], scene.held(1, "5m")[0]
    scene.move(first, 1, "meld", 100)
    scene.discard(1, "N")
    scene.draw(2, "5s")
    scene.declare(2)
    assert (scene.record.result.winner, scene.record.result.source) == (2, None)
    chow = next(action for action in scene.record.actions if action.kind is A.CHOW)
    assert (chow.tiles[0], set(chow.tiles[1:]), chow.confidence) == (live, {first, last}, Confidence.INFERRED)


def test_a_chow_that_could_be_two_is_not_guessed() -> None:
    scene, _live = six_m_taken("7m")
    scene.move(scene.held(1, "5m")[0], 1, "meld", 100)
    scene.discard(1, "N")
    scene.wait(2 * SETTLE_MS)
    assert A.CHOW not in kinds(scene, 1)
    assert scene.open_items


def test_a_refused_win_is_judged_again_when_the_right_discard_comes_to_the_hand() -> None:
    scene = Scene(hands_with(2, WAITS_ON_25S))
    scene.discard(0, "P")
    wrong = scene.held(1, "9s")[0]
    right = scene.draw(1, "5s")
    scene.move(wrong, 1, "pond", 600)
    scene.declare(2)
    scene.move(wrong, 1, "hand", 2600)
    assert Reason.NOT_WINNING in {item.reason for item in scene.open_items}
    scene.move(right, 1, "pond", 600)
    scene.move(right, 2, "hand", 900)
    assert (scene.record.result.winner, scene.record.result.source) == (2, 1)


def test_a_winners_flower_that_came_before_the_one_it_replaces_is_asked_about() -> None:
    scene = Scene(hands_with(1, WAITS_ON_25S))
    scene.discard(0, "P")
    flower = scene.draw(1, "3f")
    scene.enter(scene.new("1f"), 1, "meld", 500)
    scene.move(flower, 1, "meld", 60)
    scene.draw(1, "5s")
    scene.declare(1)
    assert scene.record.result.winner == 1
    assert Reason.AMBIGUOUS in {item.reason for item in scene.record.attention}


def test_the_last_unseen_tile_of_an_exhausted_wall_is_the_one_a_hand_holds_unread() -> None:
    hands = [list(hand) for hand in IDLE]
    hands[3].pop()
    scene = Scene(hands)
    unread = scene.new("1m")
    scene.discard(0, "P")
    wall = [tile for tile in range(TILE_COUNT) if tile not in scene._used]
    seat = 1
    for tile in wall:
        code = code_of(face_of_tile(tile))
        scene.draw(seat, code)
        if is_flower(face_of_tile(tile)):
            scene.meld(seat, tile)
        else:
            scene.discard(seat, tile)
            seat = (seat + 1) % 4
    scene.wait(SETTLE_MS)
    scene.say("cycle", state="collect", set="A")
    (deal,) = [a for a in scene.record.actions if (a.kind, a.seat) == (A.DEAL, 3)]
    assert unread in deal.tiles
    assert scene.record.result.kind == "drawn"


def test_a_flower_put_into_the_pond_first_is_no_discard() -> None:
    scene = Scene()
    scene.discard(0, "P")
    flower = scene.new("3f")
    scene.enter(flower, 1, "pond", 900)
    replacement = scene.draw(1, "9m")
    scene.move(flower, 1, "meld", 300)
    scene.discard(1, replacement)
    scene.turn(2)
    assert [act[0] for act in scene.acts[1:]] == [A.DRAW, A.FLOWER, A.DRAW, A.DISCARD, A.DRAW, A.DISCARD]
    assert not scene.open_items


def test_a_flower_read_before_the_next_turn_of_its_seat_belongs_to_the_last_one() -> None:
    scene = Scene()
    scene.discard(0, "P")
    scene.turn(1, "9m")
    for seat in (2, 3):
        scene.turn(seat)
    scene.enter(scene.new("3f"), 1, "meld", 300)
    scene.turn(0)
    for seat in (1, 2):
        scene.turn(seat)
    scene.wait(SETTLE_MS)
    assert kinds(scene, 1) == [A.DRAW, A.FLOWER, A.DRAW, A.DISCARD, A.DRAW, A.DISCARD]
    assert not scene.open_items


def test_a_claim_of_an_unseen_discard_with_a_tile_that_was_never_read() -> None:
    hands = [list(hand) for hand in IDLE]
    hands[0][0], hands[1][:2] = "8s", ["8m", "9s"]
    scene = Scene(hands)
    scene.discard(0, "P")
    scene.discard(1, "8m")  # its draw, 7s, is not read
    for seat in (2, 3, 0):
        scene.turn(seat)
    scene.wait(SETTLE_MS)
    for seat in (1, 2, 3):
        scene.turn(seat)
    scene.draw(0, "9m")
    scene.move(scene.held(0, "8s")[0], 1, "meld", 900)
    scene.move(scene.held(1, "9s")[0], 1, "meld")
    scene.enter(scene.new("7s"), 1, "meld")
    scene.wait(SETTLE_MS + 500)
    assert scene.acts[-2:] == [(A.DISCARD, 0, "8s"), (A.CHOW, 1, "8s 7s 9s")]
    drawn = next(a for a in scene.hand.actions if (a.kind, a.seat) == (A.DRAW, 1))
    assert code_of(face_of_tile(drawn.tiles[0])) == "7s"


def test_a_discard_claimed_before_the_claim_of_its_owner_was_seen_whole() -> None:
    hands = [list(hand) for hand in IDLE]
    hands[1][:3] = ["8s", "9s", "P"]
    hands[3][:2] = ["P", "P"]
    scene = Scene(hands)
    scene.discard(0, scene.held(0, "E")[0])
    for seat in (1, 2, 3):
        scene.turn(seat)
    taken = scene.turn(0, "7s")  # goes into the chow, but is seen in the pond as before
    scene.meld(1, scene.held(1, "8s")[0], scene.held(1, "9s")[0])
    live = scene.discard(1, "P")
    scene.meld(3, *scene.held(3, "P", 2), live)
    scene.discard(3, scene.held(3, "F")[0])
    scene.wait(SETTLE_MS)
    assert [(kind, seat) for kind, seat, _ in scene.acts[-4:]] == [
        (A.CHOW, 1),
        (A.DISCARD, 1),
        (A.PUNG, 3),
        (A.DISCARD, 3),
    ]
    scene.move(taken, 1, "meld")
    assert not scene.open_items


def test_a_flower_that_left_the_hand_was_laid_aside_if_another_tile_was_drawn() -> None:
    scene = Scene()
    scene.discard(0, "P")
    flower = scene.draw(1, "3f")
    scene.discard(1, scene.draw(1, "9m"))
    scene.leave(flower, 900)
    scene.wait(SETTLE_MS)
    assert kinds(scene, 1) == [A.DRAW, A.FLOWER, A.DRAW, A.DISCARD]


def test_a_discard_out_of_sight_when_somebody_wins_stays_a_discard() -> None:
    scene = Scene(hands_with(2, WAITS_ON_25S))
    scene.discard(0, "P")
    scene.turn(1, "9m")
    scene.turn(2, "W")
    thrown = scene.new("8m")
    scene.enter(thrown, 3, "pond", 900)
    live = scene.turn(0, "5s")
    scene.say("button", seat=2, button="win", pressed=1)
    scene.leave(thrown, 100)
    scene.read(2)
    scene.move(live, 2, "hand", 900)
    assert (scene.record.result.winner, scene.record.result.source) == (2, 0)
    assert scene.hand.position.ponds[3] == [thrown]


def test_a_tile_of_the_deal_read_just_before_the_first_draw_was_dealt() -> None:
    scene = Scene([list(IDLE[0]), list(IDLE[1][:12]), *map(list, IDLE[2:])])
    last = scene.discard(0, "P")
    assert last is not None
    for seat in (1, 2, 3):
        scene.turn(seat)
    assert scene.hand.position.missing(1) == 1
    scene.draw(0, "1p")
    unread = scene.new("F")
    scene.enter(unread, 1, "hand", 100)
    scene.discard(0, scene.held(0, "1p")[0])
    drawn = scene.draw(1, "9m")
    deal = next(a for a in scene.hand.actions if (a.kind, a.seat) == (A.DEAL, 1))
    assert unread in deal.tiles
    assert [a.tiles for a in scene.hand.actions if (a.kind, a.seat) == (A.DRAW, 1)][-1] == (drawn,)


@pytest.mark.parametrize(
    ("taken", "after", "source", "asked"),
    [(False, 300, None, True), (False, SETTLE_MS, 1, True), (True, 300, 1, False)],
)
def test_a_tile_drawn_and_read_after_the_win_it_completes(
    taken: bool, after: int, source: int | None, asked: bool
) -> None:
    """The discard before it would have won as well: unless the winner took that one, it was a self-draw."""
    scene = Scene(hands_with(2, WAITS_ON_25S))
    scene.discard(0, "P")
    live = scene.turn(1, "2s")
    scene.declare(2)
    assert (scene.record.result.winner, scene.record.result.source) == (2, 1)
    if taken:
        scene.move(live, 2, "hand", 900)
    scene.enter(scene.new("5s"), 2, "hand", after)
    assert (scene.record.result.winner, scene.record.result.source) == (2, source)
    assert [item.reason for item in scene.open_items] == [Reason.AMBIGUOUS] * asked


def test_a_tile_drawn_into_the_own_meld_zone_is_the_draw_when_another_one_is_discarded() -> None:
    scene = Scene()
    scene.discard(0, "P")
    scene.turn(1)
    dropped = scene.new("9m")
    scene.enter(dropped, 2, "meld", 600)
    scene.discard(2, scene.held(2, "S")[0])
    scene.turn(3)
    scene.wait(SETTLE_MS)
    assert scene.acts[-4:-2] == [(A.DRAW, 2, "9m"), (A.DISCARD, 2, "S")]
    scene.move(dropped, 2, "hand")
    assert not scene.open_items
