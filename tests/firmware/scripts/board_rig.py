# What an application does at boot, for the scripts of the tests: buses, expanders, radio from `board`.
from machine import I2C, SPI, Pin

import board
from controller import radio as radio_module
from drivers.mcp23s17 import Expander

ZONES = tuple((z >> 2, z & 3) for z in range(4 * board.READERS[0][5] + 2))

events = []


def emit(name, *fields):
    events.append((name, fields))


def pin(number, output):
    return Pin(number, Pin.OUT, value=1) if output else Pin(number, Pin.IN)


def aux():
    number, baud, sck, mosi, miso = board.AUX
    return SPI(number, baud, sck=Pin(sck), mosi=Pin(mosi), miso=Pin(miso))


def i2c():
    number, freq, sda, scl = board.PANEL
    return I2C(number, scl=Pin(scl), sda=Pin(sda), freq=freq)


def expanders(spi):
    cs = pin(board.PIN_EXPANDER_CS, True)
    chips = []
    for address, mask in enumerate(board.EXPANDER_INPUTS):
        chip = Expander(spi, cs, address)
        chip.setup(mask & 0xFF, mask >> 8, 0, mask)
        chips.append(chip)
    return chips


def radio():
    number, baud, sck, mosi, miso = board.RF
    spi = SPI(number, baud, sck=Pin(sck), mosi=Pin(mosi), miso=Pin(miso))
    return radio_module.build(
        board.READERS, spi, pin(board.PIN_READER_IRQ, False), expanders(aux()), pin, emit, ZONES
    )
