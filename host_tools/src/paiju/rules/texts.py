"""Sentences and names in the three languages that rules are explained in."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from paiju.hand import HandError, quoted
from paiju.i18n import _
from paiju.tiles import Language

SEAT_NAMES: dict[Language, tuple[str, ...]] = {
    "en": ("East", "South", "West", "North"),
    "zh_Hans": ("东家", "南家", "西家", "北家"),
    "zh_Hant": ("東家", "南家", "西家", "北家"),
}


@dataclass(frozen=True, slots=True)
class Text:
    """One name or sentence in English, simplified and traditional Chinese."""

    en: str
    zh_hans: str
    zh_hant: str

    @classmethod
    def of(cls, table: dict[str, str]) -> "Text":
        """From a TOML table with the keys `en`, `zh_hans`, `zh_hant`."""
        return cls(table["en"], table["zh_hans"], table["zh_hant"])

    def with_seats(self, seats: dict[str, int] | None = None, **values: object) -> "Text":
        """Fill the placeholders: `seats` become seat names in each language, `values` stay as they are."""
        seats = seats or {}

        def fill(language: Language) -> str:
            named = {key: SEAT_NAMES[language][seat] for key, seat in seats.items()}
            return self.to(language).format(**named, **values)

        return Text(fill("en"), fill("zh_Hans"), fill("zh_Hant"))

    def to(self, language: Language) -> str:
        """The text in one language."""
        return {"en": self.en, "zh_Hans": self.zh_hans, "zh_Hant": self.zh_hant}[language]

    def to_json(self) -> dict[str, str]:
        return {"en": self.en, "zh_Hans": self.zh_hans, "zh_Hant": self.zh_hant}


def load_toml(name: str) -> dict[str, Any]:
    """Read a data file of this package, such as `settlement.toml` or `profiles/competitive.toml`."""
    return tomllib.loads(files("paiju.rules").joinpath(name).read_text(encoding="utf-8"))


@cache
def engine_of(profile: str) -> str:
    """The engine that a shipped profile names: "mcr" or "competitive". Raises HandError `unknown_profile`."""
    try:
        engine: str = load_toml(f"profiles/{profile}.toml")["engine"]
    except FileNotFoundError:
        shipped = sorted(file.name[:-5] for file in files("paiju.rules").joinpath("profiles").iterdir())
        message = _("Unknown rules {found}: use one of {known}.")
        raise HandError(
            "unknown_profile", message.format(found=quoted(profile), known=", ".join(shipped))
        ) from None
    return engine
