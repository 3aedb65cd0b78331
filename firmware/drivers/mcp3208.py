"""Microchip MCP3208, eight channels of 12 bits on SPI."""

from micropython import const

_BAUD = const(1000000)


class Mcp3208:
    """Shares a faster bus: the clock is lowered for each conversion and set back to `bus_baud`."""

    def __init__(self, spi, cs, bus_baud=10000000, baud=_BAUD):
        self._spi = spi
        self._cs = cs
        self._bus_baud = bus_baud
        self._baud = baud
        self._tx = bytearray(3)
        self._rx = bytearray(3)
        cs(1)

    def read(self, channel):
        """Convert channel 0-7 against ground; 0-4095 for 0 to the reference voltage."""
        tx = self._tx
        tx[0] = 0x06 | channel >> 2
        tx[1] = (channel & 3) << 6
        self._spi.init(baudrate=self._baud)
        self._cs(0)
        try:
            self._spi.write_readinto(tx, self._rx)
        finally:
            self._cs(1)
            self._spi.init(baudrate=self._bus_baud)
        return (self._rx[1] & 0x0F) << 8 | self._rx[2]
