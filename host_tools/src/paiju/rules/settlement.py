"""What each seat pays for a hand.

`settle` answers in one tuple; `settle_official` (第十條 of the first text) and the functions of
`competitive_payments` say why as well. Before penalties every settlement sums to zero.
Seats are 0..3 in turn order (East, South, West, North).
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from paiju.rules.texts import Text, engine_of, load_toml

Amounts = tuple[int, int, int, int]
NOTHING: Amounts = (0, 0, 0, 0)
SEATS = range(4)

BASE_POINTS = 8
MINIMUM_POINTS = 8
COMPETITIVE = "competitive"


class SettlementError(ValueError):
    """A hand that cannot be settled; `code` is stable, the message names the remedy."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Scored(Protocol):
    """What a settlement reads of a score."""

    @property
    def total(self) -> int: ...
    @property
    def total_without_flowers(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a settlement: the rule, its article, what to say, and what it moves."""

    rule: str
    article: str
    text: Text
    amounts: Amounts = NOTHING

    def to_json(self) -> dict[str, object]:
        return {
            "rule": self.rule,
            "article": self.article,
            "text": self.text.to_json(),
            "amounts": list(self.amounts),
        }


@dataclass(frozen=True, slots=True)
class Settlement:
    """Change of points per seat on the board and off it, and the lines that explain it."""

    amounts: Amounts
    entries: tuple[Entry, ...]
    off_board: Amounts = NOTHING
    notices: tuple[Text, ...] = ()

    def to_json(self) -> dict[str, object]:
        return {
            "amounts": list(self.amounts),
            "off_board": list(self.off_board),
            "entries": [entry.to_json() for entry in self.entries],
            "notices": [notice.to_json() for notice in self.notices],
        }


@cache
def _texts() -> Mapping[str, tuple[str, Text]]:
    return {rule: (row["article"], Text.of(row)) for rule, row in load_toml("settlement.toml").items()}


def entry(
    rule: str, amounts: Amounts = NOTHING, seats: dict[str, int] | None = None, **values: object
) -> Entry:
    """A line for `rule` of settlement.toml with its placeholders filled."""
    article, text = _texts()[rule]
    return Entry(rule, article, text.with_seats(seats, **values), amounts)


def added(*parts: Amounts) -> Amounts:
    """Seat by seat sum."""
    east, south, west, north = (sum(part[seat] for part in parts) for seat in SEATS)
    return east, south, west, north


def payment(payer: int, receiver: int, points: int) -> Amounts:
    """`points` from one seat to another."""
    amounts = [0, 0, 0, 0]
    amounts[payer] -= points
    amounts[receiver] += points
    return amounts[0], amounts[1], amounts[2], amounts[3]


def total_of(entries: Iterable[Entry]) -> Amounts:
    return added(NOTHING, *(line.amounts for line in entries))


def others(seat: int) -> tuple[int, int, int]:
    """The other three seats in turn order (counter-clockwise) from `seat`."""
    return (seat + 1) % 4, (seat + 2) % 4, (seat + 3) % 4


def winning_order(feeder: int, claimants: Iterable[int], waived: Iterable[int] = ()) -> tuple[int, ...]:
    """Who wins on one tile, counter-clockwise from its feeder.

    The official rules know one winner, the first (第八條 二 (三)); `competitive` pays all in this
    order (三十五). waived: seats that let the win go by reaching for the wall; their later claim
    is void.
    """
    standing = set(claimants) - set(waived)
    return tuple(seat for seat in others(feeder) if seat in standing)


def check_seats(winner: int, discarder: int | None) -> None:
    """Raise `SettlementError` unless the seats are 0..3 and differ."""
    for seat in (winner, discarder):
        if seat is not None and seat not in SEATS:
            raise SettlementError("seat", f"There is no seat {seat}: use 0 to 3 (East to North).")
    if winner == discarder:
        raise SettlementError(
            "own_discard", "A player cannot win on the own discard: name the discarder or a self-draw."
        )


def settle_official(
    points: int | Scored, winner: int, discarder: int | None = None, *, miscalled_by: int | None = None
) -> Settlement:
    """Settle a hand of the Chinese official rules (第十條 一 (三)).

    points: fan points, flowers included, or the score itself. A score is checked against the
    minimum of 8 without flowers (第十條 一 (一) 2); a plain number is taken as already ruled valid.
    discarder: who fed the tile, or let it be robbed; None for a self-draw.
    miscalled_by: who named a discard wrongly and so pays for all three (第十四條 八).
    """
    check_seats(winner, discarder)
    if miscalled_by is not None:
        check_seats(winner, miscalled_by)
    value = _checked_points(points)
    payers = others(winner)
    due = {
        seat: BASE_POINTS + (value if discarder is None or seat == discarder else 0) for seat in payers
    }
    if miscalled_by is not None:
        line = entry(
            "mcr_miscalled",
            payment(miscalled_by, winner, sum(due.values())),
            {"payer": miscalled_by, "winner": winner},
        )
        return Settlement(line.amounts, (line,))
    amounts = added(*(payment(seat, winner, due[seat]) for seat in payers))
    if discarder is None:
        line = entry("mcr_self_draw", amounts, {"winner": winner}, points=value)
    else:
        line = entry("mcr_discard", amounts, {"winner": winner, "payer": discarder}, points=value)
    return Settlement(amounts, (line,))


def _checked_points(points: int | Scored) -> int:
    if isinstance(points, int):
        if points < MINIMUM_POINTS:
            raise SettlementError(
                "below_minimum", f"{points} points are below the minimum of 8: rule a false win instead."
            )
        return points
    if points.total_without_flowers < MINIMUM_POINTS:
        raise SettlementError(
            "below_minimum",
            f"{points.total_without_flowers} points without flowers are below the minimum of 8: "
            "rule a false win instead.",
        )
    return points.total


def settle_drawn() -> Settlement:
    """A drawn hand (荒牌): nobody pays in either system."""
    return Settlement(NOTHING, (entry("drawn_hand"),))


def settle(
    points: int | Scored,
    winner: int,
    discarder: int | None = None,
    profile: str = "mcr1998",
    *,
    robbed_kong: bool = False,
    doubled: bool = False,
    remaining: Amounts | None = None,
) -> Amounts:
    """Points gained and lost per seat by one winner, in either system; always sums to zero.

    robbed_kong: the discarder is the kong player (a discard like any other in the official rules).
    doubled, remaining: 倍打, and the points that each seat still has (default: enough for
    everything), both for `competitive` only.
    Liability (包牌) and several winners: `competitive_payments.settle_win`.
    """
    if engine_of(profile) != COMPETITIVE:
        if doubled or remaining is not None:
            raise SettlementError(
                "option", f"doubled and remaining are for competitive only: leave them out for {profile}."
            )
        return settle_official(points, winner, discarder).amounts
    if robbed_kong and discarder is None:
        raise SettlementError("feeder", "Say whose kong was robbed.")
    from paiju.rules.competitive_payments import UNLIMITED, Board, Way, Win, settle_win

    way = Way.SELF_DRAW if discarder is None else Way.ROBBED_KONG if robbed_kong else Way.DISCARD
    value = points if isinstance(points, int) else points.total
    board = Board(points=remaining or UNLIMITED, doubled=doubled)
    return settle_win(board, (Win(winner, value),), way, discarder).amounts


def next_dealer(profile: str, dealer: int, winners: Collection[int]) -> int:
    """Who deals after a hand: always the next seat (第五條 八), in `competitive` a winning dealer again."""
    if engine_of(profile) == COMPETITIVE and dealer in winners:
        return dealer
    return (dealer + 1) % 4
