"""Holtek HT16K33: LED driver of a seat panel. Source: HT16K33 data sheet, command table."""

from __future__ import annotations

BLINK_HZ = (0.0, 2.0, 1.0, 0.5)


class Ht16k33:
    """`rows` is the display RAM, 16 bytes, two for each common; `blink` in Hz; `brightness` 1..16."""

    def __init__(self) -> None:
        self.power_on_reset()

    def power_on_reset(self) -> None:
        """Dark, oscillator off."""
        self.rows = bytearray(16)
        self.blink = 0.0
        self.brightness = 16
        self._oscillator = False
        self._display = False
        self._pointer = 0
        self._source = 0x00  # what the next read returns: display RAM, keys or the interrupt flag

    @property
    def on(self) -> bool:
        """True while the display is lit: oscillator running and display switched on."""
        return self._oscillator and self._display

    def write(self, data: bytes) -> bool:
        if not data:
            return True
        command, low = data[0] & 0xF0, data[0] & 0x0F
        if command == 0x00:
            self._source = 0x00
            self._pointer = low
            for value in data[1:]:
                self.rows[self._pointer] = value
                self._pointer = (self._pointer + 1) % 16
        elif command == 0x20:
            self._oscillator = bool(low & 1)
        elif command in (0x40, 0x60):
            self._source = command
        elif command == 0x80:
            self._display = bool(low & 1)
            self.blink = BLINK_HZ[low >> 1 & 3]
        elif command == 0xE0:
            self.brightness = low + 1
        return True

    def read(self, count: int) -> bytes:
        if self._source:
            return bytes(count)  # no keys are wired
        out = bytes(self.rows[(self._pointer + n) % 16] for n in range(count))
        self._pointer = (self._pointer + count) % 16
        return out
