"""Asks the person at the table for something and waits until it is done."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Protocol

from paiju.i18n import _
from paiju.technician.workbench import Workbench, WorkbenchError

PATIENCE_S = 600.0


class Guide(Protocol):
    """`ask(seat, code, sentence)` returns when the person says that it is done."""

    async def ask(self, seat: int, code: str, sentence: str) -> None: ...


class Console:
    """Shows the sentence here and the code on the seat's display; Enter or the seat's referee button goes on."""

    def __init__(self, bench: Workbench, say: object = print) -> None:
        self._bench = bench
        self._say = say
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def listen() -> None:
            # A thread of its own: a read of standard input cannot be cancelled.
            for line in sys.stdin:
                loop.call_soon_threadsafe(self._lines.put_nowait, line)

        threading.Thread(target=listen, daemon=True).start()

    async def ask(self, seat: int, code: str, sentence: str) -> None:
        """WorkbenchError when nobody answers for ten minutes."""
        assert callable(self._say)
        self._say(sentence)
        while not self._lines.empty():
            self._lines.get_nowait()
        started = asyncio.get_running_loop().time()
        while not await self._bench.request(seat, code):
            if not self._lines.empty():
                self._lines.get_nowait()
                return
            if asyncio.get_running_loop().time() - started > PATIENCE_S:
                raise WorkbenchError(_("Nobody answered for ten minutes; what was done so far is kept."))
