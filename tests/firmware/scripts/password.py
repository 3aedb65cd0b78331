# Tags under a password: what opens them, what does not. One tag in zone 2.
import asyncio

import board_rig

from drivers import slix2
from drivers.faults import ReaderFault  # noqa: F401 - the rig raises it

WORDS = ("silent", "good", "collision", "noise", "error", "wrong")
OURS = 0x89ABCDEF


async def main():
    radio = board_rig.radio()
    await radio.start()
    air = radio.port(2).air

    async def field():
        radio.silence()
        await asyncio.sleep_ms(5)
        await radio.tune(2)

    async def say(what, awaited=None, outcome=None):
        if awaited is not None:
            await awaited
        print(what, WORDS[air.outcome if outcome is None else outcome])

    await radio.tune(2)
    await air.probe()
    uid = bytes(air.uid)
    await say("write", air.write(uid, 0, b"open"))
    await say("protect", slix2.protect(air, uid, 2))
    await say("unlock ours", None, await slix2.unlock(air, uid, OURS))
    await say("deaf", air.read(uid))
    await field()
    await say("unlock factory", None, await slix2.unlock(air, uid, slix2.FACTORY))
    await say("change", None, await slix2.change(air, uid, OURS))
    await say("protect", slix2.protect(air, uid, 2))
    await say("write", air.write(uid, 0, b"ours"))
    await field()
    await say("write", air.write(uid, 0, b"evil"))
    await say("write 2", air.write(uid, 2, b"free"))
    await say("read", air.read(uid, 0, 2))
    print(bytes(air.data[:4]))
    await say("unlock factory", None, await slix2.unlock(air, uid, slix2.FACTORY))
    await field()
    await say("unlock ours", None, await slix2.unlock(air, uid, OURS))
    await say("write", air.write(uid, 0, b"anew"))
    await say("nobody", None, await slix2.unlock(air, bytes(8), OURS))


asyncio.run(main())
