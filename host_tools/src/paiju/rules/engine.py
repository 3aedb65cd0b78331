"""The scorer: every reading of a hand, the fans found in it, and the best that may count.

Nothing here knows values, exclusions or a profile's name: `FanSet` and the switches carry them.
"""

from collections.abc import Sequence
from typing import Final

from paiju.hand import UNIT, Hand, HandError, MeldKind, pack
from paiju.i18n import _
from paiju.rules import fans
from paiju.rules.blocks import EVERY, EVERY_FANS, KNIT, KNITTED, PAIR, PUNG, tiles_of_block
from paiju.rules.combinations import Combination, best_choice, chow_combinations, pung_combinations
from paiju.rules.completion import (
    knitted_straight_waits,
    orphans_waits,
    seven_pairs_waits,
    standard_waits,
    unrelated_waits,
)
from paiju.rules.exclusion import FanSet
from paiju.rules.profile import Profile
from paiju.rules.readings import (
    ABSENT,
    ALL,
    CHOW_KEY,
    CLOSED,
    EDGE,
    HONOURS,
    IN_PUNG,
    KNIT_PATTERN,
    OPEN,
    SINGLE,
    Part,
    has_each,
    parts_of,
)

Patterns = tuple[int, int, int, int]

SUIT: Final = (1 << 27) - 1
ONES: Final = 0o111111111
TWO_OR_MORE: Final = 0o666666666
FOURS: Final = 0o444444444444444444
_NINE: Final = 0o311111113
_SHIFTED: Final = (0o2222222, 0o22222220, 0o222222200)
_EACH_HONOUR: Final = 0o1111111
# Bases of the chows' key: 5 a chow, so 5**7 a suit, and the pair of fives above 5**21.
_SUIT_KEY: Final = 78125
_FIVES_KEY: Final = 476837158203125
_MIDDLES: Final = 0o077777770
# A pair of fives turns some chows into a terminal-chows hand: it is part of the chows' key.
_FIVE_KEY: Final = tuple(_FIVES_KEY * (face // 9 + 1) if face in (4, 13, 22) else 0 for face in range(34))
_FANS_OF_SETS: Final = {
    fans.ALL_GREEN,
    fans.ALL_TERMINALS,
    fans.ALL_HONOURS,
    fans.ALL_TERMINALS_AND_HONOURS,
    fans.UPPER_TILES,
    fans.MIDDLE_TILES,
    fans.LOWER_TILES,
    fans.UPPER_FOUR,
    fans.LOWER_FOUR,
}

STANDARD: Final = "standard"
SEVEN_PAIRS: Final = "seven_pairs"
THIRTEEN_ORPHANS: Final = "thirteen_orphans"
UNRELATED: Final = "honours_and_knitted"
KNITTED_STRAIGHT: Final = "knitted_straight"


class MeldPart:
    """What a meld adds to every reading. `tally` packs melded kongs, concealed kongs, open melds (3 bits each)."""

    __slots__ = ("block", "chows", "every", "high", "low", "pungs", "suits", "tally")

    def __init__(self, kind: MeldKind, face: int) -> None:
        chow = kind is MeldKind.CHOW
        self.block = face // 9 * 7 + face % 9 if chow else PUNG + face
        self.every = EVERY[self.block]
        self.chows = CHOW_KEY[self.block] if chow else 0
        self.pungs = 0 if chow else 1 << face
        self.suits = 1 << face // 9 if face < 31 else 16
        self.tally = 64
        if kind is MeldKind.CONCEALED_KONG:
            self.tally = 8
        elif kind.is_kong:
            self.tally = 65
        tiles = (face, face + 1, face + 2) if chow else (face,) * 3
        # A kong's four tiles never make a tile hog and never lie beside a fifth.
        counted = () if kind.is_kong else tiles
        self.low = sum(UNIT[t] for t in counted if t < 18)
        self.high = sum(UNIT[t] for t in counted if t >= 18)


MELDS: Final[dict[int, MeldPart]] = {
    kind.index * 34 + face: MeldPart(kind, face)
    for kind in MeldKind
    for face in range(34)
    if kind is not MeldKind.CHOW or (face < 27 and face % 9 < 7)
}


class Facts:
    """What is true of a hand before it is read.

    `before`, `after`: patterns (m, p, s, honours) of the concealed tiles without and with the winning
    tile; `every`, `chows`, `pungs`: the melds summed up as in a Part; `kongs`: concealed ones;
    `situation`: as in the hand; `winds`: as part of the honours' key; `shared`: fans that hold in any reading.
    """

    __slots__ = (
        "after",
        "before",
        "chows",
        "every",
        "kongs",
        "melds",
        "pungs",
        "self_drawn",
        "shared",
        "situation",
        "win",
        "winds",
    )

    def __init__(self, hand: Hand, before: Patterns, after: Patterns) -> None:
        self.win = hand.win_tile
        self.situation = hand.situation
        self.self_drawn = hand.situation & 1 == 1
        self.winds = hand.situation >> 5 << 10
        self.melds = len(hand.melds)
        self.before = before
        self.after = after
        self.every = ALL
        self.chows = 0
        self.pungs = 0
        self.kongs = 0
        self.shared = 0


class Reading:
    """A reading and what it scores.

    `form`: STANDARD, ...; `parts`: its concealed parts (m, p, s, honours); `knitted`: block of the
    knitted straight or -1; `place`: where the winning tile sits (codes of `readings`); `found` and
    `counted`: sets of the scorer's FanSet before and after exclusions; `points` of `counted`.
    """

    __slots__ = ("counted", "form", "found", "knitted", "parts", "place", "points")

    def __init__(
        self, form: str, parts: tuple[Part, ...], knitted: int, place: int, found: int, points: int, counted: int
    ) -> None:
        self.form = form
        self.parts = parts
        self.knitted = knitted
        self.place = place
        self.found = found
        self.points = points
        self.counted = counted

    def beats(self, other: "Reading | None") -> bool:
        """Principle 4; equal points go to the higher single fans."""
        if other is None or self.points != other.points:
            return other is None or self.points > other.points
        return self.counted > other.counted


class Scorer:
    """Scores hands under one profile. Its tables fill as hands come and hold no hand."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.minimum = profile.minimum
        self.flower_value = profile.fans[fans.FLOWER_TILES].value
        self.fan_set = fan_set = FanSet(profile)
        self._suits = [fan_set.of(_suit_fans(present)) for present in range(32)]
        self._kongs = [fan_set.of(_kong_fans(tally & 7, tally >> 3)) for tally in range(64)]
        self._ways = [fan_set.of(_way_fans(way)) for way in range(128)]
        self._hogs = [fan_set.mask(fans.TILE_HOG, count) for count in range(4)]
        self._terminal_pungs = [fan_set.mask(fans.TERMINAL_OR_HONOUR_PUNG, count) for count in range(5)]
        by_count = {2: fans.TWO_CONCEALED_PUNGS, 3: fans.THREE_CONCEALED_PUNGS, 4: fans.FOUR_CONCEALED_PUNGS}
        self._concealed_pungs = [fan_set.mask(by_count[n]) if n in by_count else 0 for n in range(5)]
        by_place = {EDGE: fans.EDGE_WAIT, CLOSED: fans.CLOSED_WAIT, SINGLE: fans.SINGLE_WAIT}
        self._waits = [fan_set.mask(by_place[n]) if n in by_place else 0 for n in range(ABSENT + 1)]
        self._nine_gates = fan_set.mask(fans.NINE_GATES)
        self._shared: dict[int, int] = {}
        self._every: dict[int, int] = {}
        self._chows: dict[int, int] = {}
        self._pungs: dict[int, tuple[int, int]] = {}
        self._honours: dict[int, tuple[int, int]] = {}
        pair_fans = {fans.REVERSIBLE_TILES, fans.ALL_SIMPLES, fans.NO_HONOURS}
        if profile.switches["seven_pairs_take_set_fans"]:
            pair_fans |= _FANS_OF_SETS
        self._pairs_allow = _every_bits(pair_fans)
        straight_fans = {fans.NO_HONOURS}
        if profile.switches["knitted_straight_is_chows"]:
            straight_fans.add(fans.ALL_CHOWS)
        self._straight_allows = _every_bits(straight_fans)

    def read(self, hand: Hand) -> Reading:
        """The best reading of a hand. Raises HandError `not_winning`."""
        facts = self._facts(hand)
        best = self._sets_and_pair(facts)
        if facts.melds <= 1:
            best = self._knitted_straight(facts, best)
            if not facts.melds:
                best = self._special(facts, best)
        if best is None:
            message = _("These tiles do not win: no reading into sets and a pair or a special form.")
            raise HandError("not_winning", message)
        return best

    def _facts(self, hand: Hand) -> Facts:
        win = hand.win_tile
        low, high = hand.counts
        before = (low & SUIT, low >> 27, high & SUIT, high >> 27)
        if win < 18:
            low += UNIT[win]
        else:
            high += UNIT[win]
        after = (low & SUIT, low >> 27, high & SUIT, high >> 27)
        m, p, s, h = after
        facts = Facts(hand, before, after)

        every, chows, pungs, suits, tally = ALL, 0, 0, 0, 0
        for meld in hand.melds:
            part = MELDS[meld.code]
            every &= part.every
            chows += part.chows
            pungs |= part.pungs
            suits |= part.suits
            tally += part.tally
            low += part.low
            high += part.high
        facts.every, facts.chows, facts.pungs = every, chows, pungs
        facts.kongs = tally >> 3 & 7

        if m:
            suits |= 1
        if p:
            suits |= 2
        if s:
            suits |= 4
        if h:
            suits |= (8 if h & 0o7777 else 0) | (16 if h >> 12 else 0)
        total = (low if win < 18 else high) // UNIT[win] & 7
        # Three of the kind face up in the own melds are as open as three in the pond.
        way = facts.situation & 31
        if total == 4 and win not in hand.concealed:
            way |= 16
        way |= 32 if tally < 64 else 64 if tally >= 256 else 0
        hogs = (low & FOURS).bit_count() + (high & FOURS).bit_count()
        key = suits | (tally & 63) << 5 | way << 11 | hogs << 18
        shared = self._shared.get(key, -1)
        if shared < 0:
            shared = self._suits[suits] | self._kongs[tally & 63] | self._ways[way] | self._hogs[hogs]
            self._shared[key] = shared
        if not facts.melds and _NINE in before and (m == 0) + (p == 0) + (s == 0) + (h == 0) == 3:
            shared |= self._nine_gates
        facts.shared = shared
        return facts

    def _sets_and_pair(self, facts: Facts) -> Reading | None:
        m, p, s, h = facts.after
        best: Reading | None = None
        for a in parts_of(0, m):
            for b in parts_of(1, p):
                for c in parts_of(2, s):
                    for d in parts_of(HONOURS, h):
                        if a.pairs + b.pairs + c.pairs + d.pairs == 1:
                            reading = self._judge(facts, (a, b, c, d), facts.every, -1, STANDARD)
                            if reading.beats(best):
                                best = reading
        return best

    def _knitted_straight(self, facts: Facts, best: Reading | None) -> Reading | None:
        m, p, s, h = facts.after
        if not (_knits(m) and _knits(p) and _knits(s)):
            return best
        every = facts.every & self._straight_allows
        for index, starts in enumerate(KNITTED):
            i, j, k = starts
            if not (has_each(m, KNIT_PATTERN[i]) and has_each(p, KNIT_PATTERN[j]) and has_each(s, KNIT_PATTERN[k])):
                continue
            for a in parts_of(0, m - KNIT_PATTERN[i]):
                for b in parts_of(1, p - KNIT_PATTERN[j]):
                    for c in parts_of(2, s - KNIT_PATTERN[k]):
                        for d in parts_of(HONOURS, h):
                            if a.pairs + b.pairs + c.pairs + d.pairs == 1:
                                reading = self._judge(facts, (a, b, c, d), every, KNIT + index, KNITTED_STRAIGHT)
                                if reading.beats(best):
                                    best = reading
        return best

    def _judge(
        self, facts: Facts, parts: tuple[Part, Part, Part, Part], every: int, knitted: int, form: str
    ) -> Reading:
        """Score one reading into sets and a pair, with or without a knitted straight."""
        a, b, c, d = parts
        win = facts.win
        place = parts[win // 9].place[win % 9]
        if knitted >= 0 and place == IN_PUNG and win in tiles_of_block(knitted):
            place = OPEN
        pair = max(a.pair, b.pair, c.pair, d.pair)
        triplets = facts.kongs + a.triplets + b.triplets + c.triplets + d.triplets
        if place == IN_PUNG and not facts.self_drawn:
            triplets -= 1
        found = facts.shared | self._every_fans(every & a.every & b.every & c.every & d.every)
        chows = facts.chows + a.chows + b.chows + c.chows
        if chows:
            found |= self._chow_fans(chows + _FIVE_KEY[pair])
        if triplets >= 2:
            found |= self._concealed_pungs[triplets]
        pungs = facts.pungs | a.pungs | b.pungs | c.pungs | d.pungs
        if pungs:
            suited, terminals = self._suited_pung_fans(pungs & SUIT)
            found |= suited
            if pungs > SUIT:
                key = pungs >> 27 | (pair - 26 << 7 if pair > 26 else 0) | facts.winds
                honours, counted = self._honour_fans(key)
                found |= honours
                terminals += counted
            found |= self._terminal_pungs[terminals]
        if knitted >= 0:
            found |= self.fan_set.mask(fans.KNITTED_STRAIGHT)
        if place <= SINGLE and self._is_single_wait(facts, knitted):
            found |= self._waits[place]
        points, counted = self.fan_set.resolve(found)
        return Reading(form, parts, knitted, place, found, points, counted)

    def _is_single_wait(self, facts: Facts, knitted: int) -> bool:
        """Whether the winning tile is the only kind that completes the hand.

        A knitted straight and plain sets never wait together: eight knitted kinds leave too few tiles.
        """
        only = 1 << facts.win
        if knitted >= 0:
            return knitted_straight_waits(facts.before) == only
        if standard_waits(facts.before) != only:
            return False
        return facts.melds > 0 or seven_pairs_waits(facts.before) | only == only

    def _special(self, facts: Facts, best: Reading | None) -> Reading | None:
        """Seven pairs, thirteen orphans, honours and knitted tiles."""
        m, p, s, h = facts.after
        found, form = 0, ""
        any_tile = m | p | s | h
        if not any_tile & ONES:
            form = SEVEN_PAIRS
            found = self.fan_set.mask(fans.SEVEN_PAIRS) | self._waits[SINGLE]
            found |= self._every_fans(_pairs_every(facts.after) & self._pairs_allow)
            if max(m, p, s) in _SHIFTED and not any_tile ^ max(m, p, s):
                found |= self.fan_set.mask(fans.SEVEN_SHIFTED_PAIRS)
        elif not any_tile & TWO_OR_MORE:
            if unrelated_waits(facts.before) >> facts.win & 1:
                form = UNRELATED
                all_honours = h == _EACH_HONOUR
                found = self.fan_set.mask(
                    fans.GREATER_HONOURS_AND_KNITTED if all_honours else fans.LESSER_HONOURS_AND_KNITTED
                )
                if all_honours:
                    found |= self.fan_set.mask(fans.LESSER_HONOURS_AND_KNITTED)
                if any_knitted_straight((m, p, s)):
                    found |= self.fan_set.mask(fans.KNITTED_STRAIGHT)
        elif not (m | p | s) & _MIDDLES and h and orphans_waits(facts.before) >> facts.win & 1:
            form = THIRTEEN_ORPHANS
            found = self.fan_set.mask(fans.THIRTEEN_ORPHANS)
            if orphans_waits(facts.before) == 1 << facts.win:
                found |= self._waits[SINGLE]
        if not form:
            return best
        found |= facts.shared
        points, counted = self.fan_set.resolve(found)
        reading = Reading(form, (), -1, ABSENT, found, points, counted)
        return reading if reading.beats(best) else best

    def _every_fans(self, every: int) -> int:
        found = self._every.get(every)
        if found is None:
            found = self.fan_set.of(fan for i, fan in enumerate(EVERY_FANS) if every >> i & 1)
            self._every[every] = found
        return found

    def _chow_fans(self, key: int) -> int:
        found = self._chows.get(key)
        if found is None:
            alike = _alike_chows(key)
            if alike != key:
                found = self._chow_fans(alike)
            else:
                chows, pair = chows_of_key(key)
                found = self.fan_set.of([c.fan for c in self.choose(chow_combinations(chows, pair))])
            self._chows[key] = found
        return found

    def _suited_pung_fans(self, pungs: int) -> tuple[int, int]:
        """(fans of suited pungs together, number of terminal pungs)."""
        known = self._pungs.get(pungs)
        if known is None:
            alike = _alike_pungs(pungs)
            if alike != pungs:
                known = self._suited_pung_fans(alike)
            else:
                faces = faces_of_mask(pungs)
                chosen = self.choose(pung_combinations(faces))
                terminals = sum(face % 9 in (0, 8) for face in faces)
                known = (self.fan_set.of([c.fan for c in chosen]), terminals)
            self._pungs[pungs] = known
        return known

    def _honour_fans(self, key: int) -> tuple[int, int]:
        """(fans of wind and dragon pungs, number of honour pungs that still count as 幺九刻).

        `key`: a bit per pung E S W N C F P, then the pair 1..7 or 0 (three bits), prevalent and seat wind.
        """
        known = self._honours.get(key)
        if known is None:
            own_sets = honour_fans(key & 127, (key >> 7 & 7) - 1, key >> 10 & 3, key >> 12)
            found = self.fan_set.of([fan for fan, _ in own_sets])
            known = (found, (key & 127 & ~self.taken_sets(own_sets, found)).bit_count())
            self._honours[key] = known
        return known

    def if_switched_on(self, hand: Hand, reading: Reading) -> int:
        """The fans that a reading would take from the pattern of its blocks if every switch allowed them."""
        facts = self._facts(hand)
        if reading.form == SEVEN_PAIRS:
            return self._every_fans(_pairs_every(facts.after) & _every_bits(_FANS_OF_SETS))
        every = facts.every & _every_bits({fans.ALL_CHOWS})
        for part in reading.parts:
            every &= part.every
        return self._every_fans(every)

    def taken_sets(self, own_sets: list[tuple[int, int]], found: int) -> int:
        """Honour pungs (bit each) that are not 幺九刻 too, because a fan that counts is made of them."""
        counted = self.fan_set.counts(self.fan_set.without_excluded(found))
        taken = 0
        for fan, pungs in own_sets:
            if fan in counted and self.fan_set.has_own_sets(fan, fans.TERMINAL_OR_HONOUR_PUNG):
                taken |= pungs
        return taken

    def choose(self, found: list[Combination]) -> tuple[Combination, ...]:
        """The best allowed choice among combinations of chows or of pungs."""

        def rank(choice: tuple[Combination, ...]) -> tuple[int, int]:
            chosen = self.fan_set.of([c.fan for c in choice])
            return self.fan_set.points(chosen), chosen

        return best_choice(found, rank) if found else ()


def patterns_of(faces: Sequence[int]) -> Patterns:
    """Counts of faces as four patterns: m, p, s, honours."""
    low, high = pack(faces)
    return low & SUIT, low >> 27, high & SUIT, high >> 27


def chows_of_key(key: int) -> tuple[list[int], int]:
    """Chow blocks of a sum of CHOW_KEY, and the face of the pair of fives or -1."""
    key, fives = key % _FIVES_KEY, key // _FIVES_KEY
    chows = [chow for chow in range(PUNG) for _time in range(key // CHOW_KEY[chow] % 5)]
    return chows, fives * 9 - 5 if fives else -1


def _alike_chows(key: int) -> int:
    """The key of chows that make the same fans: suits in a fixed order, no pair of fives that does nothing."""
    m, p, s = key % _SUIT_KEY, key // _SUIT_KEY % _SUIT_KEY, key // (_SUIT_KEY * _SUIT_KEY) % _SUIT_KEY
    if key >= _FIVES_KEY:
        ends = _ends(m) + _ends(p) + _ends(s)
        return key if ends == 4 else key % _FIVES_KEY
    if m > p:
        m, p = p, m
    if p > s:
        p, s = s, p
    if m > p:
        m, p = p, m
    return m + p * _SUIT_KEY + s * (_SUIT_KEY * _SUIT_KEY)


def _alike_pungs(pungs: int) -> int:
    """The bits of suited pungs with the suits in a fixed order."""
    m, p, s = sorted((pungs & 511, pungs >> 9 & 511, pungs >> 18))
    return m | p << 9 | s << 18


def _ends(suit_key: int) -> int:
    """How many chows 123 and 789 of one suit; -9 if there are others."""
    first, last = suit_key % 5, suit_key // 15625
    return first + last if first + last * 15625 == suit_key else -9


def faces_of_mask(faces: int) -> list[int]:
    return [face for face in range(34) if faces >> face & 1]


def honour_fans(pungs: int, pair: int, prevalent: int, seat: int) -> list[tuple[int, int]]:
    """(fan, its pungs) of the honours: `pungs` has a bit per honour E S W N C F P, `pair` is 0..6 or -1."""
    winds, dragons = pungs & 15, pungs >> 4
    found: list[tuple[int, int]] = []
    if winds == 15:
        found.append((fans.BIG_FOUR_WINDS, winds))
    if winds.bit_count() == 3 and 0 <= pair < 4:
        found.append((fans.LITTLE_FOUR_WINDS, winds))
    if winds.bit_count() >= 3:
        found.append((fans.BIG_THREE_WINDS, winds))
    if dragons == 7:
        found.append((fans.BIG_THREE_DRAGONS, dragons << 4))
    if dragons.bit_count() == 2 and pair >= 4:
        found.append((fans.LITTLE_THREE_DRAGONS, dragons << 4))
    if dragons.bit_count() >= 2:
        found.append((fans.TWO_DRAGON_PUNGS, dragons << 4))
    found.extend((fans.DRAGON_PUNG, 1 << i) for i in range(4, 7) if pungs >> i & 1)
    if winds >> prevalent & 1:
        found.append((fans.PREVALENT_WIND, 1 << prevalent))
    if winds >> seat & 1:
        found.append((fans.SEAT_WIND, 1 << seat))
    return found


def any_knitted_straight(suits: tuple[int, int, int]) -> bool:
    return any(
        all(has_each(suits[suit], KNIT_PATTERN[start]) for suit, start in enumerate(starts)) for starts in KNITTED
    )


def _knits(pattern: int) -> bool:
    """Whether a suit holds one of 147, 258, 369."""
    held = pattern | pattern >> 1 | pattern >> 2
    return bool(held & held >> 9 & held >> 18 & 0o111)


def _pairs_every(patterns: Patterns) -> int:
    every = ALL
    for suit, pattern in enumerate(patterns):
        for rank in range(9):
            if pattern >> 3 * rank & 7:
                every &= EVERY[PAIR + suit * 9 + rank]
    return every


def _every_bits(allowed: set[int]) -> int:
    return sum(1 << i for i, fan in enumerate(EVERY_FANS) if fan in allowed)


def _suit_fans(present: int) -> list[int]:
    """Fans of which suits a hand holds: bits m, p, s, winds, dragons."""
    suits = (present & 7).bit_count()
    honours = present >> 3
    if suits == 3:
        return [fans.ALL_TYPES] if honours == 3 else []
    found = [fans.ONE_VOIDED_SUIT] if suits else []
    if suits == 1:
        found.append(fans.HALF_FLUSH if honours else fans.FULL_FLUSH)
    return found


def _kong_fans(melded: int, concealed: int) -> list[int]:
    found = []
    if melded + concealed >= 3:
        found.append(fans.FOUR_KONGS if melded + concealed >= 4 else fans.THREE_KONGS)
    if melded and concealed:
        found.append(fans.MIXED_KONGS)
    if melded:
        found.append(fans.MELDED_KONG)
    if melded >= 2:
        found.append(fans.TWO_MELDED_KONGS)
    if concealed:
        found.append(fans.CONCEALED_KONG)
    if concealed >= 2:
        found.append(fans.TWO_CONCEALED_KONGS)
    return found


def _way_fans(way: int) -> list[int]:
    """Fans of how the hand was won: bits self-drawn, last wall tile, kong replacement, robbed kong,
    last of its kind, nothing melded, everything melded.
    """
    drawn, last, replacement, robbed, last_of_kind, closed, melded = (bool(way >> bit & 1) for bit in range(7))
    found = []
    if last:
        found.append(fans.LAST_TILE_DRAW if drawn else fans.LAST_TILE_CLAIM)
    if replacement:
        found.append(fans.OUT_WITH_REPLACEMENT_TILE)
    if robbed:
        found.append(fans.ROBBING_THE_KONG)
    if last_of_kind:
        found.append(fans.LAST_TILE)
    if drawn:
        found.append(fans.SELF_DRAWN)
    if closed:
        found.append(fans.FULLY_CONCEALED_HAND if drawn else fans.CONCEALED_HAND)
    if melded and not drawn:
        found.append(fans.MELDED_HAND)
    return found
