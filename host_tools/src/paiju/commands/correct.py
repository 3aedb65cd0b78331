"""`paiju correct`, `paiju attention`: a person's word on a hand at the table or on record, kept with who and why."""

import getpass
import json
import time
from dataclasses import dataclass, replace
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from paiju.commands.following import at_the_table, keep_correction, on_record
from paiju.commands.hands import opened_store
from paiju.commands.options import AsJson, Data, Language, examples, fail
from paiju.folders import data_folder
from paiju.game.corrections import Correction, CorrectionKind
from paiju.game.formats import FormatError
from paiju.game.hand_tracker import HandTracker
from paiju.game.record import HandRecord
from paiju.game.tracker import Tracker
from paiju.game.wording import parse_acts
from paiju.i18n import _
from paiju.store import Store, StoreError
from paiju.view.result import result_view
from paiju.view.words import action_text, attention_text

NOW = "now"

Which = Annotated[str, typer.Argument(metavar="HAND", help=_("Number of a hand on record, or now for the table's."))]
Who = Annotated[str, typer.Option("--who", help=_("Who says so; default: your user name."))]
Why = Annotated[str, typer.Option("--why", help=_("Why; it is kept with the correction."))]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A hand and the table it was played at."""

    store: Store
    serial: str
    journal_id: int
    tracker: Tracker
    hand: HandTracker

    def keep(self, correction: Correction) -> HandRecord | None:
        made = replace(correction, made=time.time())
        return keep_correction(self.store, self.serial, self.journal_id, self.tracker, made)


def choose(store: Store, which: str, data: Data) -> Chosen:
    """The hand of that number, or with `now` the one last played at the newest table; leaves with a sentence."""
    if which == NOW:
        streams = store.streams()
        if not streams:
            fail(_("No table has been followed yet: see `paiju run`."))
        serial, journal_id = streams[-1].serial, streams[-1].journal_id
        tracker = at_the_table(store, data_folder(data), serial, journal_id)
    else:
        row = store.hand(int(which)) if which.isdigit() else None
        if row is None:
            fail(_("There is no hand {n} on record: see `paiju hands`.").format(n=which))
        serial, journal_id = row.serial, row.journal_id
        tracker = on_record(store, row)
    if tracker.hand is None:
        fail(_("There is no hand at the table."))
    return Chosen(store, serial, journal_id, tracker, tracker.hand)


def correct(
    hand: Which,
    step: Annotated[int, typer.Argument(metavar="STEP", help=_("Number of the act, see `paiju hand N`."))],
    acts: Annotated[str, typer.Argument(help=_("What happened instead; nothing takes the act back."))] = "",
    why: Why = "",
    who: Who = "",
    data: Data = None,
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Correct an act of a hand; everything after it is derived again, and what it supersedes is kept.

    STEP one above the last act adds acts at the end.
    """
    store = opened_store(data)
    try:
        chosen = choose(store, hand, data)
        actions = chosen.hand.actions
        if not 1 <= step <= len(actions) + 1 or (step > len(actions) and not acts):
            fail(_("There is no act {n} in this hand; the last one is {last}.").format(n=step, last=len(actions)))
        seen = chosen.hand.case.seen
        instead = parse_acts(acts, chosen.hand.setup, actions[: step - 1], seen) if acts.strip() else ()
        kind = CorrectionKind.EDIT if instead else CorrectionKind.TAKE_BACK
        record = chosen.keep(Correction(step, who or getpass.getuser(), _reason(why), kind, instead))
        _show(chosen, record, step, as_json)
    except FormatError as error:
        fail(_("That cannot be entered ({place}): {reason}.").format(place=error.place, reason=error.reason))
    except (ValueError, StoreError) as error:
        fail(str(error))
    finally:
        store.close()


def attention(
    hand: Which = NOW,
    accept: Annotated[int | None, typer.Option("--accept", help=_("Item whose explanation is right."))] = None,
    choice: Annotated[int, typer.Option("--choice", min=1, help=_("Which of its explanations, from 1."))] = 1,
    dismiss: Annotated[int | None, typer.Option("--dismiss", help=_("Item that needs nothing done."))] = None,
    why: Why = "",
    who: Who = "",
    data: Data = None,
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """List what the table shows and the record does not explain; accept an explanation or dismiss an item."""
    store = opened_store(data)
    try:
        chosen = choose(store, hand, data)
        if accept is None and dismiss is None:
            _list(chosen, as_json)
            return
        who, why = who or getpass.getuser(), _reason(why)
        first = len(chosen.hand.actions) + 1
        if accept is not None:
            correction = chosen.tracker.acceptance(accept, choice - 1, who, why)
        else:
            correction = Correction(0, who, why, CorrectionKind.DISMISS, item=dismiss)
        record = chosen.keep(correction)
        _show(chosen, record, first, as_json)
    except (ValueError, StoreError) as error:
        fail(str(error))
    finally:
        store.close()


def _reason(why: str) -> str:
    if not why.strip():
        fail(_("Say why with --why: it is kept with the correction."))
    return why


def _list(chosen: Chosen, as_json: bool) -> None:
    items = chosen.hand.case.attention.open
    if as_json:
        for item in items:
            typer.echo(json.dumps(item.to_json(), ensure_ascii=False))
        return
    console = Console()
    for item in items:
        console.print(Text(f"{item.number:4}  ").append_text(attention_text(chosen.hand.setup, item)))
        for place, explanation in enumerate(chosen.hand.explanations(item.number), 1):
            console.print(f"      {place}. {explanation}", highlight=False)
    if not items:
        console.print(_("Nothing needs attention."))


def _show(chosen: Chosen, record: HandRecord | None, first: int, as_json: bool) -> None:
    """What the hand is now, from action `first` on, and its result."""
    assert chosen.tracker.hand is not None
    actions = chosen.tracker.hand.actions[first - 1 :]
    if as_json:
        kept = chosen.tracker.corrections[-1].to_json()
        body = {"correction": kept, "actions": [action.to_json() for action in actions]}
        typer.echo(json.dumps(body | ({} if record is None else {"record": record.to_json()}), ensure_ascii=False))
        return
    console = Console()
    for action in actions:
        line = Text(f"{action.number:4}  ").append_text(action_text(chosen.hand.setup, action, hide=False))
        console.print(line)
    if record is not None:
        console.print(result_view(record))
    for item in chosen.tracker.hand.case.attention.open:
        console.print(attention_text(chosen.hand.setup, item))


CORRECT_EXAMPLES = (
    'paiju correct 12 37 "discard S 6s" --why "read as 5s"',
    'paiju correct now 51 "draw W ?, discard W 9m" --why "the reader missed both"',
    'paiju correct now 44 --why "the tile fell over, nobody played it"',
    'paiju correct 12 80 "win N 5p" --who referee --why "won on the discard"',
)
ATTENTION_EXAMPLES = (
    "paiju attention",
    'paiju attention --accept 2 --choice 1 --why "seen with own eyes"',
    'paiju attention 12 --dismiss 1 --who referee --why "the tile was put back"',
)


def register(app: typer.Typer) -> None:
    help_correct = _(
        "Correct an act of a hand; everything after it is derived again, and what it supersedes is kept. A seat is "
        "E, S, W or N in that hand; a chow names the claimed tile first; a draw nobody saw is ?."
    )
    app.command(help=help_correct, epilog=examples(*CORRECT_EXAMPLES))(correct)
    help_attention = _("List what the record does not explain; accept an explanation or dismiss an item.")
    app.command(help=help_attention, epilog=examples(*ATTENTION_EXAMPLES))(attention)
