"""The scanner on the simulated table: every tile in exactly one zone, told by the right events."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from rig import Loose, Table

from twin import tags
from twin.air import Noise
from twin.tags import State, Tag
from twin.tiles import AFI_TILE, Tile, make_die, make_set

HAND, MELD, POND, GATE = range(4)
OK, DEGRADED, DOWN = range(3)
UNKNOWN, FOREIGN, _, DOUBLED = range(4)


@dataclass
class Scene:
    """A table with tiles, and what its scanner said: (ms, name, *fields)."""

    noise: Noise | None = None
    table: Table = field(init=False)
    tiles: list[Tile] = field(init=False)
    bodies: dict[int, Loose] = field(default_factory=dict)
    events: list[tuple[int | str, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.table = Table(self.noise)
        self.tiles = make_set(0, 1)

    def deal(self, zone: int, numbers: range | list[int]) -> None:
        for number, body in zip(numbers, self.table.put([self.tiles[n].tag for n in numbers], zone), strict=True):
            self.bodies[number] = body

    def hold(self, number: int) -> None:
        """A tile somewhere outside all zones."""
        self.deal(HAND, [number])
        self.table.move(self.bodies[number], None)

    def at(self, seconds: float, number: int, zone: int | None, share: float = 0.37) -> None:
        self.table.at(seconds, lambda: self.table.move(self.bodies[number], zone, share))

    def run(self, ms: int, *acts: str) -> None:
        for line in self.table.run("scan", str(ms), *acts, seconds=ms / 1000 + 5):
            at, name, *rest = line.split()
            self.events.append((int(at), name, *(int(r) if r.lstrip("-").isdigit() else r for r in rest)))
        assert not self.table.air.violations

    def of(self, *names: str) -> list[tuple[int | str, ...]]:
        """The events of these names without their times."""
        return [event[1:] for event in self.events if event[1] in names]

    def when(self, *event: int | str) -> int:
        """Time of an event in ms; it must have come exactly once."""
        times = [e[0] for e in self.events if e[1:] == event]
        assert len(times) == 1, (event, times, self.events)
        return int(times[0])

    def places(self) -> dict[int, int]:
        """Where the events put every tile; checks that each is in one zone at a time."""
        where: dict[int, int] = {}
        for _, name, *fields in self.events:
            if name == "enter":
                zone, tile = map(int, fields)
                assert tile not in where
                where[tile] = zone
            elif name == "moved":
                tile, old, new = map(int, fields)
                assert where[tile] == old != new
                where[tile] = new
            elif name == "leave":
                zone, tile = map(int, fields)
                assert where.pop(tile) == zone
        return where


def test_tiles_at_rest_enter_once_and_nothing_else_happens() -> None:
    scene = Scene()
    scene.deal(HAND, range(13))
    scene.deal(4 + HAND, range(20, 34))
    scene.deal(4 + MELD, range(34, 38))
    scene.deal(8 + POND, range(40, 58))
    scene.run(8000)
    assert len(scene.of("enter")) == 13 + 14 + 4 + 18
    assert not scene.of("leave", "moved", "tag")
    assert scene.places() == {
        **dict.fromkeys(range(13), HAND),
        **dict.fromkeys(range(20, 34), 4 + HAND),
        **dict.fromkeys(range(34, 38), 4 + MELD),
        **dict.fromkeys(range(40, 58), 8 + POND),
    }


def test_a_tile_laid_into_a_pond_is_told_within_300_ms_and_a_claim_is_one_event() -> None:
    scene = Scene()
    for seat in range(4):
        scene.deal(4 * seat + HAND, range(13 * seat, 13 * seat + 13))
        scene.deal(4 * seat + POND, range(60 + 10 * seat, 70 + 10 * seat))
    scene.at(8.0, 3, None)
    scene.at(8.4, 3, POND)
    scene.at(9.0, 3, None)  # silenced by now
    scene.at(9.5, 3, 8 + MELD)
    scene.at(10.0, 30, None)
    scene.at(10.4, 30, 8 + MELD)
    scene.at(10.5, 31, None)
    scene.at(10.9, 31, 8 + MELD, 0.5)
    scene.run(13_000)
    assert 8400 <= scene.when("moved", 3, HAND, POND) <= 8700
    assert 9500 <= scene.when("moved", 3, POND, 8 + MELD) <= 9900
    assert 10_400 <= scene.when("moved", 30, 8, 9) <= 10_700
    assert 10_900 <= scene.when("moved", 31, 8, 9) <= 11_200
    assert len(scene.of("moved")) == 4
    assert not scene.of("leave", "tag")


def test_a_silent_discard_taken_into_a_hand_or_another_pond_is_found() -> None:
    scene = Scene()
    scene.deal(HAND, range(13))
    scene.deal(4 + HAND, range(13, 26))
    scene.at(3.0, 0, None)
    scene.at(3.3, 0, POND)
    scene.at(4.0, 0, None)
    scene.at(4.4, 0, 4 + HAND)
    scene.at(6.0, 13, None)
    scene.at(6.3, 13, 4 + POND)
    scene.at(7.0, 13, None)
    scene.at(7.4, 13, 12 + POND)
    scene.run(10_000)
    assert scene.of("moved") == [("moved", 0, 0, 2), ("moved", 0, 2, 4), ("moved", 13, 4, 6), ("moved", 13, 6, 14)]
    assert scene.when("moved", 0, 2, 4) <= 4900
    assert scene.when("moved", 13, 6, 14) <= 7900
    assert not scene.of("leave")


def test_a_drawn_tile_enters_and_a_tile_put_away_leaves() -> None:
    scene = Scene()
    scene.deal(HAND, range(13))
    scene.deal(POND, [40, 41])
    scene.hold(100)
    scene.at(4.0, 100, HAND)
    scene.at(6.0, 5, None)
    scene.at(6.0, 41, None)
    scene.run(12_000)
    assert scene.when("enter", HAND, 100) >= 4000
    assert scene.when("leave", HAND, 5) > 6000
    assert scene.when("leave", POND, 41) > 6000
    assert sorted(scene.places()) == sorted([*(n for n in range(13) if n != 5), 40, 100])


@pytest.mark.parametrize("trouble", ["nothing", "a tile stays loud", "a stranger lies there"])
def test_an_awaited_draw_is_heard_soon_and_the_hand_is_loud_again(
    trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a discard the next hand is silenced while its field is on, so that one probe hears what comes in."""
    scene = Scene()
    scene.deal(HAND, range(13))
    scene.deal(4 + HAND, range(20, 33))
    scene.hold(50)
    if trouble == "a tile stays loud":  # it never hears STAY QUIET
        deaf, obeys = scene.tiles[25].tag, tags._COMMANDS[0x02]
        monkeypatch.setitem(tags._COMMANDS, 0x02, lambda tag, request: None if tag is deaf else obeys(tag, request))
    elif trouble == "a stranger lies there":
        scene.table.put([Tag(0xE004010900000077, b"", 0)], 4 + HAND)
    scene.at(8.0, 3, None)
    scene.at(8.4, 3, POND)
    scene.at(9.5, 50, 4 + HAND)
    scene.at(10.3, 31, None)  # out of the hand that has just been watched
    scene.at(10.7, 31, 4 + POND)
    scene.run(16_000)
    assert 9500 <= scene.when("enter", 4 + HAND, 50) <= 9800
    assert 10_700 <= scene.when("moved", 31, 4 + HAND, 4 + POND) <= 10_900
    assert not scene.of("leave")
    assert scene.places() == {
        **dict.fromkeys([0, 1, 2, *range(4, 13)], HAND), 3: POND, 31: 4 + POND,
        **dict.fromkeys([*range(20, 31), 32, 50], 4 + HAND),
    }  # fmt: skip


def test_a_tile_lifted_and_put_back_is_no_event() -> None:
    scene = Scene()
    scene.deal(HAND, range(13))
    scene.deal(POND, [40, 41])
    for number, zone in ((5, HAND), (41, POND)):
        scene.at(5.0, number, None)
        scene.at(5.6, number, zone)
    scene.run(9_000)
    assert len(scene.of("enter")) == 15
    assert not scene.of("leave", "moved")


def test_strange_tags_are_told_once_with_their_uid_and_never_become_tiles() -> None:
    scene = Scene()
    scene.deal(HAND, range(13))
    foreign = Tag(0xE00401_0812345678, b"shop", AFI_TILE)
    damaged = Tag(0xE00401_0811111111, b"PJ\0\7\1\2\1\0", AFI_TILE)
    other_maker = Tag(0xE0070012_34567890, b"", 0)
    twin = make_set(0, 2)[3]  # another tag that says it is tile 3
    scene.table.put([foreign], POND)
    scene.table.put([damaged], 4 + MELD)
    scene.table.put([twin.tag], 12 + HAND)
    scene.table.put([other_maker], 8 + HAND)
    scene.run(8_000)
    told = sorted(scene.of("tag"))
    uid = {name: tag.uid.to_bytes(8, "little").hex() for name, tag in
           (("foreign", foreign), ("damaged", damaged), ("other", other_maker), ("twin", twin.tag))}  # fmt: skip
    places = scene.places()
    assert sorted(places) == list(range(13))
    # Of two tags for one tile the first one read is the tile, the other is doubled.
    one_of_two = [t for t in told if t[2] == DOUBLED]
    assert len(one_of_two) == 1
    assert one_of_two[0][3] in (uid["twin"], scene.tiles[3].tag.uid.to_bytes(8, "little").hex())
    assert [t for t in told if t[2] != DOUBLED] == sorted(
        [("tag", POND, FOREIGN, uid["foreign"]), ("tag", 5, UNKNOWN, uid["damaged"]), ("tag", 8, FOREIGN, uid["other"])]
    )


@pytest.mark.parametrize("fault", ["busy", "stuck", "ones", "zeros", "no_field", "dead"])
def test_a_failing_reader_is_told_and_loses_no_tile(fault: str) -> None:
    scene = Scene()
    scene.deal(HAND, range(13))
    scene.deal(POND, range(40, 50))
    scene.deal(4 + HAND, range(13, 26))
    scene.hold(100)
    reader = scene.table.board.readers[0]
    scene.table.at(5.0, lambda: reader.faults.add(fault))
    scene.at(6.0, 100, 8 + POND)  # the others go on
    scene.table.at(8.0, lambda: reader.faults.discard(fault))
    scene.run(14_000)
    states = [event for event in scene.of("reader") if event[1] == 0]
    assert states[0] == ("reader", 0, OK)
    assert states[1] == ("reader", 0, DEGRADED)
    assert states[-1] == ("reader", 0, OK)
    if fault not in ("busy", "stuck"):
        assert ("reader", 0, DOWN) in states or fault == "no_field"
    assert not scene.of("leave", "moved")
    assert 6000 <= scene.when("enter", 10, 100) <= 6500
    assert len(scene.of("enter")) == 37


def test_a_dead_reader_does_not_keep_its_tile_from_moving_on() -> None:
    scene = Scene()
    scene.deal(HAND, range(13))
    reader = scene.table.board.readers[0]
    scene.table.at(5.0, lambda: reader.faults.add("ones"))
    scene.at(6.0, 4, None)
    scene.at(6.4, 4, 4 + MELD)
    scene.run(8_000)
    assert scene.of("moved") == [("moved", 4, HAND, 4 + MELD)]


def test_a_seat_read_in_full_ends_with_its_counts_after_all_changes() -> None:
    scene = Scene()
    scene.deal(8 + HAND, range(13))
    scene.deal(8 + MELD, [20, 21, 22])
    scene.deal(POND, [30])
    scene.hold(31)
    scene.at(5.0, 0, None)
    scene.at(5.0, 31, 8 + HAND, 0.9)
    scene.run(8_000, "5010:seat=2")
    marks = scene.of("zone_read")
    assert marks == [("zone_read", 8, 13), ("zone_read", 9, 3), ("zone_read", 10, 0)]
    first = next(n for n, e in enumerate(scene.events) if e[1] == "zone_read")
    told = [e[1:] for e in scene.events[:first]]
    assert ("enter", 8, 31) in told
    assert ("leave", 8, 0) in told


def test_gates_and_dice_are_read_while_the_surface_rests() -> None:
    scene = Scene()
    scene.deal(HAND, range(5))
    scene.deal(4 + GATE, [77])
    scene.table.put([Tag(0xE00401_0812345678, b"shop", AFI_TILE)], 8 + GATE)
    one, two = make_die(0, 1), make_die(1, 1)
    scene.table.put([one[5].tag], 16)
    lying = scene.table.put([two[0].tag], 17)
    second = scene.table.put([two[1].tag], 17)[0]
    scene.table.move(second, None)
    scene.table.at(4.0, lambda: scene.table.move(second, 17, 0.2))
    scene.table.at(4.5, lambda: [scene.table.move(body, None) for body in (*lying, second)] and None)
    acts = ["3000:pause", "3100:gate=0", "3200:gate=1", "3250:gate=2", "3300:die=0", "3400:die=1", "4100:die=1"]
    scene.run(6_000, *acts, "4600:die=1", "5000:resume")
    assert scene.of("gate") == [("gate", 0, "None"), ("gate", 1, 77), ("gate", 2, -3)]
    assert scene.of("die") == [("die", 0, 1), ("die", 1, 6), ("die", 1, 0), ("die", 1, 0)]
    assert scene.of("tag") == [("tag", 10 + 1, FOREIGN, Tag(0xE00401_0812345678).uid.to_bytes(8, "little").hex())]
    assert sorted(scene.places()) == list(range(5))


def test_clear_lets_every_tile_leave_and_finds_them_again() -> None:
    scene = Scene()
    scene.deal(HAND, range(13))
    scene.deal(POND, range(40, 44))
    scene.run(9_000, "4000:pause", "4100:clear", "5000:resume")
    assert len(scene.of("leave")) == 17
    assert len(scene.of("enter")) == 34
    assert sorted(scene.places()) == [*range(13), *range(40, 44)]


@pytest.mark.parametrize("times", [1, 10])
def test_noise_delays_but_never_invents_or_loses(times: int) -> None:
    scene = Scene(Noise(11, missed=0.02 * times, bit_error=0.01 * times, ghost=0.001 * times))
    for seat in range(4):
        scene.deal(4 * seat + HAND, range(13 * seat, 13 * seat + 13))
        scene.deal(4 * seat + POND, range(60 + 8 * seat, 68 + 8 * seat))
    for turn in range(5):
        scene.at(12.0 + 2 * turn, turn, None)
        scene.at(12.4 + 2 * turn, turn, POND, 0.3 + 0.1 * turn)
    scene.run(30_000)
    assert scene.of("moved") == [("moved", turn, HAND, POND) for turn in range(5)]
    assert not scene.of("leave", "tag")
    assert len(scene.places()) == 84


@pytest.mark.parametrize("seed", range(4))
def test_quiet_tiles_put_back_into_hands_do_not_seem_to_leave(seed: int) -> None:
    """They do not speak up there: nothing leaves before it was looked for in every zone."""
    scene = Scene(Noise.named("harsh", seed))
    for seat in range(4):
        scene.deal(4 * seat + HAND, range(13 * seat, 13 * seat + 13))
        scene.deal(4 * seat + POND, range(52 + 20 * seat, 72 + 20 * seat))
    back = range(52, 132, 2)
    for n, number in enumerate(back):
        scene.at(25.0 + 0.3 * n, number, None)
        scene.at(25.3 + 0.3 * n, number, 4 * (n % 4) + HAND, (n + 1) / 42)
    scene.run(60_000)
    assert not [event for event in scene.of("leave") if event[2] in back]
    places = scene.places()
    assert [places[number] for number in back] == [4 * (n % 4) + HAND for n in range(len(back))]


class Fitful(Noise):
    """Answers go by a pattern, a letter every 50 ms: o they are heard, c their CRC is wrong, t nobody is heard."""

    def __init__(self, pattern: str, until_s: float) -> None:
        super().__init__(1)
        self.table: Table | None = None
        self._pattern, self._until = pattern, until_s * 1e6

    @property
    def _now(self) -> str:
        assert self.table is not None
        now = self.table.clock.now
        return self._pattern[now // 50_000 % len(self._pattern)] if now < self._until else "o"

    def misses(self) -> bool:
        return self._now == "t"

    def spoil(self, data: bytes) -> bytes:
        return bytes([data[0] ^ 4, *data[1:]]) if self._now == "c" else data


@pytest.mark.parametrize("pattern", ["occotco", "c"])
def test_f13_garbled_answers_are_no_absence_and_a_tile_put_to_sleep_comes_back(pattern: str) -> None:
    """A garbled answer is evidence of presence; a tag that fell asleep after one is woken and found again."""
    noise = Fitful(pattern, until_s=14.0)
    scene = Scene(noise)
    noise.table = scene.table
    scene.deal(4 + HAND, range(13))
    if pattern == "c":  # nothing could be read at all: let the tiles be known first
        noise._pattern, later = "o", "c"
        scene.table.at(6.0, lambda: setattr(noise, "_pattern", later))

    def sleep() -> None:
        scene.tiles[3].tag.state = State.QUIET

    scene.table.at(13.9, sleep)
    scene.run(24_000)
    gone = [event for event in scene.events if event[1] == "leave"]
    assert not [event for event in gone if int(event[0]) < 13_900]
    assert {int(event[3]) for event in gone} <= {3}
    assert scene.places() == dict.fromkeys(range(13), 4 + HAND)


def test_f13_clean_silence_counts_toward_removal_within_a_bound() -> None:
    noise = Fitful("o", until_s=12.0)
    scene = Scene(noise)
    noise.table = scene.table
    scene.deal(4 + HAND, range(13))
    scene.table.at(6.0, lambda: setattr(noise, "_pattern", "t"))
    scene.run(20_000)
    gone = [int(event[0]) for event in scene.events if event[1] == "leave"]
    assert len(gone) == 13
    assert 6000 < min(gone) <= max(gone) < 12_000
    assert scene.places() == dict.fromkeys(range(13), 4 + HAND)


@pytest.mark.parametrize("discarded", [False, True])
def test_the_scanner_at_rest_allocates_nothing(discarded: bool) -> None:
    """Also while it watches the hand that draws next."""
    scene = Scene()
    scene.deal(HAND, range(13))
    scene.deal(12 + HAND, range(20, 33))
    scene.deal(4 + POND, range(40, 50))
    if discarded:
        scene.at(4.0, 12, 8 + POND)
    lines = scene.table.run("locked")
    words = dict(zip(*[iter(lines[-1].split())] * 2, strict=True))
    assert int(words["jobs"]) > 50
    assert int(words["watched"]) > 10 or not discarded
    assert words["lost"] == "0"
    assert words["tiles"] == "36"


SLOT_US = 4600  # with an answer: EOF, t1, the answer, t2


@pytest.mark.parametrize("fault", ["", "busy", "stuck", "mute", "zeros", "ones", "dead", "no_field"])
def test_no_other_task_waits_longer_than_a_slot(fault: str) -> None:
    scene = Scene()
    scene.deal(HAND, range(14))
    scene.deal(4 + POND, range(40, 60))
    for n in range(8):
        scene.table.at(3.0 + 0.311 * n, lambda: scene.table.board.readers[0].faults.update({fault} - {""}))
    words = scene.table.run("turns", "4000")[0].split()
    assert int(words[1]) <= SLOT_US
    assert int(words[3]) < 1000


def test_a_seat_is_read_even_when_its_reader_fails_just_then() -> None:
    scene = Scene()
    scene.deal(HAND, range(13))
    scene.table.at(4.02, lambda: scene.table.board.readers[0].faults.add("busy"))
    scene.run(7_000, "4000:seat=0")
    assert [event[2] for event in scene.of("reader") if event[1] == 0] == [OK, DEGRADED, OK]
    assert scene.of("zone_read") == [("zone_read", 0, 13), ("zone_read", 1, 0), ("zone_read", 2, 0)]
    assert not scene.of("leave")


def test_a_tile_of_the_other_set_is_told_but_does_not_enter() -> None:
    scene = Scene()
    scene.deal(HAND, range(13))
    stray = make_set(1, 1)[7]
    scene.table.put([stray.tag], POND)
    scene.run(4_000, "60:set=0")
    assert scene.of("tag") == [("tag", POND, 2, stray.tag.uid.to_bytes(8, "little").hex())]
    assert sorted(scene.places()) == list(range(13))


def test_a_surface_swept_clean_keeps_answering() -> None:
    """Forty tiles vanish at once: they leave, and a tile laid down meanwhile is still seen in time."""
    scene = Scene()
    scene.deal(POND, range(20))
    scene.deal(4 + POND, range(20, 40))
    scene.deal(HAND, range(40, 53))
    scene.hold(100)
    for number in range(53):
        scene.at(5.0, number, None)
    scene.at(6.5, 100, 8 + POND)
    scene.run(14_000)
    assert 6500 <= scene.when("enter", 8 + POND, 100) <= 7000
    assert list(scene.places()) == [100]
