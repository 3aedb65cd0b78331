"""`paiju run` with an empty store at a table that has played already: told in one line, kept, not shown as live."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from acting import Actors, carried_hand
from log_table import LogTable

from paiju.store import Store
from paiju.table import Event

PAIJU = [sys.executable, "-m", "paiju.cli"]


def two_hands() -> list[Event]:
    """A won hand and half of the next one."""
    one, two = Actors(carried_hand("short"), 1).play(), Actors(carried_hand("drawn"), 2)
    one.table.now += 500
    one.sweep()
    two.table.now = one.table.now + 60_000
    second = two.play().events()
    told = sorted([*one.events(), *second[: len(second) // 2]], key=lambda event: event.t_ms)
    return [Event(n, e.t_ms, 1, e.kind, e.fields) for n, e in enumerate(told, 1)]


def run_until(word: str, table: LogTable, data: Path, *options: str) -> list[str]:
    """The lines of `paiju run` up to the first that holds `word` and what still came until Ctrl-C."""
    command = [*PAIJU, "run", "--port", table.url, "--data", str(data), *options]
    env = {**os.environ, "PAIJU_LANG": "en", "COLUMNS": "200", "PYTHONUNBUFFERED": "1"}
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    assert running.stdout is not None
    lines = []
    for line in running.stdout:
        lines.append(line)
        if word in line:
            break
    running.send_signal(signal.SIGINT)
    rest, errors = running.communicate(timeout=60)
    assert "Traceback" not in errors
    return [*lines, *rest.splitlines()]


def test_an_earlier_hand_is_told_and_not_shown(tmp_path: Path) -> None:
    events = two_hands()
    with LogTable(events) as table:
        lines = run_until("finished hands", table, tmp_path)
    (told,) = [line for line in lines if "finished hands" in line]
    assert f"{len(events)} events, 1 finished hands" in told
    before = lines[: lines.index(told)]
    assert len(before) == 1, before  # the table's name, no act of the hand that is over
    assert not any("wins on" in line for line in lines)
    store = Store(tmp_path / "paiju.sqlite")
    assert len(store.hands()) == 1
    assert [event.seq for event in store.events()] == [event.seq for event in events]
    store.close()


def test_another_program_reads_everything_and_where_the_past_ends(tmp_path: Path) -> None:
    events = two_hands()
    with LogTable(events) as table:
        rows = [json.loads(line) for line in run_until('"past"', table, tmp_path, "--json")]
    (n,) = [n for n, row in enumerate(rows) if row["type"] == "past"]
    assert rows[n] == {"type": "past", "events": len(events), "hands": 1}
    assert sum(row["type"] == "event" for row in rows[:n]) == len(events)
    assert sum(row["type"] == "result" for row in rows[:n]) == 1
