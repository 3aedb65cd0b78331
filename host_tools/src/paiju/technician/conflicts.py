"""A tile that two zones hear, as the table measured it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from paiju.i18n import _
from paiju.technician.workbench import NO_ZONE, zone_title
from paiju.tiles import code_of, face_of_tile

LOOKS = 16  # in either zone
PONDS = range(2, 16, 4)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A tile of `zone` that `other` hears too: how many of `LOOKS` either heard it. `tile` is None but in ponds: those
    of a hand or a concealed kong are nobody's business.
    """

    tile: int | None
    zone: int
    other: int
    hits: int
    other_hits: int

    @classmethod
    def of(cls, fields: Mapping[str, int | str]) -> Self | None:
        """From the fields of a `conflict` event, or of the answer to that command; None if there was none."""
        tile, zone, other, hits, there = (int(fields[f]) for f in ("tile", "zone", "other", "hits", "other_hits"))
        return None if zone == NO_ZONE else cls(tile if zone in PONDS else None, zone, other, hits, there)

    @property
    def sentence(self) -> str:
        if self.tile is None:
            text = _(
                "A tile of {zone} is also heard in {other}: {hits} of {looks} looks here, {there} of {looks} there. "
                "Move it away from the edge, or calibrate both zones."
            )
        else:
            text = _(
                "{face} of {zone} is also heard in {other}: {hits} of {looks} looks here, {there} of {looks} there. "
                "Move it away from the edge, or calibrate both zones."
            )
        return text.format(
            face="" if self.tile is None else code_of(face_of_tile(self.tile % 256)), zone=zone_title(self.zone),
            other=zone_title(self.other), hits=self.hits, there=self.other_hits, looks=LOOKS,
        )  # fmt: skip
