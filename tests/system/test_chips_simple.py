"""Expander, FRAM, ADC, PWM and LED driver, spoken to with the bytes a driver would send."""

from __future__ import annotations

import pytest

from twin.chips import SpiDevice
from twin.chips.ht16k33 import Ht16k33
from twin.chips.mb85rs2mt import Mb85rs2mt
from twin.chips.mcp23s17 import Mcp23s17
from twin.chips.mcp3208 import Mcp3208
from twin.chips.pca9685 import Pca9685
from twin.clock import Clock
from twin.signal import Signal


def spi(chip: SpiDevice, *frame: int, pieces: bool = False) -> bytes:
    """One frame under chip select; `pieces` sends it byte by byte."""
    chip.select()
    parts = [bytes((value,)) for value in frame] if pieces else [bytes(frame)]
    out = b"".join(chip.transfer(part) for part in parts)
    chip.deselect()
    return out


# ---- MCP23S17

IODIRA, IODIRB, IPOLA, GPINTENA, DEFVALA, INTCONA, IOCON = 0x00, 0x01, 0x02, 0x04, 0x06, 0x08, 0x0A
INTFA, INTCAPA, GPIOA, GPIOB, OLATA = 0x0E, 0x10, 0x12, 0x13, 0x14


class Expander:
    def __init__(self, address: int = 0, iocon: int = 0x0C) -> None:
        self.line = Signal("int", 1)
        self.chip = Mcp23s17(Clock(), address, self.line)
        self.address = address
        spi(self.chip, 0x40, IOCON, iocon)

    def write(self, register: int, *values: int) -> None:
        spi(self.chip, 0x40 | self.address << 1, register, *values)

    def read(self, register: int, count: int = 1) -> bytes:
        return spi(self.chip, 0x41 | self.address << 1, register, *bytes(count))[2:]


def test_expander_answers_only_to_its_address_once_enabled() -> None:
    chips = [Mcp23s17(Clock(), n, Signal("int", 1)) for n in range(6)]
    for chip in chips:
        spi(chip, 0x40, IOCON, 0x08)
    for chip in chips:
        spi(chip, 0x40 | 3 << 1, IODIRA, 0xA5)
    assert [spi(chip, 0x41 | n << 1, IODIRA, 0)[2] for n, chip in enumerate(chips)] == [
        0xA5 if n == 3 else 0xFF for n in range(6)
    ]
    assert spi(chips[2], 0x41 | 3 << 1, IODIRA, 0) == b"\xff\xff\xff"


@pytest.mark.parametrize("pieces", [False, True])
def test_expander_registers_run_on(pieces: bool) -> None:
    expander = Expander()
    spi(expander.chip, 0x40, IODIRA, 0x0F, 0xF0, 0x03, pieces=pieces)
    assert expander.read(IODIRA, 3) == b"\x0f\xf0\x03"
    assert expander.read(0x15, 2) == b"\x00\x0f"


def test_expander_byte_mode_toggles_within_a_pair() -> None:
    expander = Expander(iocon=0x28)
    expander.write(IODIRA, 0x11, 0x22, 0x33)
    assert expander.read(IODIRA, 3) == b"\x33\x22\x33"


def test_expander_bank_layout() -> None:
    expander = Expander(iocon=0x88)
    expander.write(0x10, 0x12)  # IODIRB
    assert expander.read(0x10) == b"\x12"
    assert expander.read(0x05) == b"\x88"


def test_expander_drives_outputs_and_reads_inputs() -> None:
    expander = Expander()
    told: list[int] = []
    expander.chip.pins["a3"].watch(told.append)
    expander.write(OLATA, 0x08)
    assert told == []
    expander.write(IODIRA, 0xF0)
    assert told == [1]
    expander.chip.pins["a7"].set(1)
    assert expander.read(GPIOA) == b"\x88"
    expander.write(IPOLA, 0x80)
    assert expander.read(GPIOA) == b"\x08"
    expander.write(GPIOA, 0x00)
    assert told == [1, 0]


def test_expander_keeps_a_short_pulse_until_it_is_read() -> None:
    expander = Expander()
    expander.write(GPINTENA, 0x04)
    pin = expander.chip.pins["a2"]
    pin.set(1)
    pin.set(0)
    assert expander.line.level == 0
    assert expander.read(INTFA) == b"\x04"
    assert expander.read(INTCAPA) == b"\x04"
    assert expander.line.level == 1
    assert expander.read(INTFA) == b"\x00"


def test_expander_ignores_further_events_while_one_is_pending() -> None:
    expander = Expander()
    expander.write(GPINTENA, 0x06)
    expander.chip.pins["a1"].set(1)
    expander.chip.pins["a2"].set(1)
    assert expander.read(INTFA) == b"\x02"
    assert expander.read(INTCAPA) == b"\x02"
    assert expander.read(GPIOA) == b"\x06"


def test_expander_compares_with_a_default_value_until_the_level_returns() -> None:
    expander = Expander()
    expander.write(DEFVALA, 0x00)
    expander.write(INTCONA, 0x01)
    expander.write(GPINTENA, 0x01)
    expander.chip.pins["a0"].set(1)
    expander.read(GPIOA)
    assert expander.line.level == 0
    expander.chip.pins["a0"].set(0)
    expander.read(GPIOA)
    assert expander.line.level == 1


@pytest.mark.parametrize(("iocon", "level"), [(0x0C, 1), (0x4C, 0)])
def test_expander_mirrors_port_b_on_request(iocon: int, level: int) -> None:
    expander = Expander(iocon=iocon)
    expander.write(GPINTENA + 1, 0x80)
    expander.chip.pins["b7"].set(1)
    assert expander.line.level == level


# ---- MB85RS2MT


def test_fram_writes_only_after_write_enable() -> None:
    fram = Mb85rs2mt(bytearray(1 << 18))
    spi(fram, 0x02, 0x01, 0x23, 0x45, 7, 8, 9)
    assert fram.memory[0x12345:0x12348] == bytes(3)
    spi(fram, 0x06)
    assert spi(fram, 0x05, 0)[1] & 2
    spi(fram, 0x02, 0x01, 0x23, 0x45, 7, 8, 9, pieces=True)
    assert not spi(fram, 0x05, 0)[1] & 2
    assert spi(fram, 0x03, 0x01, 0x23, 0x45, 0, 0, 0)[4:] == b"\x07\x08\x09"
    assert spi(fram, 0x0B, 0x01, 0x23, 0x45, 0, 0, 0, pieces=True)[5:] == b"\x07\x08"


def test_fram_wraps_at_its_end_and_knows_its_name() -> None:
    fram = Mb85rs2mt(bytearray(1 << 18))
    spi(fram, 0x06)
    spi(fram, 0x02, 0x03, 0xFF, 0xFF, 0xAA, 0xBB)
    assert (fram.memory[0x3FFFF], fram.memory[0]) == (0xAA, 0xBB)
    assert spi(fram, 0x03, 0x03, 0xFF, 0xFF, 0, 0)[4:] == b"\xaa\xbb"
    assert spi(fram, 0x9F, 0, 0, 0, 0)[1:] == b"\x04\x7f\x28\x03"


def test_fram_keeps_what_was_clocked_in_before_a_cut() -> None:
    fram = Mb85rs2mt(bytearray(1 << 18))
    spi(fram, 0x06)
    fram.select()
    fram.transfer(b"\x02\x00\x00\x10ab")
    after = Mb85rs2mt(fram.memory)
    assert spi(after, 0x03, 0, 0, 0x10, 0, 0, 0)[4:] == b"ab\x00"


def test_fram_protects_blocks_and_sleeps() -> None:
    fram = Mb85rs2mt(bytearray(1 << 18))
    spi(fram, 0x06)
    spi(fram, 0x01, 0x08)  # upper half
    for address in (0x01, 0x02):
        spi(fram, 0x06)
        spi(fram, 0x02, address, 0, 0, 0x55)
    assert (fram.memory[0x10000], fram.memory[0x20000]) == (0x55, 0)
    spi(fram, 0xB9)
    assert spi(fram, 0x05, 0) == b"\xff\xff"
    assert spi(fram, 0x05, 0)[1] == 0x08


def test_fram_refuses_memory_of_another_size() -> None:
    with pytest.raises(ValueError, match="262144 bytes"):
        Mb85rs2mt(bytearray(10))


# ---- MCP3208


@pytest.mark.parametrize("channel", range(8))
@pytest.mark.parametrize("pieces", [False, True])
def test_adc_converts_the_asked_channel(channel: int, pieces: bool) -> None:
    adc = Mcp3208(lambda n: 100 + 400 * n)
    answer = spi(adc, 0x06 | channel >> 2, (channel & 3) << 6, 0, pieces=pieces)
    assert (answer[1] & 0x0F) << 8 | answer[2] == (100 + 400 * channel) * 4096 // 3300
    assert not answer[1] & 0x10


def test_adc_limits_and_differences() -> None:
    adc = Mcp3208(lambda n: (5000, -20, 1000, 400)[n])
    assert spi(adc, 0x06, 0x00, 0)[1] & 0x0F == 0x0F
    assert spi(adc, 0x06, 0x40, 0)[2] == 0
    low = spi(adc, 0x04, 0x80, 0)
    assert (low[1] & 0x0F) << 8 | low[2] == 600 * 4096 // 3300


# ---- PCA9685


class Pwm:
    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []
        self.chip = Pca9685(Clock(), lambda channel, duty: self.told.append((channel, duty)))

    def write(self, *data: int) -> None:
        assert self.chip.write(bytes(data))

    def duty(self, channel: int, duty: int) -> None:
        self.write(0x06 + 4 * channel, 0, 0, duty & 0xFF, duty >> 8)


def test_pwm_sleeps_at_power_on_and_takes_its_frequency_only_then() -> None:
    pwm = Pwm()
    pwm.write(0xFE, 5)
    assert round(pwm.chip.freq_hz) == 1017
    pwm.write(0x00, 0x20)
    pwm.write(0xFE, 30)
    assert round(pwm.chip.freq_hz) == 1017
    pwm.duty(3, 1600)
    assert pwm.told == [(3, 1600)]


def test_pwm_full_on_off_all_and_phase() -> None:
    pwm = Pwm()
    pwm.write(0x00, 0x20)
    pwm.write(0x06, 0x00, 0x10, 0x00, 0x00)
    pwm.write(0x0A, 0x00, 0x08, 0x00, 0x0C)
    assert pwm.told == [(0, 4095), (1, 0x400)]
    pwm.told.clear()
    pwm.write(0xFD, 0x10)
    assert pwm.told == [(0, 0), (1, 0)]


def test_pwm_stops_in_sleep_and_restarts_on_request() -> None:
    pwm = Pwm()
    pwm.write(0x00, 0x20)
    pwm.duty(2, 1000)
    pwm.write(0x00, 0x30)
    pwm.write(0x00)
    assert pwm.chip.read(1) == b"\xb0"
    pwm.write(0x00, 0x20)
    assert pwm.told == [(2, 1000), (2, 0)]
    pwm.write(0x00, 0xA0)
    assert pwm.told[-1] == (2, 1000)


def test_pwm_without_auto_increment_writes_one_register() -> None:
    pwm = Pwm()
    pwm.write(0x00, 0x00)
    pwm.write(0x08, 1, 2, 3)
    pwm.write(0x08)
    assert pwm.chip.read(2) == b"\x03\x03"


# ---- HT16K33


def test_panel_shows_what_was_written_once_switched_on() -> None:
    panel = Ht16k33()
    assert panel.write(b"\x00\x3f\x00\x06")
    assert not panel.on
    panel.write(b"\x21")
    panel.write(b"\x83")
    panel.write(b"\xe7")
    assert (panel.on, panel.blink, panel.brightness) == (True, 2.0, 8)
    assert panel.rows[:3] == b"\x3f\x00\x06"
    panel.write(b"\x0f\x11\x22")
    assert (panel.rows[15], panel.rows[0]) == (0x11, 0x22)
    panel.write(b"\x0f")
    assert panel.read(2) == b"\x11\x22"
    panel.write(b"\x20")
    assert not panel.on
