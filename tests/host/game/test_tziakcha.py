"""Records of the tziakcha server, read and written."""

import base64
import json
import zlib
from typing import Any

import pytest
from acting import Step, carried_hand, shared_hands, told

from paiju.game.actions import ActionKind
from paiju.game.formats import Declared, FormatError, read_hands, read_neutral, read_tziakcha, write_tziakcha
from paiju.game.formats.tziakcha import decode
from paiju.game.record import HandRecord

NAMES = (
    "added_and_concealed_kong",
    "drawn",
    "flowers_and_discard",
    "melded_kong",
    "self_draw",
    "short",
)
WALL = bytes(range(144)).hex()


def decoded(name: str) -> dict[str, Any]:
    script = write_tziakcha(read_neutral(carried_hand(name), "mcr"))["script"]
    body: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(script)))
    return body


def in_order(record: HandRecord) -> list[Step]:
    """The steps, the deal in the order of the seats."""
    steps = told(record)
    return sorted(steps[:4], key=lambda step: int(step[1])) + steps[4:]


def without_flowers(record: HandRecord) -> list[Step]:
    """A flower and its replacement are one act there, so several at once come back in another order."""
    return [step for step in in_order(record) if step[0] not in ("deal", "flower", "draw flower")]


@pytest.mark.parametrize("name", NAMES)
def test_there_and_back(name: str) -> None:
    record = read_neutral(carried_hand(name), "mcr")
    found = read_hands(json.dumps(write_tziakcha(record)), "mcr")
    assert (found.format, found.problems) == ("tziakcha", [])
    (again,) = found.records
    assert in_order(again) == in_order(record)
    assert again.result == record.result
    assert found.declared == [Declared(record.result.winner, record.result.source, record.result.points)]


def test_every_real_hand() -> None:
    hands = shared_hands()
    if not hands:
        pytest.skip("the corpus of real hands is not here")
    for hand in hands:
        record = read_neutral(hand, "mcr")
        again = read_tziakcha(decode(write_tziakcha(record)) or {}, "mcr")
        assert without_flowers(again) == without_flowers(record), hand["id"]


def test_the_deal_of_a_known_wall() -> None:
    """Dice 4, 3, 2, 1: seven counts to the wall opposite, ten stacks are left standing there."""
    body = {"w": WALL, "d": 0x1234, "i": 5, "a": []}
    record = read_tziakcha(body)
    start = ((1 - 7) % 4 * 36 + 20) % 144
    assert record.setup.prevalent_wind == 1
    assert record.dice == ((4, 3), (2, 1))
    deal = next(a for a in record.actions if a.kind is ActionKind.DEAL and a.seat == 0)
    assert len(deal.tiles) == 14
    first = [start + n for n in range(4)]
    assert deal.faces[:4] == tuple(t // 4 + 9 if 9 <= t // 4 < 18 else t // 4 - 9 for t in first)


def test_a_whole_hand_put_together_by_hand() -> None:
    """Numbers as the server writes them: East replaces a flower, lays four concealed kongs and wins on South's 1m."""
    acts = [
        [0, 0, 0],
        [1, 91 | 4 << 8, 4000],  # 5f, the fifth flower, goes; 5p comes from the end of the wall
        [5, 23 | 2 << 8, 6000],  # 6p, in the server's order of suits the 24th kind
        [7, 90 | 1 << 8, 7000],
        [5, 27 | 2 << 8, 8000],
        [7, 89 | 1 << 8, 9000],
        [5, 31 | 2 << 8, 10_000],
        [7, 88 | 1 << 8, 11_000],
        [5, 22 | 2 << 8, 12_000],
        [7, 87 | 1 << 8, 13_000],
        [2, 87 | 1 << 8, 14_000],
        [1 << 4 | 8, 0, 14_500],  # South passes
        [1 << 4 | 7, 1, 15_000],
        [1 << 4 | 2, 1, 16_000],
        [6, 160 << 1, 17_000],
    ]
    body = {"w": WALL, "d": 0x1234, "i": 0, "a": acts, "b": 1 << 0 | 1 << 5, "y": [{"f": 160}, {}, {}, {}]}
    script = base64.b64encode(zlib.compress(json.dumps(body).encode())).decode()
    found = read_hands(json.dumps({"script": script}), "mcr")
    assert (found.format, found.problems) == ("tziakcha", [])
    (record,) = found.records
    assert [(step[0], step[1]) for step in told(record)[4:]] == [
        ("flower", 0),
        ("draw flower", 0),
        *[("concealed_kong", 0), ("draw kong", 0)] * 4,
        ("discard", 0),
        ("draw wall", 1),
        ("discard", 1),
        ("win", 0),
    ]
    assert (record.result.winner, record.result.source) == (0, 1)
    assert {fan.no for fan in record.result.fans} >= {5, 12}  # 四槓, 四暗刻
    assert found.declared == [Declared(0, 1, 160)]
    assert record.result.points == 160  # 88 + 64 + 2 + 2 + 2 + 1 缺一門 + 1 花牌


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        ({"w": WALL[:-2]}, "wall", "144 tiles"),
        ({"w": "00" * 144}, "wall", "144 tiles"),
        ({"w": "xyz"}, "wall", "not understood"),
        ({"a": [[2, 200, 5]]}, "act 1", "not understood"),
        ({"a": [[15, 1, 5]]}, "act 1", "no act of type 15"),
        ({"a": [[0, 0, 1], [20, 70, 5]]}, "act 2", "without a discard"),
        ({"a": [[2]]}, "act 1", "not understood"),
        ({"d": "x"}, "wall", "not understood"),
    ],
)
def test_bad_hands_name_the_act(change: dict[str, Any], place: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason) as refused:
        read_tziakcha({**decoded("short"), **change})
    assert refused.value.place == place


def test_cut_and_foreign_texts_are_none() -> None:
    script = write_tziakcha(read_neutral(carried_hand("short"), "mcr"))["script"]
    assert decode(script) is not None
    assert decode(script[:200]) is None
    assert decode("hello") is None
    assert decode({"deal": []}) is None
