"""Two whole sets: while one is played the tiles of the other are told by UID wherever they lie, and nothing stops."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from support.caretaker import Caretaker
from support.playing import LIMIT_S, open_evening

from twin import geometry
from twin.table import Table
from twin.technician import Technician
from twin.tiles import Tile, make_set

SET_MIXED = 73
SURFACE = [4 * seat + kind for seat in range(4) for kind in range(3)]
KINDS = ("hand", "meld", "pond")
A_ZONE = 6


def uid(tile: Tile) -> str:
    return tile.tag.uid.to_bytes(8, "little").hex()


def into_the_pan(table: Table, tiles: list[Tile]) -> None:
    for tile in tiles:
        table.world.ground.put(tile, "pan", geometry.pan())
        table.world.mechanics.pan[tile] = None


def test_tiles_of_the_other_set_among_those_in_play_are_told_and_the_hand_goes_on(tmp_path: Path) -> None:
    """72 lie on the surface, six in each hand, meld and pond; 72 in the machine."""
    evening = open_evening(1, tmp_path)
    table = evening.table
    others = make_set(1, 77)
    for tile in others:
        table.world.ground.add(tile)
    lying = {zone: others[A_ZONE * n : A_ZONE * (n + 1)] for n, zone in enumerate(SURFACE)}
    with table:
        assert table.run_for(LIMIT_S, lambda: table.world.phase in ("play", "stuck"))
        person = Technician(table)
        for zone, tiles in lying.items():
            for n, tile in enumerate(tiles):
                person.lay(tile, zone, (n + 0.5) / A_ZONE, 0.9)
        into_the_pan(table, others[len(SURFACE) * A_ZONE :])
        table.run_for(LIMIT_S, lambda: table.world.done)
        table.run_for(3.0)
        assert table.kernel.resets == []
    assert table.world.problem is None
    told = Counter((int(e["zone"]), str(e["kind"]), str(e["uid"])) for e in evening.events if e.kind == "tag")
    assert told == Counter((zone, "other_set", uid(tile)) for zone, tiles in lying.items() for tile in tiles)
    assert {e["code"] for e in evening.events if e.kind == "fault"} == {SET_MIXED}
    assert not [e for e in evening.events if e.kind in ("enter", "moved", "leave") and int(e["tile"]) >= 256]
    wanted = evening.script.result
    assert (evening.record.result.winner, evening.record.result.points) == (wanted["winner"], wanted["fan_total"])


def loaded(table: Table, taken: int) -> list[Tile]:
    """All of set B goes into the machine, for so many tiles of set A."""
    others = make_set(1, 77)
    for tile in list(table.world.mechanics.pan)[:taken]:
        table.world.mechanics.pan.pop(tile)
    for tile in others:
        table.world.ground.add(tile)
    into_the_pan(table, others)
    table.run_for(1.0)
    return others


@pytest.mark.parametrize("taken", [0, 72])
def test_two_sets_in_the_machine_are_no_wall(taken: int) -> None:
    with Table(7) as table:
        caretaker = Caretaker(table)
        loaded(table, taken)
        assert caretaker.build() == "fault"
        assert SET_MIXED in {code for code, _ in caretaker.faults()}
        assert caretaker.of("audit")[-1]["result"] == "other_set"
        assert table.kernel.resets == []


def test_the_set_in_play_is_the_one_in_the_walls_and_outlives_the_power() -> None:
    """Set B alone in the machine: its tiles enter, those of set A are strange, also after a power cut."""
    with Table(7) as table:
        caretaker = Caretaker(table)
        mine = loaded(table, 144)
        assert caretaker.build() == "up"
        assert [(e["set"], e["result"]) for e in caretaker.of("audit")] == [("B", "complete")]
        person = Technician(table)
        for n in (0, 1):
            if n:
                table.cut_power()
                table.start()
                table.run_for(4.0)
            since = caretaker.last
            person.lay(mine[n], 2, 0.2)
            person.lay(table.world.tiles[n], 6, 0.2)
            table.run_for(3.0)
            assert (2, mine[n].code) in {(e["zone"], e["tile"]) for e in caretaker.of("enter", since)}
            assert (6, "other_set", uid(table.world.tiles[n])) in {
                (e["zone"], e["kind"], e["uid"]) for e in caretaker.of("tag", since)
            }
            assert all(int(e["tile"]) >= 256 for e in caretaker.of("enter"))
