"""Every fault of the catalogue, raised by its condition: the right one first, in time, safe, and recovered from."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.fault_scenarios import CASES, CATALOGUE, examine

from paiju.technician.faults import fault_of


def test_no_fault_is_left_out() -> None:
    assert {case.fault for case in CASES} == set(CATALOGUE)


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{n}-{case.fault}" for n, case in enumerate(CASES)])
def test_fault(number: int, record_property: Callable[[str, object], None]) -> None:
    case = CASES[number]
    fault = CATALOGUE[case.fault]
    came = examine(number)
    record_property("seconds", round(came.took_s, 2))
    assert [code for code, _ in came.told] == [fault["code"]]
    if case.part >= 0:
        assert came.told[0][1] == case.part
    if fault["within_s"]:
        assert came.took_s <= fault["within_s"]
    assert came.held == case.stops
    assert came.safe, came.stood
    if case.stops:  # there is no host: the table says so itself
        assert came.shown == [fault_of(fault["code"]).shown(came.told[0][1]).ljust(5)] * 4
    # Told once, and once more for each try that the catalogue grants.
    assert {code for code, _ in came.until_rest} == {fault["code"]}
    assert len(came.until_rest) <= 1 + fault["retries"]
    assert came.recovered, came
    assert [code for code, _ in came.later] == [CATALOGUE[name]["code"] for name in case.afterwards]
