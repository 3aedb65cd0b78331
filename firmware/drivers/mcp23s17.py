"""Microchip MCP23S17, 16 port bits on SPI. Bit 0-7 = port A, 8-15 = port B. Registers as with IOCON.BANK = 0."""

from micropython import const

from .faults import BusFault

_IODIR = const(0x00)
_GPINTEN = const(0x04)
_IOCON = const(0x0A)
_GPPU = const(0x0C)
_INTF = const(0x0E)
_OLAT = const(0x14)
_IOCON_VALUE = const(0x4C)  # MIRROR, HAEN, open-drain interrupt


class Expander:
    """One of up to eight chips that share a select line. `cs` an output pin, `address` 0-7.

    After `read()`: `level` the 16 bits now, `pulsed` the bits that changed and changed back since the last
    read, so that a press shorter than the polling period is not lost.
    """

    def __init__(self, spi, cs, address):
        self._spi = spi
        self._cs = cs
        self.address = address
        self._op = 0x40 | address << 1
        self._out = bytearray(3)
        self._tx = bytearray(8)
        self._rx = bytearray(8)
        self._latch = 0
        self.level = 0
        self.pulsed = 0
        cs(1)

    def setup(self, direction_a, direction_b, pullups, interrupts, latch=0):
        """Direction bits: 1 = input. `pullups`, `interrupts`, `latch`: 16-bit masks. Outputs start at `latch`.

        BusFault when the chip does not hold what was written.
        """
        # Until HAEN is set a chip listens to address 0 (A2 may still count), so say it to both.
        for op in (0x40, 0x48, self._op):
            self._write(op, _IOCON, _IOCON_VALUE)
        self._latch = latch
        direction = direction_a | direction_b << 8
        for reg, value in ((_OLAT, latch), (_IODIR, direction), (_GPPU, pullups), (_GPINTEN, interrupts)):
            self._write(self._op, reg, value & 0xFF)
            self._write(self._op, reg + 1, value >> 8)
        self._read(_IODIR)
        if self._rx[2] != direction_a or self._rx[3] != direction_b:
            raise BusFault("u%d" % (self.address + 1), "port expander does not answer")
        self.read()
        self.pulsed = 0

    def read(self):
        """The 16 levels; clears the interrupt."""
        self._read(_INTF)
        rx = self._rx
        flags = rx[2] | rx[3] << 8
        captured = rx[4] | rx[5] << 8
        self.level = level = rx[6] | rx[7] << 8
        self.pulsed = flags & (captured ^ level)
        return level

    def write_bit(self, bit, level):
        mask = 1 << bit
        self.write_mask(mask, mask if level else 0)

    def write_mask(self, mask, value):
        """Set the output bits of `mask` to those of `value`; the ports are written one after the other."""
        self._latch = latch = self._latch & ~mask | value & mask
        if mask & 0xFF:
            self._write(self._op, _OLAT, latch & 0xFF)
        if mask >> 8:
            self._write(self._op, _OLAT + 1, latch >> 8)

    def _write(self, op, reg, value):
        out = self._out
        out[0] = op
        out[1] = reg
        out[2] = value
        self._cs(0)
        try:
            self._spi.write(out)
        finally:
            self._cs(1)

    def _read(self, reg):
        """Six registers from `reg` on into rx[2:8]."""
        self._tx[0] = self._op | 1
        self._tx[1] = reg
        self._cs(0)
        try:
            self._spi.write_readinto(self._tx, self._rx)
        finally:
            self._cs(1)
