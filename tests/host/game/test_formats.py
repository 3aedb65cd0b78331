"""Records of other programs: read, written, read again; impossible ones refused with the place."""

import json
from collections.abc import Callable

import pytest
from acting import Record, act_out, carried_hand, expected, in_turn, shared_hands, told
from hypothesis import given, settings
from hypothesis import strategies as st

from paiju.game.formats import (
    Declared,
    FormatError,
    read_botzone_json,
    read_botzone_text,
    read_hands,
    read_neutral,
    read_pmn,
    write_botzone_json,
    write_botzone_text,
    write_neutral,
    write_pmn,
    write_tziakcha,
)
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.game.tracker import track
from paiju.simulation.hands import play_hand
from paiju.simulation.judging import judge

NAMES = ["short", "self_draw", "two_winners", "melded_kong", "added_and_concealed_kong", "drawn"]
WITH_FLOWERS = [*NAMES, "flowers_and_discard"]


def check(hand: HandRecord, record: Record) -> None:
    assert in_turn(told(hand)) == in_turn(expected(record))
    assert hand.result.points == record["result"].get("fan_total", 0)


@pytest.mark.parametrize("name", WITH_FLOWERS)
def test_neutral_there_and_back(name: str) -> None:
    record = carried_hand(name)
    hand = read_neutral(record, "mcr")
    check(hand, record)
    written = write_neutral(hand)
    assert write_neutral(read_neutral(written, "mcr")) == written


@pytest.mark.parametrize("name", WITH_FLOWERS)
def test_other_formats_there_and_back(name: str) -> None:
    record = carried_hand(name)
    hand = read_neutral(record, "mcr")
    for again in (
        read_botzone_text(write_botzone_text(hand), "mcr"),
        read_botzone_json(write_botzone_json(hand), "mcr"),
        read_pmn(write_pmn(hand), "mcr"),
    ):
        check(again, record)
        assert again.result.payments == hand.result.payments
        assert again.setup == hand.setup


@pytest.mark.parametrize("name", WITH_FLOWERS)
def test_tracked_hand_written_and_read(name: str) -> None:
    record = carried_hand(name)
    (hand,) = track(act_out(record), Setup(0, record["prevalent_wind"], "mcr"))
    again = read_neutral(write_neutral(hand), "mcr")
    assert again.result == hand.result
    assert in_turn(told(again)) == in_turn(told(hand))


@pytest.mark.parametrize("record", shared_hands(), ids=lambda record: record["id"])
def test_every_real_hand(record: Record) -> None:
    hand = read_neutral(record, "mcr")
    check(hand, record)
    check(read_pmn(write_pmn(hand), "mcr"), record)
    check(read_botzone_text(write_botzone_text(hand), "mcr"), record)
    check(read_botzone_json(write_botzone_json(hand), "mcr"), record)


def turned(record: Record) -> Record:
    """The same hand with seat 0 dealing."""

    def seat(one: int | None) -> int | None:
        return None if one is None else (one - record["dealer"]) % 4

    body: Record = json.loads(json.dumps(record))
    body["deal"] = [body["deal"][(place + record["dealer"]) % 4] for place in range(4)]
    for entry in (body, body["result"], *body["events"]):
        entry.update(
            {name: seat(entry[name]) for name in ("dealer", "seat", "frm", "winner", "discarder") if name in entry}
        )
    return body


def last_flowers(hand: HandRecord) -> bool:
    """Whether a flower was shown for which nothing was drawn any more."""
    return any(hand.position.owed)


WRITERS: dict[str, Callable[[HandRecord], str]] = {
    "hands": lambda hand: json.dumps(write_neutral(hand)),
    "botzone text": write_botzone_text,
    "botzone json": lambda hand: json.dumps(write_botzone_json(hand)),
    "pmn": write_pmn,
    "tziakcha": lambda hand: json.dumps(write_tziakcha(hand)),
}


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_any_hand_there_and_back(name: str, seed: int) -> None:
    hand = read_neutral(turned(dict(play_hand(seed, "mcr").record)), "mcr")
    found = read_hands(WRITERS[name](hand), "mcr")
    assert (found.format, found.problems) == (name, [])
    (again,) = found.records
    judgement = judge(hand, again)
    assert judgement.result
    assert judgement.acts or (name == "tziakcha" and last_flowers(hand)), judgement.first_wrong
    assert again.result == hand.result
    assert again.setup == hand.setup
    assert found.declared == [Declared(hand.result.winner, hand.result.source, hand.result.points)]


def test_pmn_with_the_taken_tile_as_z1() -> None:
    hand = read_pmn(
        '[PWind "E"]\n'
        '[Deal "c123456789d1122 c123456789d3344 c123456789d5566 c123456789d7788"]\n'
        '[Play "T0b1D0z1T1b2D1b2"]\n'
    )
    assert [step[:3] for step in told(hand)[4:7]] == [
        ("discard", 0, ("1s",)),
        ("draw wall", 1, ("2s",)),
        ("discard", 1, ("2s",)),
    ]


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        ({"events": [{"t": "discard", "seat": 0, "tile": "9s"}]}, "event 1", "does not hold 9s"),
        ({"events": [{"t": "dance", "seat": 2, "tile": "2m"}]}, "event 1", "dance"),
        ({"events": [{"t": "pung", "seat": 1, "tile": "2m", "frm": 0}]}, "event 1", "not the last discard"),
        ({"deal": [["1m"] * 5, [], [], []]}, "deal", "5 tiles"),
        ({"deal": [["1m"] * 14, [], [], []]}, "deal", "more than 4 of 1m"),
        ({"deal": [["xx"] * 14, [], [], []]}, "deal", "xx"),
    ],
)
def test_impossible_hands_are_refused_with_the_place(change: Record, place: str, reason: str) -> None:
    record = {**carried_hand("flowers_and_discard"), **change}
    with pytest.raises(FormatError, match=reason) as refused:
        read_neutral(record)
    assert refused.value.place == place


def test_truncated_and_foreign_texts() -> None:
    text = write_botzone_text(read_neutral(carried_hand("short"), "mcr"))
    lines = text.splitlines()
    assert read_botzone_text("\n".join(lines[:40])).result.kind == "aborted"
    lines[10] = "Player 1 Plays W1"
    with pytest.raises(FormatError, match="line 11"):
        read_botzone_text("\n".join(lines))
    with pytest.raises(FormatError, match="Deal"):
        read_pmn("hello")
    with pytest.raises(FormatError, match="act 2"):
        read_pmn('[Deal "c123456789d1122 c123456789d3344 c123456789d5566 c123456789d7788"][Play "T0b1X0"]')
