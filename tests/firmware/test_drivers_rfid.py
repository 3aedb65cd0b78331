"""PN5180 and ISO 15693 drivers against the register-level reader and tags, in virtual time."""

from __future__ import annotations

import random
import re

import pytest
from rig import SECOND, Table, slix2

from twin.air import Air, Echo, Noise
from twin.chips.pn5180 import BOOT_POWER, BOOT_SOFT, TEMP_CONTROL
from twin.tags import Tag

HAND, MELD, POND = 0, 1, 2
MEMORY = b"PJ\0\5abcd"


def found(lines: list[str]) -> tuple[dict[str, int | str], set[int]]:
    """The figures and UIDs of one inventory."""
    head = next(line for line in lines if line.startswith("inventory"))
    words = head.split()[2:]
    figures: dict[str, int | str] = {"count": int(words[0])}
    for name, value in zip(words[1::2], words[2::2], strict=True):
        figures[name] = int(value) if value.isdigit() else value
    uids = [int(line.split()[1], 16) for line in lines if line.startswith(" uid")]
    assert len(uids) == len(set(uids)) == figures["count"]
    return figures, set(uids)


def inventory(tags: list[Tag], noise: Noise | None = None, room: int = 40) -> tuple[dict[str, int | str], set[int]]:
    table = Table(noise)
    table.put(tags, HAND)
    result = found(table.run("reader_air", f"inventory={HAND},{room}"))
    assert not table.air.violations
    return result


def test_one_tag_is_probed_read_silenced_and_written() -> None:
    table = Table()
    table.put([slix2(7, MEMORY)], POND)
    lines = table.run("reader_air", f"probe={POND + 4}", f"quiet={POND}")
    told = [re.sub(r" us \d+$", "", line) for line in lines if not line.startswith("reader")]
    uid = "e004010800000007"
    assert told == [
        "states [0, 0, 0, 0, 0] (4, 0)",
        "probe 6 silent -",
        f"probe 2 good {uid}",
        f"read good {MEMORY!r}",
        "probe 2 silent -",  # persistently quiet
        f"probe 2 good {uid}",  # but not for an inventory with AFI
        f"read good {MEMORY[:4]!r}",
        "ready good",
        f"probe 2 good {uid}",
        "write good",
        "read good b'tile'",
        "afi good",
        "probe 2 silent -",  # quiet
        f"probe 2 good {uid}",  # forgotten with the field
        f"probe 2 good {uid}",  # AFI 50h asks for every sub-family
        "read silent",  # another address
        "read error",  # no such block
    ]
    assert not table.air.violations


@pytest.mark.parametrize(
    "serials",
    [
        [],
        [0x012345678, 0x112345678, 0x212345678],  # told apart by the ninth nibble only
        [0x105, 0x205],  # the same low byte, then a zero nibble
        [0x105, 0x205, 0x005, 0x305, 0x5],
        [0x700000000, 0x7000000000 >> 4, 0, 1],
        [n << 28 for n in range(6)],  # seven shared nibbles
        [0x123456780 | n for n in range(16)],
        list(range(34)),
    ],
)
def test_inventory_descends_through_every_collision(serials: list[int]) -> None:
    tags = [slix2(serial) for serial in dict.fromkeys(serials)]
    tags = list({tag.uid: tag for tag in tags}.values())
    figures, uids = inventory(tags)
    assert uids == {tag.uid for tag in tags}
    assert (figures["overflow"], figures["noise"], figures["lost"]) == ("False", 0, 0)


@pytest.mark.parametrize("depth", range(10, 14))
def test_inventory_descends_to_the_nibbles_of_the_maker(depth: int) -> None:
    """One serial from several makers: alike up to so many nibbles."""
    tags = [Tag(0xE0 << 56 | n << 4 * depth | 0x812345678) for n in range(3)]
    figures, uids = inventory(tags)
    assert uids == {tag.uid for tag in tags}
    assert (figures["overflow"], figures["noise"], figures["lost"]) == ("False", 0, 0)
    assert figures["rounds"] == depth + 1


@pytest.mark.parametrize("seed", range(6))
def test_inventory_of_random_uids_is_complete(seed: int) -> None:
    rng = random.Random(seed)
    tags = [slix2(rng.getrandbits(36)) for _ in range(14 if seed < 4 else 34)]
    figures, uids = inventory(tags)
    assert uids == {tag.uid for tag in tags}
    assert figures["overflow"] == "False"


def test_more_tags_than_room_is_an_overflow_and_nothing_else() -> None:
    rng = random.Random(3)
    tags = [slix2(rng.getrandbits(36)) for _ in range(14)]
    figures, uids = inventory(tags, room=5)
    assert figures["overflow"] == "True"
    assert len(uids) == 5
    assert uids < {tag.uid for tag in tags}


@pytest.mark.parametrize(("count", "room"), [(5, 5), (6, 5), (1, 0), (2, 1), (40, 40), (41, 40), (100, 40)])
@pytest.mark.parametrize("shared", [0, 9], ids=["low nibbles differ", "nine nibbles shared"])
def test_a_buffer_is_filled_to_its_last_place_and_never_beyond(count: int, room: int, shared: int) -> None:
    tags = [slix2(n * 0x1_0000_0005 if shared else n * 7) for n in range(count)]
    tags = list({tag.uid: tag for tag in tags}.values())
    figures, uids = inventory(tags, room=room)
    assert figures["overflow"] == str(len(tags) > room)
    assert len(uids) == min(len(tags), room)
    assert uids <= {tag.uid for tag in tags}


def test_an_overflow_under_noise_ends_and_says_so() -> None:
    rng = random.Random(8)
    tags = [slix2(rng.getrandbits(36)) for _ in range(60)]
    figures, uids = inventory(tags, Noise(8, bit_error=0.05, ghost=0.02), room=20)
    assert figures["overflow"] == "True"
    assert len(uids) == 20
    assert int(figures["rounds"]) <= 21 * 16


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_asked_again_and_never_becomes_a_tag(seed: int) -> None:
    rng = random.Random(seed)
    tags = [slix2(rng.getrandbits(36)) for _ in range(14)]
    figures, uids = inventory(tags, Noise(seed, bit_error=0.1, ghost=0.05))
    assert figures["noise"]
    assert uids == {tag.uid for tag in tags}


def test_a_tag_that_leaves_in_its_reply_is_noise_not_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table()
    body = table.put([slix2(7)], POND)[0]
    radio = table.air.radio(0)
    exchange = radio.exchange

    def leaving(frame: bytes | None, start: float) -> Echo | None:
        table.clock.after(1_500, lambda: table.move(body, None))
        return exchange(frame, start)

    monkeypatch.setattr(radio, "exchange", leaving)
    lines = table.run("reader_air", f"probe={POND}", f"probe={POND}")
    assert [line.split()[2] for line in lines if line.startswith("probe")] == ["noise", "silent"]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("zeros", "south: no version: reader or its wiring is dead"),
        ("ones", "south: no version: reader or its wiring is dead"),
        ("dead", "south: no version: reader or its wiring is dead"),
    ],
)
def test_the_boot_test_names_a_dead_reader_and_the_others_work(fault: str, says: str) -> None:
    table = Table()
    table.board.readers[1].faults.add(fault)
    table.put([slix2(7)], POND)
    lines = table.run("reader_air", f"probe={POND}")
    assert lines[0].startswith("states [0, 2, 0, 0, 0]")
    assert lines[1] == says
    assert lines[2].startswith("probe 2 good")
    assert "reader 1 2" in lines


def recovery(fault: str, times: int = 1) -> tuple[list[str], list[int], Table]:
    """Lines of the script, levels of RESET_N from the first fault on, and the table."""
    table = Table()
    chip = table.board.readers[0]
    table.put([slix2(7)], POND)
    pulses: list[int] = []

    def strike() -> None:
        chip._reset.watch(pulses.append)
        chip.faults.add(fault)

    table.at(0.05, strike)
    for n in range(1, times):
        table.at(0.05 + 0.12 * n, lambda: chip.faults.add(fault))
    lines = table.run("recovery")
    assert not table.air.violations
    return lines, pulses, table


def test_a_reader_whose_state_is_stuck_resets_itself() -> None:
    lines, pulses, table = recovery("stuck")
    assert lines.count("ReaderHung False") == 1
    assert lines[-1] == "probe 1"
    assert pulses == []
    assert table.board.readers[0]._system_status & 0x1F == BOOT_SOFT


def test_a_reader_whose_busy_is_stuck_is_reset_by_its_pin() -> None:
    lines, pulses, table = recovery("busy")
    assert lines.count("ReaderHung False") == 1
    assert lines[-1] == "probe 1"
    assert pulses == [0, 1, 1] or pulses == [0, 1]
    assert table.board.readers[0]._system_status & 0x1F == BOOT_POWER


def test_a_reset_of_its_own_that_did_not_help_is_followed_by_the_pin() -> None:
    lines, pulses, _ = recovery("no_field")
    assert next(line for line in lines if line.startswith("state")) == "state 1 FieldLost"
    assert pulses[:1] == [0]


def test_soft_and_hard_resets_take_turns_while_a_reader_keeps_failing() -> None:
    lines, pulses, _ = recovery("stuck", 3)
    assert lines.count("ReaderHung False") >= 2
    assert 0 in pulses
    assert lines[-1] == "probe 1"


def test_the_boot_test_names_a_reader_without_a_field() -> None:
    table = Table()
    table.board.readers[1].faults.add("no_field")
    table.put([slix2(7)], POND)
    lines = table.run("reader_air", f"probe={POND}")
    assert lines[0].startswith("states [0, 2, 0, 0, 0] (4, 0)")
    assert lines[1] == "south: the field does not come on"
    assert lines[2].startswith("probe 2 good")


def test_a_hot_reader_is_named_at_boot_and_the_sensor_is_on() -> None:
    table = Table()
    table.board.readers[1].temperature_c = 90.0
    lines = table.run("reader_air", f"probe={POND}")
    assert lines[1] == "south: too hot, field switched off"
    assert table.board.readers[0]._registers[TEMP_CONTROL] & 4


@pytest.mark.parametrize("late_us", range(0, 125_000, 12_500))
def test_a_reader_that_gets_hot_says_so_whenever_it_happens(late_us: int) -> None:
    """Between two requests, in one, or while its field comes up."""
    table = Table()
    table.put([slix2(7)], POND)
    chip = table.board.readers[0]
    table.at(0.05 + late_us / SECOND, lambda: setattr(chip, "temperature_c", 140.0))
    table.at(0.45, lambda: setattr(chip, "temperature_c", 40.0))
    lines = table.run("recovery")
    assert lines.count("ReaderHot False") == 1
    assert {line.split()[2] for line in lines if line.startswith("state")} == {"ReaderHot"}
    assert lines[-1] == "probe 1"


def test_a_password_opens_a_tag_for_writing_and_reading_needs_none() -> None:
    table = Table()
    tag = slix2(7)
    table.put([tag], POND)
    assert table.run("password") == [
        "write good",
        "protect error",  # not without a password
        "unlock ours wrong",
        "deaf silent",
        "unlock factory good",
        "change good",
        "protect good",
        "write good",
        "write error",  # a new field: the password has to be given again
        "write 2 good",
        "read good",
        "b'ours'",
        "unlock factory wrong",
        "unlock ours good",
        "write good",
        "nobody silent",
    ]
    assert tag.passwords[2] == 0x89ABCDEF
    assert bytes(tag.memory[:4]) == b"anew"


@pytest.mark.parametrize("seed", range(3))
def test_lost_answers_are_no_wrong_password(seed: int) -> None:
    table = Table(Noise(seed, missed=0.1))
    table.put([slix2(7)], POND)
    lines = table.run("password")
    assert [line for line in lines if line.startswith("unlock")] == [
        "unlock ours wrong", "unlock factory good", "unlock factory wrong", "unlock ours good"]  # fmt: skip


def test_every_zone_reaches_its_own_antenna_and_no_two_are_ever_powered(monkeypatch: pytest.MonkeyPatch) -> None:
    """In an order in which every address line rises and falls; a wrong or swapped bit would hear another's tag."""
    table = Table()
    zones = [*(7 * n % 18 for n in range(18)), *range(18)]
    for zone in range(18):
        table.put([slix2(0x100 + zone)], zone)
    at_once = []
    power = Air._power

    def counted(air: Air, number: int, on: bool) -> None:
        power(air, number, on)
        at_once.append(sum(air.powered))

    monkeypatch.setattr(Air, "_power", counted)
    lines = table.run("reader_air", *(f"probe={zone}" for zone in zones))
    heard = [line.split() for line in lines if line.startswith("probe")]
    assert [(int(zone), outcome, int(tag, 16)) for _, zone, outcome, tag, *_ in heard] == [
        (zone, "good", slix2(0x100 + zone).uid) for zone in zones
    ]
    assert set(at_once) == {0, 1}
    assert not table.air.violations


@pytest.mark.parametrize("bits", range(8))
def test_the_lines_of_a_multiplexer_connect_one_antenna_or_none(bits: int) -> None:
    """Whatever is written to the expander: two address bits choose, without enable no antenna has a field."""
    table = Table()
    assert table.run("mux", str(bits)) == ["field True"]
    on = [table.air.antennas[n].zone for n, powered in enumerate(table.air.powered) if powered]
    assert on == ([bits & 3] if bits & 4 else [])


def test_an_empty_round_keeps_to_its_air_time() -> None:
    table = Table()
    figures, _ = found(table.run("reader_air", f"inventory={HAND}"))
    # 16 slots of 512 us and the request are 9.8 ms; with the default costs of SPI and interpreter it stays below 16.
    assert 9_780 <= int(figures["us"]) <= 16_000
    assert not table.air.violations


def test_no_wait_is_endless() -> None:
    """A reader whose BUSY stays high: the fault comes within the bound, and RESET_N ends it."""
    table = Table()
    table.board.readers[0].faults.add("busy")
    table.put([slix2(7)], POND)
    lines = table.run("hung", seconds=5)
    assert lines[0].startswith("fault ReaderHung east: BUSY stays high")
    assert int(lines[0].split()[-1]) <= 20_000
    assert lines[1] == "nss 1"
    assert lines[2] == "again good"
    assert table.clock.now < SECOND
