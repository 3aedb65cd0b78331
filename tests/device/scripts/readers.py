# The five readers: reset, versions, field; then one look at the antenna of every zone.
import asyncio

from machine import SPI, Pin

import board
from controller import radio
from drivers.faults import ReaderFault
from drivers.iso15693 import Inventory
from drivers.mcp23s17 import Expander


def bus(values):
    number, baud, sck, mosi, miso = values
    return SPI(number, baudrate=baud, sck=Pin(sck), mosi=Pin(mosi), miso=Pin(miso))


aux = bus(board.AUX)
cs = Pin(board.PIN_EXPANDER_CS, Pin.OUT, value=1)
chips = []
for n, mask in enumerate(board.EXPANDER_INPUTS):
    chip = Expander(aux, cs, n)
    chip.setup(mask & 0xFF, mask >> 8, 0, mask)
    chips.append(chip)
zones = [(zone >> 2, zone & 3) for zone in range(board.ZONE_DICE + 2)]  # each die cup is one more antenna
air = radio.build(
    board.READERS, bus(board.RF), Pin(board.PIN_READER_IRQ, Pin.IN, Pin.PULL_DOWN), chips,
    lambda number, output: Pin(number, Pin.OUT, value=1) if output else Pin(number, Pin.IN),
    lambda *event: None, zones,
)  # fmt: skip
tags = Inventory(40)


async def main():
    await air.start()
    for port in air.ports:
        print("reader", board.READERS[port.number][0], "ok" if port.state == radio.OK else port.fault)
    for zone in range(len(zones)):
        try:
            await air.tune(zone)
            tags.begin(air.port(zone).air)
            while tags.more():
                await tags.round()
            print("zone", zone, tags.count)
        except ReaderFault as e:
            print("zone", zone, e)
    air.silence()


asyncio.run(main())
