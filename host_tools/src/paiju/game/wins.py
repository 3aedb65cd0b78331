"""Declared wins: pressed, read, judged; one winner a hand."""

from typing import Final

from paiju.game.actions import Action, ActionKind, Confidence, DrawnFrom
from paiju.game.attention import Reason
from paiju.game.case import Case, Draft
from paiju.game.events import HAND, MELD, zone_of
from paiju.game.position import FLOWER, WALL, Position
from paiju.game.scoring import Verdict, judge

REOPEN_MS: Final = 15_000
"""How long after the button a win may still show itself."""


class Wins:
    """overridden: seats whose win gave way to another; refused: how many wins did not hold."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._declared: dict[int, tuple[int, int]] = {}
        self._read: dict[int, int] = {}
        self._verdicts: dict[int, Verdict] = {}
        self._refused: dict[int, tuple[tuple[int, int], int]] = {}
        self._told: set[int] = set()
        self.overridden: list[int] = []
        self.refused = 0

    @property
    def declared(self) -> frozenset[int]:
        return frozenset(self._declared)

    @property
    def read(self) -> frozenset[int]:
        """Seats whose hand was read since they declared, and whose win is not decided."""
        return frozenset(self._read)

    def declare(self, seat: int, ms: int, seq: int) -> None:
        """The win button of a seat went down."""
        self._declared[seat] = ms, seq
        self._read.pop(seat, None)
        self._refused.pop(seat, None)

    def hand_read(self, seat: int, seq: int) -> bool:
        """The seat's hand was read in full; True if that lets a declared win be judged."""
        if seat not in self._declared:
            return False
        self._read[seat] = seq
        return True

    def step(self) -> bool:
        """Judge the declared wins whose zones have been read, the seat next in turn first; True at a win."""
        position = self._case.position
        self._reopen()
        if not self._read or not all(position.dealt):
            return False
        origin = position.turn if position.discarder is None else position.discarder
        for seat in sorted(self._read, key=lambda s: (s - origin) % 4):
            verdict = self._judge(seat, position)
            if verdict is None:
                continue
            if verdict.wins:
                return self._finish(seat, verdict)
            self._verdicts[seat] = verdict
        return False

    def _reopen(self) -> None:
        """A win refused a short time ago is judged again when a tile comes to the hand that was not its own."""
        for seat, ((ms, seq), read) in list(self._refused.items()):
            if self._case.now < ms + REOPEN_MS and self._case.odd_in(zone_of(seat, HAND)):
                self._declared[seat], self._read[seat] = (ms, seq), read
                del self._refused[seat]

    def on(self, case: Case) -> "Wins":
        """The same declarations judged on another case."""
        wins = Wins(case)
        wins._declared, wins._read, wins._refused = dict(self._declared), dict(self._read), dict(self._refused)
        return wins

    def refuse(self) -> None:
        """A win that was read and does not hold goes to the attention list once it has had time to settle."""
        case = self._case
        for seat in list(self._read):
            ms, seq = self._declared[seat]
            if ms + case.settle_ms > case.now:
                continue
            verdict = self._verdicts.pop(seat, None)
            reason = self._why_incomplete(seat) if verdict is None else verdict.reason
            if seq not in self._told:
                case.attention.note(reason, case.now, seat, tuple(case.held(seat)), (seq,))
                self.refused += 1
                self._told.add(seq)
            self._refused[seat] = self._declared[seat], self._read[seat]
            del self._read[seat], self._declared[seat]

    def later(self) -> None:
        """A win declared after another one: the first in turn after the discarder has it (article 8, 2 (3))."""
        case, last = self._case, self._case.actions[-1]
        if last.kind is not ActionKind.WIN or last.seat is None or last.source is None:
            return
        for seat in list(self._read):
            if seat == last.seat or seat in self.overridden:
                continue
            if (seat - last.source) % 4 < (last.seat - last.source) % 4 and case.revocable() is not None:
                rival = self._judge(seat, Position.after(case.setup, case.actions[:-1]))
                if rival is not None and rival.wins:
                    self.overridden.append(last.seat)
                    case.withdraw_last()
                    self._finish(seat, rival)
                    return
            self.overridden.append(seat)

    def drew_instead(self, tile: int) -> bool:
        """The winner on a discard, next in turn, had drawn: a tile of the wall comes to the hand, and the discard lies
        where it lay. Both tiles win, so a person is asked; what comes late changes nothing else."""
        case, win = self._case, self._case.revocable()
        if win is None or win.kind is not ActionKind.WIN or win.seat is None or win.source is None:
            return False
        seat = win.seat
        next_in_turn = seat == (win.source + 1) % 4 and "robbing_kong" not in win.flags
        came = case.seen[tile] == zone_of(seat, HAND) and case.position.place[tile] == WALL and not FLOWER[tile]
        if not (next_in_turn and came and case.now < win.ms + REOPEN_MS):
            return False
        if case.seen[win.tiles[0]] == zone_of(seat, HAND):
            return False
        branch = case.branch(len(case.actions) - 1)
        draft = Draft(ActionKind.DRAW, seat, (tile,), drawn_from=DrawnFrom.WALL, confidence=Confidence.INFERRED)
        branch.do(draft, (tile,))
        wins = self.on(branch)
        verdict = wins._judge(seat, branch.position)
        if verdict is None or not verdict.wins:
            return False
        if case.now >= win.ms + case.settle_ms:
            case.attention.note(Reason.AMBIGUOUS, case.now, seat, (tile,), (case.seq[tile],))
            return False
        wins._finish(seat, verdict)
        case.adopt(branch)
        return True

    def _why_incomplete(self, seat: int) -> Reason:
        """Too many or too few tiles (article 14, 9), or a full hand that cannot be what the record says."""
        position = self._case.position
        offered = position.live if position.live is not None else position.robbable
        held = [tile for tile in self._case.held(seat) if tile != offered]
        full = 13 - 3 * len(position.melds[seat]) + (seat == position.turn and offered is None)
        return Reason.NOT_WINNING if len(held) == full else Reason.TILE_COUNT

    def _judge(self, seat: int, position: Position) -> Verdict | None:
        """What the tiles of a seat are worth, or None while they cannot be a complete hand."""
        held = self._held(seat, position)
        needed = 13 - 3 * len(position.melds[seat])
        offered = position.live if position.live is not None else position.robbable
        if offered is not None and position.place[offered] // 4 != seat:
            concealed = [tile for tile in held if tile != offered]
            if len(concealed) == needed and set(concealed) <= position.hands[seat]:
                return judge(position, seat, concealed, offered, position.place[offered] // 4)
        if seat == position.turn and len(held) == needed + 1 and set(held) <= position.hands[seat]:
            win_tile = self._drawn_tile(seat, held, position)
            if win_tile is not None:
                return judge(position, seat, [tile for tile in held if tile != win_tile], win_tile, None)
        return None

    def _held(self, seat: int, position: Position) -> list[int]:
        """The tiles seen in a seat's hand, or laid down from it before its melds."""
        laid = [tile for tile in self._case.odd_in(zone_of(seat, MELD)) if tile in position.hands[seat]]
        return sorted((*self._case.held(seat), *laid))

    def _drawn_tile(self, seat: int, held: list[int], position: Position) -> int | None:
        """The tile a self-draw is won on; of fourteen dealt tiles, the last to arrive."""
        if position.must_draw(seat):
            return None
        own = [action for action in self._case.actions if action.seat == seat]
        last = own[-1] if own else None
        if last is None or last.kind is ActionKind.DEAL:
            return max(held, key=lambda tile: (self._case.since[tile], self._case.seq[tile]))
        return _drawn(last, held)

    def _flower_before_its_time(self, seat: int) -> tuple[int, ...]:
        """A flower that was exposed before the one it replaces."""
        own = [action for action in self._case.actions if action.seat == seat]
        for before, draw, flower in zip(own, own[1:], own[2:], strict=False):
            kinds = before.kind, draw.kind, flower.kind
            same = kinds == (ActionKind.FLOWER, ActionKind.DRAW, ActionKind.FLOWER) and draw.tiles == flower.tiles
            if same and flower.ms < before.ms and flower.confidence is not Confidence.PERSON:
                return flower.tiles
        return ()

    def _finish(self, seat: int, verdict: Verdict) -> bool:
        ms, seq = self._declared[seat]
        robbed = verdict.hand is not None and verdict.hand.robbing_kong
        tiles = (verdict.win_tile, *verdict.concealed)
        flags = ("robbing_kong",) if robbed else ()
        doubtful = any(
            action.seat == seat
            and action.kind in (ActionKind.DEAL, ActionKind.DRAW)
            and action.confidence is Confidence.INFERRED
            for action in self._case.actions
        )
        if verdict.source is None and doubtful:
            # Which tile was drawn last decides on the wait: with an unread tile in the hand a person must say.
            self._case.attention.note(Reason.AMBIGUOUS, ms, seat, (verdict.win_tile,), (seq,))
        if fallen := self._flower_before_its_time(seat):
            # A tile of the wall that fell among the winner's flowers looks like this; it counts a point.
            self._case.attention.note(Reason.AMBIGUOUS, ms, seat, fallen, (seq,))
        draft = Draft(ActionKind.WIN, seat, tiles, verdict.source, flags=flags)
        return self._case.do(draft, evidence=(seq, self._read[seat]), ms=ms)


def _drawn(last: Action, held: list[int]) -> int | None:
    if last.kind is not ActionKind.DRAW or not last.tiles or last.tiles[0] not in held:
        return None
    return last.tiles[0]
