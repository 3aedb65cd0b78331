"""A table's end and a host's end of the link, joined in virtual time, for tests."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "firmware"))

from controller.journal import Journal
from paiju.table import HostLink, State
from tablelink import messages
from tablelink.frame import Encoder
from tablelink.table_end import TableEnd

SIZE = 64 + 26 * 600
VERSION = 0x000102


class Fram:
    """Plain memory with the driver's two methods."""

    def __init__(self, size: int = SIZE) -> None:
        self.memory = bytearray(size)

    def readinto(self, address: int, buf: bytearray) -> None:
        buf[:] = self.memory[address : address + len(buf)]

    def write(self, address: int, buf: bytes) -> None:
        self.memory[address : address + len(buf)] = bytes(buf)


class Pair:
    """Both ends; `step` moves time on by 10 ms and carries the bytes, `down` and `up` may change them."""

    def __init__(self, stored: int = 0, seed: int = 1) -> None:
        self.now = 0.0
        self.fram = Fram()
        self.rng = random.Random(seed)
        self.stored: dict[tuple[str, int], int] = {}
        self.first_stored = stored
        self.received: list[bytes] = []
        self.up: Callable[[bytes], bytes] = lambda data: data
        self.down: Callable[[bytes], bytes] = lambda data: data
        self.host = HostLink(self.position, self.rng)
        self.boot()

    def boot(self) -> None:
        self.journal = Journal(self.fram, SIZE)
        self.table = TableEnd(self.journal, b"TABLE001", VERSION)
        self.booted = self.now

    def position(self, serial: str, journal_id: int) -> int:
        return self.stored.get((serial, journal_id), self.first_stored)

    @property
    def ms(self) -> int:
        return int((self.now - self.booted) * 1000)

    def emit(self, n: int = 1) -> None:
        for _ in range(n):
            self.journal.append(5, self.ms, self.journal.boot, 3, self.journal.last % 144)

    def step(self, store: bool = True) -> None:
        self.now += 0.01
        data = self.up(self.host.take_output())
        if data:
            self.table.receive(bytearray(data), len(data), self.ms)
        self.table.tick(self.ms)
        sent = bytearray()
        while (frame := self.table.next_frame(self.ms)) is not None:
            sent += frame
        if self.host.state is not State.SEARCHING:
            self.host.receive(self.down(bytes(sent)), self.now)
            if store:
                self.keep()
            self.host.tick(self.now)

    def keep(self) -> None:
        records = self.host.take_records()
        if records and self.host.hello:
            self.received += records
            self.stored[self.host.hello.serial, self.host.hello.journal_id] = self.host.position
            self.host.stored(self.host.position)

    def run(self, seconds: float, until: Callable[[], bool] | None = None) -> bool:
        end = self.now + seconds
        while self.now < end:
            if until and until():
                return True
            self.step()
        return bool(until and until())

    def connect(self) -> None:
        self.host.port_opened(self.now)
        assert self.run(2.0, lambda: self.host.state is State.IN_STEP), self.host.state

    def numbers(self) -> list[int]:
        return [int.from_bytes(r[:4], "little") for r in self.received]


def frame(layout: messages.Layout, *values: object, tail: bytes = b"") -> bytes:
    """One message as it goes on the wire."""
    encoder = Encoder()
    payload = layout.pack(*values) + tail
    end = encoder.START + len(payload)
    encoder.buffer[encoder.START : end] = payload
    return bytes(encoder.finish(layout.number, end))
