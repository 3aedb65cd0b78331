"""Which tiles complete the concealed tiles, over every reading, by tables per suit pattern.

Patterns as in `readings`. A kind counts even when the player holds all four: it is a wait that cannot come.
"""

from typing import Final

from paiju.rules.blocks import KNITTED
from paiju.rules.readings import HONOURS, KNIT_PATTERN

ALL_FACES: Final = (1 << 34) - 1
_ORPHANS: Final = (0o100000001, 0o100000001, 0o100000001, 0o1111111)


def is_sets(suit: int, pattern: int) -> bool:
    """Whether a pattern splits into chows and pungs. Three equal chows are three pungs, so one way is enough."""
    while pattern:
        count = pattern & 7
        if count >= 3:
            count -= 3
        if count:
            if suit == HONOURS:
                return False
            after, third = pattern >> 3 & 7, pattern >> 6 & 7
            if after < count or third < count:
                return False
            pattern -= count * 0o110
        pattern >>= 3
    return True


def is_sets_and_pair(suit: int, pattern: int) -> bool:
    """Whether a pattern splits into chows, pungs and one pair."""
    # Chows and pungs have rank sums divisible by three, which leaves three ranks for the pair.
    rank, step = (0, 1) if suit == HONOURS else (2 * _rank_sum(pattern) % 3, 3)
    for pair in range(rank, 9, step):
        if pattern >> 3 * pair & 7 >= 2 and is_sets(suit, pattern - (2 << 3 * pair)):
            return True
    return False


def _rank_sum(pattern: int) -> int:
    total = rank = 0
    while pattern:
        total += rank * (pattern & 7)
        pattern >>= 3
        rank += 1
    return total


class SuitWaits:
    """What one suit's pattern can be and which ranks (bit per rank) complete it."""

    __slots__ = ("pair_waits", "set_waits", "with_pair", "without_pair")

    def __init__(self, suit: int, pattern: int) -> None:
        self.without_pair = self.with_pair = False
        self.set_waits = self.pair_waits = 0
        count = 0
        rest = pattern
        while rest:
            count += rest & 7
            rest >>= 3
        ranks = range(7 if suit == HONOURS else 9)
        if count % 3 == 0:
            self.without_pair = is_sets(suit, pattern)
        elif count % 3 == 1:
            for rank in ranks:
                if is_sets_and_pair(suit, pattern + (1 << 3 * rank)):
                    self.pair_waits |= 1 << rank
        else:
            self.with_pair = is_sets_and_pair(suit, pattern)
            for rank in ranks:
                if is_sets(suit, pattern + (1 << 3 * rank)):
                    self.set_waits |= 1 << rank


_SUIT_WAITS: Final[dict[int, SuitWaits]] = {}


def suit_waits(suit: int, pattern: int) -> SuitWaits:
    # The three suits share their patterns.
    key = pattern | 1 << 27 if suit == HONOURS else pattern
    found = _SUIT_WAITS.get(key)
    if found is None:
        found = SuitWaits(suit, pattern)
        _SUIT_WAITS[key] = found
    return found


def forget_waits() -> None:
    """Empty the table of waits of suits, to measure a first hand or to give back its memory."""
    _SUIT_WAITS.clear()


def standard_waits(patterns: tuple[int, int, int, int]) -> int:
    """Faces (bit per face) that complete sets and one pair."""
    m, p, s, h = patterns
    suits = (suit_waits(0, m), suit_waits(1, p), suit_waits(2, s), suit_waits(HONOURS, h))
    # One suit takes the tile; a second one may hold the pair; the others are complete sets.
    one = two = -1
    for suit in range(4):
        if not suits[suit].without_pair:
            if two >= 0:
                return 0
            one, two = suit, one
    if one < 0:
        return 0
    if two < 0:
        return suits[one].pair_waits << 9 * one
    faces = 0
    if suits[two].with_pair:
        faces = suits[one].set_waits << 9 * one
    if suits[one].with_pair:
        faces |= suits[two].set_waits << 9 * two
    return faces


def seven_pairs_waits(patterns: tuple[int, int, int, int]) -> int:
    """The face that completes seven pairs of 13 tiles: the only one of which there is an odd number."""
    faces = 0
    for suit, pattern in enumerate(patterns):
        odd = pattern & 0o111111111
        while odd:
            lowest = odd & -odd
            faces |= 1 << (lowest.bit_length() - 1) // 3 + 9 * suit
            odd ^= lowest
    return faces if faces & (faces - 1) == 0 else 0


def orphans_waits(patterns: tuple[int, int, int, int]) -> int:
    """Faces that complete the thirteen orphans of 13 tiles."""
    missing = 0
    for suit, orphans in enumerate(_ORPHANS):
        pattern = patterns[suit]
        if pattern & ~(orphans * 7):
            return 0
        for rank in range(9):
            if orphans >> 3 * rank & 1 and not pattern >> 3 * rank & 7:
                missing |= 1 << rank + 9 * suit
    if not missing:
        return sum(1 << rank + 9 * suit for suit, p in enumerate(_ORPHANS) for rank in range(9) if p >> 3 * rank & 1)
    return missing if missing & (missing - 1) == 0 else 0


def unrelated_waits(patterns: tuple[int, int, int, int]) -> int:
    """Faces that complete honours and knitted tiles (全不靠, 七星不靠) of 13 tiles."""
    if any(pattern & ~0o111111111 for pattern in patterns):
        return 0
    faces = 0
    for starts in KNITTED:
        allowed = [KNIT_PATTERN[start] for start in starts]
        if all(not patterns[suit] & ~allowed[suit] for suit in range(3)):
            for suit, wanted in enumerate((*allowed, _ORPHANS[3])):
                for rank in range(9):
                    if wanted >> 3 * rank & 1 and not patterns[suit] >> 3 * rank & 7:
                        faces |= 1 << rank + 9 * suit
    return faces


def knitted_straight_waits(patterns: tuple[int, int, int, int]) -> int:
    """Faces that complete a knitted straight with sets and a pair, of 10 or 13 tiles."""
    faces = 0
    for starts in KNITTED:
        wanted = [KNIT_PATTERN[start] for start in starts]
        missing = [
            (suit, rank)
            for suit in range(3)
            for rank in (starts[suit], starts[suit] + 3, starts[suit] + 6)
            if not patterns[suit] >> 3 * rank & 7
        ]
        if not missing:
            rest = tuple(patterns[suit] - wanted[suit] for suit in range(3))
            faces |= standard_waits((rest[0], rest[1], rest[2], patterns[3]))
        elif len(missing) == 1:
            suit, rank = missing[0]
            full = list(patterns)
            full[suit] += 1 << 3 * rank
            rest = tuple(full[i] - wanted[i] for i in range(3))
            suits = [suit_waits(i, p) for i, p in enumerate((*rest, patterns[3]))]
            pairs = [i for i in range(4) if not suits[i].without_pair]
            if len(pairs) == 1 and suits[pairs[0]].with_pair:
                faces |= 1 << rank + 9 * suit
    return faces


def waits_of(patterns: tuple[int, int, int, int], melds: int) -> int:
    """Faces (bit per face) that complete the concealed tiles in any form, beside `melds` melds."""
    faces = standard_waits(patterns)
    if melds <= 1:
        faces |= knitted_straight_waits(patterns)
    if not melds:
        faces |= seven_pairs_waits(patterns) | orphans_waits(patterns) | unrelated_waits(patterns)
    return faces
