"""A host that is a process of its own and lives in somebody else's time: the tool's connection and store, on a pipe.

Whoever holds the pipe says what time it is, whether the cable is in, and which bytes came; the process answers with
the bytes it wrote to the port. It can be killed at any moment, and another one goes on from the store on disk.
"""

from __future__ import annotations

import asyncio
import os
import random
import selectors
import signal
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection as PipeEnd
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from paiju.store import Store
from paiju.table import Connection, PortError, State, connection

EPOCH = 1.8e9  # s; the wall clock at the zero of virtual time
PATIENCE = 120.0  # real seconds; only a guard against hanging


@dataclass(slots=True)
class Step:
    """What happens until the next answer: `now` in s; `commands` are durations for `beep`."""

    now: float
    plugged: bool
    data: bytes = b""
    commands: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Told:
    """What the host did in a step; `answers` are (duration, status) of commands that are over."""

    output: bytes
    state: State
    position: int
    waiting: int  # commands not yet answered
    answers: list[tuple[int, str]]
    dropped: int  # records that came again


class Killed(Exception):
    """The host was killed before it could answer."""


class HostProcess:
    """Begins at once; `exchange` is a step, `arm` lets SIGKILL strike in the middle of whatever it does then."""

    def __init__(self, database: Path, seed: int) -> None:
        self._pipe, theirs = Pipe()
        self._strike_at: float | None = None
        self.pid = os.fork()  # not started anew: a hundred would import everything anew
        if not self.pid:
            self._pipe.close()
            _live(theirs, database, seed)
        theirs.close()

    def arm(self, delay: float) -> None:
        """Kill it after `delay` real seconds."""
        self._strike_at = time.perf_counter() + delay

    def exchange(self, step: Step) -> Told:
        """Live through a step; raises Killed."""
        if self._strike_at is not None and time.perf_counter() >= self._strike_at:
            self._kill()
        try:
            self._pipe.send(step)
            if self._strike_at is not None:
                if not self._pipe.poll(max(0.0, self._strike_at - time.perf_counter())):
                    self._kill()
            elif not self._pipe.poll(PATIENCE):
                raise RuntimeError("the host hangs")
            told: Told = self._pipe.recv()
        except (EOFError, ConnectionError):
            raise RuntimeError("the host gave up; its words are above") from None
        return told

    def end(self) -> None:
        """Let it go by itself, or make it go."""
        if self.pid:
            self._pipe.close()
            os.waitpid(self.pid, 0)
            self.pid = 0

    def _kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        _pid, status = os.waitpid(self.pid, 0)
        self.pid = 0
        self._pipe.close()
        assert os.WIFSIGNALED(status), f"the host had left by itself with {status}"
        raise Killed


def _live(pipe: PipeEnd, database: Path, seed: int) -> None:
    code = 1
    try:
        _Host(pipe, database, seed).run()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


class _Gone(BaseException):
    """The other end of the pipe was closed."""


class _Host:
    def __init__(self, pipe: PipeEnd, database: Path, seed: int) -> None:
        self.now = 0.0
        self.plugged = False
        self.port: _Port | None = None
        self._pipe = pipe
        self._answers: list[tuple[int, str]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._store = Store(database)
        self._loop = _Loop(self)
        asyncio.set_event_loop(self._loop)
        connection.time = SimpleNamespace(monotonic=lambda: self.now, time=lambda: EPOCH + self.now)  # type: ignore
        connection.SerialPort = self.open  # type: ignore[assignment, misc]
        self._connection = Connection("virtual", self._store)
        self._connection.link._rng = random.Random(seed)
        self._step: Step | None = self._receive()

    def run(self) -> None:
        try:
            self._take()
            self._loop.run_until_complete(self._connection.run())
        except _Gone:
            self._store.close()

    def open(self, url: str) -> _Port:
        if not self.plugged:
            raise PortError(f"no port {url}")
        self.port = _Port()
        return self.port

    def next(self) -> bool:
        """Answer the step and take the next; False if nothing came with it but time."""
        link = self._connection.link
        output = self.port.take() if self.port is not None else b""
        self._pipe.send(
            Told(output, link.state, link.position, len(self._tasks), self._answers, link.statistics.doubled)
        )
        self._answers = []
        self._step = self._receive()
        return self._take()

    def _receive(self) -> Step:
        try:
            step: Step = self._pipe.recv()
        except EOFError:
            raise _Gone from None
        return step

    def _take(self) -> bool:
        step = self._step
        assert step is not None
        self.now = step.now
        self.plugged = step.plugged
        if not step.plugged and self.port is not None:
            self.port.received.put_nowait(b"")
            self.port = None
        elif step.data and self.port is not None:
            self.port.received.put_nowait(step.data)
        for number in step.commands:
            task = self._loop.create_task(self._command(number))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return bool(step.data or step.commands or not step.plugged)

    async def _command(self, number: int) -> None:
        try:
            status = (await self._connection.command("beep", number)).status
        except PortError:
            status = "no answer"
        self._answers.append((number, status))


class _Port:
    """What the connection takes for its serial port."""

    def __init__(self) -> None:
        self.reason = "pulled"
        self.received: asyncio.Queue[bytes] = asyncio.Queue()
        self._output = bytearray()

    def write(self, data: bytes) -> bool:
        self._output += data
        return True

    def take(self) -> bytes:
        data = bytes(self._output)
        self._output.clear()
        return data

    async def close(self) -> None:
        return


class _Loop(asyncio.SelectorEventLoop):
    """An event loop whose time comes with the steps: when it would wait, the step is over."""

    def __init__(self, host: _Host) -> None:
        super().__init__(_Selector(host))
        self._host = host
        self.set_default_executor(_AtOnce())

    def time(self) -> float:
        return self._host.now


class _Selector(selectors.DefaultSelector):
    def __init__(self, host: _Host) -> None:
        super().__init__()
        self._host = host

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        until = float("inf") if timeout is None else self._host.now + timeout
        while not self._host.next() and self._host.now < until:
            pass
        return []


class _AtOnce(ThreadPoolExecutor):
    """Does the work where it is asked for: while a commit lasts, no virtual time goes by."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future
