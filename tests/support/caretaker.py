"""Works a table without players: presses its buttons, pushes its tiles into the gap, hears its events."""

from __future__ import annotations

from collections.abc import Callable
from struct import unpack_from

from paiju.table.events import Event, parse
from tablelink.messages import EVENT_BY_NUMBER, RECORD, RECORD_LIMIT
from twin.table import Table

SLOT = RECORD_LIMIT + 4
SLOTS_AT = 64
KEPT = 512  # at the end of the FRAM, not of the journal
PRESS_S = 0.2
SEGMENTS = {0x3F: "0", 0x06: "1", 0x5B: "2", 0x4F: "3", 0x66: "4", 0x6D: "5", 0x7D: "6", 0x07: "7", 0x7F: "8",
            0x6F: "9", 0x40: "-", 0x79: "E", 0x00: " "}  # fmt: skip


class Caretaker:
    """`events` are all the table has recorded so far, read where it keeps them: no host is needed."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._events: list[Event] = []
        self._slots = (len(table.board.fram) - KEPT - SLOTS_AT) // SLOT

    @property
    def events(self) -> list[Event]:
        fram = self.table.board.fram
        while True:
            seq = len(self._events) + 1
            at = SLOTS_AT + seq % self._slots * SLOT
            if unpack_from("<I", fram, at)[0] != seq:
                return self._events
            kind = fram[at + 10]
            if kind not in EVENT_BY_NUMBER:
                return self._events
            size = RECORD.size + EVENT_BY_NUMBER[kind].size
            self._events.append(parse(bytes(fram[at : at + size])))

    def of(self, kind: str, since: int = 0) -> list[Event]:
        """Events of a kind after number `since`."""
        return [e for e in self.events if e.kind == kind and e.seq > since]

    @property
    def last(self) -> int:
        return len(self.events)

    @property
    def state(self) -> str:
        """The last state the cycle told."""
        states = self.of("cycle")
        return str(states[-1]["state"]) if states else "idle"

    def faults(self, since: int = 0) -> list[tuple[int, int]]:
        """(code, part) of the faults told."""
        return [(int(e["code"]), int(e["part"])) for e in self.of("fault", since)]

    @property
    def held(self) -> bool:
        """A fault holds the table: it has neither been cleared since nor forgotten by a new start."""
        told = [e.kind for e in self.events if e.kind in ("picture", "cleared", "boot")]
        return bool(told) and told[-1] == "picture"

    @property
    def displays(self) -> list[str]:
        """The five digits of each seat, from the chip's display RAM."""
        return ["".join(SEGMENTS[row] for row in panel.rows[0:10:2]) for panel in self.table.board.panels]

    def press(self, *buttons: str, seconds: float = PRESS_S) -> None:
        inputs = self.table.board.inputs
        for name in buttons:
            inputs[f"button_{name}"].set(1)
        self.table.run_for(seconds)
        for name in buttons:
            inputs[f"button_{name}"].set(0)

    def wait(self, done: Callable[[], bool], seconds: float = 120) -> bool:
        return self.table.run_for(seconds, done)

    def until_rest(self, seconds: float = 200) -> str:
        """Until the table rests with walls, held by a fault, or waiting for tiles; "up", "fault" or "time"."""
        self.wait(lambda: self.state == "ready" or self.held, seconds)
        self.table.run_for(0.1)
        return "fault" if self.held else "up" if self.state == "ready" else "time"

    def build(self, seconds: float = 200) -> str:
        """Press raise and wait for the walls or a fault."""
        since = self.last
        self.press("raise")
        self.wait(lambda: bool(self.of("cycle", since)) or self.held, 30)
        return self.until_rest(seconds)

    def clear_table(self) -> bool:
        """Open the console, push every tile in, wait until it is closed; False when it does not open or close."""
        mechanics = self.table.world.mechanics
        ground = self.table.world.ground
        since = self.last
        self.press("refill")
        if not self.wait(lambda: mechanics.console_open or bool(self.faults(since)), 20):
            return False
        mechanics.reach_into_gap(1)
        self.table.run_for(0.3)
        for tile in mechanics.sweep():
            ground.lift(tile)
            mechanics.drop_in(tile)
        self.table.run_for(0.3)
        mechanics.reach_into_gap(-1)
        closed = self.wait(lambda: bool(mechanics.sensors["lift_down"].level) or bool(self.faults(since)), 30)
        self.table.run_for(0.3)
        return closed
