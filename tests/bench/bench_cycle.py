"""Cycle time of the simulated table beside the least that the mechanics allow.

The lower bound takes for every step the time that `mechanics.toml` gives its axis at full speed, and lets
everything overlap that the mechanics do not force into a row:

    build   = shuffle + feed of a side's tiles + last gap + last lift + last push there and back + plates up
    collect = console up + the stay of an empty gap + console down
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.caretaker import Caretaker

from twin.geometry import MECHANICS
from twin.table import Table

RUNS = 5


def stroke_s(axis: str) -> float:
    spec = MECHANICS["axis"][axis]
    return float(spec["travel_mm"] / spec["speed_mm_s"])


def lower_bound_s() -> tuple[float, float]:
    """Seconds of build and collect."""
    wall, cycle = MECHANICS["wall"], MECHANICS["cycle"]
    feed, head = MECHANICS["axis"]["feed"], MECHANICS["axis"]["head"]
    tiles = wall["stacks_a_side"] * wall["tiles_a_stack"]
    stack_pair = 2 * feed["gap_s"] + head["lift_at"] * head["turn_s"] + stroke_s("pusher")
    stacking = max(tiles / feed["tiles_s"], tiles / wall["tiles_a_stack"] * stack_pair)
    ends = feed["gap_s"] + head["lift_at"] * head["turn_s"] + 2 * stroke_s("pusher")
    build = cycle["shuffle_s"] + stacking + ends + stroke_s("plate")
    collect = 2 * stroke_s("lift") + cycle["collect_s"]
    return build, collect


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


if __name__ == "__main__":
    main()
