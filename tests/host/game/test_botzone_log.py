"""Botzone's own log of a match: judge and players by turns, flowers told apart, other ends than a win."""

import json
from typing import Any

import pytest
from acting import carried_hand

from paiju.game.actions import ActionKind as A
from paiju.game.actions import DrawnFrom
from paiju.game.formats import Declared, FormatError, read_botzone_json, read_hands, read_neutral, write_botzone_json
from paiju.game.record import HandRecord

Log = list[dict[str, Any]]
HANDS = (
    "W1 W1 W1 W2 W3 W4 W5 W6 W7 W8 W9 J3 J3",
    "T9 T9 T9 T9 B2 B5 B8 F1 F2 F3 F4 J1 J3",
    "B1 B4 B7 T2 T5 T8 F1 F2 F3 F4 J1 J2 B9",
    "B1 B4 B7 T2 T5 T8 F1 F2 F3 F4 J1 J2 B9",
)


def judge(content: dict[str, str] | str, **display: Any) -> dict[str, Any]:
    told = content if isinstance(content, dict) else {str(seat): content for seat in range(4)}
    return {"output": {"command": "request", "content": told, "display": display}}


def answers(**said: str) -> dict[str, Any]:
    told = {f"p{seat}": "PASS" for seat in range(4)} | said
    return {name[1]: {"response": words, "verdict": "OK"} for name, words in told.items()}


def draw(seat: int, tile: str) -> dict[str, Any]:
    return judge({str(other): f"2 {tile}" if other == seat else f"3 {seat} DRAW" for other in range(4)})


def start(hands: tuple[str, ...] = HANDS, counts: str = "0 0 0 0", flowers: str = "") -> Log:
    return [
        judge({str(seat): f"0 {seat} 2" for seat in range(4)}, action="INIT", quan=2),
        answers(),
        judge({str(seat): f"1 {counts} {hands[seat]} {flowers}".rstrip() for seat in range(4)}, action="DEAL"),
        answers(),
    ]


def finish(scores: list[int], **display: Any) -> dict[str, Any]:
    content = {str(seat): score for seat, score in enumerate(scores)}
    return {"output": {"command": "finish", "content": content, "display": display}}


def acts(record: HandRecord) -> list[tuple[A, int | None]]:
    return [(action.kind, action.seat) for action in record.actions if action.kind is not A.DEAL]


def test_flowers_of_the_deal_are_shown_and_replaced_and_one_drawn_later_is_told_alone() -> None:
    log = [
        *start(counts="1 0 0 2", flowers="H3 H8 H1"),
        judge("3 0 BUHUA H5"),
        answers(),
        draw(0, "W2"),
        answers(p0="PLAY W2"),
        judge("3 0 PLAY W2"),
        answers(),
    ]
    record = read_botzone_json(log)
    assert record.setup.prevalent_wind == 2
    assert [record.position.flowers[seat] for seat in (0, 3)] == [[138, 140], [143, 136]]
    draws = [(a.seat, a.drawn_from) for a in record.actions if a.kind is A.DRAW]
    assert draws == [(0, DrawnFrom.FLOWER), (3, DrawnFrom.FLOWER), (3, DrawnFrom.FLOWER), (0, DrawnFrom.FLOWER)]
    assert record.position.sizes == [13, 13, 13, 13]
    assert record.result.kind == "aborted"


@pytest.mark.parametrize("told", ["display", "answer"])
def test_the_tile_of_a_concealed_kong_stands_in_the_display_or_in_the_answer(told: str) -> None:
    display = {"action": "GANG", "player": 1, "tile": "T9"} if told == "display" else {}
    log = [*start(), draw(0, "J1"), answers(p0="PLAY J1"), judge("3 0 PLAY J1"), answers()]
    log += [draw(1, "W9"), answers(p1="GANG T9"), judge("3 1 GANG", **display), answers(), draw(1, "B3")]
    record = read_botzone_json(log)
    assert [meld.kind for meld in record.position.melds[1]] == [A.CONCEALED_KONG]
    last = record.position.last_draw[1]
    assert last is not None
    assert last.drawn_from is DrawnFrom.KONG


def won() -> Log:
    log = [*start(), draw(0, "B3"), answers(p0="PLAY B3"), judge("3 0 PLAY B3"), answers()]
    log += [draw(1, "J3"), answers(p1="PLAY J3"), judge("3 1 PLAY J3"), answers(p0="HU", p3="HU")]
    return [*log, finish([55, -39, -8, -8], action="HU", player=0, fanCnt=31, fan=[])]


def test_a_win_and_the_one_that_gave_way() -> None:
    record = read_botzone_json(won(), "mcr")
    assert (record.result.winner, record.result.source) == (0, 1)
    assert record.overridden == (3,)
    for body in (won(), {"logs": won()}, {"log": won()}):
        found = read_hands(json.dumps(body), "mcr")
        assert (found.format, found.declared, found.problems) == ("botzone json", [Declared(0, 1, 31)], [])
    lines = "\n".join(json.dumps({"logs": won()}) for _match in range(3))
    assert len(read_hands(lines, "mcr").records) == 3


@pytest.mark.parametrize(
    ("end", "kind"),
    [
        (finish([0, 0, 0, 0], action="HUANG"), "drawn"),
        (finish([10, -30, 10, 10], action="WH", player=1), "aborted"),
        (finish([10, 10, -30, 10], action="TLE", player=2), "aborted"),
    ],
)
def test_other_ends(end: dict[str, Any], kind: str) -> None:
    found = read_hands(json.dumps([*start(), draw(0, "B3"), answers(), end]))
    assert [record.result.kind for record in found.records] == [kind]
    assert found.declared == ([Declared(None, None, 0)] if kind == "drawn" else [None])


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (judge("3 0 PENG B3"), "without a discard"),
        (judge("3 0 DANCE"), "DANCE"),
        (judge("3 0 PLAY M1"), "M1"),
        (judge("3 0 PLAY T1"), "does not hold 1s"),
        (judge("7"), "7"),
        ({"output": {"command": "request", "content": {"0": 5}}}, "not understood"),
    ],
)
def test_what_cannot_be_names_the_entry(entry: dict[str, Any], reason: str) -> None:
    with pytest.raises(FormatError, match=reason) as refused:
        read_botzone_json([*start(), draw(0, "B3"), answers(), entry])
    assert refused.value.place == "entry 7"


def test_flowers_that_are_counted_and_not_named() -> None:
    with pytest.raises(FormatError, match="flowers of seat 1"):
        read_botzone_json(start(counts="0 1 0 0"))


def test_what_is_written_is_such_a_log() -> None:
    record = read_neutral(carried_hand("added_and_concealed_kong"), "mcr")
    log = write_botzone_json(record)
    assert [("output" in entry) for entry in log] == [number % 2 == 0 for number in range(len(log))]
    shown = [entry["output"]["display"].get("action") for entry in log[::2]]
    assert shown[:3] == ["INIT", "DEAL", "DRAW"]
    assert shown[-1] == "HU"
    assert {"GANG", "BUGANG"} < set(shown)
    deals = log[2]["output"]["content"]
    assert all(len(deals[str(seat)].split()) == 18 for seat in range(4))
    before = {entry["output"]["display"]["action"]: log[2 * n - 1] for n, entry in enumerate(log[::2]) if n}
    said = {
        name: [a["response"] for a in answer.values() if a["response"] != "PASS"] for name, answer in before.items()
    }
    assert said["HU"] == ["HU"]
    assert said["BUGANG"][0].startswith("BUGANG ")
    assert said["GANG"][0].startswith("GANG ")
