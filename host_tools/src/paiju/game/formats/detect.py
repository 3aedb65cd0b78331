"""Finds out which format a file of hands is in, and reads it; good hands are kept where others are bad."""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from paiju.game.events import SEATS
from paiju.game.formats import botzone_json, botzone_text, pmn
from paiju.game.formats.checking import check
from paiju.game.formats.declared import Declared, declared_by
from paiju.game.formats.neutral import read_neutral
from paiju.game.formats.tziakcha import decode, read_tziakcha
from paiju.game.formats.visitor import FormatError
from paiju.game.record import FORMAT, HandRecord, result_of
from paiju.i18n import _, listed

Read = tuple[HandRecord, Declared | None]

_PMN_START: Final = re.compile(r'\s*(?:[%;][^\n]*\n\s*)*\[\w+\s+"')
_MATCH: Final = re.compile(r"(?m)^(?=[ \t]*Match\b)")


@dataclass(slots=True)
class Import:
    """The hands of a file and what was wrong with it; `declared` has one entry a record, None where the file states
    no result."""

    format: str
    records: list[HandRecord] = field(default_factory=list)
    declared: list[Declared | None] = field(default_factory=list)
    problems: list[FormatError] = field(default_factory=list)


def decoded(raw: bytes) -> str:
    """The text of a file of hands: UTF-8, or what Chinese Windows programs write. Raises FormatError."""
    for encoding in ("utf-8", "gb18030"):
        with suppress(UnicodeDecodeError):
            return raw.decode(encoding)
    raise FormatError("", _("no known format of hands"))


def read_hands(text: str, profile: str = "mcr1998") -> Import:
    """Read a file of hands: own records, neutral hands, Botzone's JSON and tziakcha (one, or one a line), Botzone
    text, PMN.

    Raises FormatError if it is none of these.
    """
    text = text.removeprefix("\ufeff")
    start = text.lstrip()[:1]
    if _PMN_START.match(text):
        found = Import("pmn")
        for number, board in enumerate(pmn.boards(text.strip()), 1):
            _try(found, _("board {n}").format(n=number), partial(_read_pmn, board, profile))
        return found
    if start in ("{", "["):
        return _read_json(text, profile)
    if re.match(r"\s*(Match|Wind)\b", text):
        found = Import("botzone text")
        line = 1
        for match in _MATCH.split(text):
            if match.strip():
                _try(found, _("match at line {n}").format(n=line), partial(_read_match, match, profile))
            line += match.count("\n")
        return found
    hand = decode(text)
    if hand is None:
        raise FormatError("", _("no known format of hands"))
    found = Import("tziakcha")
    _try(found, "", partial(_read_tziakcha, hand, profile))
    return found


def _read_json(text: str, profile: str) -> Import:
    """One JSON value, or one a line; a session of tziakcha holds several hands."""
    try:
        whole: Any = json.loads(text)
    except ValueError:
        whole = None
    found = Import("")
    if whole is not None:
        several = whole.get("records") if isinstance(whole, dict) else None
        bodies = several if isinstance(several, list) else [whole]
        for number, body in enumerate(bodies, 1):
            _try_body(found, _("hand {n}").format(n=number) if len(bodies) > 1 else "", body, profile)
        return found
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        place = _("line {n}").format(n=number)
        try:
            _try_body(found, place, json.loads(line), profile)
        except ValueError:
            found.problems.append(FormatError(place, _("not JSON, or cut")))
    return found


def _try_body(found: Import, place: str, body: Any, profile: str) -> None:
    kind, read = _reader_of(body, profile)
    found.format = found.format or kind
    _try(found, place, read)


def _reader_of(body: Any, profile: str) -> tuple[str, Callable[[], Read]]:
    """The format of a JSON value, and what reads it."""
    if isinstance(body, dict) and body.get("format") == FORMAT:
        return "hands", partial(_read_own, body)
    if isinstance(body, dict) and {"deal", "events"} <= body.keys():
        return "hands", lambda: (read_neutral(body, profile), _declared(body))
    log = botzone_json.log_of(body)
    if log is not None:
        return "botzone json", partial(_read_log, log, profile)
    hand = decode(body)
    if hand is not None:
        return "tziakcha", partial(_read_tziakcha, hand, profile)
    return "", _refuse


def _refuse() -> Read:
    raise FormatError("", _("no hand: it has no deal and events"))


def _read_own(body: Mapping[str, Any]) -> Read:
    record = HandRecord.from_json(body)
    check(record.setup, record.actions)
    try:
        derived = result_of(record.setup, record.actions)
    except (ValueError, KeyError, IndexError) as error:
        raise FormatError("", _("its acts cannot be: {reason}").format(reason=error)) from error
    stated = Declared(record.result.winner, record.result.source, record.result.points)
    return replace(record, result=derived), stated


def _read_match(text: str, profile: str) -> Read:
    return botzone_text.read_botzone_text(text, profile), declared_by(botzone_text.scores_of(text))


def _read_log(log: botzone_json.Log, profile: str) -> Read:
    return botzone_json.read_botzone_json(log, profile), declared_by(botzone_json.scores_of(log))


def _read_pmn(board: str, profile: str) -> Read:
    return pmn.read_pmn(board, profile), declared_by(pmn.scores_of(board))


def _read_tziakcha(hand: Mapping[str, Any], profile: str) -> Read:
    return read_tziakcha(hand, profile), _stated(hand)


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
        raise FormatError(_("result"), _("missing or unknown: {what}").format(what=error)) from error


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


def _try(found: Import, place: str, read: Callable[[], Read]) -> None:
    try:
        record, declared = read()
        found.records.append(record)
        found.declared.append(declared)
    except FormatError as error:
        inner = listed(filter(None, (place, error.place)))
        found.problems.append(FormatError(inner, error.reason))
    except ValueError as error:
        found.problems.append(FormatError(place, str(error)))
