# The link's steady state under heap_lock: record, send, acknowledge, answer; prints the cost of each.
import gc
import sys
from time import ticks_diff, ticks_us

import micropython

from controller.journal import Journal
from tablelink import messages as m
from tablelink.frame import Decoder, Encoder
from tablelink.table_end import TableEnd

ROUNDS = 2000


class Fram:
    def __init__(self, size):
        self.memory = bytearray(size)
        self.whole = memoryview(self.memory)

    def readinto(self, address, buf):
        memory = self.memory
        for i in range(len(buf)):
            buf[i] = memory[address + i]

    def write(self, address, buf):
        memory = self.memory
        for i in range(len(buf)):
            memory[address + i] = buf[i]


journal = Journal(Fram(20000), 20000)
end = TableEnd(journal, b"12345678", 1)
host = Encoder()
wire = bytearray(64)
decoder = Decoder(256)
PING = m.COMMANDS["ping"].arguments
UID = b"\xe0\x04\x01\x02\x03\x04\x05\x06"


def to_wire(frame):
    for i in range(len(frame)):
        wire[i] = frame[i]
    return len(frame)


def send(layout, a, b, c=0):
    n = to_wire(host.finish(layout.number, layout.pack_into(host.buffer, host.START, a, b, c)))
    end.receive(wire, n, 0)


def drain(now):
    sent = 0
    frame = end.next_frame(now)
    while frame is not None:
        for i in range(len(frame)):
            if decoder.feed(frame[i]):
                sent += 1
        frame = end.next_frame(now)
    return sent


def steady(n):
    """One event of each kind, one acknowledgement and one sync: no allocation."""
    boot = journal.boot
    for i in range(n):
        journal.append(5, i, boot, 3, i % 144)
        journal.append(7, i, boot, i % 144, 3, 4)
        journal.append(8, i, boot, 3, 0, UID)
        journal.append(3, i, boot, 0, 1, 2, 3, 4)
        drain(i)
        send(m.ACK, 77, journal.last)
        if i % 8 == 0:
            send(m.SYNC, 77, i)
        drain(i)
        end.tick(i)


send(m.OPEN, m.PROTOCOL, 77)
drain(0)
send(m.RESUME, 77, journal.id, 0)
drain(0)
steady(20)  # makes the views of each length once
gc.collect()
if len(sys.argv) < 2:  # `unlocked`: a port whose numbers above 2**30 live on the heap for a moment, as most CRCs do
    micropython.heap_lock()
    try:
        steady(50)
    finally:
        micropython.heap_unlock()
    print("locked", journal.last, journal.acknowledged)


def timed(name, n, work):
    gc.collect()
    start = ticks_us()
    work(n)
    print(name, ticks_diff(ticks_us(), start) / n)


def encode(n):
    for i in range(n):
        end = m.RECORD.pack_into(host.buffer, host.START, i, i, 1, 5)
        host.finish(m.EVENTS_FRAME.number, m.EVENT_BY_NUMBER[5].pack_into(host.buffer, end, 3, 7))


FRAME = bytes(host.finish(m.EVENTS_FRAME.number, host.START + 14))


def decode(n):
    for _ in range(n):
        for byte in FRAME:
            decoder.feed(byte)


def append(n):
    for i in range(n):
        journal.append(5, i, 1, 3, 7)


def chunked(n, ident):
    """Commands as a host would send them back to back, in reads of 1 to 64 bytes; every one is answered."""
    size = 0
    for i in range(n):
        nth = ident + i
        end_ = m.COMMAND.pack_into(host.buffer, host.START, nth, journal.boot, end.visit, nth, PING.number)
        frame = host.finish(m.COMMAND.number, PING.pack_into(host.buffer, end_, i))
        sent = 0
        step = 1 + i * 7 % 64
        while sent < len(frame):
            part = min(step, len(frame) - sent)
            for k in range(part):
                wire[k] = frame[sent + k]
            end.receive(wire, part, i)
            sent += part
        size += sent
        while end.next_frame(i) is not None:
            pass
    return size


gc.collect()
gc.disable()
before = gc.mem_alloc()
steady(50)
print("garbage_bytes", (gc.mem_alloc() - before) / 200)  # of each event
gc.enable()
best = 0
for round_ in range(40):  # the best of many short ones: other programs take the processor now and then
    start = ticks_us()
    size = chunked(32, 1000 + 100 * round_)
    best = max(best, size * 1000 / ticks_diff(ticks_us(), start))
print("chunked_kB_s", best)
timed("encode_us", ROUNDS, encode)
timed("decode_us", ROUNDS, decode)
timed("append_us", ROUNDS, append)
