"""Fans that several chows, or several pungs, make together: the best choice the principles allow.

A choice of combinations is allowed when
- no combination lies inside sets already joined, nor joins them again (principles 2 and 5): seen as
  edges between sets, the choice has no cycle, so n sets carry at most n - 1 edges;
- no set is used twice for the same fan (principle 3).
The choice with the most points is exact: all choices are compared.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from paiju.rules import fans


@dataclass(frozen=True, slots=True)
class Combination:
    """A fan and which sets of the given sequence make it."""

    fan: int
    sets: tuple[int, ...]


def chow_combinations(chows: Sequence[int], pair: int) -> list[Combination]:
    """All combinations among chow blocks; `pair` is the face of the pair, or -1."""
    return list(_find(chows, lambda several: _chow_fans(several, pair)))


def pung_combinations(faces: Sequence[int]) -> list[Combination]:
    """All combinations among suited pungs, given by face."""
    return list(_find(faces, _pung_fans))


def _find(sets: Sequence[int], fans_of: Callable[[list[int]], list[int]]) -> Iterator[Combination]:
    for size in (4, 3, 2):
        for chosen in combinations(range(len(sets)), size):
            for fan in fans_of(sorted(sets[i] for i in chosen)):
                yield Combination(fan, chosen)


def _chow_fans(chows: list[int], pair: int) -> list[int]:
    suits = [chow // 7 for chow in chows]
    lows = [chow % 7 for chow in chows]
    suit_count = len(set(suits))
    steps = {b - a for a, b in pairwise(lows)}
    if len(chows) == 2:
        gap = abs(lows[0] - lows[1])
        if suit_count == 2:
            return [fans.MIXED_DOUBLE_CHOW] if gap == 0 else []
        names = {0: fans.PURE_DOUBLE_CHOW, 3: fans.SHORT_STRAIGHT, 6: fans.TWO_TERMINAL_CHOWS}
        return [names[gap]] if gap in names else []
    if len(chows) == 3:
        if suit_count == 1:
            if steps == {0}:
                return [fans.PURE_TRIPLE_CHOW]
            if steps == {3}:
                return [fans.PURE_STRAIGHT]
            return [fans.PURE_SHIFTED_CHOWS] if steps in ({1}, {2}) else []
        if suit_count == 3:
            ranks = sorted(lows)
            if ranks[0] == ranks[2]:
                return [fans.MIXED_TRIPLE_CHOW]
            if ranks == [0, 3, 6]:
                return [fans.MIXED_STRAIGHT]
            if ranks[1] - ranks[0] == 1 == ranks[2] - ranks[1]:
                return [fans.MIXED_SHIFTED_CHOWS]
        return []
    if suit_count == 1:
        if steps == {0}:
            return [fans.QUADRUPLE_CHOW]
        if steps in ({1}, {2}):
            return [fans.FOUR_PURE_SHIFTED_CHOWS]
    if 0 <= pair < 27 and pair % 9 == 4:
        if suit_count == 1 and lows == [0, 0, 6, 6] and pair // 9 == suits[0]:
            return [fans.PURE_TERMINAL_CHOWS]
        if suit_count == 2 and lows == [0, 6, 0, 6] and pair // 9 not in suits:
            return [fans.THREE_SUITED_TERMINAL_CHOWS]
    return []


def _pung_fans(faces: list[int]) -> list[int]:
    suits = {face // 9 for face in faces}
    ranks = sorted(face % 9 for face in faces)
    rising = all(b - a == 1 for a, b in pairwise(ranks))
    same = ranks[0] == ranks[-1]
    if len(faces) == 2:
        return [fans.DOUBLE_PUNG] if same else []
    if len(faces) == 3:
        if len(suits) == 1:
            return [fans.PURE_SHIFTED_PUNGS] if rising else []
        if len(suits) == 3:
            if same:
                return [fans.TRIPLE_PUNG]
            return [fans.MIXED_SHIFTED_PUNGS] if rising else []
        return []
    return [fans.FOUR_PURE_SHIFTED_PUNGS] if len(suits) == 1 and rising else []


def best_choice(
    found: Sequence[Combination], points: Callable[[tuple[Combination, ...]], tuple[int, int]]
) -> tuple[Combination, ...]:
    """The allowed choice that `points` ranks highest. `points` gives (points, tie-break)."""
    best: tuple[Combination, ...] = ()
    best_rank = points(best)
    for choice in _allowed(found, 0, (), (0, 1, 2, 3)):
        rank = points(choice)
        if rank > best_rank:
            best, best_rank = choice, rank
    return best


def _allowed(
    found: Sequence[Combination], start: int, chosen: tuple[Combination, ...], group: tuple[int, ...]
) -> Iterator[tuple[Combination, ...]]:
    """Every allowed non-empty choice; `group[i]` names the joined sets that set i belongs to."""
    for index in range(start, len(found)):
        combination = found[index]
        if why_not(combination, chosen, group) is not None:
            continue
        joined = {group[i] for i in combination.sets}
        merged = tuple(min(joined) if g in joined else g for g in group)
        choice = (*chosen, combination)
        yield choice
        yield from _allowed(found, index + 1, choice, merged)


def why_not(combination: Combination, chosen: Sequence[Combination], group: Sequence[int]) -> str | None:
    """The principle that keeps a combination from joining `chosen`, or None."""
    used = set(combination.sets)
    if any(used <= set(other.sets) and other.fan != combination.fan for other in chosen):
        return "not_split"
    if any(other.fan == combination.fan and used & set(other.sets) for other in chosen):
        return "not_identical"
    if len({group[i] for i in combination.sets}) < len(combination.sets):
        return "account_once"
    return None


def groups_of(chosen: Sequence[Combination]) -> tuple[int, ...]:
    """Which sets a choice has joined, for `why_not`."""
    group = (0, 1, 2, 3)
    for combination in chosen:
        joined = {group[i] for i in combination.sets}
        group = tuple(min(joined) if g in joined else g for g in group)  # type: ignore[assignment]
    return group
