# Faults of a reader one after another, each followed by what the application does: shut, start, probe.
import asyncio

import board_rig

from drivers.faults import ReaderFault


async def main():
    radio = board_rig.radio()
    await radio.start()
    port = radio.ports[0]
    for _ in range(6):
        try:
            if not port.state:
                await radio.tune(2)
                await port.air.probe()
                print("probe", port.air.outcome)
        except ReaderFault as e:
            await radio.cut(port, e)
            print(type(e).__name__, port.reader.field)
        if port.state:
            await radio.heal(port)
            print("state", port.state, type(port.fault).__name__)
        await asyncio.sleep_ms(100)


asyncio.run(main())
