"""The host's copy of the fault catalogue: complete, as the table shows it, in every language."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from paiju import i18n
from paiju.technician.faults import AXES, catalogue, fault_of

HARDWARE = Path(__file__).parents[2] / "hardware"


def test_the_copy_is_the_catalogue() -> None:
    rows = tomllib.loads((HARDWARE / "faults.toml").read_text("utf-8"))["fault"]
    assert {row["code"]: row["name"] for row in rows} == {kind.code: kind.name for kind in catalogue().values()}
    assert len({row["code"] for row in rows}) == len(rows)


def test_axes_are_in_the_order_of_the_board() -> None:
    motors = tomllib.loads((HARDWARE / "board.toml").read_text("utf-8"))["pwm"]["channels"]
    sides = {"0": "E", "1": "S", "2": "W", "3": "N"}
    names = [name.partition("_") for name in motors]
    assert [f"{axis} {sides[side]}" if side else axis for axis, _, side in names] == list(AXES)


@pytest.mark.parametrize(
    ("code", "part", "shown", "where"),
    [
        (11, 2, "E13", "W"),
        (43, 0, "E43", ""),
        (53, 9, "E53 9", "head S"),
        (25, 1, "E25 1", "S"),
        (61, 4, "E65", "reader 4"),
    ],
)
def test_faults_read_as_on_the_displays(code: int, part: int, shown: str, where: str) -> None:
    kind = fault_of(code)
    assert (kind.shown(part), kind.where(part)) == (shown, where)


def test_every_text_is_there_in_three_languages() -> None:
    before = i18n.language()
    try:
        for language in i18n.LANGUAGES:
            i18n.set_language(language)
            for kind in [*catalogue().values(), fault_of(999)]:
                assert kind.for_operator()
                assert kind.for_technician()
    finally:
        i18n.set_language(before)
