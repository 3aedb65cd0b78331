"""A tile that two zones hear: which one it is, and how often either hears it."""

from time import ticks_add, ticks_diff, ticks_ms

from micropython import const

from drivers.iso15693 import GOOD

from .presence import NOWHERE, code_at

_OFTEN = const(5)  # sightings, less those of other tiles
_LOOKS = const(16)  # in either zone
_EVERY_MS = const(400)  # a look takes about 10 ms of the air


class Conflicts:
    """`count` sightings of a tile in a zone while it still answers in its own. The one most often seen so can be
    measured: one look now and then, in either zone in turn.

    `emit` takes `("conflict", tile, zone, other zone, hits, hits in the other)` of 16 looks in each; `last` is the
    same without the name, and when. A tile that moves or a reader that fails ends it without a word.
    """

    def __init__(self, radio, registry, presence, emit):
        self.count = 0
        self.last = None
        self._radio = radio
        self._registry = registry
        self._presence = presence
        self._emit = emit
        self._tile = self._other = -1
        self._votes = 0
        self._left = 0  # looks; while there are any the tile stays the same
        self._home = -1
        self._hits = bytearray(2)  # in the other zone, in its own
        self._at = ticks_ms()
        self._uid = bytearray(8)

    def seen(self, tile, zone):
        """Count a sighting; the candidate is found by the majority vote of Boyer and Moore."""
        self.count += 1
        if self._left:
            return
        if self.about(tile, zone):
            self._votes += 1
        elif self._votes:
            self._votes -= 1
        else:
            self._tile = tile
            self._other = zone
            self._votes = 1

    def about(self, tile, zone):
        """Whether this was seen before, and nothing else more often since."""
        return tile == self._tile and zone == self._other

    @property
    def often(self):
        """Whether one tile has been seen so again and again."""
        return self._votes >= _OFTEN

    def measure(self):
        """Begin with the tile most often seen; False when it is no longer where it was."""
        self._votes = 0
        self._home = self._presence.zone_of[self._tile]
        self._hits[0] = self._hits[1] = 0
        if self._home in (NOWHERE, self._other):
            return False
        self._left = 2 * _LOOKS
        return True

    def due(self):
        return self._left and ticks_diff(ticks_ms(), self._at) >= 0

    async def look(self):
        """One look, in a field of its own. Raises ReaderFault."""
        left, self._left = self._left, 0  # over, unless this look comes to its end
        tile, radio = self._tile, self._radio
        zone = self._home if left & 1 else self._other
        if not self._presence.home(tile, self._home) or not radio.usable(zone):
            return
        if not self._registry.uid_of(code_at(tile), self._uid):
            return
        self._at = ticks_add(ticks_ms(), _EVERY_MS)
        radio.silence()
        await radio.tune(zone)
        air = radio.port(zone).air
        await air.read(self._uid)
        if air.outcome == GOOD:
            self._hits[left & 1] += 1
        self._left = left - 1
        if not self._left:
            there, here = self._hits
            self.last = code_at(tile), self._home, self._other, here, there, ticks_ms()
            self._emit("conflict", code_at(tile), self._home, self._other, here, there)
