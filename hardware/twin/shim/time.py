# `time` in virtual time. Ticks run far ahead of the real ones: the port's C `_asyncio` stamps woken
# tasks with real ticks, which must count as due.
import sys

import _kernel as _k
import utime as _real
from utime import ticks_add  # noqa: F401 - the port's own periods

_DECISION_US = 66  # what a decision by the time costs with the code around it, see machine.py

if sys.maxsize >> 32:
    _MASK = (1 << 62) - 1
    _AHEAD_MS = 1000000000
else:
    _MASK = (1 << 30) - 1  # ahead means by less than half of this, wherever the real ticks are
    _AHEAD_MS = _real.ticks_ms() + (1 << 28)


def ticks_diff(a, b):
    _k.spend(_DECISION_US)
    return _real.ticks_diff(a, b)


def ticks_us():
    _k.spend(2)
    return _AHEAD_MS * 1000 + _k.now & _MASK


def ticks_ms():
    _k.spend(2)
    return _AHEAD_MS + _k.now // 1000 & _MASK


def sleep_us(us):
    if us > 500:
        _k.wait_quietly(us)
    else:
        _k.spend(us)


def sleep_ms(ms):
    _k.wait_quietly(ms * 1000)


def sleep(s):
    _k.wait_quietly(int(s * 1000000))


def time():
    return _k.now // 1000000


def time_ns():
    return _k.now * 1000
