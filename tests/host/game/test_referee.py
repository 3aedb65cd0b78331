"""What is proposed to the referee: each irregular act with its article, time and evidence; nothing is applied."""

import pytest
from scene import IDLE, Scene

from paiju.game.actions import ActionKind as A
from paiju.game.case import SETTLE_MS
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.game.referee import Concern, Irregularity, wall_break

READY = ["1m", "1m", "1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "P", "P"]
CHEAP = ["3s", "4s", "2m", "3m", "4m", "6m", "7m", "8m", "4p", "5p", "6p", "N", "N"]
FAR = ["1m", "1m", "5m", "9m", "2p", "3p", "6p", "8p", "2s", "4s", "7s", "E", "E"]


def scene_with(hand: list[str], seat: int = 1, setup: Setup | None = None) -> Scene:
    free = ["2p", "5p", "8p", "6s", "9p", "3p", "1s", "E", "S", "W", "C", "F", "2s", "7p", "1p"]
    free += ["3m", "9s", "8s", "6m", "5s", "N"]
    idle = [code for code in free if code not in hand][:13]
    hands = [[*idle, "P"], idle, idle, idle]
    hands[seat] = hand
    return Scene(hands, setup)


def told(scene: Scene) -> list[tuple[Irregularity, int, str, bool, int]]:
    return [(c.kind, c.seat, c.article, c.warning, c.fine) for c in scene.tracker.concerns]


def only(scene: Scene) -> Concern:
    (concern,) = scene.tracker.concerns
    numbers = {event.seq for event in scene.events}
    assert concern.evidence
    assert set(concern.evidence) <= numbers
    return concern


def test_a_quick_hand_gives_nothing_to_rule_on() -> None:
    scene = Scene()
    scene.discard(0, "P")
    for seat in (1, 2, 3, 0):
        scene.turn(seat)
    assert scene.tracker.concerns == ()


@pytest.mark.parametrize(("profile", "first", "later"), [("mcr1998", 30, 15), ("competitive", 20, 10)])
def test_slow_turns(profile: str, first: int, later: int) -> None:
    scene = Scene(setup=Setup(profile=profile))
    scene.wait(1000 * first)
    scene.discard(0, "P")
    tile = scene.draw(1, "9m")
    scene.wait(1000 * later)
    scene.discard(1, tile)
    scene.turn(2)
    slow = scene.tracker.concerns
    assert [(c.kind, c.seat, c.limit_ms) for c in slow] == [
        (Irregularity.SLOW_TURN, 0, 1000 * first),
        (Irregularity.SLOW_TURN, 1, 1000 * later),
    ]
    assert all(c.took_ms is not None and c.limit_ms is not None and c.took_ms > c.limit_ms for c in slow)
    assert [(c.offence, c.fine) for c in slow] == [(None, 0)] * 2
    assert slow[0].article.startswith("第七條")


def test_turns_within_the_limit() -> None:
    scene = Scene()
    scene.wait(27000)
    scene.discard(0, "P")
    tile = scene.draw(1, "9m")
    scene.wait(13500)
    scene.discard(1, tile)
    assert scene.tracker.concerns == ()


def test_late_pung_is_a_warning_first_and_five_points_the_second_time() -> None:
    hands = [[*hand] for hand in IDLE]
    hands[2][:4] = ["N", "N", "P", "P"]
    hands[1][12] = hands[3][10] = "9p"
    scene = Scene(hands)
    for code in ("P", "N"):
        live = scene.discard(0, code)
        scene.wait(4000)
        scene.meld(2, live, *scene.held(2, code, 2))
        scene.discard(2, scene.held(2, "9p" if code == "P" else "C")[0])
        scene.turn(3, but=("N", "P"))
        scene.draw(0, "9m")
    late = scene.tracker.concerns
    assert [(c.kind, c.seat, c.article, c.warning, c.fine) for c in late] == [
        (Irregularity.LATE_PUNG, 2, "第十四條 五", True, 0),
        (Irregularity.LATE_PUNG, 2, "第十四條 五", False, 5),
    ]
    assert all(c.took_ms is not None and 4000 < c.took_ms < 5000 for c in late)
    assert [act[0] for act in scene.acts].count(A.PUNG) == 2


def test_a_pung_whose_first_tile_lies_in_time_is_none() -> None:
    hands = [[*hand] for hand in IDLE]
    hands[2][:2] = ["P", "P"]
    scene = Scene(hands)
    live = scene.discard(0, "P")
    one, two = scene.held(2, "P", 2)
    scene.move(one, 2, "meld", 1500)
    scene.move(two, 2, "meld", 900)
    scene.move(live, 2, "meld", 900)
    assert scene.acts[-1][0] is A.PUNG
    assert scene.tracker.concerns == ()


def test_draw_before_the_discard() -> None:
    scene = Scene()
    tile = scene.new("9m")
    scene.enter(tile, 1, "hand")
    scene.wait(2000)
    scene.discard(0, "P")
    scene.wait(SETTLE_MS + 500)
    concern = only(scene)
    assert (concern.kind, concern.seat, concern.article) == (Irregularity.EARLY_DRAW, 1, "第十四條 四")
    assert (concern.warning, concern.tiles) == (True, (tile,))
    assert scene.acts == [(A.DISCARD, 0, "P"), (A.DRAW, 1, "9m")]


def test_claim_without_the_tiles_and_its_return() -> None:
    scene = Scene()
    live = scene.discard(0, "9s")
    own = scene.held(2, "7s")[0]
    scene.meld(2, live, own)
    scene.wait(SETTLE_MS + 100)
    concern = only(scene)
    assert (concern.kind, concern.seat, concern.article) == (Irregularity.WRONG_CLAIM, 2, "第十四條 二")
    assert set(concern.tiles) == {live, own}
    scene.move(live, 0, "pond")
    scene.move(own, 2, "hand")
    concern = only(scene)
    assert (concern.kind, concern.article, concern.warning) == (Irregularity.EMPTY_CLAIM, "第十四條 三", True)
    assert scene.acts == [(A.DISCARD, 0, "9s")]


def test_exposed_tile_has_to_be_discarded_next() -> None:
    scene = Scene()
    scene.discard(0, "P")
    tile = scene.held(2, "F")[0]
    scene.move(tile, 2, "meld")
    scene.wait(SETTLE_MS + 100)
    concern = only(scene)
    assert (concern.kind, concern.seat, concern.article) == (Irregularity.EXPOSED_TILE, 2, "第十四條 七 (一)")
    assert concern.tiles == (tile,)


def test_one_tile_too_many() -> None:
    scene = Scene()
    scene.discard(0, "P")
    scene.turn(1)
    scene.enter(scene.new("9m"), 0, "hand")
    scene.wait(SETTLE_MS + 100)
    concern = only(scene)
    assert (concern.kind, concern.seat, concern.article) == (Irregularity.WRONG_TILE_COUNT, 0, "第十四條 九")


def test_one_tile_too_few_once_a_person_says_that_nothing_was_drawn() -> None:
    scene = Scene()
    scene.discard(0, "P")
    tile = scene.held(2, "F")[0]
    scene.move(tile, 2, "pond")
    scene.wait(SETTLE_MS + 100)
    (item,) = scene.open_items
    assert item.explanations == ("draw 2 ?, discard 2 F", "discard 2 F")
    scene.tracker.accept(item.number, 1, "referee", "no draw was made")
    assert (Irregularity.WRONG_TILE_COUNT, 2) in {(c.kind, c.seat) for c in scene.tracker.concerns}


def test_win_with_a_wrong_number_of_tiles() -> None:
    scene = Scene()
    scene.discard(0, "N")
    scene.leave(scene.held(1, "E")[0])
    scene.declare(1)
    scene.wait(SETTLE_MS + 500)
    concern = only(scene)
    assert (concern.kind, concern.article) == (Irregularity.WRONG_TILE_COUNT, "第十四條 九")


def test_win_below_the_minimum() -> None:
    scene = scene_with(CHEAP)
    scene.discard(0, "P")
    scene.turn(1, but=("5s", "2s"))
    scene.turn(2, "2s")
    scene.declare(1)
    scene.wait(SETTLE_MS + 500)
    assert told(scene) == [(Irregularity.WIN_BELOW_MINIMUM, 1, "第十四條 六 (一)", False, 10)]


def test_wins_that_do_not_hold_by_how_far_the_hand_is() -> None:
    """A ready hand on a wrong tile, and one that is far from ready (article 14, 6)."""
    wrong_tile = scene_with(READY)
    wrong_tile.discard(0, "2p")
    wrong_tile.declare(1)
    wrong_tile.wait(SETTLE_MS + 500)
    assert told(wrong_tile) == [(Irregularity.FALSE_WIN, 1, "第十四條 六 (三)", False, 10)]
    far = scene_with(FAR)
    far.discard(0, "P")
    far.declare(1)
    far.wait(SETTLE_MS + 500)
    concern = only(far)
    assert (concern.offence, concern.article) == ("deliberate_false_win", "第十四條 六 (四)")


def test_swapped_seats() -> None:
    scene = Scene([IDLE[1], IDLE[0], IDLE[2], IDLE[3]], Setup(dealer=0))
    (tile,) = [t for t in range(136) if scene.hand.case.seen[t] == 4 and t // 4 == 33]
    scene.move(tile, 1, "pond")
    (concern,) = scene.tracker.concerns
    assert (concern.kind, concern.seat, concern.article) == (Irregularity.SWAPPED_SEATS, 1, "第五條 七")


def test_where_the_dice_open_the_wall() -> None:
    """Seven counts to the seat opposite the dealer; both throws are counted off from the right of that wall."""
    assert wall_break(Setup(dealer=1), ((3, 4), (2, 2))) == (3, 11)
    assert wall_break(Setup(dealer=0), ((6, 6), (5, 4))) == (3, 3)
    assert wall_break(Setup(), ((3, 4),)) is None
    assert wall_break(Setup(profile="competitive"), ((3, 4),)) == (2, 7)


def test_the_record_carries_what_was_proposed() -> None:
    scene = Scene()
    scene.wait(31000)
    scene.discard(0, "P")
    scene.say("cycle", state="collect", set="A")
    record = scene.record
    assert [c.kind for c in record.concerns] == [Irregularity.SLOW_TURN]
    assert HandRecord.from_json(record.to_json()) == record
    assert record.result.payments == (0, 0, 0, 0)
