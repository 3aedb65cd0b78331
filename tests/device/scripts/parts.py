# Every chip on the two buses, alone: one line each, "ok" or what is wrong.
from machine import I2C, SPI, Pin

import board
from drivers.ht16k33 import Ht16k33
from drivers.mb85rs2mt import Mb85rs2mt
from drivers.mcp23s17 import Expander
from drivers.mcp3208 import Mcp3208
from drivers.pca9685 import Pca9685


def check(name, act, *args):
    try:
        act(*args)
        print(name, "ok")
    except Exception as e:  # the next part is looked at all the same
        print(name, e)


def select(number):
    return Pin(number, Pin.OUT, value=1)


number, baud, sck, mosi, miso = board.AUX
spi = SPI(number, baudrate=baud, sck=Pin(sck), mosi=Pin(mosi), miso=Pin(miso))
number, freq, sda, scl = board.PANEL
i2c = I2C(number, freq=freq, sda=Pin(sda), scl=Pin(scl))
fram = Mb85rs2mt(spi, select(board.PIN_FRAM_CS))


def kept():
    """The last bytes are the controller's own notes: they are put back."""
    at = board.FRAM_BYTES - 16
    before, got = bytearray(16), bytearray(16)
    fram.readinto(at, before)
    for pattern in (0x00, 0xFF, 0x55, 0xAA):
        fram.write(at, bytes([pattern]) * 16)
        fram.readinto(at, got)
        if got != bytes([pattern]) * 16:
            fram.write(at, before)
            raise ValueError(f"reads {got} after writing {pattern}")
    fram.write(at, before)


check("fram", fram.start)
check("fram-keeps", kept)
for n, mask in enumerate(board.EXPANDER_INPUTS):
    expander = Expander(spi, select(board.PIN_EXPANDER_CS), n)
    check(f"expander-{n}", expander.setup, mask & 0xFF, mask >> 8, 0, 0)
for n, address in enumerate(board.PWM_ADDRESSES):
    pwm = Pca9685(i2c, address)
    check(f"pwm-{n}", pwm.setup, board.PWM_FREQ)
    check(f"pwm-off-{n}", pwm.all_off)
for n, address in enumerate(board.PANEL_ADDRESSES):
    check(f"panel-{n}", Ht16k33(i2c, address).setup)
adc = Mcp3208(spi, select(board.PIN_ADC_CS), board.AUX[1], board.ADC_BAUD)
print("rail-mv", adc.read(board.ADC_RAIL) * board.ADC_VREF_MV * 11 // 4096)
