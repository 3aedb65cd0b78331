"""A session under the second rule text: deals, what ends it, and what may not end it (三十一, 三十二)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from paiju.rules.competitive_payments import START, Board, Claim, Way, Win, in_order, settle_win
from paiju.rules.competitive_profile import CompetitiveProfile, competitive_profile
from paiju.rules.penalties import Conduct
from paiju.rules.settlement import NOTHING, Amounts, Settlement, SettlementError, added, entry


class End(Enum):
    """The three ends of a session (局結)."""

    HANDS = "hands"
    TIME = "time"
    TWO_WITHOUT_POINTS = "two_without_points"


@dataclass(frozen=True, slots=True)
class Session:
    """A session between two hands, or during one.

    points: on the board. off_board: gains and losses that wait for the end (掛於盤外).
    held: hands in a row that the dealer has kept the deal. passed: how often the deal has passed.
    """

    points: Amounts = START
    off_board: Amounts = NOTHING
    dealer: int = 0
    held: int = 0
    passed: int = 0
    rounds: int = 4
    time_up: bool = False
    number: int = 1
    score_questions: Amounts = NOTHING

    @property
    def doubled(self) -> bool:
        """Whether the hand is played 倍打: from the dealer's second hand in a row."""
        return self.held > 0

    @property
    def result(self) -> Amounts:
        """Session points: the board and what was put off it."""
        return added(self.points, self.off_board)

    def board(self, claims: Sequence[tuple[Claim, ...]] = ((), (), (), ())) -> Board:
        """The payments' view of this session."""
        return Board(points=self.points, claims=tuple(claims), doubled=self.doubled)


def end_of(session: Session) -> End | None:
    """Why a session between two hands is over, or None."""
    if sum(points <= 0 for points in session.points) >= 2:
        return End.TWO_WITHOUT_POINTS
    if session.passed >= 4 * session.rounds:
        return End.HANDS
    return End.TIME if session.time_up else None


def is_first(points: Amounts, seat: int) -> bool:
    """Whether nobody stands above `seat` on the board; an equal first counts as first."""
    return points[seat] == max(points)


def next_hand(session: Session, winners: Sequence[int]) -> Session:
    """The deal after a hand: a dealer who won keeps it, else (a drawn hand too) it passes on."""
    if session.dealer in winners:
        return replace(session, held=session.held + 1)
    return replace(session, dealer=(session.dealer + 1) % 4, held=0, passed=session.passed + 1)


def after_hand(session: Session, settlement: Settlement, winners: Sequence[int]) -> Session:
    """The session after a settled hand; `winners` is empty for a drawn one."""
    paid = replace(
        session,
        points=added(session.points, settlement.amounts),
        off_board=added(session.off_board, settlement.off_board),
    )
    return next_hand(paid, winners)


def refused_winners(
    session: Session,
    board: Board,
    wins: Sequence[Win],
    way: Way,
    feeder: int | None = None,
    tile: int | None = None,
    profile: CompetitiveProfile | None = None,
) -> tuple[int, ...]:
    """Seats that may not win now, because it would end the session with another first (三十二).

    Judged on the board after the payments. Of several winners, those who may not win drop out
    from the last paid on, until the rest may.
    """
    profile = profile or competitive_profile()
    standing = in_order(wins, feeder)
    refused: list[int] = []
    while standing:
        settlement = settle_win(board, standing, way, feeder, tile, profile)
        after = after_hand(session, settlement, [win.seat for win in standing])
        end = end_of(after)
        if end is None or end.value not in profile.refused_ends:
            break
        losers = [win for win in standing if not is_first(after.points, win.seat)]
        if not losers:
            break
        standing.remove(losers[-1])
        refused.append(losers[-1].seat)
    return tuple(sorted(refused))


def win_hand(
    session: Session,
    board: Board,
    wins: Sequence[Win],
    way: Way,
    feeder: int | None = None,
    tile: int | None = None,
    profile: CompetitiveProfile | None = None,
) -> tuple[Session, Settlement]:
    """Settle a win within its session; raises `SettlementError("end_refused")` for 非勝式和牌局結."""
    refused = refused_winners(session, board, wins, way, feeder, tile, profile)
    if refused:
        raise SettlementError(
            "end_refused",
            f"Seat {refused[0]} may not win: it would end the session while another player is first (三十二). "
            "Play on.",
        )
    settlement = settle_win(board, wins, way, feeder, tile, profile)
    return after_hand(session, settlement, [win.seat for win in wins]), settlement


def pay_at_once(session: Session, settlement: Settlement) -> tuple[Session, Settlement]:
    """Book a kong or 追牌 during a hand.

    Where it would leave two players without points and a gainer is not first, it is put off the
    board and counts after the end (三十二). Returns the session and what was really booked.
    """
    after = added(session.points, settlement.amounts)
    gainers = [seat for seat, amount in enumerate(settlement.amounts) if amount > 0]
    ends = sum(points <= 0 for points in after) >= 2 > sum(points <= 0 for points in session.points)
    if ends and not all(is_first(after, seat) for seat in gainers):
        moved = Settlement(
            NOTHING,
            (*settlement.entries, entry("off_board")),
            added(settlement.off_board, settlement.amounts),
            settlement.notices,
        )
        return replace(session, off_board=added(session.off_board, moved.off_board)), moved
    off_board = added(session.off_board, settlement.off_board)
    return replace(session, points=after, off_board=off_board), settlement


def add_fines(session: Session, conduct: Conduct) -> Session:
    """The session with the fines of a hand, which count off the board (術語「罰分」, 三十二)."""
    off_board = added(session.off_board, conduct.amounts, conduct.session_amounts)
    return replace(session, off_board=off_board)


def ask_score(session: Session, seat: int, profile: CompetitiveProfile | None = None) -> Session:
    """Note a score question (三十三): in the fourth session only, two for each player."""
    profile = profile or competitive_profile()
    if session.number != profile.score_question_session:
        raise SettlementError(
            "score_question",
            f"Scores may be asked in session {profile.score_question_session} only, this is {session.number}.",
        )
    if session.score_questions[seat] >= profile.score_questions:
        raise SettlementError(
            "score_question", f"Seat {seat} has asked {profile.score_questions} times: no more questions."
        )
    asked = [0, 0, 0, 0]
    asked[seat] = 1
    return replace(
        session, score_questions=added(session.score_questions, (asked[0], asked[1], asked[2], asked[3]))
    )
