"""The link's tasks: bytes between a stream like machine.UART and the table's end of `tablelink`."""

import asyncio
from time import ticks_diff, ticks_ms

from tablelink import messages
from tablelink.table_end import CommandError, TableEnd

__all__ = ("CommandError", "Identity", "Link")

_TICK_MS = 20
_RETRY_MS = 4  # a full transmit buffer is tried again after so long


class Identity:
    """Who the table is: `serial` (8 bytes, as machine.unique_id() gives) and firmware version (three numbers)."""

    def __init__(self, serial: bytes, version: tuple) -> None:
        self.serial = bytes(serial[:8]) + b"\0" * (8 - len(serial))
        self.version = version[0] << 16 | version[1] << 8 | version[2]


class Link:
    """Numbers and keeps events in `journal`, and serves whatever host is at `uart`.

    `uart` has `readinto(buf)` and `write(buf)` that take what they can and return the count or None. Nothing here
    ever waits for the host: a host that stops reading leaves the rest of a frame in its buffer, to be continued.
    """

    def __init__(self, uart, journal, identity: Identity) -> None:
        self.end = TableEnd(journal, identity.serial, identity.version, asyncio.create_task)
        self.heartbeat = None  # called by every round of the link's task, for the watchdog
        self._uart = uart
        self._journal = journal
        self._rest: memoryview | None = None  # what the uart has not taken of the frame in `end.encoder`
        self._chunk = bytearray(64)
        self._ticks = ticks_ms()
        self._now = 0
        self._wake = asyncio.Event()

    def now(self) -> int:
        """Milliseconds since boot; unlike the port's ticks they do not wrap."""
        ticks = ticks_ms()
        self._now += ticks_diff(ticks, self._ticks)
        self._ticks = ticks
        return self._now

    def emit(self, name: str, a=0, b=0, c=0, d=0, e=0) -> int:
        """Record event `name` with its fields in order (words or numbers); durable on return. Returns its number."""
        layout = messages.EVENT_BY_NAME[name]
        value = messages.value_of
        seq = self._journal.append(
            layout.number,
            self.now(),
            self._journal.boot,
            value(layout, 0, a),
            value(layout, 1, b),
            value(layout, 2, c),
            value(layout, 3, d),
            value(layout, 4, e),
        )
        self._wake.set()
        return seq

    def on(self, command: str, handler, stop=None) -> None:
        """See `TableEnd.on`."""
        self.end.on(command, handler, stop)

    @property
    def connected(self) -> bool:
        """Whether a host takes events."""
        return self.end.sender.running

    async def run(self) -> None:
        """Serve for ever."""
        receive = asyncio.create_task(self._receive())
        tick = asyncio.create_task(self._tick())
        try:
            await self._send()
        finally:
            receive.cancel()
            tick.cancel()

    async def _receive(self) -> None:
        stream = asyncio.StreamReader(self._uart)
        while True:
            n = await stream.readinto(self._chunk)
            if n:
                self.end.receive(self._chunk, n, self.now())
                self._wake.set()
            else:
                await asyncio.sleep_ms(_RETRY_MS)  # end of file: a pseudo-terminal without a host

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep_ms(_TICK_MS)
            self.end.tick(self.now())
            if self.heartbeat is not None:
                self.heartbeat()
            self._wake.set()

    async def _send(self) -> None:
        while True:
            if not self.push():
                self._wake.clear()
                if not self.end.due(self.now()):
                    await self._wake.wait()
                    continue
            await asyncio.sleep_ms(_RETRY_MS if self._rest is not None else 0)

    def push(self) -> bool:
        """Give the uart the rest of the last frame or else the next one; False if there was nothing to send."""
        rest = self._rest
        if rest is None:
            rest = self.end.next_frame(self.now())
            if rest is None:
                return False
        taken = self._uart.write(rest) or 0
        self._rest = rest[taken:] if taken < len(rest) else None
        return True
