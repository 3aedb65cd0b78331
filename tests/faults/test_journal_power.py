"""The power fails at every single byte that the journal writes; every image must come up with a sound prefix."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from torture import Fram, PowerCut

from controller.journal import Journal
from tablelink import messages

SIZE = 64 + 26 * 128  # the ring comes round within the scenario
EVENTS = 500


class Logged(Fram):
    """Remembers every write, so that the memory at any moment can be made again."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.writes: list[tuple[int, bytes]] = []

    def write(self, address: int, buf: bytes) -> None:
        self.writes.append((address, bytes(buf)))
        super().write(address, buf)


def scenario(journal: Journal, done: Callable[[str, int], None]) -> None:
    """500 events of every kind with acknowledgements between; `done` hears what has become durable."""
    rng = random.Random(7)
    kinds = [e for e in messages.EVENTS if e.name != "gap"]
    for n in range(EVENTS):
        layout = kinds[n % len(kinds)]
        values = [rng.randbytes(8) if f[1] == "bytes8" else rng.randrange(6) for f in layout.fields]
        done("event", journal.append(layout.number, 10 * n, journal.boot, *values))
        if n % 9 == 8:
            journal.acknowledge(journal.last - rng.randrange(9))
            done("acknowledged", journal.acknowledged)


def records(journal: Journal) -> dict[int, bytes]:
    buf = bytearray(messages.RECORD_LIMIT)
    out = {}
    for seq in range(journal.first, journal.last + 1):
        n = journal.read(seq, buf, 0)
        out[seq] = bytes(buf[:n])
    return out


def test_cut_at_every_byte_of_every_write() -> None:
    fram = Logged(SIZE)
    truth: dict[int, bytes] = {}
    journal = Journal(fram, SIZE)
    durable = {"event": 0, "acknowledged": 0}
    after: list[dict[str, int]] = []  # what was durable before each write

    def done(what: str, n: int) -> None:
        durable[what] = n
        if what == "event":
            buf = bytearray(messages.RECORD_LIMIT)
            truth[n] = bytes(buf[: journal.read(n, buf, 0)])
        while len(after) < len(fram.writes):
            after.append(dict(durable))

    opening = len(fram.writes)
    done("acknowledged", 0)
    scenario(journal, done)
    assert len(fram.writes) > EVENTS

    memory = bytearray(SIZE)
    images = 0
    for n, (address, data) in enumerate(fram.writes):
        before = after[n - 1] if n else {"event": 0, "acknowledged": 0}
        for cut in range(len(data)):
            image = Fram(SIZE)
            image.memory[:] = memory
            image.memory[address : address + cut] = data[:cut]
            images += 1
            found = Journal(image, SIZE)
            if n < opening:
                assert found.last == 0
                continue
            assert found.id == journal.id
            assert found.last in (before["event"], before["event"] + 1)
            # At most the record whose place is being written is gone from the old end.
            assert found.first <= max(1, before["event"] - found.slots + 2)
            assert found.acknowledged in (before["acknowledged"], after[n]["acknowledged"])
            for seq, record in records(found).items() if images % 7 == 0 else ():
                assert record == truth[seq]
        memory[address : address + len(data)] = data
    assert images > 10_000


def test_a_write_that_is_cut_never_doubles_a_number() -> None:
    """Cut, boot, go on: at each of the first 3000 bytes written after the ring has come round."""
    for cut in range(0, 3000, 7):
        fram = Fram(SIZE)
        journal = Journal(fram, SIZE)
        for n in range(200):
            journal.append(5, n, journal.boot, 1, n % 144)
        fram.left = cut
        last = append_until_cut(journal)
        fram.left = None
        again = Journal(fram, SIZE)
        assert again.last in (last, last + 1)
        assert again.append(5, 0, again.boot, 3, 3) == again.last
        kept = records(again)
        assert all(kept.values())
        assert [int.from_bytes(r[:4], "little") for r in kept.values()] == list(kept)


def append_until_cut(journal: Journal) -> int:
    """The last number that was durable when the power failed."""
    last = journal.last
    try:
        while True:
            last = journal.append(5, last, journal.boot, 2, last % 144)
    except PowerCut:
        return last


def test_rotten_records_and_headers() -> None:
    """A damaged record is unreadable, not wrong; one damaged header is survived, two mean a new journal."""
    fram = Fram(SIZE)
    journal = Journal(fram, SIZE)
    for n in range(300):
        journal.append(5, n, journal.boot, 1, n % 144)
    slot = 64 + 26 * (250 % journal.slots)
    fram.memory[slot + 5] ^= 1
    again = Journal(fram, SIZE)
    assert again.last == 300
    assert again.read(250, bytearray(30), 0) == 0
    assert again.read(251, bytearray(30), 0) > 0
    fram.memory[3] ^= 1
    assert Journal(fram, SIZE).id == journal.id
    fram.memory[3] ^= 1
    fram.memory[2] ^= 1
    fram.memory[34] ^= 1
    fresh = Journal(fram, SIZE)
    assert fresh.id != journal.id
    assert (fresh.first, fresh.last) == (1, 0)


def test_ten_thousand_events_are_retained() -> None:
    journal = Journal(Fram(), 262144)
    for n in range(20_500):
        journal.append(8, n, journal.boot, 1, 0, b"12345678")
    assert journal.last - journal.first + 1 >= 10_000
    assert journal.read(journal.first, bytearray(30), 0) > 0


def test_too_small_a_memory_is_refused() -> None:
    with pytest.raises(ValueError, match="at least"):
        Journal(Fram(100), 100)
