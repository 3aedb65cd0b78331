# The scanner at work for `seconds`; every event is printed with its time in ms. Further arguments are acts at a
# time: "1500:seat=2" reads a seat, "gate=1", "die=0", "pause", "resume", "clear".
import asyncio
import sys
from time import ticks_diff, ticks_ms

import board_rig

from controller.dice import DiceReader
from controller.scanner import Scanner
from controller.tile_registry import TileRegistry
from drivers.faults import ReaderFault

start = ticks_ms()


def emit(name, *fields):
    print(ticks_diff(ticks_ms(), start), name, *[f.hex() if isinstance(f, bytes) else f for f in fields])


async def main():
    board_rig.emit = emit
    radio = board_rig.radio()
    await radio.start()
    scanner = Scanner(radio, TileRegistry(), emit)
    dice = DiceReader(scanner)
    task = asyncio.create_task(scanner.run())
    for act in sys.argv[2:]:
        at, _, what = act.partition(":")
        what, _, arg = what.partition("=")
        wait = int(at) - ticks_diff(ticks_ms(), start)
        if wait > 0:
            await asyncio.sleep_ms(wait)
        try:
            if what == "seat":
                await scanner.read_seat(int(arg))
            elif what == "gate":
                emit("gate", int(arg), await scanner.read_gate(int(arg)))
            elif what == "die":
                emit("die", int(arg), await dice.value(int(arg)))
            elif what == "clear":
                await scanner.clear()
            elif what == "set":
                scanner.set = int(arg)
            elif what == "stats":
                counts = list(scanner.presence.counts)
                emit("stats", scanner.registry.count, counts, scanner.noise, scanner.conflicts.count)
            else:
                getattr(scanner, what)()
        except ReaderFault as e:
            emit("fault", e)
    wait = int(sys.argv[1]) - ticks_diff(ticks_ms(), start)
    if wait > 0:
        await asyncio.sleep_ms(wait)
    if task.done():
        await task


asyncio.run(main())
