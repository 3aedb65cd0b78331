"""A winning hand as an immutable value: melds, concealed tiles, the winning tile and how it came.

A `Hand` that exists is a possible one: construction checks tile counts, copies, claim sources and flags,
and raises `HandError` with a code from `ERROR_CODES`. Whether the shape wins is the scorer's question.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from reprlib import Repr
from typing import Any, Final

from paiju.i18n import _
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
    """Why a hand cannot be scored. `code` is one of ERROR_CODES, the message one sentence in the current language.

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
        for face in tiles:
            _check_playing_face(face)
        size = 4 if self.kind.is_kong else 3
        if len(tiles) != size:
            raise self._refused("bad_meld", _("{tiles} cannot be {kind}: it needs {size} tiles, not {count}."))
        first = tiles[0]
        object.__setattr__(self, "code", self.kind.index * PLAYING_FACE_COUNT + first)
        if self.kind is MeldKind.CHOW:
            if not is_suited(first) or first % 9 > 6 or tiles != (first, first + 1, first + 2):
                raise self._refused("bad_meld", _("{tiles} cannot be a chow: it needs three in a row of one suit."))
            if self.source is not Source.LEFT:
                raise self._refused(
                    "wrong_source", _("The chow {tiles} cannot come from {source}: chows come from the left.")
                )
            return
        if tiles.count(first) != size:
            raise self._refused("bad_meld", _("{tiles} cannot be {kind}: its tiles must be equal."))
        if (self.kind is MeldKind.CONCEALED_KONG) != (self.source is Source.SELF):
            raise self._refused("wrong_source", _("{tiles} cannot be {kind} that comes from {source}."))

    def _refused(self, code: str, message: str) -> HandError:
        text = message.format(
            tiles=" ".join(map(code_of, self.tiles[:5])) or "[]",
            kind=_meld_words(self.kind),
            source=_source_words(self.source),
            size=4 if self.kind.is_kong else 3,
            count=len(self.tiles),
        )
        return HandError(code, text)

    @property
    def is_concealed(self) -> bool:
        return self.kind is MeldKind.CONCEALED_KONG

    @classmethod
    def from_json(cls, value: Any) -> "Meld":
        """From `[type, [tile, ...], source]`, e.g. `["chow", ["1m", "2m", "3m"], "left"]`."""
        if not isinstance(value, list) or len(value) != 3:
            raise HandError("bad_value", _("A meld is a list of type, tiles and source."))
        kind, tiles, source = value
        try:
            meld_kind = MeldKind(kind)
        except ValueError:
            message = _("Unknown meld type {found}: use one of {known}.")
            known = ", ".join(k.value for k in MeldKind)
            raise HandError("bad_value", message.format(found=quoted(kind), known=known)) from None
        try:
            meld_source = Source(source)
        except ValueError:
            message = _("Unknown meld source {found}: use one of {known}.")
            known = ", ".join(s.value for s in Source)
            raise HandError("bad_value", message.format(found=quoted(source), known=known)) from None
        return cls(meld_kind, _faces_from_json(tiles, "melds"), meld_source)

    def to_json(self) -> list[Any]:
        return [self.kind.value, [code_of(t) for t in self.tiles], self.source.value]


_FLAGS: Final = ("self_drawn", "last_of_kind", "last_wall_tile", "kong_replacement", "robbing_kong")


@dataclass(frozen=True, slots=True)
class Hand:
    """A complete hand. `concealed` are faces without the winning tile, kept in ascending order.

    `prevalent_wind` and `seat_wind` are 0..3 = E S W N; `flowers` is their number, 0..8.
    `last_of_kind`: the other three of the winning tile lie face up. What counts as the last wall tile, and
    whether a kong can be robbed on it, is the rule text's matter. `counts` packs how many of each face
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
                raise HandError("bad_value", _("{field} must be true or false.").format(field=flag))
        for name in ("prevalent_wind", "seat_wind"):
            if not _is_int(getattr(self, name), 0, 3):
                raise _no_wind(name, getattr(self, name))
        if not _is_int(self.flowers, 0, 8):
            message = _("flowers must be 0 to 8, not {found}.")
            raise HandError("bad_value", message.format(found=quoted(self.flowers)))
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
        in_hand = self.concealed.count(self.win_tile)
        if self.robbing_kong:
            if self.self_drawn:
                raise self._impossible(_("robbing_kong wins on another player's tile: it cannot be self_drawn."))
            if in_hand or any(self.win_tile in meld.tiles for meld in self.melds):
                raise self._impossible(_("robbing_kong: the other three {tile} are in the kong, not in this hand."))
        if self.kong_replacement:
            if not self.self_drawn:
                raise self._impossible(_("kong_replacement is a draw: it needs self_drawn."))
            if not any(meld.kind.is_kong for meld in self.melds):
                raise self._impossible(_("kong_replacement needs a kong among the melds."))
        if self.last_of_kind and in_hand:
            raise self._impossible(
                _("last_of_kind: the other three {tile} lie face up, so none can be concealed here.")
            )

    def _impossible(self, message: str) -> HandError:
        return HandError("impossible_flag", message.format(tile=code_of(self.win_tile)))

    @classmethod
    def from_json(cls, value: Any) -> "Hand":
        """From the corpus object: `melds`, `concealed`, `win_tile`, flags, winds and flowers.

        Flags default to false, winds to E, flowers to 0; other fields are ignored.
        """
        if not isinstance(value, dict):
            raise HandError("bad_json", _("A hand is a JSON object."))
        for name in ("concealed", "win_tile"):
            if name not in value:
                raise HandError("missing_field", _("The hand has no {field}.").format(field=name))
        melds = value.get("melds", [])
        if not isinstance(melds, list):
            raise HandError("bad_value", _("melds must be a list."))
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
        if wanted > 0:
            message = _("Besides {melds} melds and the winning tile, {wanted} concealed tiles are needed, not {count}.")
        else:
            message = _("A hand has at most four melds, not {melds}.")
        raise HandError("wrong_count", message.format(melds=len(melds), wanted=wanted, count=len(concealed)))
    held = [*concealed, *(tile for meld in melds for tile in meld.tiles)]
    if win_tile is not None:
        held.append(win_tile)
    held.sort()
    for face, fifth in zip(held, held[4:], strict=False):
        if face == fifth:
            message = _("There are {count} of {tile}; the set has four.")
            raise HandError("too_many_copies", message.format(count=held.count(face), tile=code_of(face)))


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


_shortened: Final = Repr()
_shortened.maxstring = _shortened.maxlong = _shortened.maxother = 40


def quoted(value: object) -> str:
    """A value of the input as it can be shown within a sentence: escaped and not too long."""
    return _shortened.repr(value)


def _meld_words(kind: MeldKind) -> str:
    return {
        MeldKind.CHOW: _("a chow"),
        MeldKind.PUNG: _("a pung"),
        MeldKind.MELDED_KONG: _("a melded kong"),
        MeldKind.ADDED_KONG: _("an added kong"),
        MeldKind.CONCEALED_KONG: _("a concealed kong"),
    }[kind]


def _source_words(source: Source) -> str:
    return {
        Source.LEFT: _("the left"),
        Source.ACROSS: _("across"),
        Source.RIGHT: _("the right"),
        Source.SELF: _("oneself"),
    }[source]


def _check_playing_face(face: object) -> None:
    if not isinstance(face, int) or isinstance(face, bool) or not 0 <= face < len(FACES):
        message = _("{found} is not a face index 0 to {last}.")
        raise HandError("unknown_tile", message.format(found=quoted(face), last=PLAYING_FACE_COUNT - 1))
    if is_flower(face):
        message = _("{tile} is a flower: lay it aside and count it in flowers.")
        raise HandError("flower_in_hand", message.format(tile=code_of(face)))


def _face_from_json(value: Any) -> int:
    if not isinstance(value, str):
        raise HandError("bad_value", _('A tile is a string such as "5m", not {found}.').format(found=quoted(value)))
    try:
        return face_of(value)
    except KeyError:
        message = _("Unknown tile {found}: use 1m-9m, 1p-9p, 1s-9s, E S W N, C F P.")
        raise HandError("unknown_tile", message.format(found=quoted(value))) from None


def _faces_from_json(value: Any, name: str) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise HandError("bad_value", _("{field} must hold a list of tiles.").format(field=name))
    return tuple(_face_from_json(item) for item in value)


def _wind_from_json(value: Any, name: str) -> int:
    if not isinstance(value, str) or len(value) != 1 or value not in WINDS:
        raise _no_wind(name, value)
    return WINDS.index(value)


def _no_wind(name: str, value: object) -> HandError:
    message = _("{field} must be one of E, S, W, N, not {found}.")
    return HandError("bad_value", message.format(field=name, found=quoted(value)))
