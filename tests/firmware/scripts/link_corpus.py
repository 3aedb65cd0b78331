# Reads a corpus of fuzz inputs (length byte, bytes) as a decoder and as a table's end; prints what came of it.
import gc
import sys
from binascii import crc32

from controller.journal import Journal
from tablelink import messages as m
from tablelink.frame import Decoder
from tablelink.table_end import TableEnd


class Fram:
    def __init__(self, size):
        self.memory = bytearray(size)

    def readinto(self, address, buf):
        buf[:] = self.memory[address : address + len(buf)]

    def write(self, address, buf):
        self.memory[address : address + len(buf)] = buf


decoder = Decoder()
end = TableEnd(Journal(Fram(2000), 2000), b"12345678", 1)
end.on("beep", lambda ms: None)
end.on("display", lambda seat, text: None)
check = now = grown = first = count = 0
length = bytearray(1)
with open(sys.argv[1], "rb") as file:
    while file.readinto(length):
        chunk = file.read(length[0])
        for byte in chunk:
            if decoder.feed(byte):
                check = crc32(bytes([decoder.kind]) + bytes(decoder.buffer[2 : decoder.end]), check)
        end.receive(chunk, len(chunk), now)
        now += 7
        end.tick(now)
        while end.next_frame(now) is not None:
            pass
        count += 1
        if count == 5000:
            gc.collect()
            first = gc.mem_alloc()
gc.collect()
# Views of lengths seen for the first time are made once; anything beyond them would be growth.
grown = max(0, gc.mem_alloc() - first - 4096)
print(m.PROTOCOL, decoder.frames, decoder.bad, decoder.oversized, check, grown)
