"""A winning hand as an immutable value: melds, concealed tiles, the winning tile and how it came.

A `Hand` that exists is a possible one: construction checks tile counts, copies, claim sources and flags,
and raises `HandError` with a code from `ERROR_CODES`. Whether the shape wins is the scorer's question.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from paiju.tiles import FACES, PLAYING_FACE_COUNT, WINDS, code_of, face_of, is_flower, is_suited

ERROR_CODES: Final = (
    "bad_json",  # not JSON, or not an object
    "empty_input",  # nothing to score
    "missing_field",
    "bad_value",  # a field of the wrong type or outside its range
    "unknown_tile",
    "flower_in_hand",  # flowers lie aside: they are counted, never held
    "bad_meld",  # tiles that do not make the set the meld claims to be
    "wrong_source",  # a chow not from the left, a concealed kong from somebody, ...
    "wrong_count",  # tiles do not add up to 13 + the winning tile
    "too_many_copies",
    "impossible_flag",
    "bad_notation",
    "not_winning",  # no reading of the tiles wins
    "no_fan",  # a winning shape without a fan, where the profile asks for one
    "unknown_profile",
)


class HandError(ValueError):
    """Why a hand cannot be scored. `code` is one of ERROR_CODES, the message is one sentence.

    `position` is the offending character of a notation (0-based), where there is one.
    """

    def __init__(self, code: str, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.position = position

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.position is not None:
            body["position"] = self.position
        return body


class MeldKind(Enum):
    CHOW = "chow"
    PUNG = "pung"
    MELDED_KONG = "melded_kong"
    ADDED_KONG = "added_kong"
    CONCEALED_KONG = "concealed_kong"

    @property
    def is_kong(self) -> bool:
        return self not in (MeldKind.CHOW, MeldKind.PUNG)

    @property
    def index(self) -> int:
        """Place in the order of definition, 0..4."""
        return _KIND_INDEX[self]


_KIND_INDEX: Final = {kind: index for index, kind in enumerate(MeldKind)}


class Source(Enum):
    """Whose tile completed the meld; for an added kong, the pung it grew from."""

    LEFT = "left"
    ACROSS = "across"
    RIGHT = "right"
    SELF = "self"


@dataclass(frozen=True, slots=True)
class Meld:
    """An exposed set or a concealed kong. `tiles` are faces, kept in ascending order.

    `code` is kind and lowest face as one number (kind index * 34 + face) for tables.
    """

    kind: MeldKind
    tiles: tuple[int, ...]
    source: Source
    code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        tiles = tuple(sorted(self.tiles))
        object.__setattr__(self, "tiles", tiles)
        shown = " ".join(_shown(t) for t in tiles)
        for face in tiles:
            _check_playing_face(face)
        size = 4 if self.kind.is_kong else 3
        if len(tiles) != size:
            raise HandError("bad_meld", f"A {_words(self.kind)} has {size} tiles, not {len(tiles)}: {shown}.")
        first = tiles[0]
        object.__setattr__(self, "code", self.kind.index * PLAYING_FACE_COUNT + first)
        if self.kind is MeldKind.CHOW:
            if not is_suited(first) or first % 9 > 6 or tiles != (first, first + 1, first + 2):
                raise HandError("bad_meld", f"{shown} is not a chow: it needs three in a row of one suit.")
            if self.source is not Source.LEFT:
                raise HandError("wrong_source", f"Chow {shown} must come from the left, not {self.source.value}.")
            return
        if tiles.count(first) != size:
            raise HandError("bad_meld", f"{shown} is not a {_words(self.kind)}: its tiles must be equal.")
        if (self.kind is MeldKind.CONCEALED_KONG) != (self.source is Source.SELF):
            raise HandError("wrong_source", f"The {_words(self.kind)} {shown} cannot come from {self.source.value}.")

    @property
    def is_concealed(self) -> bool:
        return self.kind is MeldKind.CONCEALED_KONG

    @classmethod
    def from_json(cls, value: Any) -> "Meld":
        """From `[type, [tile, ...], source]`, e.g. `["chow", ["1m", "2m", "3m"], "left"]`."""
        if not isinstance(value, list) or len(value) != 3:
            raise HandError("bad_value", "A meld is a list of type, tiles and source.")
        kind, tiles, source = value
        try:
            meld_kind = MeldKind(kind)
        except ValueError:
            names = ", ".join(k.value for k in MeldKind)
            raise HandError("bad_value", f"Unknown meld type {kind!r}: use one of {names}.") from None
        try:
            meld_source = Source(source)
        except ValueError:
            names = ", ".join(s.value for s in Source)
            raise HandError("bad_value", f"Unknown meld source {source!r}: use one of {names}.") from None
        return cls(meld_kind, _faces_from_json(tiles, "the tiles of a meld"), meld_source)

    def to_json(self) -> list[Any]:
        return [self.kind.value, [code_of(t) for t in self.tiles], self.source.value]


_FLAGS: Final = ("self_drawn", "last_of_kind", "last_wall_tile", "kong_replacement", "robbing_kong")


@dataclass(frozen=True, slots=True)
class Hand:
    """A complete hand. `concealed` are faces without the winning tile, kept in ascending order.

    `prevalent_wind` and `seat_wind` are 0..3 = E S W N; `flowers` is their number, 0..8.
    `last_of_kind`: the other three of the winning tile lie face up. `counts` packs how many of each face
    are concealed, for tables: see `pack`; `situation` packs the flags (bits 0-4: self-drawn, last wall tile,
    kong replacement, robbing a kong, last of kind), the prevalent wind (5-6) and the seat wind (7-8).
    """

    melds: tuple[Meld, ...]
    concealed: tuple[int, ...]
    win_tile: int
    self_drawn: bool = False
    last_of_kind: bool = False
    last_wall_tile: bool = False
    kong_replacement: bool = False
    robbing_kong: bool = False
    prevalent_wind: int = 0
    seat_wind: int = 0
    flowers: int = 0
    counts: tuple[int, int] = field(init=False, repr=False, compare=False)
    situation: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "melds", tuple(self.melds))
        object.__setattr__(self, "concealed", tuple(sorted(self.concealed)))
        for flag in _FLAGS:
            if not isinstance(getattr(self, flag), bool):
                raise HandError("bad_value", f"{flag} must be true or false.")
        for name in ("prevalent_wind", "seat_wind"):
            if not _is_int(getattr(self, name), 0, 3):
                raise HandError("bad_value", f"{name} must be one of E, S, W, N.")
        if not _is_int(self.flowers, 0, 8):
            raise HandError("bad_value", f"flowers must be 0 to 8, not {self.flowers!r}.")
        _check_playing_face(self.win_tile)
        check_tiles(self.melds, self.concealed, self.win_tile)
        object.__setattr__(self, "counts", pack(self.concealed))
        situation = (
            self.self_drawn
            | self.last_wall_tile << 1
            | self.kong_replacement << 2
            | self.robbing_kong << 3
            | self.last_of_kind << 4
            | self.prevalent_wind << 5
            | self.seat_wind << 7
        )
        object.__setattr__(self, "situation", situation)
        self._check_flags()

    def _check_flags(self) -> None:
        shown = _shown(self.win_tile)
        in_hand = self.concealed.count(self.win_tile)
        if self.robbing_kong:
            if self.self_drawn:
                raise HandError("impossible_flag", "robbing_kong wins on another player's tile: not self_drawn.")
            if self.last_wall_tile:
                raise HandError(
                    "impossible_flag", "robbing_kong with last_wall_tile: a kong needs one more tile to draw."
                )
            if in_hand or any(self.win_tile in meld.tiles for meld in self.melds):
                raise HandError(
                    "impossible_flag",
                    f"robbing_kong: the other three {shown} are in the kong, not in this hand.",
                )
        if self.kong_replacement:
            if not self.self_drawn:
                raise HandError("impossible_flag", "kong_replacement is a draw: it needs self_drawn.")
            if not any(meld.kind.is_kong for meld in self.melds):
                raise HandError("impossible_flag", "kong_replacement needs a kong among the melds.")
        if self.last_of_kind and in_hand:
            raise HandError(
                "impossible_flag",
                f"last_of_kind: the other three {shown} lie face up, so none is concealed here.",
            )

    @classmethod
    def from_json(cls, value: Any) -> "Hand":
        """From the corpus object: `melds`, `concealed`, `win_tile`, flags, winds and flowers.

        Flags default to false, winds to E, flowers to 0; other fields are ignored.
        """
        if not isinstance(value, dict):
            raise HandError("bad_json", "A hand is a JSON object.")
        for name in ("concealed", "win_tile"):
            if name not in value:
                raise HandError("missing_field", f"The hand has no {name}.")
        melds = value.get("melds", [])
        if not isinstance(melds, list):
            raise HandError("bad_value", "melds must be a list.")
        return cls(
            melds=tuple(Meld.from_json(meld) for meld in melds),
            concealed=_faces_from_json(value["concealed"], "concealed"),
            win_tile=_face_from_json(value["win_tile"]),
            prevalent_wind=_wind_from_json(value.get("prevalent_wind", "E"), "prevalent_wind"),
            seat_wind=_wind_from_json(value.get("seat_wind", "E"), "seat_wind"),
            flowers=value.get("flowers", 0),
            **{flag: value.get(flag, False) for flag in _FLAGS},
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "melds": [meld.to_json() for meld in self.melds],
            "concealed": [code_of(t) for t in self.concealed],
            "win_tile": code_of(self.win_tile),
            **{flag: getattr(self, flag) for flag in _FLAGS},
            "prevalent_wind": WINDS[self.prevalent_wind],
            "seat_wind": WINDS[self.seat_wind],
            "flowers": self.flowers,
        }


def check_tiles(melds: Iterable[Meld], concealed: Iterable[int], win_tile: int | None = None) -> None:
    """Raise HandError unless the tiles make 13 (a kong counting as three) with at most four of a kind."""
    melds, concealed = tuple(melds), tuple(concealed)
    for face in concealed:
        _check_playing_face(face)
    wanted = 13 - 3 * len(melds)
    if len(melds) > 4 or len(concealed) != wanted:
        needs = f"needs {wanted} concealed tiles" if wanted > 0 else "is impossible"
        raise HandError(
            "wrong_count",
            f"A hand with {len(melds)} melds {needs} besides the winning tile; there are {len(concealed)}.",
        )
    held = [*concealed, *(tile for meld in melds for tile in meld.tiles)]
    if win_tile is not None:
        held.append(win_tile)
    held.sort()
    for face, fifth in zip(held, held[4:], strict=False):
        if face == fifth:
            copies = held.count(face)
            raise HandError("too_many_copies", f"There are {copies} of {code_of(face)}; the set has four.")


# Adding UNIT[face] counts a face: faces 0-17 in one integer, 18-33 in another, three bits each.
UNIT: Final = tuple(1 << 3 * (face % 18) for face in range(PLAYING_FACE_COUNT))


def pack(faces: Iterable[int]) -> tuple[int, int]:
    """Counts of at most seven of each playing face, as two integers."""
    low = high = 0
    for face in faces:
        if face < 18:
            low += UNIT[face]
        else:
            high += UNIT[face]
    return low, high


def _is_int(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _shown(face: object) -> str:
    return FACES[face] if isinstance(face, int) and 0 <= face < len(FACES) else repr(face)


def _words(kind: MeldKind) -> str:
    return kind.value.replace("_", " ")


def _check_playing_face(face: object) -> None:
    if not isinstance(face, int) or isinstance(face, bool) or not 0 <= face < len(FACES):
        raise HandError("unknown_tile", f"{face!r} is not a face index 0 to {PLAYING_FACE_COUNT - 1}.")
    if is_flower(face):
        raise HandError("flower_in_hand", f"{code_of(face)} is a flower: lay it aside and count it in flowers.")


def _face_from_json(value: Any) -> int:
    if not isinstance(value, str):
        raise HandError("bad_value", f'A tile is a string such as "5m", not {value!r}.')
    try:
        return face_of(value)
    except KeyError:
        raise HandError("unknown_tile", f"Unknown tile {value!r}: use 1m-9s, E S W N, C F P.") from None


def _faces_from_json(value: Any, what: str) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise HandError("bad_value", f"{what} must be a list of tiles.")
    return tuple(_face_from_json(item) for item in value)


def _wind_from_json(value: Any, what: str) -> int:
    if not isinstance(value, str) or len(value) != 1 or value not in WINDS:
        raise HandError("bad_value", f"{what} must be one of E, S, W, N, not {value!r}.")
    return WINDS.index(value)
