"""What a person corrects: it stays, with who and why, over restarts, later corrections and later sights."""

import json
from pathlib import Path

import pytest
from acting import act_out, carried_hand
from scene import IDLE, Scene
from typer.testing import CliRunner

from paiju.cli import app
from paiju.commands.following import Follower, at_the_table, on_record
from paiju.folders import store_file
from paiju.game.actions import ActionKind as A
from paiju.game.actions import Confidence
from paiju.game.corrections import Correction, CorrectionKind
from paiju.game.formats import FormatError
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.game.tracker import Report
from paiju.game.wording import parse_acts
from paiju.store import Store, read_log
from paiju.table.events import Event

SERIAL, JOURNAL = "LOGTABLE", 7
NAME = "melded_kong"
SETUP = Setup(0, int(carried_hand(NAME)["prevalent_wind"]), "mcr")


# -- the tracker


def test_an_earlier_correction_keeps_a_later_one() -> None:
    scene = Scene()
    first = scene.discard(0, "N")
    scene.turn(1)
    later = scene.discard(2, scene.draw(2, "9m"))
    scene.turn(3)
    numbers = {a.tiles: a.number for a in scene.hand.actions}
    right = scene.held(0, "S")[0]
    other = scene.held(2, "F")[0]
    scene.tracker.correct(numbers[(later,)], parse_discard(scene, later, "discard 2 F"), "operator", "seen")
    scene.tracker.correct(numbers[(first,)], parse_discard(scene, first, "discard 0 S"), "referee", "misread")
    discards = [a for a in scene.hand.actions if a.kind is A.DISCARD]
    assert [a.tiles[0] for a in discards[:3:2]] == [right, other]
    assert [a.confidence for a in discards[:4]] == [Confidence.PERSON, Confidence.SEEN] * 2
    scene.say("cycle", state="collect", set="A")
    entries = scene.record.corrections
    assert [(c.who, c.why, c.kind) for c in entries] == [
        ("operator", "seen", CorrectionKind.EDIT),
        ("referee", "misread", CorrectionKind.EDIT),
    ]
    assert [c.replaced.tiles for c in entries if c.replaced] == [(later,), (first,)]
    assert HandRecord.from_json(scene.record.to_json()) == scene.record


def parse_discard(scene: Scene, old: int, text: str) -> tuple:  # type: ignore[type-arg]
    number = next(a.number for a in scene.hand.actions if a.kind is A.DISCARD and a.tiles == (old,))
    return parse_acts(text, scene.hand.setup, scene.hand.actions[: number - 1], scene.hand.case.seen)


def test_an_act_taken_back_stays_so_until_the_tile_moves() -> None:
    scene = Scene()
    tile = scene.discard(0, "N")
    number = scene.last.number
    scene.tracker.correct(number, (), "referee", "the tile fell over")
    assert not scene.acts
    scene.wait(5000)
    assert not scene.acts
    assert not scene.open_items
    scene.move(tile, 0, "hand")
    scene.move(tile, 0, "pond")
    assert scene.acts == [(A.DISCARD, 0, "N")]


def test_a_win_taken_back_is_not_found_again() -> None:
    hands = [["2p", "5p", "8p", "3s", "6s", "9s", "E", "S", "W", "N", "C", "F", "1m", "P"]]
    hands += [["1m", "1m", "1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "P", "P"]]
    hands += [["2p", "5p", "8p", "3s", "6s", "9s", "E", "S", "W", "N", "C", "F", "1s"]]
    hands += [["3p", "6p", "9p", "1s", "4s", "7s", "E", "S", "W", "N", "C", "F", "2s"]]
    scene = Scene(hands)
    scene.discard(0, "P")
    scene.declare(1)
    assert scene.record.result.winner == 1
    scene.tracker.correct(scene.last.number, (), "referee", "the win was called on another tile")
    assert scene.acts == [(A.DISCARD, 0, "P")]
    scene.turn(1)
    assert [act[0] for act in scene.acts] == [A.DISCARD, A.DRAW, A.DISCARD]
    scene.say("cycle", state="collect", set="A")
    assert (scene.record.result.kind, scene.record.revision) == ("drawn", 1)
    assert [a.kind for a in scene.record.superseded if a.kind is A.WIN] == [A.WIN]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("discard 1 9p", "does not hold 9p"),
        ("dance 1 9p", "not understood"),
        ("discard 7 9p", "not understood"),
        ("pung 2 9p", "without a discard"),
        ("win S 9p", "does not hold"),
        ("deal 1 9p", "cannot be entered"),
    ],
)
def test_acts_that_cannot_be_entered(text: str, reason: str) -> None:
    scene = Scene()
    with pytest.raises(FormatError, match=reason):
        parse_acts(text, scene.hand.setup, scene.hand.actions)


def test_acts_in_words() -> None:
    hands = [*map(list, IDLE)]
    hands[2][1] = "3m"
    scene = Scene(hands)
    before = scene.hand.actions
    acts = parse_acts("discard E 7m, draw S ?, discard 1 1m, chow W 1m 2m 3m", scene.hand.setup, before)
    assert [(a.kind, a.seat, len(a.tiles)) for a in acts] == [
        (A.DISCARD, 0, 1),
        (A.DRAW, 1, 0),
        (A.DISCARD, 1, 1),
        (A.CHOW, 2, 3),
    ]
    assert (acts[3].tiles[0], acts[3].source) == (acts[2].tiles[0], 1)


# -- kept


def follower(store: Store, folder: Path, told: list[Report]) -> Follower:
    return Follower(store, folder, SERIAL, JOURNAL, SETUP, lambda report, n: told.append(report))


def put(store: Store, events: list[Event]) -> None:
    store.append(SERIAL, JOURNAL, [event.record for event in events], events[-1].seq)


def test_f03_f07_a_correction_in_mid_hand_is_heeded_and_survives_a_restart(tmp_path: Path) -> None:
    """Another program enters it while the hand is followed."""
    events = act_out(carried_hand(NAME))
    half, told = int(len(events) * 0.6), []  # type: tuple[int, list[Report]]
    store = Store(store_file(tmp_path))
    put(store, events[:half])
    running = follower(store, tmp_path, told)
    running.catch_up()
    tracker = running.tracker
    assert tracker.hand is not None
    step = next(a for a in tracker.hand.actions if a.kind is A.DISCARD)
    position_before = parse_acts("draw 0 ?", SETUP, tracker.hand.actions)
    assert position_before
    wrong = Correction(step.number, "referee", "read as another tile", at=half, replaced=step, instead=(step,))
    store.save_correction(SERIAL, JOURNAL, tracker.first, half, wrong.to_json())
    running.heed_corrections()
    assert tracker.hand.actions[step.number - 1].confidence is Confidence.PERSON
    acts = list(tracker.hand.actions)

    again = follower(store, tmp_path, [])
    again.catch_up()
    assert again.tracker.hand is not None
    assert again.tracker.hand.actions == acts
    put(store, events[half:])
    running.follow(events[half:])
    again.catch_up()
    assert running.tracker.record == again.tracker.record
    (row,) = store.hands()
    assert row.record["corrections"][0]["who"] == "referee"
    third = follower(store, tmp_path, [])
    third.catch_up()
    assert third.tracker.record == running.tracker.record
    assert [(hand.n, hand.revision) for hand in store.hands()] == [(row.n, row.revision)]


def test_the_rules_of_a_hand_are_kept_with_it(tmp_path: Path) -> None:
    """A correction from another program, or after a restart without options, goes by the rules of `paiju run`."""
    events = act_out(carried_hand(NAME))
    half = int(len(events) * 0.6)
    store = Store(store_file(tmp_path))
    put(store, events[:half])
    follower(store, tmp_path, []).catch_up()
    assert SETUP.profile != Setup().profile
    assert at_the_table(store, tmp_path, SERIAL, JOURNAL).setup == SETUP
    put(store, events[half:])
    again = Follower(store, tmp_path, SERIAL, JOURNAL, None, lambda report, n: None)
    again.catch_up()
    assert again.tracker.record is not None
    assert again.tracker.record.setup == SETUP
    (row,) = store.hands()
    assert on_record(store, row).setup == SETUP
    log = read_log(again.log_of(row.n))
    assert [Setup.from_json(setup) for setup in log.setups.values()] == [SETUP]
    store.export_log(tmp_path / "all.jsonl")
    assert read_log(tmp_path / "all.jsonl").setups == log.setups


# -- the operator's commands


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with one finished hand on record."""
    store = Store(store_file(tmp_path))
    events = act_out(carried_hand(NAME))
    put(store, events)
    follower(store, tmp_path, []).catch_up()
    assert len(store.hands()) == 1
    store.close()
    return tmp_path


def say(folder: Path, *words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, [*words, "--data", str(folder), "--lang", "en"])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done.output


def test_correcting_a_hand_on_record(folder: Path) -> None:
    """F11: the winner's source was wrong; the hand keeps its number, and the first version stays."""
    before = json.loads(say(folder, "hand", "1", "--json"))
    acts = before["record"]["actions"]
    discard = next(a for a in acts if a["kind"] == "discard")
    say(folder, "correct", "1", str(discard["number"]), code=1)  # no reason given
    said = f"discard {discard['seat']} {discard['tiles'][0]}"
    text = say(folder, "correct", "1", str(discard["number"]), said, "--who", "chief", "--why", "checked on video")
    assert "entered by a person" in text
    after = json.loads(say(folder, "hand", "1", "--json"))
    assert (after["revision"], before["revision"]) == (before["revision"] + 1, before["revision"])
    (entry,) = after["record"]["corrections"]
    assert (entry["who"], entry["why"]) == ("chief", "checked on video")
    assert after["record"]["result"] == before["record"]["result"]
    assert json.loads(say(folder, "hand", "1", "--revision", "1", "--json"))["record"] == before["record"]
    assert "checked on video" in say(folder, "hand", "1")
    assert say(folder, "hands", "--json").count("\n") == 1
    say(folder, "hand", "1", "--revision", "9", code=1)


def test_commands_that_do_not_fit(folder: Path) -> None:
    assert "no act 999" in say(folder, "correct", "1", "999", "discard 0 1m", "--why", "x", code=1)
    assert "not understood" in say(folder, "correct", "1", "6", "juggle 0 1m", "--why", "x", code=1)
    assert "no hand 5" in say(folder, "correct", "5", "6", "--why", "x", code=1)
    assert "no explanation" in say(folder, "attention", "1", "--accept", "3", "--why", "x", code=1)
    assert "no attention item" in say(folder, "attention", "1", "--dismiss", "3", "--why", "x", code=1)
    assert "Nothing needs attention" in say(folder, "attention", "1")
    assert json.loads(say(folder, "hand", "1", "--json"))["revision"] == 1


def test_accepting_and_dismissing_at_the_table(tmp_path: Path) -> None:
    scene = Scene()
    scene.discard(0, "P")
    out_of_turn = scene.new("9m")
    scene.enter(out_of_turn, 2, "pond")
    scene.enter(scene.new("9m"), 1, "meld")
    scene.wait(6000)
    store = Store(store_file(tmp_path))
    put(store, scene.events)
    items = [json.loads(line) for line in say(tmp_path, "attention", "--json").splitlines()]
    assert [(item["reason"], item["zone"]) for item in items] == [("misplaced", "pond 2"), ("misplaced", "meld 1")]
    assert "1. draw 2 9m, discard 2 9m" in say(tmp_path, "attention")
    say(tmp_path, "attention", "--accept", "1", "--why", "seat 1 was passed over")
    (left,) = [json.loads(line) for line in say(tmp_path, "attention", "--json").splitlines()]
    say(tmp_path, "attention", "--dismiss", str(left["number"]), "--why", "it lies there for good")
    assert "Nothing needs attention" in say(tmp_path, "attention")
    kinds = [row.body["kind"] for row in store.corrections(SERIAL, JOURNAL)]
    assert kinds == ["accept", "dismiss"]
