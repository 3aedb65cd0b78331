"""Antennas, fields, superposition of answers and what the air notices of careless readers."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from twin.air import (
    EOF_US,
    T1_US,
    T2_US,
    T3_ASK10_US,
    Air,
    Echo,
    Noise,
    Radio,
    load_antennas,
    reply_us,
    request_us,
    superpose,
)
from twin.chips.mux import AntennaMux
from twin.clock import Clock
from twin.signal import Signal
from twin.tags import State, Tag, with_crc

HAND, MELD, POND, GATE = range(4)
PROBE = with_crc(b"\x26\x01\x00")
ROUND = with_crc(b"\x06\x01\x00")


@dataclass(eq=False)
class Thing:
    tag: Tag
    x: float = 0.0
    y: float = 0.0
    z: float = 10.0


def uid(serial: int) -> int:
    return 0xE0040108_00000000 | serial


class Table:
    def __init__(self, noise: Noise | None = None) -> None:
        self.clock = Clock()
        self.air = Air(self.clock, noise=noise)

    def put(self, serial: int, x: float, y: float, z: float = 10.0) -> Thing:
        thing = Thing(Tag(uid(serial)), x, y, z)
        self.air.add(thing)
        return thing

    def lit(self, reader: int, antenna: int) -> Radio:
        radio = self.air.radio(reader)
        radio.antenna, radio.field = antenna, True
        self.clock.advance(self.clock.now + 2_000)
        return radio


def test_antennas_turn_counter_clockwise_with_the_seats() -> None:
    antennas = load_antennas()
    assert [a.zone for a in antennas] == list(range(18))
    east, south, west, north = (antennas[4 * seat + POND] for seat in range(4))
    assert east.y == (-230, -84)
    assert south.x == (84, 230)
    assert west.y == (84, 230)
    assert north.x == (-230, -84)
    assert {a.reader for a in antennas[16:]} == {4}


@pytest.mark.parametrize(
    ("place", "zones"),
    [
        ((0, -370, 18), [0]),
        ((0, -370, 31), []),
        ((0, -300, 10), [1]),
        ((0, -150, 10), [2]),
        ((0, -250, -10), [3]),
        ((0, -250, 10), []),
        ((0, -250, -40), []),
        ((150, 0, 10), [6]),
        ((-18, 0, 0), [16]),
        ((18, 0, 8), []),
    ],
)
def test_coupling_by_place(place: tuple[float, float, float], zones: list[int]) -> None:
    assert Table().air.zones_at(*place) == zones


def test_a_tag_has_power_only_above_the_selected_antenna_with_the_field_on() -> None:
    table = Table()
    thing = table.put(1, 0, -150)
    radio = table.air.radio(0)
    radio.field = True
    assert not thing.tag.powered
    radio.antenna = POND
    assert thing.tag.powered
    radio.antenna = MELD
    assert not thing.tag.powered
    thing.y = -300
    table.air.moved(thing)
    assert thing.tag.powered
    radio.field = False
    assert not thing.tag.powered


def test_leaving_and_removing_take_the_power_away() -> None:
    table = Table()
    thing, other = table.put(1, 0, -150), table.put(2, 20, -150)
    radio = table.lit(0, POND)
    thing.z = 150.0
    table.air.moved(thing)
    table.air.remove(other)
    assert not thing.tag.powered
    assert not other.tag.powered
    assert radio.exchange(PROBE, table.clock.now) is None


def test_answers_of_two_tags_superpose_at_their_first_differing_bit() -> None:
    table = Table()
    table.put(0x105, 0, -150)
    table.put(0x205, 20, -150)
    echo = table.lit(0, POND).exchange(PROBE, table.clock.now)
    assert echo is not None
    assert echo.collision == 16 + 8  # flags and DSFID agree, then the UID's second byte
    assert echo.data[3] == 0x03


def test_superposition_of_equal_answers_is_clean() -> None:
    assert superpose([b"\x01\x02", b"\x01\x02"]) == (b"\x01\x02", None)
    assert superpose([b"\x00\x01", b"\x00\x81\xff"]) == (b"\x00\x81\xff", 15)


def test_a_round_of_sixteen_slots() -> None:
    table = Table()
    table.put(0x15, 0, -150)
    table.put(0x2A, 20, -150)
    radio = table.lit(0, POND)
    heard = [radio.exchange(ROUND, table.clock.now)]
    for _ in range(15):
        table.clock.advance(table.clock.now + 5_000)
        heard.append(radio.exchange(None, table.clock.now))
    assert [n for n, echo in enumerate(heard) if echo] == [5, 10]
    assert not table.air.violations


def test_a_reply_is_spoilt_when_its_tag_leaves() -> None:
    table = Table()
    thing = table.put(1, 0, -150)
    echo = table.lit(0, POND).exchange(PROBE, table.clock.now)
    assert echo is not None
    assert echo.intact
    thing.z = 100.0
    table.air.moved(thing)
    assert not echo.intact


def test_two_neighbouring_fields_are_noticed_and_distant_ones_are_not() -> None:
    table = Table()
    table.lit(0, POND)
    table.lit(2, POND)
    assert not table.air.violations
    table.lit(1, POND)
    assert {v.kind for v in table.air.violations} == {"fields"}
    assert {v.zones for v in table.air.violations} == {(2, 6), (10, 6)}
    assert table.air.radio(0).foreign_field


def test_a_request_before_t2_is_not_heard() -> None:
    table = Table()
    table.put(1, 0, -150)
    radio = table.lit(0, POND)
    radio.exchange(PROBE, table.clock.now)
    end = table.clock.now + T1_US + reply_us(12)
    table.clock.advance(int(end + T2_US) - 20)
    assert radio.exchange(PROBE, table.clock.now) is None
    assert [v.kind for v in table.air.violations] == ["t2"]
    table.clock.advance(int(end + T2_US) + 20)
    assert radio.exchange(PROBE, table.clock.now) is not None


def test_an_eof_too_soon_after_an_empty_slot_is_noticed() -> None:
    table = Table()
    radio = table.lit(0, POND)
    radio.exchange(ROUND, table.clock.now)
    table.clock.advance(table.clock.now + 480)
    radio.exchange(None, table.clock.now)
    assert not table.air.violations
    table.clock.advance(table.clock.now + 400)
    radio.exchange(None, table.clock.now)
    assert [v.kind for v in table.air.violations] == ["t3"]


def test_multiplexer_lines_that_move_together_switch_once() -> None:
    table = Table()
    pond, meld = table.put(1, 0, -150), table.put(2, 0, -300)
    a0, a1, enable = Signal("a0", 1), Signal("a1"), Signal("enable", 1)
    radio = table.air.radio(0)
    AntennaMux(a0, a1, enable, radio)
    radio.field = True
    assert (pond.tag.powered, meld.tag.powered) == (False, True)
    before = meld.tag.epoch
    a0.set(0)
    a1.set(1)
    table.clock.advance(10)
    assert (pond.tag.powered, meld.tag.epoch) == (True, before + 1)
    enable.set(0)
    table.clock.advance(20)
    assert radio.antenna is None
    assert pond.tag.state is State.OFF


def heard_over(noise: Noise, times: int = 400) -> list[bytes | None]:
    table = Table(noise)
    table.put(0x123456, 0, -150)
    radio = table.lit(0, POND)
    out = []
    for _ in range(times):
        echo = radio.exchange(PROBE, table.clock.now)
        out.append(echo.data if echo else None)
        table.clock.advance(table.clock.now + 6_000)
    return out


def air_time_ms(serials: list[int]) -> float:
    """Air time of a full inventory without any host time, every frame as early as the standard allows."""
    table = Table()
    for serial in serials:
        table.put(serial, 0, -150)
    radio = table.lit(0, POND)
    begin = at = float(table.clock.now)

    def slot(frame: bytes | None, duration: float) -> tuple[Echo | None, float]:
        start = at
        table.clock.advance(round(start + duration))
        echo = radio.exchange(frame, start)
        rest = T3_ASK10_US if echo is None else T1_US + reply_us(len(echo.data)) + T2_US
        return echo, start + duration + rest

    found: set[int] = set()
    rounds = [(0, 0)]
    while rounds:
        length, mask = rounds.pop()
        request = with_crc(bytes((0x06, 0x01, length)) + mask.to_bytes(8, "little")[: (length + 7) // 8])
        for number in range(16):
            echo, at = slot(request, request_us(len(request))) if not number else slot(None, EOF_US)
            if echo is not None and echo.collision is not None:
                rounds.append((length + 4, mask | number << length))
            elif echo is not None:
                found.add(int.from_bytes(echo.data[2:10], "little"))
    assert found == {uid(serial) for serial in serials}
    assert not table.air.violations
    return (at - begin) / 1000


def test_air_time_of_inventories_agrees_with_the_budget() -> None:
    assert air_time_ms([]) == pytest.approx(9.78, abs=0.01)
    assert air_time_ms([5]) == pytest.approx(13.9, abs=0.05)
    assert air_time_ms(list(range(0x100, 0x100 + 14))) == pytest.approx(66.9, abs=0.5)
    random = Random(7)
    mean = sum(air_time_ms([random.getrandbits(32) for _ in range(14)]) for _ in range(60)) / 60
    assert 115 < mean < 127  # 121 ms over 4,000 sets


def test_noise_is_seeded_and_does_what_its_name_says() -> None:
    missed = heard_over(Noise(1, missed=0.1))
    assert missed == heard_over(Noise(1, missed=0.1))
    assert missed != heard_over(Noise(2, missed=0.1))
    assert 20 <= missed.count(None) <= 60
    clean = with_crc(b"\x00\x00" + uid(0x123456).to_bytes(8, "little"))
    spoilt = [data for data in heard_over(Noise(3, bit_error=0.1)) if data != clean]
    assert 20 <= len(spoilt) <= 60
    assert all(data is not None and with_crc(data[:-2]) != data for data in spoilt)


def test_ghosts_have_a_good_crc_and_a_shifted_uid() -> None:
    table = Table(Noise(4, ghost=1.0))
    table.put(0x123456, 400, 400)
    echo = table.lit(0, POND).exchange(PROBE, table.clock.now)
    assert echo is not None
    assert with_crc(echo.data[:-2]) == echo.data
    assert echo.data[9] == 0  # not E0h
