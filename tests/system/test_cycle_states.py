"""Every input in every state of the cycle, on the firmware's own classes: no dead end, no state beyond its limit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "firmware"))
from controller import states  # noqa: E402

INPUTS = 23  # of cycle_states.py
SLACK_S = 0.1  # from the end of a limit to the next state


@pytest.fixture(scope="module")
def results() -> list[dict[str, Any]]:
    run = subprocess.run([sys.executable, str(HERE / "cycle_states.py")], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_every_input_comes_in_every_state(results: list[dict[str, Any]]) -> None:
    assert len(states.NAMES) == 11
    assert len(results) == 11 * INPUTS == 253
    assert len({(r["state"], r["input"]) for r in results}) == 253
    assert {r["state"] for r in results} == set(states.NAMES)
    assert [r for r in results if r["met"] != [r["state"]]] == []


def test_whatever_comes_presses_lead_to_walls(results: list[dict[str, Any]]) -> None:
    wrong = [r for r in results if r["ended"] != "walls" or r["died"] or r["breaches"]]
    assert wrong == []
    assert max(r["presses"] for r in results) <= 2


def test_no_state_lasts_longer_than_its_limit(results: list[dict[str, Any]]) -> None:
    limits = {name: limit for name, limit, _ in states.STATES if limit}
    seen = {name: max(r["stays"].get(name, 0.0) for r in results) for name in limits}
    assert [name for name in limits if seen[name] > limits[name] + SLACK_S] == [], seen


def test_what_stops_a_state_is_told(results: list[dict[str, Any]]) -> None:
    """A table that is not at rest by success holds a fault, or it waits where a person is asked."""
    for r in results:
        assert r["after"] in (*states.AT_REST, "pause", "collect"), r
        if r["after"] == "fault":
            assert r["faults"], r
        if r["after"] == "collect":
            assert r["input"] == "hand stays", r
