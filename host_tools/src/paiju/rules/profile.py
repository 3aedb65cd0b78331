"""Rule profiles of the Chinese official rules: fan values, exclusions and switches, read from TOML."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from paiju.hand import HandError, quoted
from paiju.i18n import _
from paiju.rules.fans import MAX_COUNT
from paiju.rules.texts import Text, load_toml

PROFILES = ("mcr1998", "mcr")


@dataclass(frozen=True, slots=True)
class FanDefinition:
    """Number in the rule text, points for one, and names."""

    no: int
    value: int
    name: Text


@dataclass(frozen=True, slots=True)
class Exclusion:
    """`fan`, where it counts, leaves out `excluded`.

    `own_sets`: only the sets that make `fan`; `at_most`: so many of it, 0 for all. `source` is the
    fan's list in the text, a principle, or a decision of docs/rules.md.
    """

    fan: int
    excluded: int
    source: str
    own_sets: bool = False
    at_most: int = 0


@dataclass(frozen=True, slots=True)
class Principle:
    """A rule that leaves out combinations without naming fans."""

    article: str
    name: Text


@dataclass(frozen=True, slots=True)
class Difference:
    """A case that a profile rules otherwise than the one it extends, with a hand in compact notation.

    `fans` and `switch`: what of the profile makes the difference.
    """

    no: int
    title: Text
    example: str
    fans: tuple[int, ...]
    switch: str

    def covers(self, fans: Iterable[int] = (), switch: str = "") -> bool:
        """Whether a rule about these fans, or this switch, belongs to it."""
        return not set(self.fans).isdisjoint(fans) or (switch != "" and switch == self.switch)


@dataclass(frozen=True, eq=False)
class Profile:
    """A rule system as data. `minimum` is the points a win needs, flowers apart.

    `extends` names the profile that it differs from by its `differences`, and is empty where there is none.
    """

    name: str
    title: Text
    minimum: int
    fans: Mapping[int, FanDefinition]
    exclusions: tuple[Exclusion, ...]
    switches: Mapping[str, bool]
    principles: Mapping[str, Principle]
    extends: str
    differences: tuple[Difference, ...]

    def ranking(self) -> list[int]:
        """Fan numbers, the highest value first, then by number: the order in which fans are counted."""
        return sorted(self.fans, key=lambda no: (-self.fans[no].value, no))


@cache
def load_profile(name: str) -> Profile:
    """The profile of that name. Raises HandError `unknown_profile`."""
    if name not in PROFILES:
        message = _("Unknown rules {found}: use one of {known}.")
        raise HandError("unknown_profile", message.format(found=quoted(name), known=", ".join(PROFILES)))
    return _profile(load_toml(f"profiles/{name}.toml"))


def _profile(data: Mapping[str, Any]) -> Profile:
    base = load_profile(data["extends"]) if "extends" in data else None
    fans = dict(base.fans) if base else {}
    for key, row in data.get("fan", {}).items():
        fans[int(key)] = FanDefinition(int(key), row["value"], Text.of(row["name"]))
    dropped = {(row["fan"], no) for row in data.get("without", ()) for no in row["excludes"]}
    exclusions = [e for e in (base.exclusions if base else ()) if (e.fan, e.excluded) not in dropped]
    exclusions += _exclusions(data.get("exclusion", ()))
    principles = dict(base.principles) if base else {}
    for key, row in data.get("principles", {}).items():
        principles[key] = Principle(row["article"], Text.of(row))
    profile = Profile(
        name=data["name"],
        title=Text.of(data["title"]),
        minimum=data.get("minimum", base.minimum if base else 0),
        fans=fans,
        exclusions=tuple(exclusions),
        switches={**(base.switches if base else {}), **data.get("switches", {})},
        principles=principles,
        extends=data.get("extends", ""),
        differences=tuple(
            Difference(
                row["no"], Text.of(row["title"]), row["example"], tuple(row.get("fans", ())), row.get("switch", "")
            )
            for row in data.get("difference", ())
        ),
    )
    _check(profile)
    return profile


def _exclusions(rows: Iterable[Mapping[str, Any]]) -> list[Exclusion]:
    return [
        Exclusion(row["fan"], no, row["source"], row.get("sets") == "own", row.get("at_most", 0))
        for row in rows
        for no in row["excludes"]
    ]


def _check(profile: Profile) -> None:
    for exclusion in profile.exclusions:
        fan, excluded = exclusion.fan, exclusion.excluded
        if fan not in profile.fans or excluded not in profile.fans:
            raise ValueError(f"{profile.name}: exclusion {fan} -> {excluded} names a fan without a value")
        if exclusion.own_sets and MAX_COUNT.get(excluded, 1) == 1:
            raise ValueError(f"{profile.name}: fan {excluded} is not counted set by set")
