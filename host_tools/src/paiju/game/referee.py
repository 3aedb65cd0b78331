"""What a referee may want to look at: each with its article, time and evidence. Nothing here changes a record.

A table sees tiles, not voices: a claim counts from the moment its first tile lies exposed, a turn from discard to
discard. Where the wall was opened no reader sees; `wall_break` says where the dice put it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final, Self

from paiju.game.actions import CLAIMS, Action, ActionKind, Confidence
from paiju.game.attention import Attention, Reason
from paiju.game.events import HAND, NO_ZONE, POND
from paiju.game.position import FACE, FLOWER, Position, Setup
from paiju.rules.penalties import Act, Conduct, PenaltyError, false_win_offence, offences, rule_on, system_of
from paiju.rules.shanten import shanten
from paiju.rules.texts import load_toml
from paiju.tiles import code_of

EARLY_MS: Final = 1500
"""Readers report a draw and the discard before it in another order, but not by more than this."""
STACKS: Final = 18


class Irregularity(StrEnum):
    SLOW_TURN = "slow_turn"
    LATE_PUNG = "late_pung"
    EARLY_DRAW = "early_draw"
    WRONG_CLAIM = "wrong_claim"
    EMPTY_CLAIM = "empty_claim"
    EXPOSED_TILE = "exposed_tile"
    WRONG_TILE_COUNT = "wrong_tile_count"
    WIN_BELOW_MINIMUM = "win_below_minimum"
    FALSE_WIN = "false_win"
    SWAPPED_SEATS = "swapped_seats"


@dataclass(frozen=True, slots=True)
class Concern:
    """Something for the referee to rule on.

    seat: of the player; ms: table time; evidence: event numbers; tiles: tile numbers. offence: its id in the
    penalties of the rules, None where the text names no penalty; fine, warning: what the rules have for it, counted
    within the hand as if every concern before it were upheld. took_ms, limit_ms: for what came too late.
    """

    kind: Irregularity
    seat: int
    ms: int
    article: str
    evidence: tuple[int, ...] = ()
    tiles: tuple[int, ...] = ()
    offence: str | None = None
    fine: int = 0
    warning: bool = False
    took_ms: int | None = None
    limit_ms: int | None = None

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"kind": self.kind.value, "seat": self.seat, "ms": self.ms, "article": self.article}
        body |= {"evidence": list(self.evidence), "tiles": [code_of(FACE[t]) for t in self.tiles]}
        body |= {"copies": list(self.tiles), "offence": self.offence, "fine": self.fine, "warning": self.warning}
        if self.took_ms is not None:
            body |= {"took_ms": self.took_ms, "limit_ms": self.limit_ms}
        return body

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        """Raises KeyError or ValueError for a body that `to_json` did not make."""
        return cls(
            Irregularity(body["kind"]),
            body["seat"],
            body["ms"],
            body["article"],
            tuple(body["evidence"]),
            tuple(body["copies"]),
            body["offence"],
            body["fine"],
            body["warning"],
            body.get("took_ms"),
            body.get("limit_ms"),
        )


@dataclass(frozen=True, slots=True)
class _Found:
    """A concern before its article and penalty are looked up."""

    kind: Irregularity
    seat: int
    ms: int
    evidence: tuple[int, ...] = ()
    tiles: tuple[int, ...] = ()
    offence: str | None = None
    took_ms: int | None = None
    limit_ms: int | None = None


def concerns(
    setup: Setup, actions: Sequence[Action], items: Iterable[Attention], times: Mapping[int, int]
) -> tuple[Concern, ...]:
    """What there is to rule on in a hand, in order of time.

    items: the history of the attention list; times: ms by event number.
    """
    found = [*_from_actions(setup, actions, times), *_from_items(setup, actions, items)]
    conduct = Conduct(setup.profile)
    known = offences(setup.profile)
    told: list[Concern] = []
    for one in sorted(found, key=lambda one: (one.ms, one.seat, one.kind)):
        offence = known.get(one.offence or one.kind.value)
        article = _article(setup.profile, one.kind) if offence is None else offence.article
        fine, warning = 0, False
        if offence is not None:
            with suppress(PenaltyError):  # the rules leave it to the referee
                conduct = rule_on(conduct, Act(one.seat, offence.id))
                fine, warning = conduct.rulings[-1].fine, conduct.rulings[-1].warning
        identity = None if offence is None else offence.id
        late = one.took_ms, one.limit_ms
        told.append(
            Concern(one.kind, one.seat, one.ms, article, one.evidence, one.tiles, identity, fine, warning, *late)
        )
    return tuple(told)


def wall_break(setup: Setup, dice: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Where the dice open the wall: the seat of that wall and how many stacks are left standing at its right end.

    None before all throws that the rules ask for are read (article 6, 5, 5; one throw in the competitive rules).
    """
    throws = int(_limits(system_of(setup.profile))["throws"])
    if len(dice) < throws:
        return None
    first = sum(dice[0])
    return (setup.dealer + first - 1) % 4, sum(sum(throw) for throw in dice[:throws]) % STACKS


@cache
def _limits(system: str) -> Mapping[str, Any]:
    limits: Mapping[str, Any] = load_toml("conduct.toml")[system]
    return limits


def _article(profile: str, kind: Irregularity) -> str:
    limits = _limits(system_of(profile))
    name = {Irregularity.SWAPPED_SEATS: "seats_article", Irregularity.LATE_PUNG: "pung_article"}
    return str(limits.get(name.get(kind, "discard_article"), ""))


# -- from what was done


def _from_actions(setup: Setup, actions: Sequence[Action], times: Mapping[int, int]) -> Iterator[_Found]:
    limits = _limits(system_of(setup.profile))
    position = Position(setup)
    since: Action | None = None
    dealt_ms = 0
    for action in actions:
        begun = min((times[seq] for seq in action.evidence if seq in times), default=action.ms)
        if action.kind is ActionKind.DEAL:
            dealt_ms = max(dealt_ms, action.ms)
        elif action.kind is ActionKind.DISCARD and action.seat is not None:
            yield from _slow(action, since, dealt_ms, limits)
            since = action
        elif action.kind is ActionKind.PUNG and since is not None and "pung_s" in limits:
            yield from _late_pung(action, begun, since, int(limits["pung_s"]) * 1000)
        elif action.kind is ActionKind.DRAW and since is not None:
            yield from _early_draw(action, begun, since)
        if "wrong_seat" in action.flags and action.seat is not None:
            yield _Found(Irregularity.WRONG_CLAIM, action.seat, action.ms, action.evidence, action.tiles)
        position.apply(action)
        if action.kind is ActionKind.DISCARD and action.seat is not None:
            yield from _count(action, position)


def _slow(action: Action, since: Action | None, dealt_ms: int, limits: Mapping[str, Any]) -> Iterator[_Found]:
    """Article 7, 4 of both texts: the dealer's first discard 30 s (20 s) after the deal, every other one 15 s (10 s)
    after the discard before it; flowers and claims are included."""
    limit = int(limits["first_discard_s" if since is None else "discard_s"]) * 1000
    took = action.ms - (dealt_ms if since is None else since.ms)
    if took > limit and action.seat is not None and action.confidence is Confidence.SEEN:
        evidence = (*(() if since is None else since.evidence), *action.evidence)
        yield _Found(Irregularity.SLOW_TURN, action.seat, action.ms, evidence, action.tiles,
                     took_ms=took, limit_ms=limit)  # fmt: skip


def _late_pung(action: Action, begun: int, since: Action, limit: int) -> Iterator[_Found]:
    """Articles 7, 6 and 14, 5: a pung is called within 3 s of the discard. The table hears no call: the first tile
    exposed stands for it. The competitive text sets no such limit."""
    took = begun - since.ms
    if took > limit and action.seat is not None and action.confidence is Confidence.SEEN:
        evidence = (*since.evidence, *action.evidence)
        yield _Found(Irregularity.LATE_PUNG, action.seat, action.ms, evidence, action.tiles,
                     took_ms=took, limit_ms=limit)  # fmt: skip


def _early_draw(action: Action, begun: int, since: Action) -> Iterator[_Found]:
    if since.ms - begun > EARLY_MS and action.seat == ((since.seat or 0) + 1) % 4:
        yield _Found(Irregularity.EARLY_DRAW, action.seat, begun, (*action.evidence, *since.evidence), action.tiles)


def _count(action: Action, position: Position) -> Iterator[_Found]:
    """A hand with more or fewer than thirteen tiles after its discard; a kong counts as three."""
    assert action.seat is not None
    if position.sizes[action.seat] + 3 * len(position.melds[action.seat]) != 13:
        yield _Found(Irregularity.WRONG_TILE_COUNT, action.seat, action.ms, action.evidence)


# -- from what was not explained


def _from_items(setup: Setup, actions: Sequence[Action], items: Iterable[Attention]) -> Iterator[_Found]:
    done = {tile for action in actions if action.kind in CLAIMS for tile in action.tiles}
    for item in items:
        found = _from_item(setup, actions, item, done)
        if found is not None:
            yield found


def _from_item(setup: Setup, actions: Sequence[Action], item: Attention, done: set[int]) -> _Found | None:
    if item.reason is Reason.DEALER:
        return _Found(Irregularity.SWAPPED_SEATS, setup.dealer, item.since_ms, item.evidence)
    seat = item.seat
    if seat is None:
        return None
    position = Position.after(setup, (action for action in actions if action.ms <= item.since_ms))
    kind: Irregularity | None = None
    offence: str | None = None
    if item.reason is Reason.TILE_COUNT:
        kind = Irregularity.WRONG_TILE_COUNT
    elif item.reason is Reason.BELOW_MINIMUM:
        kind = Irregularity.WIN_BELOW_MINIMUM
        offence = false_win_offence(-1, setup.profile)
    elif item.reason is Reason.NOT_WINNING:
        kind = Irregularity.FALSE_WIN
        offence = false_win_offence(_missing(setup, position, item), setup.profile)
    elif item.reason is Reason.INCOMPLETE_MELD and not done & set(item.tiles):
        claimed = any(position.place[tile] % 4 == POND and position.place[tile] != NO_ZONE for tile in item.tiles)
        kind = (
            (Irregularity.WRONG_CLAIM if item.open else Irregularity.EMPTY_CLAIM)
            if claimed
            else Irregularity.EXPOSED_TILE
        )
    elif item.reason is Reason.MISPLACED and item.zone is not None:
        kind = _misplaced(position, item, seat)
    if kind is None:
        return None
    return _Found(kind, seat, item.since_ms, item.evidence, item.tiles, offence)


def _misplaced(position: Position, item: Attention, seat: int) -> Irregularity | None:
    """A tile of the wall in a hand that may not draw, or an own tile shown; other tiles are nobody's fault."""
    assert item.zone is not None
    from_wall = all(position.place[tile] == NO_ZONE and not FLOWER[tile] for tile in item.tiles)
    if item.zone % 4 == HAND and from_wall:
        next_in_turn = seat == (position.turn + 1) % 4 and position.live is None
        return Irregularity.EARLY_DRAW if next_in_turn else Irregularity.WRONG_TILE_COUNT
    if item.zone % 4 != HAND and all(tile in position.hands[seat] for tile in item.tiles):
        return Irregularity.EXPOSED_TILE
    return None


def _missing(setup: Setup, position: Position, item: Attention) -> int:
    """Tiles that the declared hand lacks to be ready; a hand that cannot be counted lacks one (詐和)."""
    assert item.seat is not None
    faces = [FACE[tile] for tile in item.tiles if not FLOWER[tile]]
    melds = len(position.melds[item.seat])
    if len(faces) - (13 - 3 * melds) not in (0, 1):
        return 1
    return max(min(shanten(faces, melds, setup.profile).values()), 0)
