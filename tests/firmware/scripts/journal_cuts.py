# The journal on MicroPython: numbers, recovery after cuts at random bytes, and the same bytes as on CPython.
from binascii import crc32

from controller.journal import Journal

SIZE = 64 + 26 * 100


class Cut(Exception):
    pass


class Fram:
    def __init__(self):
        self.memory = bytearray(SIZE)
        self.left = -1

    def readinto(self, address, buf):
        buf[:] = self.memory[address : address + len(buf)]

    def write(self, address, buf):
        n = len(buf)
        if self.left >= 0:
            n = min(n, self.left)
            self.left -= n
        self.memory[address : address + n] = bytes(buf[:n])
        if n < len(buf):
            raise Cut


fram = Fram()
journal = Journal(fram, SIZE, 0x12345678)
for n in range(250):
    journal.append(5, n, journal.boot, 3, n % 144)
    if n % 10 == 9:
        journal.acknowledge(n)
print("image", journal.first, journal.last, journal.acknowledged, crc32(fram.memory))
seed = 1
boots = 0
for _ in range(400):
    seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
    fram.left = seed >> 16 & 127
    last, acknowledged = journal.last, journal.acknowledged
    try:
        while True:
            last = journal.append(7, last, journal.boot, last % 144, 1, 2)
            journal.acknowledge(last - 3)
            acknowledged = journal.acknowledged
    except Cut:
        pass
    fram.left = -1
    journal = Journal(fram, SIZE)
    boots += 1
    assert journal.last in (last, last + 1), (journal.last, last)
    assert journal.acknowledged in (acknowledged, last - 3)
    buf = bytearray(26)
    for seq in range(journal.first, journal.last + 1):
        assert journal.read(seq, buf, 0) in (14, 15), seq
        assert buf[0] | buf[1] << 8 | buf[2] << 16 == seq
print("cuts", boots, journal.boot)
