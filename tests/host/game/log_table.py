"""A table that tells a given log over TCP, with the controller's own end of the link."""

import select
import socket
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from paiju.table.events import Event
from tablelink.table_end import TableEnd

SERIAL = b"LOGTABLE"


class ListJournal:
    """Event records in memory, as the link's sender wants them."""

    def __init__(self, events: Sequence[Event], ident: int) -> None:
        self.id, self.boot, self.first, self.last = ident, 1, 1, len(events)
        self.acknowledged = 0
        self.slots = 1 << 16
        self._records = [event.record for event in events]

    @property
    def unacknowledged(self) -> int:
        return self.last - self.acknowledged

    def read(self, seq: int, buf: bytearray, at: int) -> int:
        record = self._records[seq - 1]
        buf[at : at + len(record)] = record
        return len(record)

    def acknowledge(self, seq: int) -> None:
        self.acknowledged = max(self.acknowledged, seq)


class LogTable:
    """Serves `events` at `url` to one host after the other while the `with` block runs."""

    def __init__(self, events: Sequence[Event], ident: int = 7) -> None:
        self.journal = ListJournal(events, ident)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"socket://127.0.0.1:{self._server.getsockname()[1]}"
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._server.close()

    def _serve(self) -> None:
        while not self._stop.is_set():
            if select.select([self._server], [], [], 0.05)[0]:
                host, _address = self._server.accept()
                with host:
                    self._speak(host)

    def _speak(self, host: socket.socket) -> None:
        end = TableEnd(self.journal, SERIAL, 1 << 16)
        try:
            while not self._stop.is_set():
                if select.select([host], [], [], 0.01)[0]:
                    data = bytearray(host.recv(4096))
                    if not data:
                        return
                    end.receive(data, len(data), self._now())
                end.tick(self._now())
                while end.due(self._now()):
                    frame = end.next_frame(self._now())
                    if frame is None:
                        break
                    host.sendall(bytes(frame))
        except OSError:
            return

    @staticmethod
    def _now() -> int:
        return int(time.monotonic() * 1000)
