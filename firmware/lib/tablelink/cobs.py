"""Consistent overhead byte stuffing in place, for frames of at most 254 bytes.

So short a frame needs one code byte in front, and every zero becomes the distance to the next one:
nothing is moved and nothing is allocated.
"""

_ZERO = b"\0"


def encode(buf: bytearray, at: int, end: int) -> None:
    """Stuff `buf[at + 1:end]`; the code byte goes to `buf[at]`. No zero remains in `buf[at:end]`."""
    while True:
        zero = buf.find(_ZERO, at + 1, end)
        if zero < 0:
            buf[at] = end - at
            return
        buf[at] = zero - at
        at = zero


def decode(buf: bytearray, end: int) -> bool:
    """Undo `encode` on `buf[0:end]`, whose data then is `buf[1:end]`; False if it was no such frame."""
    at = 0
    while at < end:
        step = buf[at]
        if not step:
            return False
        buf[at] = 0
        at += step
    return at == end
