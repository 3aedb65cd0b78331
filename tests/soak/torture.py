"""The link under torture in virtual time: bad bytes, pulled cables, killed hosts, power cuts at any byte.

Real ends on both sides (the firmware's journal and table end, the host's link and SQLite store) in one process;
only the wire, the FRAM's power and the clock are made up (`kills.py`: real processes).
Run it as a program for the long version:

    python tests/soak/torture.py [--events N] [--seed S]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

sys.path[:0] = [str(Path(__file__).parents[2] / "firmware")]

from controller.journal import Journal  # noqa: E402
from paiju.store import Store  # noqa: E402
from paiju.table import HostLink, State, decode  # noqa: E402
from tablelink import messages  # noqa: E402
from tablelink.table_end import TableEnd  # noqa: E402

FRAM_SIZE = 262144
STEP = 0.005  # s of virtual time


class PowerCut(Exception):
    """The supply failed in the middle of a write."""


class Fram:
    """FRAM whose power can fail after any number of further written bytes."""

    def __init__(self, size: int = FRAM_SIZE) -> None:
        self.memory = bytearray(size)
        self.left: int | None = None  # bytes that can still be written; None: power is safe

    def readinto(self, address: int, buf: bytearray) -> None:
        buf[:] = self.memory[address : address + len(buf)]

    def write(self, address: int, buf: bytes) -> None:
        n = len(buf)
        if self.left is not None:
            n = min(n, self.left)
            self.left -= n
        self.memory[address : address + n] = bytes(buf[:n])
        if n < len(buf):
            raise PowerCut


class Wire:
    """One direction: loses, doubles and damages single bytes and swaps reads, each at `rate`."""

    def __init__(self, rng: random.Random, rate: float) -> None:
        self._rng = rng
        self._rate = rate
        self._held = b""
        self._until = self._gap()
        self.faults: Counter[str] = Counter()

    def _gap(self) -> int:
        return int(self._rng.expovariate(3 * self._rate)) if self._rate else 1 << 60

    def carry(self, data: bytes) -> bytes:
        if not self._rate:
            return data
        out = bytearray()
        at = 0
        while at + self._until < len(data):
            end = at + self._until
            out += data[at:end]
            fault = self._rng.choice(("lost", "doubled", "damaged"))
            self.faults[fault] += 1
            if fault == "doubled":
                out += data[end : end + 1] * 2
            elif fault == "damaged":
                out.append(data[end] ^ self._rng.randrange(1, 256))
            at = end + 1
            self._until = self._gap()
        self._until -= len(data) - at
        out += data[at:]
        held, self._held = self._held, b""
        if data and self._rng.random() < self._rate:
            self.faults["swapped"] += 1
            self._held = bytes(out)  # arrives after the next read
            return held
        return bytes(out) + held


@dataclass
class Result:
    """What a run came to."""

    events: int = 0
    stored: int = 0
    in_gaps: int = 0
    gaps: Counter[str] = field(default_factory=Counter)
    disconnects: int = 0
    kills: int = 0
    cuts: int = 0
    torn: int = 0
    commands: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    resends: int = 0
    doubled: int = 0
    virtual_s: float = 0.0
    real_s: float = 0.0


class Torture:
    """Both ends, the wire between them, and the ledger of what really happened."""

    def __init__(self, folder: Path, seed: int, rate: float, slots_size: int = FRAM_SIZE) -> None:
        self.rng = random.Random(seed)
        self.now = 0.0
        self.size = slots_size
        self.fram = Fram(slots_size)
        self.folder = folder
        self.result = Result()
        self.ledger = array("L", [0])  # CRC of the record of each number
        self.runs: Counter[int] = Counter()
        self.pending: list = []
        self.rate = rate
        self.connected = True
        self.down, self.up = Wire(self.rng, rate), Wire(self.rng, rate)
        self.overwritten_at: dict[int, int] = {}
        self.booted_at = 0.0
        self.boot()
        self.start_host()

    # Table

    def boot(self) -> None:
        self.fram.left = None
        self.journal = Journal(self.fram, self.size, new_id=0x1234)
        self.end = TableEnd(self.journal, b"TORTURED", 0x000100)
        self.end.on("beep", self._beep)
        self.booted_at = self.now

    def _beep(self, ms: int) -> None:
        self.runs[ms] += 1

    @property
    def table_ms(self) -> int:
        return int((self.now - self.booted_at) * 1000)

    def emit(self) -> None:
        fields = 5, self.table_ms, self.journal.boot, self.rng.randrange(16), self.rng.randrange(144)
        try:
            seq = self.journal.append(*fields)
            self._enter(seq)
        except PowerCut:
            self.result.torn += 1
            before = len(self.ledger) - 1
            self.boot()
            if self.journal.last not in (before, before + 1):
                raise AssertionError(f"journal ends at {self.journal.last}, {before} were durable") from None
            if self.journal.last > before:
                self._enter(self.journal.last)

    def _enter(self, seq: int) -> None:
        buf = bytearray(messages.RECORD_LIMIT)
        n = self.journal.read(seq, buf, 0)
        assert (bool(n), seq) == (True, len(self.ledger))
        self.ledger.append(crc32(bytes(buf[:n])))

    def cut_power(self) -> None:
        """Within the next writes, at any byte of them."""
        self.result.cuts += 1
        self.fram.left = self.rng.randrange(60)

    # Host

    def start_host(self) -> None:
        self.store = Store(self.folder / "events.db")
        self.host = HostLink(self.store.acknowledged, random.Random(self.rng.random()))
        if self.connected:
            self.host.port_opened(self.now)
        self.pending = []

    def kill_host(self) -> None:
        self.result.kills += 1
        self.result.doubled += self.host.statistics.doubled
        self.store.close()
        self.start_host()

    def keep(self) -> bool:
        """Store what arrived; True if the host is killed here by chance of the caller's plan."""
        records = self.host.take_records()
        if records:
            hello = self.host.hello
            assert hello is not None
            for record in records:
                self._explain(record)
            self.store.append(hello.serial, hello.journal_id, records, self.host.position)
        return bool(records)

    def _explain(self, record: bytes) -> None:
        """A gap is right only if the ring had come round over what it names."""
        if record[10] == messages.GAP.number:
            event = decode(record)
            assert event["reason"] == "overwritten", event
            assert int(event["last"]) < self.journal.first, (event, self.journal.first)

    # Time

    def step(self, dt: float = STEP, kill: bool = False) -> None:
        self.now += dt
        now, ms = self.now, self.table_ms
        out = self.host.take_output() if self.connected else b""
        try:
            data = self.up.carry(out)
            if data and self.connected:
                self.end.receive(bytearray(data), len(data), ms)
            self.end.tick(ms)
            sent = bytearray()
            budget = 2000
            while len(sent) < budget and (frame := self.end.next_frame(ms)) is not None:
                sent += frame
        except PowerCut:
            self.result.torn += 1
            self.boot()
            sent = bytearray()
        if self.connected:
            self.host.receive(self.down.carry(bytes(sent)), now)
            if self.keep():
                if kill:
                    self.kill_host()
                    return
                self.host.stored(self.host.position)
            self.host.tick(now)

    def disconnect(self) -> None:
        self.result.disconnects += 1
        self.connected = False
        self.host.port_lost("pulled")

    def reconnect(self) -> None:
        self.connected = True
        self.host.port_opened(self.now)

    def settle(self, limit: float = 600.0) -> None:
        """Run without new trouble until the host has everything."""
        end = self.now + limit
        while self.host.state is not State.IN_STEP or self.host.position < self.journal.last or not self.host.idle:
            self.step()
            assert self.now < end, (self.host.state, self.host.position, self.journal.last, self.host.problem)

    def command(self) -> None:
        self.result.commands += 1
        number = 1 + self.result.commands % 2000
        self.runs[number] = 0
        self.host.command("beep", number, on_reply=lambda reply: self._answered(number, reply))

    def _answered(self, number: int, reply: object) -> None:
        status = reply.status  # type: ignore[attr-defined]
        self.result.answers[status] += 1
        assert self.runs[number] <= 1, f"command {number} ran {self.runs[number]} times"
        assert status != "ok" or self.runs[number] == 1

    def check(self) -> Result:
        """Compare the store with the ledger: everything once, in order, or in a gap."""
        result = self.result
        expected = 1
        for event in self.store.events():
            if event.kind == "gap":
                assert event["first"] == expected
                result.gaps[str(event["reason"])] += 1
                result.in_gaps += int(event["last"]) - expected + 1
            else:
                assert event.seq == expected, (event.seq, expected)
                assert crc32(event.record) == self.ledger[event.seq], event
                result.stored += 1
            expected = event.seq + 1
        assert expected == len(self.ledger), (expected, len(self.ledger))
        result.events = len(self.ledger) - 1
        result.faults = self.up.faults + self.down.faults
        result.virtual_s = self.now
        result.doubled += self.host.statistics.doubled
        return result


def torture(
    folder: Path,
    seed: int = 1,
    events: int = 20_000,
    disconnects: int = 20,
    kills: int = 10,
    cuts: int = 10,
    rate: float = 1e-3,
    longest_outage: float = 1800.0,
    fram_size: int = FRAM_SIZE,
    report: Callable[[str], None] | None = None,
) -> Result:
    """One run; raises AssertionError at the first event lost, doubled, out of order, or gap unexplained."""
    began = time.perf_counter()
    t = Torture(folder, seed, rate, fram_size)
    rng = t.rng
    plan = ["disconnect"] * disconnects + ["kill"] * kills + ["cut"] * cuts + ["command"] * (cuts * 5)
    rng.shuffle(plan)
    every = max(1, events // (len(plan) + 1))
    emitted = 0
    kills_due = 0
    next_trouble = every
    while emitted < events or plan or kills_due:
        for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3))):
            t.emit()
        emitted = len(t.ledger) - 1
        before = t.result.kills
        t.step(kill=kills_due > 0)
        kills_due -= t.result.kills - before
        if emitted < next_trouble or not plan:
            continue
        next_trouble = emitted + every // 2
        what = plan.pop()
        if rng.random() < 0.5:
            t.command()  # so that the trouble meets one under way
        if what == "kill":
            if rng.random() < 0.5:
                kills_due += 1  # between the next commit and its acknowledgement
            else:
                t.kill_host()
        elif what == "cut":
            t.cut_power()
        elif what == "command":
            t.command()
        else:
            t.disconnect()
            outage = rng.choice((0.0, rng.uniform(0, 2), rng.uniform(0, longest_outage)))
            end = t.now + outage
            pace = rng.choice((1.0, 5.0, 20.0))  # events a second while nobody listens
            while t.now < end:
                t.step(dt=1 / pace)
                t.emit()
            t.reconnect()
        if report and not len(plan) % 50:
            report(f"{emitted} of {events} events, {t.now:.0f} s virtual, {time.perf_counter() - began:.0f} s real")
    t.fram.left = None
    t.settle()
    result = t.check()
    result.resends = t.end.sender.resends
    result.real_s = time.perf_counter() - began
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000, help="at least; outages add theirs")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = torture(Path(folder), options.seed, options.events, disconnects=200, kills=100, cuts=100, report=print)
    print(
        f"{result.events} events: {result.stored} stored once and in order, {result.in_gaps} in "
        f"{sum(result.gaps.values())} explained gaps, 0 lost, 0 doubled"
    )
    print(
        f"{result.disconnects} disconnects, {result.kills} hosts given up between any two steps, "
        f"{result.cuts} power cuts ({result.torn} inside a write), "
        f"{result.commands} commands ({dict(result.answers)}), "
        f"wire faults {dict(result.faults)}, {result.doubled} records came again and were dropped"
    )
    print(f"{result.virtual_s:.0f} s virtual in {result.real_s:.0f} s")


if __name__ == "__main__":
    main()
