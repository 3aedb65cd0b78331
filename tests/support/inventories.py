"""Many inventories of tag sets by the real driver on the simulated reader, and the bound that the air sets."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "firmware"))

from rig import Loose, Table

from twin.air import EOF_US, T1_US, T2_US, T3_ASK10_US, reply_us, request_us
from twin.noise import Noise
from twin.tags import Tag

START_S = 1.0
UID_TOP = 0xE00401 << 40
SERIAL = (1 << 35) - 1  # bits that differ between tags of one kind; bit 35 is always 1


@dataclass(frozen=True, slots=True)
class Found:
    """One inventory: what was heard of `wanted`, and how long it took beside the bound, ms."""

    wanted: frozenset[int]
    uids: tuple[int, ...]
    overflow: bool
    noise: int
    lost: int
    rounds: int
    ms: float
    bound_ms: float

    @property
    def complete(self) -> bool:
        return len(self.uids) == len(self.wanted) and set(self.uids) == self.wanted


def uid(serial: int) -> int:
    return UID_TOP | 1 << 35 | serial & SERIAL


def random_sets(count: int, size: int, seed: int) -> list[list[int]]:
    """Sets of different random UIDs."""
    rng = Random(f"{seed}/{size}")
    return [[uid(serial) for serial in rng.sample(range(SERIAL), size)] for _ in range(count)]


def adversarial_sets(size: int) -> list[list[int]]:
    """Sets that collide at every depth: all nibbles below a depth alike, also zero and 5, and runs of numbers."""
    sets = []
    for depth in range(9):  # 35 free bits
        room = 35 - 4 * depth
        if 1 << room < size:
            continue
        for low in (0, 5):
            tail = sum(low << 4 * n for n in range(depth))
            step = max(1, (1 << room) // size - 1) if depth % 2 else 1
            sets.append([uid((n * step) << 4 * depth | tail) for n in range(size)])
    sets.append([uid(0x105), uid(0x205), *(uid(0x300 + n) for n in range(size - 2))])
    return sets


def bound_ms(uids: Sequence[int]) -> float:
    """Air time of a full 16-slot inventory, every frame as early as the standard allows (facts of ISO 15693-3)."""
    total = 0.0
    rounds = [(0, 0)]
    hit = T1_US + reply_us(12) + T2_US
    while rounds:
        length, mask = rounds.pop()
        inside = [u >> length for u in uids if u & ((1 << length) - 1) == mask]
        slots = [0] * 16
        for u in inside:
            slots[u & 15] += 1
        total += request_us(5 + (length + 7) // 8) + 15 * EOF_US
        for number, tags in enumerate(slots):
            total += hit if tags else T3_ASK10_US
            if tags > 1:
                rounds.append((length + 4, mask | number << length))
    return total / 1000


def run(sets: Sequence[Sequence[int]], noise: Noise | None = None, capacity: int = 0, zone: int = 0) -> list[Found]:
    """One process reads the sets one after another; their tags are exchanged between."""
    capacity = capacity or max(map(len, sets))
    period_s = 0.5 + max(map(len, sets)) * (0.03 if noise is None else 0.06)
    table = Table(noise)
    lying: list[Loose] = []

    def exchange(uids: Sequence[int]) -> None:
        for body in lying:
            table.air.remove(body)
        lying[:] = table.put([Tag(u, b"", 0x50) for u in uids], zone)

    for n, uids in enumerate(sets):
        table.at(START_S + n * period_s - 0.02, lambda uids=uids: exchange(uids))  # type: ignore[misc]
    lines = table.run("inventories", str(len(sets)), str(int(period_s * 1000)), str(zone), str(capacity),
                      seconds=START_S + len(sets) * period_s + 5)  # fmt: skip
    assert not table.air.violations
    lines = [line for line in lines if line[:1].isdigit()]
    assert len(lines) == len(sets), lines[-1:]
    out = []
    for uids, line in zip(sets, lines, strict=True):
        _count, overflow, lost_noise, lost, rounds, us, *found = line.split()
        out.append(
            Found(frozenset(uids), tuple(int(f, 16) for f in found), overflow == "1", int(lost_noise), int(lost),
                  int(rounds), int(us) / 1000, bound_ms(uids))
        )
    return out
