"""What the table shows of a hand against what the actions so far make of it: the state the explaining works on."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from paiju.game.actions import Action, ActionKind, Confidence, DrawnFrom
from paiju.game.attention import Attention, Reason
from paiju.game.attention_list import AttentionList
from paiju.game.events import GATE, HAND, MELD, NO_ZONE, POND, SEAT_ZONES, zone_of
from paiju.game.position import FLOWER, WALL, Position, Setup
from paiju.tiles import TILE_COUNT

SETTLE_MS: Final = 2500
"""How long a step that nobody saw, or a tile out of place, is given to explain itself."""

Output = Action | Attention


@dataclass(frozen=True, slots=True)
class Draft:
    """An act before it has a number, a time and evidence; fields as in `Action`."""

    kind: ActionKind
    seat: int | None
    tiles: tuple[int, ...] = ()
    source: int | None = None
    drawn_from: DrawnFrom | None = None
    flags: tuple[str, ...] = ()
    confidence: Confidence = Confidence.SEEN


class Case:
    """Sights and actions of one hand.

    seen, since, seq: by tile number, the zone where it is seen, from when (ms), by which event; origin, first: the
    zone before, and when it was seen at all for the first time. odd: tiles seen
    elsewhere than the actions put them, in the order in which they became so. noticed: odd tiles that had
    their time and are on the attention list; explain: gives possible explanations of tiles in a zone in words.
    """

    def __init__(self, setup: Setup, seen: Sequence[int] | None = None, settle_ms: int = SETTLE_MS) -> None:
        self.setup = setup
        self.settle_ms = settle_ms
        self.now = 0
        self.event = 0
        self.seen = list(seen) if seen is not None else [NO_ZONE] * TILE_COUNT
        self.since = [0] * TILE_COUNT
        self.origin = list(self.seen)
        self.first: list[int | None] = [None] * TILE_COUNT
        self._lay_since = [0] * TILE_COUNT
        self.seq = [0] * TILE_COUNT
        self.odd: dict[int, None] = {}
        self.noticed: dict[int, Reason] = {}
        self.position = Position(setup)
        self.actions: list[Action] = []
        self.made_at: list[int] = []
        self.superseded: list[Action] = []
        self.attention = AttentionList()
        self.revisions: dict[int, int] = {}
        self.explain: Callable[[int, tuple[int, ...]], tuple[str, ...]] = lambda _zone, _tiles: ()
        self._told: list[Output] = []

    def branch(self, length: int) -> "Case":
        """The same sights after only the first `length` actions."""
        case = Case(self.setup, self.seen, self.settle_ms)
        case.since, case.seq, case.origin = list(self.since), list(self.seq), list(self.origin)
        case._lay_since = list(self._lay_since)
        case.first, case.now, case.event = list(self.first), self.now, self.event
        case.restart(self.actions[:length], self.made_at[:length])
        return case

    def take(self) -> list[Output]:
        """What there is to tell since the last call."""
        told, self._told = self._told, []
        return [*told, *self.attention.take()]

    # -- sights

    def observe(self, tile: int, zone: int, ms: int, seq: int) -> None:
        """The tile is seen in `zone` from now on; after the end of the hand it is no longer compared."""
        if self.seen[tile] not in (NO_ZONE, zone):
            self.origin[tile] = self.seen[tile]
            self._lay_since[tile] = self.since[tile]
        elif zone == self.origin[tile] and zone % 4 in (MELD, POND):  # a reader lost it for a while
            ms = self._lay_since[tile]
        if self.first[tile] is None and zone != NO_ZONE:
            self.first[tile] = ms
        self.seen[tile], self.since[tile], self.seq[tile] = zone, ms, seq
        if not self.position.over:
            self.noticed.pop(tile, None)
            self.compare(tile)

    def compare(self, tile: int) -> None:
        """Keep `odd`: a tile of a hand or of the wall may be out of sight, one in the open may not."""
        seen, place = self.seen[tile], self.position.place[tile]
        hidden = seen == NO_ZONE and place % 4 not in (MELD, POND)
        below = seen >= SEAT_ZONES or (seen != NO_ZONE and seen % 4 == GATE)
        if seen == place or hidden or below:
            self.odd.pop(tile, None)
            self.noticed.pop(tile, None)
        else:
            self.odd.setdefault(tile)

    def odd_in(self, zone: int) -> list[int]:
        return [tile for tile in self.odd if self.seen[tile] == zone]

    def due(self, tile: int) -> int:
        """When the tile has had its time."""
        return self.since[tile] + self.settle_ms

    def held(self, seat: int) -> list[int]:
        """The tiles seen in a seat's hand, flowers apart."""
        zone = zone_of(seat, HAND)
        return [tile for tile in range(TILE_COUNT) if self.seen[tile] == zone and not FLOWER[tile]]

    # -- actions

    def do(
        self, draft: Draft, tiles: Iterable[int] = (), evidence: tuple[int, ...] = (), ms: int | None = None
    ) -> bool:
        """Take an act into the list; always True. `tiles` are those whose sights are its evidence and time."""
        touched = list(tiles)
        if ms is None:
            ms = max((self.since[tile] for tile in touched), default=self.now)
        number = len(self.actions) + 1
        action = Action(
            number=number,
            kind=draft.kind,
            seat=draft.seat,
            tiles=draft.tiles,
            source=draft.source,
            drawn_from=draft.drawn_from,
            ms=ms,
            evidence=evidence or tuple(sorted(self.seq[tile] for tile in touched)) or (self.event,),
            confidence=draft.confidence,
            flags=draft.flags,
            revision=self.revisions.get(number, -1) + 1,
        )
        self._learn_what_it_shows(action)
        self.actions.append(action)
        self.made_at.append(self.event)
        self.revisions[number] = action.revision
        if action.kind in (ActionKind.WIN, ActionKind.END):
            self._leave_unexplained(action)
        self.position.apply(action)
        for tile in action.tiles:
            self.compare(tile)
        self._told.append(action)
        return True

    def revocable(self) -> Action | None:
        """The last action, unless a person entered it."""
        last = self.actions[-1] if self.actions else None
        return None if last is None or last.confidence is Confidence.PERSON else last

    def withdraw_last(self) -> None:
        action = self.actions.pop()
        self.made_at.pop()
        self.superseded.append(action)
        withdrawn = action.revised(withdrawn=True)
        self.revisions[action.number] = withdrawn.revision
        self._told.append(withdrawn)
        self._place_again()

    def restart(self, actions: Sequence[Action], made_at: Sequence[int]) -> None:
        """Go on from these actions instead."""
        self.actions, self.made_at = list(actions), list(made_at)
        self._place_again()

    def adopt(self, other: "Case") -> None:
        """Take over the actions of a branch; those that changed are told as revisions."""
        before = self.actions
        self.restart(other.actions, other.made_at)
        for index, action in enumerate(self.actions):
            old = before[index] if index < len(before) else None
            if old is not None and replace(action, revision=0) == replace(old, revision=0):
                self.actions[index] = old
                continue
            if old is not None:
                self.superseded.append(old)
            self.actions[index] = replace(action, revision=self.revisions.get(action.number, -1) + 1)
            self.revisions[action.number] = self.actions[index].revision
            self._told.append(self.actions[index])
        for item in other.attention.open:
            if item.zone is None:
                self.attention.note(item.reason, item.since_ms, item.seat, item.tiles, item.evidence)
        if self.position.over:
            self._leave_unexplained(self.actions[-1])

    def learn(self, seat: int, tile: int) -> None:
        """A tile that the seat held unread shows itself: the draw or deal that brought it is completed."""
        for index in range(len(self.actions) - 1, -1, -1):
            action = self.actions[index]
            unread = (action.kind is ActionKind.DRAW and not action.tiles) or action.kind is ActionKind.DEAL
            if action.seat == seat and unread:
                self.superseded.append(action)
                tiles, evidence = (*action.tiles, tile), (*action.evidence, self.seq[tile])
                self.actions[index] = action.revised(tiles=tiles, evidence=evidence)
                self.revisions[action.number] = self.actions[index].revision
                self._told.append(self.actions[index])
                break
        self.position.learn(seat, tile)
        self.compare(tile)

    def _learn_what_it_shows(self, action: Action) -> None:
        if action.seat is None or action.kind in (ActionKind.DEAL, ActionKind.DRAW):
            return
        for tile in action.tiles:
            if self.position.place[tile] == WALL and self.position.missing(action.seat) > 0:
                self.learn(action.seat, tile)

    def _place_again(self) -> None:
        self.position = Position.after(self.setup, self.actions)
        self.odd.clear()
        for tile in sorted(range(TILE_COUNT), key=self.since.__getitem__):
            self.compare(tile)

    # -- what stays odd

    def notice_due(self, ms: int) -> None:
        """Put what had its time by `ms` on the attention list."""
        for tile in self.odd:
            if tile not in self.noticed and self.due(tile) <= ms:
                self.noticed[tile] = self._reason(tile)
        self.update_attention()

    def update_attention(self) -> None:
        groups: dict[tuple[Reason, int], list[int]] = defaultdict(list)
        for tile, reason in self.noticed.items():
            zone = self.position.place[tile] if self.seen[tile] == NO_ZONE else self.seen[tile]
            groups[reason, zone].append(tile)
        self.attention.update(groups, self.since, self.seq, self.explain)

    def _leave_unexplained(self, last: Action) -> None:
        """What is out of place when the hand ends stays on the list; what moves later is clean-up."""
        for tile in self.odd:
            if tile not in last.tiles:
                self.noticed[tile] = self._reason(tile)
        self.update_attention()

    def _reason(self, tile: int) -> Reason:
        if self.seen[tile] == NO_ZONE:
            return Reason.MISSING
        seat, where = divmod(self.seen[tile], 4)
        place = self.position.place[tile]
        if where == MELD and not FLOWER[tile] and (place % 4 == POND or place == zone_of(seat, HAND)):
            return Reason.INCOMPLETE_MELD
        return Reason.MISPLACED
