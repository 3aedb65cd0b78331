"""The interrupt line on MicroPython's own scheduler and poller."""

from __future__ import annotations

from rig import plain


def test_edges_wake_deadlines_hold_and_nothing_is_allocated() -> None:
    assert plain("waiting") == [
        "woken 20 by edges True",
        "in time True steps 2",
        "high already 1",
        "cancelled",
        "still works 21",
    ]
