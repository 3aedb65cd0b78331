"""Texts in the language of the person at the screen: English, simplified and traditional Chinese.

Modules mark a text with `_("...")` and plurals with `ngettext`; the catalogues lie in `paiju/locale`.
The language is looked up at every call, so it can be changed while the program runs.
"""

import gettext as _gettext
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "zh_Hans", "zh_Hant")
DOMAIN = "paiju"
LOCALE_DIR = Path(__file__).parent / "locale"

_TRADITIONAL = ("hant", "tw", "hk", "mo")


def is_known(tag: str) -> bool:
    """Whether there are texts in the language of a tag such as `zh-TW` or `en_GB.UTF-8`."""
    return _parts(tag)[0] in ("en", "zh")


def _parts(tag: str) -> list[str]:
    return tag.split(".")[0].replace("-", "_").lower().split("_")


def match_language(tag: str) -> str:
    """The supported language nearest to a tag such as `zh-TW`, `zh_CN.UTF-8` or `de`; English if none."""
    parts = _parts(tag)
    if parts[0] != "zh":
        return "en"
    return "zh_Hant" if any(part in _TRADITIONAL for part in parts[1:]) else "zh_Hans"


def system_language() -> str:
    """The language of the environment: PAIJU_LANG first, then the usual locale variables."""
    for name in ("PAIJU_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if os.environ.get(name):
            return match_language(os.environ[name])
    return "en"


@cache
def _catalogue(language: str) -> _gettext.NullTranslations:
    return _gettext.translation(DOMAIN, LOCALE_DIR, [language], fallback=True)


_current = system_language()


def language() -> str:
    """The language in use, one of `LANGUAGES`."""
    return _current


def set_language(tag: str | None) -> None:
    """Use the supported language nearest to `tag`; None goes back to that of the environment."""
    global _current
    _current = match_language(tag) if tag else system_language()


def gettext(message: str) -> str:
    """The text in the current language, or the message itself where the catalogue has none."""
    return _catalogue(_current).gettext(message)


def ngettext(singular: str, plural: str, n: int) -> str:
    """The form of the text that goes with the number n."""
    return _catalogue(_current).ngettext(singular, plural, n)


_ = gettext


def listed(words: Iterable[str]) -> str:
    """The words one after another, as the language sets them apart."""
    return _(", ").join(words)
