"""Where every tile is: in one zone or in none, told as `enter`, `moved` and `leave` events.

Evidence is gathered by the scanner; here it becomes truth. A tile that fell silent is `missing` for a while: if it
turns up elsewhere that is one `moved`, if it does not it has left.
"""

from array import array
from time import ticks_add, ticks_diff, ticks_ms

from micropython import const

NOWHERE = const(0xFF)
TILES = const(288)  # two sets
_SET = const(144)
_MISSING = const(48)  # at once; more than that leave without being waited for
_SURFACE = const(0x7777)  # one bit a zone of the surface: hand, meld and pond of four seats
HOLD_MS = const(1500)


def index_of(code):
    """0-287 for the tile codes of both sets."""
    return (code >> 8) * _SET + (code & 0xFF)


def code_at(tile):
    return tile // _SET << 8 | tile % _SET


class Presence:
    def __init__(self, zones, emit):
        self._emit = emit
        self.zone_of = bytearray(b"\xff" * TILES)
        self.quiet = bytearray(TILES)  # 1: silenced by us, does not answer an inventory without AFI
        self.counts = bytearray(zones)
        self._seen = bytearray(TILES >> 3)
        self._missing = array("h", [-1] * _MISSING)
        self._until = [ticks_ms()] * _MISSING
        self._sought = array("H", [0] * _MISSING)  # zones in which it was looked for in vain, one bit each,
        self._rounds = bytearray(_MISSING)  # and how often in all of them
        self.missing_count = 0
        self.changes = 0  # moves on whenever a tile comes, goes or is missed

    def home(self, tile, zone):
        """True if the tile is known to be in the zone and was seen there since."""
        return self.zone_of[tile] == zone and self._slot(tile) < 0

    def is_missing(self, tile):
        return self._slot(tile) >= 0

    def settle(self, tile, zone):
        """The tile is in the zone: proven there, and no longer where it was."""
        self.found(tile)
        old = self.zone_of[tile]
        if old == zone:
            return
        self.zone_of[tile] = zone
        self._changed()
        self.counts[zone] += 1
        if old == NOWHERE:
            self._emit("enter", zone, code_at(tile))
        else:
            self.counts[old] -= 1
            self._emit("moved", code_at(tile), old, zone)

    def lose(self, tile):
        """The tile is silent where it was."""
        if self.zone_of[tile] == NOWHERE or self._slot(tile) >= 0:
            return
        slot = self._slot(-1)
        if slot < 0:
            self._leave(tile)
            return
        self._missing[slot] = tile
        self._sought[slot] = self._rounds[slot] = 0
        self._until[slot] = ticks_add(ticks_ms(), HOLD_MS)
        self.missing_count += 1
        self._changed()

    def found(self, tile):
        """The tile answered where it is known to be."""
        if self.missing_count:
            slot = self._slot(tile)
            if slot >= 0:
                self._missing[slot] = -1
                self.missing_count -= 1
                self._changed()

    def due(self, rounds, zone=NOWHERE):
        """A tile that has been missing long enough to have left, or any that is missing from `zone`; else -1.

        A quiet one would not speak up: it must have been looked for in every zone `rounds` times.
        """
        now = ticks_ms()
        for slot in range(_MISSING):
            tile = self._missing[slot]
            if tile >= 0 and (
                self.zone_of[tile] == zone
                or ticks_diff(self._until[slot], now) <= 0
                and (not self.quiet[tile] or self._rounds[slot] >= rounds)
            ):
                return tile
        return -1

    def vain(self, slot, zone):
        """A missing tile was looked for in a zone and was not there."""
        self._sought[slot] |= 1 << zone
        if self._sought[slot] == _SURFACE:
            self._sought[slot] = 0
            self._rounds[slot] = min(self._rounds[slot] + 1, 255)

    def vain_for_all(self, zone, since):
        """A zone was read in full from `since` (ticks, ms) on: what was missing then is not there."""
        if self.missing_count:
            for slot in range(_MISSING):
                if self._missing[slot] >= 0 and ticks_diff(since, self._until[slot]) >= -HOLD_MS:
                    self.vain(slot, zone)

    def part(self, tile):
        """The tile has left."""
        self.found(tile)
        self._leave(tile)

    def wait_on(self, tile):
        """Its zone cannot be asked now: it keeps its place for another while."""
        slot = self._slot(tile)
        if slot >= 0:
            self._until[slot] = ticks_add(ticks_ms(), HOLD_MS)

    def missing_after(self, slot):
        """Next occupied slot of the missing from `slot` on, or -1; `missing_tile` names its tile."""
        while slot < _MISSING:
            if self._missing[slot] >= 0:
                return slot
            slot += 1
        return -1

    def missing_tile(self, slot):
        return self._missing[slot]

    def clear(self):
        """Everything has left: the tiles were pushed into the table."""
        for tile in range(TILES):
            if self.zone_of[tile] != NOWHERE:
                self.found(tile)
                self._leave(tile)
            self.quiet[tile] = 0

    def after(self, zone, tile):
        """The next tile from `tile` on that is in `zone` and not missing, or -1."""
        zones = self.zone_of
        while tile < TILES:
            if zones[tile] == zone and self._slot(tile) < 0:
                return tile
            tile += 1
        return -1

    # -- comparing a full read with what is known --------------------------------------------------------------

    def begin(self):
        for i in range(TILES >> 3):
            self._seen[i] = 0

    def see(self, tile):
        self._seen[tile >> 3] |= 1 << (tile & 7)

    def unseen(self, zone, tile):
        """The next tile from `tile` on that should be in `zone`, is not missing and was not seen, or -1."""
        tile = self.after(zone, tile)
        while tile >= 0 and self._seen[tile >> 3] >> (tile & 7) & 1:
            tile = self.after(zone, tile + 1)
        return tile

    def _slot(self, tile):
        if tile >= 0 and not self.missing_count:
            return -1
        missing = self._missing
        for slot in range(_MISSING):
            if missing[slot] == tile:
                return slot
        return -1

    def _changed(self):
        self.changes = self.changes + 1 & 0xFFFF

    def _leave(self, tile):
        zone = self.zone_of[tile]
        self.zone_of[tile] = NOWHERE
        self._changed()
        self.counts[zone] -= 1
        self._emit("leave", zone, code_at(tile))
