"""The event journal: a ring of numbered, CRC'd records in FRAM that survives a power cut at any byte.

Two alternating copies of a header, then slots of one record each; event `seq` lies in slot `seq % slots`.
A record is durable when `append` returns. What is not acknowledged is kept until the ring comes round; what
was overwritten before that is told by the sender as a gap.
"""

import os
from binascii import crc32
from struct import pack_into, unpack_from

from tablelink.messages import EVENT_BY_NUMBER, EVENTS, RECORD, RECORD_LIMIT

_MAGIC = b"PJ01"
_HEADER = "<4sIIHI"  # magic, journal id, acknowledged, boot, generation; then CRC-32
_HEADER_SIZE = 18
_HEADER_ROOM = 32
_SLOTS_AT = 2 * _HEADER_ROOM
_SLOT = RECORD_LIMIT + 4
_STRIDE = 32  # recovery samples every so many slots, then reads on from the newest
_RESIDUE = 0x2144DF1C
_SIZES = bytearray(256)
for _event in EVENTS:
    _SIZES[_event.number] = RECORD.size + _event.size


class Journal:
    """`fram` has `readinto(address, buffer)` and `write(address, buffer)`; `size` is its bytes.

    Opening it recovers the last number and counts one boot. Attributes: `id` (u32), `boot` (u16), `first` and
    `last` retained number (`first > last` when empty), `acknowledged`.
    """

    def __init__(self, fram, size: int, new_id: int = 0) -> None:
        self._fram = fram
        self.slots = (size - _SLOTS_AT) // _SLOT
        if self.slots < 2 * _STRIDE:
            raise ValueError("a journal needs at least {} bytes".format(_SLOTS_AT + 2 * _STRIDE * _SLOT))
        self._slot = bytearray(_SLOT)
        whole = memoryview(self._slot)
        self._views = [whole[:n] for n in range(_SLOT + 1)]
        self._header = bytearray(_HEADER_SIZE + 4)
        self._header_body = memoryview(self._header)[:_HEADER_SIZE]
        self._held = 0  # number of the record in `_slot`
        self.id = 0
        self.boot = 0
        self.acknowledged = 0
        self._generation = 0
        self.first = 1
        self.last = 0
        self._open(new_id)

    def append(self, kind: int, t_ms: int, boot: int, a=0, b=0, c=0, d=0, e=0) -> int:
        """Write one event, the fields as the event's layout has them; returns its number once it is durable."""
        seq = self.last + 1
        slot = self._slot
        self._held = 0
        pack_into("<IIHB", slot, 0, seq, t_ms, boot, kind)
        end = EVENT_BY_NUMBER[kind].pack_into(slot, RECORD.size, a, b, c, d, e)
        pack_into("<I", slot, end, crc32(self._views[end], self.id))
        # The number is used even if the write fails: the hole is then told as a gap, not hidden.
        self.last = seq
        if seq - self.first >= self.slots:
            self.first = seq - self.slots + 1
        self._fram.write(self._address(seq), self._views[end + 4])
        self._held = seq
        return seq

    def acknowledge(self, seq: int) -> None:
        """Remember that a host has stored everything up to `seq`."""
        if self.acknowledged < seq <= self.last:
            self.acknowledged = seq
            self._write_header()

    def read(self, seq: int, buf: bytearray, at: int) -> int:
        """Copy record `seq` to `buf[at:]`; returns its length, 0 if it is not there or damaged."""
        if not self.first <= seq <= self.last or not self._load(seq):
            return 0
        slot = self._slot
        size = _SIZES[slot[10]]
        for i in range(size):
            buf[at + i] = slot[i]
        return size

    @property
    def unacknowledged(self) -> int:
        """Events retained that no host has acknowledged."""
        return self.last - max(self.acknowledged, self.first - 1)

    def _address(self, seq: int) -> int:
        return _SLOTS_AT + seq % self.slots * _SLOT

    def _load(self, seq: int) -> bool:
        if self._held == seq:
            return True
        return self._load_slot(seq % self.slots) == seq

    def _load_slot(self, index: int) -> int:
        """Read a slot; returns the number of the sound record in it, else 0."""
        slot = self._slot
        self._held = 0
        self._fram.readinto(_SLOTS_AT + index * _SLOT, slot)
        size = _SIZES[slot[10]]
        if not size or crc32(self._views[size + 4], self.id) != _RESIDUE:
            return 0
        seq = slot[0] | slot[1] << 8 | slot[2] << 16 | slot[3] << 24  # unpacking would allocate
        if seq % self.slots != index:
            return 0
        self._held = seq
        return seq

    def _open(self, new_id: int) -> None:
        header = self._header
        for copy in (0, 1):
            self._fram.readinto(copy * _HEADER_ROOM, header)
            magic, journal, acknowledged, boot, generation = unpack_from(_HEADER, header)
            if crc32(header) == _RESIDUE and magic == _MAGIC and generation > self._generation:
                self.id = journal
                self.acknowledged = acknowledged
                self.boot = boot
                self._generation = generation
        if self._generation:
            self._recover()
        else:
            # An id of its own voids whatever records the chip still holds.
            while not self.id:
                self.id = new_id or unpack_from("<I", os.urandom(4))[0]
        self.boot = (self.boot + 1) & 0xFFFF
        self._write_header()

    def _recover(self) -> None:
        newest = 0
        for index in range(0, self.slots, _STRIDE):
            newest = max(newest, self._load_slot(index))
        # An acknowledged event did exist, even if its slot has rotted since.
        last = max(newest, self.acknowledged)
        for seq in range(last + 1, last + 2 * _STRIDE):
            if self._load_slot(seq % self.slots) == seq:
                last = seq
        self.last = last
        self.first = max(1, last - self.slots + 1)
        # A write that was cut destroyed the oldest record.
        if last >= self.slots and self._load_slot(self.first % self.slots) != self.first:
            self.first += 1

    def _write_header(self) -> None:
        self._generation += 1
        header = self._header
        pack_into(_HEADER, header, 0, _MAGIC, self.id, self.acknowledged, self.boot, self._generation)
        pack_into("<I", header, _HEADER_SIZE, crc32(self._header_body))
        self._fram.write(self._generation % 2 * _HEADER_ROOM, header)
