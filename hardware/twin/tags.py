"""ICODE SLIX2 tag: states, memory and answers of ISO/IEC 15693, as a pure function of requests and time.

Frames are bytes as on the air, CRC included, without SOF and EOF. Times are microseconds of the table's clock.
Sources: SLIX2 data sheet rev. 4.1 (sections 9.2-9.6), ISO/IEC 15693-3. Names ending in `_CHOICE` stand where
the sheets are silent.
"""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import Callable, Iterable
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

START_US = 1_000  # field on until the first request is understood, maximum of the standard
PERSISTENT_US = 2_000_000  # memory of persistent quiet without field, minimum at room temperature
BLOCKS = 80
USER_BLOCKS = 79
COUNTER_BLOCK = 79
RESET_ALL_WAKES_CHOICE = True  # RESET TO READY to all ends persistent quiet: drawn in figure 5, not in words
WRITE_US_CHOICE = 13 * 302.08  # programming time; answers to writes come at t1 + a multiple of 302.08 us
PROTECT_READ_LOW, PROTECT_WRITE_LOW, PROTECT_READ_HIGH, PROTECT_WRITE_HIGH = 1, 2, 16, 32  # _CHOICE: bits of B6
NEW_PASSWORD_AT_ONCE_CHOICE = True  # what was opened with the old password is shut again by WRITE PASSWORD

SUBCARRIERS, HIGH_RATE, INVENTORY, SELECT_OR_AFI, ADDRESS_OR_ONE_SLOT, OPTION = 1, 2, 4, 0x10, 0x20, 0x40
MANUFACTURER = 0x04
ERROR = bytes((0x01, 0x0F))
DONE = b"\x00"
READ, WRITE, PRIVACY, DESTROY, EAS_AFI = 1, 2, 4, 8, 16  # password ids

_REVERSED = bytes(int(f"{i:08b}"[::-1], 2) for i in range(256))


def crc16(data: bytes, preset: int = 0xFFFF, inverted: bool = True) -> int:
    """CRC of ISO/IEC 15693 (reflected 8408h); the low byte is sent first."""
    start = _REVERSED[preset & 0xFF] << 8 | _REVERSED[preset >> 8]
    crc = crc_hqx(data.translate(_REVERSED), start)
    crc = _REVERSED[crc & 0xFF] << 8 | _REVERSED[crc >> 8]
    return crc ^ 0xFFFF if inverted else crc


def with_crc(data: bytes) -> bytes:
    return data + crc16(data).to_bytes(2, "little")


class State(Enum):
    OFF = "power-off"
    READY = "ready"
    QUIET = "quiet"
    SELECTED = "selected"
    PERSISTENT_QUIET = "persistent quiet"


class Request(NamedTuple):
    """A request as every tag understands it."""

    code: int
    inventory: bool
    option: bool
    one_slot: bool
    afi: int | None
    mask_length: int
    mask: int
    options: int | None  # of an extended INVENTORY READ
    uid: int | None
    selected: bool
    rest: bytes


def _parse_inventory(flags: int, code: int, body: bytes) -> Request | None:
    if code not in (0x01, 0xA0, 0xA1):
        return None
    if code != 0x01:
        if body[:1] != bytes((MANUFACTURER,)):
            return None
        body = body[1:]
    afi: int | None = None
    if flags & SELECT_OR_AFI:
        if not body:
            return None
        afi, body = body[0], body[1:]
    if not body:
        return None
    length, body = body[0], body[1:]
    options: int | None = None
    if code != 0x01 and length & 0x80:
        if not body:
            return None
        length, options, body = length & 0x7F, body[0], body[1:]
    one_slot = bool(flags & ADDRESS_OR_ONE_SLOT)
    size = (length + 7) // 8
    if length > (64 if one_slot else 60) or len(body) < size:
        return None
    mask = int.from_bytes(body[:size], "little") & ((1 << length) - 1)
    rest = body[size:]
    wanted = 0 if code == 0x01 or (options is not None and options & 0x10) else 2
    if len(rest) != wanted:
        return None
    option = bool(flags & OPTION)
    return Request(code, True, option, one_slot, afi, length, mask, options, None, False, rest)


@lru_cache(maxsize=2048)
def parse(frame: bytes) -> Request | None:
    """The request in `frame`, None when its CRC or its form is wrong (a tag is silent then)."""
    if len(frame) < 4 or crc16(frame[:-2]) != int.from_bytes(frame[-2:], "little"):
        return None
    flags, code, body = frame[0], frame[1], frame[2:-2]
    if flags & INVENTORY:
        return _parse_inventory(flags, code, body)
    if code >= 0xA0:
        if body[:1] != bytes((MANUFACTURER,)):
            return None
        body = body[1:]
    uid: int | None = None
    if flags & ADDRESS_OR_ONE_SLOT:
        if len(body) < 8 or flags & SELECT_OR_AFI:
            return None
        uid, body = int.from_bytes(body[:8], "little"), body[8:]
    selected = bool(flags & SELECT_OR_AFI)
    return Request(code, False, bool(flags & OPTION), True, None, 0, 0, None, uid, selected, body)


class _Refused(Exception):
    """The command cannot be executed: error 0F when addressed or selected, else silence."""


class Tag:
    """One SLIX2.

    `uid` is the 64-bit number (E0h in its top byte); `blocks` the memory from block 0 on, as one run of bytes
    or as blocks of four; what is missing is zero.
    """

    __slots__ = (
        "_given",
        "_held",
        "_identity",
        "_locked_out",
        "_off_since",
        "_passwords_locked",
        "_persistent",
        "_protection_locked",
        "_random",
        "_ready_at",
        "_slot",
        "_then",
        "afi",
        "delay_us",
        "dsfid",
        "epoch",
        "fast",
        "locked",
        "memory",
        "passwords",
        "persistent_us",
        "pointer",
        "protection",
        "state",
        "uid",
    )

    def __init__(self, uid: int, blocks: bytes | Iterable[bytes] = b"", afi: int = 0, dsfid: int = 0) -> None:
        memory = bytes(blocks) if isinstance(blocks, bytes | bytearray) else b"".join(blocks)
        if not 0 <= uid < 1 << 64:
            raise ValueError(f"a UID has 64 bits, {uid:#x} does not fit")
        if len(memory) > 4 * BLOCKS:
            raise ValueError(f"a tag holds {4 * BLOCKS} bytes, {len(memory)} were given")
        self.uid = uid
        self.memory = bytearray(memory.ljust(4 * BLOCKS, b"\0"))
        self.afi = afi
        self.dsfid = dsfid
        self.locked: set[int] = set()
        self.passwords = {READ: 0, WRITE: 0, PRIVACY: 0x0F0F0F0F, DESTROY: 0x0F0F0F0F, EAS_AFI: 0}
        self.pointer = 0
        self.protection = 0
        self.persistent_us = PERSISTENT_US
        self.state = State.OFF
        self.delay_us = 0.0  # added to t1 by the last answer
        self.fast = False  # the last answer goes at 53 kbit/s
        self.epoch = 0  # counts changes of power
        self._off_since = 0
        self._ready_at = 1 << 62
        self._persistent = False
        self._locked_out = False
        self._given: set[int] = set()
        self._passwords_locked: set[int] = set()
        self._protection_locked = False
        self._random = (uid ^ uid >> 16 ^ uid >> 32) & 0xFFFF or 1
        self._slot: int | None = None  # slots still to wait for before answering
        self._held: bytes | None = None
        self._then: State | None = None
        self._identity: bytes = b""
        self._renew()

    def _renew(self) -> None:
        self._identity = with_crc(bytes((0, self.dsfid)) + self.uid.to_bytes(8, "little"))

    # ---- field and frames

    @property
    def powered(self) -> bool:
        return self.state is not State.OFF

    @property
    def waiting(self) -> bool:
        """True while an answer waits for an EOF: a later slot, or a write with the option flag."""
        return self._slot is not None

    def power(self, on: bool, now: int) -> None:
        """The field came or went at `now` (µs)."""
        if on == (self.state is not State.OFF):
            return
        self.epoch += 1
        self._slot = self._held = None
        if on:
            self._persistent = self._persistent and now - self._off_since <= self.persistent_us
            self.state = State.PERSISTENT_QUIET if self._persistent else State.READY
            self._ready_at = now + START_US
        else:
            self.state = State.OFF
            self._off_since = now
            self._ready_at = 1 << 62
            self._locked_out = False
            self._given.clear()

    def request(self, frame: bytes, now: int) -> bytes | None:
        """The answer to a request that ended at `now` (µs), CRC included; None for silence."""
        self._slot = self._held = None
        if now < self._ready_at or self._locked_out:
            return None
        request = parse(frame)
        if request is None:
            return None
        if request.inventory:
            return self._inventory(request)
        self.delay_us = 0.0
        self.fast = False
        if request.uid is not None:
            if request.uid != self.uid:
                if request.code == 0x25 and self.state is State.SELECTED:
                    self.state = State.READY
                return None
        elif request.selected:
            if self.state is not State.SELECTED:
                return None
        elif self.state in (State.QUIET, State.PERSISTENT_QUIET) and not (
            request.code == 0x26 and RESET_ALL_WAKES_CHOICE
        ):
            return None
        handler = _COMMANDS.get(request.code)
        try:
            if handler is None:
                raise _Refused
            answer = handler(self, request)
        except _Refused:
            answer = ERROR if request.uid is not None or request.selected else None
            self.delay_us = 0.0
        if answer is None:
            return None
        if self.delay_us and request.option and answer is not ERROR:
            self._slot, self._held, self._then, self.delay_us = 1, with_crc(answer), None, 0.0
            return None
        return with_crc(answer)

    def eof(self, now: int) -> bytes | None:
        """The answer to a lone EOF that ended at `now` (µs): the next slot, or the end of a held write."""
        if self._slot is None or now < self._ready_at:
            return None
        self._slot -= 1
        return self._speak() if self._slot == 0 else None

    def _speak(self) -> bytes | None:
        held, self._slot, self._held = self._held, None, None
        if self._then is not None:
            self.state = self._then
            self._persistent = self._persistent or self._then is State.PERSISTENT_QUIET
        return held

    # ---- inventory

    def _inventory(self, request: Request) -> bytes | None:
        state = self.state
        if state is State.QUIET:
            return None
        only_persistent = request.options is not None and request.options & 0x60 == 0x60
        if state is State.PERSISTENT_QUIET:
            if request.afi is None and not only_persistent:
                return None
        elif only_persistent:
            return None
        if (self.uid ^ request.mask) & ((1 << request.mask_length) - 1):
            return None
        if request.afi and not _afi_fits(request.afi, self.afi):
            return None
        self.delay_us = 0.0
        self.fast = request.code == 0xA1
        self._then = None
        if request.code == 0x01:
            self._held = self._identity
        else:
            self._held = self._inventory_read(request, only_persistent)
            if self._held is None:
                return None
        self._slot = 0 if request.one_slot else (self.uid >> request.mask_length) & 0x0F
        return self._speak() if self._slot == 0 else None

    def _inventory_read(self, request: Request, only_persistent: bool) -> bytes | None:
        options = request.options or 0
        if options & 0x01:  # EAS tags only: no tag of the table sets EAS
            return None
        answer = bytearray(DONE)
        if request.option:
            bits = (64 if request.one_slot else 60) - request.mask_length
            size = 8 if options & 0x02 else (bits + 7) // 8
            answer += self.uid.to_bytes(8, "little")[8 - size :]
        if request.rest:
            try:
                answer += self._run(request.rest[0], request.rest[1] + 1)
            except _Refused:
                return None
        if not only_persistent and options & 0x60:
            self._then = State.QUIET if options & 0x20 else State.PERSISTENT_QUIET
        return with_crc(bytes(answer))

    # ---- memory

    def _allowed(self, block: int, write: bool) -> bool:
        low = block < self.pointer
        bit = (
            (PROTECT_WRITE_LOW if write else PROTECT_READ_LOW)
            if low
            else (PROTECT_WRITE_HIGH if write else PROTECT_READ_HIGH)
        )
        return not self.protection & bit or (WRITE if write else READ) in self._given

    def _run(self, first: int, count: int, security: bool = False) -> bytes:
        if first >= USER_BLOCKS:
            raise _Refused
        out = bytearray()
        for block in range(first, min(first + count, USER_BLOCKS)):
            if not self._allowed(block, False):
                raise _Refused
            if security:
                out.append(block in self.locked)
            out += self.memory[4 * block : 4 * block + 4]
        return bytes(out)

    def _read_single(self, request: Request) -> bytes:
        if len(request.rest) != 1 or request.rest[0] >= BLOCKS or not self._allowed(request.rest[0], False):
            raise _Refused
        block = request.rest[0]
        lock = bytes((block in self.locked,)) if request.option else b""
        return DONE + lock + self.memory[4 * block : 4 * block + 4]

    def _read_multiple(self, request: Request) -> bytes:
        if len(request.rest) != 2:
            raise _Refused
        return DONE + self._run(request.rest[0], request.rest[1] + 1, request.option)

    def _write_single(self, request: Request) -> bytes:
        if len(request.rest) != 5:
            raise _Refused
        block, data = request.rest[0], request.rest[1:]
        if block >= BLOCKS or block in self.locked:
            raise _Refused
        if block == COUNTER_BLOCK:
            data = self._count(data)
        elif not self._allowed(block, True):
            raise _Refused
        self.memory[4 * block : 4 * block + 4] = data
        self.delay_us = WRITE_US_CHOICE
        return DONE

    def _count(self, data: bytes) -> bytes:
        old = self.memory[4 * COUNTER_BLOCK : 4 * COUNTER_BLOCK + 4]
        if data == b"\x01\x00\x00\x00":
            if old[3] & 1 and READ not in self._given:
                raise _Refused
            value = int.from_bytes(old[:2], "little") + 1
            if value > 0xFFFF:
                raise _Refused
            return value.to_bytes(2, "little") + old[2:]
        if data[:2] == b"\x01\x00" or WRITE not in self._given:
            raise _Refused
        return data[:2] + bytes((0, data[3]))

    def _lock_block(self, request: Request) -> bytes:
        if len(request.rest) != 1 or request.rest[0] >= USER_BLOCKS or request.rest[0] in self.locked:
            raise _Refused
        if not self._allowed(request.rest[0], True):
            raise _Refused
        self.locked.add(request.rest[0])
        self.delay_us = WRITE_US_CHOICE
        return DONE

    def _write_afi(self, request: Request) -> bytes:
        if len(request.rest) != 1:
            raise _Refused
        self.afi = request.rest[0]
        self.delay_us = WRITE_US_CHOICE
        return DONE

    def _write_dsfid(self, request: Request) -> bytes:
        if len(request.rest) != 1:
            raise _Refused
        self.dsfid = request.rest[0]
        self._renew()
        self.delay_us = WRITE_US_CHOICE
        return DONE

    def _system_information(self, request: Request) -> bytes:
        if request.rest:
            raise _Refused
        head = bytes((0, 0x0F)) + self.uid.to_bytes(8, "little")
        return head + bytes((self.dsfid, self.afi, BLOCKS - 1, 3, 0x01))

    # ---- states

    def _stay_quiet(self, request: Request) -> None:
        if request.uid is not None:
            self.state = State.QUIET

    def _stay_quiet_persistent(self, request: Request) -> None:
        if request.uid is not None:
            self._persistent = True
            if self.state is not State.QUIET:
                self.state = State.PERSISTENT_QUIET

    def _select(self, request: Request) -> bytes | None:
        if request.uid is None:
            return None
        self.state = State.SELECTED
        self._persistent = False
        return DONE

    def _reset_to_ready(self, request: Request) -> bytes:
        self.state = State.READY
        self._persistent = False
        return DONE

    # ---- passwords

    def _named(self, request: Request) -> None:
        """Passwords and protection are for a tag that is addressed or selected, never for all in the field."""
        if request.uid is None and not request.selected:
            raise _Refused

    def _get_random(self, request: Request) -> bytes:
        self._named(request)
        if request.rest:
            raise _Refused
        lsb = self._random & 1
        self._random = self._random >> 1 ^ (0xB400 if lsb else 0)
        return DONE + self._random.to_bytes(2, "little")

    def _set_password(self, request: Request) -> bytes | None:
        self._named(request)
        if len(request.rest) != 5 or request.rest[0] not in self.passwords:
            raise _Refused
        key = self._random.to_bytes(2, "little") * 2
        given = bytes(a ^ b for a, b in zip(request.rest[1:], key, strict=True))
        if int.from_bytes(given, "little") != self.passwords[request.rest[0]]:
            self._locked_out = True
            return None
        self._given.add(request.rest[0])
        return DONE

    def _write_password(self, request: Request) -> bytes:
        self._named(request)
        if len(request.rest) != 5 or request.rest[0] not in self._given or request.rest[0] in self._passwords_locked:
            raise _Refused
        self.passwords[request.rest[0]] = int.from_bytes(request.rest[1:], "little")
        if NEW_PASSWORD_AT_ONCE_CHOICE:
            self._given.discard(request.rest[0])
        self.delay_us = WRITE_US_CHOICE
        return DONE

    def _lock_password(self, request: Request) -> bytes:
        self._named(request)
        if len(request.rest) != 1 or request.rest[0] not in self._given or request.rest[0] in self._passwords_locked:
            raise _Refused
        self._passwords_locked.add(request.rest[0])
        self.delay_us = WRITE_US_CHOICE
        return DONE

    def _protect_page(self, request: Request) -> bytes:
        self._named(request)
        if len(request.rest) != 2 or request.rest[0] >= USER_BLOCKS:
            raise _Refused
        if WRITE not in self._given or self._protection_locked:
            raise _Refused
        self.pointer, self.protection = request.rest
        self.delay_us = WRITE_US_CHOICE
        return DONE

    def _lock_protection(self, request: Request) -> bytes:
        self._named(request)
        if request.rest or WRITE not in self._given or self._protection_locked:
            raise _Refused
        self._protection_locked = True
        self.delay_us = WRITE_US_CHOICE
        return DONE


_COMMANDS: dict[int, Callable[[Tag, Request], bytes | None]] = {
    0x02: Tag._stay_quiet,
    0x20: Tag._read_single,
    0x21: Tag._write_single,
    0x22: Tag._lock_block,
    0x23: Tag._read_multiple,
    0x25: Tag._select,
    0x26: Tag._reset_to_ready,
    0x27: Tag._write_afi,
    0x29: Tag._write_dsfid,
    0x2B: Tag._system_information,
    0xB2: Tag._get_random,
    0xB3: Tag._set_password,
    0xB4: Tag._write_password,
    0xB5: Tag._lock_password,
    0xB6: Tag._protect_page,
    0xB7: Tag._lock_protection,
    0xBC: Tag._stay_quiet_persistent,
}


def _afi_fits(asked: int, own: int) -> bool:
    """ISO/IEC 15693-3: a zero nibble of the asked AFI stands for all families or all sub-families."""
    return (not asked & 0xF0 or asked & 0xF0 == own & 0xF0) and (not asked & 0x0F or asked & 0x0F == own & 0x0F)
