"""NXP PN5180 reader front end on SPI, set up for ISO 15693. Tables and sections: data sheet rev. 4.0.

One command or one answer is one whole frame under NSS; BUSY tells when the chip may be spoken to again.
"""

from asyncio import sleep_ms
from time import sleep_us, ticks_add, ticks_diff, ticks_us

from micropython import const

from .faults import FieldLost, ReaderDead, ReaderFault, ReaderHot, ReaderHung, ReaderOrder
from .waiting import Operation

# Commands (table 4)
_READ_REGISTER_MULTIPLE = const(0x05)
_WRITE_REGISTER_MULTIPLE = const(0x03)
_WRITE_EEPROM = const(0x06)
_READ_EEPROM = const(0x07)
_SEND_DATA = const(0x09)
_READ_DATA = const(0x0A)
_LOAD_RF_CONFIG = const(0x11)
_RF_ON = const(0x16)
_RF_OFF = const(0x17)

# Registers (table 74)
_SYSTEM_CONFIG = const(0x00)
_IRQ_ENABLE = const(0x01)
_IRQ_STATUS = const(0x02)
_IRQ_CLEAR = const(0x03)
_TRANSCEIVE_CONTROL = const(0x04)
_TIMER1_RELOAD = const(0x0C)
_TIMER1_CONFIG = const(0x0F)
_RX_WAIT_CONFIG = const(0x11)
_CRC_RX_CONFIG = const(0x12)
_RX_STATUS = const(0x13)
_TX_WAIT_CONFIG = const(0x17)
_TX_CONFIG = const(0x18)
_CRC_TX_CONFIG = const(0x19)
_SIGPRO_RM_CONFIG = const(0x1C)
_RF_STATUS = const(0x1D)
_SYSTEM_STATUS = const(0x24)
_TEMP_CONTROL = const(0x25)

_WRITE = const(1)
_OR = const(2)
_AND = const(3)

# Bits of the status read: bytes 0-3 IRQ_STATUS, 4-7 RX_STATUS, 8-11 RF_STATUS
_B0_RX = const(0x01)
_B1_TIMER1 = const(0x10)
_B1_RECEIVING = const(0xC0)  # SOF or subcarrier seen
_B2_HOT = const(0x01)
_B2_RFU = const(0xF0)
_B2_BAD = const(0xF3)  # these, or a command refused
_B6_DAMAGED = const(0x03)  # CRC, framing
_B6_COLLISION = const(0x04)
_B9_RECEIVING = const(0x04)
_B10_FIELD = const(0x02)

# 10 % ASK requests with 26 kbit/s answers: only with 10 % may an empty slot end after 474 us; with 100 % the
# standard makes it wait for a whole reply, 4.25 ms, and an empty round of 16 slots would take 70 ms.
_TX_10_PERCENT = const(0x0E)
_RX_26_KBIT = const(0x8D)

_EEPROM_VERSIONS = const(0x10)  # product, firmware, EEPROM; then up to 1Bh
_EEPROM_IRQ = const(0x1A)
_TEST_BUS = const(0x80)
_EEPROM_MISC = const(0xE8)
_DPC_XI = const(0x10)  # the correction of dynamic power control is in effect

_SPIN_US = const(1000)  # BUSY of ordinary commands: some tens of us
_SLOW_US = const(18000)  # RF configuration, field, EEPROM
_MARGIN_US = const(2000)
_START_US = const(1000)  # tags after field on
_T2_US = const(312)  # answer to next request
# End of a request until silence is certain. A reply begins after t1 = 323 us with 57 us of plain carrier, then
# comes the subcarrier. The next EOF must wait for t1 + SOF = 474.3 us: the bytes of status and order on the SPI
# alone take longer than the difference.
_WINDOW_US = const(440)
_BYTE_US = const(302)
_INVENTORY_US = const(4000)  # reply to an inventory
_REST_US = const(3780)  # what is left of it when its beginning has been seen
# Other tasks run while the air is busy; the last part of a wait is spun, for waking up from an interrupt takes the
# scheduler as long as an empty slot.
_WAKE_US = const(500)
_GRACE_US = const(150)  # clocks and BUSY
_RISE_US = const(1300)
_EOF_US = const(38)
_FRAME_US = const(113)  # SOF and EOF of a request
_OFF_US = const(110)
_TIMER_RF_ON = const(0x000101)  # TIMER1_CONFIG (table 89): on, started by our field,
_TIMER_TX_END = const(0x000801)  # by the end of a request,
_TIMER_UNTIL_RX = const(0x100000)  # stopped by a reply
_SETTLE_US = const(20)  # usual length of BUSY
_LOAD_US = const(200)

_WAIT_FOR_DATA = const(4)  # state of the transceiver (table 103)

SILENT = const(0)
GOOD = const(1)
COLLISION = const(2)
NOISE = const(3)

_NOTHING = const(0)
_LOADING = const(1)
_RISING = const(2)
_ASKING = const(3)

# Shared by all readers: nothing is awaited between filling and use.
_RX_ROOM = const(44)
_rx = bytearray(_RX_ROOM)
_rx_views = [None] * (_RX_ROOM + 1)  # the first n bytes, made once for each length in use
_TX_ROOM = const(26)
_tx = bytearray(_TX_ROOM)
_tx_views = [None] * (_TX_ROOM + 1)
request = memoryview(_tx)[2:]  # an ISO 15693 request is composed here, without CRC
answer = memoryview(_rx)  # the reply to it, without CRC, until the next command
_status = bytearray(12)

_ask_status = bytes((_READ_REGISTER_MULTIPLE, _IRQ_STATUS, _RX_STATUS, _RF_STATUS))
_fetch = bytes((_READ_DATA, 0))
_load = bytes((_LOAD_RF_CONFIG, _TX_10_PERCENT, _RX_26_KBIT))
_field_on = bytes((_RF_ON, 1))  # without collision avoidance: a neighbour's leak must not refuse it
_field_off = bytes((_RF_OFF, 0))
_soft_reset = bytes((_WRITE_REGISTER_MULTIPLE, _SYSTEM_CONFIG, _OR, 0, 1, 0, 0))
_ask_boot = bytes((_READ_REGISTER_MULTIPLE, _SYSTEM_STATUS, _RF_STATUS))
_clear_timer = bytes((_WRITE_REGISTER_MULTIPLE, _IRQ_CLEAR, _WRITE, 0, 0x10, 0, 0))
_ALL_BUT_HOT = const(0x000EFFFF)  # heat that struck between two requests is told by the next status
_RELOAD_AT = const(21)  # of TIMER1 in an order that sets it
_trim = bytearray((  # SYSTEM_CONFIG 19:12 (table 75)
    _WRITE_REGISTER_MULTIPLE,
    _SYSTEM_CONFIG, _AND, 0xFF, 0x0F, 0xF0, 0xFF,
    _SYSTEM_CONFIG, _OR, 0, 0, 0, 0,
))  # fmt: skip
_TRIM_AT = const(10)
_MIN_LEVEL_AT = const(4)  # byte of the setup that holds MIN_LEVEL in its upper half
_BOOT_MS = const(3)  # 2.5 ms typically; whoever takes longer after a soft reset gets a hard one
_BOOT_CAUSE = const(0x1F)  # SYSTEM_STATUS (table 110):
_BY_ITSELF = const(0x08)  # a soft reset
_SENSOR_ON = const(0x04)  # TEMP_CONTROL (table 111)

# What `Pn5180.shut` may do next
_HARD = const(0)
_SOFT = const(1)
_FRESH = const(2)  # nothing: the chip has just reset itself
MIN_LEVEL = const(4)  # of the receiver, as the RF configuration has it (tables 102, 185)


def _first(views, buf, n):
    view = views[n]
    if view is None:
        view = views[n] = memoryview(buf)[:n]
    return view


_kept: list = []


def _shared(order):
    """This order, or an equal one that another reader made: readers of one kind need them but once."""
    for old in _kept:
        if old == order:
            return old
    _kept.append(order)
    return order


def _registers(*entries):
    """A WRITE_REGISTER_MULTIPLE frame of (register, action, value)."""
    frame = bytearray(1)
    frame[0] = _WRITE_REGISTER_MULTIPLE
    for register, action, value in entries:
        frame.extend(bytes((register, action)))
        frame.extend(value.to_bytes(4, "little"))
    return frame


# The interrupt line is shared: a reader that rests must not hold it.
_idle = _registers((_SYSTEM_CONFIG, _AND, 0xFFFFFFF0), (_IRQ_CLEAR, _WRITE, _ALL_BUT_HOT))


def _ticks(us):
    return us * 1356 // 100


def _order(tx_config, *more):
    """Idle, flags cleared, framing, transceive: the chip waits for something to send (section 11.8.7)."""
    return _registers(
        (_SYSTEM_CONFIG, _AND, 0xFFFFFFF0),
        (_IRQ_CLEAR, _WRITE, _ALL_BUT_HOT),
        (_TX_CONFIG, _WRITE, tx_config),
        *more,
        (_SYSTEM_CONFIG, _OR, 3),
    )


class Pn5180(Operation):
    """One reader. `busy` an input pin, `cs` an output pin, `reset(level)` drives RESET_N, `irq` an `IrqLine`.

    Each of `await reader.field_on()`, `ask(n)`, `next_slot()` and `call(n, reply)` completes within 20 ms (writes:
    within their window) or raises a `ReaderFault`. After an exchange `outcome` is SILENT, GOOD, COLLISION or NOISE;
    after GOOD `answer[:length]` holds the reply. NSS is high after every call, whatever happened.
    """

    def __init__(self, spi, cs, busy, reset, irq, name):
        self._spi = spi
        self._cs = cs
        self._busy = busy
        self._reset = reset
        self._irq = irq
        self.name = name
        self._confirm = False
        self._state = _NOTHING
        self._asked = self._deadline = self._due = ticks_us()
        self._more_us = 0  # then, if something answers
        self._turned = False  # other tasks have had a turn since the request
        self._quiet = ticks_us()  # ticks_us before which no request may start
        self._way = _HARD
        self._proven = False  # whether there was a field since the last start
        self._setup = bytearray()
        self._slot_order = b""
        self._ask_order = self._call_order = bytearray()
        self.version = (0, 0)
        self.min_level = MIN_LEVEL  # 0-15, from the next field on: weaker answers are not heard
        self.trim = 0  # -128 to 127, from the next field on: the field's power
        self._trimmed = 0  # what the chip holds
        self.outcome = SILENT
        self.length = 0
        self.field = False
        cs(1)

    # -- start and recovery ----------------------------------------------------------------------------------

    async def start(self):
        """Reset, check versions, load the RF configuration. Also the way back after any `ReaderFault`."""
        self._state = _NOTHING
        self.field = False
        self._confirm = self._proven = False
        self._trimmed = 0
        fresh = self._way == _FRESH
        self._way = _HARD
        if not fresh:
            await self._hard_reset()
        head = await self._eeprom()
        # Lines are ORed active high; the factory values are not in the sheet. Written once in a chip's life.
        written = await self._set_bit(_EEPROM_IRQ, head[_EEPROM_IRQ - _EEPROM_VERSIONS], 1)
        self._frame(bytes((_READ_EEPROM, _EEPROM_MISC, 1)))
        await self._ready("EEPROM")
        self._answer(1)
        if await self._set_bit(_EEPROM_MISC, _rx[0], _DPC_XI) or written:
            await self._hard_reset()
        self._confirm = bool(head[7] & _TEST_BUS)
        self.version = (head[3], head[2])
        self._frame(_idle)
        self._frame(_load)
        await self._ready("LOAD_RF_CONFIG")
        self._frame(bytes((_READ_REGISTER_MULTIPLE, _CRC_RX_CONFIG, _CRC_TX_CONFIG, _TX_CONFIG)))
        self._answer(12)
        crc_rx, crc_tx, tx = (int.from_bytes(_rx[i : i + 4], "little") for i in (0, 4, 8))
        if not tx & 0x400:
            raise ReaderDead(self.name, "the RF configuration has no effect")
        # The timer from the end of the request; when somebody is called by name, it stops as the reply begins.
        timer = (_TIMER1_RELOAD, _WRITE, _ticks(_WINDOW_US))
        self._ask_order = _shared(_order(tx, timer, (_TIMER1_CONFIG, _WRITE, _TIMER_TX_END)))
        self._call_order = _order(tx, timer, (_TIMER1_CONFIG, _WRITE, _TIMER_TX_END | _TIMER_UNTIL_RX))
        assert self._call_order[_RELOAD_AT - 2] == _TIMER1_RELOAD
        # No data, no start symbol: a lone EOF, sent by START_SEND
        self._slot_order = _shared(_order(tx & 0xFFFFFB3F) + _registers((_SYSTEM_CONFIG, _OR, 8))[1:])
        self._setup = _shared(_registers(
            (_SIGPRO_RM_CONFIG, _WRITE, 0x0010),
            (_TRANSCEIVE_CONTROL, _OR, 1),
            (_CRC_RX_CONFIG, _WRITE, crc_rx & 0xFFFFFFC0 | 0x1B),
            (_CRC_TX_CONFIG, _WRITE, crc_tx & 0xFFFFFFC0 | 0x1B),
            (_RX_WAIT_CONFIG, _WRITE, 0x1F7F),  # receiver closed for 292 us, before t1
            # t2 is kept here: TX_WAIT would also run before every empty slot; 7Fh is what power control requires
            (_TX_WAIT_CONFIG, _WRITE, 0x7F),
            (_TIMER1_RELOAD, _WRITE, _ticks(_START_US)),
            (_TIMER1_CONFIG, _WRITE, _TIMER_RF_ON),
            (_IRQ_CLEAR, _WRITE, _ALL_BUT_HOT),
            # The chip fixes bits 19:17; RX, field refused, TIMER1, hot
            (_IRQ_ENABLE, _WRITE, 0x000E0000 | 0x11401),
            (_TEMP_CONTROL, _OR, _SENSOR_ON),
        ))  # fmt: skip
        if not fresh:
            self._way = _SOFT

    def shut(self):
        """RESET_N is held and the field off when this returns, whatever the chip does. `start` is the way back."""
        self._state = _NOTHING
        self.field = False
        self._way = _HARD
        self._cs(1)
        self._reset(0)

    async def recover(self):
        """As `shut`, but a chip resets itself if it still can and if that helped last time."""
        soft = self._way == _SOFT and not self._busy()
        self._state = _NOTHING
        self.field = False
        self._cs(1)
        if soft and await self._soft_reset():
            self._way = _FRESH
        else:
            self.shut()

    async def _soft_reset(self):
        """True when the chip says that it has done it and that it makes no field."""
        try:
            self._frame(_soft_reset)
            await sleep_ms(_BOOT_MS)
            self._frame(_ask_boot)
            sleep_us(_SETTLE_US)
            self._answer(8)
        except ReaderFault:
            return False
        return _rx[0] & _BOOT_CAUSE == _BY_ITSELF and not _rx[6] & _B10_FIELD

    async def _hard_reset(self):
        self._cs(1)
        self._reset(0)
        await sleep_ms(1)
        self._reset(1)
        await sleep_ms(4)
        await self._ready("boot")

    async def _eeprom(self):
        self._frame(bytes((_READ_EEPROM, _EEPROM_VERSIONS, 12)))
        await self._ready("EEPROM")
        self._answer(12)
        head = bytes(_rx[:12])
        if head[2:4] in (b"\0\0", b"\xff\xff") or head[4:6] in (b"\0\0", b"\xff\xff"):
            raise ReaderDead(self.name, "no version: reader or its wiring is dead")
        return head

    async def _set_bit(self, address, value, bit):
        """True when the EEPROM had to be written."""
        if value & bit:
            return False
        self._frame(bytes((_WRITE_EEPROM, address, value | bit)))
        await self._ready("EEPROM")
        return True

    async def _ready(self, doing):
        for _ in range(18):
            if not self._busy():
                return
            await sleep_ms(1)
        raise ReaderHung(self.name, "BUSY stays high at " + doing)

    # -- field -----------------------------------------------------------------------------------------------

    def field_on(self):
        """Await it: RF configuration, field, and the start time of the tags. FieldLost when refused."""
        self._frame(_load)
        self._state = _LOADING
        self._deadline = ticks_add(ticks_us(), _SLOW_US)
        sleep_us(_LOAD_US)
        return self

    def field_off(self):
        """The field is off when this returns: only then may an antenna be switched."""
        self.field = False
        self._state = _NOTHING
        self._frame(_idle)
        sleep_us(_SETTLE_US)
        self._frame(_field_off)
        limit = ticks_add(ticks_us(), _SPIN_US)
        while True:
            sleep_us(_OFF_US)
            self._read_status()
            if not _status[10] & _B10_FIELD:
                return
            if ticks_diff(ticks_us(), limit) >= 0:
                raise ReaderHung(self.name, "the field stays on")

    # -- one request, or one EOF -----------------------------------------------------------------------------

    def ask(self, n):
        """Await it: send the inventory `request[:n]`; silence shows 440 us after its end."""
        self._send_request(self._ask_order, n, _WINDOW_US, 0)
        return self

    def call(self, n, reply, window_us):
        """Await it: send the addressed `request[:n]`; the answer of `reply` bytes begins within `window_us`."""
        order = self._call_order
        ticks = _ticks(window_us)
        order[_RELOAD_AT] = ticks & 0xFF
        order[_RELOAD_AT + 1] = ticks >> 8 & 0xFF
        order[_RELOAD_AT + 2] = ticks >> 16
        self._send_request(order, n, window_us, reply * _BYTE_US)
        return self

    def next_slot(self):
        """Await it: a lone EOF, which begins the next of 16 slots."""
        if self.outcome != SILENT:
            self._keep_t2()
        self._frame(self._slot_order)
        self._expect(_EOF_US + _WINDOW_US, 0)
        return self

    def _send_request(self, order, n, window_us, reply_us):
        self._frame(order)
        _tx[0] = _SEND_DATA
        _tx[1] = 0
        sleep_us(_SETTLE_US)
        if self.outcome != SILENT:
            self._keep_t2()
        self._frame(_first(_tx_views, _tx, n + 2))
        self._expect(_FRAME_US + (n + 2) * _BYTE_US + window_us, reply_us)

    def _keep_t2(self):
        rest = ticks_diff(self._quiet, ticks_us())
        if rest > 0:
            sleep_us(rest if rest < _T2_US else _T2_US)

    def _expect(self, silence_us, more_us):
        self.outcome = SILENT
        self._state = _ASKING
        now = ticks_us()
        self._due = ticks_add(now, silence_us)
        self._deadline = ticks_add(now, silence_us + more_us + _MARGIN_US)
        self._more_us = more_us
        self._turned = False

    def cancelled(self):
        self._irq.unpark()

    # -- progress --------------------------------------------------------------------------------------------

    def step(self):
        irq = self._irq
        irq.unpark()
        if self._state == _LOADING:
            return self._loaded()
        level = irq.level
        if not self._turned or not level():
            left = ticks_diff(self._due, ticks_us()) - _WAKE_US
            if left > 0 or not self._turned:
                self._turned = True
                irq.park_ms(left // 1000 if left > 0 else 0)
                return False
            limit = ticks_add(self._due, _GRACE_US)
            while not level():
                if ticks_diff(ticks_us(), limit) >= 0:
                    if self._more_us:
                        self._due = ticks_add(self._due, self._more_us)
                        self._more_us = 0
                        return self.step()
                    if self._late():
                        break
                    irq.park(self._deadline)
                    return False
        if self._state == _RISING:
            # The timer has run since the field came up, or it was refused: the next status tells, but for the first.
            if not self._proven or self._late():
                self._read_status()
                if not _status[10] & _B10_FIELD:
                    raise FieldLost(self.name, "the field does not come on")
                self._proven = True
            self._state = _NOTHING
            self.field = True
            return True
        self._read_status()
        return self._answer_status()

    def _late(self):
        return ticks_diff(ticks_us(), self._deadline) >= 0

    def _loaded(self):
        if self._busy():
            if self._late():
                raise ReaderHung(self.name, "BUSY stays high at LOAD_RF_CONFIG")
            self._irq.park_ms(0)
            return False
        if self.trim != self._trimmed:
            self._write_trim()
        setup = self._setup
        setup[_MIN_LEVEL_AT] = self.min_level << 4
        self._frame(setup)
        setup[_MIN_LEVEL_AT] = 0  # readers share it
        self._frame(_field_on)
        self._state = _RISING
        self._due = ticks_add(ticks_us(), _RISE_US)
        self._more_us = 0
        self._turned = False
        return self.step()

    def _write_trim(self):
        trim = self.trim
        _trim[_TRIM_AT] = trim << 4 & 0xF0
        _trim[_TRIM_AT + 1] = trim >> 4 & 0x0F
        self._frame(_trim)
        self._trimmed = trim

    def _answer_status(self):
        if not _status[10] & _B10_FIELD:
            self.field = False
            raise FieldLost(self.name, "the field is off")
        if _status[0] & _B0_RX:
            self._quiet = ticks_add(self._asked, _T2_US)
            self._state = _NOTHING
            self.outcome = self._judge(_status[6])
            return True
        receiving = _status[1] & _B1_RECEIVING or _status[9] & _B9_RECEIVING
        if not _status[1] & _B1_TIMER1:
            if not self._late():
                self._irq.park_ms(1)  # the line is high for another reader
                return False
            if not receiving:
                raise ReaderHung(self.name, "neither answer nor end of slot")
            self._state = _NOTHING
            self.outcome = NOISE  # a tag began and fell silent: somebody is there
            return True
        if not receiving:
            if _status[11] & 7 != _WAIT_FOR_DATA:
                raise ReaderHung(self.name, "the receiver has not opened")
            self._state = _NOTHING
            return True
        self._frame(_clear_timer)
        self._due = ticks_add(self._asked, _REST_US)
        self._deadline = ticks_add(self._asked, _INVENTORY_US + _MARGIN_US)
        self._turned = False
        return self.step()

    def _judge(self, errors):
        if errors & _B6_COLLISION:
            return COLLISION
        n = _status[4] | (_status[5] & 1) << 8
        if errors & _B6_DAMAGED or not 0 < n <= _RX_ROOM:
            return NOISE
        self._frame(_fetch)
        sleep_us(_SETTLE_US)
        self._answer(n)
        self.length = n
        return GOOD

    # -- frames ----------------------------------------------------------------------------------------------

    def _read_status(self):
        self._frame(_ask_status)
        self._asked = ticks_us()  # the registers are as of now
        sleep_us(_SETTLE_US)
        if self._busy():
            self._spin(0)
        self._cs(0)
        try:
            self._spi.readinto(_status, 0xFF)
        finally:
            self._cs(1)
        if _status[2] & _B2_BAD or _status[3]:
            if _status[2] & _B2_RFU or _status[3]:
                raise ReaderDead(self.name, "status reads FFh")
            if _status[2] & _B2_HOT:
                raise ReaderHot(self.name, "too hot, field switched off")
            raise ReaderOrder(self.name, "command refused")

    def _frame(self, data):
        if self._busy():
            self._spin(0)
        self._cs(0)
        try:
            self._spi.write(data)
            if self._confirm:
                self._spin(1)
        finally:
            self._cs(1)

    def _answer(self, n):
        self._spin(0)
        self._cs(0)
        try:
            self._spi.readinto(_first(_rx_views, _rx, n), 0xFF)
            if self._confirm:
                self._spin(1)
        finally:
            self._cs(1)

    def _spin(self, level):
        busy = self._busy
        if busy() == level:
            return
        limit = ticks_add(ticks_us(), _SPIN_US)
        while busy() != level:
            if ticks_diff(ticks_us(), limit) >= 0:
                raise ReaderHung(self.name, "BUSY stays high" if level == 0 else "BUSY does not rise")
