"""What holds for any hand: symmetries, flowers, order, waits, refusals, payments."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from paiju.hand import Hand, HandError, Meld, MeldKind, Source
from paiju.notation import parse_hand, print_compact
from paiju.rules import score, settle
from paiju.rules.blocks import KNITTED
from paiju.rules.fans import ALL_GREEN, REVERSIBLE_TILES
from paiju.rules.scoring import scorer
from paiju.rules.waits import waits
from paiju.tiles import face_of_tile, tiles_of_face

CLAIMED = (Source.LEFT, Source.ACROSS, Source.RIGHT)
PROFILES = st.sampled_from(("mcr1998", "mcr"))
FORMS = ("sets", "sets", "sets", "knitted", "pairs", "orphans", "unrelated")


def knitted(index: int) -> list[int]:
    return [suit * 9 + start + step for suit, start in enumerate(KNITTED[index]) for step in (0, 3, 6)]


@st.composite
def sets_and_pair(draw: st.DrawFn, straight: bool) -> tuple[list[list[int]], list[int]]:
    """Sets and the tiles beside them; a narrow choice of ranks makes the rare combinations common."""
    low = draw(st.integers(0, 6))
    width = draw(st.sampled_from((3, 3, 4, 9)))
    faces = [f for f in range(27) if low <= f % 9 < low + width] + draw(
        st.sampled_from(([], list(range(27, 34)), [27, 28, 31]))
    )
    sets = []
    for _ in range(1 if straight else 4):
        face = draw(st.sampled_from(faces))
        chow = face < 27 and face % 9 < 7 and draw(st.booleans())
        sets.append([face, face + 1, face + 2] if chow else [face] * 3)
    pair = [draw(st.sampled_from(faces))] * 2
    return sets, pair + (knitted(draw(st.integers(0, 5))) if straight else [])


@st.composite
def winning_hands(draw: st.DrawFn) -> Hand:
    """Legal hands of every form, with every way to win."""
    form = draw(st.sampled_from(FORMS))
    melds: list[Meld] = []
    tiles: list[int]
    if form in ("sets", "knitted"):
        sets, tiles = draw(sets_and_pair(form == "knitted"))
        for one in sets:
            way = draw(st.sampled_from(("concealed", "concealed", "melded", "kong")))
            if way == "concealed":
                tiles += one
            elif one[0] != one[1]:
                melds.append(Meld(MeldKind.CHOW, tuple(one), Source.LEFT))
            elif way == "melded":
                melds.append(Meld(MeldKind.PUNG, tuple(one), draw(st.sampled_from(CLAIMED))))
            else:
                kind = draw(st.sampled_from((MeldKind.MELDED_KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG)))
                source = Source.SELF if kind is MeldKind.CONCEALED_KONG else draw(st.sampled_from(CLAIMED))
                melds.append(Meld(kind, (one[0],) * 4, source))
    elif form == "pairs":
        tiles = [face for face in draw(st.lists(st.integers(0, 33), min_size=7, max_size=7)) for _ in (0, 1)]
    elif form == "orphans":
        orphans = [0, 8, 9, 17, 18, 26, *range(27, 34)]
        tiles = [*orphans, draw(st.sampled_from(orphans))]
    else:
        tiles = draw(st.permutations([*knitted(draw(st.integers(0, 5))), *range(27, 34)]))[:14]
    held = tiles + [tile for meld in melds for tile in meld.tiles]
    assume(all(held.count(face) <= 4 for face in held))
    win = tiles.pop(draw(st.integers(0, len(tiles) - 1)))
    drawn = draw(st.booleans())
    alone = win not in tiles
    robbed = not drawn and held.count(win) == 1 and draw(st.booleans())
    return Hand(
        tuple(melds),
        tuple(tiles),
        win,
        self_drawn=drawn,
        last_of_kind=alone and draw(st.booleans()),
        last_wall_tile=not robbed and draw(st.booleans()),
        kong_replacement=drawn and any(m.kind.is_kong for m in melds) and draw(st.booleans()),
        robbing_kong=robbed,
        prevalent_wind=draw(st.integers(0, 3)),
        seat_wind=draw(st.integers(0, 3)),
        flowers=draw(st.integers(0, 8)),
    )


def relabelled(hand: Hand, order: tuple[int, int, int]) -> Hand:
    def new(face: int) -> int:
        return order[face // 9] * 9 + face % 9 if face < 27 else face

    melds = tuple(Meld(m.kind, tuple(new(t) for t in m.tiles), m.source) for m in hand.melds)
    return replace(hand, melds=melds, concealed=tuple(new(t) for t in hand.concealed), win_tile=new(hand.win_tile))


@given(winning_hands(), PROFILES)
@settings(deadline=None)
def test_no_legal_hand_raises(hand: Hand, profile: str) -> None:
    result = score(hand, profile)
    assert result.total == result.total_without_flowers + hand.flowers
    assert result.total_without_flowers >= 1
    assert result.total == sum(fan.points * fan.count for fan in result.fans)
    json.dumps(result.to_json(excluded=True))


@given(winning_hands(), PROFILES, st.permutations((0, 1, 2)))
@settings(deadline=None)
def test_relabelling_suits_changes_nothing(hand: Hand, profile: str, order: list[int]) -> None:
    other = relabelled(hand, (order[0], order[1], order[2]))
    results = [score(hand, profile), score(other, profile)]
    # Two fans name suits: hands that take either are not symmetric.
    assume(not any(fan.no in (ALL_GREEN, REVERSIBLE_TILES) for result in results for fan in result.fans))
    assert results[0].total == results[1].total


@given(winning_hands(), st.data())
@settings(deadline=None)
def test_copies_of_a_tile_are_alike(hand: Hand, data: st.DataObject) -> None:
    chosen = [data.draw(st.sampled_from(tiles_of_face(face))) for face in hand.concealed]
    assert replace(hand, concealed=tuple(face_of_tile(tile) for tile in chosen)) == hand


@given(winning_hands(), PROFILES)
@settings(deadline=None)
def test_a_flower_adds_exactly_one(hand: Hand, profile: str) -> None:
    assume(hand.flowers < 8)
    more = replace(hand, flowers=hand.flowers + 1)
    assert score(more, profile).total == score(hand, profile).total + 1
    assert score(more, profile).total_without_flowers == score(hand, profile).total_without_flowers


@given(winning_hands(), PROFILES, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_order_never_matters(hand: Hand, profile: str, random: object) -> None:
    melds, concealed = list(hand.melds), list(hand.concealed)
    random.shuffle(melds)  # type: ignore[attr-defined]
    random.shuffle(concealed)  # type: ignore[attr-defined]
    other = replace(hand, melds=tuple(melds), concealed=tuple(concealed))
    assert score(other, profile).to_json() == score(hand, profile).to_json()


@given(winning_hands(), PROFILES)
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
def test_waits_agree_with_trying_every_tile(hand: Hand, profile: str) -> None:
    def total(face: int, drawn: bool) -> int | None:
        melded = [tile for meld in hand.melds for tile in meld.tiles]
        last = melded.count(face) == 3 and face not in hand.concealed
        try:
            won = Hand(hand.melds, hand.concealed, face, self_drawn=drawn, last_of_kind=last)
            return score(won, profile).total
        except HandError:
            return None

    tried = {face: (total(face, False), total(face, True)) for face in range(34)}
    found = {
        wait.face: (wait.by_discard.total, wait.by_self_draw.total)
        for wait in waits(hand.melds, hand.concealed, profile)
        if wait.by_discard and wait.by_self_draw
    }
    assert found == {face: totals for face, totals in tried.items() if totals[0] is not None}
    assert hand.win_tile in found


@given(winning_hands())
@settings(deadline=None)
def test_profiles_agree_where_no_difference_touches(hand: Hand) -> None:
    results = {profile: score(hand, profile) for profile in ("mcr1998", "mcr")}
    fans = {profile: {f.no: f.count for f in result.fans} for profile, result in results.items()}
    kinds = {meld.kind for meld in hand.melds}
    touched = (MeldKind.CONCEALED_KONG in kinds and kinds & {MeldKind.MELDED_KONG, MeldKind.ADDED_KONG}) or any(
        fans[profile].keys() & {4, 8, 12, 19, 35} for profile in fans
    )
    if not touched:
        assert fans["mcr1998"] == fans["mcr"]
        assert results["mcr1998"].total == results["mcr"].total


@given(winning_hands(), st.integers(0, 3), st.integers(1, 3))
@settings(deadline=None)
def test_payments_sum_to_zero(hand: Hand, winner: int, away: int) -> None:
    result = score(hand, "mcr")
    assume(result.reaches_minimum)
    discarder = None if hand.self_drawn else (winner + away) % 4
    amounts = settle(result, winner, discarder, "mcr")
    assert sum(amounts) == 0
    assert amounts[winner] == (3 * (8 + result.total) if hand.self_drawn else 24 + result.total)


@given(winning_hands())
@settings(deadline=None)
def test_json_and_compact_notation_give_the_hand_back(hand: Hand) -> None:
    assert Hand.from_json(json.loads(json.dumps(hand.to_json()))) == hand
    assert parse_hand(print_compact(hand)) == hand


BROKEN = {
    "five of a kind": lambda h: h | {"concealed": [h["win_tile"]] * 4 + h["concealed"][4:]},
    "a tile too many": lambda h: h | {"concealed": [*h["concealed"], "1m"]},
    "a tile too few": lambda h: h | {"concealed": h["concealed"][1:]},
    "a flower in the hand": lambda h: h | {"concealed": ["3f", *h["concealed"][1:]]},
    "an unknown tile": lambda h: h | {"win_tile": "0m"},
    "a chow from across": lambda h: h | {"melds": [["chow", ["1m", "2m", "3m"], "across"], *h["melds"]]},
    "nine flowers": lambda h: h | {"flowers": 9},
    "no such wind": lambda h: h | {"seat_wind": "C"},
    "a robbed kong by self-draw": lambda h: h | {"robbing_kong": True, "self_drawn": True},
    "a replacement tile by discard": lambda h: h | {"kong_replacement": True, "self_drawn": False},
    "a last tile with a copy in hand": lambda h: (
        h | {"last_of_kind": True, "concealed": [h["win_tile"], *h["concealed"][1:]]}
    ),
    "a flag that is no flag": lambda h: h | {"self_drawn": 1},
    "no winning tile": lambda h: {key: value for key, value in h.items() if key != "win_tile"},
}


@pytest.mark.parametrize("fault", BROKEN)
@given(hand=winning_hands())
@settings(deadline=None, max_examples=25)
def test_no_illegal_hand_scores(fault: str, hand: Hand) -> None:
    with pytest.raises(HandError) as caught:
        score(Hand.from_json(BROKEN[fault](hand.to_json())), "mcr")
    assert caught.value.message.endswith(".")


@given(winning_hands(), st.integers(0, 33))
@settings(deadline=None)
def test_tiles_that_do_not_win_never_score(hand: Hand, face: int) -> None:
    kinds = {wait.face for wait in waits(hand.melds, hand.concealed) if wait.by_discard}
    assume(face not in kinds and hand.concealed.count(face) < 4)
    with pytest.raises(HandError) as caught:
        score(Hand(hand.melds, hand.concealed, face))
    assert caught.value.code in ("not_winning", "too_many_copies")


@given(winning_hands(), PROFILES)
@settings(deadline=None)
def test_scoring_twice_or_with_empty_tables_is_the_same(hand: Hand, profile: str) -> None:
    fresh = type(scorer(profile))(scorer(profile).profile)
    assert fresh.read(hand).counted == scorer(profile).read(hand).counted
