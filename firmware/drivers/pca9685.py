"""NXP PCA9685, 16 PWM channels of 12 bits on I2C."""

from time import sleep_us

from micropython import const

from .faults import BusFault

_MODE1 = const(0x00)
_MODE2 = const(0x01)
_LED0 = const(0x06)
_ALL_LED = const(0xFA)
_PRESCALE = const(0xFE)
_SLEEP = const(0x10)
_AUTO_INCREMENT = const(0x20)
_TOTEM_POLE = const(0x04)
_FULL = const(0x10)
_OSCILLATOR = const(25000000)


class Pca9685:
    def __init__(self, i2c, address):
        self._i2c = i2c
        self._address = address
        self._one = bytearray(1)
        self._four = bytearray(4)

    def setup(self, freq):
        """All channels off, then `freq` Hz (24-1526)."""
        self._set(_MODE1, _SLEEP | _AUTO_INCREMENT)
        self._set(_PRESCALE, (_OSCILLATOR + 2048 * freq) // (4096 * freq) - 1)
        self.all_off()
        self._set(_MODE2, _TOTEM_POLE)
        self._set(_MODE1, _AUTO_INCREMENT)
        sleep_us(500)  # oscillator start, data sheet section 7.3.1

    def duty(self, channel, value):
        """Channel 0-15, value 0 (off) to 4095 (on without a gap)."""
        self._put(_LED0 + 4 * channel, value)

    def all_off(self):
        self._put(_ALL_LED, 0)

    def _put(self, reg, value):
        four = self._four
        four[0] = four[2] = 0
        four[1] = _FULL if value >= 4095 else 0
        if value <= 0:
            four[3] = _FULL
        elif value >= 4095:
            four[3] = 0
        else:
            four[2] = value & 0xFF
            four[3] = value >> 8
        self._write(reg, four)

    def _set(self, reg, value):
        self._one[0] = value
        self._write(reg, self._one)

    def _write(self, reg, buf):
        try:
            self._i2c.writeto_mem(self._address, reg, buf)
        except OSError:
            raise BusFault("pwm %02x" % self._address, "does not acknowledge")
