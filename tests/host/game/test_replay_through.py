"""`paiju replay`: results held against the file's own, hands acted out through the tracker, one through the table."""

import json
from pathlib import Path
from typing import Any

import pytest
from acting import carried_hand, shared_hands
from typer.testing import CliRunner

from paiju.cli import app
from paiju.game.formats import read_neutral, write_neutral

NAMES = ("flowers_and_discard", "self_draw", "drawn", "two_winners")


def replay(path: Path, *options: str) -> tuple[int, list[dict[str, Any]], str]:
    done = CliRunner().invoke(app, ["replay", str(path), "--json", "--lang", "en", *options])
    assert "Traceback" not in done.output
    return done.exit_code, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def write(path: Path, *hands: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(hand) + "\n" for hand in hands))
    return path


def own_form(name: str) -> dict[str, Any]:
    """A carried hand as the rules here see it: Botzone's own walls leave its last tiles differing."""
    return write_neutral(read_neutral(carried_hand(name), "mcr"))


@pytest.mark.parametrize("noise", ["none", "default"])
def test_hands_come_back_through_the_tracker(noise: str, tmp_path: Path) -> None:
    pytest.importorskip("twin")
    path = write(tmp_path / "hands.jsonl", *map(own_form, NAMES))
    code, rows, errors = replay(path, "--rules", "mcr", "--through", "tracker", "--noise", noise)
    assert (code, errors) == (0, "")
    assert [row["hand"] for row in rows] == [1, 2, 3, 4]
    for name, row in zip(NAMES, rows, strict=True):
        truth = own_form(name)["result"]
        assert row["acts"] == {"right": True, "first_wrong": ""}
        assert (row["winner"], row["total"]) == (truth.get("winner"), truth.get("fan_total", 0))
        assert row["payments"] == truth["scores"]


def test_every_shared_hand_through_the_tracker(tmp_path: Path) -> None:
    pytest.importorskip("twin")
    hands = shared_hands()
    if not hands:
        pytest.skip("the corpus of real hands is not here")
    path = write(tmp_path / "hands.jsonl", *hands)
    code, rows, _errors = replay(path, "--rules", "mcr", "--through", "tracker", "--noise", "default")
    assert [row["acts"]["right"] for row in rows] == [True] * len(hands)
    assert [row["wrong"] for row in rows] == [[]] * len(hands)
    assert code == 0


def test_one_hand_through_the_firmware(tmp_path: Path) -> None:
    pytest.importorskip("twin")
    path = write(tmp_path / "hands.jsonl", own_form("short"))
    code, (row,), _errors = replay(path, "--rules", "mcr", "--through", "firmware")
    assert row["acts"] == {"right": True, "first_wrong": ""}
    assert row["record"]["dice"]
    assert code == 0


def test_a_record_is_acted_out_as_well(tmp_path: Path) -> None:
    pytest.importorskip("twin")
    record = read_neutral(own_form("short"), "mcr")
    code, (row,), _errors = replay(write(tmp_path / "r.jsonl", record.to_json()), "--through", "tracker")
    assert row["acts"]["right"]
    assert row["total"] == record.result.points
    assert code == 0


def test_a_result_that_the_acts_do_not_give_is_told(tmp_path: Path) -> None:
    good, edited = own_form("short"), own_form("short")
    edited["result"]["fan_total"] += 1
    code, rows, errors = replay(write(tmp_path / "hands.jsonl", good, edited), "--rules", "mcr")
    assert code == 1
    assert rows[0]["wrong"] == []
    assert "the file says" in rows[1]["wrong"][0]
    assert "1 of 2" in errors
    record = read_neutral(good, "mcr").to_json()
    record["result"]["winner"] = (record["result"]["winner"] + 1) % 4
    code, (row,), _errors = replay(write(tmp_path / "record.jsonl", record))
    assert (code, len(row["wrong"])) == (1, 1)


def test_other_rules_score_a_record_again(tmp_path: Path) -> None:
    record = read_neutral(own_form("short"), "mcr")
    path = write(tmp_path / "record.jsonl", {**record.to_json(), "rules": "mcr"})
    _code, (row,), _errors = replay(path, "--rules", "mcr1998")
    assert row["record"]["rules"] == "mcr1998"


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--noise", "default"), "--through"),
        (("--through", "tracker", "--noise", "loud"), "loud"),
        (("--through", "firmware", "--noise", "loud"), "loud"),
    ],
)
def test_options_that_do_not_fit(options: tuple[str, ...], word: str, tmp_path: Path) -> None:
    pytest.importorskip("twin")
    code, rows, errors = replay(write(tmp_path / "hands.jsonl", own_form("short")), *options)
    assert (code, rows) == (1, [])
    assert word in errors
