"""The one-line settlement in both systems."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paiju.hand import HandError
from paiju.rules.settlement import SettlementError, next_dealer, settle


@pytest.mark.parametrize("profile", ["mcr1998", "mcr"])
def test_official(profile):
    assert settle(20, 0, profile=profile) == (84, -28, -28, -28)
    assert settle(20, 0, 3, profile=profile) == (44, -8, -8, -28)


def test_competitive():
    assert settle(20, 0, profile="competitive") == (60, -20, -20, -20)
    assert settle(20, 0, 3, "competitive") == (40, 0, 0, -40)
    assert settle(20, 0, 3, "competitive", robbed_kong=True) == (60, 0, 0, -60)
    assert settle(20, 0, 3, "competitive", doubled=True) == (80, 0, 0, -80)
    assert settle(20, 0, 3, "competitive", remaining=(100, 100, 193, 7)) == (7, 0, 0, -7)


def test_the_official_deal_always_passes_the_competitive_one_stays_with_a_winner():
    assert next_dealer("mcr1998", 3, [3]) == 0
    assert next_dealer("mcr1998", 0, []) == 1
    assert next_dealer("competitive", 3, [3]) == 3
    assert next_dealer("competitive", 3, [1, 3]) == 3
    assert next_dealer("competitive", 3, []) == 0
    assert next_dealer("competitive", 3, [0]) == 0


def test_a_robbed_kong_needs_its_player_and_options_their_system():
    with pytest.raises(SettlementError, match="whose kong"):
        settle(20, 0, None, "competitive", robbed_kong=True)
    with pytest.raises(SettlementError, match="competitive only"):
        settle(20, 0, 1, "mcr1998", doubled=True)


def test_unknown_rules_are_named():
    with pytest.raises(HandError, match="Unknown rules 'riichi'"):
        settle(20, 0, profile="riichi")


@given(
    st.integers(8, 500),
    st.permutations(range(4)),
    st.booleans(),
    st.sampled_from(["mcr1998", "mcr", "competitive"]),
)
@settings(deadline=None)
def test_always_zero_sum(points, seats, drawn, profile):
    winner, discarder = seats[0], None if drawn else seats[1]
    amounts = settle(points, winner, discarder, profile)
    assert sum(amounts) == 0
    assert amounts[winner] > 0
