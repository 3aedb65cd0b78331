"""A player who aims for a hand that reaches the minimum: what to discard, claim and declare."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from paiju.hand import Meld, MeldKind, Source
from paiju.rules.completion import waits_of
from paiju.rules.engine import Patterns, patterns_of
from paiju.rules.waits import waits
from paiju.simulation.plans import FAR, PLANS, Plan
from paiju.tiles import PLAYING_FACE_COUNT, is_suited

NO_HOPE: Final = 2.0
"""Tiles that a ready hand is put behind when no tile that completes it reaches the minimum."""
COMPARED: Final = 3
"""Plans that a discard is weighed by."""
KEPT_IN_MIND: Final = 12
LOOKS_ROUND: Final = 4
"""Own turns between two looks at all the plans there are."""
TEMPER: Final = 0.7
"""How far apart, in tiles, two players may value the same plan."""
LETS_PASS: Final = 0.12
"""Share of useful tiles that a player does not claim."""
LIKES_KONGS: Final = 0.85
DISCARD_WEIGHT: Final = 3
"""Three others may discard a winning tile for one that the player may draw."""


@dataclass(frozen=True, slots=True)
class View:
    """What a player knows of the table: winds, rules, and how often each face (0-33) lies open."""

    prevalent_wind: int
    seat_wind: int
    profile: str
    face_up: Sequence[int]


@dataclass(frozen=True, slots=True)
class Claim:
    """A discard wanted for a set; `own` are the faces it takes from the hand."""

    kind: MeldKind
    own: tuple[int, ...]


def completes(concealed: Sequence[int], melds: Sequence[Meld], face: int) -> bool:
    """Whether the tile completes a hand in some form, whatever that is worth."""
    return bool(waits_of(patterns_of(concealed), len(melds)) >> face & 1)


@dataclass
class Player:
    """One seat. `concealed` are faces; flowers are laid aside by the hand that is played."""

    seat: int
    rng: random.Random
    concealed: list[int]
    melds: list[Meld] = field(default_factory=list)
    flowers: int = 0
    _taste: dict[Plan, float] = field(init=False)
    _hopeless: set[Plan] = field(default_factory=set)
    _in_mind: list[Plan] = field(default_factory=list)
    _turns: int = 0

    def __post_init__(self) -> None:
        self._taste = {plan: plan.handicap + self.rng.uniform(0, TEMPER) for plan in PLANS}

    def _look_round(self) -> None:
        """Choose the plans to keep in mind; going through all of them at every tile takes too long."""
        self._in_mind = []
        self._in_mind = [plan for _, _, plan in self._aims(self._patterns(), self.melds)[:KEPT_IN_MIND]]

    # -- aims

    def _patterns(self) -> Patterns:
        return patterns_of(self.concealed)

    def _aims(self, patterns: Patterns, melds: Sequence[Meld]) -> list[tuple[float, int, Plan]]:
        """Plans within reach as (cost, distance, plan), the best first."""
        aims = []
        for plan in self._in_mind or PLANS:
            distance = plan.distance(patterns, melds)
            if distance < FAR:
                cost = distance + self._taste[plan] + (NO_HOPE if plan in self._hopeless else 0)
                aims.append((cost, distance, plan))
        aims.sort(key=lambda aim: aim[0])
        return aims

    def cost(self) -> float:
        """How far the best plan is, in tiles."""
        return self._cost(self._patterns(), self.melds)

    def _cost(self, patterns: Patterns, melds: Sequence[Meld]) -> float:
        aims = self._aims(patterns, melds)
        return aims[0][0] if aims else FAR

    # -- what to do

    def discard(self, view: View) -> int:
        """The face to discard out of a hand with one tile too many."""
        self._turns += 1
        if not self._in_mind or self._turns % LOOKS_ROUND == 0:
            self._look_round()
        for _ in range(2):
            aims = self._aims(self._patterns(), self.melds)[:COMPARED]
            if not aims:
                break
            best = self._least_loss(aims, view)
            if aims[0][1] > 0 or (ready := self._ready(best, view)) is None:
                return best[0]
            value, face = ready
            if value:
                return face
            self._hopeless.add(aims[0][2])
        return self.rng.choice(self.concealed)

    def _least_loss(self, aims: Sequence[tuple[float, int, Plan]], view: View) -> list[int]:
        """The faces that the plans miss least, the best first."""
        rows = []
        for face in sorted(set(self.concealed)):
            patterns = self._without(face)
            distances = tuple(plan.distance(patterns, self.melds) for _, _, plan in aims)
            rows.append((distances, face, patterns))
        nearest = min(row[0] for row in rows)
        rows = [row for row in rows if row[0][0] == nearest[0]]
        plan = aims[0][2]
        if nearest[0] <= 1 and len(rows) > 1:
            chances = {face: self._chances(plan, patterns, view) for _, face, patterns in rows}
            return sorted(chances, key=lambda face: (-chances[face], self.rng.random()))
        return [face for _, face, _ in sorted(rows, key=lambda row: (row[0], self.rng.random()))]

    def _without(self, face: int) -> Patterns:
        rest = list(self.concealed)
        rest.remove(face)
        return patterns_of(rest)

    def _unseen(self, face: int, view: View) -> int:
        return 4 - view.face_up[face] - self.concealed.count(face)

    def _chances(self, plan: Plan, patterns: Patterns, view: View) -> int:
        """Unseen tiles that bring the plan nearer."""
        now = plan.distance(patterns, self.melds)
        total = 0
        for face in range(PLAYING_FACE_COUNT):
            unseen = self._unseen(face, view)
            if unseen <= 0:
                continue
            more = list(patterns)
            more[face // 9] += 1 << 3 * (face % 9)
            if plan.distance((more[0], more[1], more[2], more[3]), self.melds) < now:
                total += unseen
        return total

    def _ready(self, faces: Sequence[int], view: View) -> tuple[int, int] | None:
        """The discard of a ready hand that leaves the most tiles to win on, with that number."""
        best: tuple[int, int] | None = None
        for face in faces[:COMPARED]:
            value = self._winning_chances(face, view)
            if value is not None and (best is None or value > best[0]):
                best = value, face
        return best

    def _winning_chances(self, face: int, view: View) -> int | None:
        rest = list(self.concealed)
        rest.remove(face)
        if not waits_of(patterns_of(rest), len(self.melds)):
            return None
        own = [*rest, *(tile for meld in self.melds for tile in meld.tiles)]
        seen = [f for f in range(PLAYING_FACE_COUNT) for _ in range(min(view.face_up[f], 4 - own.count(f)))]
        total = 0
        for wait in waits(
            self.melds,
            rest,
            view.profile,
            prevalent_wind=view.prevalent_wind,
            seat_wind=view.seat_wind,
            seen=seen,
        ):
            if wait.by_discard is not None and wait.by_discard.reaches_minimum:
                total += DISCARD_WEIGHT * wait.unseen
            if wait.by_self_draw is not None and wait.by_self_draw.reaches_minimum:
                total += wait.unseen
        return total

    def claim(self, face: int, source: Source, wall_left: int) -> Claim | None:
        """The set to claim a discard for, or None. A chow is only for the player after the discarder."""
        claims = list(self._possible_claims(face, source, wall_left))
        if not claims or self.rng.random() < LETS_PASS:
            return None
        if not self._in_mind:
            self._look_round()
        before = self.cost()
        best: tuple[float, Claim] | None = None
        for claim in claims:
            rest = list(self.concealed)
            for own in claim.own:
                rest.remove(own)
            meld = Meld(claim.kind, (face, *claim.own), source)
            after = self._cost(patterns_of(rest), [*self.melds, meld])
            if claim.kind.is_kong:  # the replacement is one more chance
                after -= 0.5
            if after < before and (best is None or after < best[0]):
                best = after, claim
        return None if best is None else best[1]

    def _possible_claims(self, face: int, source: Source, wall_left: int) -> Iterable[Claim]:
        copies = self.concealed.count(face)
        if copies >= 2:
            yield Claim(MeldKind.PUNG, (face, face))
        if copies >= 3 and wall_left:
            yield Claim(MeldKind.MELDED_KONG, (face, face, face))
        if source is Source.LEFT and is_suited(face):
            rank = face % 9
            for first in range(max(0, rank - 2), min(6, rank) + 1):
                own = tuple(face - rank + first + n for n in range(3) if first + n != rank)
                if all(other in self.concealed for other in own):
                    yield Claim(MeldKind.CHOW, own)

    def kong(self) -> Meld | None:
        """A concealed kong or one added to a pung, if the plans do not suffer."""
        wishes: list[tuple[Meld, int]] = []
        for meld in self.melds:
            if meld.kind is MeldKind.PUNG and meld.tiles[0] in self.concealed:
                wishes.append((Meld(MeldKind.ADDED_KONG, meld.tiles + meld.tiles[:1], meld.source), 1))
        for face in sorted(set(self.concealed)):
            if self.concealed.count(face) == 4:
                wishes.append((Meld(MeldKind.CONCEALED_KONG, (face,) * 4, Source.SELF), 4))
        if not wishes or self.rng.random() > LIKES_KONGS:
            return None
        before = self.cost()
        for kong, count in wishes:
            rest = [face for face in self.concealed if face != kong.tiles[0]]
            if len(rest) + count != len(self.concealed):
                continue
            melds = [meld for meld in self.melds if meld.tiles[0] != kong.tiles[0] or meld.kind is MeldKind.CHOW]
            if self._cost(patterns_of(rest), [*melds, kong]) <= before:
                return kong
        return None
