"""Which tag is which tile: set, face and copy by UID, learnt from tag memory at first sight.

Memory layout: docs/architecture.md, "Zones and tiles".
"""

from micropython import const

from drivers.iso15693 import crc16

NONE = const(-1)
UNKNOWN = const(-2)  # memory unreadable or damaged
FOREIGN = const(-3)  # not one of our tags
DOUBLED = const(-4)  # another tag is already this tile
FULL = const(-5)

DIE = const(0x8000)  # | die << 8 | face: the codes of dice

_ENTRY = const(7)  # UID bytes 4-0, code low, code high
_VERSION = const(1)
_TILES = const(144)


def is_tag(uid):
    """True for the UIDs NXP gives to this family of tags: E0 04 01."""
    return uid[7] == 0xE0 and uid[6] == 0x04 and uid[5] == 0x01


def code_of(uid, memory):
    """Code told by blocks 0 and 1 of a tag, UNKNOWN or FOREIGN."""
    if memory[0] != 0x50:  # P
        return FOREIGN
    if memory[1] == 0x4A:  # J
        if memory[2] > 1 or memory[3] >= _TILES:
            return UNKNOWN
        code = memory[2] << 8 | memory[3]
    elif memory[1] == 0x44:  # D
        if memory[2] > 1 or not 1 <= memory[3] <= 6:
            return UNKNOWN
        code = DIE | memory[2] << 8 | memory[3]
    else:
        return FOREIGN
    crc = crc16(uid[:8], crc16(memory[:4]) ^ 0xFFFF)
    if memory[4] | memory[5] << 8 != crc or memory[6] != _VERSION:
        return UNKNOWN
    return code


class TileRegistry:
    """UIDs in ascending order, so that their order tells nothing; full at two sets and two dice."""

    def __init__(self, capacity=2 * _TILES + 12):
        self.capacity = capacity
        self.count = 0
        self._mem = bytearray(_ENTRY * capacity)
        self._view = memoryview(self._mem)

    def find(self, uid):
        """Code of a known UID, else NONE."""
        if not is_tag(uid):
            return NONE
        at = self._search(uid)
        if at < 0:
            return NONE
        mem = self._mem
        at *= _ENTRY
        return mem[at + 5] | mem[at + 6] << 8

    def add(self, uid, code):
        """Learn a tag; returns `code`, or UNKNOWN, DOUBLED or FULL and nothing is learnt."""
        if not is_tag(uid):
            return UNKNOWN
        at = self._search(uid)
        mem = self._mem
        if at < 0:
            if self._place(code) >= 0:
                return DOUBLED
            if self.count == self.capacity:
                return FULL
            at = -1 - at
            first = at * _ENTRY
            last = self.count * _ENTRY
            view = self._view
            view[first + _ENTRY : last + _ENTRY] = view[first:last]
            for i in range(5):
                mem[first + i] = uid[4 - i]
            self.count += 1
        mem[at * _ENTRY + 5] = code & 0xFF
        mem[at * _ENTRY + 6] = code >> 8
        return code

    def uid_of(self, code, into, start=0):
        """Write the UID of a known code into eight bytes from `start` on; False when it is not known."""
        at = self._place(code)
        if at < 0:
            return False
        for i in range(5):
            into[start + 4 - i] = self._mem[at + i]
        into[start + 5] = 0x01
        into[start + 6] = 0x04
        into[start + 7] = 0xE0
        return True

    def clear(self):
        self.count = 0

    def _place(self, code):
        mem = self._mem
        low = code & 0xFF
        high = code >> 8
        for at in range(0, self.count * _ENTRY, _ENTRY):
            if mem[at + 5] == low and mem[at + 6] == high:
                return at
        return -1

    def _search(self, uid):
        """Index of the entry, or -1 - the index where it belongs."""
        mem = self._mem
        low = 0
        high = self.count
        while low < high:
            middle = (low + high) >> 1
            at = middle * _ENTRY
            i = 0
            while i < 5 and mem[at + i] == uid[4 - i]:
                i += 1
            if i == 5:
                return middle
            if mem[at + i] < uid[4 - i]:
                low = middle + 1
            else:
                high = middle
        return -1 - low
