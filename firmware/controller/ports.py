"""All expander bits as one field of inputs and outputs: bit = 16 x expander + port bit, as in `board`."""

import asyncio
from time import ticks_diff, ticks_ms

from micropython import const

import board
from drivers.mcp23s17 import Expander

_POLL_MS = const(100)  # the interrupt line tells of changes; this only bounds a lost one
_BITS = const(64)  # the inputs are all among the first 64 bits


class Ports:
    """`int_pin` is the expanders' common interrupt, active low. `on_input(bit, level)` hears every change.

    `rises[bit]` and `falls[bit]` count the changes, modulo 256, whoever else is at work.
    """

    def __init__(self, spi, cs, int_pin):
        self.expanders = [Expander(spi, cs, n) for n in range(len(board.EXPANDER_INPUTS))]
        self._reading = [n for n, mask in enumerate(board.EXPANDER_INPUTS) if mask]
        self._levels = [0] * len(self.expanders)
        self.rises = bytearray(_BITS)
        self.falls = bytearray(_BITS)
        self._int = int_pin
        self._flag = asyncio.ThreadSafeFlag()
        self._interrupt = self._on_interrupt
        self._waiting = []
        self.on_input = None
        self.heartbeat = None
        int_pin.irq(self._interrupt, int_pin.IRQ_FALLING)

    def setup(self):
        """BusFault names the chip that does not answer."""
        for chip, mask in zip(self.expanders, board.EXPANDER_INPUTS):
            chip.setup(mask & 0xFF, mask >> 8, 0, mask)
        for n in self._reading:
            self._levels[n] = self.expanders[n].level & board.EXPANDER_INPUTS[n]

    def _on_interrupt(self, _):
        self._flag.set()

    def level(self, bit):
        """The last known level of an input, 0 or 1."""
        return self._levels[bit >> 4] >> (bit & 15) & 1

    def picture(self, buf):
        """All inputs into 8 bytes, bit by bit."""
        for n in range(_BITS >> 4):
            buf[2 * n] = self._levels[n] & 0xFF
            buf[2 * n + 1] = self._levels[n] >> 8

    def put(self, bit, level):
        self.expanders[bit >> 4].write_bit(bit & 15, level)

    async def wait(self, bit, level, limit_ms, then=None):
        """True when the input has (or had for a moment) this level, False after `limit_ms` or at `release`.

        `then()` is called as soon as it is seen, before any task has its turn.
        """
        if self.level(bit) == level:
            return True
        event = asyncio.Event()
        entry = [bit, level, event, False, then]
        self._waiting.append(entry)
        try:
            await asyncio.wait_for_ms(event.wait(), limit_ms)
        except asyncio.TimeoutError:
            pass
        finally:
            self._waiting.remove(entry)
        return self.level(bit) == level or entry[3]

    def release(self):
        """Wake everybody who waits, so that they see that the table has stopped."""
        for entry in self._waiting:
            entry[2].set()

    def read(self):
        """Take in all inputs and tell the changes."""
        for n in self._reading:
            chip = self.expanders[n]
            mask = board.EXPANDER_INPUTS[n]
            level = chip.read() & mask
            pulsed = chip.pulsed & mask
            changed = level ^ self._levels[n] | pulsed
            self._levels[n] = level
            bit = n << 4
            while changed:
                if changed & 1:
                    self._changed(bit, level & 1, pulsed & 1)
                changed >>= 1
                level >>= 1
                pulsed >>= 1
                bit += 1

    def _changed(self, bit, level, pulsed):
        if level or pulsed:
            self.rises[bit] = self.rises[bit] + 1 & 0xFF
        if not level or pulsed:
            self.falls[bit] = self.falls[bit] + 1 & 0xFF
        for entry in self._waiting:
            if entry[0] == bit and (pulsed or entry[1] == level):
                entry[3] = True
                entry[2].set()
                if entry[4] is not None:
                    entry[4]()
        if self.on_input is not None:
            if pulsed:
                self.on_input(bit, 1 - level)
            self.on_input(bit, level)

    async def run(self):
        while True:
            try:
                await asyncio.wait_for_ms(self._flag.wait(), _POLL_MS)
            except asyncio.TimeoutError:
                pass
            self.read()
            started = ticks_ms()
            while not self._int() and ticks_diff(ticks_ms(), started) < 10:
                self.read()
            if self.heartbeat is not None:
                self.heartbeat()
