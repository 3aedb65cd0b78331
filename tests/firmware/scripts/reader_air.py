# The radio stack on the simulated air: start, probe, inventory, memory, quiet. Arguments choose the scenes.
import asyncio
import sys
from time import ticks_diff, ticks_us

import board_rig

from drivers.iso15693 import Inventory

WORDS = ("silent", "good", "collision", "noise", "error")


def hexed(b):
    return bytes(reversed(bytes(b))).hex()


async def inventory(radio, zone, capacity=40, afi=-1):
    await radio.tune(zone)
    inv = Inventory(capacity)
    inv.begin(radio.port(zone).air, afi)
    t = ticks_us()
    while inv.more():
        await inv.round()
    us = ticks_diff(ticks_us(), t)
    uids = sorted(hexed(inv.uids[8 * i : 8 * i + 8]) for i in range(inv.count))
    print("inventory", zone, inv.count, "overflow", inv.overflow, "noise", inv.noise, "lost", inv.lost,
          "rounds", inv.rounds, "us", us)  # fmt: skip
    for uid in uids:
        print(" uid", uid)


async def probe(radio, zone, afi=-1):
    await radio.tune(zone)
    air = radio.port(zone).air
    t = ticks_us()
    await air.probe(afi)
    print("probe", zone, WORDS[air.outcome], hexed(air.uid) if air.outcome == 1 else "-", "us",
          ticks_diff(ticks_us(), t))  # fmt: skip
    return air


async def main():
    radio = board_rig.radio()
    await radio.start()
    print("states", [p.state for p in radio.ports], radio.ports[0].reader.version)
    for p in radio.ports:
        if p.fault:
            print(p.fault)
    for scene in sys.argv[1:]:
        name, _, arg = scene.partition("=")
        if name == "probe":
            await probe(radio, int(arg))
        elif name == "inventory":
            await inventory(radio, *map(int, arg.split(",")))
        elif name == "quiet":
            air = await probe(radio, int(arg))
            uid = bytes(air.uid)
            await air.read(uid, 0, 2)
            print("read", WORDS[air.outcome], bytes(air.data[:8]))
            await air.persistent_quiet(uid)
            await probe(radio, int(arg))
            await probe(radio, int(arg), 0)
            await air.read(uid)
            print("read", WORDS[air.outcome], bytes(air.data[:4]))
            await air.reset_to_ready(uid)
            print("ready", WORDS[air.outcome])
            await probe(radio, int(arg))
            await air.write(uid, 5, b"tile")
            print("write", WORDS[air.outcome])
            await air.read(uid, 5)
            print("read", WORDS[air.outcome], bytes(air.data[:4]))
            await air.write_afi(uid, 0x51)
            print("afi", WORDS[air.outcome])
            await air.stay_quiet(uid)
            await probe(radio, int(arg), 0x51)
            radio.silence()
            await asyncio.sleep_ms(10)
            await probe(radio, int(arg), 0x51)
            await probe(radio, int(arg), 0x50)
            await air.read(bytes(8))
            print("read", WORDS[air.outcome])
            await air.read(uid, 200)
            print("read", WORDS[air.outcome])
    for name, fields in board_rig.events:
        print(name, *fields)


asyncio.run(main())
