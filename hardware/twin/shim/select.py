# `select` in virtual time: waits in the kernel until something registered is ready.
import _kernel as k
from micropython import const

POLLIN = const(1)
POLLOUT = const(4)
POLLERR = const(8)
POLLHUP = const(16)

_LOOP_US = const(114)  # one turn of the asyncio loop on an RP2040
_FOREVER = const(1 << 61)


class poll:
    def __init__(self):
        self._objs = []  # [object, flags, is serial]
        self._ready = []

    def _find(self, obj):
        for entry in self._objs:
            if entry[0] is obj:
                return entry
        return None

    def register(self, obj, flags=POLLIN | POLLOUT):
        entry = self._find(obj)
        if entry:
            entry[1] = flags
        else:
            self._objs.append([obj, flags, hasattr(obj, "_twin_uart")])

    def modify(self, obj, flags):
        entry = self._find(obj)
        if entry is None:
            raise OSError(2)
        entry[1] = flags

    def unregister(self, obj):
        entry = self._find(obj)
        if entry:
            self._objs.remove(entry)

    def _check(self):
        ready = self._ready
        ready.clear()
        mask = 0
        for entry in self._objs:
            obj, flags, serial = entry
            if serial:
                got = 0
                if flags & POLLIN:
                    mask |= 1
                    if k.R.rx_any:
                        got |= POLLIN
                if flags & POLLOUT:
                    mask |= 2
                    if k.R.tx_free:
                        got |= POLLOUT
            else:
                got = obj.ioctl(3, flags)
            if got:
                ready.append((obj, got))
        return mask

    def ipoll(self, timeout=-1, flags=0):
        k.spend(_LOOP_US)
        until = k.now + timeout * 1000 if timeout >= 0 else _FOREVER
        if k.now >= k.hold:
            k.sync()
        while True:
            mask = self._check()
            if self._ready or k.now >= until:
                return self._ready
            k.wait(until, mask)

    poll = ipoll
