"""Cuts a table's events into hands and gives each to a `HandTracker`; the same events give the same records.

Between the end of a hand and the next wall everything is clean-up: it stays in the raw log only.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from itertools import product
from typing import Final

from paiju.game.actions import Action, Confidence
from paiju.game.attention import Reason
from paiju.game.case import SETTLE_MS, Output
from paiju.game.corrections import Correction, CorrectionKind
from paiju.game.events import CONSOLE, HAND, MOVES, NO_ZONE, SEATS, TableEvent, number, zone_after, zone_of
from paiju.game.hand_tracker import HandTracker
from paiju.game.passing import passing_sights
from paiju.game.position import Setup
from paiju.game.record import HandRecord, result_of
from paiju.game.referee import Concern, concerns
from paiju.game.retiming import Log, retimed
from paiju.i18n import _
from paiju.tiles import TILE_COUNT

Report = Output | HandRecord

_HANDS: Final = frozenset(zone_of(seat, HAND) for seat in SEATS)
_CLOCK_WRAP: Final = 1 << 32


class _Wrong(Enum):
    """What is made of a sight that proved wrong."""

    WHERE_IT_LAY_NEXT = 1
    LEFT_OUT = 2
    BELIEVED = 3


class Tracker:
    """Follows one table. Feed events in the order of their numbers.

    setup: dealer, prevalent wind and rules of the first hand; each following hand passes the deal on
    (article 5.8) unless `next_setup` says otherwise, or `setups` does, by the number of the event with which the
    hand begins. settle_ms: see `case.SETTLE_MS`.
    """

    def __init__(
        self, setup: Setup | None = None, settle_ms: int = SETTLE_MS, setups: Mapping[int, Setup] | None = None
    ) -> None:
        self.setup = setup or Setup()
        self.setups = setups or {}
        self.next_setup: Setup | None = None
        self.settle_ms = settle_ms
        self.hand: HandTracker | None = None
        self.record: HandRecord | None = None
        self.tile_set: int | None = None
        self._expected = self.setup
        self._armed = True
        self._log: list[tuple[TableEvent, int]] = []
        self._raised_at: int | None = None
        self._first = 0
        self._thrown: list[tuple[int, int]] = []
        self._dice: tuple[tuple[int, int], ...] = ()
        self._seen = [NO_ZONE] * TILE_COUNT
        self._corrections: list[Correction] = []
        self._accepted: frozenset[int] = frozenset()
        self._plain = True
        self._recorded: object = None
        self._clock = 0
        self._boot: int | None = None
        self._offset = 0
        self._last_seq = 0

    @property
    def phase(self) -> str:
        """`idle`, `deal`, `flowers`, `play` or `clean_up`."""
        if self.hand is None:
            return "idle"
        position = self.hand.position
        if position.over:
            return "clean_up"
        if not all(position.dealt):
            return "deal"
        return "play" if any(position.moved_yet) else "flowers"

    @property
    def first(self) -> int:
        """Number of the event with which the present hand begins."""
        return self._first

    @property
    def expected(self) -> Setup:
        """What the present hand was begun with; `setup` once its dealer has shown himself."""
        return self._expected

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """What people changed in the present hand, oldest first."""
        return tuple(self._corrections)

    @property
    def concerns(self) -> tuple[Concern, ...]:
        """What the referee may want to rule on in the present hand."""
        hand = self._hand_or_fail()
        times = {event.seq: ms for event, ms in self._log}
        return concerns(hand.setup, hand.actions, hand.case.attention.history, times)

    @property
    def dice(self) -> tuple[tuple[int, int], ...]:
        """The throws that opened the wall of the present hand."""
        return self._dice

    def feed(self, event: TableEvent) -> list[Report]:
        """What the event adds: actions (new, revised or withdrawn), attention items, the record at the end."""
        if event.seq and event.seq <= self._last_seq:
            return []
        self._last_seq = event.seq or self._last_seq
        ms, jumped = self._table_ms(event)
        reports: list[Report] = []
        if jumped and self._playing:
            reports += self._hand_or_fail().remark(Reason.CLOCK, ms)
        if event.kind == "cycle":
            self._cycle(event)
        elif event.kind == "dice":
            self._thrown.append((number(event, "die1"), number(event, "die2")))
        elif event.kind in MOVES and not self._begin(event):
            return reports
        if self.hand is not None:
            self._log.append((event, ms))
            reports += self._give(self.hand, event, ms)
            reports += self._other_dealer()
            reports += self._hindsight()
            if reports or event.kind == "zone_read":  # a further win may have been overridden without a word
                reports += self._closed()
        return reports

    def advance(self, ms: int) -> list[Report]:
        """Let table time pass without an event. `ms` must be a time up to which every event is known."""
        if self.hand is None or ms <= self._clock:
            return []
        self._clock = ms
        self.hand.advance(ms)
        return [*self.hand.take(), *self._closed()]

    def finish(self) -> list[Report]:
        """The log ends here: decide what only waited for time, and close a hand that was left open."""
        if self.hand is None or self.hand.position.over or not self.hand.actions:
            return []
        reports = self.advance(self._clock + self.settle_ms)
        if self.hand.position.over:
            return reports
        return [*reports, *self.hand.break_off(self._clock), *self._closed()]

    def correct(self, first: int, instead: Sequence[Action], who: str, why: str) -> list[Report]:
        """Put `instead` in the place of action `first`, or nothing, and derive everything after it again.

        first: 1 to one more than the last action. Returns what changed. Raises ValueError outside a
        hand or for a number that is not there.
        """
        kind = CorrectionKind.EDIT if instead else CorrectionKind.TAKE_BACK
        return self.apply(Correction(first, who, why, kind, tuple(instead)))

    def accept(self, item: int, choice: int, who: str, why: str) -> list[Report]:
        """Take explanation number `choice` of an attention item as what happened; returns what changed.

        Raises ValueError if there is no such item or explanation.
        """
        return self.apply(self.acceptance(item, choice, who, why))

    def acceptance(self, item: int, choice: int, who: str, why: str) -> Correction:
        """What `accept` would apply."""
        hand = self.hand
        try:
            proposal = hand.proposals(item)[choice] if hand is not None and choice >= 0 else None
        except (KeyError, IndexError):
            proposal = None
        if hand is None or proposal is None:
            say = _("attention item {item} has no explanation {n}")
            raise ValueError(say.format(item=item, n=choice + 1))
        acts = tuple(
            Action(0, d.kind, d.seat, d.tiles, d.source, d.drawn_from, hand.case.now, flags=d.flags) for d in proposal
        )
        return Correction(len(hand.actions) + 1, who, why, CorrectionKind.ACCEPT, acts, item)

    def dismiss(self, item: int, who: str, why: str) -> list[Report]:
        """Close an attention item that a person has looked at. Raises ValueError if there is none."""
        return self.apply(Correction(0, who, why, CorrectionKind.DISMISS, item=item))

    def apply(self, correction: Correction) -> list[Report]:
        """Let a person's word stand; returns what changed. Raises ValueError if it does not fit the present hand."""
        hand = self.hand
        if correction.kind is CorrectionKind.DISMISS:
            if hand is None or correction.item is None or correction.item not in hand.case.attention.items:
                raise ValueError(_("there is no attention item {item}").format(item=correction.item))
            hand.case.attention.dismiss(correction.item)
            self._corrections.append(replace(correction, at=correction.at or self._last_seq))
            return [*hand.take(), *self._closed()]
        first = correction.number
        if hand is None or not 1 <= first <= len(hand.actions) + 1:
            raise ValueError(_("there is no action {n} to correct in the present hand").format(n=first))
        if not correction.at:
            replaced = None if correction.kind is CorrectionKind.ACCEPT else next(iter(hand.actions[first - 1 :]), None)
            correction = replace(correction, at=self._last_seq, replaced=replaced)
        again = self._corrected(hand, correction)
        for later in self._corrections:
            if later.number > first and later.kind is not CorrectionKind.DISMISS:
                with suppress(ValueError):  # what it spoke of may have gone with the act corrected now
                    again = self._corrected(again, later)
        self._corrections.append(correction)
        return [*self._put_in_place(again), *self._closed()]

    def _corrected(self, hand: HandTracker, correction: Correction) -> HandTracker:
        """The hand derived again from the corrected action on; ValueError if that action is not there."""
        made = hand.case.made_at
        replaced = correction.replaced
        if replaced is None:
            made_at = correction.at
            index = sum(event <= made_at for event in made)
        else:
            index = _place(hand.actions, replaced, correction.number - 1)
            made_at = made[index]
        kept = hand.actions[:index]
        given = [
            replace(
                action,
                number=index + place,
                ms=action.ms or (hand.case.now if replaced is None else replaced.ms),
                evidence=action.evidence or (() if replaced is None else replaced.evidence),
                confidence=Confidence.PERSON,
            )
            for place, action in enumerate(correction.instead, 1)
        ]
        again = HandTracker(hand.setup, settle_ms=self.settle_ms)
        again.hold([*kept, *given], [*made[:index], *[made_at] * len(given)])
        for event, ms in self._log:
            if event.seq <= made_at:
                self._give(again, event, ms)
        before = () if replaced is None else (replaced,)
        said = {tile for action in (*before, *given) for tile in action.tiles}
        again.release(said, None if replaced is None else replaced.kind)
        for event, ms in self._log:
            if event.seq > made_at:
                self._give(again, event, ms)
        return again

    # -- hands -----------------------------------------------------------------------------------------

    @property
    def _playing(self) -> bool:
        return self.hand is not None and not self.hand.position.over

    def _hand_or_fail(self) -> HandTracker:
        assert self.hand is not None
        return self.hand

    def _cycle(self, event: TableEvent) -> None:
        if event.fields["state"] == "raise" and not self._playing:
            self._armed = True
            self._raised_at = event.seq
            self.tile_set = "AB".index(str(event.fields["set"]))
            self._seen = [NO_ZONE] * TILE_COUNT
            self._thrown.clear()

    def _begin(self, event: TableEvent) -> bool:
        """Whether the event belongs to a hand; the first tile in a rack under a new wall starts one."""
        tile_set, tile = divmod(number(event, "tile"), 256)
        zone = zone_after(event)
        if self.tile_set is None:
            self.tile_set = tile_set
        if self._armed and tile_set == self.tile_set and zone in _HANDS:
            self._first = event.seq if self._raised_at is None else self._raised_at
            following = self.setup if self.hand is None else self.setup.following()
            self.setup = self.next_setup or self.setups.get(self._first, following)
            self.next_setup = None
            self._expected = self.setup
            self._armed = False
            self._raised_at = None
            self._log.clear()
            self._corrections.clear()
            self._accepted = frozenset()
            self._plain = self._seen.count(NO_ZONE) == TILE_COUNT
            self._dice = tuple(self._thrown)
            self.record = None
            self.hand = HandTracker(self.setup, self._seen, self.settle_ms)
        if tile_set == self.tile_set and tile < TILE_COUNT:
            self._seen[tile] = zone_after(event)
        return self.hand is not None

    def _give(self, hand: HandTracker, event: TableEvent, ms: int) -> list[Output]:
        kind, fields = event.kind, event.fields
        if kind in MOVES:
            tile_set, tile = divmod(number(event, "tile"), 256)
            if tile_set != self.tile_set or tile >= TILE_COUNT:
                return [] if hand.position.over else hand.remark(Reason.FOREIGN_TILE, ms)
            return hand.move(tile, zone_after(event), event, ms)
        if kind == "button" and number(event, "pressed"):
            seat = number(event, "seat")
            if fields["button"] == "win" and seat in SEATS:
                return hand.declare_win(seat, event, ms)
            if fields["button"] == "refill" and seat == CONSOLE and not hand.position.over:
                return hand.give_up(event, ms)
        elif kind == "cycle" and fields["state"] == "collect" and not hand.position.over:
            return hand.give_up(event, ms)
        elif kind == "zone_read":
            return hand.zone_read(number(event, "zone"), event, ms)
        elif kind == "gap" and not hand.position.over:
            return hand.remark(Reason.GAP, ms)
        return hand.pass_time(event, ms)

    def _other_dealer(self) -> list[Report]:
        """The fourteenth tile and the first discard say who deals; a hand derived for another seat is redone."""
        hand = self._hand_or_fail()
        seat = hand.evident_dealer()
        if seat is None:
            return []
        self.setup = replace(self.setup, dealer=seat)
        again = HandTracker(self.setup, settle_ms=self.settle_ms)
        for event, ms in self._log:
            self._give(again, event, ms)
        return [*self._put_in_place(again), *again.remark(Reason.DEALER, self._clock)]

    def _hindsight(self) -> list[Report]:
        """When something new cannot be explained: derive the hand again with the tiles of sights that proved
        wrong where they lay next, or without those sights, with late ones moved to their time, for the dealer that was
        expected, or without inferring discards from tiles out of sight.

        Taken only if it leaves less unexplained. What a person has corrected is not touched.
        """
        hand = self._hand_or_fail()
        if hand.unexplained <= self._accepted or any(c.number for c in self._corrections):
            self._accepted &= hand.unexplained
            return []
        self._accepted = hand.unexplained
        wrong = passing_sights(self._log, hand.position.over)
        logs: list[Log] = [self._log]
        if (in_time := retimed(self._log)) != self._log:
            logs.append(in_time)
        best: HandTracker = hand
        setups = {self._expected: None, hand.setup: None}
        bold: set[tuple[int, Setup, _Wrong]] = set()
        if self._plain and hand.bold:
            bold.add((0, hand.setup, _Wrong.BELIEVED))
        for number_of_log, setup, cautious, way in product(
            range(len(logs)), setups, (False, True), _Wrong if wrong else (_Wrong.BELIEVED,)
        ):
            as_before = self._plain and (number_of_log, setup, way) == (0, hand.setup, _Wrong.BELIEVED)
            if (cautious and (number_of_log, setup, way) not in bold) or (as_before and not cautious):
                continue
            again = self._derived(logs[number_of_log], setup, cautious, wrong, way)
            if again.bold:
                bold.add((number_of_log, setup, way))
            if again.doubts < best.doubts:
                best = again
            if not best.unexplained:
                break
        if best is hand:
            return []
        self._plain = False
        self._accepted = best.unexplained
        self.setup = best.setup
        return self._put_in_place(best)

    def _derived(self, log: Log, setup: Setup, cautious: bool, wrong: Mapping[int, int], way: _Wrong) -> HandTracker:
        again = HandTracker(setup, settle_ms=self.settle_ms, cautious=cautious)
        for event, ms in log:
            if event.seq not in wrong or way is _Wrong.BELIEVED:
                self._give(again, event, ms)
            elif way is _Wrong.LEFT_OUT:
                again.pass_time(event, ms)
            else:
                again.move(number(event, "tile") % 256, wrong[event.seq], event, ms)
        return again

    def _put_in_place(self, again: HandTracker) -> list[Report]:
        """Let another derivation of the hand supersede the present one; tell only what differs."""
        before = self._hand_or_fail()
        reports: list[Report] = []
        for index, action in enumerate(again.actions):
            old = before.actions[index] if index < len(before.actions) else None
            if old is not None and replace(action, revision=0) == replace(old, revision=0):
                again.actions[index] = old
                continue
            revision = before.case.revisions.get(action.number)
            again.actions[index] = replace(action, revision=0 if revision is None else revision + 1)
            reports.append(again.actions[index])
            if old is not None:
                again.case.superseded.append(old)
        for old in before.actions[len(again.actions) :]:
            again.case.superseded.append(old)
            reports.append(old.revised(withdrawn=True))
        again.case.superseded[:0] = before.case.superseded
        again.take()
        reports += again.continue_from(before)
        self.hand = again
        return reports

    def _closed(self) -> list[Report]:
        """The record, when the hand has ended or its end has changed."""
        hand = self._hand_or_fail()
        if not hand.position.over:
            return []
        attention = hand.case.attention
        counts = len(self._corrections), len(hand.case.superseded), len(attention.items)
        state = tuple(hand.actions), attention.open, hand.overridden, counts
        if self.record is not None and state == self._recorded:
            return []
        self._recorded = state
        record = HandRecord(
            setup=hand.setup,
            actions=tuple(hand.actions),
            result=result_of(hand.setup, hand.actions),
            dice=self._dice,
            tile_set=self.tile_set or 0,
            events=(self._first, hand.case.made_at[-1]),
            attention=hand.case.attention.open,
            overridden=hand.overridden,
            superseded=tuple(hand.case.superseded),
            corrections=tuple(self._corrections),
            concerns=self.concerns,
        )
        before = self.record
        if before is not None:
            if replace(before, revision=0) == record:
                return []
            record = replace(record, revision=before.revision + 1)
        self.record = record
        return [record]

    # -- the table's clock -----------------------------------------------------------------------------

    def _table_ms(self, event: TableEvent) -> tuple[int, bool]:
        """Milliseconds that never run backwards over restarts and the wrap of the counter; whether they jumped."""
        if self._boot is None:
            self._boot = event.boot
        elif event.boot != self._boot:
            self._boot = event.boot
            self._offset = self._clock - event.t_ms
        ms = event.t_ms + self._offset
        if ms < self._clock - _CLOCK_WRAP // 2:
            self._offset += _CLOCK_WRAP
            ms += _CLOCK_WRAP
        jumped = ms < self._clock
        self._clock = max(self._clock, ms)
        return self._clock, jumped


def _place(actions: Sequence[Action], sought: Action, likely: int) -> int:
    """Index of an action told before, which may have moved since; ValueError if it is not there."""
    same = [
        index
        for index, action in enumerate(actions)
        if (action.kind, action.seat, action.tiles) == (sought.kind, sought.seat, sought.tiles)
    ]
    if not same:
        say = _("action {n} is no longer what it was when it was corrected")
        raise ValueError(say.format(n=sought.number))
    return min(same, key=lambda index: abs(index - likely))


def track(
    events: Iterable[TableEvent], setup: Setup | None = None, setups: Mapping[int, Setup] | None = None
) -> list[HandRecord]:
    """The records of all hands in a log, the last revision of each; the arguments of `Tracker`."""
    tracker = Tracker(setup, setups=setups)
    records: list[HandRecord] = []

    def keep(reports: Iterable[Report]) -> None:
        for report in reports:
            if isinstance(report, HandRecord):
                if report.revision:
                    records[-1] = report
                else:
                    records.append(report)

    for event in events:
        keep(tracker.feed(event))
    keep(tracker.finish())
    return records
