"""NXP PN5180 at register level: host frames with BUSY, registers, timers and the ISO 15693 transceiver.

Source: PN5180 data sheet rev. 4.0 (host interface 11.4, registers 74-112, transceive 11.8.7). Where the sheet is
silent a named constant ending in `_CHOICE` stands for what hardware would tell; a driver must not depend on it.
Times are µs of the table's clock.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable

from twin.air import (
    BYTE_US,
    REPLY_SOF_US,
    T1_US,
    T3_ASK10_US,
    T3_ASK100_US,
    Echo,
    Radio,
    reply_us,
    request_us,
)
from twin.clock import Clock, Event
from twin.geometry import ZONES
from twin.signal import Signal
from twin.tags import crc16

FC_MHZ = 13.56

# IRQ_STATUS (table 77)
RX_IRQ, TX_IRQ, IDLE_IRQ, STATE_CHANGE_IRQ = 1 << 0, 1 << 1, 1 << 2, 1 << 5
RF_OFF_IRQ, RF_ON_IRQ, RF_ERROR_IRQ, TIMER0_IRQ = 1 << 8, 1 << 9, 1 << 10, 1 << 11
RX_SOF_IRQ, RX_SC_IRQ, TEMPERATURE_IRQ, GENERAL_ERROR_IRQ = 1 << 14, 1 << 15, 1 << 16, 1 << 17
HV_ERROR_IRQ, LPCD_IRQ = 1 << 18, 1 << 19
UNMASKABLE = 0x000E0000

# Registers (table 74)
SYSTEM_CONFIG, IRQ_ENABLE, IRQ_STATUS, IRQ_CLEAR, TRANSCEIVE_CONTROL = range(5)
TIMER_STATUS, TIMER_RELOAD, TIMER_CONFIG = 0x08, 0x0B, 0x0E  # of timer 0; timers 1 and 2 follow
RX_WAIT, CRC_RX, RX_STATUS, TX_WAIT, TX_CONFIG, CRC_TX = 0x11, 0x12, 0x13, 0x17, 0x18, 0x19
SIGPRO_CM, SIGPRO_RM, RF_STATUS, AGC_CONFIG, AGC_VALUE = 0x1B, 0x1C, 0x1D, 0x1E, 0x1F
RF_CONTROL_TX, RF_CONTROL_TX_CLK, RF_CONTROL_RX = 0x20, 0x21, 0x22
SYSTEM_STATUS, TEMP_CONTROL, AGC_REF_CONFIG, ANT_CONTROL = 0x24, 0x25, 0x26, 0x29
REGISTERS = 0x2A
MISSING = {0x06}
READ_ONLY = {IRQ_STATUS, RX_STATUS, RF_STATUS, SYSTEM_STATUS, 0x08, 0x09, 0x0A}

# RX_STATUS (table 93)
INTEGRITY_ERROR, PROTOCOL_ERROR, COLLISION = 1 << 16, 1 << 17, 1 << 18

# SYSTEM_STATUS (table 110)
BOOT_POWER, BOOT_SOFT, BOOT_TEMPERATURE, STANDBY_PREVENTED = 1 << 0, 1 << 3, 1 << 4, 1 << 5
SEMANTIC, SYNTAX, PARAMETER, LDO_OK = 1 << 6, 1 << 7, 1 << 8, 1 << 9

# Transceive states (table 103)
IDLE, WAIT_TRANSMIT, TRANSMITTING, WAIT_RECEIVE, WAIT_FOR_DATA, RECEIVING = range(6)

# Timer configuration bits (table 89)
TIMER_ENABLE, TIMER_REPEAT, TIMER_PRESCALE = 1 << 0, 1 << 1, 1 << 2
START_NOW, START_RF_OFF, START_RF_ON = 1 << 6, 1 << 7, 1 << 8
START_TX_END, START_TX, START_RX_END, START_RX = 1 << 11, 1 << 12, 1 << 13, 1 << 14
STOP_RF_OFF, STOP_RF_ON, STOP_TX, STOP_RX_4_BITS = 1 << 15, 1 << 16, 1 << 19, 1 << 20

STARTUP_US = 2_500  # typical; 2,300 at least
RESET_LOW_US = 10
EEPROM_SIZE = 255
DPC_CONTROL, MISC_CONFIG, DPC_XI_ENABLE = 0x59, 0xE8, 1 << 4  # EEPROM (table 51)
TX_BUFFER, RX_BUFFER = 260, 508
FIRMWARE = b"\x00\x04"  # 4.0, minor first

BOOT_BUSY_CHOICE = 0  # BUSY during start-up; frames sent then are lost
PRODUCT_CHOICE, EEPROM_VERSION_CHOICE = b"\x05\x03", b"\x01\x93"
DPC_CHOICE, MISC_CHOICE = 0x01, 0x00  # from the factory: dynamic power control on, its correction off
IRQ_PIN_CHOICE = 0x01  # EEPROM 1Ah from the factory: active high, cleared by IRQ_CLEAR only
RF_ON_US_CHOICE, RF_OFF_US_CHOICE = 300, 100  # from the command's end to its interrupt
TEST_BUS_RISE_US_CHOICE = 2  # BUSY after the last byte, test bus on; NSS high before it loses the frame
RESPONSE_US_CHOICE = 5  # BUSY after a response frame
EXECUTION_US_CHOICE = 12  # BUSY after a command, where the next table says nothing
SLOW_US_CHOICE = {0x03: 20, 0x05: 20, 0x06: 3_000, 0x07: 20, 0x09: 25, 0x0A: 20, 0x11: 250, 0x16: 60, 0x17: 30}
LPCD_CALIBRATION_US_CHOICE = 10_000  # reading AGC_REF_CONFIG without a write before
SUBCARRIER_US_CHOICE = 19  # from the start of a reply to RX_SC_DET
CRC_COUNTED_CHOICE = False  # whether RX_STATUS and READ_DATA include a checked CRC
COLLISION_ORIGIN_CHOICE = 0  # position of the first bit of the flags byte
FULL_FRAME_CHOICE = 0x540  # TX_CONFIG after LOAD_RF_CONFIG: data, stop symbol 1, start symbol 1
CRC_15693 = 0x1B
FIELD_WITHOUT_CONFIG_CHOICE = SEMANTIC  # RF_ON before LOAD_RF_CONFIG is refused
RF_OFF_SPOILS_AGC_CHOICE = True  # after RF_OFF the receiver hears nothing until LOAD_RF_CONFIG

TX_CONFIGS: dict[int, dict[int, int]] = {  # ISO 15693 rows of tables 158, 159
    0x0D: {0x16: 0, 0x14: 0xF000001F, 0x15: 0, RF_CONTROL_TX: 0xDBC745, RF_CONTROL_TX_CLK: 0x782, ANT_CONTROL: 0x10},
    0x0E: {0x16: 0, 0x14: 0xFF000F, 0x15: 0, RF_CONTROL_TX: 0x3A4F44, RF_CONTROL_TX_CLK: 0x8E, ANT_CONTROL: 0x10},
}
RX_CONFIGS: dict[int, dict[int, int]] = {  # tables 185, 186
    0x8D: {AGC_VALUE: 0x801F0, AGC_CONFIG: 0x804B, SIGPRO_CM: 0, SIGPRO_RM: 0x4010, RF_CONTROL_RX: 0x1A},
    0x8E: {AGC_VALUE: 0x801F0, AGC_CONFIG: 0x804B, SIGPRO_CM: 0, SIGPRO_RM: 0xC4010, RF_CONTROL_RX: 0x1A},
}
RX_KBIT = {0x8D: 26, 0x8E: 53}

FAULTS = {
    "zeros": "MISO reads 0x00",
    "ones": "MISO reads 0xFF",
    "busy": "BUSY stays high after the next SEND_DATA until RESET_N",
    "stuck": "after the next SEND_DATA the transceiver stays in state 3 until idle is written",
    "mute": "a tag that leaves during its reply gives no interrupt, the transceiver stays in state 5",
    "no_field": "RF_ON raises no field and no interrupt",
    "dead": "no command is executed, BUSY never rises, MISO floats at 0xFF",
}


class Faults(set[str]):
    """Names of `FAULTS`; ValueError for any other."""

    def add(self, name: str) -> None:
        self.update((name,))

    def update(self, *names: Iterable[str]) -> None:
        for name in set().union(*names):
            if name not in FAULTS:
                raise ValueError(f"a reader has no fault called {name!r}: choose {', '.join(FAULTS)}")
            super().add(name)


class _Refused(Exception):
    """A command whose condition is not met; carries the SYSTEM_STATUS bit."""

    def __init__(self, kind: int) -> None:
        super().__init__(kind)
        self.kind = kind


class _Timer:
    """One of the three down counters."""

    def __init__(self, chip: Pn5180, number: int) -> None:
        self._chip = chip
        self.number = number
        self.config = 0
        self.reload = 0
        self._event: Event | None = None
        self._started = 0

    @property
    def _tick_us(self) -> float:
        if not self.config & TIMER_PRESCALE:
            return 1 / FC_MHZ
        return (2 << (self.config >> 3 & 7)) / FC_MHZ

    def configure(self, config: int) -> None:
        self.config = config
        if not config & TIMER_ENABLE:
            self.stop()
        elif config & START_NOW:
            self.start()

    def start(self) -> None:
        self.stop()
        clock = self._chip.clock
        self._started = clock.now
        self._event = clock.after(self.reload * self._tick_us, self._expire)

    def stop(self) -> None:
        Clock.cancel(self._event)
        self._event = None

    def _expire(self) -> None:
        self._event = None
        if self.config & TIMER_REPEAT and self.reload:
            self.start()
        self._chip.interrupt(TIMER0_IRQ << self.number)

    @property
    def status(self) -> int:
        if self._event is None:
            return 0
        left = self.reload - int((self._chip.clock.now - self._started) / self._tick_us)
        return 1 << 20 | max(left, 0)


class Pn5180:
    """The front end of one reader. `temperature_c` is the die's."""

    def __init__(self, clock: Clock, name: str, busy: Signal, irq: Signal, reset: Signal, radio: Radio) -> None:
        self.clock = clock
        self.name = name
        self.faults = Faults()
        self._busy = busy
        self._irq = irq
        self._reset = reset
        self._radio = radio
        self.eeprom = bytearray(EEPROM_SIZE)
        self.eeprom[0:16] = hashlib.sha256(name.encode()).digest()[:16]
        self.eeprom[0x10:0x16] = PRODUCT_CHOICE + FIRMWARE + EEPROM_VERSION_CHOICE
        self.eeprom[0x16] = 1
        self.eeprom[0x1A] = IRQ_PIN_CHOICE
        self.eeprom[DPC_CONTROL], self.eeprom[MISC_CONFIG] = DPC_CHOICE, MISC_CHOICE
        self._timers = tuple(_Timer(self, n) for n in range(3))
        self._temperature_c = 25.0
        self._pending: Event | None = None  # the command being executed
        self._booting: Event | None = None
        self._resetting: Event | None = None
        self._rising: Event | None = None
        self._switching: Event | None = None  # the field on its way up or down
        self._frame = bytearray()
        self._response: bytes | None = None
        self._cursor = 0
        self._answering = False
        self._too_early = False
        self._hung = False
        self._running = False
        self._registers = [0] * REGISTERS
        self._defaults()
        reset.watch(self._reset_changed)
        if reset.level:
            self._boot(BOOT_POWER)

    # ---- start and reset

    def _defaults(self) -> None:
        registers = self._registers
        for n in range(REGISTERS):
            registers[n] = 0
        registers[SYSTEM_CONFIG] = 1
        self._trim = 0
        self._radio.amplify(0.0)
        registers[AGC_CONFIG] = 0xA003
        self._irq_status = 0
        self._irq_enable = UNMASKABLE
        self._state = IDLE
        self._tx_config: int | None = None
        self._rx_config: int | None = None
        self._agc_good = False
        self._agc_written = False
        self._rf_error = 0
        self._crc_good = False
        self._stuck = False
        self._tx_buffer = b""
        self._rx_buffer = b""
        self._rx_status = 0
        self._rx_started = 0.0
        self._receiving: Echo | None = None
        self._rx_open = 0.0
        self._tx_free = 0.0
        self._tx_started = 0.0
        self._air: list[Event] = []
        self._system_status = LDO_OK
        for timer in self._timers:
            timer.stop()
            timer.config = timer.reload = 0

    def _reset_changed(self, level: int) -> None:
        if level:
            if self._resetting is not None:  # too short a pulse does nothing
                Clock.cancel(self._resetting)
                self._resetting = None
            else:
                self._boot(BOOT_POWER)
        else:
            self._resetting = self.clock.after(RESET_LOW_US, self._hold)

    def _hold(self) -> None:
        self._resetting = None
        self._stop()
        self._irq.set(0)

    def _stop(self) -> None:
        for event in (self._pending, self._booting, self._rising, self._switching, *self._air):
            Clock.cancel(event)
        self._pending = self._booting = self._rising = self._switching = None
        self._running = self._hung = False
        self._response = None
        self._defaults()
        self._radio.field = False
        self._busy.set(0)

    def _boot(self, cause: int) -> None:
        self._stop()
        self._irq.set(0)
        self._system_status = LDO_OK | cause
        self._busy.set(BOOT_BUSY_CHOICE)
        self._booting = self.clock.after(STARTUP_US, self._ready)

    def _ready(self) -> None:
        self._booting = None
        self._running = True
        self._busy.set(0)
        self._show_irq()
        if self.eeprom[0x16] & 1:
            self.interrupt(IDLE_IRQ)

    # ---- host frames

    def select(self) -> None:
        self._frame = bytearray()
        self._cursor = 0
        self._too_early = bool(self._busy.level)
        self._answering = self._response is not None

    def transfer(self, data: bytes) -> bytes:
        if not self._running or self._too_early or "dead" in self.faults:
            return b"\xff" * len(data)
        if not self.eeprom[0x17] & 0x80:
            self._busy.set(1)
        elif self._rising is None:
            self._rising = self.clock.after(TEST_BUS_RISE_US_CHOICE, self._rise)
        self._frame += data
        if self._answering:
            assert self._response is not None
            part = self._response[self._cursor : self._cursor + len(data)]
            self._cursor += len(data)
            out = part.ljust(len(data), b"\xff")
        else:
            out = b"\xff" * len(data)
        if self.faults:
            if "zeros" in self.faults:
                return bytes(len(data))
            if "ones" in self.faults:
                return b"\xff" * len(data)
        return out

    def _rise(self) -> None:
        self._rising = None
        self._busy.set(1)

    def deselect(self) -> None:
        if not self._running:
            return
        if self._too_early:
            self._complain(SYNTAX)
            return
        if self._rising is not None:
            Clock.cancel(self._rising)
            self._rising = None
            return
        if not self._frame:
            return
        self._busy.set(1)
        if self._answering:
            self._response = None
            self._pending = self.clock.after(RESPONSE_US_CHOICE, self._idle_host)
        else:
            code = self._frame[0]
            duration = SLOW_US_CHOICE.get(code, EXECUTION_US_CHOICE)
            if code == 0x04 and self._frame[1:2] == bytes((AGC_REF_CONFIG,)) and not self._agc_written:
                duration = LPCD_CALIBRATION_US_CHOICE
            frame = bytes(self._frame)
            self._pending = self.clock.after(duration, lambda: self._execute(frame))

    def _idle_host(self) -> None:
        self._pending = None
        if not self._hung:
            self._busy.set(0)

    def _execute(self, frame: bytes) -> None:
        try:
            command = _COMMANDS.get(frame[0])
            if command is None:
                raise _Refused(SYNTAX)
            self._response = command(self, frame[1:])
        except _Refused as refused:
            self._complain(refused.kind)
        self._idle_host()

    def _complain(self, kind: int) -> None:
        self._system_status = self._system_status & ~(SEMANTIC | SYNTAX | PARAMETER) | kind
        self.interrupt(GENERAL_ERROR_IRQ)

    # ---- interrupts

    def interrupt(self, flags: int) -> None:
        self._irq_status |= flags
        self._show_irq()

    def _show_irq(self) -> None:
        if self._running:
            active = 1 if self._irq_status & self._irq_enable else 0
            self._irq.set(active if self.eeprom[0x1A] & 1 else 1 - active)

    def _trigger(self, start: int, stop: int = 0) -> None:
        for timer in self._timers:
            config = timer.config
            if config & TIMER_ENABLE:
                if config & stop:
                    timer.stop()
                if config & start:
                    timer.start()

    # ---- registers

    def _existing(self, address: int) -> int:
        if address >= REGISTERS or address in MISSING:
            raise _Refused(PARAMETER)
        return address

    def _peek(self, address: int) -> int:
        """A register's value, without the side effects of a read by the host."""
        if address == IRQ_STATUS:
            return self._irq_status
        if address == IRQ_ENABLE:
            return self._irq_enable
        if address == IRQ_CLEAR:
            return 0
        if address == RF_STATUS:
            return self._rf_status()
        if address == RX_STATUS:
            return self._rx_status_now()
        if address == SYSTEM_STATUS:
            return self._system_status
        if TIMER_STATUS <= address < TIMER_RELOAD:
            return self._timers[address - TIMER_STATUS].status
        return self._registers[address]

    def _read(self, address: int) -> int:
        value = self._peek(address)
        if address == IRQ_STATUS and self.eeprom[0x1A] & 2:
            self._irq_status = 0
            self._show_irq()
        if address == AGC_REF_CONFIG and not self._agc_written:
            self._field(False)
        return value

    def _write(self, address: int, value: int) -> None:
        if address in READ_ONLY:
            return
        if address == IRQ_CLEAR:
            self._irq_status &= ~value
            self._show_irq()
        elif address == IRQ_ENABLE:
            self._irq_enable = value & 0x000FFFFF | UNMASKABLE
            self._show_irq()
        elif address == SYSTEM_CONFIG:
            self._system_config(value)
        else:
            self._registers[address] = value
            if TIMER_RELOAD <= address < TIMER_CONFIG:
                self._timers[address - TIMER_RELOAD].reload = value & 0xFFFFF
            elif TIMER_CONFIG <= address < RX_WAIT:
                self._timers[address - TIMER_CONFIG].configure(value)
            elif address == TEMP_CONTROL:
                self._check_temperature()
            elif address == AGC_REF_CONFIG:
                self._agc_written = True

    def _system_config(self, value: int) -> None:
        if value & 1 << 8:
            self._boot(BOOT_SOFT)
            return
        self._registers[SYSTEM_CONFIG] = value & ~(1 << 3)
        if value >> 12 & 0xFF != self._trim:
            self._correct(value >> 12 & 0xFF)
        if value & 7 != 3:
            self._abort()
        elif self._state == IDLE:
            if self._registers[TRANSCEIVE_CONTROL] & 1:
                self._wait_transmit()
            else:
                self._change(WAIT_RECEIVE)
                self._rx_open = self.clock.now
        if value & 1 << 3 and value & 7 == 3 and self._state == WAIT_TRANSMIT:
            self._transmit(self._tx_buffer, 0)

    def _correct(self, trim: int) -> None:
        """The DPC_XI correction, signed: dynamic power control chooses its gear by the AGC value and this."""
        self._trim = trim
        if self.eeprom[DPC_CONTROL] & 1 and self.eeprom[MISC_CONFIG] & DPC_XI_ENABLE:
            self._radio.amplify(ZONES["reader"]["dpc_trim_db"] * (trim - 256 if trim > 127 else trim))

    def _abort(self) -> None:
        self._stuck = False
        for event in self._air:
            Clock.cancel(event)
        self._air.clear()
        self._receiving = None
        self._change(IDLE)

    def _rf_status(self) -> int:
        state = self._state
        if state == WAIT_RECEIVE and self.clock.now >= self._rx_open and not self._stuck:
            state = WAIT_FOR_DATA
        elif state == TRANSMITTING and self.clock.now < self._tx_started:
            state = WAIT_TRANSMIT
        return (
            self._registers[AGC_VALUE] & 0x3FF
            | (state == RECEIVING) << 10
            | (state == TRANSMITTING) << 11
            | (state in (WAIT_RECEIVE, WAIT_FOR_DATA, RECEIVING)) << 12
            | self._rf_error << 13
            | self._radio.foreign_field << 16
            | self._radio.field << 17
            | self._crc_good << 18
            | state << 24
        )

    def _rx_status_now(self) -> int:
        if self._receiving is None or self._state != RECEIVING:
            return self._rx_status
        byte = BYTE_US / 2 if self._receiving.kbit == 53 else BYTE_US
        arrived = int((self.clock.now - self._rx_started - REPLY_SOF_US) / byte)
        return min(max(arrived, 0), len(self._receiving.data))

    # ---- commands

    def _write_register(self, args: bytes) -> None:
        address, value = self._operand(args)
        self._write(address, value)

    def _or_register(self, args: bytes) -> None:
        address, value = self._operand(args)
        self._write(address, self._peek(address) | value)

    def _and_register(self, args: bytes) -> None:
        address, value = self._operand(args)
        self._write(address, self._peek(address) & value)

    def _operand(self, args: bytes) -> tuple[int, int]:
        if len(args) != 5:
            raise _Refused(PARAMETER)
        return self._existing(args[0]), int.from_bytes(args[1:], "little")

    def _write_multiple(self, args: bytes) -> None:
        if not args or len(args) % 6 or len(args) > 42 * 6:
            raise _Refused(PARAMETER)
        for at in range(0, len(args), 6):
            address, action = self._existing(args[at]), args[at + 1]
            value = int.from_bytes(args[at + 2 : at + 6], "little")
            if action == 1:
                self._write(address, value)
            elif action == 2:
                self._write(address, self._peek(address) | value)
            elif action == 3:
                self._write(address, self._peek(address) & value)
            else:
                raise _Refused(PARAMETER)

    def _read_register(self, args: bytes) -> bytes:
        if len(args) != 1:
            raise _Refused(PARAMETER)
        return self._read(self._existing(args[0])).to_bytes(4, "little")

    def _read_multiple(self, args: bytes) -> bytes:
        if not 1 <= len(args) <= 18:
            raise _Refused(PARAMETER)
        for address in args:
            self._existing(address)
        return b"".join(self._read(address).to_bytes(4, "little") for address in args)

    def _write_eeprom(self, args: bytes) -> None:
        if len(args) < 2 or args[0] + len(args) - 1 > EEPROM_SIZE:
            raise _Refused(PARAMETER)
        if args[0] < 0x16:  # identity and versions are not for the host
            self.interrupt(HV_ERROR_IRQ)
            return
        self.eeprom[args[0] : args[0] + len(args) - 1] = args[1:]
        self._show_irq()

    def _read_eeprom(self, args: bytes) -> bytes:
        if len(args) != 2 or not args[1] or args[0] + args[1] > EEPROM_SIZE:
            raise _Refused(PARAMETER)
        return bytes(self.eeprom[args[0] : args[0] + args[1]])

    def _write_data(self, args: bytes) -> None:
        if not 1 <= len(args) <= TX_BUFFER:
            raise _Refused(PARAMETER)
        if self._state == TRANSMITTING:
            raise _Refused(SEMANTIC)
        self._tx_buffer = args

    def _send_data(self, args: bytes) -> None:
        if not 1 <= len(args) <= TX_BUFFER + 1 or args[0] > 7:
            raise _Refused(PARAMETER)
        if self._registers[SYSTEM_CONFIG] & 7 != 3 or self._state != WAIT_TRANSMIT:
            raise _Refused(SEMANTIC)
        if len(args) == 1 and self._registers[TX_CONFIG] & 1 << 10:
            raise _Refused(PARAMETER)
        self._tx_buffer = args[1:]
        self._transmit(args[1:], args[0])

    def _read_data(self, args: bytes) -> bytes:
        if len(args) != 1:
            raise _Refused(PARAMETER)
        return self._rx_buffer.ljust(RX_BUFFER, b"\0")

    def _switch_mode(self, args: bytes) -> None:
        self._system_status |= STANDBY_PREVENTED
        raise _Refused(SEMANTIC)

    def _load_rf_config(self, args: bytes) -> None:
        if len(args) != 2:
            raise _Refused(PARAMETER)
        tx, rx = args
        if (tx > 0x1C and tx != 0xFF) or (not 0x80 <= rx <= 0x9C and rx != 0xFF):
            raise _Refused(PARAMETER)
        registers = self._registers
        if tx != 0xFF:
            self._tx_config = tx
            for address, value in TX_CONFIGS.get(tx, {}).items():
                registers[address] = value
            registers[TX_CONFIG] = FULL_FRAME_CHOICE
            registers[CRC_TX] = CRC_15693
            registers[TRANSCEIVE_CONTROL] |= 1
        if rx != 0xFF:
            self._rx_config = rx
            for address, value in RX_CONFIGS.get(rx, {}).items():
                registers[address] = value
            registers[CRC_RX] = CRC_15693
            self._agc_good = True
        self._radio.t3_us = T3_ASK100_US if self._tx_config == 0x0D else T3_ASK10_US

    def _rf_on(self, args: bytes) -> None:
        if len(args) != 1:
            raise _Refused(PARAMETER)
        if self._tx_config is None or self._rx_config is None:
            raise _Refused(FIELD_WITHOUT_CONFIG_CHOICE)
        if "no_field" in self.faults:
            return
        if not args[0] & 1 and self._radio.foreign_field:
            self._rf_error = 1
            self.interrupt(RF_ERROR_IRQ)
            return
        self._rf_error = 0
        delay = RF_ON_US_CHOICE + 4 * self.eeprom[0x3C]
        self._switch(delay, True)

    def _rf_off(self, args: bytes) -> None:
        if len(args) != 1:
            raise _Refused(PARAMETER)
        self._switch(RF_OFF_US_CHOICE, False)

    def _switch(self, delay_us: int, on: bool) -> None:
        Clock.cancel(self._switching)
        self._switching = self.clock.after(delay_us, lambda: self._field(on))

    def _field(self, on: bool) -> None:
        if on and self._too_hot():
            self.interrupt(TEMPERATURE_IRQ)
            return
        self._radio.field = on
        if on:
            self.interrupt(RF_ON_IRQ)
            self._trigger(START_RF_ON, STOP_RF_ON)
            return
        if RF_OFF_SPOILS_AGC_CHOICE:
            self._agc_good = False
        self.interrupt(RF_OFF_IRQ)
        self._trigger(START_RF_OFF, STOP_RF_OFF)

    # ---- temperature

    @property
    def temperature_c(self) -> float:
        return self._temperature_c

    @temperature_c.setter
    def temperature_c(self, value: float) -> None:
        self._temperature_c = value
        self._check_temperature()

    def _too_hot(self) -> bool:
        return self._temperature_c > (85, 115, 125, 135)[self._registers[TEMP_CONTROL] & 3]

    def _check_temperature(self) -> None:
        # The sensor is on by default (section 11.2.1.4), whatever table 111 prints for bit 2.
        if self._running and self._radio.field and self._too_hot():
            self._field(False)
            self.interrupt(TEMPERATURE_IRQ)

    # ---- the transceiver

    def _change(self, state: int) -> None:
        if state != self._state:
            self._state = state
            if self._registers[TRANSCEIVE_CONTROL] >> (4 + state) & 1:
                self.interrupt(STATE_CHANGE_IRQ)

    def _wait_us(self, register: int) -> float:
        value = self._registers[register]
        return (value >> 8 & 0xFFFFF) * ((value & 0xFF) + 1) / FC_MHZ

    def _wait_transmit(self) -> None:
        self._change(WAIT_TRANSMIT)
        self._tx_free = self.clock.now + self._wait_us(TX_WAIT)

    def _transmit(self, data: bytes, last_bits: int) -> None:
        """Plan one frame: a request of `data`, or a lone EOF when TX_CONFIG has symbols only."""
        config = self._registers[TX_CONFIG]
        frame: bytes | None = None
        if config & 1 << 10:
            crc = self._registers[CRC_TX]
            if crc & 1:
                data += crc16(data, _preset(crc), bool(crc & 2)).to_bytes(2, "little")
            frame = data
            proper = bool(config >> 6 & 3) and bool(config >> 8 & 3) and not last_bits
            duration = request_us(len(data))
        else:
            proper = not config >> 6 & 3 and bool(config >> 8 & 3)
            duration = 512 / FC_MHZ
        if self._tx_config not in TX_CONFIGS:
            proper = False
        now = self.clock.now
        self._tx_started = max(float(now), self._tx_free)
        self._change(TRANSMITTING)
        self._receiving = None
        if "busy" in self.faults:
            self.faults.discard("busy")
            self._hung = True
        if "stuck" in self.faults:
            self.faults.discard("stuck")
            self._stuck = True
        self._air = [event for event in self._air if event.t > now]
        if self._tx_started > now:
            self._air.append(self.clock.at(int(self._tx_started), self._tx_begins))
        else:
            self._tx_begins()
        end = self._tx_started + duration
        self._air.append(self.clock.at(int(end + 0.5), lambda: self._tx_ended(frame, proper)))

    def _tx_begins(self) -> None:
        self._trigger(START_TX, STOP_TX)

    def _tx_ended(self, frame: bytes | None, proper: bool) -> None:
        now = self.clock.now
        self._change(WAIT_RECEIVE)
        self._rx_open = now + self._wait_us(RX_WAIT)
        if self._registers[TRANSCEIVE_CONTROL] >> 8 & 1:
            self._air.append(self.clock.at(int(self._rx_open + 0.5), self._wait_for_data))
        self.interrupt(TX_IRQ)
        self._trigger(START_TX_END)
        echo = self._radio.exchange(frame, self._tx_started) if proper else None
        if echo is None or self._stuck or not self._agc_good:
            return
        if echo.level < self._registers[SIGPRO_RM] >> 12 & 15:  # MIN_LEVEL (table 102)
            return
        begin = now + T1_US + echo.delay_us
        if begin < self._rx_open or echo.kbit != RX_KBIT.get(self._rx_config or 0):
            return
        at = self.clock.at
        self._air.append(at(int(begin + SUBCARRIER_US_CHOICE), lambda: self._rx_begins(echo, begin)))
        self._air.append(at(int(begin + REPLY_SOF_US + 1), self._sof_seen))
        if any(timer.config & STOP_RX_4_BITS for timer in self._timers):
            bits = begin + REPLY_SOF_US + (BYTE_US / 4 if echo.kbit == 53 else BYTE_US / 2)
            self._air.append(at(int(bits), lambda: self._trigger(0, STOP_RX_4_BITS)))
        end = begin + reply_us(len(echo.data), echo.kbit == 53)
        self._air.append(at(int(end + 0.5), lambda: self._rx_ended(echo)))

    def _wait_for_data(self) -> None:
        if self._state == WAIT_RECEIVE:
            self.interrupt(STATE_CHANGE_IRQ)

    def _rx_begins(self, echo: Echo, begin: float) -> None:
        self._receiving = echo
        self._rx_started = begin
        self._change(RECEIVING)
        self.interrupt(RX_SC_IRQ)
        self._trigger(START_RX)

    def _sof_seen(self) -> None:
        self.interrupt(RX_SOF_IRQ)

    def _rx_ended(self, echo: Echo) -> None:
        """Judge what was received (tables 92, 93)."""
        if "mute" in self.faults and not echo.intact:
            return
        data, status = echo.data, 0
        crc = self._registers[CRC_RX]
        if not echo.intact:  # the tag left during its reply
            data = data[: len(data) // 2]
            status |= PROTOCOL_ERROR | INTEGRITY_ERROR
        elif echo.collision is not None and self._registers[SIGPRO_RM] >> 5 & 3 != 3:
            position = echo.collision + COLLISION_ORIGIN_CHOICE
            status |= COLLISION | INTEGRITY_ERROR | min(position, 127) << 19
            if not crc & 1 << 9:
                kept = int.from_bytes(data, "little") & ((1 << echo.collision) - 1)
                data = kept.to_bytes(len(data), "little")
        if crc & 1 and len(data) >= 2:
            good = crc16(data[:-2], _preset(crc), bool(crc & 2)) == int.from_bytes(data[-2:], "little")
            self._crc_good = good and not status
            if not good:
                status |= INTEGRITY_ERROR
            if not CRC_COUNTED_CHOICE:
                data = data[:-2]
        self._rx_buffer = data[:RX_BUFFER]
        self._rx_status = status | len(self._rx_buffer)
        self._receiving = None
        self._wait_transmit()
        self.interrupt(RX_IRQ)
        self._trigger(START_RX_END)


def _preset(config: int) -> int:
    """CRC start value of CRC_RX_CONFIG and CRC_TX_CONFIG."""
    return (0, 0x6363, 0xA671, 0xFFFF, 0x0012, 0xE012, 0, config >> 16)[config >> 3 & 7]


_COMMANDS: dict[int, Callable[[Pn5180, bytes], bytes | None]] = {
    0x00: Pn5180._write_register,
    0x01: Pn5180._or_register,
    0x02: Pn5180._and_register,
    0x03: Pn5180._write_multiple,
    0x04: Pn5180._read_register,
    0x05: Pn5180._read_multiple,
    0x06: Pn5180._write_eeprom,
    0x07: Pn5180._read_eeprom,
    0x08: Pn5180._write_data,
    0x09: Pn5180._send_data,
    0x0A: Pn5180._read_data,
    0x0B: Pn5180._switch_mode,
    0x11: Pn5180._load_rf_config,
    0x16: Pn5180._rf_on,
    0x17: Pn5180._rf_off,
}
