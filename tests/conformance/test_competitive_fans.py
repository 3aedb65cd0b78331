"""Technical fans and additions of the second text, a worked example for each."""

import re
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from paiju.hand import Hand, HandError, Meld, MeldKind, Source
from paiju.rules import score
from paiju.rules.competitive import Circumstances, Tally, score_competitive, tally
from paiju.rules.competitive_profile import competitive_profile
from paiju.rules.competitive_readings import KNITTED_STRAIGHTS, readings, waits
from paiju.rules.waits import waits as profile_waits
from paiju.tiles import face_of


def faces(text: str) -> tuple[int, ...]:
    """ "123m EE" as faces."""
    found = []
    for ranks, suit, honour in re.findall(r"(\d+)([mps])|([ESWNCFP])", text):
        found += [face_of(rank + suit) for rank in ranks] if suit else [face_of(honour)]
    return tuple(found)


def meld(text: str, source: Source | None = None, added: bool = False) -> Meld:
    tiles = faces(text)
    if tiles[0] != tiles[1]:
        return Meld(MeldKind.CHOW, tiles, Source.LEFT)
    if len(tiles) == 3:
        return Meld(MeldKind.PUNG, tiles, source or Source.ACROSS)
    if source is Source.SELF:
        return Meld(MeldKind.CONCEALED_KONG, tiles, source)
    return Meld(MeldKind.ADDED_KONG if added else MeldKind.MELDED_KONG, tiles, source or Source.ACROSS)


def hand(concealed: str, win: str, *melds: Meld, **facts: object) -> Hand:
    return Hand(melds, faces(concealed), face_of(win), **facts)


def counted(one: Tally) -> dict[str, int]:
    return {part.item.name.zh_hant: part.points for part in (*one.fans, *one.additions)}


PUNG_W = meld("WWW")
CASES = {
    "花龍": (hand("23m 456p 789s 55s", "1m", meld("678m")), {"花龍": 10}),
    "清龍": (hand("123456m 78m 55p", "9m", meld("234s")), {"清龍": 20}),
    "組合龍": (hand("147m 258p 369s EE 12s", "3s", ), {"組合龍": 20, "單張和牌": 4, "門清": 8}),
    "組合龍 with a meld": (hand("147m 258p 36s EE", "9s", meld("456p")), {"組合龍": 20}),
    "混一色": (hand("123m 567m 23m EE", "4m", meld("WWW")), {"混一色": 20}),
    "對對和": (hand("22m 444p 777s 88s", "8s", meld("111p")), {"對對和": 20}),
    "大亂": (hand("147m 258p 36s ESWNC", "F"), {"大亂": 20, "門清": 8}),
    "大亂 of other gaps": (hand("159m 48p 26s ESWNCF", "P"), {"大亂": 20, "門清": 8}),
    "大亂 with 組合龍": (hand("147m 258p 369s ESWN", "C"), {"組合龍": 20, "大亂": 20, "門清": 8}),
    "全求獨釣": (
        hand("5p", "5p", meld("123m"), meld("456m"), meld("777s"), meld("999s")),
        {"全求獨釣": 20, "單張和牌": 4},
    ),
    "全求獨釣 all pungs": (
        hand("5p", "5p", meld("111m"), meld("444m"), meld("777s"), meld("9999s")),
        {"對對和": 20, "全求獨釣": 20, "單張和牌": 4},
    ),
    "夾絕張": (
        hand("46m 234p 567s 99s", "5m", meld("123p"), last_of_kind=True),
        {"夾絕張": 20, "單張和牌": 4},
    ),
    "夾絕張 on an edge": (
        hand("12m 234p 567s 99s", "3m", meld("123p"), last_of_kind=True),
        {"夾絕張": 20, "單張和牌": 4},
    ),
    "夾絕張 behind an own pung": (
        hand("46m 234p 99s", "5m", meld("123p"), meld("555m")),
        {"夾絕張": 20, "單張和牌": 4},
    ),
    "夾絕張 from a robbed kong": (
        hand("46m 234p 567s 99s", "5m", meld("123p"), robbing_kong=True),
        {"夾絕張": 20, "單張和牌": 4},
    ),
    "全大": (hand("789m 789p 34s 55s", "2s", meld("789s")), {"全大": 30}),
    "全中": (hand("456m 456m 34s EE", "2s", meld("456s")), {"全中": 30}),
    "全小": (hand("123m 123m EE 56s", "4s", meld("123m")), {"全小": 30}),
    "全大 among equal pungs": (hand("777888999m 45s EE", "6s"), {"全大": 30, "門清": 8}),
    "清一色": (hand("123m 567m 2377m", "4m", meld("999m")), {"清一色": 40}),
    "七對": (hand("1133m 5577p 99s EE C", "C"), {"七對": 40, "門清": 8}),
    "七對 混一色": (hand("11335577m EE SS C", "C"), {"混一色": 20, "七對": 40, "門清": 8}),
    "七對 of four equal": (hand("1111m 5577p 99s EE C", "C"), {"七對": 40, "門清": 8}),
    "三箭刻": (hand("FFF PPP 34m 99s", "2m", meld("CCCC", added=True)), {"三箭刻": 40}),
    "fans add up": (
        hand("123456m 78m EE", "9m", meld("789m")),
        {"清龍": 20, "混一色": 20},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_fan(case):
    example, expected = CASES[case]
    assert counted(tally(example)) == expected


def test_half_flush_is_the_known_value_and_the_rest_carries_a_notice():
    half, _ = CASES["混一色"]
    assert tally(half).notices == ()
    both = tally(CASES["七對 混一色"][0]).notices
    assert len(both) == 1
    assert "Seven pairs (40) is a project default" in both[0].en
    assert "七對" in both[0].zh_hant


def test_values_carry_their_source():
    profile = competitive_profile()
    values = {item.name.zh_hant: item.points for item in profile.fans.values()}
    assert values == {
        "花龍": 10,
        "清龍": 20,
        "組合龍": 20,
        "混一色": 20,
        "對對和": 20,
        "大亂": 20,
        "全求獨釣": 20,
        "夾絕張": 20,
        "全大": 30,
        "全中": 30,
        "全小": 30,
        "清一色": 40,
        "七對": 40,
        "三箭刻": 40,
    }
    assert {item.no for item in profile.fans.values()} == set(range(1, 13))
    assert [item.name.zh_hant for item in profile.fans.values() if not item.is_default] == ["混一色"]
    assert not any(item.is_default for item in profile.additions.values())
    kongs = {key for key, amount in profile.payments.items() if amount.is_default}
    assert kongs == {"melded_kong", "added_kong", "concealed_kong"}


def test_the_score_is_that_of_every_profile():
    example = replace(CASES["七對 混一色"][0], flowers=2)
    score = score_competitive(example)
    assert (score.total, score.total_without_flowers, score.reaches_minimum) == (72, 68, True)
    assert [(fan.no, fan.zh_hant, fan.points, fan.count) for fan in score.fans] == [
        (11, "七對", 40, 1),
        (4, "混一色", 20, 1),
        (27, "門清", 8, 1),
        (21, "花牌", 2, 2),
    ]
    body = score.to_json(excluded=True)
    assert body["fans"][3] == {
        "no": 21,
        "zh": "花牌",
        "name": "Flower",
        "points": 2,
        "count": 2,
        "tiles": [],
    }
    assert body["excluded"][0]["by"] == 11
    assert "project default" in body["notices"][0]["en"]
    assert sum(fan.points * fan.count for fan in score.fans) == score.total


# 無番禁和


@pytest.mark.parametrize(
    "example",
    [
        hand("123m 456p 34s 99s", "2s", meld("678s")),
        hand("123m 456p 13s 99s", "2s", meld("678s"), flowers=3),  # additions are no fan
        hand("34m 456p 678s 11s", "2m", meld("234p"), self_drawn=True, last_wall_tile=True),
    ],
)
def test_a_win_without_a_fan_is_refused(example):
    with pytest.raises(HandError, match="無番禁和") as caught:
        tally(example)
    assert caught.value.code == "no_fan"


@pytest.mark.parametrize(
    "example",
    [
        hand("19m 19p 19s ESWNCFP", "E"),  # 十三幺 is not among the shapes
        hand("146m 258p 36s ESWNC", "F"),  # 4 and 6 have one between
        hand("145m 258p 36s ESWNC", "F"),  # 4 and 5 are neighbours
        hand("147m 258p 36s EESWN", "F"),  # honours must be single too
    ],
)
def test_what_is_no_shape_does_not_win(example):
    with pytest.raises(HandError) as caught:
        tally(example)
    assert caught.value.code == "not_winning"


# 單張和牌

FLUSH = (meld("123m"), meld("777m"), meld("WWW"))


@pytest.mark.parametrize(
    ("concealed", "win", "single"),
    [
        ("35m EE", "4m", True),  # 夾
        ("12m EE", "3m", True),  # 邊
        ("89m EE", "7m", True),  # 邊
        ("345m E", "E", True),  # 吊
        ("45m EE", "3m", False),  # two-sided
        ("4566m", "3m", False),
        ("55m EE", "5m", False),  # two pairs
        ("3455m", "5m", False),  # 2 and 5 as chow or pair
        ("2345m", "5m", False),  # 2 or 5 as the pair
    ],
)
def test_single_wait(concealed, win, single):
    result = counted(tally(hand(concealed, win, *FLUSH)))
    assert ("單張和牌" in result) is single


def test_a_many_way_wait_that_could_be_laid_out_as_single_is_not_single():
    # 12345 waits on 3 and 6: the 3 ends 12 3, but the hand is read as many-way.
    example = hand("12345m EE", "3m", *FLUSH[1:])
    result = tally(example)
    assert counted(result) == {"混一色": 20}
    assert [one.source for one in result.left_out] == ["第九條, 計分原則"]
    assert result.left_out[0].to_text("en") == "Single wait not counted: the hand waits on 3m 6m"


def test_seven_pairs_never_adds_a_single_wait_and_says_so():
    result = tally(CASES["七對"][0])
    assert [one.to_text("zh_Hant") for one in result.left_out] == ["不計單張和牌: 七對"]


def test_a_self_drawn_tile_put_into_the_hand_is_no_single_wait():
    drawn = hand("35m EE", "4m", *FLUSH, self_drawn=True)
    assert counted(tally(drawn)) == {"混一色": 20, "單張和牌": 4}
    mixed = tally(drawn, Circumstances(put_into_hand=True))
    assert counted(mixed) == {"混一色": 20}
    assert mixed.left_out[0].source == "第八條"


def test_a_last_tile_not_behind_a_pung_is_no_last_closed_wait():
    example, _ = CASES["夾絕張"]
    with pytest.raises(HandError) as caught:
        tally(example, Circumstances(pung_shown=False))
    assert caught.value.code == "no_fan"


def test_a_last_tile_on_a_two_sided_wait_is_no_last_closed_wait():
    with pytest.raises(HandError) as caught:
        tally(hand("45m 234p 567s 99s", "3m", meld("123p"), last_of_kind=True))
    assert caught.value.code == "no_fan"


# 附加分

OPEN = hand("45m EE", "3m", *FLUSH)
KONG = (meld("123m"), meld("7777m"), meld("WWW"))


@pytest.mark.parametrize(
    ("example", "circumstances", "added"),
    [
        (replace(OPEN, flowers=3), Circumstances(), {"花牌": 6}),
        (replace(OPEN, self_drawn=True), Circumstances(), {}),
        (
            replace(OPEN, self_drawn=True, flowers=1),
            Circumstances(flower_replacement=True),
            {"花牌": 2, "補花和牌": 6},
        ),
        (hand("45m EE", "3m", *KONG, self_drawn=True, kong_replacement=True), Circumstances(), {"槓上開花": 8}),
        (replace(OPEN, last_wall_tile=True), Circumstances(), {"海底撈月": 8}),
        (replace(OPEN, last_wall_tile=True, self_drawn=True), Circumstances(), {"妙手回春": 8}),
        (hand("123m 777m 45m WWW EE", "3m"), Circumstances(), {"門清": 8}),
        (hand("123m 45m WWW EE", "3m", meld("7777m", Source.SELF)), Circumstances(), {"門清": 8}),
        (
            hand(
                "123m 45m WWW EE",
                "3m",
                meld("7777m", Source.SELF),
                self_drawn=True,
                kong_replacement=True,
                last_wall_tile=True,
                flowers=2,
            ),
            Circumstances(),
            {"花牌": 4, "槓上開花": 8, "妙手回春": 8, "門清": 8},
        ),
    ],
)
def test_additions(example, circumstances, added):
    assert counted(tally(example, circumstances)) == {"混一色": 20, **added}


def test_an_event_may_ask_for_a_self_draw_in_a_concealed_hand():
    strict = replace(competitive_profile(), concealed_needs_self_draw=True)
    example = hand("123m 777m 45m WWW EE", "3m")
    assert "門清" not in counted(tally(example, profile=strict))
    assert "門清" in counted(tally(replace(example, self_drawn=True), profile=strict))


@pytest.mark.parametrize(
    ("example", "circumstances"),
    [
        (replace(OPEN, flowers=1), Circumstances(flower_replacement=True)),
        (replace(OPEN, self_drawn=True), Circumstances(flower_replacement=True)),
        (
            hand("45m EE", "3m", *KONG, self_drawn=True, kong_replacement=True, flowers=1),
            Circumstances(flower_replacement=True),
        ),
        (OPEN, Circumstances(put_into_hand=True)),
    ],
)
def test_impossible_circumstances_are_refused(example, circumstances):
    with pytest.raises(HandError) as caught:
        tally(example, circumstances)
    assert caught.value.code == "impossible_flag"


def test_circumstances_are_read_from_the_object_of_the_hand():
    facts = Circumstances.from_json({"win_tile": "3m", "flower_replacement": True})
    assert facts == Circumstances(flower_replacement=True)
    drawn = replace(OPEN, self_drawn=True, flowers=1)
    assert score(drawn, "competitive", facts).total == 28
    with pytest.raises(HandError, match="put_into_hand must be true or false"):
        Circumstances.from_json({"put_into_hand": 1})


# Properties


@st.composite
def winning_tiles(draw):
    """Four sets and a pair in two suits and honours, not claimed."""
    sets = st.one_of(
        st.sampled_from([first for first in range(25) if first % 9 <= 6]).map(lambda f: (f, f + 1, f + 2)),
        st.integers(0, 33).map(lambda f: (f, f, f)),
    )
    tiles = [face for one in draw(st.lists(sets, min_size=4, max_size=4)) for face in one]
    tiles += [draw(st.integers(0, 33))] * 2
    assume(max(map(tiles.count, tiles)) <= 4)
    return draw(st.permutations(tiles))


@given(winning_tiles())
@settings(deadline=None)
def test_every_winning_hand_has_a_reading_and_waits_on_its_tile(tiles):
    example = Hand((), tiles[1:], tiles[0])
    assert readings(example)
    assert tiles[0] in waits((), tiles[1:])


def ready_hands():
    """Thirteen tiles near every shape, so that each kind of wait comes up."""
    knitted = st.sampled_from(KNITTED_STRAIGHTS).flatmap(
        lambda nine: st.lists(st.integers(0, 33), min_size=5, max_size=5).map(lambda rest: [*nine, *rest])
    )
    pairs = st.lists(st.integers(0, 33), min_size=7, max_size=7).map(lambda faces: faces * 2)
    honours = st.lists(st.integers(27, 33), min_size=6, max_size=7, unique=True)
    unrelated = honours.flatmap(
        lambda high: st.lists(
            st.integers(0, 26), min_size=14 - len(high), max_size=14 - len(high), unique=True
        ).map(lambda low: [*low, *high])
    )
    return st.one_of(winning_tiles(), knitted, pairs, unrelated).map(lambda tiles: tuple(tiles[1:]))


@given(ready_hands(), st.integers(0, 1))
@settings(deadline=None)
def test_waits_agree_with_trying_every_face(tiles, melded):
    assume(max(map(tiles.count, tiles)) <= 4)
    melds = (Meld(MeldKind.PUNG, (33,) * 3, Source.ACROSS),) * melded
    held = tiles[3 * melded :]
    assume(tiles.count(33) <= 1 or not melded)
    found = waits(melds, held)
    for face in range(34):
        if held.count(face) + 3 * melded * (face == 33) < 4:
            assert (face in found) is bool(readings(Hand(melds, held, face)))


@given(ready_hands())
@settings(deadline=None, max_examples=40)
def test_points_of_waits_agree_with_scoring_every_face(tiles):
    assume(max(map(tiles.count, tiles)) <= 4)

    def total(face, drawn):
        try:
            return score(Hand((), tiles, face, self_drawn=drawn), "competitive").total
        except HandError:
            return None

    points = [(wait.by_discard and wait.by_discard.total, wait.by_self_draw and wait.by_self_draw.total)
              for wait in profile_waits((), tiles, "competitive")]
    tried = [(total(face, False), total(face, True)) for face in waits((), tiles)]
    assert points == tried
    others = set(range(34)) - set(waits((), tiles))
    assert not [face for face in others if total(face, False) is not None]


@given(winning_tiles(), st.permutations(range(3)), st.integers(0, 7))
@settings(deadline=None)
def test_suits_are_alike_and_a_flower_adds_two(tiles, suits, flowers):
    def relabelled(face: int) -> int:
        return suits[face // 9] * 9 + face % 9 if face < 27 else face

    def total(concealed, won, count):
        try:
            return tally(Hand((), tuple(concealed), won, flowers=count)).total
        except HandError as error:
            return error.code

    value = total(tiles[1:], tiles[0], flowers)
    assert total(map(relabelled, tiles[1:]), relabelled(tiles[0]), flowers) == value
    more = total(tiles[1:], tiles[0], flowers + 1)
    assert more == ("no_fan" if value == "no_fan" else value + 2)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_order_of_melds_does_not_matter(order):
    example = hand("35m EE", "4m", *(FLUSH[place] for place in order))
    assert tally(example).total == 24
