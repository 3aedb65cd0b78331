"""Figures of a whole hand on the simulated table: latency, speed, heap, host time.

Latency is virtual: SPI, air time and an interpreter cost per bus call are charged (hardware/twin/shim).
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.playing import Evening, open_evening

from paiju.game.tracker import Tracker
from twin.geometry import zone_number
from twin.table import HEAP

HANDS = (1, 3, 5)


def latencies(evening: Evening) -> dict[str, list[float]]:
    """Milliseconds from a tile's rest in a zone to the stored event, by kind of zone; deal and sweep left out."""
    arrivals: dict[tuple[int, int], list[int]] = {}
    for event, at in zip(evening.events, evening.stored_at, strict=True):
        if event.kind in ("enter", "moved"):
            zone = event["zone" if event.kind == "enter" else "to"]
            arrivals.setdefault((int(event["tile"]) & 0xFF, int(zone)), []).append(at)
    out: dict[str, list[float]] = {"hand": [], "meld": [], "pond": []}
    for placement in evening.table.world.log:
        kind = placement.place.partition(".")[0]
        if kind in out and placement.t_us > evening.play_from:
            seen = [at for at in arrivals.get((placement.tile.number, zone_number(placement.place)), [])
                    if at >= placement.t_us]  # fmt: skip
            if seen:
                out[kind].append((seen[0] - placement.t_us) / 1000)
    return out


def heap(evening: Evening) -> tuple[int, int]:
    """Bytes used and free on the controller after a collection."""
    answer: list[dict[str, int | str]] = []
    evening.connection.link.command("memory", on_reply=lambda reply: answer.append(reply.fields))
    evening.table.run_for(5.0, lambda: bool(answer))
    return int(answer[0]["used"]), int(answer[0]["free"])


@dataclass
class Measured:
    """Of one hand: latencies by kind of zone, seconds both ways, heap used and free, host seconds an event."""

    latencies: dict[str, list[float]]
    virtual_s: float
    real_s: float
    heap: tuple[int, int]
    host_s: float


def measure(number: int, folder: Path) -> Measured:
    evening = open_evening(number, folder)
    table = evening.table
    started = time.perf_counter()
    with table:
        table.run_for(100, lambda: table.world.phase == "play")
        evening.play_from = table.now
        table.run_for(400, lambda: table.world.done)
        real, virtual = time.perf_counter() - started, table.now / 1e6
        bytes_used = heap(evening)
    started = time.perf_counter()
    tracker = Tracker()
    for event in evening.events:
        tracker.feed(event)
    per_event = (time.perf_counter() - started) / len(evening.events)
    return Measured(latencies(evening), virtual, real, bytes_used, per_event)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        hands = [measure(number, Path(folder, str(number))) for number in HANDS]
    everything = {kind: [v for hand in hands for v in hand.latencies[kind]] for kind in hands[0].latencies}
    virtual, real = sum(hand.virtual_s for hand in hands), sum(hand.real_s for hand in hands)
    used, free = hands[-1].heap
    per_event = statistics.mean(hand.host_s for hand in hands)
    print(f"hands {HANDS}: {virtual:.0f} virtual s in {real:.1f} s, {60 * len(HANDS) / real:.1f} hands a minute")
    print("tile at rest to event stored, virtual ms     n     p50     p95     p99     max")
    for kind, values in {**everything, "all": [v for vs in everything.values() for v in vs]}.items():
        cuts = statistics.quantiles(values, n=100) if len(values) > 1 else values * 99
        print(f"  {kind:40} {len(values):5} {cuts[49]:7.0f} {cuts[94]:7.0f} {cuts[98]:7.0f} {max(values):7.0f}")
    heap = f"64-bit PC port, {HEAP >> 10} KiB heap, code in ROM"
    print(f"controller heap after a hand: {used} bytes used, {free} free ({heap})")
    print(f"host: {1e6 * per_event:.0f} us of tracking for each event")


if __name__ == "__main__":
    main()
