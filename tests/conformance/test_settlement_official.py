"""第十條 of the first text: 8 + points, and who pays it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paiju.rules.settlement import SettlementError, settle_drawn, settle_official

seats = st.integers(0, 3)


def test_self_draw_each_pays_base_and_points():
    assert settle_official(24, winner=1).amounts == (-32, 96, -32, -32)


def test_discard_feeder_pays_points_the_others_the_base():
    settlement = settle_official(24, winner=1, discarder=3)
    assert settlement.amounts == (-8, 48, -8, -32)
    assert settlement.entries[0].article == "第十條 一 (三) 2"
    assert "North" in settlement.entries[0].text.en
    assert "北家" in settlement.entries[0].text.zh_hant


def test_miscalled_discard_pays_for_all_three():
    assert settle_official(10, winner=0, discarder=2, miscalled_by=2).amounts == (34, 0, -34, 0)


def test_below_the_minimum_is_not_settled():
    with pytest.raises(SettlementError) as caught:
        settle_official(7, winner=0)
    assert caught.value.code == "below_minimum"


def test_flowers_do_not_reach_the_minimum():
    class SevenAndThreeFlowers:
        total = 10
        total_without_flowers = 7

    with pytest.raises(SettlementError, match="7 points without flowers"):
        settle_official(SevenAndThreeFlowers(), winner=0)


def test_flowers_are_paid_with_the_hand():
    class EightAndTwoFlowers:
        total = 10
        total_without_flowers = 8

    assert settle_official(EightAndTwoFlowers(), winner=0).amounts == (54, -18, -18, -18)


@pytest.mark.parametrize(("winner", "discarder"), [(4, None), (0, 0), (0, -1)])
def test_impossible_seats_are_refused(winner, discarder):
    with pytest.raises(SettlementError):
        settle_official(8, winner, discarder)


def test_drawn_hand_pays_nothing():
    assert settle_drawn().amounts == (0, 0, 0, 0)


@given(st.integers(8, 400), seats, st.none() | seats)
@settings(deadline=None)
def test_always_zero_sum(points, winner, discarder):
    if winner == discarder:
        return
    amounts = settle_official(points, winner, discarder).amounts
    assert sum(amounts) == 0
    assert amounts[winner] == 24 + points * (3 if discarder is None else 1)
    assert all(amounts[seat] <= -8 for seat in range(4) if seat != winner)
