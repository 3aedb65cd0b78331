"""Microchip MCP3208: eight channels, 12 bits, SPI. Source: MCP3208 data sheet, sections 5 and 6."""

from __future__ import annotations

from collections.abc import Callable

VREF_MV = 3300


class Mcp3208:
    """`read_mv(channel)` gives the voltage of an input in mV at the moment of sampling."""

    def __init__(self, read_mv: Callable[[int], int], vref_mv: int = VREF_MV) -> None:
        self._read_mv = read_mv
        self._vref_mv = vref_mv
        self._clocks = 0
        self._request = 0
        self._code = 0

    def select(self) -> None:
        self._clocks = 0  # since the start bit, which is the first
        self._request = 0

    def transfer(self, data: bytes) -> bytes:
        size = 8 * len(data)
        sent = int.from_bytes(data, "big")
        out = 0
        for position in range(size - 1, -1, -1):
            out = out << 1 | self._clock(sent >> position & 1)
        return out.to_bytes(len(data), "big")

    def deselect(self) -> None:
        self._clocks = 0

    def _clock(self, bit: int) -> int:
        """DOUT for one clock: start, SGL, D2, D1, D0, sample, null, 12 bits down, 11 bits up, zeros."""
        if not self._clocks and not bit:
            return 1
        self._clocks += 1
        n = self._clocks
        if n <= 5:
            self._request = self._request << 1 | bit
            if n == 5:
                self._code = self._convert(self._request & 0x0F)
            return 1
        if n == 6:
            return 1
        if 8 <= n <= 19:
            return self._code >> (19 - n) & 1
        if 20 <= n <= 30:
            return self._code >> (n - 19) & 1
        return 0

    def _convert(self, selection: int) -> int:
        channel = selection & 7
        mv = self._read_mv(channel)
        if not selection & 8:  # differential: the pair's other input is subtracted
            mv -= self._read_mv(channel ^ 1)
        return min(max(mv * 4096 // self._vref_mv, 0), 4095)
