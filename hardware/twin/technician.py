"""A technician at the simulated table: turns the service key and lays tiles where the seat displays ask for them.

What a display says (digits and the letters a 7-segment digit can show), `k` being a zone of the seat (0 hand, 1 meld,
2 pond, 3 gate): `rk xy` lay the test tile at x/9 of the zone's width and y/9 of its depth, seen by the player;
`bk nn` lay the tiles of face nn; `Ak nn` lay portion nn of the set; `Ek` clear the zone. The referee button of the
seat says that it is done.
"""

from __future__ import annotations

from functools import partial

from twin import geometry
from twin.geometry import Point
from twin.table import Table
from twin.tags import Tag
from twin.tiles import Tile, face_of

GLANCE_US = 200_000
REACH_US = 700_000
PRESS_US = 250_000
PORTION = 24
KINDS = ("hand", "meld", "pond", "gate")
_SEGMENTS = {0: " ", 0x40: "-", 0x79: "E", 0x77: "A", 0x50: "r", 0x7C: "b", **dict(zip(
    b"\x3f\x06\x5b\x4f\x66\x6d\x7d\x07\x7f\x6f", "0123456789", strict=True))}  # fmt: skip


class Technician:
    """Works at `table`, at which nobody sits. `test_tile` is the one for calibrations; `tiles` are those at hand."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.tiles: list[Tile] = list(table.world.tiles)
        self.test_tile = self.tiles[0]
        self._lying: dict[str, list[Tile]] = {}
        self._read = [""] * len(table.board.panels)

    def turn_key(self, on: bool = True) -> None:
        self._table.board.inputs["service_key"].set(int(on))

    def work(self) -> None:
        """Turn the key and do from now on what the displays ask for."""
        self.turn_key()
        self._glance()

    def erase(self) -> None:
        """Every tile gets a tag fresh from the factory: undefined AFI, nothing written."""
        for tile in self.tiles:
            tile.tag.afi = tile.number * 7 & 0xFF
            tile.tag.memory[:8] = bytes(8)

    def lay(self, tile: Tile, zone: int, x: float = 0.5, y: float = 0.5, z: float | None = None) -> None:
        """Put a tile at a share of a zone's width and depth, seen by the player of its seat."""
        seat, kind = divmod(zone, len(KINDS))
        name = KINDS[kind]
        part = geometry.ZONES["seat"][name]
        if z is None:
            z = {"hand": geometry.STANDING_Z, "gate": geometry.BELOW_Z}.get(name, geometry.LYING_Z)
        (x0, x1), (y0, y1) = part["x"], part["y"]
        point = geometry.turned(seat, x0 + x * (x1 - x0), y0 + y * (y1 - y0), z)
        self._table.world.ground.put(tile, f"{name}.{seat}", point)
        self._table.world.mechanics.pan.pop(tile, None)
        lying = self._lying.setdefault(f"{name}.{seat}", [])
        if tile not in lying:
            lying.append(tile)

    def lay_rows(self, tiles: list[Tile], zone: int) -> None:
        """Tiles side by side, in as many rows as the zone has room for."""
        part = geometry.ZONES["seat"][KINDS[zone % len(KINDS)]]
        width, depth = (part[axis][1] - part[axis][0] for axis in ("x", "y"))
        a_row = int(width // geometry.WIDTH)
        for n, tile in enumerate(tiles):
            row, column = divmod(n, a_row)
            x = geometry.WIDTH * (column + 0.5) / width
            y = min(geometry.HEIGHT * (row + 0.5) / depth, 1.0)
            self.lay(tile, zone, x, y)

    def clear(self, place: str) -> None:
        for tile in self._lying.pop(place, []):
            self._table.world.ground.put(tile, "box", Point(0, 0, geometry.CARRIED_Z))

    def swap_tag(self, tile: Tile, tag: Tag) -> None:
        """Another tag is in this tile than the one it was made with."""
        air = self._table.air
        air.remove(tile)
        tile.tag = tag
        air.add(tile)

    def _glance(self) -> None:
        clock = self._table.clock
        for seat, panel in enumerate(self._table.board.panels):
            text = "".join(_SEGMENTS.get(panel.rows[2 * n], "?") for n in range(5))
            if text != self._read[seat]:
                self._read[seat] = text
                if text.strip() and text[0] in "rbAE":
                    clock.after(REACH_US, partial(self._do, seat, text))
        clock.after(GLANCE_US, self._glance)

    def _do(self, seat: int, text: str) -> None:
        if not text[1].isdigit() or int(text[1]) >= len(KINDS):
            return
        kind = int(text[1])
        place, zone = f"{KINDS[kind]}.{seat}", len(KINDS) * seat + kind
        number = int(text[2:]) if text[2:].strip().isdigit() else 0
        self.clear(place)
        if text[0] == "r":
            for other in [name for name, tiles in self._lying.items() if self.test_tile in tiles]:
                self.clear(other)
            self.lay(self.test_tile, zone, number // 10 / 9, number % 10 / 9)
        elif text[0] == "b":
            self.lay_rows([tile for tile in self.tiles if face_of(tile.number) == number], zone)
        elif text[0] == "A":
            self.lay_rows(self.tiles[PORTION * number : PORTION * (number + 1)], zone)
        button = self._table.board.inputs[f"referee_{seat}"]
        button.set(1)
        self._table.clock.after(PRESS_US, lambda: button.set(0))
