"""Explanations that need an act nobody saw. They wait until their tiles have settled and nothing plainer fits."""

from typing import Final

from paiju.game.actions import CLAIMS, ActionKind, Confidence
from paiju.game.attention import Reason
from paiju.game.case import Case, Draft
from paiju.game.events import HAND, MELD, NO_ZONE, POND, zone_of
from paiju.game.position import FACE, FLOWER, WALL
from paiju.game.steps import REORDER_MS, Steps, claim_kind

RETHINK: Final = 12
"""How many actions back a late sight may change the order of."""


class Guesses:
    """Each method is True when it took a step."""

    def __init__(self, case: Case, steps: Steps, cautious: bool = False) -> None:
        self._case = case
        self._steps = steps
        self._cautious = cautious
        self.bold = False
        """Whether being cautious would have made a difference."""

    def step(self, declared: frozenset[int]) -> bool:
        """Take one guess that is due; `declared`: seats that have declared a win and may hold the discard."""
        case = self._case
        if not all(case.position.dealt):
            return False
        return any(case.due(tile) <= case.now and self._guess(tile, declared) for tile in case.odd)

    def _guess(self, tile: int, declared: frozenset[int]) -> bool:
        zone = self._case.seen[tile]
        seat, where = divmod(zone, 4)
        if zone == NO_ZONE:
            return False
        if where in (HAND, POND) and (
            self._absent_discard(seat) or self._absent_flower(tile, seat) or self._overtaken(tile, seat)
        ):
            return True
        if where == HAND:
            back = tile == self._case.position.live and seat not in declared and self._took_back(tile, seat)
            return back or self._steps.read_late(tile, seat)
        if where == MELD and not FLOWER[tile]:
            return self._meld(tile, seat)
        if where in (MELD, POND) and self._unseen_draw(tile, seat):
            kind = ActionKind.DISCARD if where == POND else ActionKind.FLOWER
            return self._case.do(Draft(kind, seat, (tile,)), (tile,))
        return False

    def _overtaken(self, tile: int, seat: int) -> bool:
        """A late tile of the seat in turn, though the next seat has acted: taken when nothing else turned up."""
        steps = self._steps
        return (steps.overtaken(tile, seat) or steps.one_too_many(tile, seat)) and steps.explain(tile, late=True)

    def _absent_discard(self, follower: int) -> bool:
        """The seat after the one in turn has acted, and one tile has left the hand in turn and was seen nowhere:
        the discard, which no reader has found yet."""
        case, position, turn = self._case, self._case.position, self._case.position.turn
        if self._cautious or follower != (turn + 1) % 4 or not case.actions or self._steps.melded(follower):
            return False
        begun = case.actions[-1].ms
        gone = [t for t in position.hands[turn] if case.seen[t] == NO_ZONE and case.since[t] > begun - REORDER_MS]
        if len(gone) != 1 or case.since[gone[0]] + REORDER_MS > case.now:
            return False
        if not all(self._steps.overtaken(tile, turn) for tile in case.odd_in(zone_of(turn, POND))):
            return False
        if position.must_draw(turn):
            drawn_from = position.owed[turn][0]
            case.do(Draft(ActionKind.DRAW, turn, drawn_from=drawn_from, confidence=Confidence.INFERRED))
        self.bold = True
        return case.do(Draft(ActionKind.DISCARD, turn, (gone[0],), confidence=Confidence.INFERRED), gone)

    def _absent_flower(self, tile: int, seat: int) -> bool:
        """The seat has drawn a further tile, and a flower has left its hand that no reader has found yet."""
        case, position = self._case, self._case.position
        gone = [t for t in position.hands[seat] if FLOWER[t] and case.seen[t] == NO_ZONE]
        if seat != position.turn or position.must_draw(seat) or position.place[tile] != WALL or len(gone) != 1:
            return False
        return case.do(Draft(ActionKind.FLOWER, seat, tuple(gone), confidence=Confidence.INFERRED), gone)

    def _took_back(self, tile: int, seat: int) -> bool:
        """A discard lies in its owner's hand again and nobody has acted since."""
        last = self._case.revocable()
        if last is None or (last.kind, last.seat) != (ActionKind.DISCARD, seat):
            return False
        self._case.withdraw_last()
        self._case.attention.note(Reason.DISCARD_CHANGED, self._case.now, seat, (tile,))
        return True

    def _unseen_draw(self, tile: int, seat: int) -> bool:
        """The seat must have drawn a tile nobody saw, to play this one; not while a claim may be on its way."""
        case, position = self._case, self._case.position
        if seat != position.turn or not position.must_draw(seat) or position.wall_left == 0:
            return False
        held = tile in position.hands[seat] or (position.place[tile] == WALL and position.missing(seat) > 0)
        gone = position.live is not None and case.seen[position.live] != position.place[position.live]
        dropped = self._dropped(seat)
        claiming = any(
            t not in dropped
            and case.seen[t] != NO_ZONE
            and case.seen[t] % 4 == MELD
            and not FLOWER[t]
            and case.since[t] < case.since[tile] + REORDER_MS
            for t in case.odd
        )
        if not held or gone or (claiming and case.seen[tile] % 4 != MELD):
            return False
        # Likelier than a tile that stood unread, and another drawn unread, is one that never stood in the hand.
        drawn = (tile,) if position.place[tile] == WALL else dropped or self._read_meanwhile(seat)
        drawn_from = position.owed[seat][0]
        return case.do(Draft(ActionKind.DRAW, seat, drawn, drawn_from=drawn_from, confidence=Confidence.INFERRED))

    def _dropped(self, seat: int) -> tuple[int, ...]:
        """The one tile of the wall among the exposed ones of a seat whose hand is known: its draw, put down there."""
        case = self._case
        tiles = [tile for tile in self._steps.melded(seat) if case.position.place[tile] == WALL]
        return tuple(tiles) if len(tiles) == 1 and case.position.missing(seat) <= 0 else ()

    def _read_meanwhile(self, seat: int) -> tuple[int, ...]:
        """The one tile of the wall that has come to light in the hand before the seat's next turn, if there is one."""
        case = self._case
        before = (seat + 3) % 4
        until = min((case.since[tile] for tile in case.odd_in(zone_of(before, POND))), default=case.now + 1)
        tiles = [t for t in case.odd_in(zone_of(seat, HAND)) if case.position.place[t] == WALL]
        tiles = [tile for tile in tiles if (case.first[tile] or 0) < until]
        return tuple(tiles) if len(tiles) == 1 else ()

    def _meld(self, tile: int, seat: int) -> bool:
        case, steps = self._case, self._steps
        group = steps.melded(seat)
        live = steps.claimable(seat)
        if live is not None and case.seen[live] == NO_ZONE and case.due(live) <= case.now:
            return steps.claim(seat, live, group, Confidence.INFERRED)
        if live is not None and self._played_on(seat):
            own = self._with_the_last(seat, live, [other for other in group if other != live])
            if steps.claim(seat, live, own, Confidence.INFERRED):
                return True
        if seat != case.position.turn:
            return self._unseen_discard(seat, group)
        same = [other for other in group if FACE[other] == FACE[tile]]
        complete = len(same) == 4 or (len(same) == 1 and case.position.pung_of(seat, FACE[tile]) is not None)
        known = all(other in case.position.hands[seat] for other in same)
        return complete and known and self._unseen_draw(tile, seat) and steps.own_kong(seat, same)

    def _played_on(self, seat: int) -> bool:
        """Whether the seat has discarded without a draw: what it exposed is a claim, though the claimed tile lies
        in the pond as yet."""
        case = self._case
        discarded = any(case.due(tile) <= case.now for tile in case.odd_in(zone_of(seat, POND)))
        return discarded and not any(case.position.place[tile] == WALL for tile in case.odd_in(zone_of(seat, HAND)))

    def _with_the_last(self, seat: int, live: int, own: list[int]) -> list[int]:
        """The claimer's tiles of a meld, with the one not laid down as yet if only one face completes it."""
        case, discarder = self._case, self._case.position.place[live] // 4
        if len(own) != 1:
            return own
        hand = zone_of(seat, HAND)
        lacking = [
            tile
            for tile in sorted(case.position.hands[seat], key=lambda tile: (case.seen[tile] == hand, tile))
            if tile not in own and claim_kind(seat, live, [*own, tile], discarder) is not None
        ]
        return [*own, lacking[0]] if len({FACE[tile] for tile in lacking}) == 1 else own

    def _unseen_discard(self, seat: int, group: list[int]) -> bool:
        """A discard that was claimed before any reader saw it: the one tile of the meld that was not the claimer's."""
        steps, position, turn = self._steps, self._case.position, self._case.position.turn
        strange = [tile for tile in group if tile not in position.hands[seat]]
        known = [tile for tile in strange if tile in position.hands[turn]]
        unread = len(strange) - 1
        if len(known or strange) != 1 or unread > position.missing(seat):
            return False
        tile = (known or strange)[0]
        if any(position.place[other] != WALL for other in strange if other not in known):
            return False
        if claim_kind(seat, tile, [other for other in group if other != tile], turn) is None:
            return False
        if position.must_draw(turn) and not (
            self._claimed_before(turn) or steps.drew_unread(tile, turn) or self._unseen_draw(tile, turn)
        ):
            return False
        if not steps.from_hand(tile, turn):
            return False
        return self._case.do(Draft(ActionKind.DISCARD, turn, (tile,), confidence=Confidence.INFERRED), (tile,))

    def _claimed_before(self, seat: int) -> bool:
        """The seat did not draw: its exposed tiles make a set with the discard, which was not seen to move there."""
        live, own = self._steps.claimable(seat), self._steps.melded(seat)
        return live is not None and bool(own) and self._steps.claim(seat, live, own, Confidence.INFERRED)

    def misplaced_discard(self) -> bool:
        """The only tile in a wrong open zone is the discard of the seat in turn, if it came there in its turn. Taken
        when the hand ends: it is not put right any more."""
        case, position, turn = self._case, self._case.position, self._case.position.turn
        if position.over or not case.actions or not all(position.dealt):
            return False
        astray = [t for t in case.odd if case.seen[t] != NO_ZONE and case.seen[t] % 4 in (MELD, POND) and not FLOWER[t]]
        own = [t for t in astray if t in position.hands[turn]]
        astray = own or astray
        if len(astray) != 1 or case.since[astray[0]] < case.actions[-1].ms:
            return False
        (tile,) = astray
        if case.seen[tile] == zone_of(turn, POND) or not (
            self._steps.from_hand(tile, turn) or self._steps.drew_unread(tile, turn)
        ):
            return False
        if position.must_draw(turn):
            return False
        case.attention.note(Reason.AMBIGUOUS, case.now, turn, (tile,), (case.seq[tile],))
        return case.do(Draft(ActionKind.DISCARD, turn, (tile,), confidence=Confidence.INFERRED), (tile,))

    def won_discard(self, seat: int) -> bool:
        """The tile in a winner's hand that was not the winner's: a discard that was taken before it was seen."""
        case, position, turn = self._case, self._case.position, self._case.position.turn
        strange = [tile for tile in case.held(seat) if tile not in position.hands[seat]]
        if seat == turn or len(strange) != 1:
            return False
        drawn = position.place[strange[0]] == WALL and position.wall_left > 0
        if not (strange[0] in position.hands[turn] or (drawn and position.must_draw(turn))):
            return False
        if position.must_draw(turn):
            tiles, drawn_from = tuple(strange) if drawn else (), position.owed[turn][0]
            case.do(Draft(ActionKind.DRAW, turn, tiles, drawn_from=drawn_from, confidence=Confidence.INFERRED))
        return case.do(Draft(ActionKind.DISCARD, turn, (strange[0],), confidence=Confidence.INFERRED), strange)

    def late(self) -> bool:
        """A flower or kong tile that was drawn and exposed unseen, read only after the replacement was played."""
        case = self._case
        return any(
            case.seen[tile] != NO_ZONE
            and case.seen[tile] % 4 == MELD
            and (case.position.place[tile] == WALL or self._kept_flower(tile))
            and case.position.dealt[case.seen[tile] // 4]
            and (case.seen[tile] // 4 != case.position.turn or self._steps.before_the_turn(tile))
            and (case.due(tile) <= case.now or self._in_turn(tile, case.seen[tile] // 4))
            and (self._rethink(tile, case.seen[tile] // 4) or (FLOWER[tile] and self._steps.explain(tile, late=True)))
            for tile in case.odd
        )

    def _kept_flower(self, tile: int) -> bool:
        """A flower that the seat drew in its last turn and laid aside, as it turns out, before it discarded."""
        position = self._case.position
        seat = self._case.seen[tile] // 4
        last_draw = position.last_draw[seat]
        return FLOWER[tile] and tile in position.hands[seat] and last_draw is not None and tile in last_draw.tiles

    def _in_turn(self, tile: int, seat: int) -> bool:
        """Whether the tile was seen before, or with, the discard of the seat: it belongs to a turn that is over."""
        case = self._case
        discards = (a.ms for a in reversed(case.actions) if (a.kind, a.seat) == (ActionKind.DISCARD, seat))
        return case.since[tile] < next(discards, -REORDER_MS) + REORDER_MS

    def _rethink(self, tile: int, seat: int) -> bool:
        """Derive the last turn of the seat again with the tile in front, if that explains all it did before."""
        case = self._case
        for back in range(1, min(RETHINK, len(case.actions) - 4) + 1):
            first = case.actions[-back]
            fixed = first.confidence is Confidence.PERSON or first.kind in CLAIMS or first.kind is ActionKind.DEAL
            if fixed or first.ms < case.since[tile] - 2 * case.settle_ms:
                return False
            before = case.actions[-back - 1]
            if first.kind is not ActionKind.DRAW or first.seat != seat:
                continue
            if before.kind is ActionKind.DISCARD and case.since[tile] < before.ms:
                continue  # it lay there before that turn
            branch = case.branch(len(case.actions) - back + (tile in first.tiles))
            steps = Steps(branch)
            if not steps.into_meld(tile, seat, late=True):
                continue
            while steps.step():
                pass
            if set(branch.odd) < set(case.odd) and len(branch.actions) > len(case.actions):
                case.adopt(branch)
                return True
        return False
