"""A finished hand as an immutable value: what happened, how it ended, what it is worth, who pays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from paiju.game.actions import Action, ActionKind
from paiju.game.attention import Attention
from paiju.game.corrections import Correction
from paiju.game.position import Position, Setup
from paiju.game.referee import Concern
from paiju.game.scoring import judge
from paiju.hand import Hand
from paiju.i18n import _
from paiju.rules.settlement import Amounts, settle
from paiju.tiles import code_of

FORMAT: Final = "paiju-hand-1"
NOTHING: Final[Amounts] = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class FanLine:
    """One fan of a result: number in the rule text, names by language, points for one, how often it counts,
    and the tiles of each time."""

    no: int
    names: Mapping[str, str]
    points: int
    count: int
    tiles: tuple[tuple[str, ...], ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "no": self.no,
            "names": dict(self.names),
            "points": self.points,
            "count": self.count,
            "tiles": [list(group) for group in self.tiles],
        }

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        return cls(body["no"], body["names"], body["points"], body["count"], tuple(map(tuple, body["tiles"])))


@dataclass(frozen=True, slots=True)
class Result:
    """How a hand ended. kind: `win`, `drawn` (荒牌) or `aborted`; by: `self_draw`, `discard` or `robbed_kong`.

    points include flowers; payments are those of the four seats and sum to zero.
    """

    kind: str
    winner: int | None = None
    by: str | None = None
    source: int | None = None
    points: int = 0
    fans: tuple[FanLine, ...] = ()
    hand: Hand | None = None
    payments: Amounts = NOTHING
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"kind": self.kind}
        if self.kind == "win":
            body |= {
                "winner": self.winner,
                "by": self.by,
                "from": self.source,
                "points": self.points,
                "fans": [line.to_json() for line in self.fans],
                "hand": None if self.hand is None else self.hand.to_json(),
            }
        body["payments"] = list(self.payments)
        if self.problem:
            body["problem"] = self.problem
        return body

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        hand = body.get("hand")
        east, south, west, north = body["payments"]
        return cls(
            kind=body["kind"],
            winner=body.get("winner"),
            by=body.get("by"),
            source=body.get("from"),
            points=body.get("points", 0),
            fans=tuple(FanLine.from_json(line) for line in body.get("fans", ())),
            hand=None if hand is None else Hand.from_json(hand),
            payments=(east, south, west, north),
            problem=body.get("problem", ""),
        )


@dataclass(frozen=True, slots=True)
class HandRecord:
    """One hand. A later revision of the same hand supersedes this one.

    superseded: earlier versions of actions; attention: what was still open at the end;
    overridden: seats whose win gave way to a seat nearer to the discarder; concerns: what the referee may want to
    rule on, none of it applied.
    """

    setup: Setup
    actions: tuple[Action, ...]
    result: Result
    dice: tuple[tuple[int, int], ...] = ()
    tile_set: int = 0
    events: tuple[int, int] = (0, 0)
    attention: tuple[Attention, ...] = ()
    overridden: tuple[int, ...] = ()
    superseded: tuple[Action, ...] = ()
    corrections: tuple[Correction, ...] = ()
    concerns: tuple[Concern, ...] = ()
    revision: int = 0

    @property
    def position(self) -> Position:
        """The table at the end."""
        return Position.after(self.setup, self.actions)

    @property
    def duration_ms(self) -> int:
        return self.actions[-1].ms - self.actions[0].ms if self.actions else 0

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "revision": self.revision,
            **self.setup.to_json(),
            "set": "AB"[self.tile_set],
            "events": list(self.events),
            "dice": [list(throw) for throw in self.dice],
            "result": self.result.to_json(),
            "melds": self._melds(),
            "flowers": [[code_of(tile - 102) for tile in tiles] for tiles in self.position.flowers],
            "actions": [action.to_json() for action in self.actions],
            "attention": [item.to_json() for item in self.attention],
            "overridden": list(self.overridden),
            "superseded": [action.to_json() for action in self.superseded],
            "corrections": [correction.to_json() for correction in self.corrections],
            "concerns": [concern.to_json() for concern in self.concerns],
        }

    def _melds(self) -> list[list[dict[str, Any]]]:
        return [
            [
                {"kind": meld.kind.value, "tiles": [code_of(t >> 2) for t in meld.tiles], "from": meld.source}
                for meld in melds
            ]
            for melds in self.position.melds
        ]

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        """Raises ValueError naming what is wrong with a body that `to_json` did not make."""
        if body.get("format") != FORMAT:
            say = _("not a hand record of the format {name}: {found}")
            raise ValueError(say.format(name=FORMAT, found=repr(body.get("format"))))
        try:
            first, last = body["events"]
            return cls(
                setup=Setup.from_json(body),
                actions=tuple(Action.from_json(action) for action in body["actions"]),
                result=Result.from_json(body["result"]),
                dice=tuple((one, two) for one, two in body["dice"]),
                tile_set="AB".index(body["set"]),
                events=(first, last),
                attention=tuple(Attention.from_json(item) for item in body["attention"]),
                overridden=tuple(body["overridden"]),
                superseded=tuple(Action.from_json(action) for action in body["superseded"]),
                corrections=tuple(Correction.from_json(entry) for entry in body["corrections"]),
                concerns=tuple(Concern.from_json(entry) for entry in body.get("concerns", ())),
                revision=body["revision"],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(_("hand record with a missing or wrong field: {what}").format(what=error)) from error


def result_of(setup: Setup, actions: Sequence[Action]) -> Result:
    """The result that follows from the actions: the win is scored from the position it was made in."""
    last = actions[-1] if actions else None
    if last is None or last.kind not in (ActionKind.WIN, ActionKind.END):
        return Result("aborted")
    if last.kind is ActionKind.END or last.seat is None:
        return Result("aborted" if "aborted" in last.flags else "drawn")
    before = Position.after(setup, actions[:-1])
    verdict = judge(before, last.seat, last.tiles[1:], last.tiles[0], last.source)
    robbed = before.robbable == last.tiles[0]
    by = "self_draw" if last.source is None else "robbed_kong" if robbed else "discard"
    if verdict.score is None:
        return Result("win", last.seat, by, last.source, hand=verdict.hand, problem=verdict.problem)
    fans = tuple(
        FanLine(
            no=fan.no,
            names={"en": fan.name, "zh_Hans": fan.zh_hans, "zh_Hant": fan.zh_hant},
            points=fan.points,
            count=fan.count,
            tiles=tuple(tuple(map(code_of, faces)) for faces in fan.tiles),
        )
        for fan in verdict.score.fans
    )
    points = verdict.score.total
    payments = settle(points, last.seat, last.source, setup.profile, robbed_kong=robbed)
    return Result("win", last.seat, by, last.source, points, fans, verdict.hand, payments)
