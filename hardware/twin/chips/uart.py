"""The controller's UART with its buffers: bytes take their time on the wire, in both directions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from twin.clock import Clock


class Uart:
    """`on_tx` receives what the controller sent, when its last bit has left; `feed` sends to the controller."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.on_tx: Callable[[bytes], None] = lambda data: None
        self.overruns = 0
        self.open(115200, 256, 256)

    def open(self, baud: int, txbuf: int, rxbuf: int) -> None:
        self.us_per_byte = 10e6 / baud
        self.txbuf, self.rxbuf = txbuf, rxbuf
        self._rx = bytearray()
        self._tx_queued = 0
        self._tx_done = 0.0
        self._rx_done = 0.0

    @property
    def rx_any(self) -> int:
        return len(self._rx)

    @property
    def tx_free(self) -> int:
        return self.txbuf - self._tx_queued

    def write(self, data: bytes) -> int:
        """Queue what fits; returns how much that was."""
        data = data[: self.tx_free]
        if data:
            self._tx_queued += len(data)
            self._tx_done = max(self._tx_done, self.clock.now) + len(data) * self.us_per_byte
            self.clock.at(int(self._tx_done + 1), lambda: self._sent(data))
        return len(data)

    def _sent(self, data: bytes) -> None:
        self._tx_queued = max(0, self._tx_queued - len(data))
        self.on_tx(data)

    def read(self, n: int) -> bytes:
        data = bytes(self._rx[:n])
        del self._rx[:n]
        return data

    def feed(self, data: bytes) -> None:
        """Bytes from the host; they arrive at the line's speed, and are lost when the buffer is full."""
        for i in range(0, len(data), 32):
            chunk = data[i : i + 32]
            self._rx_done = max(self._rx_done, self.clock.now) + len(chunk) * self.us_per_byte
            self.clock.at(int(self._rx_done + 1), partial(self._arrive, chunk))

    def _arrive(self, chunk: bytes) -> None:
        room = self.rxbuf - len(self._rx)
        self.overruns += max(0, len(chunk) - room)
        self._rx += chunk[:room]
