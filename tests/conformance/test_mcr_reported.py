"""Hands that public engines scored wrongly."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from paiju.hand import HandError
from paiju.notation import parse_hand
from paiju.rules import score, settle

CASES = tomllib.loads((Path(__file__).parent / "mcr_reported.toml").read_text(encoding="utf-8"))["hand"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_reported_hand(case: dict[str, Any]) -> None:
    result = score(parse_hand(case["hand"]), "mcr")
    assert {str(fan.no): fan.count for fan in result.fans} == case["fans"], case["fault"]
    assert result.total == case["total"]


def test_flower_points_are_paid_by_each_payer_in_full() -> None:
    """b17, EpicOrange/riichi_advanced #120: 11 points and a flower, paid divided by three and without the flower."""
    assert settle(12, 0, 1, "mcr") == (36, -20, -8, -8)


def test_tiles_without_their_melds_are_an_input_error() -> None:
    """b35, MahjongRepository/mahjong #54: a call that left out the melds ended in an exception."""
    with pytest.raises(HandError) as caught:
        parse_hand("3s+3s")
    assert caught.value.code == "wrong_count"
    assert score(parse_hand("[678s,1][345m,1][345p,1][SSS,1]3s+3s"), "mcr").total == 8
