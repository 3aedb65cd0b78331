"""More tags than a buffer of the firmware holds: told by name and zone, nothing written past it, scanning goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.surface import HAND, MELD, POND, Surface

from twin.tags import Tag
from twin.tiles import AFI_TILE

CROWDED = 74
ROOM = 40  # tags of one full read
STRANGERS = 16  # kept apart at a time


@pytest.fixture
def surface(tmp_path: Path) -> Iterator[Surface]:
    with Surface(tmp_path) as surface:
        surface.lay(range(13), 4 + HAND)
        assert surface.settle()
        yield surface
        # A write past a buffer would end the scanner's task: a fault of its own and a restart.
        assert surface.table.kernel.resets == []


def crowded(surface: Surface) -> list[tuple[int, int]]:
    """(zone, number) of each crowded zone told; no other fault may be."""
    faults = [(e["code"], e["part"], e["detail"]) for e in surface.of("fault") if e["code"] != 72]
    assert {code for code, _, _ in faults} <= {CROWDED}
    return [(int(part), int(detail)) for _, part, detail in faults]


def goes_on(surface: Surface, number: int, zone: int) -> None:
    surface.lay(number, zone)
    surface.run(2.0)
    latency = surface.latency_ms(number, zone)
    assert latency is not None
    assert latency < 1500
    assert not surface.wrong()


@pytest.mark.parametrize("kind", [HAND, MELD, POND])
def test_a_zone_with_more_tiles_than_a_full_read_holds(kind: int, surface: Surface) -> None:
    surface.lay(range(20, 20 + ROOM + 10), kind)
    surface.run(9.0)
    assert crowded(surface) == [(kind, ROOM)]
    goes_on(surface, 100, 8 + POND)
    known = surface.places()
    assert {n for n, zone in known.items() if zone == 4 + HAND} == set(range(13))
    assert sum(zone == kind for zone in known.values()) >= ROOM
    # Spread again, it is no longer crowded, and a second pile is told anew.
    for number in range(50, 70):
        surface.lift(number)
    surface.run(6.0)
    assert crowded(surface) == [(kind, ROOM)]
    surface.lay(range(50, 70), kind)
    surface.run(9.0)
    assert crowded(surface) == [(kind, ROOM)] * 2


def test_more_newcomers_than_one_search_holds(surface: Surface) -> None:
    surface.lay(range(20, 50), POND)  # thirty at once; a search for newcomers holds 24
    assert surface.settle(10.0)
    assert crowded(surface) == []


@pytest.mark.parametrize("kind", [HAND, POND])
def test_more_strange_tags_than_are_kept_apart(kind: int, surface: Surface) -> None:
    tags = [Tag(0xE00401_0800000000 + 977 * n, b"shop", AFI_TILE) for n in range(STRANGERS + 10)]
    lying = [surface.put_tag(tag, kind, (n + 0.5) / len(tags)) for n, tag in enumerate(tags)]
    surface.run(20.0)
    told = [str(event["uid"]) for event in surface.of("tag")]
    assert len(told) == len(set(told)) == STRANGERS  # hands and audits go on hearing them all
    assert crowded(surface) == [(kind, STRANGERS)]
    goes_on(surface, 100, 8 + POND)
    for tile in lying:
        surface.table.air.remove(tile)
    surface.run(45.0)
    late = Tag(0xE00401_0899999999, b"shop", AFI_TILE)
    surface.put_tag(late, 12 + MELD)
    surface.run(3.0)
    assert str(surface.of("tag")[-1]["uid"]) == late.uid.to_bytes(8, "little").hex()


def test_more_tiles_vanish_than_are_waited_for(surface: Surface) -> None:
    for seat in range(4):
        surface.lay(range(20 + 15 * seat, 35 + 15 * seat), 4 * seat + POND)
    assert surface.settle()
    for number in range(20, 80):  # sixty; 48 are waited for at a time
        surface.lift(number)
    surface.run(8.0)
    goes_on(surface, 100, 8 + POND)
    assert surface.settle(10.0)
    assert crowded(surface) == []
