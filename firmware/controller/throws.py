"""Spins the dice on a press, reads them at rest, spins again when one is cocked."""

import asyncio

from micropython import const

import board
from drivers.faults import ReaderFault

from . import fault_codes as faults
from .axes import Axis
from .dice import COCKED
from .faults import Stopped

_SPINS = const(3)
_MARGIN_MS = const(100)


class Throws:
    """`reader` is a `DiceReader`; each throw that is read becomes a `dice` event, numbered from 1 for a hand."""

    def __init__(self, motors, ports, reader, emit, log):
        self._ports = ports
        self._log = log
        self._axis = Axis(motors, ports, "dice")
        self._reader = reader
        self._emit = emit
        self._pressed = asyncio.Event()
        self._throw = 0
        self.heartbeat = None

    def press(self):
        self._pressed.set()

    def reset(self):
        """A new hand: the next throw is the first."""
        self._throw = 0

    async def run(self):
        while True:
            await self._pressed.wait()
            try:
                await self._throw_once()
            except Stopped:
                pass  # its fault is latched already
            self._pressed.clear()  # presses while the dice rolled do not count

    async def _throw_once(self):
        for _ in range(_SPINS):
            rises = self._ports.rises[board.IN_DICE_PULSE]
            await self._axis.spin(board.DICE_SPIN_MS)
            if self._ports.rises[board.IN_DICE_PULSE] == rises:
                continue
            await asyncio.sleep_ms(board.DICE_SETTLE_MS + _MARGIN_MS)
            try:
                one, two = await self._reader.value(0), await self._reader.value(1)
            except ReaderFault:
                continue
            if one != COCKED and two != COCKED:
                self._throw += 1
                self._emit("dice", self._throw, one, two)
                return
        self._log.warn(faults.DICE_FAIL, 0, _SPINS)
