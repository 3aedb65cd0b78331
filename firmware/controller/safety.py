"""Lid, emergency stop and relay: hardware cuts the motors, this observes, latches and explains."""

import asyncio

import board

from . import faults

_RELAY_MS = 100


class Safety:
    """`stop()` is called at once when the circuit opens: it must switch every motor off."""

    def __init__(self, ports, emit, stop):
        self._ports = ports
        self._emit = emit
        self._stop = stop
        self.latched = 0  # code of the fault that holds the table

    def ready(self):
        """Motors may run."""
        return not self.latched and self._ports.level(board.IN_RELAY_CLOSED) == 1

    async def arm(self):
        """Close the relay; False when lid or emergency stop keep it open."""
        self._ports.put(board.OUT_RELAY_ENABLE, 1)
        if not await self._ports.wait(board.IN_RELAY_CLOSED, 1, _RELAY_MS):
            self.trip(faults.LID_OPEN)
            return False
        self.latched = 0
        return True

    def trip(self, code, part=0, detail=0):
        """Latch a fault: motors off, relay open."""
        self._stop()
        self._ports.put(board.OUT_RELAY_ENABLE, 0)
        if not self.latched:
            self.latched = code
            self._emit("fault", code, part, detail)
        self._ports.release()

    def on_input(self, bit, level):
        if level and bit in (board.IN_LID_OPEN, board.IN_ESTOP):
            self.trip(faults.LID_OPEN, 0, bit)
        elif bit == board.IN_RELAY_CLOSED and not level and not self.latched:
            self.trip(faults.LID_OPEN, 0, bit)

    async def recover(self):
        """After a deliberate act: close the relay again if the cause is gone."""
        if self._ports.level(board.IN_LID_OPEN) or self._ports.level(board.IN_ESTOP):
            return False
        await asyncio.sleep_ms(0)
        return await self.arm()
