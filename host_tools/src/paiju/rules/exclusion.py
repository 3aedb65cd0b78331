"""Fans found in a reading -> fans that count, after the exclusions of a profile.

A set of fans is an integer. Each fan owns as many bits as it can count in a hand, the lowest for its first
time; the higher its value, the higher its bits, so that of two sets with equal points the larger integer has
the higher single fans.
"""

from collections.abc import Iterable

from paiju.rules import fans
from paiju.rules.fans import MAX_COUNT
from paiju.rules.profile import Profile

_MEMO_LIMIT = 1 << 18


class FanSet:
    """The encoding and the exclusions of one profile. Fans without a value there have no bits."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._shift: dict[int, int] = {}
        self._fan_of: list[int] = []  # by bit
        for no in reversed(profile.ranking()):
            if no != fans.FLOWER_TILES:
                self._shift[no] = len(self._fan_of)
                self._fan_of += [no] * MAX_COUNT.get(no, 1)
        self._value = [profile.fans[no].value for no in self._fan_of]
        self._removed = [0] * len(self._fan_of)
        self._fewer: dict[int, list[tuple[int, int]]] = {}  # fan -> (excluded, at most)
        self._own_sets: set[tuple[int, int]] = set()
        for e in profile.exclusions:
            if e.own_sets:
                self._own_sets.add((e.fan, e.excluded))
            elif e.at_most:
                self._fewer.setdefault(e.fan, []).append((e.excluded, e.at_most))
            else:
                for bit, no in enumerate(self._fan_of):
                    if no == e.fan:
                        self._removed[bit] |= self._all(e.excluded)
        self._chicken = self.mask(fans.CHICKEN_HAND)
        self._resolved: dict[int, tuple[int, int]] = {}

    def _all(self, fan: int) -> int:
        return self.mask(fan, MAX_COUNT.get(fan, 1))

    def mask(self, fan: int, count: int = 1) -> int:
        """The bits of a fan that stands `count` times."""
        shift = self._shift.get(fan)
        return 0 if shift is None else ((1 << count) - 1) << shift

    def of(self, found: Iterable[int]) -> int:
        """The set of fans given by number; a number given twice counts twice."""
        result = 0
        for no in found:
            shift = self._shift.get(no)
            if shift is not None:
                result |= (result >> shift << 1 | 1) << shift & self._all(no)
        return result

    def counts(self, found: int) -> dict[int, int]:
        """Number -> count of a set, the highest fans first."""
        result: dict[int, int] = {}
        while found:
            bit = found.bit_length() - 1
            found ^= 1 << bit
            no = self._fan_of[bit]
            result[no] = result.get(no, 0) + 1
        return result

    def points(self, found: int) -> int:
        points = 0
        while found:
            bit = found.bit_length() - 1
            found ^= 1 << bit
            points += self._value[bit]
        return points

    def has_own_sets(self, fan: int, excluded: int) -> bool:
        """Whether `excluded` is not counted for the sets that make `fan`."""
        return (fan, excluded) in self._own_sets

    def without_excluded(self, found: int) -> int:
        """The fans that count among those found: a fan goes when one that counts leaves it out."""
        counted = 0
        while found:
            bit = found.bit_length() - 1
            one = 1 << bit
            counted |= one
            found = (found ^ one) & ~self._removed[bit]
            no = self._fan_of[bit]
            if no in self._fewer:
                for excluded, at_most in self._fewer[no]:
                    for _ in range(at_most):
                        field = found & self._all(excluded)
                        found ^= 1 << field.bit_length() - 1 if field else 0
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
