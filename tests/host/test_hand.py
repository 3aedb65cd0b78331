"""Which hands can exist, and what the others are told."""

import ast
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

import paiju
from paiju import i18n
from paiju.hand import ERROR_CODES, Hand, HandError, Meld, MeldKind, Source
from paiju.notation import parse_hand
from paiju.rules import score


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    i18n.set_language("en")
    yield
    i18n.set_language(None)


GOOD: dict[str, Any] = {
    "melds": [["chow", ["1m", "2m", "3m"], "left"], ["concealed_kong", ["E", "E", "E", "E"], "self"]],
    "concealed": ["4p", "5p", "6p", "7s", "8s", "9s", "C"],
    "win_tile": "C",
    "self_drawn": True,
    "kong_replacement": True,
    "prevalent_wind": "S",
    "seat_wind": "N",
    "flowers": 2,
}

BAD: list[tuple[str, dict[str, Any], str]] = [
    ("missing_field", {"concealed": None}, "concealed"),
    ("bad_value", {"melds": {}}, "melds"),
    ("bad_value", {"melds": [["chow", ["1m", "2m", "3m"]]]}, "meld"),
    ("bad_value", {"melds": [["set", ["1m", "2m", "3m"], "left"]]}, "set"),
    ("bad_value", {"melds": [["chow", ["1m", "2m", "3m"], "north"]]}, "north"),
    ("bad_value", {"melds": [[["chow"], ["1m", "2m", "3m"], "left"]]}, "chow"),
    ("bad_value", {"concealed": "123m"}, "concealed"),
    ("bad_value", {"concealed": [1, 2, 3, 4, 5, 6, 7]}, "tile"),
    ("bad_value", {"win_tile": 5}, "5"),
    ("bad_value", {"self_drawn": "yes"}, "self_drawn"),
    ("bad_value", {"seat_wind": "C"}, "seat_wind"),
    ("bad_value", {"prevalent_wind": ""}, "prevalent_wind"),
    ("bad_value", {"flowers": 9}, "flowers"),
    ("bad_value", {"flowers": -1}, "flowers"),
    ("bad_value", {"flowers": True}, "flowers"),
    ("bad_value", {"flowers": 1.0}, "flowers"),
    ("unknown_tile", {"win_tile": "0m"}, "0m"),
    ("unknown_tile", {"win_tile": "🀄"}, "🀄"),
    ("flower_in_hand", {"win_tile": "3f"}, "3f"),
    ("flower_in_hand", {"melds": [["pung", ["3f", "3f", "3f"], "left"]]}, "3f"),
    ("bad_meld", {"melds": [["chow", ["8m", "9m", "1p"], "left"]]}, "8m 9m 1p"),
    ("bad_meld", {"melds": [["chow", ["E", "S", "W"], "left"]]}, "E S W"),
    ("bad_meld", {"melds": [["pung", ["1m", "1m", "2m"], "left"]]}, "1m 1m 2m"),
    ("bad_meld", {"melds": [["pung", ["1m", "1m"], "left"]]}, "1m 1m"),
    ("bad_meld", {"melds": [["melded_kong", ["1m", "1m", "1m"], "left"]]}, "4 tiles"),
    ("bad_meld", {"melds": [["chow", [], "left"]]}, "3 tiles"),
    ("wrong_source", {"melds": [["chow", ["1m", "2m", "3m"], "across"]]}, "across"),
    ("wrong_source", {"melds": [["pung", ["1m", "1m", "1m"], "self"]]}, "self"),
    ("wrong_source", {"melds": [["concealed_kong", ["1m", "1m", "1m", "1m"], "left"]]}, "left"),
    ("wrong_count", {"concealed": []}, "0"),
    ("wrong_count", {"concealed": ["4p", "5p", "6p", "7s", "8s", "9s", "C", "C"]}, "8"),
    ("wrong_count", {"melds": [["chow", ["1m", "2m", "3m"], "left"]] * 5, "concealed": []}, "at most four"),
    ("too_many_copies", {"concealed": ["E", "5p", "6p", "7s", "8s", "9s", "C"]}, "5 of E"),
    ("impossible_flag", {"self_drawn": False}, "kong_replacement"),
    ("impossible_flag", {"robbing_kong": True, "kong_replacement": False}, "self_drawn"),
    ("impossible_flag", {"last_of_kind": True}, "C"),
    (
        "impossible_flag",
        {"robbing_kong": True, "kong_replacement": False, "self_drawn": False},
        "in the kong",
    ),
]


@pytest.mark.parametrize(("code", "change", "named"), BAD)
def test_refused(code: str, change: dict[str, Any], named: str) -> None:
    value = {key: one for key, one in (GOOD | change).items() if one is not None}
    with pytest.raises(HandError) as caught:
        Hand.from_json(value)
    assert caught.value.code == code
    assert code in ERROR_CODES
    assert named in caught.value.message


@pytest.mark.parametrize("language", ["zh_Hans", "zh_Hant"])
@pytest.mark.parametrize(("code", "change", "named"), BAD)
def test_refused_in_every_language(code: str, change: dict[str, Any], named: str, language: str) -> None:
    i18n.set_language(language)
    value = {key: one for key, one in (GOOD | change).items() if one is not None}
    with pytest.raises(HandError) as caught:
        Hand.from_json(value)
    assert (caught.value.code, caught.value.message[-1]) == (code, "。")


@pytest.mark.parametrize("value", [None, [], "hand", 3])
def test_not_an_object(value: Any) -> None:
    with pytest.raises(HandError) as caught:
        Hand.from_json(value)
    assert caught.value.code == "bad_json"


def test_from_json_and_back() -> None:
    hand = Hand.from_json(GOOD)
    assert hand.to_json() == GOOD | {"last_of_kind": False, "last_wall_tile": False, "robbing_kong": False}
    assert Hand.from_json(hand.to_json()) == hand


def test_hands_are_immutable_values() -> None:
    hand = Hand.from_json(GOOD)
    assert hash(hand) == hash(Hand.from_json(GOOD))
    with pytest.raises(FrozenInstanceError):
        hand.flowers = 3  # type: ignore[misc]
    assert Meld(MeldKind.CHOW, (2, 0, 1), Source.LEFT) == Meld(MeldKind.CHOW, (0, 1, 2), Source.LEFT)


def test_no_replacement_without_a_kong() -> None:
    tiles = (0, 1, 2, 12, 13, 14, 20, 21, 22, 31, 31, 4, 5)
    with pytest.raises(HandError, match="needs a kong"):
        Hand((), tiles, 3, self_drawn=True, kong_replacement=True)
    assert Hand((), tiles, 3, robbing_kong=True, last_of_kind=True).robbing_kong


def test_a_kong_robbed_on_the_last_tile_is_for_the_rule_text_to_judge() -> None:
    """MCR knows one last tile, which has no replacement; the second text one for each player."""
    hand = parse_hand("[123p,1]46m234p567s99s+5m", robbing_kong=True, last_wall_tile=True)
    assert {fan.zh_hant for fan in score(hand, "competitive").fans} == {"夾絕張", "單張和牌", "海底撈月"}
    for profile in ("mcr1998", "mcr"):
        with pytest.raises(HandError) as caught:
            score(hand, profile)
        assert caught.value.code == "impossible_flag"


def test_codes_are_those_that_can_come_out() -> None:
    raised = set()
    for path in Path(paiju.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            called = getattr(node, "func", None)
            direct = getattr(called, "id", "") == "HandError"
            by_meld = path.name == "hand.py" and getattr(called, "attr", "") == "_refused"
            if (direct or by_meld) and isinstance(node.args[0], ast.Constant):
                raised.add(node.args[0].value)
    assert raised == set(ERROR_CODES)


def test_values_in_messages_are_short() -> None:
    with pytest.raises(HandError) as caught:
        Hand.from_json(GOOD | {"seat_wind": "E" * 100_000})
    assert len(caught.value.message) < 120


def test_faces_out_of_range() -> None:
    for bad in (-1, 42, 1.5, True):
        with pytest.raises(HandError) as caught:
            Hand((), (bad,) * 13, 3)  # type: ignore[arg-type]
        assert caught.value.code == "unknown_tile"
