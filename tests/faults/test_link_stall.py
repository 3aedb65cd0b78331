"""A host that stops reading for a minute while the whole table works a cycle (report R01).

The UART is replaced by a USB-like transmit FIFO of 256 bytes that takes nothing while the host does not read.
"""

from __future__ import annotations

import random
from collections import deque

import pytest

from paiju.table import HostLink, State, decode
from tablelink.frame import Decoder
from twin.chips.uart import Uart
from twin.clock import Clock
from twin.script import load
from twin.table import Table

FIFO = 256
SECOND = 1_000_000
STEP = 5000  # µs between two looks of the host

# The firmware as it is; beside it one task that notes how long the others let it wait, and one that makes 20 events a
# second.
MAIN = """
import boot, asyncio
from time import sleep_ms, ticks_diff, ticks_ms
from controller.app import App
async def probe():
    worst = 0
    while True:
        began = ticks_ms()
        await asyncio.sleep_ms(5)
        late = ticks_diff(ticks_ms(), began) - 5
        if late > worst and table.link.now() > 3000:
            worst = late
            print("late", worst, table.link.now())
async def busy():
    while True:
        table.link.emit("zone_read", 17, 0)
        await asyncio.sleep_ms(50)
table = App()
table.setup()
async def main():
    asyncio.create_task(busy())
    asyncio.create_task(probe())
    await table.run()
asyncio.run(main())
"""


class Fifo(Uart):
    """The transmit FIFO of a USB serial port.

    Not `reading`, the host has the port open: the FIFO fills and then takes nothing. `closed`: it takes everything
    and keeps the newest bytes.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.reading = True
        self.closed = False
        self.queue: deque[int] = deque()
        self.refused = 0
        self.dropped = 0

    @property
    def tx_free(self) -> int:
        return FIFO if self.closed else FIFO - len(self.queue)

    def write(self, data: bytes) -> int:
        if self.closed:
            self.queue.extend(data)
            while len(self.queue) > FIFO:
                self.queue.popleft()
                self.dropped += 1
            return len(data)
        taken = data[: self.tx_free]
        self.refused += len(data) - len(taken)
        self.queue.extend(taken)
        return len(taken)

    def drain(self) -> bytes:
        data = bytes(self.queue) if self.reading and not self.closed else b""
        if data:
            self.queue.clear()
        return data


class Host:
    """A host that looks every 5 ms, on the table's clock."""

    def __init__(self, table: Table, uart: Fifo) -> None:
        self.table, self.uart = table, uart
        self.stored = 0
        self.events: list[bytes] = []
        self.raw = bytearray()
        self.link = HostLink(lambda _serial, _journal: self.stored, random.Random(1))
        self.look()

    @property
    def now(self) -> float:
        return self.table.now / SECOND

    def look(self) -> None:
        if self.link.state is not State.SEARCHING:
            data = self.uart.drain()
            self.raw += data
            self.link.receive(data, self.now)
            records = self.link.take_records()
            if records:
                self.events += records
                self.stored = self.link.position
                self.link.stored(self.stored)
            self.link.tick(self.now)
            if self.uart.reading:
                self.uart.feed(self.link.take_output())
        self.table.clock.after(STEP, self.look)


@pytest.mark.parametrize(("unplugged", "seconds"), [(False, 60), (True, 20)], ids=["stops reading", "closes the port"])
def test_a_host_that_does_not_read(unplugged: bool, seconds: int) -> None:
    table = Table(seed=3, script=load(1))  # for the two tasks of the test, compiled there
    uart = Fifo(table.clock)
    table.uart = table.board.uart = uart
    table.kernel.argv[:] = [MAIN]
    host = Host(table, uart)
    host.link.port_opened(0)
    with table:
        table.run_for(3.0, lambda: host.link.state is State.IN_STEP)
        assert host.link.state is State.IN_STEP
        # The people have asked for the tiles: the table shuffles and stacks.
        table.run_for(2.0)
        before = len(host.events)
        uart.reading, uart.closed = False, unplugged
        if unplugged:
            host.link.port_lost()
        table.run_for(seconds)
        assert uart.dropped + uart.refused > 0
        assert len(host.events) == before
        uart.reading, uart.closed = True, False
        if unplugged:
            host.link.port_opened(host.now)
        assert table.run_for(2.0, lambda: host.link.state is State.IN_STEP)
        table.run_for(3.0)
        output = table.kernel.output()
    events = [decode(record) for record in host.events]
    assert [e.seq for e in events] == list(range(1, len(events) + 1))
    during = [e for e in events if 5000 < e.t_ms < 5000 + seconds * 1000]
    assert len(during) >= seconds * 20 * 0.9
    assert any(e.kind == "cycle" and e["state"] == "stack" for e in events)
    late = [int(line.split()[1]) for line in output.splitlines() if line.startswith("late")]
    assert late
    print("late by", max(late))
    assert max(late) < 20, output
    if not unplugged:
        # No frame was glued to another: whatever reached the host decodes to the last byte.
        decoder = Decoder()
        for byte in host.raw:
            decoder.feed(byte)
        assert decoder.bad + decoder.oversized == 0


def test_the_probe_would_notice() -> None:
    """A task that blocks for 30 ms is seen by the probe, so the test above can fail."""
    table = Table(seed=3)
    blocking = MAIN.replace("busy():", "busy():\n    await asyncio.sleep_ms(3500)\n    sleep_ms(30)")
    table.kernel.argv[:] = [blocking]
    with table:
        table.run_for(4.0)
        output = table.kernel.output()
    assert any(int(line.split()[1]) >= 25 for line in output.splitlines() if line.startswith("late")), output
