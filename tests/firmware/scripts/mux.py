# The field of the first reader with the lines of its multiplexer as given: bit 0 A0, bit 1 A1, bit 2 enable.
import asyncio
import sys

import board_rig


async def main():
    radio = board_rig.radio()
    await radio.start()
    port, bits = radio.ports[0], int(sys.argv[1])
    mux = port.mux
    value = sum(line for n, line in enumerate((mux._a0, mux._a1, mux._enable)) if bits >> n & 1)
    mux._expander.write_mask(mux._all, value)
    await port.reader.field_on()
    print("field", port.reader.field)


asyncio.run(main())
