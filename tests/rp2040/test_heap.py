"""Heap of the whole firmware on the 32-bit PC port, whose objects are those of a board, in 192 KB."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.controllers import missing_port_32, port_32
from support.playing import Evening, open_evening

from twin.script import load

HEAP = 192 * 1024
USED_LIMIT = 120 * 1024
HANDS = (1, 3)
WARM_UP = 512  # from the first of them to the second: a view for each length of frame, made when first needed
IN_FLIGHT = 1024  # of the tasks' own objects some are alive whenever somebody asks: 704 bytes at most in 42 hands
ASKED = 12  # times, of which the smallest figure has the fewest of them
LAST = 4  # hands
LONG = float(os.environ.get("PAIJU_HEAP_SECONDS", "0"))  # so many virtual seconds; make soak plays an hour
WHY_NOT = missing_port_32()

pytestmark = [pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT), pytest.mark.timeout(3600)]


def used(evening: Evening) -> int:
    """Bytes on the controller's heap after a collection, while the tasks do as little as they ever do."""
    answers: list[dict[str, int | str]] = []
    for n in range(ASKED):
        evening.connection.link.command("memory", on_reply=lambda reply: answers.append(reply.fields))
        assert evening.table.run_for(5.0, lambda n=n: len(answers) > n), evening.table.kernel.output()
        evening.table.run_for(0.23)
    return min(int(answer["used"]) for answer in answers)


def finish(evening: Evening, following: int | None) -> None:
    """Play the present hand to its end and, but for the last one, the tiles into the table."""
    table, world = evening.table, evening.table.world
    assert table.run_for(600, lambda: world.phase in ("play", "stuck")), world.problem
    players = world.people
    if following is not None:
        world.play(load(following))
    table.run_for(600, lambda: world.people is not players or world.done)
    assert world.problem is None, world.problem


def test_heap_stays_small_and_does_not_grow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evening = open_evening(HANDS[0], tmp_path, controller=port_32, heap=HEAP, clear=True)
    table = evening.table
    figures: list[int] = []
    with table:
        last = False
        while not last:
            last = len(figures) + 1 >= len(HANDS) and table.now >= LONG * 1e6
            finish(evening, None if last else HANDS[(len(figures) + 1) % len(HANDS)])
            figures.append(used(evening))
            # A restart would hide what has grown.
            assert table.kernel.resets == [], table.kernel.output()
            assert len(evening.records) == len(figures)
    first, warm, *later = figures
    with capsys.disabled():
        print(f"\n32-bit port, heap of {HEAP} bytes: {first} used after the first hand, {warm} after the second, "
              f"{figures[-1]} after {len(figures)} hands ({table.now / 1e6:.0f} virtual s), "
              f"{max(figures)} at most")  # fmt: skip
    assert max(figures) <= USED_LIMIT
    assert warm - first <= WARM_UP
    if later:
        assert max(later) - warm <= IN_FLIGHT
        assert min(later[-LAST:]) <= warm  # whatever grows with each hand shows here
