"""Heartbeats of the tasks; the watchdog is fed only while every one is fresh."""

import asyncio
from time import ticks_diff, ticks_ms

from micropython import const

_WATCHDOG_MS = const(8000)  # RP2040: 8388 at most
_FEED_MS = const(500)


class Health:
    def __init__(self):
        self._beats = {}  # name -> [last, longest allowed silence]
        self.late = ""  # the task that makes the watchdog bite
        self.on_late = None  # told its number, 1 for the first announced

    def task(self, name, limit_ms):
        """Announce a task; returns what it must call at least every `limit_ms`."""
        entry = [ticks_ms(), limit_ms]
        self._beats[name] = entry

        def beat():
            entry[0] = ticks_ms()

        return beat

    def fresh(self):
        now = ticks_ms()
        number = 0
        for name, (last, limit) in self._beats.items():
            number += 1
            if ticks_diff(now, last) > limit:
                if not self.late and self.on_late is not None:
                    self.on_late(number)
                self.late = name
                return False
        self.late = ""
        return True

    async def run(self, watchdog):
        """Feed `watchdog` (a machine.WDT) for ever, while all is well."""
        while True:
            if self.fresh():
                watchdog.feed()
            await asyncio.sleep_ms(_FEED_MS)


def watchdog():
    from machine import WDT

    return WDT(timeout=_WATCHDOG_MS)
