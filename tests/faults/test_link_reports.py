"""Scenes from field reports about other devices' links, in virtual time (R02, R05, and a mutation of each)."""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host"))

from link_pair import Pair, frame

from paiju.table import decode
from tablelink import messages as m

ERASE_EVERY = 0.2  # s
ERASE = 0.05
FIFO = 32


class Deaf:
    """An input that keeps 32 bytes while the processor is stopped by an erase, and loses the rest."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.held = bytearray()
        self.lost = 0

    def __call__(self, data: bytes) -> bytes:
        if self.pair.now % ERASE_EVERY < ERASE:
            room = FIFO - len(self.held)
            self.lost += max(0, len(data) - room)
            self.held += data[:room]
            return b""
        data = bytes(self.held) + data
        self.held.clear()
        return data


def test_commands_survive_bytes_lost_while_flash_is_erased() -> None:
    """R02: fifty commands back to back, input lost in every erase: each runs once and is answered once."""
    pair = Pair()
    runs: list[int] = []
    answers: list[int] = []
    pair.table.on("beep", runs.append)
    pair.connect()
    deaf = pair.up = Deaf(pair)
    for n in range(1, 51):
        pair.host.command("beep", n, on_reply=lambda reply, n=n: answers.append(n))  # type: ignore[misc]
    assert pair.run(30, lambda: pair.host.idle)
    assert deaf.lost > 100
    assert sorted(runs) == sorted(answers) == list(range(1, 51))
    assert pair.table.decoder.bad > 0  # the counters show it


def test_a_frame_in_two_pieces_and_in_single_bytes() -> None:
    """R05: 59 of 60 bytes, five seconds, the last one; then bytes 3 ms apart. Nothing waits, the next frame counts."""
    pair = Pair()
    pair.connect()
    pair.up = lambda _data: b""
    text = frame(m.COMMAND, 1, pair.journal.boot, pair.table.visit, 1, 1, tail=b"\x01\x02\x03\x04")
    pair.table.receive(bytearray(text), len(text) - 1, pair.ms)
    pair.run(3)
    assert pair.table.decoder.partial
    bad = pair.table.decoder.bad
    now = pair.ms
    for byte in text[-1:] + text:
        now += 3
        pair.table.receive(bytearray([byte]), 1, now)
    assert pair.table.decoder.bad == bad + 1
    replies = []
    while (out := pair.table.next_frame(now)) is not None:
        replies.append(bytes(out))
    assert len(replies) >= 1


def test_forged_traffic_between_the_real() -> None:
    """Somebody injects old and invented frames all the time; events still arrive once."""
    pair = Pair()
    rng = random.Random(4)
    seen: list[bytes] = []

    def up(data: bytes) -> bytes:
        if data:
            seen.append(data)
        forged = frame(m.ACK, rng.getrandbits(32), rng.getrandbits(32), rng.getrandbits(1))
        return forged + data + (rng.choice(seen) if seen else b"")

    pair.connect()
    pair.up = up
    for _ in range(300):
        pair.emit()
        pair.step()
    assert pair.run(10, lambda: len(pair.received) == 300)
    assert [decode(r).seq for r in pair.received] == list(range(1, 301))
