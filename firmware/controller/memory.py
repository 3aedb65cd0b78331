"""What must outlive a power cut without wearing flash: where the tiles are, and the counters.

Two alternating copies in FRAM, each with generation and CRC. Nothing here tells the order of a wall.
"""

from binascii import crc32
from struct import pack_into, unpack_from

from micropython import const

from .fault_codes import CLASS

SIZE = const(512)  # bytes at the end of the FRAM
_BODY = const(240)
_COPY = const(256)
_HEAD = const(8)  # magic, generation
_MAGIC = const(0x4D4A5032)  # changes with the layout

# Cells of the body
STATE = const(0)  # number of the cycle's state
FLAGS = const(1)
SET_BELOW = const(2)
SET_ABOVE = const(3)
STACKS = const(4)  # four: on the plates
PUSHING = const(8)  # one bit a side: a stack is on its way from the head to the plate
TARGET = const(9)  # stacks a side of the wall being built
LATE_TASK = const(10)
FOREIGN = const(11)
DOUBLED = const(12)
STANDING = const(13)  # stacks a side of the wall that was raised last
HELD = const(14)  # the fault that holds the table, and its part
HELD_PART = const(15)
SEEN = const(16)  # one bit a tile, set A then set B, 18 bytes each: which have passed the gates
_COUNTERS = const(52)  # u32 each
_FAULTS = const(100)  # u8 each by code, saturated

# Flags
LOADED = const(1)  # tiles have been pushed into the pan since the last wall was built
WALLS = const(2)  # walls stand on the surface
AUDITED = const(4)  # the wall on the plates is whole and its audit has been told
SET_READ = const(8)  # the gates have read tiles of the set that is above

# Counters
CYCLES, WALLS_BUILT, STOPS, SECONDS = range(4)


class Memory:
    """`fram` has `readinto(address, buffer)` and `write(address, buffer)`; `at` is the first address.

    `cells` is the body; change it, then `save()`.
    """

    def __init__(self, fram, at):
        self._fram = fram
        self._at = at
        self._copy = bytearray(_HEAD + _BODY + 4)
        whole = memoryview(self._copy)
        self._checked = whole[: _HEAD + _BODY]
        self.cells = whole[_HEAD : _HEAD + _BODY]
        self._generation = 0
        newest = -1
        for copy in (0, 1):
            generation = self._load(copy)
            if generation > self._generation:
                self._generation = generation
                newest = copy
        if newest < 0:
            for i in range(_BODY):
                self.cells[i] = 0
        else:
            self._load(newest)

    def _load(self, copy):
        self._fram.readinto(self._at + copy * _COPY, self._copy)
        magic, generation = unpack_from("<II", self._copy)
        if magic == _MAGIC and unpack_from("<I", self._copy, _HEAD + _BODY)[0] == crc32(self._checked):
            return generation
        return 0

    def save(self):
        self._generation += 1
        pack_into("<II", self._copy, 0, _MAGIC, self._generation)
        pack_into("<I", self._copy, _HEAD + _BODY, crc32(self._checked))
        self._fram.write(self._at + self._generation % 2 * _COPY, self._copy)

    def counter(self, number):
        return unpack_from("<I", self.cells, _COUNTERS + 4 * number)[0]

    def count(self, number, by=1):
        """Add to a counter; kept by the next `save()`."""
        pack_into("<I", self.cells, _COUNTERS + 4 * number, (self.counter(number) + by) & 0xFFFFFFFF)

    def count_fault(self, code):
        if code < len(CLASS) and self.cells[_FAULTS + code] < 255:
            self.cells[_FAULTS + code] += 1

    def faults(self, code):
        return self.cells[_FAULTS + code] if code < len(CLASS) else 0
