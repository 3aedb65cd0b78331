"""What a person changed in a hand: an immutable entry, so that the same events and entries give the same record."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from paiju.game.actions import Action


class CorrectionKind(StrEnum):
    EDIT = "edit"  # other acts stand in the place of one
    TAKE_BACK = "take_back"  # an act did not happen
    ACCEPT = "accept"  # an explanation of an attention item is what happened
    DISMISS = "dismiss"  # an attention item needs nothing done


@dataclass(frozen=True, slots=True)
class Correction:
    """number: of the action from which on the hand is derived again, 0 where none is; instead: what stands there now;
    item: of the attention list; made: s since 1970; at: number of the last event that was known; replaced: the action
    as it was."""

    number: int
    who: str
    why: str
    kind: CorrectionKind = CorrectionKind.EDIT
    instead: tuple[Action, ...] = ()
    item: int | None = None
    made: float = 0.0
    at: int = 0
    replaced: Action | None = None

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"kind": self.kind.value, "number": self.number, "who": self.who, "why": self.why}
        body |= {"made": self.made, "at": self.at}
        if self.instead:
            body["instead"] = [action.to_json() for action in self.instead]
        if self.item is not None:
            body["item"] = self.item
        if self.replaced is not None:
            body["replaced"] = self.replaced.to_json()
        return body

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        """Raises KeyError or ValueError for a body that `to_json` did not make."""
        return cls(
            number=int(body["number"]),
            who=str(body["who"]),
            why=str(body["why"]),
            kind=CorrectionKind(body.get("kind", "edit")),
            instead=tuple(Action.from_json(action) for action in body.get("instead", ())),
            item=body.get("item"),
            made=float(body.get("made", 0)),
            at=int(body.get("at", 0)),
            replaced=Action.from_json(body["replaced"]) if "replaced" in body else None,
        )
