"""Holtek HT16K33 as a seat panel: five 7-segment digits on COM0-4, lamps on COM5, on I2C."""

from micropython import const

from .faults import BusFault

_OSCILLATOR_ON = const(0x21)
_DISPLAY = const(0x80)
_BRIGHTNESS = const(0xE0)
_DIGITS = const(5)
_LAMPS = const(1 + 2 * 5)
_SEGMENTS = b"\x3f\x06\x5b\x4f\x66\x6d\x7d\x07\x7f\x6f"
_MINUS = const(0x40)


class Ht16k33:
    """Pictures are made in memory and sent by `show()`, which writes only when something changed."""

    def __init__(self, i2c, address):
        self._i2c = i2c
        self._address = address
        self._ram = bytearray(17)  # RAM address 0, then 16 rows of display RAM
        self._one = bytearray(1)
        self._stale = True

    def setup(self, brightness=15):
        """Oscillator and display on, all dark; brightness 0-15."""
        self._command(_OSCILLATOR_ON)
        self.clear()
        self._stale = True
        self.show()
        self._command(_DISPLAY | 1)
        self._command(_BRIGHTNESS | brightness)

    def clear(self):
        for i in range(1, 17):
            self._put(i, 0)

    def blink(self, rate):
        """0 steady, 1 = 2 Hz, 2 = 1 Hz, 3 = 0.5 Hz."""
        self._command(_DISPLAY | 1 | rate << 1)

    def number(self, value):
        """Right-aligned, -9999 to 99999; out of range shows five dashes."""
        if not -9999 <= value <= 99999:
            for i in range(_DIGITS):
                self._put(1 + 2 * i, _MINUS)
            return
        rest = -value if value < 0 else value
        sign = _MINUS if value < 0 else 0
        for i in range(_DIGITS - 1, -1, -1):
            if rest or i == _DIGITS - 1:
                segments = _SEGMENTS[rest % 10]
                rest //= 10
            else:
                segments = sign
                sign = 0
            self._put(1 + 2 * i, segments)

    def segments(self, digit, mask):
        """Segment a is bit 0 of `mask`, the point bit 7; digit 0 is the leftmost."""
        self._put(1 + 2 * digit, mask)

    def lamp(self, number, on):
        lamps = self._ram[_LAMPS]
        self._put(_LAMPS, lamps | 1 << number if on else lamps & ~(1 << number))

    def show(self):
        if self._stale:
            self._write(self._ram)
            self._stale = False

    def _put(self, at, value):
        if self._ram[at] != value:
            self._ram[at] = value
            self._stale = True

    def _command(self, code):
        self._one[0] = code
        self._write(self._one)

    def _write(self, buf):
        try:
            self._i2c.writeto(self._address, buf)
        except OSError:
            raise BusFault("panel %02x" % self._address, "does not acknowledge")
