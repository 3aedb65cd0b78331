"""Cycle time of the simulated table beside the least that the mechanics allow.

The lower bound takes for every step the time that `mechanics.toml` gives its axis at full speed, run-up included,
and lets everything overlap that the mechanics do not force into a row:

    build   = shuffle + first tile + its lift + the stacks of a side + plates up
    stack   = two tiles' feed, or gap + second lift + pusher there and back (till then the head is not free):
              the longer
    collect = console up + the stay of an empty gap + console down

A lift begins when its tile lies at the gate; the pusher brakes as hard as it starts, so as to stand at its very end.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "firmware")]
# ruff: noqa: E402

from support.caretaker import Caretaker

from controller.settings import Settings
from paiju.table import Event
from paiju.table.virtual import VirtualConnection
from twin import geometry
from twin.geometry import MECHANICS
from twin.table import Table
from twin.tiles import make_set

RUNS = 5
LAID = 10  # discards on each pond
PINGS = 20


def stroke_s(axis: str, ramps: int = 1) -> float:
    """Seconds of a stroke with so many changes between rest and full speed, each of which costs half its time."""
    spec = MECHANICS["axis"][axis]
    return float(spec["travel_mm"] / spec["speed_mm_s"] + ramps * spec["run_up_ms"] / 2000)


def lower_bound_s() -> tuple[float, float]:
    """Seconds of build and collect."""
    wall, cycle = MECHANICS["wall"], MECHANICS["cycle"]
    feed, head = (MECHANICS["axis"][name] for name in ("feed", "head"))
    # A cam rests where it has coasted to, so much nearer to its lift.
    lift = head["lift_at"] * head["turn_s"] + (head["run_up_ms"] - head["coast_ms"]) / 2000
    pair = feed["gap_s"] + lift + stroke_s("pusher", ramps=2) + stroke_s("pusher")
    stack = max(wall["tiles_a_stack"] / feed["tiles_s"], pair)
    first = 1 / feed["tiles_s"] + lift
    build = cycle["shuffle_s"] + first + wall["stacks_a_side"] * stack + stroke_s("plate")
    collect = 2 * stroke_s("lift") + cycle["collect_s"]
    return build, collect


class Nothing:
    """A store that forgets."""

    def append(self, serial: str, journal_id: int, records: Sequence[bytes], ack: int) -> None: ...
    def acknowledged(self, serial: str, journal_id: int) -> int:
        return 0

    def save_clock(self, serial: str, journal_id: int, boot: int, zero: float, uncertainty: float) -> None: ...


def latencies(table: Table, caretaker: Caretaker, events: list[Event], connection: VirtualConnection) -> str:
    """Lay discards one by one, then ping; ms from rest on the felt to the host, and round trips."""
    ground, clock = table.world.ground, table.clock
    laid: list[float] = []
    for number in range(LAID):
        tile = table.world.tiles[number]
        heard: list[int] = []
        before = len(events)
        ground.put(tile, f"pond.{number % 4}", geometry.pond(number % 4, number // 4))
        start = clock.now

        def seen(code: int = tile.code, before: int = before) -> bool:
            return any(e.kind in ("enter", "moved") and e["tile"] == code for e in events[before:])

        assert table.run_for(5, seen)
        laid.append((clock.now - start) / 1000)
        table.run_for(0.4)
    trips: list[float] = []
    for number in range(PINGS):
        start = clock.now
        connection.link.command("ping", number, on_reply=lambda reply: heard.append(reply is not None))
        assert table.run_for(5, lambda: bool(heard))
        trips.append((clock.now - start) / 1000)
        heard.clear()
        table.run_for(0.05)
    return (f"tile on felt to host: median {statistics.median(laid):.0f} ms, longest {max(laid):.0f} ms of {LAID}; "
            f"ping: median {statistics.median(trips):.1f} ms, longest {max(trips):.1f} ms of {PINGS}")  # fmt: skip


def wait_for(caretaker: Caretaker, state: str) -> None:
    assert caretaker.wait(lambda: caretaker.state == state, 60)


def side_by_side() -> None:
    """The same with the table at rest and while it stacks the other set below."""
    for busy in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            Settings(folder + "/settings", {}).save(sets=2)
            with Table(6, state=Path(folder)) as table:
                events: list[Event] = []
                connection = VirtualConnection(table.clock, table.uart, Nothing(), events.extend)
                caretaker = Caretaker(table)
                mechanics = table.world.mechanics
                table.run_for(1)
                assert caretaker.build() == "up"
                if busy:
                    for tile in make_set(1, 6):
                        table.world.ground.add(tile)
                        mechanics.pan[tile] = None
                    caretaker.press("refill")  # the console opens and closes, then the other set is stacked
                    wait_for(caretaker, "stack")
                mechanics.sweep()
                print(f"{'while stacking' if busy else 'at rest'}: {latencies(table, caretaker, events, connection)}")
                if busy:
                    assert caretaker.state == "stack", "the wall was finished before the figures were"


def main() -> None:
    build_bound, collect_bound = lower_bound_s()
    builds, collects = [], []
    with Table(5) as table:
        caretaker = Caretaker(table)
        table.run_for(1)
        for _ in range(RUNS):
            start = table.now
            assert caretaker.build() == "up", caretaker.faults()
            builds.append((caretaker.of("cycle")[-1].t_ms - start / 1000) / 1000)
            start = table.now
            assert caretaker.clear_table()
            collects.append((table.now - start) / 1e6)
    for name, values, bound in (("press to walls", builds, build_bound), ("collect", collects, collect_bound)):
        median = statistics.median(values)
        print(f"{name}: median {median:.2f} s of {RUNS}, longest {max(values):.2f} s; mechanics allow {bound:.2f} s; "
              f"ratio {median / bound:.3f}")  # fmt: skip
    total, bound = statistics.median(builds) + statistics.median(collects), build_bound + collect_bound
    print(f"whole cycle: {total:.2f} s; mechanics allow {bound:.2f} s; ratio {total / bound:.3f}")
    side_by_side()


if __name__ == "__main__":
    main()
