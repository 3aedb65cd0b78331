"""Frames: 0x00, COBS of [type u8][payload][CRC-32 u32 little-endian], 0x00; at most 255 bytes in all.

Both directions work in one fixed buffer; memory views are made once per length and kept. The encoder makes all of
its views at the start: frames of events have nearly any length, and the heap would grow for hours.
"""

from binascii import crc32
from struct import pack_into

from tablelink import cobs

LIMIT = 255  # bytes on the wire, delimiters included
PAYLOAD = LIMIT - 8  # less two delimiters, code byte, type and CRC
_AFTER_ZEROS = 0x65E3626F  # from here the CRC-32 of two zero bytes is 0: what follows them has its own
_RESIDUE = 0x2144DF1C  # CRC-32 of any message followed by its own CRC-32


class Encoder:
    """Builds one frame: write the payload to `buffer[START:]`, then `finish`."""

    START = 3
    END = START + PAYLOAD

    def __init__(self) -> None:
        self.buffer = bytearray(LIMIT)
        whole = memoryview(self.buffer)
        self._first = [whole[:n] for n in range(LIMIT + 1)]

    def finish(self, kind: int, end: int) -> memoryview:
        """Close the frame of type `kind` whose payload is `buffer[START:end]`; the view is valid until the next."""
        buf = self.buffer
        buf[0] = buf[1] = 0
        buf[2] = kind
        pack_into("<I", buf, end, crc32(self._first[end], _AFTER_ZEROS))
        end += 4
        cobs.encode(buf, 1, end)
        buf[end] = 0
        return self._first[end + 1]


class Decoder:
    """Finds frames in a stream of bytes; anything else is counted and skipped up to the next delimiter.

    After `feed` returned True: `kind`, and the payload in `buffer[START:end]`, until the next `feed`. Views are kept
    for lengths below `kept`; a table is sent no longer frames, except by mistake.
    """

    START = 2

    def __init__(self, kept: int = 64) -> None:
        self.buffer = bytearray(LIMIT)
        self.kind = 0
        self.end = 0
        self.frames = 0
        self.bad = 0  # damaged: COBS or CRC does not hold, or too short
        self.oversized = 0
        self._whole = memoryview(self.buffer)
        self._bodies: list[memoryview | None] = [None] * kept  # all room at once: later there may be no piece so long
        self._n = 0

    @property
    def partial(self) -> bool:
        """Whether a frame has begun and not ended."""
        return self._n > 0

    def drop(self) -> None:
        """Give up the frame that has begun."""
        self._n = 0
        self.bad += 1

    def feed(self, byte: int) -> bool:
        """Take one byte; True when it completes a sound frame."""
        n = self._n
        if byte:
            if n < LIMIT - 2:
                self.buffer[n] = byte
            self._n = n + 1
            return False
        if not n:
            return False
        self._n = 0
        if n > LIMIT - 2:
            self.oversized += 1
            return False
        if n < 6 or not cobs.decode(self.buffer, n) or crc32(self._body(n)) != _RESIDUE:
            self.bad += 1
            return False
        self.kind = self.buffer[1]
        self.end = n - 4
        self.frames += 1
        return True

    def _body(self, n: int) -> memoryview:
        if n >= len(self._bodies):
            return self._whole[1:n]
        body = self._bodies[n]
        if body is None:
            body = self._bodies[n] = self._whole[1:n]
        return body
