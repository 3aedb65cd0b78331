"""What a hand scores, and why: the result types that the rule systems share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paiju.rules.texts import Text
from paiju.tiles import Language, code_of

Tiles = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FanCount:
    """A fan that counts `count` times at `points` each.

    `tiles` has one tuple of faces for each time; empty for flowers, whose faces a hand does not carry.
    """

    no: int
    zh_hant: str
    zh_hans: str
    name: str
    points: int
    count: int
    tiles: tuple[Tiles, ...]

    def name_in(self, language: Language) -> str:
        return {"en": self.name, "zh_Hans": self.zh_hans, "zh_Hant": self.zh_hant}[language]

    def to_json(self) -> dict[str, Any]:
        return {
            "no": self.no,
            "zh": self.zh_hant,
            "name": self.name,
            "points": self.points,
            "count": self.count,
            "tiles": [[code_of(face) for face in tiles] for tiles in self.tiles],
        }


@dataclass(frozen=True, slots=True)
class Excluded:
    """A fan that a player might claim and that does not count.

    `by` is the number of the fan that leaves it out, or None where a rule without a fan does; `reason`
    names either, `source` is the article, principle or decision. `tiles` as in FanCount.
    """

    no: int
    name: Text
    tiles: tuple[Tiles, ...]
    by: int | None
    reason: Text
    source: str

    def to_text(self, language: Language) -> str:
        """Such as "不計門前清: 四暗刻"."""
        name, reason = self.name.to(language), self.reason.to(language)
        pattern = {"en": "{0} not counted: {1}", "zh_Hans": "不计{0}: {1}", "zh_Hant": "不計{0}: {1}"}
        return pattern[language].format(name, reason)

    def to_json(self) -> dict[str, Any]:
        return {
            "no": self.no,
            "zh": self.name.zh_hant,
            "name": self.name.en,
            "by": self.by,
            "reason": self.reason.to_json(),
            "source": self.source,
            "tiles": [[code_of(face) for face in tiles] for tiles in self.tiles],
        }


Explain = Callable[..., tuple[tuple[FanCount, ...], tuple[Excluded, ...]]]


class Score:
    """Points of a winning hand. The fans, their tiles and what was left out are worked out when asked for.

    `minimum`: points without flowers that a win needs.
    """

    __slots__ = ("_arguments", "_explain", "_explained", "flowers", "minimum", "total", "total_without_flowers")

    def __init__(
        self,
        total: int,
        total_without_flowers: int,
        flowers: int,
        minimum: int,
        explain: Explain,
        arguments: tuple[Any, ...] = (),
    ) -> None:
        """`explain`, called with `arguments` when first asked, gives the fans that count and those left out."""
        self.total = total
        self.total_without_flowers = total_without_flowers
        self.flowers = flowers
        self.minimum = minimum
        self._explain = explain
        self._arguments = arguments
        self._explained: tuple[tuple[FanCount, ...], tuple[Excluded, ...]] | None = None

    def _explanation(self) -> tuple[tuple[FanCount, ...], tuple[Excluded, ...]]:
        if self._explained is None:
            self._explained = self._explain(*self._arguments)
        return self._explained

    @property
    def fans(self) -> tuple[FanCount, ...]:
        """What counts, the highest first, flowers last."""
        return self._explanation()[0]

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        """What might be claimed and does not count."""
        return self._explanation()[1]

    @property
    def reaches_minimum(self) -> bool:
        """Whether the hand may win: below the minimum, flowers apart, it is a false win (第十四條 六)."""
        return self.total_without_flowers >= self.minimum

    def to_json(self, *, excluded: bool = False) -> dict[str, Any]:
        """`total`, `total_without_flowers`, `fans`; with `excluded` also `reaches_minimum` and `excluded`."""
        body: dict[str, Any] = {
            "total": self.total,
            "total_without_flowers": self.total_without_flowers,
            "fans": [fan.to_json() for fan in self.fans],
        }
        if excluded:
            body["reaches_minimum"] = self.reaches_minimum
            body["excluded"] = [item.to_json() for item in self.excluded]
        return body

    def __repr__(self) -> str:
        fans = ", ".join(f"{f.name} {f.points}" + (f"x{f.count}" if f.count > 1 else "") for f in self.fans)
        return f"<Score {self.total}: {fans}>"
