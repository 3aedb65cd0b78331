# One probe on a reader that fails, then its restart and another.
import asyncio
from time import ticks_diff, ticks_us

import board_rig

from drivers.faults import ReaderFault


async def main():
    radio = board_rig.radio()
    await radio.start()
    port = radio.ports[0]
    t = ticks_us()
    try:
        await radio.tune(2)
        t = ticks_us()
        await port.air.probe()
        print("no fault", port.air.outcome)
    except ReaderFault as e:
        print("fault", type(e).__name__, e, ticks_diff(ticks_us(), t))
        await radio.cut(port, e)
    print("nss", port.reader._cs())
    await radio.heal(port)
    await radio.tune(2)
    await port.air.probe()
    print("again", ("silent", "good")[port.air.outcome])


asyncio.run(main())
