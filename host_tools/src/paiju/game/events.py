"""What the tracker needs to know of the table's events (docs/architecture.md), and the numbering of zones."""

from collections.abc import Mapping
from typing import Final, Protocol

SEATS: Final = range(4)
HAND, MELD, POND, GATE = range(4)
ZONE_NAMES: Final = ("hand", "meld", "pond", "gate")
SEAT_ZONES: Final = 16
NO_ZONE: Final = -1
CONSOLE: Final = 255
MOVES: Final = frozenset({"enter", "leave", "moved"})


class TableEvent(Protocol):
    """One event of a table. `t_ms` counts from the controller's start number `boot`; enumerated fields are words."""

    @property
    def seq(self) -> int: ...
    @property
    def t_ms(self) -> int: ...
    @property
    def boot(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def fields(self) -> Mapping[str, int | str]: ...


def number(event: TableEvent, field: str) -> int:
    """A numeric field of an event."""
    value = event.fields[field]
    return value if isinstance(value, int) else int(value)


def zone_after(event: TableEvent) -> int:
    """Where the tile of one of MOVES is seen afterwards."""
    if event.kind == "leave":
        return NO_ZONE
    return number(event, "to" if event.kind == "moved" else "zone")


def zone_of(seat: int, place: int) -> int:
    """Zone number of a seat's hand, meld, pond or gate."""
    return 4 * seat + place


def zone_name(zone: int) -> str:
    """Such as `pond 2`; `nowhere` for NO_ZONE."""
    if zone == NO_ZONE:
        return "nowhere"
    return f"{ZONE_NAMES[zone % 4]} {zone // 4}" if zone < SEAT_ZONES else f"die {zone - SEAT_ZONES + 1}"
