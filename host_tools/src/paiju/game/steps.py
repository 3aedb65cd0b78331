"""The plain steps: one legal act, or a draw and an act, that puts an odd tile exactly where it is seen."""

from collections.abc import Iterable
from itertools import combinations
from typing import Final

from paiju.game.actions import Action, ActionKind, Confidence, DrawnFrom
from paiju.game.attention import Reason
from paiju.game.case import Case, Draft
from paiju.game.events import HAND, MELD, NO_ZONE, POND, SEATS, zone_of
from paiju.game.position import FACE, FLOWER, WALL, is_chow

REORDER_MS: Final = 1500
"""Readers report in another order than things happen, but not by more than this."""
CHANGED_DISCARD_MS: Final = 1000
"""A discard that lay this long before it was taken back was a discard, not a tile passing by."""

DRAW_MS: Final = 500
"""From a discard until the next player's tile can have been drawn and read."""
REPLACED_MS: Final = 2000
"""When a flower has been laid aside for so long, its replacement has been drawn."""


class Steps:
    """Explains odd tiles one by one; each method is True when it took a step."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def step(self) -> bool:
        """Take one step, for the tile that has been odd for the longest time."""
        return any(self.explain(tile) for tile in self.case.odd)

    def explain(self, tile: int, late: bool = False) -> bool:
        """Take a step for this tile; `late`: even if the next seat was seen to act before."""
        zone = self.case.seen[tile]
        seat, where = divmod(zone, 4)
        if zone == NO_ZONE or not self.case.position.dealt[seat]:
            return False
        if where == HAND:
            return self._into_hand(tile, seat, late)
        if where == POND:
            return self._into_pond(tile, seat, late)
        return self.into_meld(tile, seat, late)

    def into_meld(self, tile: int, seat: int, late: bool = False) -> bool:
        """A flower, a claim or a kong."""
        if FLOWER[tile]:
            return self._flower(tile, seat, late)
        group = self.melded(seat)
        live = self.claimable(seat)
        if live is not None and live in group:
            return self.claim(seat, live, self._own_part(seat, live, group))
        return self.own_kong(seat, [other for other in group if FACE[other] == FACE[tile]])

    # -- hand and pond

    def overtaken(self, tile: int, seat: int) -> bool:
        """Whether others have acted well before this tile came: the next seat drew, anybody discarded or claimed.
        Then it is not this turn's tile."""
        case = self.case
        if seat != case.position.turn or not case.actions:
            return False
        begun, latest = case.actions[-1].ms, case.since[tile] - REORDER_MS
        return any(begun < case.since[other] < latest and self._acts_after(other, seat) for other in case.odd)

    def _acts_after(self, tile: int, seat: int) -> bool:
        """Whether an odd tile shows that a seat other than `seat` has acted."""
        case = self.case
        zone, place = case.seen[tile], case.position.place[tile]
        other, where = divmod(zone, 4)
        if zone == NO_ZONE or other == seat or FLOWER[tile]:
            return False
        if where == HAND:
            return other == (seat + 1) % 4 and place == WALL
        own = place in (WALL, zone_of(other, HAND))
        return own if where == POND else own or case.origin[tile] == zone_of(seat, POND)

    def _claim_under_way(self, seat: int) -> bool:
        """Whether tiles lie exposed that make a set with the discard: then nobody draws from the wall."""
        position = self.case.position
        live, discarder = position.live, position.discarder
        if live is None or discarder is None or seat != position.turn:
            return False
        groups = ((other, [tile for tile in self.melded(other) if tile != live]) for other in SEATS)
        return any(group and claim_kind(other, live, group, discarder) is not None for other, group in groups)

    def one_too_many(self, tile: int, seat: int) -> bool:
        """Whether, when this tile was played, a further tile of the wall stood in a full hand: a flower or kong was
        not read yet."""
        case, until = self.case, self.case.since[tile] + REORDER_MS
        full = case.position.missing(seat) <= 0 and not case.position.must_draw(seat)
        further = (t for t in case.odd_in(zone_of(seat, HAND)) if case.position.place[t] == WALL)
        return full and any(case.since[other] < until for other in further)

    def _into_hand(self, tile: int, seat: int, late: bool) -> bool:
        position, origin = self.case.position, self.case.origin[tile]
        if position.place[tile] != WALL or (origin != NO_ZONE and origin % 4 == POND):
            return False  # a discard that could not be explained yet is nobody's draw
        owed = position.owed[seat]
        if owed and position.wall_left and (all(position.dealt) or owed[0] is DrawnFrom.FLOWER):
            if self._before_its_turn(tile, seat):
                return False
            overtaken = self.overtaken(tile, seat)
            if (overtaken or self._claim_under_way(seat)) and not late:
                return False
            if len(owed) > 1 and self._replaced_unread(tile, seat):
                return True
            # With a tile of the hand never read, or two draws owed, it is not sure which one this is.
            sure = len(owed) == 1 and position.missing(seat) <= 0 and not overtaken
            return self.draw(seat, tile, Confidence.SEEN if sure else Confidence.INFERRED)
        # While other acts are unexplained, or just before its turn, it may be the next draw of the seat.
        alone = all(self.case.seen[other] == zone_of(seat, HAND) for other in self.case.odd)
        last_draw = position.last_draw[seat]
        drawn_unread = last_draw is not None and not last_draw.tiles
        sure = alone and (drawn_unread or seat != (position.turn + 1) % 4)
        return (sure or not any(position.moved_yet)) and self.read_late(tile, seat)

    def _before_its_turn(self, tile: int, seat: int) -> bool:
        """Whether it came well before the first turn of the seat: it may replace a flower not read as yet."""
        case, position = self.case, self.case.position
        last = position.last
        if position.moved_yet[seat] or last is None or position.owed[seat][0] is not DrawnFrom.WALL:
            return False
        return case.since[tile] < last.ms - REORDER_MS and case.now < last.ms + case.settle_ms

    def _replaced_unread(self, tile: int, seat: int) -> bool:
        """A flower was laid aside so long ago that its replacement must be in the hand, unread."""
        case = self.case
        flowers = (a for a in reversed(case.actions) if (a.kind, a.seat) == (ActionKind.FLOWER, seat))
        flower = next(flowers, None)
        if flower is None or case.origin[tile] != NO_ZONE or case.since[tile] < flower.ms + REPLACED_MS:
            return False
        draft = Draft(ActionKind.DRAW, seat, drawn_from=DrawnFrom.FLOWER, confidence=Confidence.INFERRED)
        return case.do(draft, ms=flower.ms)

    def read_late(self, tile: int, seat: int) -> bool:
        """A tile that stood unread in the hand."""
        position = self.case.position
        origin = self.case.origin[tile]
        discarded = origin != NO_ZONE and origin % 4 == POND
        if position.place[tile] != WALL or position.missing(seat) <= 0 or discarded:
            return False
        if FLOWER[tile] and not self._may_hold_unread(seat):
            return False
        drawn = self._taken_for_the_draw(tile, seat)
        if drawn is not None:
            self.case.withdraw_last()
            self.draw(seat, tile, Confidence.INFERRED)
            tile = drawn
        self.case.learn(seat, tile)
        return True

    def _taken_for_the_draw(self, tile: int, seat: int) -> int | None:
        """The tile that passed for the seat's draw although it came too soon to be that, if `tile` came in time."""
        case, position = self.case, self.case.position
        last = case.revocable()
        if seat != position.turn or last is None or (last.kind, last.seat) != (ActionKind.DRAW, seat) or not last.tiles:
            return None
        discarded = next((a.ms for a in reversed(case.actions) if a.kind is ActionKind.DISCARD), -DRAW_MS)
        begun = discarded + DRAW_MS
        unsure = last.confidence is Confidence.INFERRED and not FLOWER[tile]
        return last.tiles[0] if unsure and last.ms < begun <= case.since[tile] else None

    def _into_pond(self, tile: int, seat: int, late: bool) -> bool:
        position = self.case.position
        if seat != position.turn or not all(position.dealt):
            return self._changed_discard(tile, seat)
        unsure = self.overtaken(tile, seat) or self.one_too_many(tile, seat)
        if unsure and not late:
            return False
        confidence = Confidence.INFERRED if unsure else Confidence.SEEN
        if not self.from_hand(tile, seat):
            if not self.drew_unread(tile, seat, confidence):
                return False
        elif position.must_draw(seat):
            return False
        return self.case.do(Draft(ActionKind.DISCARD, seat, (tile,), confidence=confidence), (tile,))

    def _changed_discard(self, tile: int, seat: int) -> bool:
        """The seat took its discard back into the hand and put down another one."""
        case, live, last = self.case, self.case.position.live, self.case.revocable()
        if live is None or last is None or (last.kind, last.seat) != (ActionKind.DISCARD, seat):
            return False
        if case.seen[live] != zone_of(seat, HAND) or tile not in case.position.hands[seat]:
            return False
        lay = case.since[live] - last.ms >= CHANGED_DISCARD_MS
        case.withdraw_last()
        if lay:
            case.attention.note(Reason.DISCARD_CHANGED, case.now, seat, (live, tile))
        flags = ("discard_changed",) if lay else ()
        return case.do(Draft(ActionKind.DISCARD, seat, (tile,), flags=flags), (tile, live))

    # -- flowers, claims, kongs

    def _flower(self, tile: int, seat: int, late: bool = False) -> bool:
        position, last = self.case.position, self.case.revocable()
        if last is not None and (last.kind, last.seat, last.tiles) == (ActionKind.DISCARD, seat, (tile,)):
            self.case.withdraw_last()  # it was put into the pond by mistake
            return self.case.do(Draft(ActionKind.FLOWER, seat, (tile,)), (tile,), ms=last.ms)
        early = not position.moved_yet[seat]
        if seat != position.turn and not early:
            return False
        held = tile in position.hands[seat] or (self._may_hold_unread(seat) and self.from_hand(tile, seat))
        if held and position.must_draw(seat) and not early:
            return False
        if not held and len(position.owed[seat]) > 1 and self._replaced_unread(tile, seat):
            self.draw(seat, tile, Confidence.INFERRED)
        elif not held and ((not late and self.before_the_turn(tile)) or not self.drew_unread(tile, seat)):
            return False
        if held and early and self._drawn_too_early(seat, tile):
            replacement = position.last_draw[seat]
            assert replacement is not None
            self.case.withdraw_last()
            self.case.do(Draft(ActionKind.FLOWER, seat, (tile,)), (tile,))
            return self.draw(seat, replacement.tiles[0], Confidence.INFERRED)
        return self.case.do(Draft(ActionKind.FLOWER, seat, (tile,)), (tile,))

    def before_the_turn(self, tile: int) -> bool:
        """Whether the tile was exposed before the discard that gave the turn to the present seat: who draws too early
        waits for that discard before laying anything aside."""
        last = self.case.position.last
        return last is not None and last.kind is ActionKind.DISCARD and self.case.since[tile] < last.ms

    def _drawn_too_early(self, seat: int, flower: int) -> bool:
        """Whether the seat's first draw, another tile, came to its hand before the discard that gave it the turn."""
        if len(self.case.actions) < 2:
            return False
        before, draw = self.case.actions[-2:]
        first = (draw.kind, draw.seat, draw.drawn_from) == (ActionKind.DRAW, seat, DrawnFrom.WALL)
        other = bool(draw.tiles) and flower not in draw.tiles
        return first and other and draw is self.case.revocable() and draw.ms < before.ms

    def _may_hold_unread(self, seat: int) -> bool:
        """Whether an unread tile of the seat may be a flower: nobody keeps one when it has come to its turn."""
        position, last = self.case.position, self.case.position.last
        drew = last is not None and (last.kind, last.seat, last.tiles) == (ActionKind.DRAW, seat, ())
        return drew or not position.moved_yet[seat]

    def melded(self, seat: int) -> list[int]:
        """The odd tiles in a seat's meld zone, flowers apart."""
        return [tile for tile in self.case.odd_in(zone_of(seat, MELD)) if not FLOWER[tile]]

    def claimable(self, seat: int) -> int | None:
        """The discard that the seat may claim. The next player's draw, put back at once, does not end that."""
        position = self.case.position
        live = position.live if position.live is not None else self._discard_before_returned_draw()
        return None if live is None or position.place[live] // 4 == seat else live

    def _discard_before_returned_draw(self) -> int | None:
        if len(self.case.actions) < 2:
            return None
        discard, draw = self.case.actions[-2:]
        if draw is not self.case.revocable() or draw.kind is not ActionKind.DRAW:
            return None
        returned = all(self.case.seen[tile] == NO_ZONE for tile in draw.tiles)
        return discard.tiles[0] if returned and discard.kind is ActionKind.DISCARD else None

    def claim(self, seat: int, live: int, own: list[int], confidence: Confidence = Confidence.SEEN) -> bool:
        """Chow, pung or kong with the discard `live` and the seat's `own` tiles."""
        case = self.case
        discarder = case.position.place[live] // 4
        kind = claim_kind(seat, live, own, discarder)
        if kind is None or not (self._all_from_hand(own, seat) or self._replaced_into(own, seat)):
            return False
        flags: tuple[str, ...] = ()
        if case.position.live is None:
            case.withdraw_last()
            flags = ("draw_returned",)
        tiles = (live, *sorted(own))
        return case.do(Draft(kind, seat, tiles, discarder, flags=flags, confidence=confidence), tiles)

    def _own_part(self, seat: int, live: int, group: list[int]) -> list[int]:
        """The tiles that lie with a claimed discard; of more than belong to one set, the only set there is."""
        own = [other for other in group if other != live]
        position = self.case.position
        discarder = position.place[live] // 4
        if len(own) < 3 or claim_kind(seat, live, own, discarder) is not None:
            return own
        held = [tile for tile in own if tile in position.hands[seat]]
        for size in (3, 2):
            sets = {tuple(map(FACE.__getitem__, part)): part for part in combinations(sorted(held), size)
                    if claim_kind(seat, live, list(part), discarder) is not None}  # fmt: skip
            if sets:
                return list(next(iter(sets.values()))) if len(sets) == 1 else own
        return own

    def own_kong(self, seat: int, same: list[int]) -> bool:
        """A concealed kong, a tile added to a pung, or the fourth tile of a kong just claimed."""
        position = self.case.position
        if seat != position.turn or not same:
            return False
        pung = position.pung_of(seat, FACE[same[0]])
        source = None
        if len(same) == 1 and pung is not None:
            last = self.case.revocable()
            if last is not None and last.kind is ActionKind.PUNG and last.tiles == pung.tiles:
                return self._grow_claim(seat, last, same[0])
            kind, source = ActionKind.ADDED_KONG, pung.source
        elif len(same) == 4:
            kind = ActionKind.CONCEALED_KONG
        else:
            return False
        strange = [tile for tile in same if not self.from_hand(tile, seat)]
        if strange:
            if len(strange) > 1 or not self.drew_unread(strange[0], seat):
                return False
        elif position.must_draw(seat):
            return False
        # Article 7, 7: after a chow or a pung a kong has to wait for the next draw.
        claimed = position.last is not None and position.last.kind in (ActionKind.CHOW, ActionKind.PUNG)
        flags = ("kong_after_claim",) if claimed else ()
        return self.case.do(Draft(kind, seat, tuple(sorted(same)), source, flags=flags), same)

    def _grow_claim(self, seat: int, pung: Action, tile: int) -> bool:
        if not self.from_hand(tile, seat):
            return False
        self.case.withdraw_last()
        tiles = (pung.tiles[0], *sorted((*pung.tiles[1:], tile)))
        return self.case.do(Draft(ActionKind.MELDED_KONG, seat, tiles, pung.source), tiles)

    # -- whose tile

    def from_hand(self, tile: int, seat: int) -> bool:
        """Whether the seat holds the tile, known or never read."""
        position = self.case.position
        if tile in position.hands[seat]:
            return True
        return position.place[tile] == WALL and position.missing(seat) > 0 and not position.must_draw(seat)

    def _all_from_hand(self, tiles: Iterable[int], seat: int) -> bool:
        position = self.case.position
        unread = [tile for tile in tiles if tile not in position.hands[seat]]
        return len(unread) <= position.missing(seat) and all(position.place[tile] == WALL for tile in unread)

    def _replaced_into(self, own: list[int], seat: int) -> bool:
        """Draw the replacement of a flower that is played before it was read in the hand."""
        position = self.case.position
        strange = [tile for tile in own if tile not in position.hands[seat]]
        owed = position.owed[seat]
        if len(strange) != 1 or position.place[strange[0]] != WALL or not owed or owed[0] is not DrawnFrom.FLOWER:
            return False
        return self.draw(seat, strange[0], Confidence.INFERRED)

    def draw(self, seat: int, tile: int, confidence: Confidence = Confidence.SEEN) -> bool:
        drawn_from = self.case.position.owed[seat][0]
        draft = Draft(ActionKind.DRAW, seat, (tile,), drawn_from=drawn_from, confidence=confidence)
        return self.case.do(draft, (tile,))

    def drew_unread(self, tile: int, seat: int, confidence: Confidence = Confidence.SEEN) -> bool:
        """Draw a tile that came from the wall straight to where it is seen: the hand did not hold it."""
        position = self.case.position
        if not position.must_draw(seat) or not position.wall_left or position.place[tile] != WALL:
            return False
        unread = position.missing(seat) > 0 and not (FLOWER[tile] and position.moved_yet[seat])
        open_deal = not all(position.dealt) and position.owed[seat][0] is not DrawnFrom.FLOWER
        return not unread and not open_deal and self.draw(seat, tile, confidence)


def claim_kind(seat: int, live: int, own: list[int], discarder: int) -> ActionKind | None:
    """What a discard and a seat's own tiles make, None for nothing; a chow only from the left."""
    if len(own) in (2, 3) and all(FACE[tile] == FACE[live] for tile in own):
        return ActionKind.PUNG if len(own) == 2 else ActionKind.MELDED_KONG
    if len(own) == 2 and seat == (discarder + 1) % 4 and is_chow((live, *own)):
        return ActionKind.CHOW
    return None
