"""Tiles and dice as bodies with tags, and the one place where their positions change."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from twin import geometry
from twin.clock import Clock
from twin.geometry import Point
from twin.tags import Tag, crc16

FACES: tuple[str, ...] = (*(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)), *"ESWNCFP",
         *(f"{n}f" for n in range(1, 9)))  # fmt: skip
FLOWERS = 8
TILES = 144
FIRST_FLOWER = TILES - FLOWERS

AFI_TILE = 0x50
AFI_DIE = 0x5D
UID_SLIX2 = 0xE00401 << 40
CARRIED = "carried"


class Air(Protocol):
    """What bodies need of `twin.air.Air`."""

    def add(self, body: Body) -> None: ...

    def moved(self, body: Body) -> None: ...


class Body(Protocol):
    """Anything with a tag and a position."""

    tag: Tag
    x: float
    y: float
    z: float


@dataclass(slots=True, eq=False)
class Tile:
    """Tile `number` (0-143) of a set; `place` is its whereabouts, such as "hand.0", "pan", "carried"."""

    set: int
    number: int
    tag: Tag
    x: float = 0.0
    y: float = 0.0
    z: float = geometry.PAN_Z
    place: str = "pan"
    tilt: float = 0.0  # degrees against the antenna's plane; matters where coupling is modelled
    loss_db: float = 0.0  # of a tag that is worse than others

    @property
    def face(self) -> str:
        """Code of the face, such as "5m"."""
        return FACES[face_of(self.number)]

    @property
    def is_flower(self) -> bool:
        return self.number >= FIRST_FLOWER

    @property
    def code(self) -> int:
        """The u16 of the wire: set x 256 + number."""
        return self.set * 256 + self.number

    def __repr__(self) -> str:
        return f"<{self.face} {self.code} {self.place}>"


@dataclass(slots=True, eq=False)
class DieFace:
    """The tag behind one face of a die."""

    die: int
    face: int
    tag: Tag
    x: float = 0.0
    y: float = 0.0
    z: float = geometry.CARRIED_Z


class Placement(NamedTuple):
    """A tile came to rest: the truth that events are judged by."""

    t_us: int
    tile: Tile
    origin: str
    place: str
    lifted_us: int


def face_of(number: int) -> int:
    """Face index 0-41 of a tile number 0-143."""
    return number // 4 if number < FIRST_FLOWER else number - FIRST_FLOWER + 34


def numbers_of(face: str) -> list[int]:
    """All tile numbers of a set with that face code."""
    index = FACES.index(face)
    return [4 * index + copy for copy in range(4)] if index < 34 else [FIRST_FLOWER + index - 34]


def make_tag(rng: random.Random, head: bytes, afi: int) -> Tag:
    """A registered SLIX2 tag; `head` is its block 0 (`docs/architecture.md`, tag memory)."""
    # UID bits 37 and 36 counted from 1 are 01 for a SLIX2.
    uid = UID_SLIX2 | rng.getrandbits(40) & ~(3 << 35) | 1 << 35
    check = crc16(head + uid.to_bytes(8, "little")).to_bytes(2, "little")
    return Tag(uid, head + check + b"\x01\x00", afi)


def make_set(index: int, seed: int) -> list[Tile]:
    """The 144 tiles of set `index` (0 = A, 1 = B), registered, with UIDs of their own for each seed."""
    rng = random.Random(f"{seed}/set {index}")
    return [
        Tile(index, number, make_tag(rng, bytes((0x50, 0x4A, index, number)), AFI_TILE + index))
        for number in range(TILES)
    ]


def make_die(index: int, seed: int) -> list[DieFace]:
    """The six faces of die `index` (0, 1)."""
    rng = random.Random(f"{seed}/die {index}")
    return [DieFace(index, face, make_tag(rng, bytes((0x50, 0x44, index, face)), AFI_DIE)) for face in range(1, 7)]


class Ground:
    """Moves bodies, tells the air, and keeps the log of where every tile really was."""

    def __init__(self, clock: Clock, air: Air) -> None:
        self._clock = clock
        self._air = air
        self._lifted: dict[Tile, tuple[int, str]] = {}
        self.log: list[Placement] = []

    def add(self, body: Body) -> None:
        self._air.add(body)

    def shift(self, body: Body, point: Point) -> None:
        """A body changes position, not place."""
        body.x, body.y, body.z = point
        self._air.moved(body)

    def lift(self, tile: Tile) -> None:
        """Into somebody's fingers: out of reach of every antenna until `put`."""
        self._lifted[tile] = self._clock.now, tile.place
        tile.place = CARRIED
        self.shift(tile, Point(tile.x, tile.y, geometry.CARRIED_Z))

    def put(self, tile: Tile, place: str, point: Point) -> None:
        lifted_us, origin = self._lifted.pop(tile, (self._clock.now, tile.place))
        tile.place = place
        self.shift(tile, point)
        self.log.append(Placement(self._clock.now, tile, origin, place, lifted_us))
