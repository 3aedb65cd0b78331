"""The table's serial port as a pseudo-terminal, and a run paced to the wall clock."""

from __future__ import annotations

import contextlib
import os
import time
import tty
from collections.abc import Callable
from pathlib import Path

from twin.table import Table

SLICE_S = 0.004


class Terminal:
    """Joins `table.uart` to a pseudo-terminal; `path` is what a host opens.

    Bytes for which nobody reads are lost, as on a real line.
    """

    def __init__(self, table: Table, link: Path | None = None) -> None:
        self._table = table
        # The other end stays open here too, so that a host may come and go.
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)
        self._link = link
        if link is not None:
            link.unlink(missing_ok=True)
            link.symlink_to(self.path)
            self.path = str(link)
        table.uart.on_tx = self._send

    def close(self) -> None:
        os.close(self._master)
        os.close(self._slave)
        if self._link is not None:
            self._link.unlink(missing_ok=True)

    def _send(self, data: bytes) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self._master, data)

    def _take(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._table.uart.feed(os.read(self._master, 4096))

    def run(self, speed: float, done: Callable[[], bool], tell: Callable[[], None] | None = None) -> None:
        """Run until `done()`, `speed` times as fast as the wall clock or as fast as this computer can.

        `tell` is called about ten times a second. Without time to spare the table runs late, never ahead.
        """
        start, virtual = time.monotonic(), self._table.now
        told = 0.0
        while not done():
            self._take()
            now = time.monotonic()
            target = virtual + int((now - start) * speed * 1e6)
            if self._table.now < target:
                ahead = min(target, self._table.now + int(SLICE_S * max(speed, 1.0) * 1e6))
                self._table.kernel.run_until(ahead)
                if target - self._table.now > 500_000 * speed:  # too slow to keep up: forget the debt
                    start, virtual = now, self._table.now
            else:
                time.sleep(SLICE_S / 2)
            if tell is not None and now - told > 0.1:
                told = now
                tell()
