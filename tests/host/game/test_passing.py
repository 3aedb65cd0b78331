"""Tiles that lie where they do not belong for a while, or come to light late: the record is that of the play."""

from acting import HAND, MELD, POND
from scene import IDLE, Scene

from paiju.game.actions import ActionKind
from paiju.game.events import NO_ZONE
from paiju.game.passing import passing_sights
from paiju.game.retiming import HOLD_MS, retimed
from paiju.table.events import Event
from paiju.tiles import face_of, tiles_of_face


def zone(seat: int, place: int) -> int:
    return 4 * seat + place


def log(*rows: tuple[int, int, int]) -> list[tuple[Event, int]]:
    """Sights (ms, tile, zone) as events with their times."""
    entries = []
    for number, (ms, tile, seen) in enumerate(rows, 1):
        kind = "leave" if seen == NO_ZONE else "enter"
        entries.append((Event(number, ms, 1, kind, {"tile": tile, "zone": max(seen, 0)}), ms))
    return entries


def test_of_a_way_through_a_wrong_zone_only_the_wrong_sight_is_left_out() -> None:
    discard = log((0, 5, zone(3, HAND)), (900, 5, zone(2, POND)), (4300, 5, zone(3, POND)))
    assert passing_sights(discard) == {2: zone(3, POND)}


def test_a_way_that_tiles_go_is_left_alone() -> None:
    claimed = log((0, 5, zone(3, HAND)), (900, 5, zone(3, POND)), (2500, 5, zone(1, MELD)))
    assert passing_sights(claimed) == {}


def test_a_flower_is_not_claimed_from_a_pond() -> None:
    flower = log((0, 140, zone(0, HAND)), (900, 140, zone(0, POND)), (2700, 140, zone(0, MELD)))
    assert passing_sights(flower) == {2: zone(0, MELD)}


def test_what_lay_wrong_for_long_is_not_a_passing_sight() -> None:
    assert passing_sights(log((0, 5, zone(1, HAND)), (60_000, 5, zone(2, POND)))) == {}


def test_a_hand_is_a_wrong_zone_for_a_tile_of_the_neighbours_hand_only() -> None:
    dealt = log((0, 5, zone(2, HAND)), (600, 5, zone(3, HAND)))
    assert passing_sights(dealt) == {1: zone(3, HAND)}
    lying_wrong = log((0, 5, zone(2, HAND)), (600, 5, zone(3, MELD)))
    assert passing_sights(lying_wrong) == {}


def test_a_tile_that_fell_from_the_wall_and_went_back_was_never_played() -> None:
    fallen = log((0, 140, zone(1, MELD)), (11_000, 140, NO_ZONE), (14_000, 8, zone(2, HAND)))
    assert passing_sights(fallen) == {1: NO_ZONE}
    assert passing_sights(fallen[:2]) == {}


def test_a_silent_tile_was_played_when_it_went_silent() -> None:
    late = log((0, 5, zone(1, HAND)), (9000, 5, NO_ZONE), (10_000, 8, zone(2, HAND)), (11_000, 5, zone(1, POND)))
    assert [(event.seq, ms) for event, ms in retimed(late)] == [
        (1, 0),
        (2, 9000 - HOLD_MS),
        (4, 9000 - HOLD_MS),
        (3, 10_000),
    ]


def test_the_tiles_of_a_claim_arrive_with_the_first_of_them() -> None:
    one, two, three, _ = tiles_of_face(face_of("E"))
    rows = [(n, tile, zone(2, HAND)) for n, tile in enumerate((one, two))]
    rows += [(10, three, zone(0, HAND)), (1000, three, zone(0, POND)), (2000, one, zone(2, MELD))]
    rows += [(2100, two, zone(2, MELD)), (5000, three, zone(2, MELD))]
    assert [ms for event, ms in retimed(log(*rows)) if event.seq in (5, 6, 7)] == [2000, 2000, 2000]


def test_a_fallen_tile_does_not_spoil_a_claim() -> None:
    hands = [list(codes) for codes in IDLE]
    hands[2][:2] = ["1m", "1m"]
    hands[2][9] = "5s"
    scene = Scene(hands)
    fallen = scene.new("7p")
    scene.enter(fallen, 2, "meld")
    discard = scene.discard(0, "1m")
    scene.meld(2, discard, *scene.held(2, "1m", 2))
    assert scene.acts[-1] == (ActionKind.PUNG, 2, "1m 1m 1m")
    scene.leave(fallen)
    scene.discard(2, "5s")
    assert scene.acts[-1] == (ActionKind.DISCARD, 2, "5s")
    assert not scene.open_items


def test_a_discard_that_was_not_understood_is_nobodys_draw() -> None:
    scene = Scene()
    scene.discard(0, "1m")
    stray = scene.new("6m")
    scene.enter(stray, 3, "pond")
    scene.move(stray, 1, "hand")
    assert [kind for kind, _, _ in scene.acts] == [ActionKind.DISCARD]
