"""Types that only a type checker needs; the controller never sees this file."""

from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Protocol

__all__ = ["Any", "Callable", "Coroutine", "EventSource", "Iterator"]


class EventSource(Protocol):
    """What the link needs of a journal."""

    id: int
    boot: int
    first: int
    last: int
    acknowledged: int
    slots: int

    @property
    def unacknowledged(self) -> int: ...
    def read(self, seq: int, buf: bytearray, at: int) -> int: ...
    def acknowledge(self, seq: int) -> None: ...
