# The scanner at rest with the heap locked for two seconds: any allocation would raise MemoryError in its task.
import asyncio
import gc
import select
from asyncio import core

import board_rig
import micropython

from controller.scanner import Scanner
from controller.tile_registry import TileRegistry


class Poll(select.poll):
    """The simulated poller builds a list of what is ready; the real one does not allocate, nor does this."""

    def __init__(self):
        super().__init__()
        self._done = StopIteration()
        self._at = 0
        self._ready = ()
        self._pair = [None, 0]

    def register(self, obj, flags):
        self._objs.append([obj, flags, 0])

    def _check(self):
        self._ready = ()
        for entry in self._objs:
            entry[2] = entry[0].ioctl(3, entry[1])
            if entry[2]:
                self._ready = self
        self._at = 0
        return 0

    def __iter__(self):
        return self

    def __next__(self):
        while self._at < len(self._objs):
            entry = self._objs[self._at]
            self._at += 1
            if entry[2]:
                self._pair[0] = entry[0]
                self._pair[1] = entry[2]
                return self._pair
        raise self._done


async def main():
    core._io_queue.poller = Poll()
    radio = board_rig.radio()
    await radio.start()
    scanner = Scanner(radio, TileRegistry(), board_rig.emit)
    task = asyncio.create_task(scanner.run())
    beats = [0, 0]

    def beat():
        beats[0] += 1
        beats[1] += scanner._early

    scanner.heartbeat = beat
    await asyncio.sleep_ms(5500)
    gc.collect()
    before = gc.mem_free()
    micropython.heap_lock()
    seen, watched = beats
    await asyncio.sleep_ms(2000)
    seen = beats[0] - seen
    watched = beats[1] - watched
    micropython.heap_unlock()
    if task.done():
        await task
    print("jobs", seen, "watched", watched, "lost", before - gc.mem_free(), "tiles", sum(scanner.presence.counts))


asyncio.run(main())
