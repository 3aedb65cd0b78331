"""Reads the dice: in each cup only the face that lies on the plate is heard, and the value is opposite to it."""

from micropython import const

from . import tile_registry

COCKED = const(0)
_DIE1 = const(16)
_LOOKS = const(8)  # in fields of their own: what strays in from the other cup differs from one to the next
_HITS = const(3)
_FACES = const(8)


class DiceReader:
    """Die 0 lies in the first cup, die 1 in the second."""

    def __init__(self, scanner, first_zone=_DIE1):
        self._scanner = scanner
        self._zone = first_zone
        self._codes = []
        self._hits = bytearray(2 * _FACES)

    async def value(self, die):
        """1-6 of die 0 or 1 at rest, or COCKED: no face or several of it are heard. Raises ReaderFault."""
        hits = self._hits
        for i in range(2 * _FACES):
            hits[i] = 0
        for _ in range(_LOOKS):
            await self._look(die)
            face = self._lying(die, _HITS)
            if face:
                return 7 - face
        if any(hits[_FACES * die : _FACES * die + _FACES]):
            return COCKED
        face = self._lying(1 - die, _LOOKS)  # after a repair the dice may have changed places
        return 7 - face if face else COCKED

    async def _look(self, die):
        codes = self._codes
        await self._scanner.read_tags(self._zone + die, codes)
        self._scanner.radio.silence()
        for code in codes:
            if code >= tile_registry.DIE:
                self._hits[(code >> 8 & 1) * _FACES + (code & 7)] += 1

    def _lying(self, die, enough):
        """The only face of a die that has been heard, once that was often enough; else 0."""
        face = 0
        for i in range(1, _FACES):
            if self._hits[_FACES * die + i]:
                if face:
                    return 0
                face = i
        return face if face and self._hits[_FACES * die + face] >= enough else 0
