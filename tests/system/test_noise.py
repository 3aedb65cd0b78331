"""Named disturbances of the air: coupling by place, cross-talk, capture, noise floor; an empty slot stays cheap."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import pytest

from twin import coupling
from twin.air import Air, Antenna, Radio
from twin.clock import Clock
from twin.noise import PROFILES, Noise, NoiseError, Profile
from twin.tags import Tag, with_crc

HAND, MELD, POND = range(3)
PROBE = with_crc(b"\x26\x01\x00")
LOOP = Antenna(2, 0, 2, (-84.0, 84.0), (-230.0, -84.0), 15.0)


@dataclass(eq=False)
class Thing:
    tag: Tag
    x: float = 0.0
    y: float = -150.0
    z: float = 10.0
    tilt: float = 0.0


class Table:
    def __init__(self, noise: Noise | None) -> None:
        self.clock = Clock()
        self.air = Air(self.clock, noise=noise)

    def put(self, serial: int, x: float = 0.0, y: float = -150.0, z: float = 10.0, tilt: float = 0.0) -> Thing:
        thing = Thing(Tag(0xE0040108_00000000 | serial), x, y, z, tilt)
        self.air.add(thing)
        return thing

    def scans(self, antenna: int, times: int) -> list[int | None]:
        """UIDs heard by probes, each with a field period of its own; -1 for anything else than one clean answer."""
        radio: Radio = self.air.radio(0)
        radio.antenna = antenna
        out: list[int | None] = []
        for _ in range(times):
            radio.field = True
            self.clock.advance(self.clock.now + 2_000)
            echo = radio.exchange(PROBE, self.clock.now)
            self.clock.advance(self.clock.now + 6_000)
            radio.field = False
            self.clock.advance(self.clock.now + 1_000)
            if echo is None:
                out.append(None)
            elif echo.collision is not None or with_crc(echo.data[:-2]) != echo.data:
                out.append(-1)
            else:
                out.append(int.from_bytes(echo.data[2:10], "little"))
        return out


def share(heard: list[int | None], thing: Thing) -> float:
    return heard.count(thing.tag.uid) / len(heard)


def test_strength_falls_with_height_edge_tilt_and_neighbours() -> None:
    flat = coupling.strength_db(LOOP, Thing(Tag(1)), ())
    assert flat > 8
    assert coupling.strength_db(LOOP, Thing(Tag(1), z=20.0), ()) < flat
    assert coupling.strength_db(LOOP, Thing(Tag(1), y=-228.0), ()) < flat
    assert coupling.strength_db(LOOP, Thing(Tag(1), y=-240.0), ()) < coupling.strength_db(
        LOOP, Thing(Tag(1), y=-228.0), ()
    )
    assert coupling.strength_db(LOOP, Thing(Tag(1), tilt=60.0), ()) == pytest.approx(flat - 6.02, abs=0.01)
    beside = coupling.strength_db(LOOP, Thing(Tag(1)), [Thing(Tag(2), x=26.0)])
    stacked = coupling.strength_db(LOOP, Thing(Tag(1)), [Thing(Tag(2), z=30.0)])
    assert stacked < beside < flat


def test_a_stronger_field_reaches_more_and_answers_louder() -> None:
    table = Table(Noise.named("coupled"))
    far, near = table.put(1, y=-340.0), table.put(2, y=-150.0)
    usual = share(table.scans(MELD, 100), far), table.air.level(POND, near.tag)
    for gain, more in ((6.0, 1), (-6.0, -1), (0.0, 0)):
        table.air.radio(0).amplify(gain)
        heard, level = share(table.scans(MELD, 100), far), table.air.level(POND, near.tag)
        assert (heard > usual[0] + 0.2) == (more > 0)
        assert (heard < usual[0] - 0.2) == (more < 0)
        assert level - usual[1] == round(gain / coupling.DB_A_LEVEL)
    table.air.radio(1).amplify(6.0)  # another reader's field
    assert table.air.level(POND, near.tag) == usual[1]


@pytest.mark.parametrize(("gain", "least", "most"), [(-3.0, 0.0, 0.06), (0.0, 0.2, 0.4), (3.0, 0.8, 1.0)])
def test_cross_talk_follows_the_power_of_the_field(gain: float, least: float, most: float) -> None:
    table = Table(Noise(1, profile=Profile(crosstalk=0.3)))
    table.put(1, y=-300.0)
    table.air.radio(0).amplify(gain)
    heard = table.scans(HAND, 200)
    assert least <= 1 - heard.count(None) / len(heard) <= most
    other = Table(Noise(1))
    thing = other.put(2, y=-300.0)
    assert other.air.noise is not None
    other.air.noise.overlaps[thing.tag, HAND] = 0.3
    other.air.radio(0).amplify(gain)
    assert least <= share(other.scans(HAND, 200), thing) <= most


def test_a_tile_on_edge_or_lifted_is_lost_and_one_between_two_zones_is_heard_by_both() -> None:
    table = Table(Noise.named("coupled"))
    thing = table.put(1)
    assert share(table.scans(POND, 60), thing) == 1
    thing.tilt = 89.0
    table.air.moved(thing)
    assert share(table.scans(POND, 60), thing) == 0
    thing.tilt, thing.y, thing.z = 0.0, -340.0, 10.0  # the gap between hand and meld
    table.air.moved(thing)
    here, there = share(table.scans(HAND, 200), thing), share(table.scans(MELD, 200), thing)
    assert 0.2 < there < 0.8 < here


def test_crosstalk_reads_the_tags_of_neighbouring_zones_only_at_its_rate() -> None:
    table = Table(Noise(1, profile=Profile(crosstalk=0.2)))
    near = table.put(1, y=-300.0)  # in the meld zone
    wall = table.put(2, y=-252.0)  # over no antenna
    far = table.put(3, x=300.0, y=-300.0)
    heard = table.scans(HAND, 400)
    assert 0.1 < (share(heard, near) + share(heard, far)) < 0.3
    assert share(heard, wall) == 0
    assert share(table.scans(MELD, 40), near) == 0  # two own tags always collide


def test_an_overlap_is_heard_as_often_as_it_is_asked_to_be() -> None:
    noise = Noise(3)
    table = Table(noise)
    thing = table.put(1)
    noise.overlaps[thing.tag, MELD] = 0.2
    assert share(table.scans(POND, 100), thing) == 1
    assert 0.12 < share(table.scans(MELD, 400), thing) < 0.28


def test_a_strong_answer_is_heard_over_a_weak_one_and_equals_collide() -> None:
    table = Table(Noise.named("coupled"))
    strong, weak = table.put(1, z=0.0), table.put(2, x=50.0, z=12.0)
    assert share(table.scans(POND, 50), strong) > 0.9
    weak.z = 0.0
    table.air.moved(weak)
    assert share(table.scans(POND, 50), strong) == 0


def test_the_noise_floor_is_heard_only_by_a_receiver_that_is_set_below_it() -> None:
    table = Table(Noise.named("coupled"))
    radio = table.air.radio(0)
    radio.antenna, radio.field = POND, True
    table.clock.advance(2_000)
    levels = []
    for _ in range(300):
        echo = radio.exchange(PROBE, table.clock.now)
        levels.append(echo.level if echo else 0)
        table.clock.advance(table.clock.now + 3_000)
    assert sum(levels) / 300 == pytest.approx(table.air.noise.floor(POND) if table.air.noise else 0, abs=0.2)
    assert max(levels) <= 4


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_is_reproducible(name: str) -> None:
    def heard(seed: int) -> list[int | None]:
        table = Table(Noise.named(name, seed))
        for n in range(3):
            table.put(n + 1, x=26.0 * n, y=-225.0)
            table.put(n + 10, x=26.0 * n, y=-300.0)
        return table.scans(POND, 60) + table.scans(MELD, 60)

    assert heard(1) == heard(1)


def test_an_unknown_profile_is_named() -> None:
    with pytest.raises(NoiseError, match="no noise called loud"):
        Noise.named("loud")


def test_an_empty_slot_costs_no_work() -> None:
    """The count of calls, not a time: an empty slot must stay cheap with thirteen tiles in the hand beside it."""
    table = Table(None)
    for n in range(13):
        table.put(n, x=-200.0 + 26.0 * n, y=-370.0, z=18.0)
    radio = table.air.radio(0)
    radio.antenna, radio.field = POND, True
    calls = 0

    def count(_frame: object, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        radio.exchange(PROBE, table.clock.now)
    finally:
        sys.setprofile(None)
    assert calls <= 8
    started = time.perf_counter()
    for _ in range(1000):
        radio.exchange(PROBE, table.clock.now)
    print(f"{1000 * (time.perf_counter() - started):.1f} us an empty probe")
