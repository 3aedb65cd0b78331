"""Fujitsu MB85RS2MT: 256 KiB of SPI FRAM. Each byte is kept the moment it is clocked in, so a cut loses the rest.

Source: MB85RS2MT data sheet (command, status register and device identification tables).
"""

from __future__ import annotations

WRSR, WRITE, READ, WRDI, RDSR, WREN, FSTRD, RDID, SLEEP = 1, 2, 3, 4, 5, 6, 0x0B, 0x9F, 0xB9
IDENTITY = b"\x04\x7f\x28\x03"
WEL, BLOCK_PROTECT, WPEN = 0x02, 0x0C, 0x80


class Mb85rs2mt:
    """The chip over `memory`, a bytearray of 262,144 bytes that outlives it; WP is wired high."""

    def __init__(self, memory: bytearray) -> None:
        if len(memory) != 1 << 18:
            raise ValueError(f"the FRAM holds {1 << 18} bytes, the memory given has {len(memory)}")
        self.memory = memory
        self._status = 0
        self._asleep = False
        self._begin()

    def _begin(self) -> None:
        self._opcode: int | None = None
        self._ignored = False
        self._header = 0
        self._address = 0
        self._count = 0

    def select(self) -> None:
        self._begin()
        self._ignored = self._asleep  # selecting wakes the chip, this frame is lost

    def transfer(self, data: bytes) -> bytes:
        out = bytearray(b"\xff" * len(data))
        if self._ignored:
            return bytes(out)
        at = 0
        if self._opcode is None and data:
            self._opcode, at = data[0], 1
            self._header = {READ: 3, WRITE: 3, FSTRD: 4}.get(self._opcode, 0)
        while self._header and at < len(data):
            self._header -= 1
            if self._opcode != FSTRD or self._header:  # the last byte of FSTRD is a dummy
                self._address = (self._address << 8 | data[at]) & 0x3FFFF
            at += 1
        rest = len(data) - at
        if rest <= 0:
            return bytes(out)
        if self._opcode in (READ, FSTRD):
            out[at:] = self._read(rest)
        elif self._opcode == WRITE:
            self._write(data[at:])
        elif self._opcode == RDSR:
            out[at:] = bytes((self._status,)) * rest
        elif self._opcode == RDID:
            for n in range(rest):
                out[at + n] = IDENTITY[(self._count + n) % 4]
        elif self._opcode == WRSR and self._status & WEL and not self._count:
            self._status = data[at] & (WPEN | 0x70 | BLOCK_PROTECT) | WEL
        self._count += rest
        return bytes(out)

    def deselect(self) -> None:
        if self._ignored:
            self._asleep = False
        elif self._opcode == WREN:
            self._status |= WEL
        elif self._opcode in (WRDI, WRSR, WRITE):
            self._status &= ~WEL
        elif self._opcode == SLEEP:
            self._asleep = True

    def _read(self, count: int) -> bytes:
        start, size = self._address, len(self.memory)
        self._address = (start + count) % size
        out = bytes(self.memory[start : start + count])
        while len(out) < count:
            out += bytes(self.memory[: count - len(out)])
        return out

    def _write(self, data: bytes) -> None:
        size = len(self.memory)
        if self._status & WEL:
            # BP1:BP0 protect the upper quarter, the upper half or all.
            limit = (size, size * 3 // 4, size // 2, 0)[self._status >> 2 & 3]
            start, end = self._address, self._address + len(data)
            if end <= limit:
                self.memory[start:end] = data
            else:
                for n, value in enumerate(data):
                    address = (start + n) % size
                    if address < limit:
                        self.memory[address] = value
        self._address = (self._address + len(data)) % size
