"""Payments of the second rule text: wins, 包牌, 倍打, kongs, 追牌, all capped at what a payer has left."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from paiju.hand import Meld, MeldKind, Source
from paiju.rules.competitive_profile import CompetitiveProfile, competitive_profile, default_notice
from paiju.rules.settlement import (
    NOTHING,
    SEATS,
    Amounts,
    Entry,
    Settlement,
    SettlementError,
    added,
    check_seats,
    entry,
    others,
    payment,
    total_of,
    winning_order,
)
from paiju.rules.texts import Text

START: Amounts = (100, 100, 100, 100)
UNLIMITED: Amounts = (10**9, 10**9, 10**9, 10**9)

MELDED_WAIT = 7
FULL_FLUSH = 10


class Way(Enum):
    """How a hand was won."""

    DISCARD = "discard"
    SELF_DRAW = "self_draw"
    ROBBED_KONG = "robbed_kong"


class KongKind(Enum):
    """Kongs that are paid for, named as the profile's payments."""

    MELDED = "melded_kong"
    ADDED = "added_kong"
    CONCEALED = "concealed_kong"


@dataclass(frozen=True, slots=True)
class Claim:
    """A chow, pung or melded kong: the seat that fed it and its faces."""

    source: int
    tiles: tuple[int, ...]


_NO_CLAIMS: tuple[tuple[Claim, ...], ...] = ((), (), (), ())
_STEP = {Source.RIGHT: 1, Source.ACROSS: 2, Source.LEFT: 3}


def claims_of(seat: int, melds: Iterable[Meld]) -> tuple[Claim, ...]:
    """The claims among `melds`, in the order they were made; concealed kongs are not claims."""
    return tuple(
        Claim((seat + _STEP[meld.source]) % 4, meld.tiles)
        for meld in melds
        if meld.kind is not MeldKind.CONCEALED_KONG
    )


@dataclass(frozen=True, slots=True)
class Board:
    """What a payment depends on besides the win.

    points: what each seat has left. claims: of each seat, oldest first. hung: the face of the tile
    that a seat in 全求獨釣 has hung on the wall, None if none or if it changed its tile since.
    doubled: the hand is played 倍打.
    """

    points: Amounts = START
    claims: tuple[tuple[Claim, ...], ...] = _NO_CLAIMS
    hung: tuple[int | None, int | None, int | None, int | None] = (None, None, None, None)
    doubled: bool = False


class CountedFan(Protocol):
    @property
    def no(self) -> int: ...


class Counted(Protocol):
    """What a win takes from a score."""

    @property
    def total(self) -> int: ...
    @property
    def fans(self) -> Sequence[CountedFan]: ...


@dataclass(frozen=True, slots=True)
class Win:
    """One winner: seat, points (fans and additions), numbers of the counted fans."""

    seat: int
    points: int
    fans: frozenset[int] = frozenset()

    @classmethod
    def of(cls, seat: int, score: Counted) -> "Win":
        """From a competitive score."""
        return cls(seat, score.total, frozenset(fan.no for fan in score.fans))


def related_tiles(hung: int) -> frozenset[int]:
    """Faces whose discard is 包牌 while `hung` hangs: two either side in its suit, all winds, all dragons."""
    if hung >= 31:
        return frozenset(range(31, 34))
    if hung >= 27:
        return frozenset(range(27, 31))
    first = hung - hung % 9
    return frozenset(range(max(first, hung - 2), min(first + 8, hung + 2) + 1))


def chased(discards: Sequence[tuple[int, int]]) -> int | None:
    """The seat that pays for 追牌 after the last of `discards` (seat, face), or None (三十七)."""
    last = discards[-4:]
    if len(last) < 4 or len({face for _, face in last}) != 1:
        return None
    first = last[0][0]
    in_turn = all(seat == (first + step) % 4 for step, (seat, _) in enumerate(last))
    return first if in_turn else None


def settle_win(
    board: Board,
    wins: Sequence[Win],
    way: Way,
    feeder: int | None = None,
    tile: int | None = None,
    profile: CompetitiveProfile | None = None,
) -> Settlement:
    """Settle a won hand (第九條, 包付 三十四).

    wins: one, or several on one discard or robbed kong, in any order; they are paid
    counter-clockwise from `feeder` while points last. tile: face of the winning tile, needed
    only while a tile hangs. Raises `SettlementError`, also for a feeder without points (三十五).
    """
    profile = profile or competitive_profile()
    _check_win(board, wins, way, feeder)
    bank = _Bank(board, profile)
    for win in in_order(wins, feeder):
        liable = _liable(board, win, way, feeder, tile, profile)
        if liable is not None:
            bank.pay(liable[1], liable[0], win.seat, win.points, profile.payments["one_pays_all"].value)
        elif feeder is not None:
            bank.pay("discard", feeder, win.seat, win.points, profile.payments["discard"].value)
        else:
            for payer in others(win.seat):
                bank.pay("self_draw", payer, win.seat, win.points, profile.payments["self_draw"].value)
    return bank.settlement()


def settle_kong(
    board: Board,
    kind: KongKind,
    seat: int,
    feeder: int | None = None,
    profile: CompetitiveProfile | None = None,
) -> Settlement:
    """What a kong earns at once (三十六): a melded one from its feeder, the others from each of three."""
    profile = profile or competitive_profile()
    check_seats(seat, feeder)
    if (kind is KongKind.MELDED) != (feeder is not None):
        raise SettlementError("feeder", "Name the feeder of a melded kong, and only of a melded kong.")
    bank = _Bank(board, profile)
    points = profile.payments[kind.value]
    for payer in others(seat) if feeder is None else (feeder,):
        bank.pay(kind.value, payer, seat, points.value)
    names = _KONG_NAMES[kind]
    return bank.settlement((default_notice(names, points.value),) if points.is_default else ())


_KONG_NAMES = {
    KongKind.MELDED: Text("a melded kong", "明杠", "明槓"),
    KongKind.ADDED: Text("an added kong", "补杠", "補槓"),
    KongKind.CONCEALED: Text("a concealed kong", "暗杠", "暗槓"),
}


def settle_chased(board: Board, first: int, profile: CompetitiveProfile | None = None) -> Settlement:
    """追牌 (三十七): `first` pays each of the other three at once, counter-clockwise while points last."""
    profile = profile or competitive_profile()
    check_seats(first, None)
    bank = _Bank(board, profile)
    for receiver in others(first):
        bank.pay("chased_tile", first, receiver, profile.payments["chased_tile"].value)
    return bank.settlement()


def in_order(wins: Iterable[Win], feeder: int | None) -> list[Win]:
    """Winners as they are paid: counter-clockwise from the feeder."""
    if feeder is None:
        return list(wins)
    by_seat = {win.seat: win for win in wins}
    return [by_seat[seat] for seat in winning_order(feeder, by_seat)]


class _Bank:
    """Runs payments one after the other, none beyond what its payer has left."""

    def __init__(self, board: Board, profile: CompetitiveProfile) -> None:
        self._left = list(board.points)
        self._factor = profile.payments["doubled_hand"].value if board.doubled else 1
        self._entries: list[Entry] = [entry("doubled_hand")] if board.doubled else []

    def pay(self, rule: str, payer: int, receiver: int, points: int, shares: int = 1) -> None:
        owed = points * shares * self._factor
        paid = min(owed, max(0, self._left[payer]))
        self._left[payer] -= paid
        self._left[receiver] += paid
        seats = {"payer": payer, "winner": receiver}
        amounts = payment(payer, receiver, paid)
        self._entries.append(entry(rule, amounts, seats, points=points, shares=shares))
        if paid < owed:
            self._entries.append(entry("capped", NOTHING, {"payer": payer}, paid=paid, owed=owed))

    def settlement(self, notices: tuple[Text, ...] = ()) -> Settlement:
        return Settlement(total_of(self._entries), tuple(self._entries), notices=notices)


def _check_win(board: Board, wins: Sequence[Win], way: Way, feeder: int | None) -> None:
    if not wins:
        raise SettlementError("no_winner", "Name a winner, or settle a drawn hand.")
    if (way is Way.SELF_DRAW) != (feeder is None):
        raise SettlementError("feeder", "Name who fed the tile, and nobody for a self-draw.")
    if len({win.seat for win in wins}) != len(wins) or (feeder is None and len(wins) > 1):
        raise SettlementError("winners", "Name each winner once; a self-draw has one winner.")
    for win in wins:
        check_seats(win.seat, feeder)
        if win.points <= 0:
            raise SettlementError("no_fan", "A win needs at least one technical fan (無番禁和).")
    if feeder is not None and board.points[feeder] <= 0:
        raise SettlementError(
            "payer_without_points",
            "Nobody may win on the tile of a player without points (三十五): rule it as an offence.",
        )


def _liable(
    board: Board, win: Win, way: Way, feeder: int | None, tile: int | None, profile: CompetitiveProfile
) -> tuple[int, str] | None:
    """Who pays all three shares and by which rule; of several the one who acted last."""
    claims = board.claims[win.seat]
    flush = FULL_FLUSH in win.fans and len(claims) >= 3 and _one_suit(claims)
    if feeder is not None:
        if way is Way.ROBBED_KONG:
            return feeder, "robbed_kong"
        if flush:
            return feeder, "fed_flush_win"
        hung = board.hung[win.seat]
        if hung is not None and MELDED_WAIT in win.fans and tile in related_tiles(hung):
            return feeder, "hung_tile"
    if flush and len(claims) == 4:
        return claims[3].source, "fed_flush_claim"
    source = _thrice_fed_by(claims, profile)
    if source is not None:
        return source, "fed_claims"
    for seat in others(win.seat):
        if _thrice_fed_by(board.claims[seat], profile) == win.seat:
            return seat, "took_claims"
    return None


def _one_suit(claims: Sequence[Claim]) -> bool:
    suits = {face // 9 for claim in claims for face in claim.tiles}
    return len(suits) == 1 and suits <= {0, 1, 2}


def _thrice_fed_by(claims: Sequence[Claim], profile: CompetitiveProfile) -> int | None:
    """The seat that fed three of these claims."""
    counted = claims[:3] if profile.liability_from_the_start else claims
    for source in SEATS:
        if sum(claim.source == source for claim in counted) >= 3:
            return source
    return None


def apply(points: Amounts, settlement: Settlement) -> Amounts:
    """The points of the board after a settlement."""
    return added(points, settlement.amounts)
