"""Whether a declared win holds, and what it is worth: the rules asked about a position of the tracker."""

from collections.abc import Iterable
from dataclasses import dataclass

from paiju.game.attention import Reason
from paiju.game.position import Position
from paiju.hand import Hand, HandError
from paiju.rules import Score, score


@dataclass(frozen=True, slots=True)
class Verdict:
    """A declared win. `score` is None where the tiles do not win; `problem` then says why in one sentence."""

    win_tile: int
    concealed: tuple[int, ...]
    source: int | None
    hand: Hand | None
    score: Score | None
    problem: str = ""

    @property
    def wins(self) -> bool:
        return self.score is not None and self.score.reaches_minimum

    @property
    def reason(self) -> Reason:
        """Why it is refused, for the attention list."""
        return Reason.NOT_WINNING if self.score is None else Reason.BELOW_MINIMUM


def judge(position: Position, seat: int, concealed: Iterable[int], win_tile: int, source: int | None) -> Verdict:
    """Score the hand of a seat that declares a win. Tiles are tile numbers; source None is a self-draw."""
    tiles = tuple(sorted(concealed))
    hand = None
    try:
        hand = position.winning_hand(seat, tiles, win_tile, source)
        return Verdict(win_tile, tiles, source, hand, score(hand, position.setup.profile))
    except HandError as error:
        return Verdict(win_tile, tiles, source, hand, None, error.message)
