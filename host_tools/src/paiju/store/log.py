"""The raw event log as JSON lines: a header line, then one event a line.

The header names the table and what its hands were played by, by the number of the event with which each begins.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from paiju.i18n import _
from paiju.table.events import Event
from tablelink import messages

FORMAT = "paiju events 1"
CLOCK_MS = 1000  # events may be stamped out of order by less than this
WRAP_MS = 1 << 31  # a counter that starts again from zero is no jump


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that could not be used."""

    line: int
    reason: str

    def __str__(self) -> str:
        return _("line {n}: {reason}").format(n=self.line, reason=self.reason)


@dataclass(slots=True)
class EventLog:
    """A log as read: what it is of, its good events in order, and what was wrong with it."""

    serial: str = ""
    journal_id: int = 0
    protocol: str = ""
    setups: dict[int, dict[str, Any]] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    problems: list[BadLine] = field(default_factory=list)


def event_to_json(event: Event) -> dict[str, Any]:
    """`{"seq":…, "t_ms":…, "boot":…, "event":…, <fields>}`."""
    return {"seq": event.seq, "t_ms": event.t_ms, "boot": event.boot, "event": event.kind, **event.fields}


def event_from_json(row: Any) -> Event:
    """Inverse of `event_to_json`; raises ValueError with the reason."""
    if not isinstance(row, dict):
        raise ValueError(_("not a JSON object"))
    layout = messages.EVENT_BY_NAME.get(str(row.get("event")))
    if layout is None:
        raise ValueError(_("no event is called {name}").format(name=repr(row.get("event"))))
    head = {}
    for name in ("seq", "t_ms", "boot"):
        head[name] = _number(row, name)
    fields: dict[str, int | str] = {}
    for spec in layout.fields:
        value = row.get(spec[0])
        if spec[1].startswith("bytes"):
            if not isinstance(value, str):
                raise ValueError(_("{field} is not hex text").format(field=spec[0]))
            fields[spec[0]] = value
        elif isinstance(value, str) and len(spec) > 2 and value in spec[2]:
            fields[spec[0]] = value
        else:
            fields[spec[0]] = _number(row, spec[0])
    event = Event(head["seq"], head["t_ms"], head["boot"], layout.name, fields)
    try:
        event.record  # noqa: B018 - packs the fields
    except Exception as error:
        raise ValueError(_("a field is out of its range ({reason})").format(reason=error)) from error
    return event


def write_log(
    path: str | Path,
    serial: str,
    journal_id: int,
    events: Iterable[Event],
    setups: Mapping[int, Mapping[str, Any]] | None = None,
) -> int:
    """Write a log; returns the number of events. setups: `game.position.Setup` as JSON by first event."""
    n = 0
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        header = {"format": FORMAT, "serial": serial, "journal": journal_id, "protocol": f"{messages.PROTOCOL:08x}"}
        if setups:
            header["setups"] = {str(first): dict(setup) for first, setup in setups.items()}
        file.write(json.dumps(header) + "\n")
        for event in events:
            file.write(json.dumps(event_to_json(event), separators=(",", ":")) + "\n")
            n += 1
    return n


def read_log(path: str | Path) -> EventLog:
    """Read a log; bad lines are in `problems`, the good ones are kept. Raises OSError, and ValueError for no log."""
    log = EventLog()
    with open(path, "rb") as file:
        raw = file.read().split(b"\n")
    complete = raw[-1] == b""
    lines = raw[:-1] if complete else raw
    try:
        header = json.loads(lines[0]) if lines else None
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(_("{path} is no event log of this tool.").format(path=path))
    log.serial = str(header.get("serial", ""))
    log.journal_id = int(header.get("journal", 0))
    log.protocol = str(header.get("protocol", ""))
    try:
        log.setups = {int(first): dict(setup) for first, setup in header.get("setups", {}).items()}
    except (AttributeError, TypeError, ValueError):
        log.problems.append(BadLine(1, _("what the hands were played by cannot be read")))
    rows: list[tuple[int, Event]] = []
    for number, line in enumerate(lines[1:], 2):
        cut = not complete and number == len(lines)
        try:
            row = _json(line)
            if isinstance(row, dict) and row.get("format") == FORMAT:
                if (row.get("serial"), row.get("journal")) != (header.get("serial"), header.get("journal")):
                    log.problems.append(BadLine(number, _("the log of another table begins here; it is left out")))
                    break
                continue
            rows.append((number, event_from_json(row)))
        except ValueError as error:
            log.problems.append(BadLine(number, _("the log is cut in this line") if cut else str(error)))
    _keep_in_order(rows, log)
    log.problems.sort(key=lambda problem: problem.line)
    return log


def _keep_in_order(rows: Sequence[tuple[int, Event]], log: EventLog) -> None:
    """Keep as many events as follow one another by number; the others were moved, repeated or another table's."""
    chain = set(_increasing([event.seq for _line, event in rows]))
    before: Event | None = None
    for index, (number, event) in enumerate(rows):
        if index not in chain:
            say = _("event {n} comes again or out of order").format(n=event.seq)
            log.problems.append(BadLine(number, say))
            continue
        first = int(event["first"]) if event.kind == "gap" else event.seq
        if before is not None and first > before.seq + 1:
            say = _("events {a} to {b} are missing before this line").format(a=before.seq + 1, b=first - 1)
            log.problems.append(BadLine(number, say))
        if before is not None and event.kind != "gap":
            if event.boot < before.boot:
                log.problems.append(BadLine(number, _("the table's count of starts went back: events of two tables?")))
            elif event.boot == before.boot and CLOCK_MS < before.t_ms - event.t_ms < WRAP_MS:
                log.problems.append(BadLine(number, _("the table's clock jumped back")))
        log.events.append(event)
        # A gap stands for events that nobody has: it tells no time.
        before = event if event.kind != "gap" or before is None else replace(before, seq=event.seq)


def _increasing(numbers: Sequence[int]) -> list[int]:
    """Indices of a longest strictly increasing part; of equal numbers the first is taken where that is as long."""
    ends: list[int] = []  # the smallest last number of a part of each length
    at: list[int] = []  # its index
    previous: list[int] = []
    for index, value in enumerate(numbers):
        length = bisect_left(ends, value)
        previous.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(value)
            at.append(index)
        elif value < ends[length]:
            ends[length], at[length] = value, index
    chosen: list[int] = []
    index = at[-1] if at else -1
    while index >= 0:
        chosen.append(index)
        index = previous[index]
    return chosen[::-1]


def _json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise ValueError(_("not JSON, or cut")) from error


def _number(row: dict[str, Any], name: str) -> int:
    value = row.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        say = _("{field} is missing") if value is None else _("{field} is not a whole number")
        raise ValueError(say.format(field=name))
    return value
