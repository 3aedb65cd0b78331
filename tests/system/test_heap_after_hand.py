"""What the firmware keeps on its heap, on the packaged PC port; the board's own figure is tests/rp2040/test_heap.py."""

from __future__ import annotations

from pathlib import Path

from support.playing import LIMIT_S, Evening, open_evening

FREE_AT_LEAST = 32 * 1024  # of 256 KiB, with everything loaded: an eighth, so that a search for a long piece ends well
GROWTH_LIMIT = 512  # between the deal and the end of a hand: the views of a reader's order that was not needed before


def ask(evening: Evening, name: str, *args: int) -> dict[str, int | str]:
    answers: list[dict[str, int | str]] = []
    evening.connection.link.command(name, *args, on_reply=lambda reply: answers.append(reply.fields))
    assert evening.table.run_for(5.0, lambda: bool(answers)), evening.table.kernel.output()
    return answers[0]


def used(evening: Evening) -> int:
    """Bytes in use while the tasks do as little as they ever do: a coroutine that is being awaited counts too."""
    figures = []
    for _ in range(8):
        figures.append(int(ask(evening, "memory")["used"]))
        evening.table.run_for(0.23)
    return min(figures)


def test_a_hand_adds_nothing_and_leaves_room_for_the_technician(tmp_path: Path) -> None:
    evening = open_evening(1, tmp_path)
    table = evening.table
    with table:
        table.run_for(LIMIT_S, lambda: table.world.phase in ("play", "stuck"))
        before = used(evening)
        table.run_for(LIMIT_S, lambda: table.world.done)
        after = used(evening)
        assert table.kernel.resets == []
        assert after - before <= GROWTH_LIMIT
        # His modules are loaded when he first asks for them.
        ask(evening, "zone", 0)
        ask(evening, "inputs")
        free = int(ask(evening, "memory")["free"])
    assert free >= FREE_AT_LEAST
