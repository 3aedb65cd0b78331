"""The values and switches of the second rule text, read from its profile file."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from paiju.rules.texts import Text, load_toml

PROJECT_DEFAULT = "project default"


@dataclass(frozen=True, slots=True)
class Exclusion:
    """An item that is not counted beside the one that lists it, and the article that says so."""

    item: str
    article: str


@dataclass(frozen=True, slots=True)
class Item:
    """A technical fan or an addition: number, points, name, source of its value, article that describes it."""

    key: str
    no: int
    points: int
    name: Text
    source: str
    excludes: tuple[Exclusion, ...] = ()
    article: str = ""

    @property
    def is_default(self) -> bool:
        return self.source == PROJECT_DEFAULT

    @classmethod
    def of(cls, key: str, row: Mapping[str, Any]) -> "Item":
        return cls(
            key,
            row["no"],
            row["points"],
            Text.of(row["name"]),
            row["source"],
            tuple(Exclusion(one["item"], one["article"]) for one in row.get("excludes", ())),
            row.get("article", row["source"]),
        )


@dataclass(frozen=True, slots=True)
class Amount:
    """A share count, a factor or a number of points, and the source of it."""

    value: int
    source: str

    @property
    def is_default(self) -> bool:
        return self.source == PROJECT_DEFAULT


@dataclass(frozen=True, slots=True)
class Format:
    """A way to run a round of an event: sessions, wind rounds a session, minutes a session."""

    sessions: int
    rounds: int
    minutes: int


@dataclass(frozen=True, slots=True)
class CompetitiveProfile:
    """Everything an event can set; see profiles/competitive.toml for sources."""

    name: str
    title: Text
    fans: Mapping[str, Item]
    additions: Mapping[str, Item]
    payments: Mapping[str, Amount]
    formats: Mapping[int, Format]
    concealed_needs_self_draw: bool
    melded_wait_needs_discard: bool
    liability_from_the_start: bool
    refused_ends: frozenset[str]
    start_points: int
    score_questions: int
    score_question_session: int
    warning_minutes: int

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "CompetitiveProfile":
        """From a parsed profile file; raises KeyError where a value is missing."""
        session, switches = data["session"], data["switches"]
        return cls(
            name=data["name"],
            title=Text.of(data["title"]),
            fans=_items(data["fans"]),
            additions=_items(data["additions"]),
            payments=MappingProxyType({key: _amount(row) for key, row in data["payments"].items()}),
            formats=MappingProxyType(
                {
                    int(rounds): Format(row["sessions"], row["rounds"], row["minutes"])
                    for rounds, row in data["formats"].items()
                }
            ),
            concealed_needs_self_draw=switches["concealed_needs_self_draw"],
            melded_wait_needs_discard=switches["melded_wait_needs_discard"],
            liability_from_the_start=switches["liability_from_the_start"],
            refused_ends=frozenset(switches["refused_ends"]),
            start_points=session["start_points"],
            score_questions=session["score_questions"],
            score_question_session=session["score_question_session"],
            warning_minutes=session["warning_minutes"],
        )


def _items(rows: Mapping[str, Any]) -> Mapping[str, Item]:
    return MappingProxyType({key: Item.of(key, row) for key, row in rows.items()})


def _amount(row: Mapping[str, Any]) -> Amount:
    (value,) = (row[key] for key in ("shares", "points", "factor") if key in row)
    return Amount(value, row["source"])


@cache
def competitive_profile(name: str = "competitive") -> CompetitiveProfile:
    """The shipped profile `name`, read once."""
    return CompetitiveProfile.of(load_toml(f"profiles/{name}.toml"))


def default_notice(name: Text, points: int) -> Text:
    """What a result says when it uses a value that the text has lost."""
    return Text(
        f"The value of {name.en} ({points}) is a project default: the rule text has lost it, the event sets it.",
        f"“{name.zh_hans}”的分值（{points}）为本项目默认值：规则原文缺失，由赛事规定。",
        f"「{name.zh_hant}」的分值（{points}）為本專案預設值：規則原文缺失，由賽事規定。",
    )
