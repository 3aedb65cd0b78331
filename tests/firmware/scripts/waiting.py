# An interrupt line on the port's own asyncio and poller, with the heap locked.
import asyncio
from time import ticks_add, ticks_diff, ticks_ms, ticks_us

import micropython

from drivers.waiting import IrqLine, Operation


class Pin:
    IRQ_RISING = 8

    def __init__(self):
        self.handler = None
        self.level = 0

    def __call__(self):
        return self.level

    def irq(self, handler, trigger):
        self.handler = handler

    def set(self, level):
        rise = level and not self.level
        self.level = level
        if rise:
            self.handler(self)


class Wait(Operation):
    """Until the line is high or the time is over."""

    def __init__(self, line):
        self.line = line
        self.deadline = 0
        self.woken = self.steps = self.late = 0

    def start(self, ms):
        self.deadline = ticks_add(ticks_us(), 1000 * ms)
        self.steps = 0
        return self

    def step(self):
        self.line.unpark()
        self.steps += 1
        if self.line.level():
            self.woken += 1
            return True
        if ticks_diff(ticks_us(), self.deadline) >= 0:
            self.late += 1
            return True
        self.line.park(self.deadline)
        return False

    def cancelled(self):
        self.line.unpark()


async def pulses(pin, wait, count):
    for n in range(count):
        await asyncio.sleep_ms(3)
        pin.set(1)
        while wait.woken == n:
            await asyncio.sleep_ms(1)
        pin.set(0)


async def waits(wait, count):
    for _ in range(count):
        await wait.start(60000)
        while wait.line.level():
            await asyncio.sleep_ms(1)


async def main():
    pin = Pin()
    line = IrqLine(pin)
    keeper = asyncio.create_task(line.run())
    await asyncio.sleep_ms(0)
    wait = Wait(line)
    task = asyncio.create_task(waits(wait, 20))
    other = asyncio.create_task(pulses(pin, wait, 20))
    await asyncio.sleep_ms(12)
    micropython.heap_lock()
    await asyncio.sleep_ms(60)
    micropython.heap_unlock()
    await task
    await other
    print("woken", wait.woken, "by edges", wait.late == 0)

    t = ticks_ms()
    await wait.start(20)
    print("in time", ticks_diff(ticks_ms(), t) >= 19, "steps", wait.steps)

    pin.set(1)
    await wait.start(500)
    print("high already", wait.steps)
    pin.set(0)

    # A cancelled wait leaves nothing behind that a later edge could wake.
    task = asyncio.create_task(waits(wait, 1))
    await asyncio.sleep_ms(5)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled")
    pin.set(1)
    await asyncio.sleep_ms(5)
    pin.set(0)
    await wait.start(10)
    print("still works", wait.woken)
    keeper.cancel()


asyncio.run(main())
