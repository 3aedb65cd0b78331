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
    return SPI(board.AUX_SPI, board.AUX_BAUD, sck=Pin(board.PIN_AUX_SCK), mosi=Pin(board.PIN_AUX_MOSI),
               miso=Pin(board.PIN_AUX_MISO))  # fmt: skip


def i2c():
    return I2C(board.PANEL_I2C, scl=Pin(board.PIN_I2C_SCL), sda=Pin(board.PIN_I2C_SDA), freq=board.PANEL_FREQ)


def expanders(spi):
    cs = pin(board.PIN_EXPANDER_CS, True)
    chips = []
    for address, mask in enumerate(board.EXPANDER_INPUTS):
        chip = Expander(spi, cs, address)
        chip.setup(mask & 0xFF, mask >> 8, 0, mask)
        chips.append(chip)
    return chips


def radio():
    spi = SPI(board.RF_SPI, board.RF_BAUD, sck=Pin(board.PIN_RF_SCK), mosi=Pin(board.PIN_RF_MOSI),
              miso=Pin(board.PIN_RF_MISO))  # fmt: skip
    return radio_module.build(
        board.READERS, spi, pin(board.PIN_READER_IRQ, False), expanders(aux()), pin, emit, ZONES
    )
