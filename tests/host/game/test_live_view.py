"""The operator's picture of the table: what is open, and no concealed tile before the hand ends."""

from acting import act_out, carried_hand
from rich.console import Console

from paiju.game.position import Setup
from paiju.game.tracker import Tracker
from paiju.tiles import code_of
from paiju.view.live import live_view
from paiju.view.words import action_text


def drawn(tracker: Tracker, show_hands: bool = False) -> str:
    console = Console(width=130, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(live_view(tracker, "Table 1", show_hands))
    return console.export_text()


def tracker_after(name: str, share: float) -> Tracker:
    record = carried_hand(name)
    tracker = Tracker(Setup(0, record["prevalent_wind"], "mcr"))
    events = act_out(record)
    for event in events[: int(len(events) * share)]:
        tracker.feed(event)
    return tracker


def test_ponds_and_melds_are_shown_and_hands_are_not() -> None:
    tracker = tracker_after("melded_kong", 0.7)
    assert tracker.hand is not None
    position = tracker.hand.position
    hidden, shown = drawn(tracker), drawn(tracker, show_hands=True)
    for text in (hidden, shown):
        assert "C C C C" in text
        for pond in position.ponds:
            assert " ".join(code_of(tile // 4) for tile in pond[:6]) in text
    for hand in position.hands:
        codes = " ".join(code_of(tile // 4) for tile in sorted(hand))
        assert codes in shown
        assert codes not in hidden
    in_racks = hidden.count("##") - hidden.count("draws ##")
    assert in_racks == sum(len(hand) for hand in position.hands)


def test_hands_are_shown_when_the_hand_has_ended() -> None:
    tracker = tracker_after("melded_kong", 1.0)
    assert tracker.phase == "clean_up"
    assert "##" not in drawn(tracker)


def test_told_draws_and_deals_name_no_tile_unless_asked() -> None:
    tracker = tracker_after("short", 0.5)
    assert tracker.hand is not None
    for action in tracker.hand.actions:
        if action.kind.value in ("deal", "draw"):
            text = action_text(tracker.setup, action).plain
            assert "##" in text
            assert not any(code_of(face) in text.split() for face in action.faces)


def test_waiting_for_a_hand() -> None:
    assert "waiting for a hand" in drawn(Tracker())
