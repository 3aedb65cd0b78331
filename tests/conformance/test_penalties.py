"""Chapter 4 of the first text and the penalty articles of the second, act by act."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paiju.hand import HandError
from paiju.rules.penalties import (
    Act,
    Conduct,
    PenaltyError,
    Right,
    false_win_offence,
    lateness_offence,
    offences,
    rule_all,
    rule_on,
    system_of,
)

E, S, W, N = range(4)
PROFILES = ("mcr1998", "competitive")


def fines(offence: str, times: int) -> list[int]:
    return [ruling.fine for ruling in rule_all([Act(S, offence)] * times).rulings]


@pytest.mark.parametrize("offence", ["empty_claim", "early_draw", "late_pung"])
def test_warning_then_5_10_20_and_up_the_fines_that_exist(offence):
    conduct = rule_all([Act(S, offence)] * 9)
    assert [ruling.warning for ruling in conduct.rulings] == [True] + [False] * 8
    assert fines(offence, 9) == [0, 5, 10, 20, 30, 40, 50, 60, 60]
    assert conduct.amounts == (0, -275, 0, 0)
    assert conduct.may_win(S)


def test_the_ladder_is_per_player_and_kind():
    conduct = rule_all(
        [Act(S, "empty_claim"), Act(W, "empty_claim"), Act(S, "early_draw"), Act(S, "empty_claim")]
    )
    assert [ruling.fine for ruling in conduct.rulings] == [0, 0, 0, 5]


@pytest.mark.parametrize(
    ("offence", "article", "amounts"),
    [
        ("win_below_minimum", "第十四條 六 (一)", (10, -30, 10, 10)),
        ("false_win", "第十四條 六 (二)", (20, -60, 20, 20)),
        ("win_on_wrong_tile", "第十四條 六 (三)", (10, -30, 10, 10)),
    ],
)
def test_false_wins_pay_each_player_and_the_hand_goes_on_without_the_right_to_win(offence, article, amounts):
    conduct = rule_all([Act(S, offence)])
    assert conduct.amounts == amounts
    assert conduct.rulings[0].offence.article == article
    assert conduct.right(S) is Right.NO_WIN
    assert conduct.dead(S)
    assert conduct.may_win(E)


def test_which_false_win_it_was():
    assert false_win_offence(-1) == "win_below_minimum"
    assert false_win_offence(0) == "win_on_wrong_tile"
    assert false_win_offence(1) == "false_win"
    assert false_win_offence(2) == "deliberate_false_win"
    assert false_win_offence(6) == "deliberate_false_win"
    assert false_win_offence(1, "competitive") == "false_win"


@pytest.mark.parametrize("offence", ["cheating", "deliberate_false_win", "serious_disturbance"])
def test_exclusion(offence):
    conduct = rule_all([Act(N, offence)])
    assert conduct.right(N) is Right.EXCLUDED
    assert conduct.amounts == (0, 0, 0, 0)


def test_wrong_claim_and_wrong_count_lose_the_right_to_win():
    assert rule_all([Act(S, "wrong_claim")]).right(S) is Right.NO_WIN
    assert not rule_all([Act(S, "wrong_claim")]).dead(S)
    for profile in PROFILES:
        dead = rule_all([Act(S, "wrong_tile_count")], profile)
        assert dead.dead(S)
        assert not dead.may_win(S)
        assert dead.amounts == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("minutes", "offence", "fine"),
    [(0, None, 0), (1, "late_10", 10), (10, "late_10", 10), (10.5, "late_15", 20), (15, "late_15", 20)],
)
def test_lateness_is_charged_to_the_session(minutes, offence, fine):
    assert lateness_offence(minutes) == offence
    if offence:
        conduct = rule_all([Act(S, offence)])
        assert conduct.amounts == (0, 0, 0, 0)
        assert conduct.session_amounts == (0, -fine, 0, 0)
        assert conduct.may_win(S)


def test_first_lateness_is_warned_as_well():
    assert rule_all([Act(S, "late_10")]).rulings[0].warning
    assert not rule_all([Act(S, "late_15")]).rulings[0].warning


def test_absence_forfeits_the_session():
    assert rule_all([Act(S, lateness_offence(16))]).right(S) is Right.FORFEIT


def test_exposed_tiles():
    own = rule_all([Act(S, "exposed_tile")])
    assert own.rulings[0].offence.must_discard
    assert own.may_win(S)
    at_win = rule_all([Act(S, "hand_laid_down_after_win")])
    assert at_win.rulings[0].warning
    assert at_win.may_win(S)
    at_false_win = rule_all([Act(S, "hand_laid_down_after_false_win")])
    assert at_false_win.rulings[0].offence.must_discard
    assert at_false_win.dead(S)


def test_exposing_anothers_tile_pays_the_disturbed_what_the_referee_says():
    assert rule_all([Act(S, "exposed_others_tile", victim=N)]).amounts == (0, -5, 0, 5)
    assert rule_all([Act(S, "exposed_others_tile", amount=60, victim=N)]).amounts == (0, -60, 0, 60)
    with pytest.raises(PenaltyError, match="name the victim"):
        rule_all([Act(S, "exposed_others_tile")])
    with pytest.raises(PenaltyError, match="one of 5, 10"):
        rule_all([Act(S, "exposed_others_tile", amount=15, victim=N)])


def test_misconduct_is_warned_then_fined():
    conduct = rule_all([Act(S, "misconduct"), Act(S, "misconduct", amount=30)])
    assert [(ruling.warning, ruling.fine) for ruling in conduct.rulings] == [(True, 0), (False, 30)]


def test_the_referee_may_take_the_win_or_the_seat_instead_of_points():
    silent = rule_all([Act(S, "illegal_information", right=Right.NO_WIN)])
    assert silent.amounts == (0, 0, 0, 0)
    assert silent.dead(S)
    assert not silent.may_win(S)
    assert rule_all([Act(S, "illegal_information", amount=40)]).may_win(S)
    twice = rule_all([Act(S, "misconduct"), Act(S, "misconduct", amount=20, right=Right.EXCLUDED)])
    assert twice.amounts == (0, -20, 0, 0)
    assert twice.right(S) is Right.EXCLUDED
    with pytest.raises(PenaltyError, match="leave right out"):
        rule_all([Act(S, "misconduct", right=Right.NO_WIN)])  # the first time is a warning
    with pytest.raises(PenaltyError, match="leave right out"):
        rule_all([Act(S, "early_draw", right=Right.NO_WIN)])


def test_competitive_false_win_is_a_fine_in_tens_and_a_dead_hand():
    conduct = rule_all([Act(S, "false_win", amount=50)], "competitive")
    assert conduct.amounts == (0, -50, 0, 0)
    assert conduct.dead(S)
    assert rule_all([Act(S, "false_win", amount=20, victim=W)], "competitive").amounts == (0, -20, 20, 0)
    for wrong in (5, 15, 60):
        with pytest.raises(PenaltyError):
            rule_all([Act(S, "false_win", amount=wrong)], "competitive")


def test_competitive_win_on_a_player_without_points():
    conduct = rule_all([Act(S, "win_on_pointless", amount=48, victim=W)], "competitive")
    assert conduct.amounts == (10, -78, 58, 10)
    with pytest.raises(PenaltyError, match="value of the win"):
        rule_all([Act(S, "win_on_pointless", victim=W)], "competitive")


def test_competitive_odd_acts_count_from_the_second():
    conduct = rule_all([Act(S, "suspicious_act")] * 3, "competitive")
    assert [(ruling.warning, ruling.fine) for ruling in conduct.rulings] == [(False, 0), (True, 0), (False, 10)]


def test_competitive_penalty_tiles():
    shown = rule_all([Act(S, "exposed_tile")], "competitive")
    assert shown.rulings[0].offence.must_discard
    assert shown.may_win(S)
    assert rule_all([Act(S, "penalty_tile_drawn_by_referee")], "competitive").dead(S)


def test_bad_acts_name_the_remedy():
    with pytest.raises(PenaltyError, match="choose one of"):
        rule_all([Act(S, "sneezing")])
    with pytest.raises(PenaltyError, match="seat from 0 to 3"):
        rule_all([Act(4, "empty_claim")])
    with pytest.raises(PenaltyError, match="its victim another"):
        rule_all([Act(S, "exposed_others_tile", victim=S)])
    with pytest.raises(HandError, match="Unknown rules"):
        system_of("riichi")


@pytest.mark.parametrize("profile", PROFILES)
def test_every_offence_is_named_in_three_languages_with_its_article(profile):
    for offence in offences(profile).values():
        assert offence.article
        assert len({offence.name.en, offence.name.zh_hans}) == 2
        assert offence.name.zh_hant
        assert offence.ladder


@given(st.sampled_from(PROFILES), st.data())
@settings(deadline=None)
def test_rulings_never_create_points_and_never_restore_a_right(profile, data):
    known = offences(profile)
    conduct = Conduct(profile)
    for _ in range(data.draw(st.integers(1, 8))):
        seat = data.draw(st.integers(0, 3))
        victim = (seat + data.draw(st.integers(1, 3))) % 4
        offence = data.draw(st.sampled_from(sorted(known)))
        before = conduct
        amount = 20 if offence == "win_on_pointless" else None
        conduct = rule_on(conduct, Act(seat, offence, amount, victim))
        assert sum(conduct.rulings[-1].amounts) <= 0
        assert conduct.rulings[-1].amounts[seat] <= 0
        assert all(conduct.right(one) >= before.right(one) for one in range(4))
        assert before.rulings == conduct.rulings[:-1]
