"""What readers did elsewhere in the field (R06 to R10), each as it was reported; the rest is in the files beside."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.inventories import START_S, Table, random_sets, uid
from support.surface import HAND, MELD, POND, Surface

from paiju.technician.workbench import NO_ZONE
from tablelink.frame import Decoder
from tablelink.messages import COMMAND, REPLY
from twin.noise import Noise
from twin.tags import Tag
from twin.tiles import AFI_TILE

READER_DOWN = 61
ZONE_CONFLICT = 71


@pytest.mark.parametrize("after_ms", [15, 40, 90, 150])
@pytest.mark.parametrize("size", [14, 34])
def test_r06_a_tag_that_leaves_in_the_middle_of_the_rounds_costs_no_other(size: int, after_ms: int) -> None:
    uids = random_sets(1, size - 2, after_ms)[0] + [uid(0x105), uid(0x205)]
    table = Table()
    bodies = table.put([Tag(u, b"", AFI_TILE) for u in uids], HAND)
    leaver = bodies[after_ms % (size - 2)]
    table.at(START_S + after_ms / 1000, lambda: table.move(leaver, None))
    lines = table.run("inventories", "1", "3000", str(HAND), str(size), seconds=START_S + 8)
    assert not table.air.violations
    _count, overflow, _noise, _lost, _rounds, us, *found = next(x for x in lines if x[:1].isdigit()).split()
    seen = [int(u, 16) for u in found]
    assert int(us) / 1000 > after_ms
    assert set(uids) - {leaver.tag.uid} <= set(seen) <= set(uids)
    assert len(seen) == len(set(seen))
    assert overflow == "0"


def lay_a_seat(surface: Surface, melds: int = 3) -> None:
    """Tiles 0-12 into the hand, 20 and on into the meld, 40-49 into the pond of the first seat."""
    surface.lay(range(13), HAND)
    surface.lay(range(20, 20 + melds), MELD)
    surface.lay(range(40, 50), POND)
    assert surface.settle()


def test_r08_a_tile_that_moves_while_both_zones_hear_it_is_told_at_once(tmp_path: Path) -> None:
    """Heard in 95 % of the scans where it lies and in 20 % beside it; it moves over in 300 ms."""
    noise = Noise(8, missed=0.05)
    with Surface(tmp_path, noise) as surface:
        lay_a_seat(surface)
        tag = surface.tile(20).tag
        noise.overlaps[tag, POND] = 0.2
        told = len(surface.told)
        surface.run(10.0)
        assert surface.told[told:] == []
        surface.lift(20)
        del noise.overlaps[tag, POND]
        noise.overlaps[tag, MELD] = 0.2
        surface.run(0.3)
        surface.lay(20, POND)
        surface.run(10.0)
        latency = surface.latency_ms(20, POND)
        assert latency is not None
        assert latency <= 1500
        assert [(t.kind, t.tile, t.zone) for t in surface.told[told:]] == [("moved", 20, POND)]
        assert not surface.wrong()


@pytest.mark.parametrize(("tile", "zone", "other", "seconds"), [(5, HAND, MELD, 60.0), (40, POND, MELD, 240.0)])
def test_r08_a_tile_that_two_zones_keep_hearing_is_told_once_with_the_hits_of_either(
    tile: int, zone: int, other: int, seconds: float, tmp_path: Path
) -> None:
    """A tile of a hand is loud; one of a pond is quiet, and heard elsewhere by the audit only."""
    noise = Noise(8, missed=0.05)
    with Surface(tmp_path, noise) as surface:
        lay_a_seat(surface)
        assert asyncio.run(surface.bench.conflict())["zone"] == NO_ZONE
        noise.overlaps[surface.tile(tile).tag, other] = 0.2
        told = len(surface.told)
        assert surface.table.run_for(seconds, lambda: bool(surface.of("conflict")))
        (event,) = surface.of("conflict")
        assert (event["tile"], event["zone"], event["other"]) == (tile, zone, other)
        assert 12 <= int(event["hits"]) <= 16
        assert 1 <= int(event["other_hits"]) <= 8
        assert [e["code"] for e in surface.of("fault")] == [ZONE_CONFLICT]
        answer = asyncio.run(surface.bench.conflict())
        assert {name: answer[name] for name in event.fields} == event.fields
        surface.run(30.0)  # the limit is a minute
        assert len(surface.of("conflict")) == len(surface.of("fault")) == 1
        assert surface.told[told:] == []


def test_r08_a_tile_that_moves_while_it_is_measured_is_not_told_and_play_goes_on_as_fast(tmp_path: Path) -> None:
    noise = Noise(8)
    with Surface(tmp_path, noise) as surface:
        lay_a_seat(surface, melds=0)
        noise.overlaps[surface.tile(5).tag, MELD] = 0.9
        assert surface.table.run_for(60.0, lambda: bool(surface.of("fault")))
        latencies = []
        for n in range(10):  # while it is measured
            surface.lay(60 + n, 4 * (n % 4) + POND)
            surface.run(0.4)
            latencies.append(surface.latency_ms(60 + n, 4 * (n % 4) + POND))
        assert max(ms or 9e9 for ms in latencies) <= 350, latencies
        surface.lift(5)
        del noise.overlaps[surface.tile(5).tag, MELD]
        surface.run(0.3)
        surface.lay(5, POND)
        surface.run(20.0)
        assert not surface.of("conflict")
        assert surface.places()[5] == POND
        assert not surface.wrong()


def test_r08_a_reader_that_fails_ends_the_measurement(tmp_path: Path) -> None:
    noise = Noise(8)
    with Surface(tmp_path, noise) as surface:
        surface.lay(range(13), HAND)
        assert surface.settle()
        noise.overlaps[surface.tile(5).tag, MELD] = 0.9
        assert surface.table.run_for(60.0, lambda: bool(surface.of("fault")))
        del noise.overlaps[surface.tile(5).tag, MELD]
        surface.table.board.readers[0].faults.add("no_field")
        surface.run(2.0)
        surface.table.board.readers[0].faults.clear()
        surface.run(30.0)
        assert surface.of("reader")[-1]["state"] == "ok"
        assert not surface.of("conflict")


@pytest.mark.parametrize("answer", ["zeros", "ones"])
@pytest.mark.parametrize("number", range(5))
def test_r09_a_reader_without_a_version_is_named_at_boot(answer: str, number: int, tmp_path: Path) -> None:
    surface = Surface(tmp_path)
    surface.table.board.readers[number].faults.add(answer)
    seat = (number + 1) % 4
    with surface:
        assert {(e["reader"], e["state"]) for e in surface.of("reader")} == {
            (n, "down" if n == number else "ok") for n in range(5)
        }
        assert (surface.of("fault")[0]["code"], surface.of("fault")[0]["part"]) == (READER_DOWN, number)
        assert asyncio.run(surface.bench.reader(number)).fault == "dead"
        surface.lay(3, 4 * seat + POND)
        assert surface.settle(2.0)


class Pings:
    """Pings at the controller's serial port: from the first bit of the command to the last of its reply, ms."""

    def __init__(self, surface: Surface) -> None:
        self.waits: list[float] = []
        self._asked: dict[int, int] = {}
        self._surface = surface
        uart = surface.table.uart
        feed, hear = uart.feed, uart.on_tx
        incoming, outgoing = Decoder(256), Decoder(256)

        def fed(data: bytes) -> None:
            for byte in data:
                if incoming.feed(byte) and incoming.kind == COMMAND.number:
                    self._asked.setdefault(COMMAND.unpack(incoming.buffer, Decoder.START)[0], surface.now_us)
            feed(data)

        def heard(data: bytes) -> None:
            for byte in data:
                if outgoing.feed(byte) and outgoing.kind == REPLY.number:
                    begun = self._asked.pop(REPLY.unpack(outgoing.buffer, Decoder.START)[0], None)
                    if begun is not None:
                        self.waits.append((surface.now_us - begun) / 1000)
            hear(data)

        uart.feed, uart.on_tx = fed, heard  # type: ignore[method-assign]

    def send(self, seconds: float, every: float = 0.05) -> None:
        link = self._surface.connection.link
        for n in range(int(seconds / every)):
            pending = link.command("ping", n)
            self._surface.run(every)
            link.release(pending)


def test_r10_pings_are_answered_while_twelve_empty_zones_are_searched_and_a_motor_runs(tmp_path: Path) -> None:
    with Surface(tmp_path) as surface:
        surface.person.turn_key()
        surface.run(0.5)
        pan = surface.table.board.motors["pan"]
        jog = surface.connection.link.command("jog", 0, 0, 60)
        surface.run(0.5)
        assert pan.drive
        pings = Pings(surface)
        pings.send(60.0)
        assert pan.drive
        assert len(pings.waits) >= 1195
        pings.waits.sort()
        assert pings.waits[int(0.99 * len(pings.waits))] < 30
        assert not surface.told
        surface.lay(7, 8 + POND)
        pings.send(1.0)
        latency = surface.latency_ms(7, 8 + POND)
        surface.connection.link.release(jog)
    assert latency is not None
    assert latency <= 300
