"""Recorded hands acted out: the table must end up as the record says, by legal and reachable moves."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from twin import geometry, script
from twin.geometry import zone_number
from twin.script import HANDS, ScriptError, Slot, WallOrder, deal_order, load, parse, second_thrower, slot_of
from twin.tiles import CARRIED

SHARED = Path(os.environ.get("PAIJU_SHARED", Path(__file__).parents[4] / "shared"))
RAW = {int(path.stem): json.loads(path.read_text("utf-8")) for path in sorted(HANDS.glob("*.json"))}
Zones = dict[str, Counter[str]]


def recorded_zones(hand: dict[str, Any]) -> Zones:
    """What lies in each zone at the end, from the record alone."""
    zones: Zones = {f"{name}.{seat}": Counter() for name in ("hand", "meld", "pond") for seat in range(4)}
    for seat, faces in enumerate(hand["deal"]):
        zones[f"hand.{seat}"].update(faces)
    won = False
    for event in hand["events"]:
        kind, face = event["t"], event["tile"]
        hand_zone, meld_zone = zones[f"hand.{event['seat']}"], zones[f"meld.{event['seat']}"]
        source = zones.get(f"pond.{event.get('frm')}", Counter())
        from_hand = {"discard": [face], "flower": [face], "pung": [face] * 2}.get(kind, [])
        if kind == "chow":
            rank, suit = int(event["middle"][0]), event["middle"][1]
            from_hand = [f"{n}{suit}" for n in (rank - 1, rank, rank + 1) if f"{n}{suit}" != face]
        if kind == "kong":
            from_hand = [face] * {"melded": 3, "added": 1, "concealed": 4}[event["kind"]]
        hand_zone.subtract(from_hand)
        if kind == "draw":
            hand_zone[face] += 1
        elif kind == "discard":
            zones[f"pond.{event['seat']}"][face] += 1
        elif kind == "win":
            if event["by"] == "discard" and not won:
                source[face] -= 1
                hand_zone[face] += 1
            won = True
        else:
            meld_zone.update(from_hand)
            if kind in ("chow", "pung") or event.get("kind") == "melded":
                source[face] -= 1
                meld_zone[face] += 1
    return {name: +zone for name, zone in zones.items()}


def placed_zones(bench: Any, before: str = "") -> Zones:
    """What lies in each zone according to the log, up to the first tile put at `before`."""
    places: dict[Any, str] = {}
    for move in bench.world.log:
        if move.place == before and move.origin.startswith(("hand", "pond", "meld", "wall")):
            break
        places[move.tile] = move.place
    zones: Zones = {f"{name}.{seat}": Counter() for name in ("hand", "meld", "pond") for seat in range(4)}
    for tile, place in places.items():
        if place in zones:
            zones[place][tile.face] += 1
    return zones


def played(bench: Any, number: int, **more: Any) -> Any:
    table = bench(load(number), **more)
    table.controlled()
    table.world.start()
    table.run(600, lambda: table.world.done)
    assert table.world.problem is None
    assert table.world.phase == "done"
    return table


@pytest.mark.parametrize("number", RAW)
def test_hand_ends_as_recorded(bench: Any, number: int) -> None:
    table = played(bench, number)
    assert placed_zones(table, before="pan") == recorded_zones(RAW[number])


def test_hands_cover_every_kind_of_act() -> None:
    acts = {(act.kind, act.detail) for n in RAW for act in load(n).acts if act.kind in ("kong", "draw")}
    kinds = {act.kind for n in RAW for act in load(n).acts}
    results = {(hand["result"]["kind"], hand["result"].get("by")) for hand in RAW.values()}
    assert kinds == {"draw", "discard", "chow", "pung", "kong", "flower", "win"}
    assert acts >= {("kong", kind) for kind in ("melded", "added", "concealed")}
    assert results == {("win", "discard"), ("win", "self"), ("draw", None)}
    assert len(RAW) >= 12
    assert len(load(1).acts) == min(len(load(n).acts) for n in RAW)


@pytest.mark.parametrize("number", [1, 6, 8, 10])
def test_antennas_reach_exactly_the_tiles_in_their_zone(bench: Any, number: int) -> None:
    table = bench(load(number))
    table.controlled()
    table.world.start()
    checked = 0

    def check() -> bool:
        nonlocal checked
        for move in table.world.log[checked:]:
            tile = move.tile
            if tile.place == move.place and tile.place != CARRIED:
                zone = zone_number(tile.place)
                assert table.air.zones_at(tile.x, tile.y, tile.z) == ([] if zone is None else [zone]), tile
        checked = len(table.world.log)
        return table.world.done

    table.run(600, check)
    assert checked > 900


@pytest.mark.parametrize("number", [6, 8, 13])
def test_no_two_tiles_lie_in_the_same_spot(bench: Any, number: int) -> None:
    table = played(bench, number)
    tiles = [t for t in table.world.tiles if t.place != "pan"]
    for i, a in enumerate(tiles):
        for b in tiles[:i]:
            apart = max(abs(a.x - b.x) / 25, abs(a.y - b.y) / 25, abs(a.z - b.z) / 19)
            assert apart >= 1, (a, b)


def test_carried_tiles_are_out_of_every_zone(bench: Any) -> None:
    table = played(bench, 1)
    carried = [move for move in table.world.log if move.origin.startswith(("wall", "hand", "pond"))]
    assert carried
    assert all(300_000 <= move.t_us - move.lifted_us <= 600_000 for move in carried)
    slow = played(bench, 1, pace=2.0)
    assert slow.clock.now > 1.4 * table.clock.now


def test_claimed_tiles_come_from_the_discarders_pond(bench: Any) -> None:
    table = played(bench, 3)
    claims = [a for a in load(3).acts if a.kind in ("chow", "pung") or a.detail == "melded"]
    taken = [move for move in table.world.log if move.origin.startswith("pond") and "meld" in move.place]
    assert [(m.origin, m.place, m.tile.face) for m in taken] == [
        (f"pond.{a.source}", f"meld.{a.seat}", a.face) for a in claims
    ]


def test_win_button_comes_before_the_won_tile_and_the_laid_down_hand(bench: Any) -> None:
    table = bench(load(1))
    table.controlled()
    table.world.start()
    edges: list[tuple[int, int]] = []
    table.board.inputs["win_0"].watch(lambda level: edges.append((level, table.clock.now)))
    table.run(600, lambda: table.world.done)
    (pressed, down), (released, up) = edges
    assert (pressed, released) == (1, 0)
    assert 150_000 <= up - down <= 250_000
    last = table.world.log[-1]
    assert (last.origin, last.place, last.tile.face) == ("pond.2", "hand.0", "6m")
    assert last.lifted_us > up
    hands = {seat: [t for t in table.world.tiles if t.place == f"hand.{seat}"] for seat in range(4)}
    assert {t.z for t in hands[0]} == {geometry.LYING_Z}
    assert {t.z for t in hands[1]} == {geometry.STANDING_Z}
    assert len(hands[0]) == 14


def test_drawn_hand_is_pushed_in_and_the_next_one_played(bench: Any) -> None:
    table = played(bench, 9)
    assert {tile.place for tile in table.world.tiles} == {"pan"}
    assert table.board.inputs["lift_down"].level == 1
    assert table.board.inputs["surface_object"].level == 0
    seen = len(table.world.log)
    table.world.play(load(1))
    table.run(300, lambda: table.world.done)
    assert table.world.phase == "done"
    del table.world.log[:seen]
    assert placed_zones(table) == recorded_zones(RAW[1])


def test_two_hands_in_a_row_on_a_table_that_stacks_at_once(bench: Any) -> None:
    table = bench(load(1), clear=True)
    controller = table.controlled()
    table.board.inputs["lift_down"].watch(lambda level: controller.stack() if level else None)
    table.world.start()
    with pytest.raises(ValueError, match="once the walls"):
        table.world.play(load(3))
    table.run(600, lambda: table.world.phase == "play")
    table.world.play(load(3))
    first = table.world.people
    table.run(600, lambda: table.world.people is not first)
    assert first.problem is None
    seen = len(table.world.log)
    table.run(600, lambda: table.world.done)
    assert table.world.problem is None
    del table.world.log[:seen]
    assert placed_zones(table, before="pan") == recorded_zones(RAW[3])


def test_same_seed_same_run(bench: Any) -> None:
    def run(seed: int) -> list[tuple[Any, ...]]:
        table = played(bench, 1, seed=seed)
        return [(m.t_us, m.tile.code, m.tile.tag.uid, m.origin, m.place) for m in table.world.log]

    assert run(3) == run(3)
    assert run(3) != run(4)


def test_a_missing_wall_tile_stops_the_players_with_a_reason(bench: Any) -> None:
    table = bench(load(1))
    table.controlled()
    table.world.start()
    table.run(60, lambda: table.world.phase == "deal")
    stolen = next(iter(table.world.mechanics.standing))
    for stack in list(table.world.mechanics.standing):
        if stack[0] == stolen[0]:
            del table.world.mechanics.standing[stack]
    table.run(600, lambda: table.world.done)
    assert table.world.phase == "stuck"
    assert "no tile stands in stack" in table.world.problem


def test_a_robbed_kong_gives_up_its_fourth_tile(bench: Any) -> None:
    hand = json.loads(json.dumps(RAW[7]))
    kong = next(n for n, event in enumerate(hand["events"]) if event.get("kind") == "added")
    robbed = hand["events"][kong]
    robber = (robbed["seat"] + 1) % 4
    win = {"t": "win", "seat": robber, "tile": robbed["tile"], "by": "rob", "frm": robbed["seat"]}
    hand["events"] = [*hand["events"][: kong + 1], win]
    table = bench(parse(hand))
    table.controlled()
    table.world.start()
    table.run(600, lambda: table.world.done)
    assert table.world.problem is None
    last = table.world.log[-1]
    assert (last.origin, last.place) == (f"meld.{robbed['seat']}", f"hand.{robber}")
    assert last.tile.face == robbed["tile"]


def test_players_give_up_on_a_dead_table_with_a_reason(bench: Any) -> None:
    table = bench(load(1))
    presses: list[int] = []
    table.board.inputs["button_raise"].watch(presses.append)
    table.world.start()
    table.run(1000, lambda: table.world.done)
    assert table.world.phase == "stuck"
    assert table.world.problem == "the walls did not come up within 5 minutes"
    assert sum(presses) > 10


# The wall


def test_break_of_the_wall_by_article_6() -> None:
    # Dealer East throws 2 + 4 = 6: South, the second seat counted from East, throws 3 + 5 = 8.
    throws = ((2, 4), (3, 5))
    assert second_thrower(0, 6) == 1
    # 14 stacks are counted off South's wall from the right; the dealer takes the next ones.
    assert slot_of(0, 0, throws) == Slot(1, 14, 1)
    assert slot_of(1, 0, throws) == Slot(1, 14, 0)
    assert slot_of(2, 0, throws) == Slot(1, 15, 1)
    # After South's four stacks the walls go on clockwise: East's wall from its right.
    assert slot_of(8, 0, throws) == Slot(0, 0, 1)
    assert slot_of(143, 0, throws) == Slot(1, 13, 0)
    assert len({slot_of(p, 0, throws) for p in range(144)}) == 144


@pytest.mark.parametrize(("total", "seat"), [(5, 0), (9, 0), (2, 1), (10, 1), (3, 2), (11, 2), (4, 3), (12, 3)])
def test_second_thrower(total: int, seat: int) -> None:
    assert second_thrower(0, total) == seat
    assert second_thrower(2, total) == (seat + 2) % 4


def test_replacements_come_from_the_tail_upper_tile_first() -> None:
    order = WallOrder()
    assert [order.tail() for _ in range(3)] == [142, 143, 140]
    assert [order.front() for _ in range(3)] == [0, 1, 2]
    for _ in range(138):
        order.front()
    with pytest.raises(ScriptError, match="144 tiles"):
        order.front()


def test_deal_gives_the_dealer_fourteen() -> None:
    seats = deal_order(1)
    assert seats[:8] == [1, 1, 1, 1, 2, 2, 2, 2]
    assert seats[48:] == [1, 2, 3, 0, 1]
    assert Counter(seats) == {1: 14, 2: 13, 3: 13, 0: 13}


# Bad input


def broken() -> Iterator[tuple[dict[str, Any], str]]:
    good = RAW[1]
    yield {**good, "deal": good["deal"][:3]}, "four dealt hands"
    yield {**good, "deal": [good["deal"][0][1:], *good["deal"][1:]]}, "13 tiles"
    yield {**good, "events": [*good["events"][:2], {"t": "pung", "seat": 2, "tile": "P", "frm": 0}]}, "not its tiles"
    yield {**good, "events": [*good["events"][:-1], {**good["events"][-1], "tile": "1m"}]}, "win 1m"
    yield {**good, "events": [{"t": "nap", "seat": 0, "tile": "1m"}]}, "nap"
    yield {k: v for k, v in good.items() if k != "events"}, "events"
    yield {**good, "events": [{"t": "discard", "seat": 0, "tile": "1z"}]}, "1z"


@pytest.mark.parametrize(("hand", "message"), list(broken()))
def test_hands_that_cannot_be_acted_out_are_refused(hand: dict[str, Any], message: str) -> None:
    with pytest.raises(ScriptError, match=message):
        parse(hand)


def test_more_tiles_of_a_face_than_a_set_has(bench: Any) -> None:
    hand = json.loads(json.dumps(RAW[1]))
    hand["deal"][1] = ["E"] * 13
    hand["events"] = hand["events"][:2]
    with pytest.raises(ScriptError, match="more tiles E"):
        bench(parse(hand)).world.start()


def test_missing_and_garbled_files(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match="no hand 99; choose 1 to"):
        load(99)
    path = tmp_path / "hand.json"
    path.write_text("{", "utf-8")
    with pytest.raises(ScriptError, match="cannot read"):
        load(path)
    path.write_text("[]", "utf-8")
    with pytest.raises(ScriptError, match="JSON object with deal and events"):
        load(path)


@pytest.mark.skipif(not (SHARED / "corpora/real_hands.jsonl").exists(), reason="needs the shared corpora")
def test_every_real_hand_can_be_acted_out(bench: Any) -> None:
    for line in (SHARED / "corpora/real_hands.jsonl").read_text("utf-8").splitlines():
        hand = json.loads(line)
        table = bench(parse(hand))
        table.controlled()
        table.world.start()
        table.run(600, lambda table=table: table.world.done)
        assert table.world.problem is None, hand["id"]
        assert placed_zones(table, before="pan") == recorded_zones(hand), hand["id"]


def test_numbers_are_those_of_the_files() -> None:
    assert script.numbers() == list(range(1, len(RAW) + 1))
