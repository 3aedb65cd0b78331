"""The link under torture in virtual time: bad bytes, pulled cables, hosts killed by SIGKILL, power cuts at any byte.

Real ends on both sides: the firmware's journal and table end here, the tool's connection and its store on disk in a
process of its own. Only the wire, the FRAM's power and the clock are made up; the kills strike at any moment of real
time. (`kills.py`: the firmware on MicroPython, TCP, real time.) Run it as a program for the long version:

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

from host_process import HostProcess, Killed, Step, Told  # noqa: E402

from controller.journal import Journal  # noqa: E402
from paiju.store import Store  # noqa: E402
from paiju.table import State  # noqa: E402
from tablelink import messages  # noqa: E402
from tablelink.table_end import TableEnd  # noqa: E402

FRAM_SIZE = 262144
STEP = 0.005  # s of virtual time
STRIKE = 0.03  # s of real time within which a kill strikes: a few steps, or a start of the process


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
    untold: int = 0  # kills between a commit and its acknowledgement
    cuts: int = 0
    torn: int = 0
    commands: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    resends: int = 0
    dropped: int = 0  # records that came to the host again
    virtual_s: float = 0.0
    real_s: float = 0.0


class Torture:
    """The table, the host's process, the wire between them, and the ledger of what really happened."""

    def __init__(self, folder: Path, seed: int, rate: float, slots_size: int = FRAM_SIZE) -> None:
        self.rng = random.Random(seed)
        self.now = 0.0
        self.size = slots_size
        self.fram = Fram(slots_size)
        self.database = folder / "events.db"
        self.result = Result()
        self.ledger = array("L", [0])  # CRC of the record of each number
        self.overwritten = bytearray(1)  # of each number: whether the ring came round before it was acknowledged
        self.undeliverable = 0
        self.kept_from = 1
        self.runs: Counter[int] = Counter()
        self.connected = True
        self.killing = False
        self.told_before_kill = 0
        self.down, self.up = Wire(self.rng, rate), Wire(self.rng, rate)
        self.incoming = b""  # what the host wrote in its last step
        self.commands: list[int] = []
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
        self._note_overwritten()

    def _beep(self, ms: int) -> None:
        self.runs[ms] += 1
        assert self.runs[ms] == 1, f"command {ms} ran {self.runs[ms]} times"

    @property
    def table_ms(self) -> int:
        return int((self.now - self.booted_at) * 1000)

    @property
    def deliverable(self) -> int:
        """Events so far that the table still had to deliver or has delivered."""
        return len(self.ledger) - 1 - self.undeliverable

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
        self.overwritten.append(0)
        self._note_overwritten()

    def _note_overwritten(self) -> None:
        for seq in range(self.kept_from, self.journal.first):
            self.overwritten[seq] = seq > self.journal.acknowledged
            self.undeliverable += self.overwritten[seq]
        self.kept_from = self.journal.first

    def cut_power(self) -> None:
        """Within the next writes, at any byte of them."""
        self.result.cuts += 1
        self.fram.left = self.rng.randrange(60)

    # Host

    def start_host(self) -> None:
        self.host = HostProcess(self.database, self.rng.getrandbits(32))
        self.told = Told(b"", State.SEARCHING, 0, 0, [], 0)
        self.incoming = b""

    def kill_host(self) -> None:
        """At any moment from now on."""
        self.killing = True
        self.host.arm(random.uniform(0, STRIKE))  # real time cannot be repeated anyway

    def _killed(self) -> None:
        self.killing = False
        self.result.kills += 1
        self.result.dropped += self.told.dropped
        self.result.answers["host killed"] += self.told.waiting + len(self.commands)
        self.commands = []
        self.told_before_kill = self.told.position
        for _ in range(self.rng.choice((0, 0, 10, 300))):  # gone for so many steps
            self._table_step(b"")
            self.emit_some()
        self.start_host()
        self._exchange(b"")

    def _exchange(self, data: bytes) -> None:
        commands, self.commands = self.commands, []
        try:
            told = self.host.exchange(Step(self.now, self.connected, data, commands))
        except Killed:
            self.commands = commands
            self._killed()
            return
        self.told = told
        if self.told_before_kill and told.position:  # 0 until the new process has looked how far it was
            self.result.untold += told.position > self.told_before_kill
            self.told_before_kill = 0
        self.incoming = told.output
        for number, status in told.answers:
            self.result.answers[status] += 1
            assert status != "ok" or self.runs[number] == 1, f"command {number} is answered and did not run"

    # Time

    def _table_step(self, data: bytes, dt: float = STEP) -> bytes:
        """What the table says in the next while to what it hears."""
        self.now += dt
        ms = self.table_ms
        sent = bytearray()
        try:
            if data:
                self.end.receive(bytearray(data), len(data), ms)
            self.end.tick(ms)
            while len(sent) < 2000 and (frame := self.end.next_frame(ms)) is not None:
                sent += frame
        except PowerCut:
            self.result.torn += 1
            self.boot()
            sent.clear()
        return bytes(sent)

    def step(self) -> None:
        sent = self._table_step(self.up.carry(self.incoming))
        self.incoming = b""
        self._exchange(self.down.carry(sent))

    def emit_some(self) -> None:
        for _ in range(self.rng.choice((0, 0, 1, 1, 2, 3, 7))):
            self.emit()

    def disconnect(self, outage: float, pace: float) -> None:
        """Pull the cable for so many seconds, with so many events in each."""
        self.result.disconnects += 1
        self.connected = False
        self._exchange(b"")
        self.incoming = b""
        end = self.now + outage
        while self.now < end:
            self._table_step(b"", 1 / pace)
            self.emit()
        self.connected = True
        self._exchange(b"")

    def settle(self, limit: float = 600.0) -> None:
        """Run without new trouble until the host has everything."""
        end = self.now + limit
        while (
            self.killing
            or self.told.state is not State.IN_STEP
            or self.told.position < self.journal.last
            or self.told.waiting
        ):
            self.step()
            assert self.now < end, (self.told, self.journal.last)

    def command(self) -> None:
        self.result.commands += 1
        assert self.result.commands <= 2000
        self.commands.append(self.result.commands)

    def check(self) -> Result:
        """Compare the store with the ledger: everything once, in order, or in a gap that had to be."""
        result = self.result
        self.host.end()
        store = Store(self.database)
        expected = 1
        for event in store.events():
            if event.kind == "gap":
                assert (event["first"], event["reason"]) == (expected, "overwritten"), event
                assert all(self.overwritten[expected : event.seq + 1]), event
                result.gaps[str(event["reason"])] += 1
                result.in_gaps += event.seq - expected + 1
            else:
                assert event.seq == expected, (event.seq, expected)
                assert crc32(event.record) == self.ledger[event.seq], event
                result.stored += 1
            expected = event.seq + 1
        store.close()
        assert expected == len(self.ledger), (expected, len(self.ledger))
        result.events = len(self.ledger) - 1
        result.faults = self.up.faults + self.down.faults
        result.virtual_s = self.now
        result.dropped += self.told.dropped
        result.resends = self.end.sender.resends
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
    try:
        _run(t, events, disconnects, kills, cuts, longest_outage, report, began)
        t.fram.left = None
        t.settle()
        result = t.check()
    finally:
        t.host.end()
    result.real_s = time.perf_counter() - began
    return result


def _run(
    t: Torture,
    events: int,
    disconnects: int,
    kills: int,
    cuts: int,
    longest_outage: float,
    report: Callable[[str], None] | None,
    began: float,
) -> None:
    rng = t.rng
    plan = ["disconnect"] * disconnects + ["kill"] * kills + ["cut"] * cuts + ["command"] * (cuts * 5)
    rng.shuffle(plan)
    every = max(1, events // (len(plan) + 1))
    next_trouble = every
    reported = began
    while t.deliverable < events or plan:
        t.emit_some()
        t.step()
        if report and time.perf_counter() > reported + 30:
            reported = time.perf_counter()
            report(f"{t.deliverable} of {events} events, {len(plan)} troubles to come, {t.now:.0f} s virtual")
        if t.deliverable < next_trouble or not plan or (plan[-1] == "kill" and t.killing):
            continue
        next_trouble = t.deliverable + every * 9 // 10
        what = plan.pop()
        if rng.random() < 0.5:
            t.command()  # so that the trouble meets one under way
        if what == "kill":
            t.kill_host()
        elif what == "cut":
            t.cut_power()
        elif what == "command":
            t.command()
        else:
            outage = rng.choice((0.0, rng.uniform(0, 2), rng.uniform(0, longest_outage)))
            t.disconnect(outage, pace=rng.choice((1.0, 5.0, 20.0)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000, help="at least; those in gaps come on top")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = torture(
            Path(folder), options.seed, options.events, disconnects=200, kills=100, cuts=100,
            report=lambda text: print(text, flush=True),
        )  # fmt: skip
    print(
        f"{result.events} events: {result.stored} stored once and in order, {result.in_gaps} in "
        f"{sum(result.gaps.values())} explained gaps, 0 lost, 0 doubled"
    )
    print(
        f"{result.disconnects} disconnects, {result.kills} host processes killed with SIGKILL "
        f"({result.untold} between a commit and its acknowledgement), {result.cuts} power cuts ({result.torn} inside a "
        f"write), {result.commands} commands ({dict(result.answers)}), wire faults {dict(result.faults)}, "
        f"{result.dropped} records came again and were dropped"
    )
    print(f"{result.virtual_s:.0f} s virtual in {result.real_s:.0f} s")


if __name__ == "__main__":
    main()
