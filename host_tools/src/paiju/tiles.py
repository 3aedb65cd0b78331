"""The 42 faces and 144 tiles of the Chinese official set, as plain integers.

Face index: 0-8 = 1m..9m (characters), 9-17 = 1p..9p (dots), 18-26 = 1s..9s (bamboos),
27-30 = E S W N, 31-33 = C F P (red, green, white dragon), 34-41 = 1f..8f (flowers).
Tile index: face * 4 + copy for the first 34 faces (0..135), 136..143 for the eight flowers.
"""

from typing import Final, Literal

Language = Literal["en", "zh_Hans", "zh_Hant"]
LANGUAGES: Final[tuple[Language, ...]] = ("en", "zh_Hans", "zh_Hant")

SUITS: Final = "mps"
WINDS: Final = "ESWN"
DRAGONS: Final = "CFP"

FACES: Final[tuple[str, ...]] = (
    *(f"{rank}{suit}" for suit in SUITS for rank in range(1, 10)),
    *WINDS,
    *DRAGONS,
    *(f"{n}f" for n in range(1, 9)),
)
FACE_COUNT: Final = 42
PLAYING_FACE_COUNT: Final = 34
TILE_COUNT: Final = 144

EAST: Final = 0
SOUTH: Final = 1
WEST: Final = 2
NORTH: Final = 3

_FACE_BY_CODE: Final = {code: face for face, code in enumerate(FACES)}

_NUMERALS: Final = "一二三四五六七八九"
_NAMES: Final[dict[Language, tuple[str, ...]]] = {
    "en": (
        *(f"{rank} of {suit}" for suit in ("Characters", "Dots", "Bamboos") for rank in range(1, 10)),
        *(f"{wind} Wind" for wind in ("East", "South", "West", "North")),
        *(f"{colour} Dragon" for colour in ("Red", "Green", "White")),
        *("Spring", "Summer", "Autumn", "Winter", "Plum", "Orchid", "Bamboo", "Chrysanthemum"),
    ),
    "zh_Hans": (*(n + suit for suit in "万饼条" for n in _NUMERALS), *"东南西北中发白春夏秋冬梅兰竹菊"),
    "zh_Hant": (*(n + suit for suit in "萬餅條" for n in _NUMERALS), *"東南西北中發白春夏秋冬梅蘭竹菊"),
}


def face_of(code: str) -> int:
    """Face index of a code such as "5m", "E" or "3f". Raises KeyError for an unknown code."""
    return _FACE_BY_CODE[code]


def code_of(face: int) -> str:
    """Code of a face index. Raises IndexError outside 0..41."""
    if face < 0:
        raise IndexError(f"face {face} is outside 0..41")
    return FACES[face]


def face_of_tile(tile: int) -> int:
    """Face index of a tile index. Raises IndexError outside 0..143."""
    if 0 <= tile < 136:
        return tile >> 2
    if 136 <= tile < TILE_COUNT:
        return tile - 102
    raise IndexError(f"tile {tile} is outside 0..143")


def tiles_of_face(face: int) -> range:
    """Tile indices that show a face: four for a playing face, one for a flower."""
    code_of(face)
    return range(face * 4, face * 4 + 4) if face < PLAYING_FACE_COUNT else range(face + 102, face + 103)


def name_of(face: int, language: Language = "en") -> str:
    """Spoken name of a face, such as "5 of Dots" or "五餅"."""
    code_of(face)
    return _NAMES[language][face]


def is_suited(face: int) -> bool:
    return 0 <= face < 27


def is_honour(face: int) -> bool:
    return 27 <= face < 34


def is_wind(face: int) -> bool:
    return 27 <= face < 31


def is_dragon(face: int) -> bool:
    return 31 <= face < 34


def is_flower(face: int) -> bool:
    return 34 <= face < FACE_COUNT


def is_terminal(face: int) -> bool:
    return is_suited(face) and face % 9 in (0, 8)


def rank(face: int) -> int:
    """1..9 of a suited face, 1..8 of a flower, 0 of an honour."""
    if is_suited(face):
        return face % 9 + 1
    return face - 33 if is_flower(face) else 0


def suit(face: int) -> str:
    """ "m", "p" or "s" of a suited face, "f" of a flower, "" of an honour."""
    if is_suited(face):
        return SUITS[face // 9]
    return "f" if is_flower(face) else ""


def wind_face(wind: int) -> int:
    """Face of a wind seat 0..3."""
    return 27 + wind
