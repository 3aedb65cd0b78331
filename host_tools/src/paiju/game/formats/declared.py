"""The result that a file itself states, to hold against what its acts give."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from paiju.game.events import SEATS

BASE: Final = 8
"""What each player pays the winner before the fans are counted (first rule text, article 10)."""


@dataclass(frozen=True, slots=True)
class Declared:
    """Winner and source as seats, None for nobody; points with flowers."""

    winner: int | None
    source: int | None
    points: int


def declared_by(scores: Sequence[int] | None) -> Declared | None:
    """The result that four scores of one hand tell; None where there are none of one win or of nobody's.

    Everybody pays 8 points; the fans are paid by everybody after a self-draw, else by the discarder alone.
    """
    if scores is None or len(scores) != 4 or sum(scores) != 0:
        return None
    winners = [seat for seat in SEATS if scores[seat] > 0]
    if not winners:
        return Declared(None, None, 0)
    if len(winners) > 1:
        return None
    paid = {seat: -scores[seat] for seat in SEATS if seat != winners[0]}
    source = max(paid, key=paid.__getitem__)
    if len(set(paid.values())) == 1:
        return Declared(winners[0], None, paid[source] - BASE)
    return Declared(winners[0], source, paid[source] - BASE)
