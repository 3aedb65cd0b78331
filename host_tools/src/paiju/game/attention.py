"""What the tracker cannot explain, for a person to look at. An item clears by itself when the table does."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self

from paiju.game.events import zone_name
from paiju.tiles import code_of, face_of_tile


class Reason(StrEnum):
    """Why an item is on the list."""

    MISPLACED = "misplaced"  # tiles lie where no legal step puts them
    MISSING = "missing"  # an exposed tile or a discard is gone
    INCOMPLETE_MELD = "incomplete_meld"  # tiles exposed that make no set
    AMBIGUOUS = "ambiguous"  # several explanations
    TILE_COUNT = "tile_count"  # too many or too few tiles in a hand (相公)
    NOT_WINNING = "not_winning"  # win declared, the tiles do not win
    BELOW_MINIMUM = "below_minimum"  # win declared with fewer points than required
    DISCARD_CHANGED = "discard_changed"  # a discard taken back and another one put down
    DEALER = "dealer"  # another seat than expected plays as dealer
    FOREIGN_TILE = "foreign_tile"  # a tile of the other set
    WALL_NOT_EXHAUSTED = "wall_not_exhausted"  # the hand was given up with tiles in the wall
    GAP = "gap"  # events were lost
    CLOCK = "clock"  # the table's clock jumped


@dataclass(frozen=True, slots=True)
class Attention:
    """One item. `since_ms` is table time; `explanations` are ranked, the likeliest first, in the
    codes of `ActionKind` with seat and tiles. An item with `open` False has cleared."""

    number: int
    reason: Reason
    since_ms: int
    zone: int | None = None
    seat: int | None = None
    tiles: tuple[int, ...] = ()
    explanations: tuple[str, ...] = ()
    evidence: tuple[int, ...] = ()
    open: bool = True

    def cleared(self) -> Self:
        return replace(self, open=False)

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        """Raises KeyError or ValueError for a body that `to_json` did not make."""
        return cls(
            number=int(body["number"]),
            reason=Reason(body["reason"]),
            since_ms=int(body["since_ms"]),
            zone=body.get("zone_number"),
            seat=body.get("seat"),
            tiles=tuple(body["copies"]),
            explanations=tuple(body["explanations"]),
            evidence=tuple(body["evidence"]),
            open=body["open"],
        )

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"number": self.number, "reason": self.reason.value, "open": self.open}
        if self.zone is not None:
            body |= {"zone": zone_name(self.zone), "zone_number": self.zone}
        if self.seat is not None:
            body["seat"] = self.seat
        body |= {
            "since_ms": self.since_ms,
            "tiles": [code_of(face_of_tile(tile)) for tile in self.tiles],
            "copies": list(self.tiles),
            "explanations": list(self.explanations),
            "evidence": list(self.evidence),
        }
        return body
