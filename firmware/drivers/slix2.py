"""Write protection of NXP ICODE SLIX2 tags by password: SLIX2 data sheet rev. 4.1, sections 9.5.3 and 9.6.3.

Loaded with the technician's tools only; reading a tag needs no password. A password is a number of 32 bits.
"""

from micropython import const

from . import iso15693
from .iso15693 import ERROR, GOOD, SILENT

FACTORY = const(0)  # write password of a tag that nobody has registered
WRONG = const(5)  # outcome: the password is another one; the tag executes nothing until its field was off

_GET_RANDOM = const(0xB2)
_SET_PASSWORD = const(0xB3)
_WRITE_PASSWORD = const(0xB4)
_PROTECT_PAGE = const(0xB6)
_NXP = const(0x04)
_WRITE_ID = const(2)
_WRITE_LOW = const(0x02)  # the page below the pointer takes the password for writing, none for reading
_WRITE_WINDOW_US = const(20000)
_TRIES = const(4)


def _custom(air, code, uid, parameters, take=0, window_us=640):
    """Await it: a custom command to one tag, answered by `take` bytes in `air.data`."""
    n = air._addressed(code, uid, _NXP)
    for byte in parameters:
        iso15693._request[n] = byte
        n += 1
    return air._call(n, take, window_us)


def _bytes(password):
    return bytes((_WRITE_ID,)) + password.to_bytes(4, "little")


async def unlock(air, uid, password):
    """Give a tag its write password, until its field goes off: GOOD, SILENT, ERROR (it knows none) or WRONG.

    The password goes over the air mixed with a random number of the tag's. A lost answer is no wrong password: only a
    tag that is deaf afterwards tells that.
    """
    heard = False
    for _ in range(_TRIES):
        await _custom(air, _GET_RANDOM, uid, b"", 2)
        if air.outcome == ERROR:
            return ERROR
        if air.outcome != GOOD:
            continue
        heard = True
        mixed = bytearray(_bytes(password))
        for i in range(4):
            mixed[1 + i] ^= air.data[i & 1]
        await _custom(air, _SET_PASSWORD, uid, mixed)
        if air.outcome == GOOD:
            return GOOD
        if air.outcome == ERROR:
            return WRONG
    return WRONG if heard else SILENT


async def change(air, uid, password):
    """Give an unlocked tag a new write password, and unlock it with that: the outcome is that of `unlock`."""
    # Asked once: if only the answer is lost, the old password no longer opens the tag.
    await _custom(air, _WRITE_PASSWORD, uid, _bytes(password), 0, _WRITE_WINDOW_US)
    return await unlock(air, uid, password)


def protect(air, uid, blocks):
    """Await it: an unlocked tag takes writes to its first `blocks` blocks from now on only after `unlock`."""
    return _custom(air, _PROTECT_PAGE, uid, bytes((blocks, _WRITE_LOW)), 0, _WRITE_WINDOW_US)
