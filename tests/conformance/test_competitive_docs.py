"""Every example of docs/rules_competitive.md holds."""

import doctest
import re
from dataclasses import fields
from pathlib import Path

import pytest

from paiju.hand import Hand, HandError
from paiju.notation import parse
from paiju.rules.competitive import Circumstances, tally

PAGE = Path(__file__).parents[2] / "docs" / "rules_competitive.md"
ROW = re.compile(r"^\| (?P<what>.*?) \| .*? \| `(?P<hand>[^`]+)` \| (?P<facts>.*?) ?\| (?P<result>.*?) \|$", re.M)
ROWS = [match.groupdict() for match in ROW.finditer(PAGE.read_text(encoding="utf-8"))]

def result_of(row: dict[str, str]) -> str:
    read = parse(row["hand"])
    facts = dict(fact.partition("=")[::2] for fact in row["facts"].split(", ") if fact)
    values = {name: int(value) if value else True for name, value in facts.items()}
    own = {field.name: bool(values.pop(field.name)) for field in fields(Circumstances) if field.name in values}
    try:
        counted = tally(Hand(read.melds, read.concealed, read.win_tile, **values), Circumstances(**own))
    except HandError as error:
        return error.code
    return ", ".join(f"{one.item.name.zh_hant} {one.points}" for one in (*counted.fans, *counted.additions))


def test_the_page_has_examples():
    assert len(ROWS) >= 30


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["what"])
def test_hand(row):
    listed = sorted(row["result"].split(", "))
    assert sorted(result_of(row).split(", ")) == listed


def test_payments_sessions_and_penalties():
    outcome = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 20
    assert outcome.failed == 0
