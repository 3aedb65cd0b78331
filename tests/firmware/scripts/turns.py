# How long another task is kept waiting while the scanner works for so many ms: the worst, and the mean, in us.
import asyncio
import sys
from time import ticks_diff, ticks_us

import board_rig

from controller.scanner import Scanner
from controller.tile_registry import TileRegistry

worst = turns = 0


async def other():
    global worst, turns
    while True:
        left = ticks_us()
        await asyncio.sleep_ms(0)
        worst = max(worst, ticks_diff(ticks_us(), left))
        turns += 1


async def main():
    global worst, turns
    radio = board_rig.radio()
    await radio.start()
    scanner = Scanner(radio, TileRegistry(), board_rig.emit)
    scanning = asyncio.create_task(scanner.run())
    task = asyncio.create_task(other())
    await asyncio.sleep_ms(2000)
    worst = turns = 0
    await asyncio.sleep_ms(int(sys.argv[1]))
    print("worst", worst, "mean", 1000 * int(sys.argv[1]) // turns, "states", [port.state for port in radio.ports])
    task.cancel()
    scanning.cancel()


asyncio.run(main())
