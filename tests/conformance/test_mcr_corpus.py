"""The corpus of scored hands: totals equal, fan lists equal or as good."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from paiju.hand import Hand
from paiju.rules import score
from paiju.rules.fans import FLOWER_TILES
from paiju.rules.scoring import scorer

SHARED = Path(os.environ.get("PAIJU_SHARED", Path(__file__).parents[3] / "shared"))
CORPUS = SHARED / "corpora" / "mcr_hands.jsonl.gz"


@pytest.fixture(scope="module")
def corpus() -> list[dict[str, Any]]:
    if not CORPUS.exists():
        pytest.skip("the corpus of scored hands is not here: set PAIJU_SHARED")
    with gzip.open(CORPUS, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_every_total_is_equal(corpus: list[dict[str, Any]]) -> None:
    wrong = []
    for row in corpus:
        result, expected = score(Hand.from_json(row), "mcr"), row["expected"]
        if (result.total, result.total_without_flowers) != (expected["total"], expected["total_without_flowers"]):
            wrong.append((row["id"], result, expected["total"]))
    assert not wrong


def test_lists_differ_only_where_several_reach_the_total(corpus: list[dict[str, Any]]) -> None:
    fan_set = scorer("mcr").fan_set
    for row in corpus:
        ours = {fan.no: fan.count for fan in score(Hand.from_json(row), "mcr").fans}
        theirs = {fan["no"]: fan["count"] for fan in row["expected"]["fans"]}
        if ours != theirs:
            # A list that adds up to the same, and that the tie-break ranks below ours.
            sets = [
                fan_set.of([no for no, count in counts.items() if no != FLOWER_TILES for _ in range(count)])
                for counts in (ours, theirs)
            ]
            assert fan_set.points(sets[0]) == fan_set.points(sets[1])
            assert sets[0] > sets[1], row["id"]


def test_every_fan_occurs(corpus: list[dict[str, Any]]) -> None:
    seen = {fan.no for row in corpus for fan in score(Hand.from_json(row), "mcr").fans}
    assert seen == set(range(1, 83))


def test_fans_name_their_tiles_and_add_up(corpus: list[dict[str, Any]]) -> None:
    for row in corpus[::7]:
        hand = Hand.from_json(row)
        held = [*hand.concealed, hand.win_tile, *(t for meld in hand.melds for t in meld.tiles)]
        for profile in ("mcr", "mcr1998"):
            result = score(hand, profile)
            assert result.total == sum(fan.points * fan.count for fan in result.fans)
            for fan in result.fans:
                if fan.no != FLOWER_TILES:
                    assert len(fan.tiles) == fan.count
                for tiles in fan.tiles:
                    assert tiles
                    assert all(tiles.count(face) <= held.count(face) for face in tiles), (row["id"], fan)
