"""`paiju hands` and `paiju hand N`: what is on record."""

import json
from datetime import datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from paiju.commands.options import AsJson, Data, Language, examples, fail
from paiju.folders import data_folder, hand_log_file, store_file
from paiju.game.record import HandRecord
from paiju.i18n import _
from paiju.store import HandRow, Store, StoreError
from paiju.view.result import result_headline, result_view
from paiju.view.words import action_text, concern_text, correction_text, round_name, wall_text


def opened_store(data: Data) -> Store:
    """The store in the data folder; leaves with a sentence if there is none."""
    path = store_file(data_folder(data))
    if not path.exists():
        fail(_("Nothing is on record in {folder}: name another folder with --data.").format(folder=path.parent))
    try:
        return Store(path)
    except StoreError as error:
        fail(str(error))


def _summary(row: HandRow) -> dict[str, object]:
    result = row.record["result"]
    return {
        "hand": row.n,
        "table": row.serial,
        "revision": row.revision,
        "saved": datetime.fromtimestamp(row.saved).astimezone().isoformat(timespec="seconds"),
        "result": {key: result.get(key) for key in ("kind", "winner", "by", "from", "points", "payments")},
    }


def hands(data: Data = None, as_json: AsJson = False, lang: Language = None) -> None:
    """List the hands on record."""
    store = opened_store(data)
    try:
        rows = store.hands()
    except StoreError as error:
        fail(str(error))
    finally:
        store.close()
    if as_json:
        for row in rows:
            typer.echo(json.dumps(_summary(row), ensure_ascii=False))
        return
    table = Table(box=None, pad_edge=False)
    for heading in (_("Hand"), _("Saved"), _("Table"), _("Round"), _("Result"), _("Attention")):
        table.add_column(heading)
    for row in rows:
        record = HandRecord.from_json(row.record)
        saved = datetime.fromtimestamp(row.saved).strftime("%Y-%m-%d %H:%M:%S")
        open_items = str(len(record.attention) or "")
        table.add_row(str(row.n), saved, row.serial, round_name(record.setup), result_headline(record), open_items)
    Console().print(table)


def hand(
    n: Annotated[int, typer.Argument(help=_("Number of the hand, see `paiju hands`."))],
    revision: Annotated[
        int | None, typer.Option("--revision", min=1, help=_("An earlier revision; default: the last one."))
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Show one hand on record: every act with its number, the result, the payments, what was corrected."""
    store = opened_store(data)
    try:
        row = store.hand(n, revision)
    except StoreError as error:
        fail(str(error))
    finally:
        store.close()
    if row is None:
        if revision is not None:
            fail(_("There is no revision {revision} of hand {n} on record.").format(revision=revision, n=n))
        fail(_("There is no hand {n} on record: see `paiju hands`.").format(n=n))
    if as_json:
        typer.echo(json.dumps({**_summary(row), "record": row.record}, ensure_ascii=False))
        return
    record = HandRecord.from_json(row.record)
    console = Console()
    for action in record.actions:
        stamp = Text(f"{action.number:4} {(action.ms - record.actions[0].ms) / 1000:8.1f} s  ", style="dim")
        console.print(stamp.append_text(action_text(record.setup, action, hide=False)))
    console.print(result_view(record))
    if record.concerns:
        console.print(Text(_("For the referee"), style="bold magenta"))
        for concern in record.concerns:
            stamp = Text(f"{(concern.ms - record.actions[0].ms) / 1000:13.1f} s  ", style="dim")
            console.print(stamp.append_text(concern_text(record.setup, concern)))
    if opened := wall_text(record.setup, record.dice):
        console.print(opened)
    for correction in record.corrections:
        console.print(correction_text(record.setup, correction))
    console.print(_("Events: {path}").format(path=hand_log_file(data_folder(data), n)), soft_wrap=True)


def register(app: typer.Typer) -> None:
    app.command(help=_("List the hands on record."))(hands)
    shown = _("Show one hand on record: every act, the result, the payments, what was corrected.")
    app.command(help=shown, epilog=examples("paiju hand 12", "paiju hand 12 --revision 1 --json"))(hand)
