"""Wins by button, by a laid-down hand, or both; a win that is not sure is asked, not taken."""

from scene import Scene

from paiju.game.actions import ActionKind as A
from paiju.game.actions import Confidence
from paiju.game.attention import Reason
from paiju.game.case import SETTLE_MS

READY = ["1m", "1m", "1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "P", "P"]


def scene_with_ready_seat() -> Scene:
    far = ["2p", "5p", "8p", "3s", "6s", "9s", "E", "S", "W", "N", "C", "F", "4p"]
    return Scene([[*far, "P"], READY, far, far])


def lay_down(scene: Scene, seat: int) -> None:
    for tile in sorted(scene.hand.position.hands[seat]):
        scene.move(tile, seat, "meld", 60)


def test_button_and_a_hand_laid_down_before_the_melds() -> None:
    scene = scene_with_ready_seat()
    scene.discard(0, "P")
    lay_down(scene, 1)
    scene.declare(1)
    assert (scene.record.result.winner, scene.record.result.source) == (1, 0)
    assert not scene.record.attention


def test_laid_down_hand_without_the_button_is_asked() -> None:
    scene = scene_with_ready_seat()
    live = scene.discard(0, "P")
    lay_down(scene, 1)
    scene.wait(SETTLE_MS + 500)
    assert scene.acts == [(A.DISCARD, 0, "P")]
    (item,) = scene.open_items
    assert (item.reason, item.seat) == (Reason.INCOMPLETE_MELD, 1)
    assert item.explanations[0] == "win 1 P"
    scene.tracker.accept(item.number, 0, "referee", "called aloud")
    record = scene.record
    assert (record.result.winner, record.result.source, record.actions[-1].tiles[0]) == (1, 0, live)
    assert record.actions[-1].confidence is Confidence.PERSON
    assert record.result.points >= 8
    assert not record.attention


def test_laid_down_hand_that_does_not_win_is_no_win() -> None:
    scene = Scene()
    scene.discard(0, "N")
    lay_down(scene, 1)
    scene.wait(SETTLE_MS + 500)
    (item,) = scene.open_items
    assert not any(text.startswith("win") for text in item.explanations)
    assert set(item.tiles) == scene.hand.position.hands[1]


def test_button_without_a_hand_in_sight_is_asked() -> None:
    """The winner swept the hand up before it was read; what it must have held is offered."""
    scene = scene_with_ready_seat()
    scene.discard(0, "P")
    for tile in sorted(scene.hand.position.hands[1]):
        scene.leave(tile, 30)
    scene.declare(1)
    scene.wait(SETTLE_MS + 500)
    assert scene.acts == [(A.DISCARD, 0, "P")]
    (item,) = (item for item in scene.open_items if item.reason is Reason.TILE_COUNT)
    assert scene.hand.explanations(item.number) == ("win 1 P",)
    scene.tracker.accept(item.number, 0, "referee", "checked the tiles")
    assert (scene.record.result.winner, scene.record.result.source) == (1, 0)


def test_button_alone_with_tiles_that_cannot_win_offers_nothing() -> None:
    scene = Scene()
    scene.discard(0, "N")
    scene.leave(scene.held(1, "E")[0])
    scene.declare(1)
    scene.wait(SETTLE_MS + 500)
    assert [scene.hand.explanations(item.number) for item in scene.open_items] == [()]
