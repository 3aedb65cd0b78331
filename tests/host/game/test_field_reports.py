"""Scenes that users of other sensor boards reported, one test each; the others stand with what they are about."""

from scene import IDLE, Scene

from paiju.game.actions import ActionKind as A
from paiju.game.actions import Confidence
from paiju.game.case import SETTLE_MS
from paiju.game.record import HandRecord
from paiju.game.referee import Irregularity
from paiju.game.wording import parse_acts
from paiju.rules.penalties import Act, Conduct, rule_all, rule_on

READY = ["1m", "1m", "1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "P", "P"]
FAR = ["2p", "5p", "8p", "3s", "6s", "9s", "E", "S", "W", "N", "C", "F", "4p"]


def ready_scene(seat: int) -> Scene:
    hands = [[*FAR, "P"], FAR, FAR, FAR]
    hands[seat] = READY
    return Scene(hands)


def test_f01_everything_pushed_together_after_a_win_on_a_discard() -> None:
    scene = ready_scene(2)
    scene.discard(0, "P")
    scene.declare(2)
    won = scene.record
    told = len(scene.hand.actions)
    tiles = [t for t in range(144) if scene.hand.case.seen[t] >= 0]
    for number, tile in enumerate(tiles):
        if number % 3 == 0:
            scene.move(tile, number % 4, ("hand", "meld", "pond")[number % 3], 40)
        scene.leave(tile, 40)
    scene.wait(SETTLE_MS + 500)
    assert len(scene.hand.actions) == told
    assert scene.record == won
    assert won.concerns == ()


def test_f02_a_wrong_tile_at_the_edge_of_the_pond_for_400_ms() -> None:
    scene = Scene()
    scene.discard(0, "P")
    drawn = scene.draw(1, "9m")
    wrong, right = scene.held(1, "E")[0], scene.held(1, "N")[0]
    scene.wait(1000)
    scene.leave(right, 50)
    scene.move(wrong, 1, "pond", 50)
    scene.move(wrong, 1, "hand", 400)
    scene.enter(right, 1, "pond", 100)
    scene.wait(SETTLE_MS + 500)
    assert [(a.kind, a.tiles) for a in scene.hand.actions[-2:]] == [(A.DRAW, (drawn,)), (A.DISCARD, (right,))]
    assert not scene.open_items


def test_f05_three_changes_in_one_report() -> None:
    """West discards, North draws and discards, all within a tenth of a second and last thing first."""
    scene = Scene()
    scene.discard(0, "P")
    scene.turn(1)
    scene.draw(2, "9m")
    west, north = scene.held(2, "F")[0], scene.held(3, "N")[0]
    drawn = scene.new("9m")
    scene.move(north, 3, "pond", 30)
    scene.enter(drawn, 3, "hand", 30)
    scene.move(west, 2, "pond", 30)
    scene.wait(SETTLE_MS + 500)
    assert scene.acts[-3:] == [(A.DISCARD, 2, "F"), (A.DRAW, 3, "9m"), (A.DISCARD, 3, "N")]
    assert not scene.open_items


def test_f07_a_claimed_tile_was_read_as_its_neighbour() -> None:
    """Discard and chow are corrected three turns later; what was played after them stays, and as the readers still
    see the tile they took for another, that is told."""
    hands = [[*hand] for hand in IDLE]
    hands[0][4], hands[0][5] = "9p", "8p"
    hands[1][3], hands[1][4], hands[1][5] = "6p", "7p", "8p"
    scene = Scene(hands)
    read = scene.discard(0, "8p")
    scene.meld(1, read, scene.held(1, "6p")[0], scene.held(1, "7p")[0])
    discard, chow = scene.hand.actions[-2:]
    assert chow.kind is A.CHOW
    scene.discard(1, scene.held(1, "E")[0])
    for seat in (2, 3, 0):
        scene.turn(seat)
    after = scene.acts[2:]
    before = scene.hand.actions[: discard.number - 1]
    said = parse_acts("discard 0 9p, chow 1 9p 7p 8p", scene.hand.setup, before, scene.hand.case.seen)
    scene.tracker.correct(discard.number, said, "operator", "the reader took 9p for 8p")
    assert [act[2] for act in scene.acts[:2]] == ["9p", "9p 7p 8p"]
    assert scene.acts[2:] == after
    assert [a.confidence for a in scene.hand.actions[discard.number - 1 :][:2]] == [Confidence.PERSON] * 2
    scene.wait(SETTLE_MS + 500)
    assert scene.acts[2:] == after
    doubted = {tile for item in scene.open_items for tile in item.tiles}
    assert doubted
    assert doubted <= {read, *chow.tiles, *(tile for action in said for tile in action.tiles)}


def test_f09_a_penalty_is_the_players_and_survives_every_recomputation() -> None:
    """Lateness is charged when the session is totalled, never to a hand; what was done in a hand is proposed again
    whenever the hand is derived again, with the same fine."""
    late = rule_on(Conduct("mcr1998"), Act(2, "late_10"))
    assert (late.amounts, late.session_amounts) == ((0, 0, 0, 0), (0, 0, -10, 0))
    scene = Scene()
    first = scene.discard(0, "N")
    for seat in (1, 2, 3):
        scene.turn(seat)
    for tile in (scene.draw(0, "9s"), *scene.held(0, "P")):
        early = scene.new("9m")
        scene.enter(early, 1, "hand")
        scene.wait(2000)
        scene.discard(0, tile)
        scene.discard(1, early)
        for seat in (2, 3):
            scene.turn(seat)
        scene.draw(0, "9p")
    before = scene.tracker.concerns
    assert [(c.kind, c.seat, c.warning, c.fine) for c in before] == [
        (Irregularity.EARLY_DRAW, 1, True, 0),
        (Irregularity.EARLY_DRAW, 1, False, 5),
    ]
    number = next(a.number for a in scene.hand.actions if a.tiles == (first,))
    said = parse_acts("discard 0 S", scene.hand.setup, scene.hand.actions[: number - 1], scene.hand.case.seen)
    scene.tracker.correct(number, said, "referee", "misread")
    assert scene.hand.actions[number - 1].revision == 1
    assert scene.tracker.concerns == before


def test_f10_the_list_of_penalties_explains_a_sum_that_is_not_zero() -> None:
    """Who, what, by which article and to whom; a penalty taken back leaves list and repetitions."""
    acts = [Act(0, "early_draw"), Act(1, "win_below_minimum"), Act(0, "early_draw"), Act(2, "late_pung")]
    conduct = rule_all(acts)
    rows = [ruling.to_json() for ruling in conduct.rulings]
    assert [(row["seat"], row["article"], row["fine"]) for row in rows] == [
        (0, "第十四條 四", 0),
        (1, "第十四條 六 (一)", 10),
        (0, "第十四條 四", 5),
        (2, "第十四條 五", 0),
    ]
    deducted = [ruling for ruling in conduct.rulings if sum(ruling.amounts)]
    assert [(ruling.act.seat, sum(ruling.amounts)) for ruling in deducted] == [(0, -5)]
    assert sum(conduct.amounts) == -5
    assert sum(rule_all(acts[1:]).amounts) == 0


def test_f11_a_win_recorded_as_self_drawn_was_won_on_the_discard() -> None:
    """One change: source and payments follow, the first version stays."""
    scene = ready_scene(1)
    live = scene.discard(0, "P")
    scene.draw(1, "P")
    draw = scene.last
    scene.declare(1)
    before = scene.record
    assert (before.result.winner, before.result.source) == (1, None)
    said = parse_acts("win S P", scene.hand.setup, scene.hand.actions[: draw.number - 1], scene.hand.case.seen)
    scene.tracker.correct(draw.number, said, "scorekeeper", "the tile was the discard")
    after = scene.record
    assert isinstance(after, HandRecord)
    assert (after.result.winner, after.result.source, after.actions[-1].tiles[0]) == (1, 0, live)
    assert after.result.payments[0] < after.result.payments[2] < 0
    assert sum(after.result.payments) == 0
    assert after.revision == before.revision + 1
    assert {a.kind for a in after.superseded} == {A.DRAW, A.WIN}
    assert [(c.who, c.why) for c in after.corrections] == [("scorekeeper", "the tile was the discard")]
