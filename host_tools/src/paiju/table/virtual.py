"""A connection in somebody else's time: the link's host end joined to a simulated serial port."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Protocol

from paiju.table.connection import Keeper
from paiju.table.events import Event, parse
from paiju.table.host_link import HostLink, State

TICK_US = 20_000


class Clock(Protocol):
    """Virtual time in µs."""

    now: int

    def after(self, us: float, fn: Callable[[], None]) -> object: ...


class Port(Protocol):
    """A simulated serial port: `on_tx` hears the table, `feed` speaks to it."""

    on_tx: Callable[[bytes], None]

    def feed(self, data: bytes) -> None: ...


class VirtualConnection:
    """Serves the table at `port` from the moment it is made; `unplug` and `plug` are the cable.

    `on_events(events)` is called with new events once they are stored, as by `Connection`. The link's random
    numbers come from `seed`, so that a run can be repeated to the byte.
    """

    def __init__(
        self,
        clock: Clock,
        port: Port,
        store: Keeper,
        on_events: Callable[[list[Event]], None] | None = None,
        seed: int = 1,
    ) -> None:
        self.link = HostLink(store.acknowledged, random.Random(seed))
        self._clock = clock
        self._port = port
        self._store = store
        self._on_events = on_events
        self._plugged = False
        self._running = True
        port.on_tx = self._receive
        self.plug()
        self._tick()

    @property
    def state(self) -> State:
        return self.link.state

    def plug(self) -> None:
        """Put the cable in."""
        self._plugged = True
        self.link.port_opened(self._now)

    def unplug(self) -> None:
        """Pull the cable; bytes on their way are lost."""
        self._plugged = False
        self.link.port_lost("unplugged")

    def stop(self) -> None:
        """Serve no more."""
        self.unplug()
        self._running = False

    @property
    def _now(self) -> float:
        return self._clock.now / 1e6

    def _tick(self) -> None:
        if self._running:
            if self._plugged:
                self.link.tick(self._now)
                self._work()
            self._clock.after(TICK_US, self._tick)

    def _receive(self, data: bytes) -> None:
        if self._plugged:
            self.link.receive(data, self._now)
            self._work()

    def _work(self) -> None:
        link = self.link
        records = link.take_records()
        if records and link.hello is not None:
            last = link.position
            self._store.append(link.hello.serial, link.hello.journal_id, records, last)
            link.stored(last)
            if self._on_events is not None:
                self._on_events([parse(record) for record in records])
        output = link.take_output()
        if output:
            self._port.feed(output)
