"""Simulated players: their hands are legal, complete and varied, and their sense of distance is the rules core's."""

import random

import pytest

from paiju.game.formats.neutral import read_neutral
from paiju.rules.engine import patterns_of
from paiju.rules.shanten import shanten
from paiju.simulation import PlayedHand, play_hand
from paiju.simulation.plans import PLANS, Sets
from paiju.tiles import PLAYING_FACE_COUNT, face_of, is_flower

HANDS = 40


@pytest.fixture(scope="module")
def played() -> list[PlayedHand]:
    return [play_hand(seed) for seed in range(HANDS)]


def nearest(name: str, concealed: list[int]) -> int:
    return min(plan.distance(patterns_of(concealed), ()) for plan in PLANS if plan.name == name)


def test_distances_are_those_of_the_rules_core() -> None:
    rng = random.Random(5)
    tiles = [face for face in range(PLAYING_FACE_COUNT) for _ in range(4)]
    for _ in range(300):
        concealed = sorted(rng.sample(tiles, rng.choice((13, 14))))
        wanted = shanten(tuple(concealed))
        assert Sets("any").distance(patterns_of(concealed), ()) == wanted["standard"]
        assert nearest("seven pairs", concealed) == wanted["seven_pairs"]
        assert nearest("thirteen orphans", concealed) == wanted["thirteen_orphans"]
        assert nearest("honours and knitted", concealed) == wanted["honours_and_knitted"]
        assert nearest("knitted straight", concealed) == wanted["knitted_straight"]


def test_every_hand_can_be_read_and_comes_to_the_same_result(played: list[PlayedHand]) -> None:
    for hand in played:
        result, read = hand.record["result"], read_neutral(hand.record).result
        if hand.win is None:
            assert (result["kind"], read.kind) == ("draw", "drawn")
            continue
        assert (read.kind, read.winner, read.source) == ("win", result["winner"], result["discarder"])
        assert read.points == result["fan_total"]
        assert list(read.payments) == result["scores"]
        assert hand.win.score.reaches_minimum
        assert read.hand == hand.win.hand


def test_hands_are_varied(played: list[PlayedHand]) -> None:
    kinds = {(event["t"], event.get("kind", event.get("src"))) for hand in played for event in hand.record["events"]}
    assert {("chow", None), ("pung", None), ("draw", "replacement"), ("draw", "flower")} <= kinds
    assert {("kong", kong) for kong in ("melded", "concealed", "added")} <= kinds
    fans = {fan.no for hand in played if hand.win for fan in hand.win.score.fans}
    assert len(fans) >= 20
    assert {hand.record["result"]["kind"] for hand in played} == {"win", "draw"}
    assert {hand.record["result"].get("by") for hand in played} >= {"self", "discard"}


def test_flowers_are_laid_aside_before_the_first_discard(played: list[PlayedHand]) -> None:
    for hand in played:
        record = hand.record
        dealt = sum(is_flower(face_of(code)) for codes in record["deal"] for code in codes)
        first = next(n for n, event in enumerate(record["events"]) if event["t"] not in ("flower", "draw"))
        assert sum(event["t"] == "flower" for event in record["events"][:first]) >= dealt


def test_the_same_seed_gives_the_same_hand() -> None:
    assert play_hand(7).record == play_hand(7).record
    assert play_hand(7).record != play_hand(8).record
