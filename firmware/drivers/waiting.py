"""Waiting for an interrupt line inside asyncio, without allocating.

An `async def` makes a new object at every call and asyncio's own flags enter and leave the poller at every
wait. Radio slots come two thousand times a second, so the drivers wait on objects that are made once.
"""

import io
from asyncio import core  # type: ignore[attr-defined]
from time import ticks_diff, ticks_ms, ticks_us

from micropython import const

_POLL = const(3)  # MP_STREAM_POLL
_IN = const(1)  # POLLIN

_done = StopIteration()


class Operation:
    """An awaitable that is used again and again.

    `step()` returns True when the operation is complete; before it returns False it has parked the task on an
    `IrqLine`. Only one task may await an operation at a time.
    """

    def __iter__(self):
        return self

    __await__ = __iter__

    def __next__(self):
        if self.step():
            _done.__traceback__ = None
            raise _done

    def throw(self, error, value=None, trace=None):
        self.cancelled()
        raise error

    def step(self):
        raise NotImplementedError

    def cancelled(self):
        """The awaiting task is cancelled while parked."""


class _Never:
    """Waits to write to a line that is never ready: the line stays in the poller without cost."""

    def __init__(self, line):
        self._line = line

    def __iter__(self):
        return self

    __await__ = __iter__

    def __next__(self):
        core._io_queue.queue_write(self._line)


class IrqLine(io.IOBase):
    """An interrupt pin, active high, that wakes one parked task; `run()` must be a task of its own."""

    def __init__(self, pin):
        self.level = pin  # call it
        self._risen = False
        self._parked = None
        self._rise = self._on_rise
        pin.irq(self._rise, pin.IRQ_RISING)

    def _on_rise(self, _):
        self._risen = True

    def ioctl(self, request, _):
        if request != _POLL:
            return -1  # no file behind it, nothing else to ask
        if not self._risen:
            return 0
        # The poller asks from inside the scheduler's wait: the parked task is next when that ends.
        self._risen = False
        task = self._parked
        if task is not None:
            self._parked = None
            core._task_queue.remove(task)
            core._task_queue.push(task, ticks_ms())
        return _IN

    async def run(self):
        await _Never(self)

    def park(self, deadline):
        """Let the running task sleep until the line rises or until `deadline` (ticks_us)."""
        left = ticks_diff(deadline, ticks_us()) // 1000 + 1
        self.park_ms(left if left > 0 else 0)

    def park_ms(self, ms):
        self._parked = task = core.cur_task
        core._task_queue.push(task, core.ticks_add(ticks_ms(), ms))

    def unpark(self):
        """The task runs again: forget it."""
        self._parked = None
