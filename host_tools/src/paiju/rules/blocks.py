"""The blocks a hand is read into, as integers, and what each block allows the whole hand to be.

Block: 0-20 chow (suit * 7 + lowest rank - 1), 21-54 pung (21 + face), 55-88 pair (55 + face),
89-94 the nine tiles of a knitted straight (89 + index into KNITTED).
"""

from itertools import permutations
from typing import Final

from paiju.rules import fans

PUNG: Final = 21
PAIR: Final = 55
KNIT: Final = 89

# Which of 147, 258, 369 (0, 1, 2) the suits m, p, s hold.
KNITTED: Final[tuple[tuple[int, int, int], ...]] = tuple((a, b, c) for a, b, c in permutations((0, 1, 2)))

# Fans that hold when every block allows them; bit i of a block's `EVERY` is EVERY_FANS[i].
EVERY_FANS: Final = (
    fans.ALL_GREEN,
    fans.ALL_TERMINALS,
    fans.ALL_HONOURS,
    fans.ALL_TERMINALS_AND_HONOURS,
    fans.ALL_EVEN_PUNGS,
    fans.UPPER_TILES,
    fans.MIDDLE_TILES,
    fans.LOWER_TILES,
    fans.ALL_FIVES,
    fans.UPPER_FOUR,
    fans.LOWER_FOUR,
    fans.REVERSIBLE_TILES,
    fans.ALL_PUNGS,
    fans.OUTSIDE_HAND,
    fans.ALL_CHOWS,
    fans.ALL_SIMPLES,
    fans.NO_HONOURS,
)
_GREEN: Final = frozenset((19, 20, 21, 23, 25, 32))
_REVERSIBLE: Final = frozenset((*range(9, 14), 16, 17, 19, 21, 22, 23, 25, 26, 33))
_RANGES: Final = {
    fans.UPPER_TILES: frozenset((7, 8, 9)),
    fans.MIDDLE_TILES: frozenset((4, 5, 6)),
    fans.LOWER_TILES: frozenset((1, 2, 3)),
    fans.UPPER_FOUR: frozenset((6, 7, 8, 9)),
    fans.LOWER_FOUR: frozenset((1, 2, 3, 4)),
    fans.ALL_SIMPLES: frozenset(range(2, 9)),
    fans.NO_HONOURS: frozenset(range(1, 10)),
    fans.ALL_TERMINALS: frozenset((1, 9)),
    fans.ALL_TERMINALS_AND_HONOURS: frozenset((0, 1, 9)),
    fans.ALL_HONOURS: frozenset((0,)),
}


def tiles_of_block(block: int) -> tuple[int, ...]:
    """Faces of a block; a kong shows as its pung."""
    if block < PUNG:
        low = block // 7 * 9 + block % 7
        return (low, low + 1, low + 2)
    if block < PAIR:
        return (block - PUNG,) * 3
    if block < KNIT:
        return (block - PAIR,) * 2
    return tuple(suit * 9 + start + step for suit, start in enumerate(KNITTED[block - KNIT]) for step in (0, 3, 6))


def is_chow(block: int) -> bool:
    return block < PUNG


def is_pung(block: int) -> bool:
    return PUNG <= block < PAIR


def is_pair(block: int) -> bool:
    return PAIR <= block < KNIT


def _every(block: int) -> int:
    tiles = tiles_of_block(block)
    ranks = {face % 9 + 1 if face < 27 else 0 for face in tiles}
    allowed = {fan for fan, wanted in _RANGES.items() if ranks <= wanted}
    same = is_pung(block) or is_pair(block)
    if set(tiles) <= _GREEN:
        allowed.add(fans.ALL_GREEN)
    if set(tiles) <= _REVERSIBLE:
        allowed.add(fans.REVERSIBLE_TILES)
    if same and ranks <= {2, 4, 6, 8}:
        allowed.add(fans.ALL_EVEN_PUNGS)
    if same:
        allowed.add(fans.ALL_PUNGS)
    if block < KNIT and 5 in ranks:
        allowed.add(fans.ALL_FIVES)
    if block < KNIT and ranks & {0, 1, 9}:
        allowed.add(fans.OUTSIDE_HAND)
    if is_chow(block) or (is_pair(block) and 0 not in ranks):
        allowed.add(fans.ALL_CHOWS)
    return sum(1 << i for i, fan in enumerate(EVERY_FANS) if fan in allowed)


EVERY: Final[tuple[int, ...]] = tuple(_every(block) for block in range(KNIT + len(KNITTED)))
