"""What a player may aim for: kinds of hands that reach the minimum, and how many tiles each still lacks.

Patterns are four integers (m, p, s, honours) with three bits a rank, as in the rules core. A distance is that of
`paiju.rules.shanten`: 0 is ready, -1 complete, FAR is out of reach.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Final, Protocol

from paiju.hand import Meld, MeldKind
from paiju.rules.blocks import KNITTED
from paiju.rules.engine import Patterns
from paiju.rules.readings import HONOURS, KNIT_PATTERN
from paiju.rules.shanten import missing_tiles

FAR: Final = 99
_SUIT: Final = 0o777777777
_HONOURS: Final = 0o7777777
_ONES: Final = 0o111111111
_ORPHANS: Final[Patterns] = (0o100000001, 0o100000001, 0o100000001, 0o1111111)
_EVERYTHING: Final[Patterns] = (_SUIT, _SUIT, _SUIT, _HONOURS)

Missing = tuple[tuple[int, ...], tuple[int, ...]]


class Plan(Protocol):
    """`handicap` are the tiles a plan is put behind: it does not make the minimum by itself, or is rare luck."""

    @property
    def name(self) -> str: ...
    @property
    def handicap(self) -> float: ...

    def distance(self, patterns: Patterns, melds: Sequence[Meld]) -> int:
        """Tiles that still lack with these concealed tiles, one more than ready counts for or not."""
        ...


@cache
def _both(one: Missing, two: Missing) -> Missing:
    """What two suits lack together for 0 to 4 sets, without and with a pair."""
    plain = tuple(min(one[0][n] + two[0][k - n] for n in range(k + 1)) for k in range(5))
    paired = tuple(
        min(min(one[0][n] + two[1][k - n], one[1][n] + two[0][k - n]) for n in range(k + 1)) for k in range(5)
    )
    return plain, paired


def lacking(patterns: Patterns, sets: int) -> int:
    """Fewest tiles to add for so many sets and a pair."""
    m, p, s, honours = patterns
    suits = _both(_both(missing_tiles(0, m), missing_tiles(0, p)), missing_tiles(0, s))
    return _both(suits, missing_tiles(HONOURS, honours))[1][sets]


@dataclass(frozen=True, slots=True)
class Sets:
    """Sets and a pair out of `allowed` (a mask), among them the chows that begin with the faces `chows`."""

    name: str
    handicap: float = 0.0
    chows: tuple[int, ...] = ()
    allowed: Patterns = _EVERYTHING

    def distance(self, patterns: Patterns, melds: Sequence[Meld]) -> int:
        wanted = list(self.chows)
        free = 4 - len(wanted)
        for meld in melds:
            first = meld.tiles[0]
            if meld.kind is MeldKind.CHOW and first in wanted:
                wanted.remove(first)
            else:
                free -= 1
                if any(not self.allowed[face // 9] >> 3 * (face % 9) & 7 for face in meld.tiles):
                    return FAR
        if free < 0:
            return FAR
        rest = [pattern & mask for pattern, mask in zip(patterns, self.allowed, strict=True)]
        lacks = 0
        for first in wanted:
            suit = first // 9
            for rank in range(first % 9, first % 9 + 3):
                if rest[suit] >> 3 * rank & 7:
                    rest[suit] -= 1 << 3 * rank
                else:
                    lacks += 1
        return lacks + lacking((rest[0], rest[1], rest[2], rest[3]), free) - 1


@dataclass(frozen=True, slots=True)
class Pungs:
    """Four pungs or kongs and a pair."""

    name: str
    handicap: float

    def distance(self, patterns: Patterns, melds: Sequence[Meld]) -> int:
        if any(meld.kind is MeldKind.CHOW for meld in melds):
            return FAR
        counts = sorted((pattern >> shift & 7 for pattern in patterns for shift in range(0, 27, 3)), reverse=True)
        pungs = 4 - len(melds)
        return sum(max(0, 3 - count) for count in counts[:pungs]) + max(0, 2 - counts[pungs]) - 1


@dataclass(frozen=True, slots=True)
class SevenPairs:
    name: str
    handicap: float

    def distance(self, patterns: Patterns, melds: Sequence[Meld]) -> int:
        if melds:
            return FAR
        # Bits of a count: its pairs are the upper two, the odd tile is the lowest.
        pairs = sum((p >> 1 & _ONES).bit_count() + 2 * (p >> 2 & _ONES).bit_count() for p in patterns)
        odd = sum((p & _ONES).bit_count() for p in patterns)
        return 6 - pairs + max(0, 7 - pairs - odd)


@dataclass(frozen=True, slots=True)
class ThirteenOrphans:
    name: str
    handicap: float

    def distance(self, patterns: Patterns, melds: Sequence[Meld]) -> int:
        if melds:
            return FAR
        kinds = sum((_kinds(p) & wanted).bit_count() for p, wanted in zip(patterns, _ORPHANS, strict=True))
        doubled = any((p >> 1 | p >> 2) & wanted for p, wanted in zip(patterns, _ORPHANS, strict=True))
        return 13 - kinds - doubled


@dataclass(frozen=True, slots=True)
class Knitted:
    """Ranks that start at `starts` in the three suits and go on in threes: a straight with a set and a pair, or,
    with `honours`, any of them and honours, each once."""

    name: str
    handicap: float
    starts: tuple[int, int, int]
    honours: bool

    def distance(self, patterns: Patterns, melds: Sequence[Meld]) -> int:
        held = [_kinds(patterns[suit]) & KNIT_PATTERN[start] for suit, start in enumerate(self.starts)]
        kinds = sum(pattern.bit_count() for pattern in held)
        if self.honours:
            return FAR if melds else 13 - kinds - _kinds(patterns[HONOURS]).bit_count()
        if len(melds) > 1:
            return FAR
        rest = (patterns[0] - held[0], patterns[1] - held[1], patterns[2] - held[2], patterns[HONOURS])
        return 9 - kinds + lacking(rest, 1 - len(melds)) - 1


def _kinds(pattern: int) -> int:
    """One bit for each rank that is held."""
    return (pattern | pattern >> 1 | pattern >> 2) & _ONES


def _one_suit(suit: int, honours: int) -> Patterns:
    masks = [_SUIT if n == suit else 0 for n in range(3)]
    return masks[0], masks[1], masks[2], honours


def _ranks(first: int, last: int) -> Patterns:
    mask = sum(7 << 3 * rank for rank in range(first - 1, last))
    return mask, mask, mask, 0


def _plans() -> tuple[Plan, ...]:
    shuffled = list(permutations(range(3)))
    straights = [Sets("pure straight", 0.3, (9 * suit, 9 * suit + 3, 9 * suit + 6)) for suit in range(3)]
    straights += [Sets("mixed straight", 0.0, tuple(9 * s + 3 * n for n, s in enumerate(suits))) for suits in shuffled]
    triples = [Sets("mixed triple chow", 0.0, (rank, 9 + rank, 18 + rank)) for rank in range(7)]
    shifted = [
        Sets("mixed shifted chows", 0.9, tuple(9 * suit + low + n for n, suit in enumerate(suits)))
        for suits in shuffled
        for low in range(5)
    ]
    steps = [
        Sets("pure shifted chows", 0.5, tuple(9 * suit + low + step * n for n in range(3)))
        for step in (1, 2)
        for suit in range(3)
        for low in range(7 - 2 * step)
    ]
    flushes = [Sets("half flush", 1.0, (), _one_suit(suit, _HONOURS)) for suit in range(3)]
    flushes += [Sets("full flush", 1.0, (), _one_suit(suit, 0)) for suit in range(3)]
    bounds = (("upper four", 6, 9), ("lower four", 1, 4), ("upper tiles", 7, 9), ("lower tiles", 1, 3))
    ranges = [Sets(name, 1.0, (), _ranks(first, last)) for name, first, last in (*bounds, ("middle tiles", 4, 6))]
    return (
        *straights,
        *triples,
        *shifted,
        *steps,
        *flushes,
        *ranges,
        Pungs("all pungs", 0.6),
        *(Knitted("knitted straight", 0.2, starts, False) for starts in KNITTED),
        *(Knitted("honours and knitted", 0.4, starts, True) for starts in KNITTED),
        SevenPairs("seven pairs", 0.8),
        ThirteenOrphans("thirteen orphans", 1.5),
    )


PLANS: Final = _plans()
