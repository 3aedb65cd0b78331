"""`paiju replay`: derive the hands again from a log of raw events."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from paiju.commands.options import AsJson, Dealer, Language, Round, Rules, fail, setup_of
from paiju.game.tracker import track
from paiju.i18n import _
from paiju.store import read_log
from paiju.view.result import result_view
from paiju.view.words import action_text

SHOWN = 5  # damaged lines that are named


def replay(
    log: Annotated[Path, typer.Argument(help=_("Log of raw events, as `paiju run` keeps one per hand."))],
    as_json: AsJson = False,
    rules: Rules = None,
    prevalent: Round = None,
    dealer: Dealer = None,
    acts: Annotated[bool, typer.Option("--acts", help=_("Show every act, not only the results."))] = False,
    lang: Language = None,
) -> None:
    """Derive the hands again from raw events; a damaged log gives what its good part holds, and exit code 1."""
    try:
        content = read_log(log)
    except OSError as error:
        fail(_("{path} cannot be read: {reason}.").format(path=log, reason=error.strerror or error))
    except ValueError as error:
        fail(str(error))
    records = track(content.events, setup_of(rules, prevalent, dealer))
    console = Console()
    for record in records:
        if as_json:
            typer.echo(json.dumps({"type": "result", "record": record.to_json()}, ensure_ascii=False))
            continue
        if acts:
            for action in record.actions:
                console.print(action_text(record.setup, action, hide=False))
        console.print(result_view(record))
    for problem in content.problems[:SHOWN]:
        typer.echo(f"{log}: {problem}", err=True)
    if len(content.problems) > SHOWN:
        typer.echo(_("{n} more damaged lines").format(n=len(content.problems) - SHOWN), err=True)
    if content.problems:
        fail(_("{path} is damaged; its good part was kept and played back.").format(path=log))
    if not records:
        fail(_("{path} holds no hand: it has no tiles being dealt.").format(path=log))


def register(app: typer.Typer) -> None:
    app.command(help=_("Derive the hands again from a log of raw events."))(replay)
