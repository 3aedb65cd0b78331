# The pipe to the twin's kernel. Requests collect in one buffer and leave with the next call that
# needs an answer; nothing here allocates, so that firmware may run with the heap locked. Numbers of the calls are
# those of machine.py. Record: op u8, microseconds used since the previous record u32, operands. Reply: see R below.
from struct import pack_into

import uctypes
from micropython import const

_WAIT = const(11)
_SYNC = const(12)

_SIZE = const(512)
_HEAD = const(36)
_INLINE = const(64)  # a reply is this long; what does not fit into it follows

_out = open(3, "wb")
_in = open(4, "rb")
_tx = bytearray(_SIZE)
rx = bytearray(340)
_rest = memoryview(rx)[_INLINE:]
_base = uctypes.addressof(rx)
R = uctypes.struct(
    _base,
    {
        "now": uctypes.UINT64 | 0,
        "hold": uctypes.UINT64 | 8,
        "levels": uctypes.UINT32 | 16,
        "edges": uctypes.UINT32 | 20,
        "rx_any": uctypes.UINT16 | 24,
        "tx_free": uctypes.UINT16 | 26,
        "n": uctypes.UINT32 | 28,
        "cause": uctypes.UINT32 | 32,
    },
    uctypes.LITTLE_ENDIAN,
)

now = 0  # µs since power on
hold = 0  # the cached pin levels are certain before this time
_sent = 0  # time of the last record
_pos = 2
_handlers = {}
_in_irq = False
_late = 0


def spend(us):
    """Charge `us` microseconds of interpreter or bus time."""
    global now
    now += us


def head(op, room):
    """Start a record; returns the position of its operands."""
    global _pos, _sent, hold
    if _pos + room + 16 > _SIZE:
        sync()
    pack_into("<BI", _tx, _pos, op, now - _sent)
    _sent = now
    _pos += 5
    hold = 0
    return _tx


def put8(v):
    global _pos
    _tx[_pos] = v
    _pos += 1


def put16(v):
    global _pos
    pack_into("<H", _tx, _pos, v)
    _pos += 2


def put64(v):
    global _pos
    pack_into("<Q", _tx, _pos, v)
    _pos += 8


def put(buf, n):
    global _pos
    put16(n)
    tx = _tx
    p = _pos
    for i in range(n):
        tx[p + i] = buf[i]
    _pos = p + n


def call():
    """Send what has collected, wait for the answer; data is rx[36:36 + R.n]."""
    global _pos, now, hold, _sent, _late
    pack_into("<H", _tx, 0, _pos - 2)
    _out.write(_tx, _pos)
    _pos = 2
    if not _in.readinto(rx, _INLINE):
        raise SystemExit(0)  # the twin has gone
    if R.n > _INLINE - _HEAD:
        _in.readinto(_rest, R.n - _INLINE + _HEAD)
    now = _sent = R.now
    hold = R.hold
    _late |= R.edges
    if _late and not _in_irq:
        _dispatch()


def _dispatch():
    global _in_irq, _late
    _in_irq = True
    try:
        while _late:
            edges = _late
            _late = 0
            for pin in _handlers:
                if edges >> pin & 1:
                    h = _handlers[pin]
                    h[0](h[1])
    finally:
        _in_irq = False


def sync():
    head_only(_SYNC)
    call()


def head_only(op):
    global _pos, _sent, hold
    pack_into("<BI", _tx, _pos, op, now - _sent)
    _sent = now
    _pos += 5
    hold = 0


def levels():
    """Input levels, one bit a GPIO; asks the kernel only when the cached ones may be stale."""
    if now >= hold:
        sync()
    return R.levels


def on_edge(pin, handler, obj):
    if handler is None:
        _handlers.pop(pin, None)
    else:
        _handlers[pin] = (handler, obj)


def wait(until, mask):
    """Sleep until `until` (µs) or until an edge, or serial data (mask bit 0), or serial room (mask bit 1)."""
    head(_WAIT, 9)
    put64(until)
    put8(mask)
    call()


def wait_quietly(us):
    """A blocking sleep: interrupts are served, the sleep goes on."""
    until = now + us
    while now < until:
        wait(until, 0)
