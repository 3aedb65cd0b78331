"""Why a hand scores what it does: the tiles of each fan that counts, the rule behind each that does not."""

from collections.abc import Iterable, Sequence

from paiju.hand import Hand, MeldKind
from paiju.rules import fans
from paiju.rules.blocks import KNIT, PAIR, PUNG, is_chow, is_pair, is_pung, tiles_of_block
from paiju.rules.combinations import (
    Combination,
    chow_combinations,
    groups_of,
    pung_combinations,
    why_not,
)
from paiju.rules.completion import waits_of
from paiju.rules.engine import KNITTED_STRAIGHT, MELDS, SEVEN_PAIRS, Reading, Scorer, honour_fans, patterns_of
from paiju.rules.profile import Exclusion
from paiju.rules.readings import CLOSED, EDGE, IN_PUNG, SINGLE
from paiju.rules.score import Excluded, FanCount, Tiles
from paiju.tiles import is_dragon, is_honour, is_terminal, is_wind

_WIN_TILE_FANS = frozenset(
    (
        fans.LAST_TILE_DRAW,
        fans.LAST_TILE_CLAIM,
        fans.OUT_WITH_REPLACEMENT_TILE,
        fans.ROBBING_THE_KONG,
        fans.LAST_TILE,
        fans.SELF_DRAWN,
    )
)
_WAITS = {EDGE: fans.EDGE_WAIT, CLOSED: fans.CLOSED_WAIT, SINGLE: fans.SINGLE_WAIT}
_CONCEALED_PUNGS = {
    2: fans.TWO_CONCEALED_PUNGS,
    3: fans.THREE_CONCEALED_PUNGS,
    4: fans.FOUR_CONCEALED_PUNGS,
}


class Explanation:
    """The pieces of one scored hand, named."""

    def __init__(self, scorer: Scorer, hand: Hand, reading: Reading) -> None:
        self._scorer = scorer
        self._profile = scorer.profile
        self._hand = hand
        self._reading = reading
        self._melds = sorted(hand.melds, key=lambda meld: meld.tiles)
        self._blocks = [block for part in reading.parts for block in part.blocks]
        self._all = tuple(sorted((*(t for meld in hand.melds for t in meld.tiles), *hand.concealed, hand.win_tile)))
        meld_blocks = [MELDS[meld.code].block for meld in hand.melds]
        every_block = sorted(self._blocks + meld_blocks)
        self._chows = [block for block in every_block if is_chow(block)]
        self._pungs = [block - PUNG for block in every_block if is_pung(block)]
        self._pair = next((block - PAIR for block in self._blocks if is_pair(block)), -1)
        suited = [face for face in self._pungs if not is_honour(face)]
        self._combinations = [
            (chow_combinations(self._chows, self._pair), [tiles_of_block(chow) for chow in self._chows]),
            (pung_combinations(suited), [self._set_tiles(face) for face in suited]),
        ]
        self._chosen = [scorer.choose(found) for found, _ in self._combinations]
        honour_pungs = sum(1 << face - 27 for face in self._pungs if is_honour(face))
        self._honours = honour_fans(honour_pungs, self._pair - 27, hand.prevalent_wind, hand.seat_wind)
        found = scorer.fan_set.of(fan for fan, _ in self._honours)
        self._taken = scorer.taken_sets(self._honours, found)

    def fans(self) -> tuple[FanCount, ...]:
        """What counts, the highest first, flowers last."""
        counts = self._scorer.fan_set.counts(self._reading.counted)
        result = [self._count(no, count, self._tiles_of(no, count)) for no, count in counts.items()]
        if self._hand.flowers:
            result.append(self._count(fans.FLOWER_TILES, self._hand.flowers, ()))
        return tuple(result)

    def _count(self, no: int, count: int, tiles: tuple[Tiles, ...]) -> FanCount:
        fan = self._profile.fans[no]
        return FanCount(no, fan.name.zh_hant, fan.name.zh_hans, fan.name.en, fan.value, count, tiles)

    def _set_tiles(self, face: int) -> Tiles:
        """A pung, or the four tiles of a kong."""
        kong = any(meld.kind.is_kong and meld.tiles[0] == face for meld in self._melds)
        return (face,) * (4 if kong else 3)

    def _pungs_where(self, faces: Iterable[int]) -> Tiles:
        return tuple(tile for face in faces for tile in self._set_tiles(face))

    def _kongs(self, *kinds: MeldKind) -> list[Tiles]:
        return [meld.tiles for meld in self._melds if meld.kind in kinds]

    def _concealed_pungs(self) -> list[int]:
        faces = [block - PUNG for block in self._blocks if is_pung(block)]
        if self._reading.place == IN_PUNG and not self._hand.self_drawn:
            faces.remove(self._hand.win_tile)
        return sorted(faces + [meld.tiles[0] for meld in self._melds if meld.is_concealed])

    def _waiting_block(self) -> Tiles:
        """The set or pair that the winning tile completes, as `place` of the reading says."""
        win, place = self._hand.win_tile, self._reading.place
        for block in self._blocks:
            tiles = tiles_of_block(block)
            if win not in tiles or is_pung(block):
                continue
            if place == SINGLE and is_pair(block):
                return tiles
            if is_chow(block):
                closed = tiles[1] == win
                edge = (win % 9 == 2 and tiles[2] == win) or (win % 9 == 6 and tiles[0] == win)
                if (place == CLOSED and closed) or (place == EDGE and edge):
                    return tiles
        return (win, win)

    def _tiles_of(self, no: int, count: int) -> tuple[Tiles, ...]:
        """The tiles of a fan, once for each time it counts."""
        sets = self._sets_of(no)
        if sets is None:
            sets = [self._all]
        return tuple(sets[:count])

    def _sets_of(self, no: int) -> list[Tiles] | None:
        """The sets that make a fan, or None where the whole hand does."""
        for (_, tiles), chosen in zip(self._combinations, self._chosen, strict=True):
            made = [_joined(c, tiles) for c in chosen if c.fan == no]
            if made:
                return made
        pungs = self._pungs
        dragons = [face for face in pungs if is_dragon(face)]
        winds = [face for face in pungs if is_wind(face)]
        pair = (self._pair,) * 2
        match no:
            case fans.TERMINAL_OR_HONOUR_PUNG:
                return [
                    self._set_tiles(face)
                    for face in pungs
                    if is_terminal(face) or (is_honour(face) and not self._taken >> face - 27 & 1)
                ]
            case fans.DRAGON_PUNG:
                return [self._set_tiles(face) for face in dragons]
            case fans.TWO_DRAGON_PUNGS | fans.BIG_THREE_DRAGONS:
                return [self._pungs_where(dragons)]
            case fans.LITTLE_THREE_DRAGONS:
                return [self._pungs_where(dragons) + pair]
            case fans.BIG_FOUR_WINDS | fans.BIG_THREE_WINDS:
                return [self._pungs_where(winds)]
            case fans.LITTLE_FOUR_WINDS:
                return [self._pungs_where(winds) + pair]
            case fans.PREVALENT_WIND:
                return [self._set_tiles(27 + self._hand.prevalent_wind)]
            case fans.SEAT_WIND:
                return [self._set_tiles(27 + self._hand.seat_wind)]
            case fans.TILE_HOG:
                in_kong = {meld.tiles[0] for meld in self._melds if meld.kind.is_kong}
                return [(f,) * 4 for f in sorted(set(self._all)) if self._all.count(f) == 4 and f not in in_kong]
            case fans.TWO_CONCEALED_PUNGS | fans.THREE_CONCEALED_PUNGS | fans.FOUR_CONCEALED_PUNGS:
                return [self._pungs_where(self._concealed_pungs())]
            case fans.MELDED_KONG:
                return self._kongs(MeldKind.MELDED_KONG, MeldKind.ADDED_KONG)
            case fans.CONCEALED_KONG:
                return self._kongs(MeldKind.CONCEALED_KONG)
            case fans.TWO_MELDED_KONGS:
                return [sum(self._kongs(MeldKind.MELDED_KONG, MeldKind.ADDED_KONG), ())]
            case fans.TWO_CONCEALED_KONGS:
                return [sum(self._kongs(MeldKind.CONCEALED_KONG), ())]
            case fans.MIXED_KONGS | fans.THREE_KONGS | fans.FOUR_KONGS:
                return [sum((m.tiles for m in self._melds if m.kind.is_kong), ())]
            case fans.EDGE_WAIT | fans.CLOSED_WAIT | fans.SINGLE_WAIT:
                return [self._waiting_block()]
            case fans.MELDED_HAND:
                return [sum((m.tiles for m in self._melds), ())]
            case fans.KNITTED_STRAIGHT:
                return [self._knitted_tiles()]
            case _ if no in _WIN_TILE_FANS:
                return [(self._hand.win_tile,)]
            case _:
                return None

    def _knitted_tiles(self) -> Tiles:
        if self._reading.knitted >= KNIT:
            return tiles_of_block(self._reading.knitted)
        return tuple(face for face in self._all if not is_honour(face))

    def excluded(self) -> tuple[Excluded, ...]:
        """What a player might claim and does not count, the highest first."""
        found = [*self._left_out(), *self._own_sets(), *self._uncombined(), *self._switched_off()]
        found += [*self._not_single(), *self._exposed()]
        rank = {no: place for place, no in enumerate(self._profile.ranking())}
        return tuple(sorted(found, key=lambda item: rank[item.no]))

    def _by_fan(self, no: int, tiles: tuple[Tiles, ...], by: int, source: str) -> Excluded:
        return Excluded(no, self._profile.fans[no].name, tiles, by, self._profile.fans[by].name, source)

    def _by_principle(self, no: int, tiles: tuple[Tiles, ...], key: str) -> Excluded:
        principle = self._profile.principles[key]
        return Excluded(no, self._profile.fans[no].name, tiles, None, principle.name, principle.article)

    def _left_out(self) -> list[Excluded]:
        """Fans that stand in the reading and that another that counts leaves out."""
        fan_set = self._scorer.fan_set
        counted = fan_set.counts(self._reading.counted)
        result = []
        for no, count in fan_set.counts(self._reading.found).items():
            lost = count - counted.get(no, 0)
            if not lost:
                continue
            for e in self._profile.exclusions:
                if e.excluded == no and e.fan in counted and not e.own_sets:
                    tiles = self._tiles_of(no, count)[-lost:]
                    result.append(self._by_fan(no, tiles, e.fan, e.source))
                    break
        return result

    def _own_sets(self) -> list[Excluded]:
        """幺九刻 of honour pungs that already make another fan."""
        counted = self._scorer.fan_set.counts(self._reading.counted)
        result = []
        for face in self._pungs:
            if not is_honour(face) or not self._taken >> face - 27 & 1:
                continue
            for e in self._profile.exclusions:
                own = [pungs for fan, pungs in self._honours if fan == e.fan and pungs >> face - 27 & 1]
                if e.own_sets and e.fan in counted and own:
                    result.append(self._by_fan(e.excluded, (self._set_tiles(face),), e.fan, e.source))
                    break
        return result

    def _uncombined(self) -> list[Excluded]:
        """Combinations of chows or pungs that the principles keep out beside the chosen ones."""
        result = []
        seen: set[tuple[int, Tiles]] = set()
        for (found, tiles), chosen in zip(self._combinations, self._chosen, strict=True):
            group = groups_of(chosen)
            seen |= {(c.fan, _joined(c, tiles)) for c in chosen}
            for combination in found:
                made = _joined(combination, tiles)
                reason = why_not(combination, chosen, group)
                if combination in chosen or reason is None or (combination.fan, made) in seen:
                    continue
                seen.add((combination.fan, made))
                by = self._listed(combination.fan, [c.fan for c in chosen]) if reason == "not_split" else None
                if by is None:
                    result.append(self._by_principle(combination.fan, (made,), reason))
                else:
                    result.append(self._by_fan(combination.fan, (made,), by.fan, by.source))
        return result

    def _listed(self, excluded: int, by: Iterable[int]) -> Exclusion | None:
        """The profile's exclusion of a fan by one of some others."""
        others = set(by)
        return next((e for e in self._profile.exclusions if e.excluded == excluded and e.fan in others), None)

    def _switched_off(self) -> list[Excluded]:
        """Fans that another profile gives to this form."""
        switch = {
            SEVEN_PAIRS: "seven_pairs_take_set_fans",
            KNITTED_STRAIGHT: "knitted_straight_is_chows",
        }.get(self._reading.form)
        if switch is None or self._profile.switches[switch]:
            return []
        missed = self._scorer.if_switched_on(self._hand, self._reading)
        found = self._scorer.fan_set.counts(missed & ~self._reading.found)
        return [self._by_principle(no, (self._all,), switch) for no in found]

    def _not_single(self) -> list[Excluded]:
        """A wait that looks single and is not: `tiles` are the kinds that complete the hand."""
        no = _WAITS.get(self._reading.place)
        if no is None or self._scorer.fan_set.counts(self._reading.found).keys() & {no}:
            return []
        faces = waits_of(patterns_of(self._hand.concealed), len(self._hand.melds))
        waits = tuple(face for face in range(34) if faces >> face & 1)
        return [self._by_principle(no, (waits,), "single_wait")]

    def _exposed(self) -> list[Excluded]:
        """Concealed pungs that would be one more had the winning tile been drawn."""
        if self._reading.place != IN_PUNG or self._hand.self_drawn:
            return []
        faces = [*self._concealed_pungs(), self._hand.win_tile]
        no = _CONCEALED_PUNGS.get(len(faces))
        return [] if no is None else [self._by_principle(no, (self._pungs_where(faces),), "discard_pung")]


def _joined(combination: Combination, tiles: Sequence[Tiles]) -> Tiles:
    return tuple(tile for i in combination.sets for tile in tiles[i])


def explain(scorer: Scorer, hand: Hand, reading: Reading) -> tuple[tuple[FanCount, ...], tuple[Excluded, ...]]:
    """The fans that count and those left out."""
    explanation = Explanation(scorer, hand, reading)
    return explanation.fans(), explanation.excluded()
