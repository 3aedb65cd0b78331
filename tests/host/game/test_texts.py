"""Every text that the host shows is there in all three languages, with the same places to fill."""

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import paiju
from paiju import i18n

SOURCES = Path(paiju.__file__).parent


def marked_texts() -> Iterator[str]:
    """The literal first arguments of `_`, `gettext` and `ngettext` in the sources."""
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            first = node.args[0]
            if node.func.id in ("_", "gettext", "ngettext") and isinstance(first, ast.Constant):
                yield str(first.value)


def fields(text: str) -> set[str]:
    return {name for _before, name, _spec, _conversion in string.Formatter().parse(text) if name is not None}


@pytest.fixture(autouse=True)
def _leave_the_language_alone() -> Iterator[None]:
    before = i18n.language()
    yield
    i18n.set_language(before)


@pytest.mark.parametrize("language", ["zh_Hans", "zh_Hant"])
def test_every_text_is_translated(language: str) -> None:
    i18n.set_language(language)
    texts = sorted(set(marked_texts()))
    assert len(texts) > 50
    assert [text for text in texts if i18n.gettext(text) == text] == []
    assert [text for text in texts if fields(i18n.gettext(text)) != fields(text)] == []


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("zh-TW", "zh_Hant"),
        ("zh_HK.UTF-8", "zh_Hant"),
        ("zh-Hant", "zh_Hant"),
        ("zh_CN.UTF-8", "zh_Hans"),
        ("zh", "zh_Hans"),
        ("en_GB", "en"),
        ("C.UTF-8", "en"),
        ("de", "en"),
    ],
)
def test_nearest_language(tag: str, language: str) -> None:
    assert i18n.match_language(tag) == language
