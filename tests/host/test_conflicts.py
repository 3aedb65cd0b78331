"""A tile that two zones hear, in words; whose it is in a hand or under a kong stays untold."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from rich.console import Console

from paiju import i18n
from paiju.commands.run import JsonScreen, PlainScreen
from paiju.table import Event
from paiju.technician.conflicts import Conflict

FIELDS = {"tile": 8, "zone": 2, "other": 1, "hits": 15, "other_hits": 3}  # 3m


@pytest.fixture(autouse=True)
def _leave_the_language_alone() -> Iterator[None]:
    before = i18n.language()
    yield
    i18n.set_language(before)


def said(**more: int) -> str:
    conflict = Conflict.of(FIELDS | more)
    assert conflict is not None
    return conflict.sentence


def test_the_sentence_names_the_tile_both_zones_and_both_hit_rates() -> None:
    i18n.set_language("en")
    assert said().startswith("3m of East pond is also heard in East meld: 15 of 16 looks here, 3 of 16 there.")
    assert said(tile=256 + 8) == said()  # of the other set
    i18n.set_language("zh_Hant")
    assert "3m" in said()
    assert "16 次中 15 次" in said()


@pytest.mark.parametrize("zone", [0, 1, 5, 12])
def test_concealed_tiles_are_not_told(zone: int) -> None:
    for language in i18n.LANGUAGES:
        i18n.set_language(language)
        assert len({said(zone=zone, other=2, tile=tile) for tile in range(144)}) == 1


def test_none_was_measured() -> None:
    assert Conflict.of(FIELDS | {"zone": 255}) is None


def test_a_followed_table_tells_it_in_words_and_its_feed_in_fields(capsys: pytest.CaptureFixture[str]) -> None:
    i18n.set_language("en")
    event = Event(1, 0, 1, "conflict", FIELDS)
    PlainScreen(False, Console(width=200)).event(event)
    assert "3m of East pond is also heard in East meld" in capsys.readouterr().out
    JsonScreen().event(event)
    assert json.loads(capsys.readouterr().out)["fields"] == FIELDS
