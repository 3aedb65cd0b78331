"""The table's clock: integer microseconds, events in time order, first scheduled first at equal times."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(order=True, slots=True)
class Event:
    """A call due at `t` (µs); keep it to cancel it."""

    t: int
    order: int
    fn: Callable[[], None] | None = field(compare=False)


class Clock:
    """Virtual time; it moves only in `advance`."""

    def __init__(self) -> None:
        self.now = 0
        self._order = 0
        self._queue: list[Event] = []

    def at(self, t: int, fn: Callable[[], None]) -> Event:
        """Call `fn` at time `t` (µs), or as soon as possible if that has passed."""
        self._order += 1
        event = Event(max(int(t), self.now), self._order, fn)
        heapq.heappush(self._queue, event)
        return event

    def after(self, us: float, fn: Callable[[], None]) -> Event:
        """Call `fn` in `us` microseconds, rounded to the next whole one."""
        return self.at(self.now + int(us + 0.5), fn)

    @staticmethod
    def cancel(event: Event | None) -> None:
        if event is not None:
            event.fn = None

    def next_at(self) -> int | None:
        """Time of the next event (µs), None when nothing is planned."""
        queue = self._queue
        while queue and queue[0].fn is None:
            heapq.heappop(queue)
        return queue[0].t if queue else None

    def step(self, limit: int) -> bool:
        """Run the next event if it is due by `limit` (µs); False when there is none."""
        t = self.next_at()
        if t is None or t > limit:
            return False
        event = heapq.heappop(self._queue)
        self.now = event.t
        assert event.fn is not None
        event.fn()
        return True

    def advance(self, t: int) -> None:
        """Run everything due by `t` (µs) and stand at `t`."""
        while self.step(t):
            pass
        self.now = max(self.now, t)
