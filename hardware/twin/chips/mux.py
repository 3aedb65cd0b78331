"""Antenna multiplexer: an RF switch with two address lines and an enable, active high."""

from __future__ import annotations

from twin.air import Radio
from twin.signal import Signal

SETTLE_US = 1  # all three lines are sampled once after any of them moved; our choice


class AntennaMux:
    """Connects one of four antennas to the reader, or none while disabled."""

    def __init__(self, a0: Signal, a1: Signal, enable: Signal, radio: Radio) -> None:
        self._lines = (a0, a1, enable)
        self._radio = radio
        self._settling = False
        for line in self._lines:
            line.watch(self._changed)
        self._settle()

    def _changed(self, level: int) -> None:
        if not self._settling:
            self._settling = True
            self._radio.air.clock.after(SETTLE_US, self._settle)

    def _settle(self) -> None:
        self._settling = False
        a0, a1, enable = self._lines
        self._radio.antenna = a0.level | a1.level << 1 if enable.level else None
