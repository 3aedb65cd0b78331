"""ISO/IEC 15693 requests through a PN5180, with the custom commands of NXP ICODE SLIX2.

UIDs are eight bytes as on the air, low byte first.
"""

from micropython import const

from . import pn5180
from .pn5180 import COLLISION, GOOD, NOISE, SILENT  # noqa: F401 - the outcomes of a request
from .waiting import Operation

_HIGH_RATE = const(0x02)
_INVENTORY = const(0x04)
_AFI = const(0x10)
_ONE_SLOT = const(0x20)
_ADDRESSED = const(0x22)

_CMD_INVENTORY = const(0x01)
_CMD_STAY_QUIET = const(0x02)
_CMD_READ = const(0x20)
_CMD_WRITE = const(0x21)
_CMD_READ_MULTIPLE = const(0x23)
_CMD_RESET_TO_READY = const(0x26)
_CMD_WRITE_AFI = const(0x27)
_CMD_PERSISTENT_QUIET = const(0xBC)
_NXP = const(0x04)

_REPLY_INVENTORY = const(10)  # flags, DSFID, UID
_WINDOW_US = const(640)  # the first bits of an answer come within 625.4 us
_WRITE_WINDOW_US = const(20000)  # a write may be answered this late
_ERROR = const(0x01)
_LEVELS = const(16)  # nibbles of a UID
ANY_AFI = const(0)

ERROR = const(4)  # the tag answered that it will not

_request = pn5180.request
_answer = pn5180.answer


def crc16(data, crc=0xFFFF):
    """CRC of ISO/IEC 15693 over `data`; to go on, pass the last result ^ FFFFh."""
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x8408 if crc & 1 else crc >> 1
    return crc ^ 0xFFFF


class Iso15693(Operation):
    """One request at a time: `outcome = (await air.read(...)).outcome` style is avoided; look at `outcome` after
    the await: SILENT, GOOD, COLLISION, NOISE or ERROR. SILENT is the only evidence of absence.
    """

    def __init__(self, reader):
        self.reader = reader
        self.uid = bytearray(8)
        self.data = bytearray(32)
        self.outcome = SILENT
        self._take = 0  # bytes of the reply's body, -1: an inventory reply
        self._extra = -1  # CRC bytes the chip counts as data: 0 or 2, learnt from the first good inventory reply

    def probe(self, afi=-1):
        """Single-slot inventory: GOOD leaves the UID of the one tag in `uid`."""
        n = self._inventory(afi, 0, None, _ONE_SLOT)
        self._take = -1
        self.reader.ask(n)
        return self

    def read(self, uid, block=0, count=1):
        """Addressed read of 1-8 blocks into `data`."""
        n = self._addressed(_CMD_READ_MULTIPLE if count > 1 else _CMD_READ, uid, -1)
        _request[n] = block
        if count > 1:
            n += 1
            _request[n] = count - 1
        return self._call(n + 1, 4 * count)

    def stay_quiet(self, uid):
        """Silence a tag until its field goes off; it does not answer."""
        return self._command(_CMD_STAY_QUIET, uid, -1)

    def persistent_quiet(self, uid):
        """Silence a SLIX2 for inventories without AFI, for two seconds or more without field; no answer."""
        return self._command(_CMD_PERSISTENT_QUIET, uid, _NXP)

    def reset_to_ready(self, uid):
        """End any kind of quiet."""
        return self._command(_CMD_RESET_TO_READY, uid, -1)

    def write(self, uid, block, data):
        """Write the four bytes of a block; GOOD once the tag has confirmed."""
        n = self._addressed(_CMD_WRITE, uid, -1)
        _request[n] = block
        _request[n + 1 : n + 5] = data
        return self._call(n + 5, 0, _WRITE_WINDOW_US)

    def write_afi(self, uid, afi):
        n = self._addressed(_CMD_WRITE_AFI, uid, -1)
        _request[n] = afi
        return self._call(n + 1, 0, _WRITE_WINDOW_US)

    # -- shared ----------------------------------------------------------------------------------------------

    def _inventory(self, afi, mask_bits, mask, flags):
        flags |= _HIGH_RATE | _INVENTORY
        _request[1] = _CMD_INVENTORY
        n = 2
        if afi >= 0:
            flags |= _AFI
            _request[n] = afi
            n += 1
        _request[0] = flags
        _request[n] = mask_bits
        n += 1
        for i in range((mask_bits + 7) >> 3):
            _request[n] = mask[i]
            n += 1
        return n

    def _addressed(self, code, uid, maker):
        _request[0] = _ADDRESSED
        _request[1] = code
        n = 2
        if maker >= 0:
            _request[n] = maker
            n += 1
        for i in range(8):
            _request[n + i] = uid[i]
        return n + 8

    def _command(self, code, uid, maker):
        return self._call(self._addressed(code, uid, maker), 0)

    def _call(self, n, take, window_us=_WINDOW_US):
        self._take = take
        self.reader.call(n, take + 3, window_us)
        return self

    def cancelled(self):
        self.reader.cancelled()

    def step(self):
        if not self.reader.step():
            return False
        outcome = self.reader.outcome
        if outcome == GOOD:
            outcome = self.inventory_reply(self.uid, 0) if self._take < 0 else self._body()
        self.outcome = outcome
        return True

    def inventory_reply(self, uids, at):
        """Judge a reply that must be that of an inventory; copy its UID to `uids[at : at + 8]`."""
        answer = _answer
        extra = self.reader.length - _REPLY_INVENTORY
        if answer[0] or extra != self._extra and (self._extra >= 0 or extra != 0 and extra != 2):
            return NOISE
        if answer[9] != 0xE0:
            return NOISE
        self._extra = extra
        for i in range(8):
            uids[at + i] = answer[2 + i]
        return GOOD

    def _body(self):
        n = self.reader.length - (self._extra if self._extra > 0 else 0)
        if n == 2 and _answer[0] & _ERROR:
            return ERROR
        if n != 1 + self._take or _answer[0]:
            return NOISE
        for i in range(self._take):
            self.data[i] = _answer[1 + i]
        return GOOD


class Inventory(Operation):
    """A full inventory by 16-slot rounds, one round an await, so that other work fits between.

        inventory.begin(air)
        while inventory.more():
            await inventory.round()

    Then `uids[:8 * count]` are the tags, each once. `overflow`: more answered than there is room for.
    `noise` counts damaged answers; `lost` those whose sender was not found by asking again. The search ends
    within 16 levels a tag, whatever is received.
    """

    def __init__(self, capacity, air=None):
        self.capacity = capacity
        self.uids = bytearray(8 * capacity + 8)  # and the one that is being judged
        self.count = 0
        self.overflow = False
        self.noise = 0
        self.lost = 0
        self.rounds = 0
        self._air = air
        self._afi = -1
        self._mask = bytearray(8)
        self._level = 0  # nibbles of mask in use
        self._pending = [0] * _LEVELS  # slots still to be entered, one bit each, of the round at each level
        self._noisy = [0] * _LEVELS  # those of them that were damaged rather than collided
        self._slot = 0
        self._heard = 0  # slots of this round that held anything
        self._doubted = False  # this round asks again after a damaged answer

    def begin(self, air, afi=-1):
        """Start over on `air`, an `Iso15693`; `afi` 0 (any) or more also makes quiet SLIX2 answer."""
        self._air = air
        self._afi = afi
        self.count = self.noise = self.lost = self.rounds = 0
        self.overflow = False
        self._level = -1
        return self

    def more(self):
        """Prepare the next round; False when the search is complete."""
        if self._level < 0:
            if self.rounds:
                return False
            self._level = 0
            self._doubted = False
            return True
        if self.rounds >= (self.capacity + 1) * _LEVELS:
            self.overflow = True
            return False
        level = self._level
        while not self._pending[level]:
            level -= 1
            if level < 0:
                self._level = -1
                return False
        slots = self._pending[level]
        slot = 0
        while not slots >> slot & 1:
            slot += 1
        self._pending[level] = slots & ~(1 << slot)
        self._doubted = bool(self._noisy[level] >> slot & 1)
        at = level >> 1
        self._mask[at] = self._mask[at] & 0x0F | slot << 4 if level & 1 else slot
        self._level = level + 1
        return True

    def round(self):
        """Await it: one round of 16 slots."""
        level = self._level
        self.rounds += 1
        self._slot = 0
        self._heard = 0
        self._pending[level] = 0
        self._noisy[level] = 0
        air = self._air
        air.reader.ask(air._inventory(self._afi, 4 * level, self._mask, 0))
        return self

    def cancelled(self):
        self._air.cancelled()

    def step(self):
        reader = self._air.reader
        while reader.step():
            outcome = reader.outcome
            slot = self._slot
            if slot < 15:
                reader.next_slot()  # what was heard is looked at while it runs
            if outcome != SILENT:
                self._heard += 1
                self._note(outcome)
            self._slot = slot + 1
            if slot == 15:
                if self._doubted and not self._heard:
                    self.lost += 1
                return True
        return False

    def _note(self, outcome):
        if outcome == GOOD:
            at = 8 * self.count
            outcome = self._air.inventory_reply(self.uids, at)
            if outcome == GOOD:
                # Every slot is entered once, so a UID that belongs to it is new.
                if self._belongs(at):
                    if self.count < self.capacity:
                        self.count += 1
                    else:
                        self.overflow = True
                    return
                outcome = NOISE
        if outcome == NOISE:
            self.noise += 1
        if self._level + 1 < _LEVELS:
            self._pending[self._level] |= 1 << self._slot
            if outcome == NOISE:
                self._noisy[self._level] |= 1 << self._slot
        else:
            self.lost += 1  # two tags with one UID, or noise on the last nibble

    def _belongs(self, at):
        """A true UID continues the mask with the number of its slot; a shifted one does not."""
        uids = self.uids
        level = self._level
        for i in range(level >> 1):
            if uids[at + i] != self._mask[i]:
                return False
        byte = uids[at + (level >> 1)]
        if level & 1:
            return byte >> 4 == self._slot and byte & 0x0F == self._mask[level >> 1] & 0x0F
        return byte & 0x0F == self._slot
