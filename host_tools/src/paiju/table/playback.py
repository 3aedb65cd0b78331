"""A recorded table that answers: serves known event records to any host over TCP, with the table's own end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from tablelink.table_end import TableEnd

TICK = 0.02


class RecordedJournal:
    """A journal in memory that fills as `advance` is called; records of any numbers, in order."""

    def __init__(self, journal_id: int, records: Sequence[bytes]) -> None:
        self.id = journal_id
        self.records = {int.from_bytes(r[:4], "little"): r for r in records}
        self._order = sorted(self.records)
        self._due = 0
        self.boot = int.from_bytes(records[0][8:10], "little") if records else 1
        self.first = self._order[0] if records else 1
        self.last = self.first - 1
        self.acknowledged = 0
        self.slots = max(len(records), 1)

    @property
    def unacknowledged(self) -> int:
        return self.last - max(self.acknowledged, self.first - 1)

    @property
    def finished(self) -> bool:
        """Whether every record has happened."""
        return self._due == len(self._order)

    def advance(self, seconds: float) -> None:
        """Let everything happen that did within `seconds` of the first record."""
        while self._due < len(self._order):
            record = self.records[self._order[self._due]]
            start = self.records[self._order[0]]
            if int.from_bytes(record[4:8], "little") - int.from_bytes(start[4:8], "little") > seconds * 1000:
                break
            self.last = self._order[self._due]
            self._due += 1

    def read(self, seq: int, buf: bytearray, at: int) -> int:
        record = self.records.get(seq, b"") if seq <= self.last else b""
        buf[at : at + len(record)] = record
        return len(record)

    def acknowledge(self, seq: int) -> None:
        self.acknowledged = max(self.acknowledged, seq)


async def serve(
    host: str,
    port: int,
    journal: RecordedJournal,
    speed: float = 1.0,
    serial: bytes = b"RECORDED",
    tell: Callable[[str], None] = print,
) -> None:
    """Be a table at host:port that lives through `journal` at `speed`; ends when a host that has all of it leaves.

    Port 0 takes a free one. `tell` gets the URL once it is open.
    """
    end = TableEnd(journal, serial, 0)
    start = time.monotonic()
    done = asyncio.Event()

    def now() -> int:
        return int((time.monotonic() - start) * 1000)

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not done.is_set():
                data = None
                with suppress(TimeoutError):
                    async with asyncio.timeout(TICK):
                        data = await reader.read(4096)
                if data == b"":
                    break
                if data:
                    end.receive(bytearray(data), len(data), now())
                journal.advance(now() / 1000 * speed)
                end.tick(now())
                while (frame := end.next_frame(now())) is not None:
                    writer.write(bytes(frame))
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()
            if journal.finished and journal.acknowledged >= journal.last:
                done.set()

    server = await asyncio.start_server(client, host, port)
    tell(f"socket://{host}:{server.sockets[0].getsockname()[1]}")
    async with server:
        await done.wait()
