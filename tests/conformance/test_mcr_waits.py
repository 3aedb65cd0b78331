"""Waits, unseen tiles and distance to ready."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paiju.notation import parse
from paiju.rules.shanten import COMPETITIVE_FORMS, FORMS, shanten
from paiju.rules.waits import waits
from paiju.tiles import code_of, face_of


def test_points_by_discard_and_self_draw() -> None:
    parsed = parse("13347s12369m258p")
    [wait] = waits(parsed.melds, parsed.concealed, "mcr")
    assert wait.by_discard is not None
    assert wait.by_self_draw is not None
    assert (code_of(wait.face), wait.by_discard.total, wait.by_self_draw.total) == ("3m", 17, 19)


def test_many_waits() -> None:
    """Nine gates waits for all nine; the other flush is an example of GB-Mahjong with six."""
    assert len(waits((), parse("1112345678999m").concealed)) == 9
    found = waits((), parse("3344455566667m").concealed)
    assert [code_of(w.face) for w in found if w.by_discard] == ["2m", "3m", "4m", "5m", "7m", "8m"]


def test_a_kind_held_four_times_is_a_wait_that_cannot_come() -> None:
    parsed = parse("[111m,1]1234m456p789s")
    found = [(code_of(w.face), w.unseen, w.by_discard is None) for w in waits(parsed.melds, parsed.concealed)]
    assert found == [("1m", 0, True), ("4m", 3, False)]


def test_unseen_counts_the_hand_and_what_lies_open() -> None:
    parsed = parse("[555m,1]34m123p456s99s")
    found = waits(parsed.melds, parsed.concealed, seen=[face_of("2m"), face_of("2m"), face_of("2m")])
    assert [(code_of(w.face), w.unseen) for w in found] == [("2m", 1), ("5m", 1)]
    # The fourth of a kind whose other three lie open is 和絕張.
    assert all(58 in [fan.no for fan in w.by_discard.fans] for w in found if w.by_discard)


def test_thirteen_orphans_waits_for_thirteen() -> None:
    assert len(waits((), parse("19m19p19sESWNCFP").concealed)) == 13


@pytest.mark.parametrize(
    ("text", "distances"),
    [
        ("123m456p789s1122p", (0, 4, 9, 9, 5)),
        ("1122m3344p5566s7s", (2, 0, 11, 10, 5)),
        ("19m19p19sESWNCFP", (8, 6, 0, 4, 9)),
        ("147m258s369pESWN", (8, 6, 7, 0, 2)),
    ],
)
def test_distance_by_form(text: str, distances: tuple[int, ...]) -> None:
    found = shanten(parse(text).concealed)
    assert tuple(found) == FORMS
    assert tuple(found.values()) == distances


@pytest.mark.parametrize(
    ("text", "unrelated"),
    [
        ("159m48p26sESWNCF", 0),
        ("159m48p26sESWNCC", 1),
        # 3 and 7 leave no room for a third tile of their suit.
        ("37m37p37sESWNCFP", 1),
        ("258m37p37s4sESWNC", 1),
        ("2345678m345678p", 8),
    ],
)
def test_fourteen_unrelated_tiles_of_the_second_text(text: str, unrelated: int) -> None:
    found = shanten(parse(text).concealed, 0, "competitive")
    assert tuple(found) == COMPETITIVE_FORMS
    assert found["unrelated"] == unrelated
    assert "unrelated" not in shanten(parse(text).concealed[3:], 1, "competitive")


@st.composite
def thirteen(draw: st.DrawFn) -> tuple[int, ...]:
    faces = draw(
        st.sampled_from(
            (
                list(range(9)),
                list(range(14)),
                list(range(34)),
                [0, 3, 6, 10, 13, 16, 20, 23, 26, 27, 28],
                [0, 3, 8, 11, 15, 18, 22, 26, *range(27, 34)],
            )
        )
    )
    if draw(st.booleans()):
        return tuple(sorted(draw(st.permutations(faces))[:13])) if len(faces) > 13 else tuple(faces + faces)[:13]
    pool = [face for face in faces for _ in range(4)]
    return tuple(sorted(draw(st.permutations(pool))[:13]))


@given(thirteen(), st.sampled_from(("mcr", "competitive")))
@settings(deadline=None, max_examples=60)
def test_ready_is_distance_zero(concealed: tuple[int, ...], profile: str) -> None:
    ready = bool(waits((), concealed, profile))
    assert ready == (min(shanten(concealed, 0, profile).values()) == 0)


@given(thirteen(), st.integers(0, 33), st.sampled_from(("mcr", "competitive")))
@settings(deadline=None, max_examples=60)
def test_one_tile_moves_the_distance_by_at_most_one(concealed: tuple[int, ...], face: int, profile: str) -> None:
    before, after = shanten(concealed, 0, profile), shanten((*concealed, face), 0, profile)
    for form in before:
        assert before[form] - 1 <= after[form] <= before[form]
