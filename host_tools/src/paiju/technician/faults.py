"""The fault catalogue: what a code means, and what to do about it, in the language in use.

The data comes from `hardware/faults.toml`; `hardware/generate.py` writes the copy that lies beside this file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from paiju.i18n import language

KINDS = {"W": "warning", "R": "operator", "T": "technician", "L": "latched"}
SIDED = ("feed", "head", "pusher", "plate")
AXES = ("pan", "ring", "lift", "dice", *(f"{axis} {side}" for axis in SIDED for side in "ESWN"))
"""The motors by number, as parts of faults and as arguments of jog and test."""


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One row of the catalogue. `kind` is warning, operator, technician or latched; texts by language."""

    code: int
    name: str
    kind: str
    per: str  # what `part` counts: side, reader, zone, axis, chip, or "" for nothing
    numbered: bool
    condition: str
    operator: dict[str, str]
    technician: dict[str, str]

    def shown(self, part: int) -> str:
        """What the table's displays show."""
        if self.numbered:
            return f"E{self.code + part:02}"
        return f"E{self.code:02}{part:2}" if part else f"E{self.code:02}"

    def where(self, part: int) -> str:
        """The part in words, "" if the fault has none."""
        if self.per == "axis" and part < len(AXES):
            return AXES[part]
        if self.per == "side" and part < 4:
            return "ESWN"[part]
        return f"{self.per} {part}" if self.per else ""

    def for_operator(self) -> str:
        return self.operator[language()]

    def for_technician(self) -> str:
        return self.technician[language()]


@cache
def catalogue() -> dict[int, FaultKind]:
    """All faults by code."""
    rows = json.loads(files("paiju.technician").joinpath("faults.json").read_text("utf-8"))
    return {
        row["code"]: FaultKind(
            row["code"], row["name"], KINDS[row["class"]], row["per"], row["numbered"], row["condition"],
            row["operator"], row["technician"],
        )
        for row in rows
    }  # fmt: skip


def fault_of(code: int) -> FaultKind:
    """The row of a code; a code of a newer firmware gets one that says so."""
    known = catalogue().get(code)
    if known is not None:
        return known
    unknown = {
        "en": f"Fault {code} is not in this version's list: update the host tool.",
        "zh_Hans": f"此版本没有故障 {code}:请更新主机软件。",
        "zh_Hant": f"此版本沒有故障 {code}:請更新主機軟體。",
    }
    return FaultKind(code, f"E{code:02}", "technician", "", False, "", unknown, unknown)
