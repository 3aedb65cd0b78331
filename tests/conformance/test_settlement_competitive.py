"""Payments and session ends of the second text, a worked example for each article."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paiju.hand import Hand, Meld, MeldKind, Source
from paiju.rules import score
from paiju.rules.competitive_payments import (
    FULL_FLUSH,
    MELDED_WAIT,
    Board,
    Claim,
    KongKind,
    Way,
    Win,
    chased,
    claims_of,
    related_tiles,
    settle_chased,
    settle_kong,
    settle_win,
    winning_order,
)
from paiju.rules.competitive_profile import competitive_profile
from paiju.rules.competitive_session import (
    End,
    Session,
    add_fines,
    after_hand,
    ask_score,
    end_of,
    is_first,
    pay_at_once,
    refused_winners,
    win_hand,
)
from paiju.rules.penalties import Act, rule_all
from paiju.rules.settlement import NOTHING, Settlement, SettlementError, settle_drawn
from paiju.tiles import face_of

E, S, W, N = range(4)


def pung(code: str, source: int) -> Claim:
    return Claim(source, (face_of(code),) * 3)


def chow(code: str, source: int) -> Claim:
    first = face_of(code)
    return Claim(source, (first, first + 1, first + 2))


def claims(**by_seat: tuple[Claim, ...]) -> tuple[tuple[Claim, ...], ...]:
    return tuple(by_seat.get(name, ()) for name in "ESWN")


def rules(settlement: Settlement) -> list[str]:
    return [line.rule for line in settlement.entries]


# 第九條: the three ways


def test_discarder_alone_pays_double():
    settlement = settle_win(Board(), [Win(E, 24)], Way.DISCARD, W)
    assert settlement.amounts == (48, 0, -48, 0)
    assert settlement.entries[0].article == "第九條 (一)"


def test_self_draw_one_share_from_each_of_three():
    assert settle_win(Board(), [Win(S, 24)], Way.SELF_DRAW).amounts == (-24, 72, -24, -24)


def test_robbed_kong_three_shares_from_the_kong_player():
    settlement = settle_win(Board(), [Win(S, 24)], Way.ROBBED_KONG, N)
    assert settlement.amounts == (0, 72, 0, -72)
    assert rules(settlement) == ["robbed_kong"]


def test_doubled_hand_doubles_every_way_once():
    board = Board(doubled=True)
    assert settle_win(board, [Win(E, 14)], Way.DISCARD, W).amounts == (56, 0, -56, 0)
    assert settle_win(board, [Win(W, 14)], Way.SELF_DRAW).amounts == (-28, -28, 84, -28)
    assert settle_win(board, [Win(E, 14)], Way.ROBBED_KONG, W).amounts == (84, 0, -84, 0)
    assert "doubled_hand" in rules(settle_win(board, [Win(E, 14)], Way.DISCARD, W))


def test_payments_stop_at_the_payers_points():
    board = Board(points=(100, 100, 30, 170))
    settlement = settle_win(board, [Win(E, 24)], Way.DISCARD, W)
    assert settlement.amounts == (30, 0, -30, 0)
    assert "30 points left" in settlement.entries[-1].text.en
    board = Board(points=(200, 10, 0, 190))
    assert settle_win(board, [Win(E, 24)], Way.SELF_DRAW).amounts == (34, -10, 0, -24)


def test_no_win_on_a_player_without_points():
    board = Board(points=(100, 0, 100, 200))
    for way in (Way.DISCARD, Way.ROBBED_KONG):
        with pytest.raises(SettlementError) as caught:
            settle_win(board, [Win(E, 24)], way, S)
        assert caught.value.code == "payer_without_points"


def test_a_win_without_a_fan_is_refused():
    with pytest.raises(SettlementError) as caught:
        settle_win(Board(), [Win(E, 0)], Way.SELF_DRAW)
    assert caught.value.code == "no_fan"


# 三十五: several winners


def test_two_winners_are_paid_counter_clockwise_while_points_last():
    board = Board(points=(100, 100, 100, 100))
    settlement = settle_win(board, [Win(S, 40), Win(N, 28)], Way.DISCARD, W)
    assert settlement.amounts == (0, 44, -100, 56)
    assert rules(settlement) == ["discard", "discard", "capped"]


def test_three_winners_with_enough_points():
    settlement = settle_win(Board(), [Win(S, 10), Win(W, 11), Win(N, 12)], Way.DISCARD, E)
    assert settlement.amounts == (-66, 20, 22, 24)


def test_who_reaches_for_the_wall_has_let_the_win_go():
    assert winning_order(W, [E, N]) == (N, E)
    assert winning_order(W, [E, N], waived=[N]) == (E,)


# 三十四: 包牌


@pytest.mark.parametrize(
    "melds",
    [
        (chow("1m", E), chow("4p", E), pung("9s", E)),
        (pung("1m", E), pung("4p", E), pung("E", E)),
        (chow("1m", E), chow("4p", E), chow("1s", E), pung("9s", N)),
    ],
)
@pytest.mark.parametrize(("way", "feeder"), [(Way.SELF_DRAW, None), (Way.DISCARD, N), (Way.DISCARD, E)])
def test_who_fed_three_claims_pays_all_three_shares(melds, way, feeder):
    settlement = settle_win(Board(claims=claims(S=melds)), [Win(S, 20)], way, feeder)
    assert settlement.amounts == (-60, 60, 0, 0)
    assert rules(settlement) == ["fed_claims"]


@pytest.mark.parametrize(("way", "feeder"), [(Way.SELF_DRAW, None), (Way.DISCARD, W), (Way.DISCARD, S)])
def test_mutual_who_took_three_claims_pays_when_the_feeder_wins(way, feeder):
    board = Board(claims=claims(S=(chow("1m", E), chow("4p", E), pung("9s", E))))
    settlement = settle_win(board, [Win(E, 20)], way, feeder)
    assert settlement.amounts == (60, -60, 0, 0)
    assert rules(settlement) == ["took_claims"]


def test_liability_does_not_touch_the_other_two():
    board = Board(claims=claims(S=(chow("1m", E), chow("4p", E), pung("9s", E))))
    assert settle_win(board, [Win(W, 20)], Way.SELF_DRAW).amounts == (-20, -20, 60, -20)


def test_two_claims_or_another_first_claim_make_no_liability():
    two = (chow("1m", E), chow("4p", E))
    broken = (pung("1m", N), chow("4p", E), chow("1s", E), chow("7s", E))
    for melds in (two, broken):
        board = Board(claims=claims(S=melds))
        assert settle_win(board, [Win(S, 20)], Way.SELF_DRAW).amounts == (-20, 60, -20, -20)


def test_an_event_may_count_any_three_claims():
    loose = replace(competitive_profile(), liability_from_the_start=False)
    board = Board(claims=claims(S=(pung("1m", N), chow("4p", E), chow("1s", E), chow("7s", E))))
    assert settle_win(board, [Win(S, 20)], Way.SELF_DRAW, profile=loose).amounts == (-60, 60, 0, 0)


FLUSH_BOARD = (pung("1m", E), chow("2m", W), pung("9m", N))


def test_feeding_a_real_flush_behind_three_melds_of_a_suit():
    board = Board(claims=claims(S=FLUSH_BOARD))
    real = settle_win(board, [Win(S, 20, frozenset({FULL_FLUSH}))], Way.DISCARD, W)
    assert real.amounts == (0, 60, -60, 0)
    assert rules(real) == ["fed_flush_win"]
    feint = settle_win(board, [Win(S, 20, frozenset({4}))], Way.DISCARD, W)
    assert feint.amounts == (0, 40, -40, 0)


def test_a_flush_with_two_melds_is_a_plain_discard():
    board = Board(claims=claims(S=FLUSH_BOARD[:2]))
    assert settle_win(board, [Win(S, 20, frozenset({FULL_FLUSH}))], Way.DISCARD, W).amounts == (0, 40, -40, 0)


def test_feeding_the_fourth_meld_of_a_flush_pays_its_self_draw():
    board = Board(claims=claims(S=(*FLUSH_BOARD, pung("5m", W))))
    settlement = settle_win(board, [Win(S, 20, frozenset({FULL_FLUSH}))], Way.SELF_DRAW)
    assert settlement.amounts == (0, 60, -60, 0)
    assert rules(settlement) == ["fed_flush_claim"]


def test_the_later_act_decides_between_two_liable_players():
    board = Board(claims=claims(S=(chow("1m", E), chow("2m", E), pung("9m", E))))
    fed = settle_win(board, [Win(S, 20, frozenset({FULL_FLUSH}))], Way.DISCARD, N)
    assert fed.amounts == (0, 60, 0, -60)
    robbed = settle_win(board, [Win(S, 20)], Way.ROBBED_KONG, W)
    assert robbed.amounts == (0, 60, -60, 0)


@pytest.mark.parametrize(
    ("hung", "related"),
    [
        ("5m", {"3m", "4m", "5m", "6m", "7m"}),
        ("1p", {"1p", "2p", "3p"}),
        ("8s", {"6s", "7s", "8s", "9s"}),
        ("S", {"E", "S", "W", "N"}),
        ("P", {"C", "F", "P"}),
    ],
)
def test_tiles_related_to_a_hung_tile(hung, related):
    assert related_tiles(face_of(hung)) == {face_of(code) for code in related}


@pytest.mark.parametrize(
    ("hung", "tile", "expected"),
    [
        ("5m", "5m", -60),
        ("5m", "7m", -60),
        ("5m", "8m", -40),
        ("E", "N", -60),
        ("E", "C", -40),
        ("C", "P", -60),
        (None, "5m", -40),  # changed since: a plain discard
    ],
)
def test_feeding_a_tile_related_to_the_hung_one(hung, tile, expected):
    waiting = None if hung is None else face_of(hung)
    board = Board(hung=(None, waiting, None, None))
    win = Win(S, 20, frozenset({MELDED_WAIT}))
    assert settle_win(board, [win], Way.DISCARD, W, face_of(tile)).amounts[W] == expected


def test_a_hung_tile_does_not_touch_a_self_draw():
    board = Board(hung=(None, face_of("5m"), None, None))
    win = Win(S, 20, frozenset({MELDED_WAIT}))
    assert settle_win(board, [win], Way.SELF_DRAW, tile=face_of("5m")).amounts == (-20, 60, -20, -20)


def test_liability_is_doubled_and_capped_too():
    board = Board(claims=claims(S=(chow("1m", E), chow("4p", E), pung("9s", E))), doubled=True)
    assert settle_win(board, [Win(S, 20)], Way.SELF_DRAW).amounts == (-100, 100, 0, 0)
    assert settle_win(board, [Win(S, 10)], Way.SELF_DRAW).amounts == (-60, 60, 0, 0)


def test_claims_are_read_from_melds():
    melds = (
        Meld(MeldKind.CHOW, (0, 1, 2), Source.LEFT),
        Meld(MeldKind.CONCEALED_KONG, (9,) * 4, Source.SELF),
        Meld(MeldKind.PUNG, (30,) * 3, Source.ACROSS),
        Meld(MeldKind.ADDED_KONG, (31,) * 4, Source.RIGHT),
    )
    assert [claim.source for claim in claims_of(S, melds)] == [E, N, W]


def test_a_scored_hand_settles_with_the_liability_of_its_melds():
    """South, four melds of characters hung on 5m; East fed three of them, West the winning tile."""
    melds = (
        Meld(MeldKind.CHOW, (0, 1, 2), Source.LEFT),
        Meld(MeldKind.CHOW, (5, 6, 7), Source.LEFT),
        Meld(MeldKind.CHOW, (6, 7, 8), Source.LEFT),
        Meld(MeldKind.PUNG, (3, 3, 3), Source.ACROSS),
    )
    won = Win.of(S, score(Hand(melds, (4,), 4), "competitive"))
    assert won == Win(S, 20 + 40 + 4, frozenset({MELDED_WAIT, FULL_FLUSH, 22}))
    board = Board(points=(500,) * 4, claims=claims(S=claims_of(S, melds)), hung=(None, 4, None, None))
    assert settle_win(board, [won], Way.DISCARD, W, tile=4).amounts == (0, 192, -192, 0)
    drawn = Win.of(S, score(Hand(melds, (4,), 4, self_drawn=True), "competitive"))
    by_draw = settle_win(board, [drawn], Way.SELF_DRAW)
    assert rules(by_draw) == ["fed_flush_claim"]
    assert by_draw.amounts == (0, 192, 0, -192)


# 三十六, 三十七: kongs and 追牌


def test_kongs_are_paid_at_once_with_a_notice_that_the_value_is_ours():
    melded = settle_kong(Board(), KongKind.MELDED, S, feeder=E)
    assert melded.amounts == (-2, 2, 0, 0)
    assert settle_kong(Board(), KongKind.ADDED, S).amounts == (-2, 6, -2, -2)
    assert settle_kong(Board(), KongKind.CONCEALED, S).amounts == (-4, 12, -4, -4)
    assert "project default" in melded.notices[0].en


def test_kongs_are_doubled_and_capped():
    assert settle_kong(Board(doubled=True), KongKind.CONCEALED, S).amounts == (-8, 24, -8, -8)
    board = Board(points=(3, 200, 0, 197))
    assert settle_kong(board, KongKind.CONCEALED, S).amounts == (-3, 7, 0, -4)


def test_a_melded_kong_needs_its_feeder():
    with pytest.raises(SettlementError):
        settle_kong(Board(), KongKind.MELDED, S)
    with pytest.raises(SettlementError):
        settle_kong(Board(), KongKind.CONCEALED, S, feeder=E)


def test_chased_tile_is_four_equal_discards_in_a_row():
    east = face_of("E")
    row = [(W, east), (N, east), (E, east), (S, east)]
    assert chased(row) == W
    assert chased([(E, 0), *row]) == W
    assert chased(row[:3]) is None
    assert chased([(W, east), (N, east), (E, 5), (S, east)]) is None
    assert chased([(W, east), (N, east), (S, east), (E, east)]) is None


def test_chased_tile_first_player_pays_four_to_each():
    assert settle_chased(Board(), W).amounts == (4, 4, -12, 4)
    assert settle_chased(Board(doubled=True), W).amounts == (8, 8, -24, 8)
    assert settle_chased(Board(points=(100, 100, 6, 194)), W).amounts == (2, 0, -6, 4)


# 三十一, 倍打: the course of a session


def test_dealer_keeps_the_deal_on_a_win_and_plays_doubled_from_then():
    session = Session()
    assert not session.doubled
    for held in (1, 2, 3):
        session, _ = win_hand(session, session.board(), [Win(E, 1)], Way.SELF_DRAW)
        assert (session.dealer, session.held, session.doubled) == (E, held, True)
    assert session.points == (100 + 3 + 6 + 6, 95, 95, 95)  # doubled, never again
    session, _ = win_hand(session, session.board(), [Win(S, 1)], Way.SELF_DRAW)
    assert (session.dealer, session.held, session.doubled, session.passed) == (S, 0, False, 1)


def test_a_drawn_hand_passes_the_deal_from_a_holding_dealer_too():
    session = after_hand(Session(held=2), settle_drawn(), ())
    assert (session.dealer, session.doubled, session.passed) == (S, False, 1)


def test_dealer_among_several_winners_keeps_the_deal():
    session, _ = win_hand(Session(), Board(), [Win(E, 5), Win(S, 5)], Way.DISCARD, W)
    assert session.dealer == E
    assert session.doubled


def test_the_three_ends_of_a_session():
    assert end_of(Session()) is None
    assert end_of(Session(passed=16)) is End.HANDS
    assert end_of(Session(passed=8, rounds=2)) is End.HANDS
    assert end_of(Session(time_up=True)) is End.TIME
    assert end_of(Session(points=(300, 100, 0, 0))) is End.TWO_WITHOUT_POINTS
    assert end_of(Session(points=(300, 60, 40, 0))) is None


# 三十二: 禁止非勝式和牌局結


def test_a_player_not_first_may_not_end_the_session_by_winning():
    session = Session(points=(250, 130, 20, 0), dealer=W)
    assert refused_winners(session, session.board(), [Win(S, 10)], Way.DISCARD, W) == (S,)
    with pytest.raises(SettlementError) as caught:
        win_hand(session, session.board(), [Win(S, 10)], Way.DISCARD, W)
    assert caught.value.code == "end_refused"
    assert refused_winners(session, session.board(), [Win(S, 20)], Way.SELF_DRAW) == (S,)
    after, _ = win_hand(session, session.board(), [Win(E, 20)], Way.DISCARD, W)
    assert end_of(after) is End.TWO_WITHOUT_POINTS
    smaller, _ = win_hand(session, session.board(), [Win(S, 9)], Way.DISCARD, W)
    assert end_of(smaller) is None


def test_a_win_that_makes_its_player_first_may_end_the_session():
    session = Session(points=(140, 130, 130, 0))
    after, _ = win_hand(session, session.board(), [Win(S, 70)], Way.DISCARD, W)
    assert after.points == (140, 260, 0, 0)
    assert end_of(after) is End.TWO_WITHOUT_POINTS


@pytest.mark.parametrize("session", [Session(time_up=True), Session(passed=15, dealer=N)])
def test_the_last_hand_may_not_be_won_by_a_player_who_stays_behind(session):
    session = replace(session, points=(200, 80, 60, 60))
    assert refused_winners(session, session.board(), [Win(S, 10)], Way.DISCARD, W) == (S,)
    assert refused_winners(session, session.board(), [Win(S, 60)], Way.DISCARD, E) == ()
    assert refused_winners(session, session.board(), [Win(E, 10)], Way.DISCARD, W) == ()
    only_points = replace(competitive_profile(), refused_ends=frozenset({"two_without_points"}))
    assert refused_winners(session, session.board(), [Win(S, 10)], Way.DISCARD, W, profile=only_points) == ()


def test_a_dealer_who_keeps_the_last_deal_does_not_end_the_session():
    session = Session(points=(200, 80, 60, 60), passed=15, dealer=N)
    assert refused_winners(session, session.board(), [Win(N, 10)], Way.DISCARD, W) == ()


def test_with_two_winners_only_the_one_behind_drops_out():
    session = Session(points=(300, 60, 40, 0))
    wins = [Win(E, 15), Win(S, 10)]
    assert refused_winners(session, session.board(), wins, Way.DISCARD, W) == (S,)


def test_a_kong_that_would_end_the_session_counts_off_the_board():
    session = Session(points=(250, 148, 2, 0))
    kong = settle_kong(session.board(), KongKind.MELDED, S, feeder=W)
    after, booked = pay_at_once(session, kong)
    assert after.points == session.points
    assert booked.amounts == NOTHING
    assert booked.off_board == (0, 2, -2, 0)
    assert rules(booked)[-1] == "off_board"
    assert after.result == (250, 150, 0, 0)


def test_the_first_player_may_end_the_session_with_a_kong():
    session = Session(points=(250, 148, 2, 0))
    kong = settle_kong(session.board(), KongKind.MELDED, E, feeder=W)
    after, booked = pay_at_once(session, kong)
    assert after.points == (252, 148, 0, 0)
    assert booked is kong


def test_an_ordinary_kong_stays_on_the_board():
    after, _ = pay_at_once(Session(), settle_kong(Board(), KongKind.ADDED, S))
    assert after.points == (98, 106, 98, 98)


def test_fines_count_off_the_board():
    conduct = rule_all([Act(S, "rule_violation", amount=30), Act(S, "false_win", victim=W)], "competitive")
    fined = add_fines(Session(), conduct)
    assert fined.points == (100, 100, 100, 100)
    assert fined.result == (100, 60, 110, 100)


# 三十三: score questions; formats


def test_two_score_questions_in_the_fourth_session_only():
    with pytest.raises(SettlementError, match="session 4 only"):
        ask_score(Session(number=3), E)
    session = ask_score(ask_score(Session(number=4), E), E)
    with pytest.raises(SettlementError, match="asked 2 times"):
        ask_score(session, E)
    assert ask_score(session, S).score_questions == (2, 1, 0, 0)


def test_formats_of_sixteen_eight_and_four_rounds():
    formats = competitive_profile().formats
    assert {rounds: (f.sessions, f.rounds, f.minutes) for rounds, f in formats.items()} == {
        16: (4, 4, 120),
        8: (4, 2, 60),
        4: (1, 4, 120),
    }


# Properties

seats = st.integers(0, 3)
points = st.lists(st.integers(0, 250), min_size=4, max_size=4).map(tuple)
claim = st.builds(Claim, seats, st.sampled_from([(0, 0, 0), (0, 1, 2), (10, 10, 10), (30, 30, 30)]))
claim_lists = st.lists(st.lists(claim, max_size=4).map(tuple), min_size=4, max_size=4).map(tuple)
fans = st.frozensets(st.sampled_from([MELDED_WAIT, FULL_FLUSH, 4]))
hung = st.lists(st.none() | st.integers(0, 33), min_size=4, max_size=4).map(tuple)


def own_claims(board_claims):
    return tuple(
        tuple(replace(one, source=(seat + 1 + one.source % 3) % 4) for one in made)
        for seat, made in enumerate(board_claims)
    )


boards = st.builds(Board, points, claim_lists.map(own_claims), hung, st.booleans())


@given(boards, st.data())
@settings(deadline=None)
def test_wins_are_zero_sum_and_never_overdraw(board, data):
    way = data.draw(st.sampled_from(list(Way)))
    feeder = None if way is Way.SELF_DRAW else data.draw(seats)
    able = [seat for seat in range(4) if seat != feeder]
    winners = data.draw(st.lists(st.sampled_from(able), min_size=1, max_size=3, unique=True))
    wins = [Win(seat, data.draw(st.integers(1, 150)), data.draw(fans)) for seat in winners]
    if feeder is None:
        wins = wins[:1]
    if feeder is not None and board.points[feeder] == 0:
        with pytest.raises(SettlementError):
            settle_win(board, wins, way, feeder)
        return
    settlement = settle_win(board, wins, way, feeder, data.draw(st.integers(0, 33)))
    assert sum(settlement.amounts) == 0
    assert all(left + change >= 0 for left, change in zip(board.points, settlement.amounts, strict=True))
    for line in settlement.entries:
        assert sum(line.amounts) == 0
    factor = 2 if board.doubled else 1
    gained = sum(max(0, change) for line in settlement.entries for change in line.amounts)
    assert gained <= 3 * factor * sum(win.points for win in wins)
    assert settlement == settle_win(board, wins[::-1], way, feeder, None) or board.hung != (None,) * 4


@given(boards, st.sampled_from(list(KongKind)), seats, seats)
@settings(deadline=None)
def test_kongs_are_zero_sum_and_never_overdraw(board, kind, seat, feeder):
    if kind is KongKind.MELDED and seat == feeder:
        return
    settlement = settle_kong(board, kind, seat, feeder if kind is KongKind.MELDED else None)
    chase = settle_chased(board, seat)
    for one in (settlement, chase):
        assert sum(one.amounts) == 0
        assert all(left + change >= 0 for left, change in zip(board.points, one.amounts, strict=True))


@given(points, seats, st.integers(1, 80), st.booleans(), st.integers(0, 15))
@settings(deadline=None)
def test_a_session_is_never_ended_by_a_player_behind(start, winner, value, time_up, passed):
    session = Session(points=start, time_up=time_up, passed=passed, dealer=passed % 4)
    board = session.board()
    if refused_winners(session, board, [Win(winner, value)], Way.SELF_DRAW):
        return
    after, settlement = win_hand(session, board, [Win(winner, value)], Way.SELF_DRAW)
    assert sum(after.points) == sum(start)
    assert end_of(after) is None or is_first(after.points, winner)
    assert settlement.off_board == NOTHING
