"""A board by itself, part by part: `pytest tests/device` on the simulated one, with `--board PORT` on a real one.

The motors stay off throughout.
"""

from __future__ import annotations

from collections.abc import Callable

Run = Callable[[str], list[str]]


def fields(line: str) -> dict[str, int]:
    words = line.split()
    return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)}


def test_every_part_answers(run: Run) -> None:
    lines = run("parts")
    *parts, rail = lines
    assert len(parts) == 16
    assert [line for line in parts if not line.endswith(" ok")] == []
    assert 21_000 < fields(rail)["rail-mv"] < 27_000


def test_every_reader_has_a_field_and_looks_at_its_zones(run: Run) -> None:
    lines = run("readers")
    assert [line for line in lines if line.startswith("reader") and not line.endswith(" ok")] == []
    zones = [line.split() for line in lines if line.startswith("zone")]
    assert [int(zone) for _, zone, _ in zones] == list(range(18))
    assert all(found.isdigit() for _, _, found in zones), zones


def test_the_clocks_agree(run: Run) -> None:
    slept, turn = run("clock")
    times = fields(slept)
    assert 200 <= times["slept-ms"] <= 205
    assert abs(times["slept-us"] - 1000 * times["slept-ms"]) < 2000
    assert fields(turn)["turn-us"] < 1000


def test_frames_come_back_whole_or_not_at_all(run: Run) -> None:
    whole, damaged = run("link")
    counts = fields(whole)
    assert counts["right"] == counts["frames"] > 200
    assert fields(damaged)["passed"] == 0
