"""Explains what the table shows of one hand by actions.

The tracker compares where each tile *is seen* with where the actions so far *put* it (`case`). A tile that
differs is odd. Odd tiles are explained by the one legal step that puts them where they are seen (`steps`); a
step that needs an act nobody saw waits a settle time and is taken only if nothing plainer came (`guesses`).
What stays odd goes to the attention list and leaves it when the table does. So the order in which the readers
report does not matter.
"""

from collections.abc import Iterable, Sequence

from paiju.game.actions import Action, ActionKind, Confidence
from paiju.game.attention import Attention, Reason
from paiju.game.case import SETTLE_MS, Case, Draft, Output
from paiju.game.deal import Deal
from paiju.game.events import HAND, SEAT_ZONES, SEATS, TableEvent
from paiju.game.guesses import Guesses
from paiju.game.position import WALL, Position, Setup
from paiju.game.proposals import Proposal, declared_win, describe, proposals
from paiju.game.steps import Steps
from paiju.game.wins import Wins
from paiju.tiles import TILE_COUNT


class HandTracker:
    """One hand, from the first tile dealt to the end. Feed it the table's events in order.

    `seen` is where the tiles lie when the hand starts (zone numbers by tile number). `cautious`: infer no
    discard from a tile that is merely out of sight.
    """

    def __init__(
        self,
        setup: Setup,
        seen: Sequence[int] | None = None,
        settle_ms: int = SETTLE_MS,
        cautious: bool = False,
    ) -> None:
        self.case = Case(setup, seen, settle_ms)
        self.case.explain = self._explanations
        self._deal = Deal(self.case)
        self._steps = Steps(self.case)
        self._guesses = Guesses(self.case, self._steps, cautious)
        self._wins = Wins(self.case)
        self._cautious = cautious
        self._held = False
        self._given_up: int | None = None

    @property
    def setup(self) -> Setup:
        return self.case.setup

    @property
    def position(self) -> Position:
        return self.case.position

    @property
    def actions(self) -> list[Action]:
        return self.case.actions

    @property
    def overridden(self) -> tuple[int, ...]:
        return tuple(self._wins.overridden)

    @property
    def unexplained(self) -> frozenset[int]:
        """What the table shows and the actions do not account for: tiles, and below 0 wins that were refused."""
        return frozenset(self.case.noticed) | frozenset(range(-self._wins.refused, 0))

    @property
    def doubts(self) -> int:
        """How much is unexplained, or explained in one of several ways."""
        return len(self.unexplained) + sum(item.reason is Reason.AMBIGUOUS for item in self.case.attention.open)

    @property
    def bold(self) -> bool:
        """Whether a cautious tracker may have come to something else."""
        return self._guesses.bold

    def evident_dealer(self) -> int | None:
        """The seat that plays as dealer, if it is not the expected one."""
        return self._deal.evident_dealer()

    # -- what the table says

    def move(self, tile: int, zone: int, event: TableEvent, ms: int) -> list[Output]:
        """The tile is now seen in `zone` (NO_ZONE: in none)."""
        self._begin(event, ms)
        self.case.observe(tile, zone, ms, event.seq)
        if self.position.over:
            self._wins.drew_instead(tile)
        else:
            self._explain()
            if self._wins.read and not self._held:
                self._hasten()
        return self.take()

    def declare_win(self, seat: int, event: TableEvent, ms: int) -> list[Output]:
        """The win button of a seat went down; the evidence follows with the full read of its zones."""
        self._begin(event, ms)
        self._wins.declare(seat, ms, event.seq)
        return self.take()

    def zone_read(self, zone: int, event: TableEvent, ms: int) -> list[Output]:
        """A zone was read in full; that of a hand lets a declared win be judged."""
        self._begin(event, ms)
        if zone < SEAT_ZONES and zone % 4 == HAND and self._wins.hand_read(zone // 4, event.seq):
            self._explain()
            if not self._held and not self.position.over:
                self._hasten()
        return self.take()

    def give_up(self, event: TableEvent, ms: int) -> list[Output]:
        """The tiles are collected: without a win, the hand is drawn."""
        self._begin(event, ms)
        if self._held:
            self._given_up = ms
        else:
            self._end(ms)
        return self.take()

    def break_off(self, ms: int) -> list[Output]:
        """The log ends within the hand."""
        self.case.do(Draft(ActionKind.END, None, flags=("aborted",)), ms=ms)
        return self.take()

    def pass_time(self, event: TableEvent, ms: int) -> list[Output]:
        """An event that says nothing of the hand but what time it is."""
        self._begin(event, ms)
        return self.take()

    def remark(self, reason: Reason, ms: int, tiles: tuple[int, ...] = ()) -> list[Output]:
        """Put something on the attention list that is no tile out of place."""
        self.case.attention.note(reason, ms, tiles=tiles)
        return self.take()

    def advance(self, ms: int) -> None:
        """Let table time pass: what settled before `ms` is decided, in the order in which it settled."""
        case = self.case
        while not (self.position.over or self._held):
            due = min((case.due(tile) for tile in case.odd if tile not in case.noticed), default=None)
            if due is None or due > ms:
                break
            case.now = due
            self._explain()
            if not self.position.over:
                case.notice_due(due)
        case.now = ms
        if not self.position.over:
            self._wins.refuse()

    def proposals(self, number: int) -> list[Proposal]:
        """The explanations of an attention item, as acts to choose from. Raises KeyError."""
        item = self.case.attention.items[number]
        if item.zone is not None:
            return proposals(self.case, item.zone, item.tiles)
        unread = item.reason in (Reason.TILE_COUNT, Reason.NOT_WINNING) and not self.position.over
        return declared_win(self.case, item.seat) if unread and item.seat is not None else []

    def explanations(self, number: int) -> tuple[str, ...]:
        """The proposals for an attention item in words. Raises KeyError."""
        return tuple(map(describe, self.proposals(number)))

    def _explanations(self, zone: int, tiles: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(map(describe, proposals(self.case, zone, tiles)))

    def take(self) -> list[Output]:
        """What there is to tell since the last call."""
        return self.case.take()

    # -- deriving again

    def hold(self, actions: Sequence[Action], made_at: Sequence[int]) -> None:
        """Start from these actions, made at these events: what is fed until `release` is only looked at."""
        self._held = True
        self.case.actions, self.case.made_at = list(actions), list(made_at)

    def release(self, said: Iterable[int] = (), undone: ActionKind | None = None) -> None:
        """Explain what was fed since `hold`, beyond the actions given there.

        The tiles `said` lie where those actions put them, whatever was seen, until they are seen to move. A win or
        an end that was `undone` is not found again in what was fed.
        """
        self._held = False
        if undone is ActionKind.WIN:
            self._wins = Wins(self.case)
        elif undone is ActionKind.END:
            self._given_up = None
        self.case.restart(self.case.actions, self.case.made_at)
        for tile in said:
            self.case.observe(tile, self.position.place[tile], self.case.now, self.case.event)
        self._explain()
        if not self.position.over:
            self.case.notice_due(self.case.now)
        if self._given_up is not None:
            self._end(self._given_up)

    def continue_from(self, before: "HandTracker") -> list[Attention]:
        """Take the place of another derivation of the same hand; returns its attention items, closed or renewed."""
        self.case.revisions = before.case.revisions | {a.number: a.revision for a in self.actions}
        return self.case.attention.continue_from(before.case.attention)

    # -- explaining

    def _begin(self, event: TableEvent, ms: int) -> None:
        self.advance(ms)
        self.case.event = event.seq

    def _explain(self) -> None:
        """Take every step that is plain, then every guess that has waited long enough, until nothing more fits."""
        if self._held:
            return
        if self.position.over:
            self._wins.later()
            return
        while not self.position.over and (
            self._deal.step()
            or self._steps.step()
            or self._guesses.step(self._wins.declared)
            or self._guesses.late()
            or self._wins.step()
        ):
            pass
        if not self.position.over and (self.case.noticed or self.case.attention.open):
            self.case.update_attention()

    def _hasten(self) -> None:
        """A win that does not hold yet may wait for guesses that still settle: they are taken if it then holds.

        A tile that shows itself in the full read, in a hand with one unread, need not be the one just drawn.
        """
        if self.position.over or not all(self.position.dealt):
            return
        branches = [self.case.branch(len(self.actions))]
        if (last := self.case.revocable()) is not None and self._may_be_older(last):
            assert last.seat is not None
            branches.append(self.case.branch(len(self.actions) - 1))
            branches[-1].learn(last.seat, last.tiles[0])
        for branch in branches:
            branch.now += branch.settle_ms
            steps = Steps(branch)
            guesses, wins = Guesses(branch, steps, self._cautious), self._wins.on(branch)
            while steps.step() or guesses.step(wins.declared) or guesses.late():
                pass
            self._guesses.bold |= guesses.bold
            if wins.step() or self._last_resort(guesses, steps, wins):
                self.case.adopt(branch)
                return

    @staticmethod
    def _last_resort(guesses: Guesses, steps: Steps, wins: Wins) -> bool:
        """A win after a discard that lies in a wrong zone, or on one that no reader saw."""
        if guesses.misplaced_discard():
            while steps.step() or guesses.step(wins.declared):
                pass
            return wins.step()
        return any(guesses.won_discard(seat) for seat in sorted(wins.declared)) and wins.step()

    def _may_be_older(self, draw: Action) -> bool:
        """Whether the tile drawn last, by a seat that declares a win, may have stood unread in the hand."""
        inferred = draw.kind is ActionKind.DRAW and draw.confidence is Confidence.INFERRED
        seat = draw.seat
        return bool(inferred and draw.tiles and seat in self._wins.declared and self.position.missing(seat) > 0)

    def _learn_the_last(self) -> None:
        """Of an exhausted wall, one tile that was never seen must be the one that a hand holds unread."""
        position = self.position
        unread = [seat for seat in SEATS for _ in range(position.missing(seat))]
        unseen = [tile for tile in range(TILE_COUNT) if position.place[tile] == WALL]
        if not position.wall_left and len(unread) == len(unseen) == 1:
            self.case.learn(unread[0], unseen[0])

    def _end(self, ms: int) -> None:
        """Nobody won: a drawn hand, or an aborted one if it had not been dealt. Nothing is waited for any more."""
        case = self.case
        case.now = ms + case.settle_ms
        self._explain()
        if self._guesses.misplaced_discard():
            self._explain()
        case.now = ms
        if self.position.over or not self.actions:
            return
        left = self.position.wall_left
        self._learn_the_last()
        flag = "aborted" if not all(self.position.dealt) else "wall_not_exhausted" if left else "wall_exhausted"
        case.do(Draft(ActionKind.END, None, flags=(flag,)), ms=ms)
        if left:
            case.attention.note(Reason.WALL_NOT_EXHAUSTED, ms)
