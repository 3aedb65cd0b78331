"""The open questions of a hand, numbered, one per reason and zone; they change and clear with the table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Self

from paiju.game.attention import Attention, Reason


class AttentionList:
    """Items by number. What changed since the last `take` is told there."""

    def __init__(self) -> None:
        self.items: dict[int, Attention] = {}
        self._changed: list[Attention] = []
        self._dismissed: set[tuple[Reason, int]] = set()
        self._history: dict[int, Attention] = {}

    @property
    def open(self) -> tuple[Attention, ...]:
        return tuple(item for item in self.items.values() if item.open)

    @property
    def history(self) -> tuple[Attention, ...]:
        """Every item, also what cleared, with all tiles and evidence that it ever had."""
        return tuple(replace(item, open=self.items[number].open) for number, item in self._history.items())

    def note(
        self,
        reason: Reason,
        ms: int,
        seat: int | None = None,
        tiles: tuple[int, ...] = (),
        evidence: tuple[int, ...] = (),
    ) -> None:
        """Add something that does not clear by itself."""
        self._show(Attention(len(self.items) + 1, reason, ms, seat=seat, tiles=tiles, evidence=evidence))

    def update(
        self,
        groups: Mapping[tuple[Reason, int], Sequence[int]],
        since: Sequence[int],
        seq: Sequence[int],
        explain: Callable[[int, tuple[int, ...]], tuple[str, ...]],
    ) -> None:
        """Make the items that lie in a zone those of `groups` (reason, zone: tiles); `since` and `seq` by tile.

        `explain(zone, tiles)` gives the explanations of an item. What was dismissed stays so while it lies there.
        """
        self._dismissed &= groups.keys()
        left = {key: tiles for key, tiles in groups.items() if key not in self._dismissed}
        for item in list(self.items.values()):
            if not item.open or item.zone is None:
                continue
            tiles = tuple(left.pop((item.reason, item.zone), ()))
            if not tiles:
                self._show(item.cleared())
            elif tiles != item.tiles:
                explanations = explain(item.zone, tiles)
                self._show(replace(item, tiles=tiles, evidence=_numbers(tiles, seq), explanations=explanations))
        for (reason, zone), tiles_now in left.items():
            tiles = tuple(tiles_now)
            self._show(
                Attention(
                    number=len(self.items) + 1,
                    reason=reason,
                    since_ms=min(since[tile] for tile in tiles),
                    zone=zone,
                    seat=zone // 4,
                    tiles=tiles,
                    evidence=_numbers(tiles, seq),
                    explanations=explain(zone, tiles),
                )
            )

    def dismiss(self, number: int) -> None:
        """A person has looked at an item: it is closed until something else happens there. Raises KeyError."""
        item = self.items[number]
        if item.zone is not None:
            self._dismissed.add((item.reason, item.zone))
        self._show(item.cleared())

    def continue_from(self, before: Self) -> list[Attention]:
        """Follow on another list, whose items are closed; returns what changed for somebody who knew that one."""
        closed = {number: item.cleared() for number, item in before.items.items()}
        renewed = {
            number + len(closed): replace(item, number=number + len(closed)) for number, item in self.items.items()
        }
        self._dismissed |= before._dismissed
        for number, item in renewed.items():
            if item.zone is not None and (item.reason, item.zone) in self._dismissed:
                renewed[number] = item.cleared()
        self._history = {number + len(closed): item for number, item in self._history.items()}
        self.items = closed | renewed
        self._changed.clear()
        return [*(closed[item.number] for item in before.open), *renewed.values()]

    def take(self) -> list[Attention]:
        changed, self._changed = self._changed, []
        return changed

    def _show(self, item: Attention) -> None:
        self.items[item.number] = item
        before = self._history.get(item.number, item)
        tiles = tuple(dict.fromkeys((*before.tiles, *item.tiles)))
        evidence = tuple(sorted({*before.evidence, *item.evidence}))
        self._history[item.number] = replace(before, tiles=tiles, evidence=evidence)
        self._changed.append(item)


def _numbers(tiles: Sequence[int], seq: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(seq[tile] for tile in tiles))
