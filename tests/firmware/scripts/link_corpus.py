"""The table's end against fuzz inputs, the same on CPython and on MicroPython.

As a program: takes a corpus from the file named (blocks of a u32 length and records of a length byte and the input)
and prints how many inputs it was, a digest of all that the table said, its counters, and how far the heap grew.
"""

import gc
import sys
from binascii import crc32
from struct import unpack_from

from controller.journal import Journal
from tablelink import messages as m
from tablelink.frame import PAYLOAD, Encoder
from tablelink.table_end import CommandError, TableEnd

FRAM = 64 + 26 * 80
SETTLED = 100_000  # by then every length of frame has been seen
FRESH = 50_000  # a new table now and then, so that long runs keep reaching every state


class Fram:
    def __init__(self) -> None:
        self.memory = bytearray(FRAM)

    def readinto(self, address: int, buf) -> None:
        buf[:] = self.memory[address : address + len(buf)]

    def write(self, address: int, buf) -> None:
        self.memory[address : address + len(buf)] = bytes(buf)


def handler(command):
    """A handler that answers as declared, refuses now and then, and checks that its arguments are in range."""
    fields, ranges = command.reply.fields, command.ranges
    answer = tuple([bytes(int(f[1][5:])) if f[1].startswith("bytes") else 0 for f in fields])

    def handle(*arguments):
        for value, limits in zip(arguments, ranges):  # noqa: B905 - MicroPython's has no `strict`
            if limits and not limits[0] <= value <= limits[1]:
                raise SystemExit(f"{command.name} ran with {arguments}")
        if arguments and arguments[0] == 3:
            raise CommandError(m.BUSY)
        return answer if len(answer) > 1 else answer[0] if answer else None

    return handle


FRAM_CHIP = Fram()  # one for all tables: later the heap may have no piece so long


def fuzzed_table() -> TableEnd:
    gc.collect()
    for i in range(FRAM):
        FRAM_CHIP.memory[i] = 0
    table = TableEnd(Journal(FRAM_CHIP, FRAM, 0x1234), b"FUZZFUZZ", 1)
    table.service = True
    for command in m.COMMANDS:
        if command.name not in ("ping", "stats"):
            table.on(command.name, handler(command), lambda: None)
    table.journal.append(5, 1, 1, 2, 3)
    return table


def aim(table: TableEnd, body: bytearray, kind: int) -> None:
    """Make a random message one of the present session, or nothing behind that check is ever reached."""
    session = table.session
    if kind == m.COMMAND.number and len(body) >= m.COMMAND.size:
        body[4:6] = table.journal.boot.to_bytes(2, "little")
        body[6:10] = table.visit.to_bytes(4, "little")
        body[10:14] = (table._nth + body[10] % 4 & 0xFFFFFFFF).to_bytes(4, "little")
        body[14] %= 48
    elif kind in (m.RESUME.number, m.ACK.number, m.SYNC.number, m.RENEW.number) and len(body) >= 8:
        body[:4] = session.to_bytes(4, "little")
        if kind == m.RESUME.number:
            body[4:8] = table.journal.id.to_bytes(4, "little")
            body[8:] = bytes(len(body) - 8)
        elif kind == m.ACK.number:
            body[5:8] = bytes(3)
    elif kind == m.OPEN.number and len(body) >= 4:
        body[:4] = m.PROTOCOL.to_bytes(4, "little")


class Replay:
    """Gives inputs to a table's end; `digest` is over everything it said."""

    def __init__(self) -> None:
        self.encoder = Encoder()
        self.table = fuzzed_table()
        self.now = self.inputs = self.digest = 0
        self.frames = self.bad = self.oversized = self.refused = 0

    def take(self, data) -> None:
        """First byte: what to do with the rest; a sound frame of it, aimed or not, or the bytes as they are."""
        table, how = self.table, data[0]
        wire = data[1:]
        if how & 1 and len(wire) > 0:
            start = Encoder.START
            body = bytearray(wire[1 : 1 + PAYLOAD])
            if how & 4:
                aim(table, body, wire[0])
            self.encoder.buffer[start : start + len(body)] = body
            wire = self.encoder.finish(wire[0], start + len(body))
        if how & 16:
            table.journal.append(5, 1, 1, 2, 3)
        table.receive(wire, len(wire), self.now)
        self.now += 7
        table.tick(self.now)
        frame = table.next_frame(self.now)
        while frame is not None:
            self.digest = crc32(frame, self.digest)
            frame = table.next_frame(self.now)
        self.inputs += 1
        if not self.inputs % FRESH:
            self.count()
            self.table = fuzzed_table()

    def count(self) -> None:
        table, decoder = self.table, self.table.decoder
        self.frames += decoder.frames
        self.bad += decoder.bad
        self.oversized += decoder.oversized
        self.refused += table.refused

    def result(self) -> "tuple[int, ...]":
        """Protocol, inputs, digest, and what the table counted."""
        self.count()
        return m.PROTOCOL, self.inputs, self.digest, self.frames, self.bad, self.oversized, self.refused


def main() -> None:
    gc.threshold(4096)  # as on the table
    replay = Replay()
    head = bytearray(4)
    block = bytearray(4096)
    view = memoryview(block)
    settled = 0
    with open(sys.argv[1], "rb") as file:
        while file.readinto(head):
            left = size = unpack_from("<I", head)[0]
            while left:
                left -= file.readinto(view[size - left : size])
            at = 0
            while at < size:
                end = at + 1 + block[at]
                replay.take(block[at + 1 : end])
                at = end
            if not settled and replay.inputs >= SETTLED:
                gc.collect()
                settled = gc.mem_alloc()
    result = replay.result()
    gc.collect()
    print(*result, gc.mem_alloc() - settled if settled else 0)


if __name__ == "__main__":
    main()
