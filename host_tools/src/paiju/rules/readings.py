"""Reading the tiles of a suit into chows, pungs and a pair, by tables that fill as they are asked.

A pattern packs the counts of a suit, three bits a rank: rank r adds 1 << 3 * (r - 1). The honours are a
fourth suit of seven ranks without chows. Nothing here knows fan values or a profile.
"""

from typing import Final

from paiju.rules.blocks import EVERY, KNIT, PAIR, PUNG, tiles_of_block

HONOURS: Final = 3
ALL: Final = (1 << 32) - 1

# How a tile sits in a part: the codes are ordered, the least is the place that suits the winner best.
EDGE: Final = 1
CLOSED: Final = 2
SINGLE: Final = 3
OPEN: Final = 4
IN_PUNG: Final = 5
ABSENT: Final = 6

CHOW_KEY: Final = tuple(5**chow for chow in range(PUNG))


class Part:
    """Some blocks of a reading, with what the scorer needs of them already summed up.

    `every`: AND of the blocks' EVERY; `chows`: sum of CHOW_KEY; `pungs`: bit per face;
    `pairs`: how many; `pair`: face of the last one or -1; `place`: how each rank sits here.
    """

    __slots__ = ("blocks", "chows", "every", "pair", "pairs", "place", "pungs", "triplets")

    def __init__(self, suit: int, blocks: tuple[int, ...]) -> None:
        self.blocks = blocks
        self.every = ALL
        self.chows = self.pungs = self.triplets = self.pairs = 0
        self.pair = -1
        place = [ABSENT] * 9
        for block in blocks:
            self.every &= EVERY[block]
            if block < PUNG:
                self.chows += CHOW_KEY[block]
            elif block < PAIR:
                self.pungs |= 1 << block - PUNG
                self.triplets += 1
            else:
                self.pair = block - PAIR
                self.pairs += 1
            for rank, code in _PLACES[block]:
                place[rank] = min(place[rank], code)
        self.place = tuple(place)


def _places(block: int) -> tuple[tuple[int, int], ...]:
    """(rank - 1, place) of each tile of a chow, pung or pair."""
    low = tiles_of_block(block)[0] % 9
    if block >= PAIR:
        return ((low, SINGLE),)
    if block >= PUNG:
        return ((low, IN_PUNG),)
    return ((low, EDGE if low == 6 else OPEN), (low + 1, CLOSED), (low + 2, EDGE if low == 0 else OPEN))


_PLACES: Final = tuple(_places(block) for block in range(KNIT))


def split(suit: int, pattern: int) -> list[tuple[int, ...]]:
    """All ways to read a pattern into sets and at most one pair, as sorted tuples of blocks."""
    found: list[tuple[int, ...]] = []
    _split(suit, pattern, 0, False, (), found)
    return found


def _split(
    suit: int, pattern: int, rank: int, paired: bool, blocks: tuple[int, ...], found: list[tuple[int, ...]]
) -> None:
    if not pattern:
        found.append(tuple(sorted(blocks)))
        return
    while not pattern >> 3 * rank & 7:
        rank += 1
    one = 1 << 3 * rank
    count = pattern >> 3 * rank & 7
    face = suit * 9 + rank
    if suit != HONOURS and rank < 7 and pattern >> 3 * rank + 3 & 7 and pattern >> 3 * rank + 6 & 7:
        _split(suit, pattern - one * 0o111, rank, paired, (*blocks, suit * 7 + rank), found)
    if count >= 3:
        _split(suit, pattern - 3 * one, rank, paired, (*blocks, PUNG + face), found)
    if count >= 2 and not paired:
        _split(suit, pattern - 2 * one, rank, True, (*blocks, PAIR + face), found)


_PARTS: Final[dict[int, tuple[Part, ...]]] = {}


def parts_of(suit: int, pattern: int) -> tuple[Part, ...]:
    """The readings of one suit's pattern: none if it cannot be read, one empty part for no tiles."""
    key = suit << 27 | pattern
    parts = _PARTS.get(key)
    if parts is None:
        parts = tuple(Part(suit, blocks) for blocks in dict.fromkeys(split(suit, pattern)))
        _PARTS[key] = parts
    return parts


def forget_parts() -> None:
    """Empty the table of readings of suits, to measure a first hand or to give back its memory."""
    _PARTS.clear()


# Patterns of the three tiles of a knitted straight: 147, 258, 369.
KNIT_PATTERN: Final = tuple(0o1001001 << 3 * start for start in range(3))


def has_each(pattern: int, wanted: int) -> bool:
    """Whether the pattern holds at least one of each rank in `wanted` (a pattern of ones)."""
    return not ~(pattern | pattern >> 1 | pattern >> 2) & wanted
