"""Every line that a settlement can say exists in three languages with the same facts."""

import re

import pytest

from paiju.rules.settlement import entry
from paiju.rules.texts import Text, load_toml

LINES = load_toml("settlement.toml")


@pytest.mark.parametrize("rule", LINES)
def test_languages_agree(rule):
    row = LINES[rule]
    assert row["article"]
    text = Text.of(row)
    facts = [sorted(re.findall(r"{(\w+)}", one)) for one in (text.en, text.zh_hans, text.zh_hant)]
    assert facts[0] == facts[1] == facts[2]


@pytest.mark.parametrize("rule", LINES)
def test_seats_are_named_in_each_language(rule):
    line = entry(rule, seats={"winner": 1, "payer": 2}, points=24, shares=3, paid=5, owed=24)
    for language, south in (("en", "South"), ("zh_Hans", "南家"), ("zh_Hant", "南家")):
        said = line.text.to(language)
        assert "{" not in said
        assert (south in said) is ("{winner}" in LINES[rule]["en"])
