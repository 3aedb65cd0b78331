"""Hands acted out on the table without chips, and followed by the tracker. Needs the twin installed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from paiju.game.attention import Attention
from paiju.game.events import TableEvent
from paiju.game.formats.neutral import read_neutral
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.game.tracker import Tracker
from paiju.simulation.hands import play_hand
from paiju.simulation.judging import Judgement, judge

CHUNK = 8


@dataclass(frozen=True, slots=True)
class Conditions:
    """How a hand is acted out: names of noise (`twin.sights.NOISES`) and habits (`twin.sloppy.HABITS`)."""

    noise: str = "none"
    sloppy: str = "none"
    profile: str = "mcr1998"
    pace: float = 1.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one simulated hand. `items` are the reasons of all attention items, also those that cleared."""

    seed: int
    judgement: Judgement
    kind: str
    events: int
    items: tuple[str, ...]
    mishaps: Mapping[str, int]
    problem: str = ""
    record: Mapping[str, Any] = field(default_factory=dict)


def profiles() -> tuple[list[str], list[str]]:
    """Names of the noises and of the habits. ImportError without the twin."""
    from twin.sights import NOISES
    from twin.sloppy import HABITS

    return list(NOISES), list(HABITS)


def act_out(record: Mapping[str, Any], seed: int | str, conditions: Conditions) -> Sequence[TableEvent]:
    """The events of a neutral hand; ValueError when it cannot be acted out."""
    events, _ = _act_out(record, seed, conditions)
    return events


def _act_out(
    record: Mapping[str, Any], seed: int | str, conditions: Conditions
) -> tuple[Sequence[TableEvent], Mapping[str, int]]:
    from twin.direct import Direct
    from twin.script import parse

    table = Direct(parse(dict(record)), seed, conditions.noise, conditions.sloppy, conditions.pace)
    events = table.play()
    if table.problem is not None:
        raise ValueError(table.problem)
    return events, table.disturbances


def follow(events: Sequence[TableEvent], setup: Setup) -> tuple[HandRecord | None, tuple[str, ...]]:
    """The last record that the tracker gives of the events, and the reasons of all attention items on the way."""
    tracker = Tracker(setup)
    record: HandRecord | None = None
    items: dict[int, str] = {}
    for event in [*events, None]:
        for report in tracker.finish() if event is None else tracker.feed(event):
            if isinstance(report, HandRecord):
                record = report
            elif isinstance(report, Attention):
                items.setdefault(report.number, report.reason.value)
    return record, tuple(items.values())


def simulate_hand(seed: int, conditions: Conditions) -> Outcome:
    """Play, act out, track and judge one hand."""
    played = play_hand(seed, conditions.profile)
    kind = str(played.record["result"]["kind"])
    truth = read_neutral(played.record, conditions.profile)
    try:
        events, mishaps = _act_out(played.record, seed, conditions)
    except ValueError as error:
        nothing = Judgement(False, False, 1, "not acted out")
        return Outcome(seed, nothing, kind, 0, (), {}, str(error), played.record)
    found, items = follow(events, truth.setup)
    return Outcome(seed, judge(truth, found), kind, len(events), items, mishaps, record=played.record)


def simulate(hands: int, seed: int, conditions: Conditions, jobs: int = 1) -> Iterator[Outcome]:
    """Outcomes of the hands `seed`, `seed` + 1, ... in order; with `jobs` above 1 in so many processes."""
    one = partial(simulate_hand, conditions=conditions)
    if jobs == 1:
        yield from map(one, range(seed, seed + hands))
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(one, range(seed, seed + hands), chunksize=CHUNK)


def as_line(record: Mapping[str, Any]) -> str:
    """A neutral hand as one line of a hand file."""
    return json.dumps(record, ensure_ascii=False)
