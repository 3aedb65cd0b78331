"""Where things lie: antenna rectangles, walls and rows in mm, from `hardware/zones.toml`.

Table coordinates have their origin at the centre, +x to East's right, +y away from East, +z up from the
surface. A tile's position is that of its centre.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

HARDWARE = Path(__file__).resolve().parent.parent
ZONES: dict[str, Any] = tomllib.loads((HARDWARE / "zones.toml").read_text("utf-8"))
MECHANICS: dict[str, Any] = tomllib.loads((HARDWARE / "mechanics.toml").read_text("utf-8"))

SEATS = 4
STACKS: int = MECHANICS["wall"]["stacks_a_side"]
LEVELS: int = MECHANICS["wall"]["tiles_a_stack"]

WIDTH: float = ZONES["tile"]["width_mm"]
HEIGHT: float = ZONES["tile"]["height_mm"]
DEPTH: float = ZONES["tile"]["depth_mm"]

LYING_Z = DEPTH / 2
STANDING_Z = HEIGHT / 2
CARRIED_Z = 150.0
BELOW_Z = -10.0  # on the channel floor, where the gate antenna is
PAN_Z = -200.0
PLATE_DROP: float = MECHANICS["axis"]["plate"]["travel_mm"]

POND_ROW = 6
FLOWER_ROW_Y = -293.0
MELD_ROW_Y = -320.0
GAP = 8.0  # between two melds


class Point(NamedTuple):
    """mm in table coordinates."""

    x: float
    y: float
    z: float


def turned(seat: int, x: float, y: float, z: float) -> Point:
    """From the coordinates of the player of `seat` (0-3) to those of the table."""
    for _ in range(seat):
        x, y = -y, x
    return Point(x, y, z)


def zone_number(place: str) -> int | None:
    """Zone number of a place such as "pond.2" (`docs/architecture.md`), None where no antenna is."""
    name, _, seat = place.partition(".")
    names: list[str] = ZONES["seat"]["zones"]
    if name not in names or not seat:
        return None
    return int(ZONES["seat"]["first_zone"]) + len(names) * int(seat) + names.index(name)


def _middle(name: str, axis: str) -> float:
    low, high = ZONES["seat"][name][axis]
    return float(low + high) / 2


def wall(seat: int, stack: int, level: int) -> Point:
    """Raised wall; `stack` 0-17 from the player's right to the left, `level` 0 below, 1 above."""
    right = ZONES["seat"]["wall"]["x"][1]
    return turned(seat, right - WIDTH * (stack + 0.5), _middle("wall", "y"), LYING_Z + DEPTH * level)


def plate(seat: int, stack: int, level: int) -> Point:
    """The same wall on its lowered plate."""
    point = wall(seat, stack, level)
    return point._replace(z=point.z - PLATE_DROP - LEVELS * DEPTH)


def gate(seat: int) -> Point:
    """The tile that waits at the stacking head, over the gate antenna."""
    return turned(seat, _middle("gate", "x"), _middle("gate", "y"), BELOW_Z)


def head(seat: int, level: int) -> Point:
    """In the stacking head, beside the gate."""
    beside = ZONES["seat"]["gate"]["x"][1] + WIDTH
    return turned(seat, beside, _middle("gate", "y"), BELOW_Z - DEPTH * (LEVELS - 1 - level))


def belt(seat: int) -> Point:
    """On the feed conveyor, between ring and gate, deep below the edge of the console."""
    return turned(seat, 0, -60, PAN_Z)


def pan() -> Point:
    return Point(0, 50, PAN_Z)


def hand(seat: int, slot: int) -> Point:
    """Standing in the rack; `slot` 0-14 from the player's left."""
    left = ZONES["seat"]["hand"]["x"][0]
    return turned(seat, left + WIDTH * (slot + 0.5), _middle("hand", "y"), STANDING_Z)


def laid_down(seat: int, slot: int) -> Point:
    """The same tile lying face up in its place."""
    return hand(seat, slot)._replace(z=LYING_Z)


def pond(seat: int, index: int) -> Point:
    """Discard `index` in rows of six from the left, the first row nearest to the console (article 7, 4).

    Tiles beyond the fourth row go into the free column at the right.
    """
    zone = ZONES["seat"]["pond"]
    rows = int((zone["y"][1] - zone["y"][0]) // HEIGHT)
    row, column = divmod(index, POND_ROW)
    if row >= rows:
        row, column = (index - rows * POND_ROW) % rows, POND_ROW
    x = zone["x"][0] + 6 + WIDTH * column
    return turned(seat, x, zone["y"][1] - HEIGHT * (row + 0.5), LYING_Z)


def flower(seat: int, index: int) -> Point:
    """Flower `index` (0-7), from the left end of the meld zone."""
    left = ZONES["seat"]["meld"]["x"][0]
    return turned(seat, left + WIDTH * (index + 0.5), FLOWER_ROW_Y, LYING_Z)


def meld(seat: int, right: float, count: int, sideways: int | None) -> tuple[list[Point], float]:
    """A set of `count` tiles whose right edge is `right` mm from the middle of the player's meld zone.

    `sideways` is the position of the claimed tile, which lies across (article 7, 8). Returns the places
    from left to right and the right edge of the next set.
    """
    widths = [HEIGHT if i == sideways else WIDTH for i in range(count)]
    left = right - sum(widths)
    points, x = [], left
    for width in widths:
        points.append(turned(seat, x + width / 2, MELD_ROW_Y, LYING_Z))
        x += width
    return points, left - GAP


def meld_start() -> float:
    return float(ZONES["seat"]["meld"]["x"][1])


def added(seat: int, sideways: Point) -> Point:
    """The fourth tile of an added kong: beyond the tile that lies across, seen by its player."""
    dx, dy, _ = turned(seat, 0, WIDTH, 0)
    return Point(sideways.x + dx, sideways.y + dy, sideways.z)


def die(index: int) -> Point:
    """Where die `index` (0, 1) rests; z is that of the face it lies on."""
    zone = ZONES["centre"][ZONES["centre"]["zones"][index]]
    return Point(sum(zone["x"]) / 2, sum(zone["y"]) / 2, 0)
