"""Fujitsu MB85RS2MT, 256 KiB FRAM on SPI: no erase, no waiting, 10^13 writes a byte."""

from micropython import const

from .faults import BusFault

SIZE = const(262144)
_WREN = const(0x06)
_WRITE = const(0x02)
_READ = const(0x03)
_RDSR = const(0x05)
_RDID = const(0x9F)


class Mb85rs2mt:
    """`spi` at 25 MHz or less, `cs` an output pin."""

    size = SIZE

    def __init__(self, spi, cs):
        self._spi = spi
        self._cs = cs
        self._head = bytearray(4)
        self._code = bytearray(1)
        cs(1)

    def start(self):
        """Check the identity; BusFault when something else or nothing is there."""
        got = bytearray(4)
        self._open(_RDID, -1)
        try:
            self._spi.readinto(got)
        finally:
            self._cs(1)
        if got[0] != 0x04 or got[1] != 0x7F:
            raise BusFault("fram", "no MB85RS2MT on its select line")

    def readinto(self, addr, buf):
        """Fill `buf` from `addr` on; ValueError past the end."""
        self._open(_READ, self._checked(addr, buf))
        try:
            self._spi.readinto(buf)
        finally:
            self._cs(1)

    def write(self, addr, buf):
        """Store `buf` at `addr`; it is durable when this returns. ValueError past the end."""
        self._checked(addr, buf)
        self._open(_WREN, -1)
        self._cs(1)
        self._open(_WRITE, addr)
        try:
            self._spi.write(buf)
        finally:
            self._cs(1)

    def _checked(self, addr, buf):
        if addr < 0 or addr + len(buf) > SIZE:
            raise ValueError("fram address")
        return addr

    def _open(self, code, addr):
        if addr < 0:
            head = self._code
        else:
            head = self._head
            head[1] = addr >> 16
            head[2] = addr >> 8 & 0xFF
            head[3] = addr & 0xFF
        head[0] = code
        self._cs(0)
        self._spi.write(head)
