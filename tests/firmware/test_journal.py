"""The journal on MicroPython; every byte of every write is cut in tests/faults/test_journal_power.py."""

from __future__ import annotations

import sys
from binascii import crc32
from pathlib import Path

from rig import plain

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "firmware"))

from controller.journal import Journal


class Fram:
    def __init__(self, size: int) -> None:
        self.memory = bytearray(size)

    def readinto(self, address: int, buf: bytearray) -> None:
        buf[:] = self.memory[address : address + len(buf)]

    def write(self, address: int, buf: bytes) -> None:
        self.memory[address : address + len(buf)] = bytes(buf)


def test_recovers_and_writes_the_same_bytes_as_cpython() -> None:
    out = plain("journal_cuts")
    size = 64 + 26 * 100
    fram = Fram(size)
    journal = Journal(fram, size, 0x12345678)
    for n in range(250):
        journal.append(5, n, journal.boot, 3, n % 144)
        if n % 10 == 9:
            journal.acknowledge(n)
    assert out[0] == f"image 151 250 249 {crc32(fram.memory)}"
    assert out[1] == "cuts 400 401"
