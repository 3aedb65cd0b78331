"""A table in play without players: tiles are laid into a hand, the dice are thrown, and everything is timed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paiju.store import Store
from paiju.table import Event
from paiju.table.virtual import VirtualConnection
from twin import geometry
from twin.air import Echo
from twin.board import load
from twin.firmware import build
from twin.table import Table
from twin.tags import parse

HERE = Path(__file__).parent
PRESS_S = 0.2


def in_play(size: int) -> bytearray:
    """FRAM of a table whose walls were raised before the power failed: no cycle is needed to play on."""
    folder = build()
    port = Path(sys.executable).with_name("micropython")
    done = subprocess.run(
        [str(port) if port.exists() else "micropython", str(HERE / "scripts" / "in_play.py")],
        env={**os.environ, "MICROPYPATH": f".frozen:{folder}:{folder / 'lib'}"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    kept = bytes.fromhex(done.stdout)
    return bytearray(size - len(kept)) + kept


@dataclass
class Inventory:
    """16-slot requests of one reader that belong together; times in virtual µs."""

    zone: int
    began: int
    ended: int
    uids: set[int] = field(default_factory=set)
    requests: int = 0
    slots: int = 0
    air_us: float = 0.0

    @property
    def us(self) -> int:
        return self.ended - self.began


class Ear:
    """Listens at a reader's antenna and sorts what it hears into inventories."""

    def __init__(self, table: Table, reader: int) -> None:
        self.inventories: list[Inventory] = []
        self._going = False
        chip = table.board.readers[reader]
        radio: Any = chip._radio
        exchange: Callable[[bytes | None, float], Echo | None] = radio.exchange

        def heard(frame: bytes | None, start: float) -> Echo | None:
            zone = table.air.antennas[radio._powered].zone if radio._powered is not None else -1
            echo = exchange(frame, start)
            if frame is None:
                if self._going:
                    self._count(table.now, radio, echo)
                return echo
            request = parse(frame)
            self._going = request is not None and request.inventory and not request.one_slot
            if request is not None and self._going:
                if not request.mask_length or not self.inventories:
                    self.inventories.append(Inventory(zone, int(start), table.now))
                self.inventories[-1].requests += 1
                self._count(table.now, radio, echo)
            return echo

        radio.exchange = heard

    def _count(self, now: int, radio: Any, echo: Echo | None) -> None:
        present = self.inventories[-1]
        present.slots += 1
        present.ended = now
        if echo is not None:
            present.ended = int(radio._deaf_until)
            if echo.intact and len(echo.tags) == 1:
                present.uids.add(echo.tags[0].uid)


class Scene:
    """`with scene(...)`: a table that is powered and heard; `events` are what the host has stored."""

    def __init__(self, table: Table, folder: Path) -> None:
        self.table = table
        self.events: list[Event] = []
        self.ear = Ear(table, 0)
        self._store = Store(folder / "events.db")
        self.connection = VirtualConnection(table.clock, table.uart, self._store, self.events.extend)

    def of(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind == kind]

    def until(self, done: Callable[[], bool], seconds: float = 10.0) -> bool:
        return self.table.run_for(seconds, done)

    def lay(self, seat: int, numbers: list[int]) -> None:
        """Tiles of the set into a hand, side by side."""
        world = self.table.world
        for slot, number in enumerate(numbers):
            world.ground.put(world.tiles[number], f"hand.{seat}", geometry.hand(seat, slot))

    def press(self, button: str) -> None:
        wire = self.table.board.inputs[f"button_{button}"]
        wire.set(1)
        self.table.run_for(PRESS_S)
        wire.set(0)

    def ask(self, command: str, *arguments: int, seconds: float = 5.0) -> dict[str, Any]:
        """Fields of the answer to a command."""
        answers: list[Any] = []
        self.connection.link.command(command, *arguments, on_reply=answers.append)
        assert self.until(lambda: bool(answers), seconds), f"no answer to {command}"
        assert answers[0].status == "ok", answers[0]
        return dict(answers[0].fields)


@contextmanager
def scene(folder: Path, **options: Any) -> Iterator[Scene]:
    """A table in play, powered; `options` are those of `Table`."""
    table = Table(fram=in_play(load("board")["fram"]["bytes"]), state=folder, **options)
    with table:
        yield Scene(table, folder)
