"""Faces and tiles."""

from collections import Counter

import pytest

from paiju import tiles


def test_codes_and_faces_are_one_to_one() -> None:
    assert len(tiles.FACES) == len(set(tiles.FACES)) == 42
    assert [tiles.face_of(code) for code in tiles.FACES] == list(range(42))
    assert [tiles.code_of(face) for face in (0, 8, 9, 26, 27, 30, 31, 33, 34, 41)] == [
        *("1m", "9m", "1p", "9s", "E", "N", "C", "P", "1f", "8f")
    ]


def test_144_tiles_show_each_face_four_times_and_each_flower_once() -> None:
    counts = Counter(tiles.face_of_tile(tile) for tile in range(144))
    assert counts == {face: 4 if face < 34 else 1 for face in range(42)}
    for face in range(42):
        assert {tiles.face_of_tile(tile) for tile in tiles.tiles_of_face(face)} == {face}


@pytest.mark.parametrize("tile", [-1, 144])
def test_tiles_outside_the_set(tile: int) -> None:
    with pytest.raises(IndexError):
        tiles.face_of_tile(tile)


def test_faces_outside_the_set() -> None:
    for bad in (-1, 42):
        with pytest.raises(IndexError):
            tiles.code_of(bad)
    with pytest.raises(KeyError):
        tiles.face_of("0m")


def test_every_face_is_of_one_kind() -> None:
    for face in range(42):
        assert tiles.is_suited(face) + tiles.is_honour(face) + tiles.is_flower(face) == 1
        assert tiles.is_honour(face) == (tiles.is_wind(face) or tiles.is_dragon(face))
    assert [tiles.code_of(f) for f in range(42) if tiles.is_terminal(f)] == ["1m", "9m", "1p", "9p", "1s", "9s"]


def test_rank_and_suit() -> None:
    assert [(tiles.rank(f), tiles.suit(f)) for f in (4, 17, 26, 27, 36)] == [
        (5, "m"),
        (9, "p"),
        (9, "s"),
        (0, ""),
        (3, "f"),
    ]
    assert [tiles.code_of(tiles.wind_face(wind)) for wind in range(4)] == ["E", "S", "W", "N"]


def test_names() -> None:
    names = [[tiles.name_of(face, language) for face in (4, 13, 22, 32, 38)] for language in tiles.LANGUAGES]
    assert names == [
        ["5 of Characters", "5 of Dots", "5 of Bamboos", "Green Dragon", "Plum"],
        ["五万", "五饼", "五条", "发", "梅"],
        ["五萬", "五餅", "五條", "發", "梅"],
    ]
    assert all(len({tiles.name_of(face, language) for face in range(42)}) == 42 for language in tiles.LANGUAGES)
