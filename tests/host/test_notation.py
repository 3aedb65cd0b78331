"""Hands as text, and errors that point at the character."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paiju.hand import HandError, MeldKind, Source
from paiju.notation import (
    Way,
    parse,
    parse_hand,
    parse_tiles,
    print_compact,
    print_hand,
    print_meld,
    print_tiles,
)
from paiju.tiles import code_of


def test_tiles() -> None:
    assert [code_of(f) for f in parse_tiles("123m 44p E C 3f")] == ["1m", "2m", "3m", "4p", "4p", "E", "C", "3f"]
    assert print_tiles(parse_tiles("C3f21m4pE4p3m")) == "123m 44p E C 3f"


@given(st.lists(st.integers(0, 41), max_size=14))
@settings(deadline=None)
def test_printing_and_parsing_tiles(faces: list[int]) -> None:
    assert list(parse_tiles(print_tiles(faces))) == sorted(faces)


def test_melds() -> None:
    melds = parse("[444p,1][2222m][EEE,2][7777s,3][CCCC,6]1s").melds
    assert [(m.kind, m.source) for m in melds] == [
        (MeldKind.PUNG, Source.LEFT),
        (MeldKind.CONCEALED_KONG, Source.SELF),
        (MeldKind.PUNG, Source.ACROSS),
        (MeldKind.MELDED_KONG, Source.RIGHT),
        (MeldKind.ADDED_KONG, Source.ACROSS),
    ]
    assert "".join(print_meld(m) for m in melds) == "[444p,1][2222m][EEE,2][7777s,3][CCCC,6]"


def test_project_notation_counts_flowers() -> None:
    hand = parse_hand("[123m,1] 55m 123m 79s 789p 3f 5f + 8s")
    assert hand.flowers == 2
    assert print_hand(hand) == "[123m,1] 12355m 789p 79s + 8s"


def test_compact_notation() -> None:
    hand = parse_hand("[123m,1]55m12379s789p+8s|SW0100|2")
    assert (hand.prevalent_wind, hand.seat_wind, hand.flowers) == (1, 2, 2)
    assert (hand.self_drawn, hand.last_of_kind, hand.last_wall_tile) == (False, True, False)
    assert parse_hand(print_compact(hand)) == hand


def test_without_a_plus_the_last_tile_wins() -> None:
    assert parse_hand("123789s123789p33m").win_tile == 2
    assert parse_hand("11123456789999m|EE1000").self_drawn


def test_the_last_flag_is_a_kong_replacement_or_a_robbed_kong() -> None:
    assert parse_hand("[9999m,1]123m456p78s11p+9s|EE1001").kong_replacement
    assert parse_hand("[123m,1]456p78s11p234s+9s|EE0001").robbing_kong


def test_flowers_as_letters() -> None:
    assert parse_hand("345s3p55p5567p[7777s]4p|EE0100|cbaghdfe").flowers == 8


def test_a_chow_digit_is_a_seat_except_in_compact_notation() -> None:
    with pytest.raises(HandError) as caught:
        parse_hand("[678s,3]147m369s25pSS+8p")
    assert (caught.value.code, caught.value.position) == ("wrong_source", 0)
    assert "[678s,1]" in caught.value.message
    assert "|" in caught.value.message
    for suffix in ("|EE0000", "|", "||"):
        assert parse_hand("[678s,3]147m369s25pSS+8p" + suffix).melds[0].source is Source.LEFT


def test_what_the_suffix_says_is_not_said_twice() -> None:
    hand = "123m456p789s11p23s+4s|SW1000"
    assert parse("123m456p789s11p23s|SW1000").way == Way(1, 2, self_drawn=True)
    assert parse("123m456p789s11p23s").way is None
    for told in ({"self_drawn": True}, {"seat_wind": 2}):
        with pytest.raises(HandError) as caught:
            parse_hand(hand, **told)  # type: ignore[arg-type]
        assert caught.value.code == "bad_value"
    for text in ("3f" + hand, hand + "|1"):
        with pytest.raises(HandError) as caught:
            parse_hand(text, flowers=1)
        assert caught.value.code == "bad_value"
    assert parse_hand("3f" + hand + "|1").flowers == 2


ERRORS = [
    ("12x3m", "bad_notation", 2),
    ("123", "bad_notation", 3),
    ("m123", "bad_notation", 0),
    ("120m3p+3p", "bad_notation", 2),
    ("9f+1m", "bad_notation", 0),
    ("1m  Q", "bad_notation", 4),
    ("[123m,4]1m", "bad_notation", 6),
    ("[123m,1", "bad_notation", 7),
    ("1m+", "bad_notation", 3),
    ("1m+12p", "bad_notation", 3),
    ("1m+2p+3p", "bad_notation", 5),
    ("1m[124m,1]", "bad_meld", 2),
    ("[111m]1m", "wrong_source", 0),
    ("[123m,5]1m", "bad_meld", 0),
    ("[]1m", "bad_meld", 0),
    ("1111222233334m|XE0000", "bad_notation", 15),
    ("1111222233334m|EE0020", "bad_notation", 19),
    ("1111222233334m|EE000", "bad_notation", 20),
    ("1111222233334m|EE00000", "bad_notation", 21),
    ("1111222233334m|EE0000|i", "bad_notation", 22),
    ("1111222233334m|EE0000|aa", "bad_notation", 23),
    ("1111222233334m|EE0000|1|2", "bad_notation", 23),
    ("", "empty_input", None),
    ("   ", "empty_input", None),
    ("[123m,1]", "wrong_count", None),
    ("3f3f1m", "too_many_copies", None),
]


@pytest.mark.parametrize(("text", "code", "position"), ERRORS)
def test_errors_point_at_the_character(text: str, code: str, position: int | None) -> None:
    with pytest.raises(HandError) as caught:
        parse_hand(text)
    assert (caught.value.code, caught.value.position) == (code, position)


@given(st.text(alphabet="123m5p9sESCf[],+| x0", max_size=24))
@settings(deadline=None)
def test_any_text_is_a_hand_or_a_named_error(text: str) -> None:
    with suppress(HandError):
        parse_hand(text)
