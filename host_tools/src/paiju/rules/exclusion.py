"""Fans found in a reading -> fans that count, after the exclusions of a profile.

A set of fans is an integer. Each fan owns as many bits as it can count in a hand; the higher its value,
the higher its bits, so that of two sets with equal points the larger integer has the higher single fans.
"""

from collections.abc import Iterable, Mapping

from paiju.rules import fans
from paiju.rules.fans import MAX_COUNT
from paiju.rules.profile import Profile

_MEMO_LIMIT = 1 << 18


class FanSet:
    """The encoding and the exclusions of one profile. Fans without a value there have no bits."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._shift: dict[int, int] = {}
        bit = 0
        for no in reversed(profile.ranking()):
            if no != fans.FLOWER_TILES:
                self._shift[no] = bit
                bit += MAX_COUNT.get(no, 1)
        self.value_of = {no: fan.value for no, fan in profile.fans.items()}
        self._removes: dict[int, list[tuple[int, int]]] = {}
        for e in profile.exclusions:
            if not e.own_sets:
                self._removes.setdefault(e.fan, []).append((e.excluded, e.at_most))
        self._own_sets: dict[int, set[int]] = {}
        for e in profile.exclusions:
            if e.own_sets:
                self._own_sets.setdefault(e.excluded, set()).add(e.fan)
        self._chicken = self.mask(fans.CHICKEN_HAND)
        self._resolved: dict[int, tuple[int, int]] = {}

    def mask(self, fan: int, count: int = 1) -> int:
        """The bits of a fan that stands `count` times."""
        shift = self._shift.get(fan)
        return 0 if shift is None else ((1 << count) - 1) << shift

    def of(self, counts: Mapping[int, int] | Iterable[int]) -> int:
        """The set of fans given as numbers, or as number -> count."""
        pairs = counts.items() if isinstance(counts, Mapping) else ((fan, 1) for fan in counts)
        result = 0
        for fan, count in pairs:
            result |= self.mask(fan, count)
        return result

    def counts(self, found: int) -> dict[int, int]:
        """Number -> count of a set, the highest fans first."""
        result = {}
        for no in self.profile.ranking():
            shift = self._shift.get(no)
            if shift is not None:
                bits = found >> shift & ((1 << MAX_COUNT.get(no, 1)) - 1)
                if bits:
                    result[no] = bits.bit_count()
        return result

    def points(self, found: int) -> int:
        return sum(self.value_of[no] * count for no, count in self.counts(found).items())

    def leaves_out_sets(self, excluded: int) -> set[int]:
        """Fans beside which `excluded` is not counted for their own sets."""
        return self._own_sets.get(excluded, set())

    def without_excluded(self, found: int) -> int:
        """The fans that count among those found: a fan goes when one that counts leaves it out."""
        left = self.counts(found)
        counted = 0
        for no in list(left):
            count = left[no]
            if count <= 0:
                continue
            counted |= self.mask(no, count)
            for excluded, at_most in self._removes.get(no, ()):
                if excluded in left:
                    left[excluded] = left[excluded] - at_most if at_most else 0
        return counted

    def resolve(self, found: int) -> tuple[int, int]:
        """(points, fans that count); 無番和 where nothing else does."""
        known = self._resolved.get(found)
        if known is None:
            counted = self.without_excluded(found) or self._chicken
            known = (self.points(counted), counted)
            if len(self._resolved) >= _MEMO_LIMIT:
                self._resolved.clear()
            self._resolved[found] = known
        return known
