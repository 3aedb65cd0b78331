"""Plays a hand on the whole simulated table in virtual time, with the real firmware and the host's own parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from paiju.commands.following import Follower
from paiju.folders import store_file
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.game.tracker import Report
from paiju.store import Store
from paiju.table import Event
from paiju.table.virtual import VirtualConnection
from twin.script import Script, load
from twin.table import Table

LIMIT_S = 400.0


@dataclass
class Evening:
    """A table, its connection and what the host made of it."""

    table: Table
    script: Script
    store: Store
    folder: Path
    connection: VirtualConnection
    events: list[Event] = field(default_factory=list)
    stored_at: list[int] = field(default_factory=list)  # virtual µs, one for each event
    reports: list[Report] = field(default_factory=list)
    play_from: int = 0  # virtual µs when the deal was over

    @property
    def records(self) -> list[HandRecord]:
        return [report for report in self.reports if isinstance(report, HandRecord)]

    @property
    def record(self) -> HandRecord:
        """The one hand that was played."""
        assert len(self.records) == 1, (self.records, self.table.world.phase, self.table.world.problem)
        return self.records[0]


def open_evening(number: int, folder: Path, seed: int = 1, **table: object) -> Evening:
    """A table that is ready to start hand `number`; leave it with `evening.table.kernel.stop()`."""
    script = load(number)
    whole = Table(seed, script, **table)  # type: ignore[arg-type]
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(store_file(folder))
    reports: list[Report] = []
    follower: list[Follower] = []

    def take(events: list[Event]) -> None:
        evening.events.extend(events)
        evening.stored_at.extend([whole.now] * len(events))
        hello = evening.connection.link.hello
        assert hello is not None
        if not follower:
            setup = Setup(script.dealer, script.prevalent_wind, "mcr")
            follower.append(
                Follower(store, folder, hello.serial, hello.journal_id, setup, lambda r, n: reports.append(r))
            )
        follower[0].follow(events)

    connection = VirtualConnection(whole.clock, whole.uart, store, take, seed)
    evening = Evening(whole, script, store, folder, connection, reports=reports)
    return evening


def play(number: int, folder: Path, seed: int = 1, during: Callable[[Evening], None] | None = None) -> Evening:
    """Play hand `number` to its end; `during` is called once the players have begun to play tiles."""
    evening = open_evening(number, folder, seed)
    table = evening.table
    with table:
        table.run_for(LIMIT_S, lambda: table.world.phase in ("play", "done", "stuck"))
        if during is not None:
            during(evening)
        table.run_for(LIMIT_S, lambda: table.world.done)
        table.run_for(3.0)
    assert table.world.problem is None, table.world.problem
    return evening
