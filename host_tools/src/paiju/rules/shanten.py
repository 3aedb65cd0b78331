"""How many exchanges a hand is from ready, for each form it can take.

0 is ready, -1 complete. Counts as in `readings`; melds stand for complete sets.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, pairwise, product
from typing import Final

from paiju.rules.blocks import KNITTED
from paiju.rules.engine import Patterns, patterns_of
from paiju.rules.profile import Profile
from paiju.rules.readings import HONOURS, KNIT_PATTERN
from paiju.rules.scoring import is_competitive

FORMS: Final = ("standard", "seven_pairs", "thirteen_orphans", "honours_and_knitted", "knitted_straight")
COMPETITIVE_FORMS: Final = ("standard", "seven_pairs", "unrelated", "knitted_straight")
_FAR: Final = 99
_TERMINALS: Final = 0o100000001
_EACH_HONOUR: Final = 0o1111111


@cache
def missing_tiles(suit: int, pattern: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Fewest tiles to add to a suit for n sets without, and with, a pair; n = 0..4."""
    ranks = 7 if suit == HONOURS else 9
    # State: sets made, pair made, chows that began at the last rank and at the one before it.
    states = {(0, 0, 0, 0): 0}
    for rank in range(ranks):
        held = pattern >> 3 * rank & 7
        after: dict[tuple[int, int, int, int], int] = {}
        can_start = suit != HONOURS and rank < 7
        for (sets, pair, last, before), cost in states.items():
            for chows in range(5 - sets if can_start else 1):
                for pungs in range(2 if sets + chows < 4 else 1):
                    for pairs in range(2 - pair):
                        wanted = last + before + chows + 3 * pungs + 2 * pairs
                        if wanted > 4:
                            continue
                        key = (sets + chows + pungs, pair + pairs, chows, last)
                        total = cost + max(0, wanted - held)
                        if total < after.get(key, _FAR):
                            after[key] = total
        states = after
    best = [[_FAR] * 5, [_FAR] * 5]
    for (sets, pair, last, before), cost in states.items():
        if not last and not before:
            best[pair][sets] = min(best[pair][sets], cost)
    return tuple(best[0]), tuple(best[1])


def _sets_and_pair(patterns: Patterns, sets: int) -> int:
    """Fewest tiles to add for so many sets and a pair over the four suits."""
    states = [[_FAR] * (sets + 1), [_FAR] * (sets + 1)]
    states[0][0] = 0
    for suit, pattern in enumerate(patterns):
        plain, paired = missing_tiles(suit, pattern)
        after = [[_FAR] * (sets + 1), [_FAR] * (sets + 1)]
        for made in range(sets + 1):
            for more in range(sets + 1 - made):
                total = made + more
                after[0][total] = min(after[0][total], states[0][made] + plain[more])
                after[1][total] = min(after[1][total], states[1][made] + plain[more], states[0][made] + paired[more])
        states = after
    return states[1][sets]


def _kinds(patterns: Patterns, wanted: Patterns) -> int:
    """How many of the wanted kinds (patterns of ones) are held."""
    return sum(
        ((pattern | pattern >> 1 | pattern >> 2) & kinds).bit_count()
        for pattern, kinds in zip(patterns, wanted, strict=True)
    )


def shanten(concealed: Sequence[int], melds: int = 0, profile: str | Profile = "mcr1998") -> dict[str, int]:
    """Distance to ready by form that the profile knows (FORMS, or COMPETITIVE_FORMS).

    `concealed` are faces, 13 - 3 * melds of them, or one more. Forms that the melds rule out are absent.
    """
    patterns = patterns_of(concealed)
    result = {"standard": _sets_and_pair(patterns, 4 - melds) - 1}
    if melds == 0:
        result["seven_pairs"] = _seven_pairs(concealed)
        if is_competitive(profile):
            result["unrelated"] = _unrelated(patterns)
        else:
            result["thirteen_orphans"] = _thirteen_orphans(patterns)
            result["honours_and_knitted"] = 13 - max(
                _kinds(patterns, (*_knits(starts), _EACH_HONOUR)) for starts in KNITTED
            )
    if melds <= 1:
        result["knitted_straight"] = min(_knitted_straight(patterns, starts, melds) for starts in KNITTED)
    return result


def _seven_pairs(concealed: Sequence[int]) -> int:
    counts = [concealed.count(face) for face in sorted(set(concealed))]
    pairs = sum(count // 2 for count in counts)
    odd = sum(count % 2 for count in counts)
    # Without enough odd tiles to pair up, two of the missing pair must both come.
    return 7 - pairs + max(0, 7 - pairs - odd) - 1


def _thirteen_orphans(patterns: Patterns) -> int:
    orphans: Patterns = (_TERMINALS, _TERMINALS, _TERMINALS, _EACH_HONOUR)
    doubled = any((pattern >> 1 | pattern >> 2) & kinds for pattern, kinds in zip(patterns, orphans, strict=True))
    return 14 - _kinds(patterns, orphans) - doubled - 1


# Kinds of a suit that may stand together in fourteen unrelated tiles (大亂), as patterns of ones, by their number.
_APART: Final = tuple(
    tuple(
        sum(1 << 3 * rank for rank in ranks)
        for ranks in combinations(range(9), size)
        if all(after - before >= 3 for before, after in pairwise(ranks))
    )
    for size in range(4)
)


def _unrelated(patterns: Patterns) -> int:
    held = [pattern | pattern >> 1 | pattern >> 2 for pattern in patterns]
    kept = [[max((suit & kinds).bit_count() for kinds in of_size) for of_size in _APART] for suit in held[:3]]
    honours = (held[3] & _EACH_HONOUR).bit_count()
    # Seven kinds of honours leave at least seven tiles to the suits.
    return 13 - max(
        kept[0][m] + kept[1][p] + kept[2][s] + min(honours, 14 - m - p - s)
        for m, p, s in product(range(4), repeat=3)
        if m + p + s >= 7
    )


def _knits(starts: tuple[int, int, int]) -> tuple[int, int, int]:
    return KNIT_PATTERN[starts[0]], KNIT_PATTERN[starts[1]], KNIT_PATTERN[starts[2]]


def _knitted_straight(patterns: Patterns, starts: tuple[int, int, int], melds: int) -> int:
    knits = _knits(starts)
    held = [(pattern | pattern >> 1 | pattern >> 2) & kinds for pattern, kinds in zip(patterns[:3], knits, strict=True)]
    rest = (patterns[0] - held[0], patterns[1] - held[1], patterns[2] - held[2], patterns[3])
    missing = 9 - sum(kinds.bit_count() for kinds in held)
    return missing + _sets_and_pair(rest, 1 - melds) - 1
