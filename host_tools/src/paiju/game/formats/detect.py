"""Finds out which format a file of hands is in, and reads it; good hands are kept where others are bad."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from paiju.game.events import SEATS
from paiju.game.formats.botzone_json import read_botzone_json
from paiju.game.formats.botzone_text import read_botzone_text
from paiju.game.formats.checking import check
from paiju.game.formats.neutral import read_neutral
from paiju.game.formats.pmn import read_pmn
from paiju.game.formats.tziakcha import decode, read_tziakcha
from paiju.game.formats.visitor import FormatError
from paiju.game.record import FORMAT, HandRecord, result_of

_PMN_START = re.compile(r'\s*\[\w+\s+"')


@dataclass(frozen=True, slots=True)
class Declared:
    """The result that a file itself states: winner and source as seats, None for nobody; points with flowers."""

    winner: int | None
    source: int | None
    points: int


@dataclass(slots=True)
class Import:
    """The hands of a file and what was wrong with it; `declared` has one entry a record, None where the file states
    no result."""

    format: str
    records: list[HandRecord] = field(default_factory=list)
    declared: list[Declared | None] = field(default_factory=list)
    problems: list[FormatError] = field(default_factory=list)


def read_hands(text: str, profile: str = "mcr1998") -> Import:
    """Read a file of hands: own records, neutral hands (JSON, one or a line each), Botzone, PMN, tziakcha.

    Raises FormatError if it is none of these.
    """
    start = text.lstrip()[:1]
    hand = decode(text) if start != "[" else None
    if hand is not None:
        found = Import("tziakcha")
        _try(found, "", lambda: (read_tziakcha(hand, profile), _stated(hand)))
        return found
    if _PMN_START.match(text):
        found = Import("pmn")
        for number, board in enumerate(re.split(r"\n\s*\n(?=\s*\[)", text.strip()), 1):
            _try(found, f"board {number}", partial(read_pmn, board, profile))
        return found
    if start in ("{", "["):
        return _read_json(text, profile)
    if re.match(r"\s*(Match|Wind)\b", text):
        found = Import("botzone text")
        line = 1
        for match in re.split(r"(?m)^(?=Match\b)", text):
            if match.strip():
                _try(found, f"match at line {line}", partial(read_botzone_text, match, profile))
            line += match.count("\n")
        return found
    raise FormatError("", "no known format of hands")


def _read_json(text: str, profile: str) -> Import:
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    if isinstance(whole, list):
        found = Import("botzone json")
        _try(found, "", partial(read_botzone_json, whole, profile))
        return found
    found = Import("hands")
    lines = [text] if isinstance(whole, dict) else text.splitlines()
    for number, line in enumerate(lines, 1):
        place = "" if isinstance(whole, dict) else f"line {number}"
        if line.strip():
            _try(found, place, partial(_read_line, line, profile))
    return found


def _read_line(line: str, profile: str) -> tuple[HandRecord, Declared | None]:
    try:
        body: Any = json.loads(line)
    except ValueError as error:
        raise FormatError("", "not JSON, or cut") from error
    if isinstance(body, dict) and body.get("format") == FORMAT:
        record = HandRecord.from_json(body)
        check(record.setup, record.actions)
        try:
            derived = result_of(record.setup, record.actions)
        except (ValueError, KeyError, IndexError) as error:
            raise FormatError("", f"its acts cannot be: {error}") from error
        stated = Declared(record.result.winner, record.result.source, record.result.points)
        return replace(record, result=derived), stated
    if isinstance(body, dict) and {"deal", "events"} <= body.keys():
        return read_neutral(body, profile), _declared(body)
    raise FormatError("", "no hand: it has no deal and events")


def _declared(body: Mapping[str, Any]) -> Declared | None:
    result = body.get("result")
    if not isinstance(result, dict) or "kind" not in result:
        return None
    if result["kind"] != "win":
        return Declared(None, None, 0)
    try:
        source = None if result.get("by") == "self" else result["discarder"]
        return Declared(result["winner"], source, result["fan_total"])
    except KeyError as error:
        raise FormatError("result", f"missing {error}") from error


def _stated(hand: Mapping[str, Any]) -> Declared | None:
    """The result in a hand of tziakcha: a bit for the winner, one for the seat that paid as discarder."""
    bits = hand.get("b")
    winners = [seat for seat in SEATS if isinstance(bits, int) and bits >> seat & 1]
    if not isinstance(bits, int) or len(winners) > 1:
        return None
    if not winners:
        return Declared(None, None, 0)
    source = next((seat for seat in SEATS if bits >> 4 + seat & 1 and seat != winners[0]), None)
    try:
        return Declared(winners[0], source, int(hand["y"][winners[0]]["f"]))
    except (KeyError, IndexError, TypeError):
        return None


def _try(found: Import, place: str, read: Callable[[], HandRecord | tuple[HandRecord, Declared | None]]) -> None:
    try:
        got = read()
        record, declared = got if isinstance(got, tuple) else (got, None)
        found.records.append(record)
        found.declared.append(declared)
    except FormatError as error:
        inner = f"{place}, {error.place}" if place and error.place else place or error.place
        found.problems.append(FormatError(inner, error.reason))
    except ValueError as error:
        found.problems.append(FormatError(place, str(error)))
