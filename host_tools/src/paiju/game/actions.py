"""The acts of a hand as immutable values, each with its time, its evidence and how sure it is."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self

from paiju.tiles import code_of, face_of_tile


class ActionKind(StrEnum):
    DEAL = "deal"
    FLOWER = "flower"
    DRAW = "draw"
    DISCARD = "discard"
    CHOW = "chow"
    PUNG = "pung"
    MELDED_KONG = "melded_kong"
    ADDED_KONG = "added_kong"
    CONCEALED_KONG = "concealed_kong"
    WIN = "win"
    END = "end"


CLAIMS = frozenset({ActionKind.CHOW, ActionKind.PUNG, ActionKind.MELDED_KONG})
KONGS = frozenset({ActionKind.MELDED_KONG, ActionKind.ADDED_KONG, ActionKind.CONCEALED_KONG})


class DrawnFrom(StrEnum):
    """Where a drawn tile comes from: the head of the wall, or its tail after a kong or a flower."""

    WALL = "wall"
    KONG = "kong"
    FLOWER = "flower"


class Confidence(StrEnum):
    """SEEN: every tile of the act was seen to move. INFERRED: a step in it was not. PERSON: a person said so."""

    SEEN = "seen"
    INFERRED = "inferred"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Action:
    """One act.

    number: place in the hand, from 1; a later action with the same number and a higher revision
    supersedes it. tiles: tile numbers 0-143, the claimed one first; an empty draw is one whose tile
    nobody saw. source: the seat a claimed or winning tile came from, None for the player's own.
    evidence: sequence numbers of the events it rests on. flags: what is irregular or special about it.
    """

    number: int
    kind: ActionKind
    seat: int | None
    tiles: tuple[int, ...] = ()
    source: int | None = None
    drawn_from: DrawnFrom | None = None
    ms: int = 0
    evidence: tuple[int, ...] = ()
    confidence: Confidence = Confidence.SEEN
    flags: tuple[str, ...] = ()
    revision: int = 0
    withdrawn: bool = False

    @property
    def faces(self) -> tuple[int, ...]:
        return tuple(face_of_tile(tile) for tile in self.tiles)

    def revised(self, **changes: Any) -> Self:
        """The next version of this action."""
        return replace(self, revision=self.revision + 1, **changes)

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"number": self.number, "kind": self.kind.value}
        if self.seat is not None:
            body["seat"] = self.seat
        body["tiles"] = [code_of(face) for face in self.faces]
        body["copies"] = list(self.tiles)
        if self.source is not None:
            body["source"] = self.source
        if self.drawn_from is not None:
            body["drawn_from"] = self.drawn_from.value
        body |= {"ms": self.ms, "evidence": list(self.evidence), "confidence": self.confidence.value}
        if self.flags:
            body["flags"] = list(self.flags)
        if self.revision:
            body["revision"] = self.revision
        if self.withdrawn:
            body["withdrawn"] = True
        return body

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        """Raises KeyError or ValueError for a body that `to_json` did not make."""
        drawn_from = body.get("drawn_from")
        return cls(
            number=int(body["number"]),
            kind=ActionKind(body["kind"]),
            seat=body.get("seat"),
            tiles=tuple(int(tile) for tile in body["copies"]),
            source=body.get("source"),
            drawn_from=None if drawn_from is None else DrawnFrom(drawn_from),
            ms=int(body["ms"]),
            evidence=tuple(int(seq) for seq in body["evidence"]),
            confidence=Confidence(body["confidence"]),
            flags=tuple(body.get("flags", ())),
            revision=int(body.get("revision", 0)),
            withdrawn=bool(body.get("withdrawn", False)),
        )
