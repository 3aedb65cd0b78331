# Full inventories of one zone at fixed times, for whoever changes its tags between: COUNT PERIOD_MS ZONE CAPACITY.
# Prints for each: count, overflow, noise, lost, rounds, microseconds, UIDs.
import asyncio
import sys
from time import ticks_add, ticks_diff, ticks_ms, ticks_us

import board_rig

from drivers.iso15693 import Inventory

START_MS = 1000


async def main():
    count, period, zone, capacity = map(int, sys.argv[1:5])
    radio = board_rig.radio()
    await radio.start()
    inventory = Inventory(capacity)
    at = ticks_add(ticks_ms(), START_MS)
    for _ in range(count):
        radio.silence()
        await asyncio.sleep_ms(max(0, ticks_diff(at, ticks_ms())))
        await radio.tune(zone)
        inventory.begin(radio.port(zone).air)
        start = ticks_us()
        while inventory.more():
            await inventory.round()
        us = ticks_diff(ticks_us(), start)
        uids = inventory.uids
        found = sorted(bytes(reversed(uids[8 * i : 8 * i + 8])).hex() for i in range(inventory.count))
        print(inventory.count, int(inventory.overflow), inventory.noise, inventory.lost, inventory.rounds, us, *found)
        at = ticks_add(at, period)


asyncio.run(main())
