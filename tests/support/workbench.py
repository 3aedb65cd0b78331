"""A simulated table with a technician, driven from the host's tools in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Self, TypeVar

from paiju.store import Store
from paiju.table import Event, Pending, Reply
from paiju.table.virtual import VirtualConnection
from paiju.technician.workbench import Workbench
from twin.table import Table
from twin.technician import Technician

T = TypeVar("T")


class Shop:
    """`with Shop(folder) as shop: shop.at_work(lambda bench: ...)`; `events` is what the table has told."""

    def __init__(self, folder: Path, noise: str | None = None, seed: int = 1) -> None:
        self.table = Table(seed, None, noise=noise)
        self.person = Technician(self.table)
        self.events: list[Event] = []
        store = Store(folder / "store.sqlite")
        self.connection = VirtualConnection(self.table.clock, self.table.uart, store, self._took, seed)
        self.bench = Workbench(self)

    def __enter__(self) -> Self:
        self.table.start()
        self.table.run_for(3.0)
        return self

    def __exit__(self, *_: object) -> None:
        self.table.kernel.stop()

    def _took(self, events: list[Event]) -> None:
        self.events.extend(events)

    async def command(self, name: str, *args: int | bytes) -> Reply:
        answers: list[Reply] = []
        pending = self.connection.link.command(name, *args, on_reply=answers.append)
        self.table.run_for(20.0, lambda: bool(answers))
        self.connection.link.release(pending)
        assert answers, f"no answer to {name}"
        return answers[0]

    def lease(self, name: str, *args: int | bytes) -> Pending:
        return self.connection.link.command(name, *args)

    def release(self, pending: Pending) -> None:
        self.connection.link.release(pending)

    async def pause(self, seconds: float) -> None:
        self.table.run_for(seconds)

    async def ask(self, seat: int, code: str, _sentence: str) -> None:
        """The guide: the display asks, the person's referee button answers."""
        for _ in range(20):
            if await self.bench.request(seat, code):
                return
        raise AssertionError(f"nobody did {code} at seat {seat}")

    def at_work(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine with the readers in the technician's hands."""

        async def whole() -> T:
            async with self.bench.at_work():
                return await work

        try:
            return asyncio.run(whole())
        finally:
            work.close()  # where the workbench was refused it has not begun
