"""Logs and files that were cut, edited, mixed up or written by somebody else: the line is named, the good part kept."""

import json
from pathlib import Path
from typing import Any

import pytest
from acting import act_out, carried_hand
from typer.testing import CliRunner

from paiju.cli import app
from paiju.game.actions import Action
from paiju.game.formats import FormatError, read_hands, read_neutral, write_botzone_text, write_pmn
from paiju.game.tracker import track
from paiju.i18n import set_language
from paiju.store import read_log, write_log
from paiju.table.events import Event

HAND = "short"


def log_of(path: Path, events: list[Event], serial: str = "A") -> list[str]:
    write_log(path, serial, 7, events)
    return path.read_text().splitlines()


def result(path: Path) -> tuple[int, list[dict[str, Any]], str]:
    done = CliRunner().invoke(app, ["replay", str(path), "--json", "--lang", "en", "--rules", "mcr", "--round", "N"])
    assert "Traceback" not in done.output
    return done.exit_code, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


# -- logs


def test_events_of_another_table_between_the_lines_are_left_out(tmp_path: Path) -> None:
    events = act_out(carried_hand(HAND))
    path = tmp_path / "log.jsonl"
    lines = log_of(path, events)
    foreign = [Event(9000 + n, 100, 3, "enter", {"zone": 2, "tile": 40 + n}) for n in range(5)]
    other = log_of(tmp_path / "other.jsonl", foreign)[1:]
    mixed = [*lines[:50], *other[:2], *lines[50:90], *other[2:], *lines[90:]]
    path.write_text("\n".join(mixed) + "\n")
    log = read_log(path)
    assert log.events == events
    assert [problem.line for problem in log.problems] == [51, 52, 93, 94, 95]
    code, (row,), errors = result(path)
    assert code == 1
    assert "line 51" in errors
    assert row["record"]["actions"] == json.loads(json.dumps(track_json(events)))


def track_json(events: list[Event]) -> list[dict[str, Any]]:
    from paiju.game.position import Setup

    (record,) = track(events, Setup(0, 3, "mcr"))
    body: list[dict[str, Any]] = record.to_json()["actions"]
    return body


def test_a_second_log_behind_the_first(tmp_path: Path) -> None:
    events = act_out(carried_hand(HAND))
    path = tmp_path / "log.jsonl"
    lines = log_of(path, events)
    path.write_text("\n".join([*lines, *log_of(tmp_path / "b.jsonl", events, serial="B")]) + "\n")
    log = read_log(path)
    assert log.events == events
    assert [problem.line for problem in log.problems] == [len(lines) + 1]
    assert "another table" in log.problems[0].reason


def test_lines_that_were_moved_or_repeated(tmp_path: Path) -> None:
    events = act_out(carried_hand(HAND))
    path = tmp_path / "log.jsonl"
    lines = log_of(path, events)
    path.write_text("\n".join([*lines[:30], lines[80], *lines[30:80], *lines[80:100], lines[95], *lines[100:]]) + "\n")
    log = read_log(path)
    assert log.events == events
    assert [problem.line for problem in log.problems] == [31, 102]


def test_a_clock_that_jumps_is_told_with_its_line_and_the_events_stay(tmp_path: Path) -> None:
    events = act_out(carried_hand(HAND))
    turned = [*events[:120], *(Event(e.seq, e.t_ms - 30_000, e.boot, e.kind, e.fields) for e in events[120:])]
    path = tmp_path / "log.jsonl"
    log_of(path, turned)
    log = read_log(path)
    assert log.events == turned
    assert [problem.line for problem in log.problems] == [122]
    code, (row,), errors = result(path)
    assert code == 1
    assert "clock" in errors
    assert "clock" in [item["reason"] for item in row["attention"]]


def test_starts_that_go_back(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log_of(path, [Event(n, 10 * n, boot, "cycle", {"state": "ready", "set": "A"}) for n, boot in ((1, 2), (2, 1))])
    assert [problem.line for problem in read_log(path).problems] == [3]


def test_a_clock_that_starts_again_is_no_jump(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    stamps = ((1, 2**32 - 5, 1), (2, 3, 1), (3, 1, 2))
    log_of(path, [Event(n, ms, boot, "cycle", {"state": "ready", "set": "A"}) for n, ms, boot in stamps])
    assert read_log(path).problems == []


# -- files of hands


def record_with(change: dict[str, Any], number: int) -> str:
    body = read_neutral(carried_hand(HAND), "mcr").to_json()
    body["actions"][number - 1].update(change)
    return json.dumps(body)


@pytest.mark.parametrize(
    ("change", "number", "reason"),
    [
        ({"copies": [0] * 2}, 6, "no such seat or tile"),
        ({"copies": [500]}, 6, "no such seat or tile"),
        ({"seat": 9}, 6, "no such seat or tile"),
        ({"number": 60}, 6, "number 60"),
        ({"seat": 3}, 5, "not held by seat 3"),
    ],
)
def test_edited_records_are_refused_with_the_action(change: dict[str, Any], number: int, reason: str) -> None:
    good = json.dumps(read_neutral(carried_hand(HAND), "mcr").to_json())
    found = read_hands(f"{good}\n{record_with(change, number)}\n{good}\n")
    assert len(found.records) == 2
    (problem,) = found.problems
    assert problem.place == f"line 2, action {number}"
    assert reason in problem.reason


def test_a_tile_that_is_drawn_twice() -> None:
    record = read_neutral(carried_hand(HAND), "mcr")
    draws = [a for a in record.actions if a.kind.value == "draw"]
    change = {"copies": list(draws[0].tiles)}
    found = read_hands(record_with(change, draws[1].number))
    assert [p.place for p in found.problems] == [f"action {draws[1].number}"]
    assert Action.from_json(record.to_json()["actions"][0]) == record.actions[0]


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("Player 0 Play", "Player 0 PLAY", "line"),
        ("Player 0 Play", "player 0 Play", "line"),
        ("W1", "M1", "line"),
    ],
)
def test_another_dialect_of_botzone_names_the_line(old: str, new: str, place: str) -> None:
    text = write_botzone_text(read_neutral(carried_hand(HAND), "mcr"), "1")
    at = next(n for n, line in enumerate(text.splitlines(), 1) if old in line)
    found = read_hands(text + "\n" + text.replace(old, new, 1))
    assert len(found.records) == 1
    (problem,) = found.problems
    assert f"{place} {at}" in problem.place
    assert new.split()[0] in problem.reason


def test_another_dialect_of_pmn_names_the_act() -> None:
    text = write_pmn(read_neutral(carried_hand(HAND), "mcr"))
    bad = text.replace('[Play "T0', '[Play "X0')
    found = read_hands(text + "\n" + bad)
    assert len(found.records) == 1
    assert [p.place for p in found.problems] == ["board 2, tag Play, act 1"]


def test_boards_of_pmn_without_an_empty_line_between() -> None:
    one = write_pmn(read_neutral(carried_hand(HAND), "mcr"))
    packed = "\n".join(line for line in one.splitlines() if line.strip())
    found = read_hands(f"{packed}\n{packed}\n{packed}\n", "mcr")
    assert (len(found.records), found.problems) == (3, [])
    assert len({json.dumps(record.to_json()) for record in found.records}) == 1


def test_a_file_that_a_chinese_windows_program_wrote(tmp_path: Path) -> None:
    text = write_botzone_text(read_neutral(carried_hand(HAND), "mcr"), "第一局 對局")
    path = tmp_path / "match.txt"
    path.write_bytes(text.encode("gbk"))
    with pytest.raises(UnicodeDecodeError):
        path.read_text("utf-8")
    code, rows, errors = result(path)
    assert (code, len(rows)) == (0, 1), errors


@pytest.mark.parametrize(("language", "place"), [("zh-Hans", "第 2 行、抓牌"), ("zh-Hant", "第 2 行、抓牌")])
def test_a_place_in_chinese(language: str, place: str) -> None:
    good, bad = carried_hand(HAND), carried_hand(HAND)
    bad["deal"][0] = bad["deal"][0][:5]
    try:
        set_language(language)
        (problem,) = read_hands(json.dumps(good) + "\n" + json.dumps(bad)).problems
    finally:
        set_language("en")
    assert problem.place == place


def test_irregular_acts_that_stood_are_kept_and_flagged() -> None:
    body = carried_hand(HAND)
    first = next(n for n, act in enumerate(body["events"]) if act["t"] == "discard")
    seat = (body["events"][first]["seat"] + 2) % 4
    tile = body["deal"][seat][0]
    body["events"] = [*body["events"][: first + 1], {"t": "discard", "seat": seat, "tile": tile}]
    record = read_neutral(body, "mcr")
    flagged = [a for a in record.actions if a.flags and a.kind.value == "discard"]
    assert [(a.seat, a.flags) for a in flagged] == [(seat, ("out_of_turn",))]


def test_a_hand_that_cannot_be_names_line_and_event(tmp_path: Path) -> None:
    good, bad = carried_hand(HAND), carried_hand(HAND)
    bad["events"] = [{"t": "pung", "seat": 1, "tile": "2m", "frm": 0}, *bad["events"]]
    with pytest.raises(FormatError, match="not the last discard"):
        read_neutral(bad)
    path = tmp_path / "hands.jsonl"
    path.write_text("".join(json.dumps(hand) + "\n" for hand in (good, bad, good)))
    _code, rows, errors = result(path)
    assert len(rows) == 2
    assert "line 2, event 1" in errors
