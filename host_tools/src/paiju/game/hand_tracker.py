"""Explains what the table shows of one hand by actions.

The tracker compares where each tile *is seen* with where the actions so far *put* it. A tile that differs is
odd. Odd tiles are explained by the one legal step that puts them where they are seen; a step that needs an
act nobody saw waits a settle time and is taken only if nothing plainer came. What stays odd goes to the
attention list and leaves it when the table does. So the order in which the readers report does not matter.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from paiju.game.actions import CLAIMS, Action, ActionKind, Confidence, DrawnFrom
from paiju.game.attention import Attention, Reason
from paiju.game.events import HAND, MELD, NO_ZONE, POND, SEAT_ZONES, SEATS, TableEvent, zone_of
from paiju.game.position import FACE, FLOWER, WALL, Position, Setup, is_chow
from paiju.game.scoring import Verdict, judge
from paiju.tiles import TILE_COUNT

SETTLE_MS: Final = 2500
"""How long a step that nobody saw, or a tile out of place, is given to explain itself."""
RETHINK: Final = 6
"""How many actions back a late sight may change the order of."""
CHANGED_DISCARD_MS: Final = 1000
"""A discard that lay this long before it was taken back was a discard, not a tile passing by."""

Output = Action | Attention
Draft = tuple[ActionKind, int, tuple[int, ...], int | None, DrawnFrom | None, tuple[str, ...]]


class HandTracker:
    """One hand, from the first tile dealt to the end. Feed it the table's events in order.

    `seen` is where the tiles lie when the hand starts (zone numbers by tile number).
    """

    def __init__(self, setup: Setup, seen: Sequence[int] | None = None, settle_ms: int = SETTLE_MS) -> None:
        self.setup = setup
        self.settle_ms = settle_ms
        self.position = Position(setup)
        self.actions: list[Action] = []
        self.made_at: list[int] = []
        self.superseded: list[Action] = []
        self.attention: dict[int, Attention] = {}
        self.overridden: list[int] = []
        self.refused_wins = 0
        self.seen = list(seen) if seen is not None else [NO_ZONE] * TILE_COUNT
        self.since = [0] * TILE_COUNT
        self.seq = [0] * TILE_COUNT
        self.now = 0
        self._arrived: tuple[list[int], ...] = tuple([] for _ in SEATS)
        self._odd: dict[int, None] = {}
        self._noticed: dict[int, Reason] = {}
        self._declared: dict[int, tuple[int, int]] = {}
        self._read: dict[int, int] = {}
        self._refused: dict[int, Verdict] = {}
        self._revisions: dict[int, int] = {}
        self._out: list[Output] = []
        self._event = 0
        self._held = False
        self._thinking = False
        self._given_up: tuple[TableEvent, int] | None = None

    # -- what the table says ---------------------------------------------------------------------------

    def move(self, tile: int, zone: int, event: TableEvent, ms: int) -> list[Output]:
        """The tile is now seen in `zone` (NO_ZONE: in none)."""
        self._begin(event, ms)
        self._observe(tile, zone, ms, event.seq)
        if not self.position.over:
            self._explain()
        return self.take()

    def declare_win(self, seat: int, event: TableEvent, ms: int) -> list[Output]:
        """The win button of a seat went down; the evidence follows with the full read of its zones."""
        self._begin(event, ms)
        self._declared[seat] = (ms, event.seq)
        self._read.pop(seat, None)
        return self.take()

    def zone_read(self, zone: int, event: TableEvent, ms: int) -> list[Output]:
        """A zone was read in full; that of a hand lets a declared win be judged."""
        self._begin(event, ms)
        if zone < SEAT_ZONES and zone % 4 == HAND and zone // 4 in self._declared:
            self._read[zone // 4] = event.seq
            self._explain()
        return self.take()

    def give_up(self, event: TableEvent, ms: int) -> list[Output]:
        """The tiles are collected: without a win, the hand is drawn."""
        self._begin(event, ms)
        if self._held:
            self._given_up = event, ms
        else:
            self.now = ms + self.settle_ms
            self._explain()
            self.now = ms
            self._end(ms)
        return self.take()

    def break_off(self, ms: int) -> list[Output]:
        """The log ends within the hand."""
        self._do((ActionKind.END, -1, (), None, None, ("aborted",)), ())
        return self.take()

    def pass_time(self, event: TableEvent, ms: int) -> list[Output]:
        """An event that says nothing of the hand but what time it is."""
        self._begin(event, ms)
        return self.take()

    def remark(self, reason: Reason, ms: int, tiles: tuple[int, ...] = ()) -> list[Output]:
        """Put something on the attention list that is no tile out of place."""
        self._note(reason, ms, tiles=tiles)
        return self.take()

    def advance(self, ms: int) -> None:
        """Let table time pass: what settled before `ms` is decided, in the order in which it settled."""
        while not (self.position.over or self._held):
            due = min(
                (self._due(tile) for tile in self._odd if tile not in self._noticed),
                default=None,
            )
            if due is None or due > ms:
                break
            self.now = due
            self._explain()
            for tile in [t for t in self._odd if t not in self._noticed and self._due(t) <= due]:
                self._noticed[tile] = self._reason(tile)
            self._refresh_attention()
        self.now = ms
        if self._declared and not self.position.over:
            self._refuse_wins()

    # -- deriving again --------------------------------------------------------------------------------

    def hold(self, actions: Sequence[Action]) -> None:
        """Start from these actions: what is fed until `release` is only looked at."""
        self._held = True
        self.actions = list(actions)
        self.made_at = [0] * len(self.actions)

    def release(self) -> None:
        """Explain what was fed since `hold`, beyond the actions given there."""
        self._held = False
        self.made_at = [self._event] * len(self.actions)
        self.position = Position.after(self.setup, self.actions)
        self._compare_all()
        self._explain()
        if self._given_up is not None:
            self._end(self._given_up[1])

    def continue_from(self, before: "HandTracker") -> list[Attention]:
        """Take the place of another derivation of the same hand; returns its attention items, closed or renewed."""
        closed = {number: item.cleared() for number, item in before.attention.items()}
        shift = len(closed)
        renewed = {n + shift: replace(item, number=n + shift) for n, item in self.attention.items()}
        changed = [closed[number] for number, item in before.attention.items() if item.open]
        self.attention = closed | renewed
        self._revisions = before._revisions | {a.number: a.revision for a in self.actions}
        return [*changed, *renewed.values()]

    def revision_of(self, number: int) -> int | None:
        """The highest revision told so far for an action number."""
        return self._revisions.get(number)

    @property
    def unexplained(self) -> int:
        """How much of what the table shows the actions do not account for."""
        return len(self._noticed) + self.refused_wins

    def evident_dealer(self) -> int | None:
        """The seat that plays as dealer, if it is not the expected one: fourteen tiles and the first discard."""
        position, dealer = self.position, self.setup.dealer
        if position.dealt[dealer] or len(self._arrived[dealer]) != 13:
            return None
        for tile in self._odd:
            seat, where = divmod(self.seen[tile], 4)
            if where == POND and seat != dealer and position.dealt[seat]:
                extra = [t for t in self._odd if self.seen[t] == zone_of(seat, HAND)]
                if tile not in position.hands[seat] or extra:
                    return seat
        return None

    # -- seen against put ------------------------------------------------------------------------------

    def _begin(self, event: TableEvent, ms: int) -> None:
        self.advance(ms)
        self._event = event.seq

    def _due(self, tile: int) -> int:
        return self.since[tile] + self.settle_ms

    def _observe(self, tile: int, zone: int, ms: int, seq: int) -> None:
        self.seen[tile] = zone
        self.since[tile] = ms
        self.seq[tile] = seq
        if not self.position.over:
            self._noticed.pop(tile, None)
            self._compare(tile)

    def _compare(self, tile: int) -> None:
        """A tile of a hand or of the wall may be out of sight; one in the open may not."""
        seen, place = self.seen[tile], self.position.place[tile]
        if seen == place or seen >= SEAT_ZONES or (seen == NO_ZONE and place % 4 not in (MELD, POND)):
            self._odd.pop(tile, None)
            self._noticed.pop(tile, None)
        elif seen % 4 == 3 and seen != NO_ZONE:  # the channel below the surface is not play
            self._odd.pop(tile, None)
        else:
            self._odd.setdefault(tile)

    def _compare_all(self) -> None:
        for tile in range(TILE_COUNT):
            self._compare(tile)

    def _odd_in(self, zone: int) -> list[int]:
        return [tile for tile in self._odd if self.seen[tile] == zone]

    def _explain(self) -> None:
        """Take every step that is plain, then every guess that has waited long enough, until nothing more fits."""
        if self._held:
            return
        if self.position.over:
            self._later_claims()
        else:
            while self._deal() or self._plain() or self._guess() or self._win():
                if self.position.over:
                    break
        if (self._noticed or self.attention) and not self.position.over:
            self._refresh_attention()

    # -- the deal --------------------------------------------------------------------------------------

    def _deal(self) -> bool:
        position = self.position
        if all(position.dealt):
            return False
        for tile in list(self._odd):
            zone = self.seen[tile]
            seat, where = divmod(zone, 4)
            if zone == NO_ZONE or position.dealt[seat] or not self._is_dealt(tile, where):
                continue
            arrived = self._arrived[seat]
            if position.place[tile] == WALL:
                arrived.append(tile)
            elif tile not in arrived:  # was put down in another rack first
                self._arrived[position.place[tile] // 4].remove(tile)
                arrived.append(tile)
            position.place[tile] = zone_of(seat, HAND)
            self._compare(tile)
            if len(arrived) == self.setup.dealt(seat):
                self._do_deal(seat)
                return True
        return self._close_deal()

    def _is_dealt(self, tile: int, where: int) -> bool:
        place = self.position.place[tile]
        return (where == HAND and place % 4 in (HAND, WALL % 4)) or (
            where == MELD and FLOWER[tile] and place == WALL
        )

    def _close_deal(self) -> bool:
        """The dealer's first act ends the deal, even if some tiles of it were never read."""
        dealer = self.setup.dealer
        begun = any(
            self.seen[tile] == zone_of(dealer, POND)
            or (self.seen[tile] == zone_of(dealer, MELD) and not FLOWER[tile])
            for tile in self._odd
        )
        enough = all(len(self._arrived[seat]) >= 10 or self.position.dealt[seat] for seat in SEATS)
        if not (begun and enough):
            return False
        for seat in SEATS:
            if not self.position.dealt[seat]:
                self._do_deal(seat)
        return True

    def _do_deal(self, seat: int) -> None:
        tiles = tuple(self._arrived[seat])
        full = len(tiles) == self.setup.dealt(seat)
        self._do(
            (ActionKind.DEAL, seat, tiles, None, None, ()),
            tiles,
            confidence=Confidence.SEEN if full else Confidence.INFERRED,
        )

    # -- plain steps -----------------------------------------------------------------------------------

    def _plain(self) -> bool:
        for tile in self._odd:
            zone = self.seen[tile]
            if zone == NO_ZONE:
                continue
            seat, where = divmod(zone, 4)
            if not self.position.dealt[seat]:
                continue
            if where == HAND:
                done = self._into_hand(tile, seat)
            elif where == POND:
                done = self._into_pond(tile, seat)
            elif FLOWER[tile]:
                done = self._flower(tile, seat)
            else:
                done = self._into_meld(tile, seat)
            if not done and where == MELD and seat != self.position.turn and not self._thinking:
                done = self.position.place[tile] == WALL and self._rethink(tile, seat)
            if done:
                return True
        return False

    def _into_hand(self, tile: int, seat: int) -> bool:
        position = self.position
        if position.place[tile] != WALL:
            return False
        owed = position.owed[seat]
        if owed and position.wall_left and (all(position.dealt) or owed[0] is DrawnFrom.FLOWER):
            # With a tile of the hand never read or two draws owed, it is not sure which one this is.
            certain = len(owed) == 1 and position.missing(seat) <= 0
            confidence = Confidence.SEEN if certain else Confidence.INFERRED
            return self._do((ActionKind.DRAW, seat, (tile,), None, owed[0], ()), (tile,), (), confidence)
        if position.missing(seat) > 0:
            self._learn(seat, tile)
            return True
        return False

    def _into_pond(self, tile: int, seat: int) -> bool:
        position = self.position
        if seat != position.turn or not all(position.dealt):
            return self._changed_discard(tile, seat)
        if not self._from_hand(tile, seat):
            if not self._drew_unseen(tile, seat):
                return False
        elif position.must_draw(seat):
            return False
        return self._do((ActionKind.DISCARD, seat, (tile,), None, None, ()), (tile,))

    def _changed_discard(self, tile: int, seat: int) -> bool:
        """The seat took its discard back into the hand and put down another one."""
        live, last = self.position.live, self._revocable()
        if (
            live is None
            or last is None
            or last.kind is not ActionKind.DISCARD
            or last.seat != seat
            or self.seen[live] != zone_of(seat, HAND)
            or tile not in self.position.hands[seat]
        ):
            return False
        rested = self.since[live] - last.ms
        self._withdraw_last()
        flags = ("discard_changed",) if rested >= CHANGED_DISCARD_MS else ()
        self._do((ActionKind.DISCARD, seat, (tile,), None, None, flags), (tile, live))
        if flags:
            self._note(Reason.DISCARD_CHANGED, self.now, seat, (live, tile))
        return True

    def _flower(self, tile: int, seat: int) -> bool:
        position = self.position
        early = not position.moved_yet[seat]
        if seat != position.turn and not early:
            return False
        held = self._from_hand(tile, seat)
        if held and position.must_draw(seat) and not early:
            return False
        if not held and not self._drew_unseen(tile, seat):
            return False
        return self._do((ActionKind.FLOWER, seat, (tile,), None, None, ()), (tile,))

    def _into_meld(self, tile: int, seat: int) -> bool:
        group = [t for t in self._odd_in(zone_of(seat, MELD)) if not FLOWER[t]]
        live = self._claimable(seat)
        if live is not None and live in group:
            return self._claim(seat, live, [t for t in group if t != live])
        return self._own_kong(seat, [t for t in group if FACE[t] == FACE[tile]])

    def _claimable(self, seat: int) -> int | None:
        """The discard that the seat may claim. The next player's draw, put back at once, does not end that."""
        position = self.position
        live = position.live
        if live is None:
            live = self._discard_before_returned_draw()
        return None if live is None or position.place[live] // 4 == seat else live

    def _discard_before_returned_draw(self) -> int | None:
        if len(self.actions) < 2:
            return None
        discard, draw = self.actions[-2:]
        if draw is not self._revocable() or (discard.kind, draw.kind) != (ActionKind.DISCARD, ActionKind.DRAW):
            return None
        return discard.tiles[0] if all(self.seen[tile] == NO_ZONE for tile in draw.tiles) else None

    def _claim(self, seat: int, live: int, own: list[int], confidence: Confidence = Confidence.SEEN) -> bool:
        discarder = self.position.place[live] // 4
        kind = self._claim_kind(seat, live, own, discarder)
        if kind is None or not self._all_from_hand(own, seat):
            return False
        flags: tuple[str, ...] = ()
        if self.position.live is None:
            self._withdraw_last()
            flags = ("draw_returned",)
        return self._do((kind, seat, (live, *sorted(own)), discarder, None, flags), (live, *own), (), confidence)

    def _claim_kind(self, seat: int, live: int, own: list[int], discarder: int) -> ActionKind | None:
        same = all(FACE[tile] == FACE[live] for tile in own)
        if same and len(own) in (2, 3):
            return ActionKind.PUNG if len(own) == 2 else ActionKind.MELDED_KONG
        if len(own) == 2 and seat == (discarder + 1) % 4 and is_chow((live, *own)):
            return ActionKind.CHOW
        return None

    def _own_kong(self, seat: int, same: list[int]) -> bool:
        """A concealed kong, a tile added to a pung, or the fourth tile of a kong just claimed."""
        position = self.position
        if seat != position.turn or not same:
            return False
        pung = position.pung_of(seat, FACE[same[0]])
        if len(same) == 1 and pung is not None:
            last = self._revocable()
            if last is not None and last.kind is ActionKind.PUNG and last.tiles == pung.tiles:
                return self._grow_claim(seat, last, same[0])
            kind = ActionKind.ADDED_KONG
        elif len(same) == 4:
            kind = ActionKind.CONCEALED_KONG
        else:
            return False
        strangers = [t for t in same if not self._from_hand(t, seat)]
        if len(strangers) > 1:
            return False
        if strangers:
            if not self._drew_unseen(strangers[0], seat):
                return False
        elif position.must_draw(seat):
            return False
        claimed_now = position.last is not None and position.last.kind in (ActionKind.CHOW, ActionKind.PUNG)
        flags = ("kong_after_claim",) if claimed_now else ()
        source = pung.source if pung is not None and kind is ActionKind.ADDED_KONG else None
        return self._do((kind, seat, tuple(sorted(same)), source, None, flags), same)

    def _grow_claim(self, seat: int, pung: Action, tile: int) -> bool:
        if not self._from_hand(tile, seat):
            return False
        self._withdraw_last()
        own = (*pung.tiles[1:], tile)
        return self._do(
            (ActionKind.MELDED_KONG, seat, (pung.tiles[0], *sorted(own)), pung.source, None, ()),
            (*pung.tiles, tile),
        )

    def _rethink(self, tile: int, seat: int) -> bool:
        """A flower or kong tile that was drawn and exposed unseen, read only after the replacement was played.

        The last turn of the seat is derived again with it in front; taken only if it explains all it did before.
        """
        for back in range(1, min(RETHINK, len(self.actions) - 4) + 1):
            first = self.actions[-back]
            fixed = first.confidence is Confidence.PERSON or first.kind in CLAIMS
            if fixed or first.kind is ActionKind.DEAL or first.ms < self.since[tile] - 2 * self.settle_ms:
                break
            if first.kind is not ActionKind.DRAW or first.seat != seat:
                continue
            branch = self._branch(len(self.actions) - back)
            step = branch._flower if FLOWER[tile] else branch._into_meld
            if not step(tile, seat):
                continue
            while branch._plain():
                pass
            if set(branch._odd) < set(self._odd) and len(branch.actions) > len(self.actions):
                self._adopt(branch)
                return True
        return False

    def _branch(self, length: int) -> "HandTracker":
        """The same sights after fewer actions."""
        branch = HandTracker(self.setup, self.seen, self.settle_ms)
        branch.since, branch.seq = list(self.since), list(self.seq)
        branch.now, branch._event = self.now, self._event
        branch.actions, branch.made_at = self.actions[:length], self.made_at[:length]
        branch.position = Position.after(self.setup, branch.actions)
        branch._thinking = True
        branch._compare_all()
        return branch

    def _adopt(self, branch: "HandTracker") -> None:
        """Take over the actions of a branch; those that changed are told as revisions."""
        self.superseded += self.actions
        for index, action in enumerate(branch.actions):
            if index < len(self.actions):
                if replace(action, revision=0) == replace(self.actions[index], revision=0):
                    self.superseded.remove(self.actions[index])
                    continue
                self.actions[index] = replace(action, revision=self._revisions[action.number] + 1)
            else:
                self.actions.append(replace(action, revision=self._revisions.get(action.number, -1) + 1))
            self._revisions[action.number] = self.actions[index].revision
            self._out.append(self.actions[index])
        self.made_at = branch.made_at
        self.position = branch.position
        self._compare_all()

    def _revocable(self) -> Action | None:
        """The last action, unless a person entered it."""
        last = self.actions[-1] if self.actions else None
        return None if last is None or last.confidence is Confidence.PERSON else last

    # -- whose tile ------------------------------------------------------------------------------------

    def _from_hand(self, tile: int, seat: int) -> bool:
        """Whether the seat holds the tile, known or never read."""
        position = self.position
        if tile in position.hands[seat]:
            return True
        return position.place[tile] == WALL and position.missing(seat) > 0 and not position.must_draw(seat)

    def _all_from_hand(self, tiles: Iterable[int], seat: int) -> bool:
        unread = 0
        for tile in tiles:
            if tile not in self.position.hands[seat]:
                if self.position.place[tile] != WALL:
                    return False
                unread += 1
        return unread <= self.position.missing(seat)

    def _drew_unseen(self, tile: int, seat: int) -> bool:
        """The tile came from the wall straight to where it is seen: the only one that the hand did not hold."""
        position = self.position
        if (
            position.place[tile] != WALL
            or not position.must_draw(seat)
            or position.missing(seat)
            or position.wall_left == 0
            or not all(position.dealt)
        ):
            return False
        return self._do((ActionKind.DRAW, seat, (tile,), None, position.owed[seat][0], ()), (tile,))

    def _learn(self, seat: int, tile: int) -> None:
        """A tile that the seat held unread shows itself: the draw or deal that brought it is completed."""
        for index in range(len(self.actions) - 1, -1, -1):
            action = self.actions[index]
            if action.seat != seat:
                continue
            unread_draw = action.kind is ActionKind.DRAW and not action.tiles
            if unread_draw or action.kind is ActionKind.DEAL:
                self.superseded.append(action)
                revised = action.revised(
                    tiles=(*action.tiles, tile), evidence=(*action.evidence, self.seq[tile])
                )
                self._revisions[action.number] = revised.revision
                self.actions[index] = revised
                self._out.append(revised)
                break
        self.position.learn(seat, tile)
        self._compare(tile)

    # -- guesses ---------------------------------------------------------------------------------------

    def _guess(self) -> bool:
        """Steps with an act that nobody saw, once their tiles have settled and nothing plainer fits."""
        for tile in self._odd:
            if self._due(tile) > self.now:
                continue
            zone = self.seen[tile]
            seat, where = divmod(zone, 4)
            if zone == NO_ZONE or not all(self.position.dealt):
                continue
            if where == HAND and tile == self.position.live and self._took_back(tile, seat):
                return True
            if where == POND and self._unseen_draw(tile, seat):
                return self._do((ActionKind.DISCARD, seat, (tile,), None, None, ()), (tile,))
            if where == MELD and FLOWER[tile] and self._unseen_draw(tile, seat):
                return self._do((ActionKind.FLOWER, seat, (tile,), None, None, ()), (tile,))
            if where == MELD and not FLOWER[tile] and self._guess_meld(tile, seat):
                return True
        return False

    def _took_back(self, tile: int, seat: int) -> bool:
        """A discard lies in its owner's hand again and nobody has acted since."""
        last = self._revocable()
        if last is None or last.kind is not ActionKind.DISCARD or last.seat != seat or seat in self._declared:
            return False
        self._withdraw_last()
        self._note(Reason.DISCARD_CHANGED, self.now, seat, (tile,))
        return True

    def _unseen_draw(self, tile: int, seat: int) -> bool:
        """The seat must have drawn a tile nobody saw; not while a claim may be on its way."""
        position = self.position
        if seat != position.turn or not position.must_draw(seat) or position.wall_left == 0:
            return False
        held = tile in position.hands[seat] or (position.place[tile] == WALL and position.missing(seat) > 0)
        live_gone = position.live is not None and self.seen[position.live] != position.place[position.live]
        claiming = any(self.seen[t] % 4 == MELD and not FLOWER[t] for t in self._odd if self.seen[t] != NO_ZONE)
        if not held or live_gone or (claiming and self.seen[tile] % 4 != MELD):
            return False
        self._do(
            (ActionKind.DRAW, seat, (), None, position.owed[seat][0], ()), (), (), Confidence.INFERRED
        )
        if position.place[tile] == WALL:
            self._learn(seat, tile)
        return True

    def _guess_meld(self, tile: int, seat: int) -> bool:
        group = [t for t in self._odd_in(zone_of(seat, MELD)) if not FLOWER[t]]
        live = self._claimable(seat)
        if live is not None and self.seen[live] == NO_ZONE and self._due(live) <= self.now:
            return self._claim(seat, live, group, Confidence.INFERRED)
        if seat != self.position.turn and self._unseen_discard(seat, group):
            return True
        same = [t for t in group if FACE[t] == FACE[tile]]
        complete = len(same) == 4 or (len(same) == 1 and self.position.pung_of(seat, FACE[tile]) is not None)
        if complete and all(t in self.position.hands[seat] for t in same) and self._unseen_draw(tile, seat):
            return self._own_kong(seat, same)
        return False

    def _unseen_discard(self, seat: int, group: list[int]) -> bool:
        """A discard that was claimed before any reader saw it: the one tile of the meld that was not the claimer's."""
        position, turn = self.position, self.position.turn
        strange = [t for t in group if t not in position.hands[seat]]
        if len(strange) != 1 or position.place[strange[0]] not in (WALL, zone_of(turn, HAND)):
            return False
        tile = strange[0]
        if self._claim_kind(seat, tile, [t for t in group if t != tile], turn) is None:
            return False
        if position.must_draw(turn) and not self._drew_unseen(tile, turn) and not self._unseen_draw(tile, turn):
            return False
        if not self._from_hand(tile, turn):
            return False
        return self._do((ActionKind.DISCARD, turn, (tile,), None, None, ()), (tile,), (), Confidence.INFERRED)

    # -- winning ---------------------------------------------------------------------------------------

    def _win(self) -> bool:
        """Judge the declared wins whose zones have been read in full, the seat next in turn first."""
        if not self._read or not all(self.position.dealt):
            return False
        origin = self.position.turn if self.position.discarder is None else self.position.discarder
        for seat in sorted(self._read, key=lambda s: (s - origin) % 4):
            verdict = self._judge(seat, self.position)
            if verdict is None:
                continue
            if verdict.wins:
                self._finish(seat, verdict)
                return True
            self._refused[seat] = verdict
        return False

    def _judge(self, seat: int, position: Position) -> Verdict | None:
        """What the tiles of a seat are worth, or None while they cannot be a complete hand."""
        zone = zone_of(seat, HAND)
        held = [tile for tile in range(TILE_COUNT) if self.seen[tile] == zone and not FLOWER[tile]]
        needed = 13 - 3 * len(position.melds[seat])
        offered = position.live if position.live is not None else position.robbable
        if offered is not None and position.place[offered] // 4 != seat:
            concealed = [tile for tile in held if tile != offered]
            if len(concealed) == needed and set(concealed) <= position.hands[seat]:
                source = position.place[offered] // 4
                return judge(position, seat, concealed, offered, source)
        if seat == position.turn and len(held) == needed + 1:
            win_tile = self._drawn_tile(seat, held)
            if win_tile is not None:
                concealed = [tile for tile in held if tile != win_tile]
                return judge(position, seat, concealed, win_tile, None)
        return None

    def _drawn_tile(self, seat: int, held: list[int]) -> int | None:
        """The tile a self-draw is won on: the one just drawn, or the last to arrive if the draw was not seen."""
        position = self.position
        if position.must_draw(seat) or set(held) - position.hands[seat]:
            return None
        draw = position.last_draw[seat]
        if draw is None:
            return max(held, key=lambda tile: (self.since[tile], self.seq[tile]))
        current = next(a for a in reversed(self.actions) if a.kind is ActionKind.DRAW and a.seat == seat)
        after_claim = any(
            a.seat == seat and a.kind in (ActionKind.CHOW, ActionKind.PUNG) and a.number > current.number
            for a in self.actions
        )
        if after_claim or not current.tiles or current.tiles[0] not in held:
            return None
        return current.tiles[0]

    def _finish(self, seat: int, verdict: Verdict) -> None:
        ms, seq = self._declared[seat]
        evidence = (seq, self._read[seat])
        tiles = (verdict.win_tile, *verdict.concealed)
        robbed = verdict.hand is not None and verdict.hand.robbing_kong
        flags = ("robbing_kong",) if robbed else ()
        self._do((ActionKind.WIN, seat, tiles, verdict.source, None, flags), (), evidence, ms=ms)

    def _later_claims(self) -> None:
        """One winner a hand: of several, the first in turn after the discarder (article 8, 2 (3))."""
        last = self.actions[-1]
        if last.kind is not ActionKind.WIN or last.seat is None or last.source is None:
            return
        for seat in list(self._read):
            if seat == last.seat or seat in self.overridden:
                continue
            if (seat - last.source) % 4 < (last.seat - last.source) % 4:
                rival = self._judge(seat, Position.after(self.setup, self.actions[:-1]))
                if rival is not None and rival.wins:
                    self.overridden.append(last.seat)
                    self._withdraw_last()
                    self._finish(seat, rival)
                    return
            self.overridden.append(seat)

    def _refuse_wins(self) -> None:
        """A win that was declared and read but does not hold is shown once it has had time to settle."""
        for seat in list(self._read):
            ms, seq = self._declared[seat]
            if ms + self.settle_ms > self.now:
                continue
            refused = self._refused.pop(seat, None)
            reason = Reason.NOT_WINNING if refused is None else refused.reason
            held = tuple(t for t in range(TILE_COUNT) if self.seen[t] == zone_of(seat, HAND))
            self._note(reason, self.now, seat, held, (seq,))
            self.refused_wins += 1
            del self._read[seat], self._declared[seat]

    def _end(self, ms: int) -> None:
        """Nobody won: a drawn hand, or an aborted one if it had not been dealt."""
        if self.position.over or not self.actions:
            return
        left = self.position.wall_left
        flags = ("wall_exhausted",) if left == 0 else ("wall_not_exhausted",)
        self._do((ActionKind.END, -1, (), None, None, flags if all(self.position.dealt) else ("aborted",)), ())
        if left:
            self._note(Reason.WALL_NOT_EXHAUSTED, ms)

    # -- keeping the list ------------------------------------------------------------------------------

    def _do(
        self,
        draft: Draft,
        evidence_tiles: Iterable[int],
        evidence: tuple[int, ...] = (),
        confidence: Confidence = Confidence.SEEN,
        ms: int | None = None,
    ) -> bool:
        kind, seat, tiles, source, drawn_from, flags = draft
        number = len(self.actions) + 1
        touched = list(evidence_tiles)
        if ms is None:
            ms = max((self.since[tile] for tile in touched), default=self.now)
        revision = self._revisions.get(number, -1) + 1
        action = Action(
            number=number,
            kind=kind,
            seat=None if seat < 0 else seat,
            tiles=tiles,
            source=source,
            drawn_from=drawn_from,
            ms=ms,
            evidence=evidence or tuple(sorted(self.seq[tile] for tile in touched)) or (self._event,),
            confidence=confidence,
            flags=flags,
            revision=revision,
        )
        self._append(action)
        return True

    def _append(self, action: Action) -> None:
        self._revisions[action.number] = action.revision
        seat = action.seat
        if seat is not None and action.kind not in (ActionKind.DEAL, ActionKind.DRAW):
            for tile in action.tiles:
                if self.position.place[tile] == WALL and self.position.missing(seat) > 0:
                    self._learn(seat, tile)
        self.actions.append(action)
        self.made_at.append(self._event)
        if action.kind in (ActionKind.WIN, ActionKind.END):
            self._leave_unexplained(action)
        self.position.apply(action)
        for tile in action.tiles:
            self._compare(tile)
        self._out.append(action)

    def _leave_unexplained(self, last: Action) -> None:
        """What is out of place when the hand ends stays on the list; what moves later is clean-up."""
        for tile in self._odd:
            if self.seen[tile] != NO_ZONE and tile not in last.tiles:
                self._noticed[tile] = self._reason(tile)
        self._refresh_attention()

    def _withdraw_last(self) -> None:
        action = self.actions.pop()
        self.made_at.pop()
        self.superseded.append(action)
        withdrawn = action.revised(withdrawn=True)
        self._revisions[action.number] = withdrawn.revision
        self._out.append(withdrawn)
        self.position = Position.after(self.setup, self.actions)
        self._compare_all()

    def take(self) -> list[Output]:
        out, self._out = self._out, []
        return out

    # -- the attention list ----------------------------------------------------------------------------

    def _reason(self, tile: int) -> Reason:
        if self.seen[tile] == NO_ZONE:
            return Reason.MISSING
        seat, where = divmod(self.seen[tile], 4)
        place = self.position.place[tile]
        if where == MELD and not FLOWER[tile] and (place % 4 == POND or place == zone_of(seat, HAND)):
            return Reason.INCOMPLETE_MELD
        return Reason.MISPLACED

    def _zone_of_item(self, tile: int) -> int:
        return self.position.place[tile] if self.seen[tile] == NO_ZONE else self.seen[tile]

    def _refresh_attention(self) -> None:
        """One open item per reason and zone, with the tiles that are there now."""
        groups: dict[tuple[Reason, int], list[int]] = defaultdict(list)
        for tile, reason in self._noticed.items():
            groups[reason, self._zone_of_item(tile)].append(tile)
        for item in list(self.attention.values()):
            if not item.open or item.zone is None:
                continue
            tiles = tuple(groups.pop((item.reason, item.zone), ()))
            if not tiles:
                self._show(item.cleared())
            elif tiles != item.tiles:
                self._show(self._item(item.number, item.reason, item.zone, tiles, item.since_ms))
        for (reason, zone), odd in groups.items():
            since = min(self.since[tile] for tile in odd)
            self._show(self._item(len(self.attention) + 1, reason, zone, tuple(odd), since))

    def _item(self, number: int, reason: Reason, zone: int, tiles: tuple[int, ...], since: int) -> Attention:
        return Attention(
            number=number,
            reason=reason,
            since_ms=since,
            zone=zone,
            seat=zone // 4,
            tiles=tiles,
            evidence=tuple(sorted(self.seq[tile] for tile in tiles)),
        )

    def _note(
        self,
        reason: Reason,
        ms: int,
        seat: int | None = None,
        tiles: tuple[int, ...] = (),
        evidence: tuple[int, ...] = (),
    ) -> None:
        number = len(self.attention) + 1
        self._show(Attention(number, reason, ms, seat=seat, tiles=tiles, evidence=evidence))

    def _show(self, item: Attention) -> None:
        self.attention[item.number] = item
        self._out.append(item)
