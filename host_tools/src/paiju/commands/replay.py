"""`paiju replay`: the hands of a log of raw events, or of a file of hands, derived and scored again."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from paiju.commands.options import AsJson, Dealer, Language, Round, Rules, fail, setup_of
from paiju.game.formats import FormatError, read_hands
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.game.tracker import track
from paiju.i18n import _
from paiju.store import read_log
from paiju.view.result import result_view
from paiju.view.words import action_text

SHOWN = 5  # damaged places that are named


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a file holds, and what is wrong with it."""

    records: list[HandRecord]
    problems: list[str]


def load(path: Path, setup: Setup | None) -> Replayed:
    """The hands of a file; leaves with one sentence if there can be none in it."""
    try:
        log = read_log(path)
    except OSError as error:
        fail(_("{path} cannot be read: {reason}.").format(path=path, reason=error.strerror or error))
    except ValueError:
        return _hands(path, setup)
    return Replayed(track(log.events, setup), [str(problem) for problem in log.problems])


def _hands(path: Path, setup: Setup | None) -> Replayed:
    try:
        found = read_hands(path.read_text("utf-8"), (setup or Setup()).profile)
    except (FormatError, UnicodeDecodeError):
        say = _("{path} is neither an event log nor a file of hands: give a log of `paiju run`, JSON, Botzone or PMN.")
        fail(say.format(path=path))
    return Replayed(found.records, [str(problem) for problem in found.problems])


def replay(
    file: Annotated[Path, typer.Argument(help=_("Log of raw events, as `paiju run` keeps one per hand, or hands."))],
    as_json: AsJson = False,
    rules: Rules = None,
    prevalent: Round = None,
    dealer: Dealer = None,
    acts: Annotated[bool, typer.Option("--acts", help=_("Show every act, not only the results."))] = False,
    lang: Language = None,
) -> None:
    """Derive the hands again; a damaged file gives what its good part holds, and exit code 1.

    Besides raw logs: own records and neutral hands as JSON, Botzone text and requests, PMN.
    """
    found = load(file, setup_of(rules, prevalent, dealer))
    console = Console()
    for record in found.records:
        if as_json:
            typer.echo(json.dumps({"type": "result", "record": record.to_json()}, ensure_ascii=False))
            continue
        if acts:
            for action in record.actions:
                console.print(action_text(record.setup, action, hide=False))
        console.print(result_view(record))
    for problem in found.problems[:SHOWN]:
        typer.echo(f"{file}: {problem}", err=True)
    if len(found.problems) > SHOWN:
        typer.echo(_("{n} more damaged places").format(n=len(found.problems) - SHOWN), err=True)
    if found.problems:
        fail(_("{path} is damaged; its good part was kept and played back.").format(path=file))
    if not found.records:
        fail(_("{path} holds no hand: it has no tiles being dealt.").format(path=file))


def register(app: typer.Typer) -> None:
    app.command(help=_("Derive the hands of a log or file again and score them."))(replay)
