"""A wire: one level, and those who watch it."""

from __future__ import annotations

from collections.abc import Callable


class Signal:
    """A digital line; watchers are told of every change, not of repeated levels."""

    __slots__ = ("_watchers", "level", "name")

    def __init__(self, name: str, level: int = 0) -> None:
        self.name = name
        self.level = level
        self._watchers: list[Callable[[int], None]] = []

    def set(self, level: int) -> None:
        if level != self.level:
            self.level = level
            for fn in self._watchers:
                fn(level)

    def watch(self, fn: Callable[[int], None]) -> None:
        self._watchers.append(fn)
