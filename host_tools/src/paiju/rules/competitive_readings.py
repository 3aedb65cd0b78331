"""Every way to read 14 tiles under the second rule text, and the tiles that complete 13.

The shapes (第八條): four sets and a pair, seven pairs, fourteen unrelated tiles (大亂), and the
knitted straight with a set and a pair (its fan 組合龍 would otherwise be empty).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import permutations

from paiju.hand import Hand, Meld, MeldKind
from paiju.rules.completion import knitted_straight_waits, seven_pairs_waits, standard_waits
from paiju.rules.engine import patterns_of
from paiju.tiles import PLAYING_FACE_COUNT

_PLAYING_FACES = range(PLAYING_FACE_COUNT)


class Shape(Enum):
    STANDARD = "standard"
    SEVEN_PAIRS = "seven pairs"
    UNRELATED = "fourteen unrelated tiles"
    KNITTED = "knitted straight"


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a hand. Sets are named by their first face; a kong is a pung.

    In a knitted reading `knitted` holds its nine faces and the rest is in the sets and pair.
    `own_chows`, `own_pungs` are those not claimed, where the winning tile may lie.
    """

    shape: Shape
    chows: tuple[int, ...] = ()
    pungs: tuple[int, ...] = ()
    pair: int | None = None
    knitted: tuple[int, ...] = ()
    own_chows: tuple[int, ...] = ()
    own_pungs: tuple[int, ...] = ()


KNITTED_STRAIGHTS: tuple[tuple[int, ...], ...] = tuple(
    tuple(sorted(suit * 9 + start + step for suit, start in enumerate(starts) for step in (0, 3, 6)))
    for starts in permutations(range(3))
)


def readings(hand: Hand) -> tuple[Reading, ...]:
    """All readings of a complete hand; empty if it does not win."""
    return tuple(dict.fromkeys(_readings((*hand.concealed, hand.win_tile), hand.melds)))


def waits(melds: Sequence[Meld], concealed: Iterable[int]) -> tuple[int, ...]:
    """Faces that complete the tiles in any shape, whether or not the hand would have a fan.

    A face whose four tiles the player already holds still counts as a wait.
    """
    held = tuple(concealed)
    patterns = patterns_of(held)
    faces = standard_waits(patterns)
    if len(melds) <= 1:
        faces |= knitted_straight_waits(patterns)
    if not melds:
        faces |= seven_pairs_waits(patterns)
        if len(set(held)) == len(held):
            counts = Counter(held)
            faces |= sum(1 << face for face in _PLAYING_FACES if _unrelated(counts + Counter((face,))))
    return tuple(face for face in _PLAYING_FACES if faces >> face & 1)


def _readings(tiles: tuple[int, ...], melds: Sequence[Meld]) -> Iterator[Reading]:
    counts = Counter(tiles)
    chows = tuple(meld.tiles[0] for meld in melds if meld.kind is MeldKind.CHOW)
    pungs = tuple(meld.tiles[0] for meld in melds if meld.kind is not MeldKind.CHOW)
    if not melds:
        if all(count % 2 == 0 for count in counts.values()):
            yield Reading(Shape.SEVEN_PAIRS)
        if _unrelated(counts):
            yield Reading(Shape.UNRELATED)
    if len(melds) <= 1:
        for knitted in KNITTED_STRAIGHTS:
            if all(counts[face] for face in knitted):
                rest = counts - Counter(knitted)
                yield from _with_pair(rest, chows, pungs, knitted)
    yield from _with_pair(counts, chows, pungs, ())


def _unrelated(counts: Mapping[int, int]) -> bool:
    """Fourteen single tiles; those of one suit neither neighbours nor with one tile between."""
    return all(
        count == 1 and (face >= 27 or not any(_has(counts, face, step) for step in (1, 2)))
        for face, count in counts.items()
    )


def _has(counts: Mapping[int, int], face: int, step: int) -> bool:
    return face % 9 + step <= 8 and counts.get(face + step, 0) > 0


def _with_pair(
    counts: Counter[int], chows: tuple[int, ...], pungs: tuple[int, ...], knitted: tuple[int, ...]
) -> Iterator[Reading]:
    shape = Shape.KNITTED if knitted else Shape.STANDARD
    for pair in sorted(counts):
        if counts[pair] >= 2:
            rest = [counts[face] for face in _PLAYING_FACES]
            rest[pair] -= 2
            for own_chows, own_pungs in _sets(rest, 0):
                yield Reading(
                    shape,
                    tuple(sorted((*chows, *own_chows))),
                    tuple(sorted((*pungs, *own_pungs))),
                    pair,
                    knitted,
                    own_chows,
                    own_pungs,
                )


def _sets(rest: list[int], face: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All splits of the counts into chows and pungs, from `face` on."""
    while face < PLAYING_FACE_COUNT and rest[face] == 0:
        face += 1
    if face == PLAYING_FACE_COUNT:
        yield (), ()
        return
    if rest[face] >= 3:
        rest[face] -= 3
        for chows, pungs in _sets(rest, face):
            yield chows, (face, *pungs)
        rest[face] += 3
    if face < 27 and face % 9 <= 6 and rest[face + 1] and rest[face + 2]:
        for step in range(3):
            rest[face + step] -= 1
        for chows, pungs in _sets(rest, face):
            yield (face, *chows), pungs
        for step in range(3):
            rest[face + step] += 1
