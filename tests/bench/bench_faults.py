"""Every fault of the catalogue, raised by its condition on the simulated table: a table of all of them, as markdown.

Times are virtual. Exit code 1 when another fault was blamed first, a limit was missed, the table did not stand as the
catalogue says or did not come back.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "firmware")]
# ruff: noqa: E402

from support.fault_scenarios import CASES, CATALOGUE, Outcome, examine

from paiju.technician.faults import fault_of

HEAD = ("code", "name", "condition", "brought about by", "raised after ms", "limit ms", "blamed first", "displays",
        "stands", "safe state of the catalogue", "comes back by", "well")  # fmt: skip


def row(number: int, came: Outcome) -> tuple[bool, list[str]]:
    """Whether all was as the catalogue says, and the cells."""
    case = CASES[number]
    fault = CATALOGUE[case.fault]
    limit_ms = 1000 * fault["within_s"]
    first = fault_of(came.told[0][0]).name if came.told else "nothing"
    well = (
        first == case.fault
        and (not limit_ms or 1000 * came.took_s <= limit_ms)
        and came.held == case.stops
        and came.safe
        and came.recovered
    )
    shown = fault_of(fault["code"]).shown(came.told[0][1]) if came.told else f"E{fault['code']:02}"
    cells = [shown, case.fault, fault["condition"], case.doing, f"{1000 * came.took_s:.0f}", str(limit_ms or "–"),
             first, came.shown[0].strip() or "–", came.stood, fault["safe_state"], came.recovery,
             "yes" if well else "NO"]  # fmt: skip
    return well, cells


def main() -> int:
    with ProcessPoolExecutor() as pool:
        rows = [row(number, came) for number, came in enumerate(pool.map(examine, range(len(CASES))))]
    for cells in (HEAD, ["---"] * len(HEAD), *(cells for _, cells in rows)):
        print(f"| {' | '.join(cells)} |")
    good = sum(well for well, _ in rows)
    raised = {case.fault for case in CASES}
    print(f"\n{good} of {len(CASES)} cases well, {len(raised)} of {len(CATALOGUE)} faults raised")
    return good != len(CASES)


if __name__ == "__main__":
    sys.exit(main())
