"""Lid, emergency stop and relay: hardware cuts the motors, this observes, latches and explains."""

import asyncio

from micropython import const

import board

from .fault_codes import LID_OPEN, RELAY_FAULT

_RELAY_MS = const(100)


class Safety:
    """`log` is the FaultLog, `stop()` switches every motor off at once.

    `causes` are functions of (code, part) that return False while the cause of that fault is still there.
    """

    def __init__(self, ports, log, stop):
        self._ports = ports
        self._log = log
        self.stop = stop
        self._armed = False
        self.causes = []

    def ready(self):
        """Motors may run."""
        return self._armed and self._ports.level(board.IN_RELAY_CLOSED) == 1

    async def arm(self):
        """Close the relay; False, and a fault is latched, when it stays open."""
        ports = self._ports
        if not self._armed and ports.level(board.IN_RELAY_CLOSED):
            self.trip(RELAY_FAULT, 0, 1)
            return False
        ports.put(board.OUT_RELAY_ENABLE, 1)
        if not await ports.wait(board.IN_RELAY_CLOSED, 1, _RELAY_MS):
            self.trip(RELAY_FAULT if self.circuit_closed() else LID_OPEN)
            return False
        self._armed = True
        return True

    def circuit_closed(self):
        return not (self._ports.level(board.IN_LID_OPEN) or self._ports.level(board.IN_ESTOP))

    def trip(self, code, part=0, detail=0):
        """Motors off, relay open, and the fault is latched; an earlier one stays."""
        self._armed = False
        self.stop()
        self._ports.put(board.OUT_RELAY_ENABLE, 0)
        self._log.hold(code, part, detail)
        self._ports.release()

    def on_input(self, bit, level):
        if level and bit in (board.IN_LID_OPEN, board.IN_ESTOP):
            if self._armed:
                self.trip(LID_OPEN, 0, bit)
        elif bit == board.IN_RELAY_CLOSED and not level and self._armed:
            self.trip(LID_OPEN if not self.circuit_closed() else RELAY_FAULT, 0, bit)

    async def recover(self):
        """After a deliberate act: if the cause is gone, clear the fault and close the relay."""
        log = self._log
        if not self.circuit_closed():
            if not log.code:
                log.hold(LID_OPEN)
            return False
        for still in self.causes:
            if log.code and not still(log.code, log.part):
                return False
        log.clear()
        await asyncio.sleep_ms(0)
        return self.ready() or await self.arm()
