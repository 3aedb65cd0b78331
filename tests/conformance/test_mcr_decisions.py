"""Every row of docs/rules.md."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from paiju.hand import HandError
from paiju.notation import parse_hand
from paiju.rules import load_profile, score
from paiju.rules.score import Score

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")


def _rows(columns: int) -> Iterator[list[str]]:
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == columns and set(cells[0]) != {"-"}:
            yield cells


DECISIONS = [row for row in _rows(6) if row[0] != "case"]
REFUSALS = [row for row in _rows(3) if row[0] != "input"]


def _text(cell: str) -> str:
    return cell.strip("`").replace("¦", "|")


def _listed(result: Score) -> str:
    fans = (f"{f.zh_hant} {f.points}" + (f" ×{f.count}" if f.count > 1 else "") for f in result.fans)
    return f"{result.total}: {', '.join(fans)}"


def test_the_page_has_its_tables() -> None:
    assert len(DECISIONS) >= 70
    assert len(REFUSALS) >= 14


@pytest.mark.parametrize("row", DECISIONS, ids=[f"{row[0][:30]} {row[2]}" for row in DECISIONS])
def test_decision(row: list[str]) -> None:
    _, source, example, in_1998, in_mcr, left_out = row
    assert source
    hand = parse_hand(_text(example))
    results = {profile: score(hand, profile) for profile in ("mcr1998", "mcr")}
    assert _listed(results["mcr1998"]) == in_1998
    assert _listed(results["mcr"]) == (in_1998 if in_mcr == "same" else in_mcr)
    reasons = {item.to_text("zh_Hant") for result in results.values() for item in result.excluded}
    for reason in filter(None, left_out.split("; ")):
        assert f"不計{reason}" in reasons


@pytest.mark.parametrize("row", REFUSALS, ids=[row[0] for row in REFUSALS])
def test_refusal(row: list[str]) -> None:
    text, code, _ = row
    if code == "accepted":
        assert score(parse_hand(_text(text))).total > 0
        return
    with pytest.raises(HandError) as caught:
        score(parse_hand(_text(text)))
    assert caught.value.code == code
    assert re.search(r"\w", caught.value.message)


def test_the_six_differences_are_all_there() -> None:
    numbers = {row[0][0] for row in DECISIONS if row[3] != row[4] and row[4] != "same" and row[0][1] == "."}
    assert numbers == set("123456")
    told = {(f"{difference.no}.", difference.example) for difference in load_profile("mcr").differences}
    assert told <= {(row[0][:2], _text(row[2])) for row in DECISIONS}
    assert len(told) == 6
