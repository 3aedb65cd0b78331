"""A table at a port, for ever: opens, reconnects, stores, acknowledges, hands on events, runs commands."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from paiju.i18n import _
from paiju.table.events import Event, parse
from paiju.table.host_link import Hello, HostLink, Pending, Reply, State
from paiju.table.serial_port import PortError, SerialPort, candidates

AUTO = "auto"  # instead of a port: whichever one a table answers at
TICK = 0.05
RETRY_PORT = 0.5
RETRY_STORE = 2.0
CLOCK_EVERY = 30.0
CONTACT_WITHIN = 5.0
ANSWER_WITHIN = 30.0


class Keeper(Protocol):
    """What a connection needs of a store; raises an Exception whose text is a sentence for the operator."""

    def append(self, serial: str, journal_id: int, records: Sequence[bytes], ack: int) -> None: ...
    def acknowledged(self, serial: str, journal_id: int) -> int: ...
    def save_clock(self, serial: str, journal_id: int, boot: int, zero: float, uncertainty: float) -> None: ...


class Connection:
    """`port` is a device, a URL or "auto". `on_events(events)` is called with new events once they are stored.

    Without a store the events stay at the table. `watch(direction, text)` hears every message in words,
    `tap(direction, data)` every byte.

    `run()` ends only by being cancelled or by an exception of a callback; `problem` is what keeps it from working
    just now, as one sentence.
    """

    def __init__(
        self,
        port: str,
        store: Keeper | None,
        on_events: Callable[[list[Event]], None] | None = None,
        watch: Callable[[str, str], None] | None = None,
        tap: Callable[[str, bytes], None] | None = None,
    ) -> None:
        self.port = port
        self.link = HostLink(self._position, watch=watch, take_events=store is not None)
        self.store_problem = ""
        self._port_problem = ""
        self._store = store
        self._on_events = on_events
        self._tap = tap
        self._retry_store_at = 0.0
        self._clock_at = -CLOCK_EVERY
        self._clock_bound = float("inf")
        self._clock_boot = -1
        self._port: SerialPort | None = None

    @property
    def state(self) -> State:
        return self.link.state

    @property
    def hello(self) -> Hello | None:
        return self.link.hello

    @property
    def problem(self) -> str:
        """What is wrong just now; empty if nothing is."""
        if self.store_problem:
            return self.store_problem
        if self.link.state is State.REFUSED:
            return _("The table at {port} is refused: {reason}.").format(port=self.port, reason=self.link.problem)
        if self._port_problem and self.link.state is State.SEARCHING:
            return self._port_problem
        if self.link.foreign:
            return _("Something answers at {port}, but it is no table: choose another port, see `paiju ports`.").format(
                port=self.port
            )
        if self.link.state in (State.OPENING, State.LOST):
            return _("The table at {port} does not answer: is it switched on?").format(port=self.port)
        return ""

    async def run(self) -> None:
        """Serve the table until cancelled."""
        while True:
            try:
                port = await self._open()
            except PortError as error:
                self._port_problem = str(error)
                self.link.port_lost(str(error))
                await asyncio.sleep(RETRY_PORT)
                continue
            self._port = port
            self._port_problem = ""
            try:
                await self._serve(port)
            finally:
                self._port = None
                if self.link.state is not State.SEARCHING:
                    self.link.close()
                    self._flush(port)
                    self.link.port_lost(port.reason)
                await port.close()
            await asyncio.sleep(RETRY_PORT)

    async def contact(self, within: float = CONTACT_WITHIN) -> Hello:
        """Wait, while `run` runs, until in step with a table; raises PortError with the reason if that fails.

        A port that cannot be opened or a table that is refused fails at once, silence after `within` seconds; a
        table that has said hello gets three times as long.
        """
        end = time.monotonic() + within
        while True:
            if self.link.state in (State.IN_STEP, State.STALLED) and self.hello is not None:
                return self.hello
            if self.link.state is State.REFUSED or self._port_problem or self.store_problem or self.link.foreign:
                raise PortError(self.problem)
            if time.monotonic() > end + (2 * within if self.link.state is State.HELLO else 0):
                raise PortError(self.problem or _("No table was found at {port}.").format(port=self.port))
            await asyncio.sleep(TICK)

    async def command(self, name: str, *args: int | bytes, within: float = ANSWER_WITHIN) -> Reply:
        """Run a command on the table, once, whatever happens to the cable; see HostLink.command.

        Raises PortError when no answer came `within` seconds: whether it ran is then not known.
        """
        pending, reply = await self._ask(name, args, within)
        self.link.release(pending)
        return reply

    async def hold(self, name: str, seconds: float, *args: int | bytes, within: float = ANSWER_WITHIN) -> Reply:
        """Run a leased command as `command` does and keep its lease for `seconds`."""
        pending, reply = await self._ask(name, args, within)
        try:
            if reply.ok:
                await asyncio.sleep(seconds)
        finally:
            self.link.release(pending)
        return reply

    async def _ask(self, name: str, args: Sequence[int | bytes], within: float) -> tuple[Pending, Reply]:
        answered = asyncio.Event()
        pending = self.link.command(name, *args, on_reply=lambda _reply: answered.set())
        try:
            async with asyncio.timeout(within):
                await answered.wait()
        except TimeoutError:
            raise PortError(self._lost(within)) from None
        finally:
            if pending.reply is None:
                self.link.withdraw(pending)
        assert pending.reply is not None
        return pending, pending.reply

    def _lost(self, within: float) -> str:
        """Why there is no answer, and what to do."""
        if self.problem:
            return _("{problem} Then try again; what was begun may have been done.").format(problem=self.problem)
        return _("The table at {port} has not answered for {n} s: try again; it may have done what was asked.").format(
            port=self.port, n=round(within)
        )

    async def _open(self) -> SerialPort:
        if self.port != AUTO:
            return SerialPort(self.port)
        for candidate in candidates():
            if candidate.likely:
                with suppress(PortError):
                    await probe(candidate.device)
                    return SerialPort(candidate.device)
        raise PortError(_("No table was found: plug one in, or name its port with --port."))

    async def _serve(self, port: SerialPort) -> None:
        link = self.link
        link.port_opened(time.monotonic())
        self._flush(port)
        while True:
            data = None
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK):  # wait_for may swallow a cancellation before Python 3.12
                    data = await port.received.get()
            now = time.monotonic()
            if data == b"":
                self._port_problem = _(
                    "The cable to {port} was pulled or the table went off: plug it in and switch it on."
                ).format(port=self.port)
                return
            if data is not None:
                while not port.received.empty() and len(data) < 65536:
                    more = port.received.get_nowait()
                    if not more:
                        port.received.put_nowait(more)
                        break
                    data += more
                if self._tap is not None:
                    self._tap("<", data)
                link.receive(data, now)
            link.tick(now)
            await self._keep(now)
            if not self._flush(port):
                port.reason = _("the table does not read")
                return

    async def _keep(self, now: float) -> None:
        link = self.link
        if self.store_problem and now >= self._retry_store_at:
            link.retry(now)
        records = link.take_records()
        hello = link.hello
        if hello is None or self._store is None:
            return
        if records:
            last = link.position
            try:
                await asyncio.to_thread(self._store.append, hello.serial, hello.journal_id, records, last)
            except Exception as error:  # whatever the store is, the events stay at the table
                self._store_failed(error)
                link.not_stored()
                return
            self.store_problem = ""
            link.stored(last)
            if self._on_events is not None:
                self._on_events([parse(record) for record in records])
        elif self.store_problem and link.state is State.IN_STEP and not link.held_back and link.position >= hello.last:
            self.store_problem = ""  # nothing waits for the store any more
        self._save_clock(hello, now)

    def _position(self, serial: str, journal_id: int) -> int | None:
        if self._store is None:
            return 0
        if self.store_problem and time.monotonic() < self._retry_store_at:
            return None
        try:
            position = self._store.acknowledged(serial, journal_id)
        except Exception as error:
            self._store_failed(error)
            return None
        return position

    def _store_failed(self, error: Exception) -> None:
        self.store_problem = str(error)
        self._retry_store_at = time.monotonic() + RETRY_STORE

    def _save_clock(self, hello: Hello, now: float) -> None:
        known = self.link.clock.offset(now)
        if known is None or (hello.boot == self._clock_boot and now - self._clock_at < CLOCK_EVERY):
            return
        self._clock_at = now
        self._clock_boot = hello.boot
        zero = known[0] + time.time() - now
        assert self._store is not None
        with suppress(Exception):  # tried again; the next append names what is wrong with the store
            self._store.save_clock(hello.serial, hello.journal_id, hello.boot, zero, known[1])

    def _flush(self, port: SerialPort) -> bool:
        data = self.link.take_output()
        if data and self._tap is not None:
            self._tap(">", data)
        return not data or port.write(data)


async def probe(port: str, within: float = 2.0) -> Hello:
    """The hello of the table at `port`, whose events stay where they are; raises PortError if none answers."""
    connection = Connection(port, None)
    serving = asyncio.create_task(connection.run())
    try:
        return await connection.contact(within)
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving
