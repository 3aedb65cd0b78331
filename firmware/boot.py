# First of all, before anything can fail: the relay opens and every motor channel is off.
# Raw bytes on purpose: no driver, no allocation to speak of, done within a millisecond of power.
from machine import I2C, SPI, Pin

import board

_cs = Pin(board.PIN_EXPANDER_CS, Pin.OUT, value=1)
for _pin in (board.PIN_FRAM_CS, board.PIN_ADC_CS):
    Pin(_pin, Pin.OUT, value=1)
_spi = SPI(board.AUX[0], baudrate=board.AUX[1], sck=Pin(board.AUX[2]), mosi=Pin(board.AUX[3]), miso=Pin(board.AUX[4]))
# After a watchdog reset the expanders still hold their outputs: clear both latches of the relay's chip.
for _reg in (0x14, 0x15):
    _cs(0)
    _spi.write(bytes((0x40 | (board.OUT_RELAY_ENABLE // 16) << 1, _reg, 0)))
    _cs(1)
_i2c = I2C(board.PANEL[0], freq=board.PANEL[1], sda=Pin(board.PANEL[2]), scl=Pin(board.PANEL[3]))
for _address in board.PWM_ADDRESSES:
    try:
        _i2c.writeto(_address, b"\xfd\x10")  # ALL_LED_OFF_H: full off
    except OSError:
        pass  # the self-test of main names the chip
del _cs, _spi, _i2c, _pin, _reg, _address
