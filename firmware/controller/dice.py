"""Reads the dice: in each cup only the face that lies on the plate is heard, and the value is opposite to it."""

from micropython import const

from . import tile_registry

COCKED = const(0)
_DIE1 = const(16)
_AGREE = const(2)


class DiceReader:
    def __init__(self, scanner, first_zone=_DIE1):
        self._scanner = scanner
        self._zone = first_zone
        self._codes = []

    async def value(self, die):
        """1-6 of die 0 or 1 at rest, or COCKED: no face or several are heard. Raises ReaderFault."""
        first = await self._once(die)
        for _ in range(_AGREE - 1):
            if await self._once(die) != first:
                return COCKED
        return first

    async def _once(self, die):
        codes = self._codes
        await self._scanner.read_tags(self._zone + die, codes)
        if len(codes) != 1 or codes[0] < tile_registry.DIE:
            return COCKED
        return 7 - (codes[0] & 0x07)
