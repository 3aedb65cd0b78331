"""`paiju rules penalties PROFILE`: the offences of a rule text and what each costs."""

from collections.abc import Iterable
from typing import Annotated, cast

import typer
from rich.console import Console
from rich.table import Table

from paiju.commands.options import Language as Lang
from paiju.commands.refusals import refusals, write_json
from paiju.i18n import _, language
from paiju.rules.penalties import HAND, REFEREE, WARNING, Offence, Receiver, Right, offences
from paiju.tiles import Language

_HELP = _("Show every offence with its article, its penalty, who receives it and what is lost.")


def register(app: typer.Typer) -> None:
    """Add the verb to the `rules` group, which is made here if nobody has made it yet."""
    for group in app.registered_groups:
        if group.name == "rules" and group.typer_instance is not None:
            group.typer_instance.command("penalties", help=_HELP)(penalties)
            return
    rules = typer.Typer(name="rules", help=_("Rule profiles: values, differences, penalties."), no_args_is_help=True)
    rules.command("penalties", help=_HELP)(penalties)
    # A lone command would otherwise swallow the name of its group.
    rules.callback()(lambda: None)
    app.add_typer(rules, name="rules")


def penalties(
    profile: Annotated[str, typer.Argument(help=_("Rules: mcr1998, mcr or competitive."))] = "mcr1998",
    as_json: Annotated[bool, typer.Option("--json", help=_("One JSON object per offence and line."))] = False,
    lang: Lang = None,
) -> None:
    with refusals(as_json):
        known = offences(profile)
        if as_json:
            for offence in known.values():
                write_json(_json(offence))
        else:
            Console(highlight=False).print(_table(known.values()))


def _table(known: Iterable[Offence]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in (_("Article"), _("Offence"), _("Penalty"), _("To"), _("Effect")):
        table.add_column(heading, overflow="fold")
    shown = cast(Language, language())
    for offence in known:
        name = offence.name.to(shown) + (f" ({offence.note.to(shown)})" if offence.note else "")
        table.add_row(offence.article, name, _penalty(offence), _receiver(offence), _effect(offence))
    return table


def _penalty(offence: Offence) -> str:
    words = {
        WARNING: _("warning"),
        REFEREE: _("{low} to {high} as the referee rules").format(
            low=min(offence.choices, default=0), high=max(offence.choices, default=0)
        ),
        HAND: _("the value of the win"),
        0: "-",
    }
    steps = ", ".join(words.get(step, str(step)) for step in offence.ladder)
    if offence.warned:
        steps = _("warning") + " + " + steps
    if offence.each_besides:
        steps += _(", and {points} to each of the three").format(points=offence.each_besides)
    return steps


def _receiver(offence: Offence) -> str:
    if all(step in (0, WARNING) for step in offence.ladder):
        return ""
    return {
        Receiver.NONE: _("nobody"),
        Receiver.EACH: _("each other player"),
        Receiver.VICTIM: _("the player concerned"),
        Receiver.LOSER: _("a clear loser, else nobody"),
    }[offence.receiver]


def _effect(offence: Offence) -> str:
    effects = {
        Right.FULL: "",
        Right.NO_WIN: _("no win in this hand"),
        Right.FORFEIT: _("session forfeited"),
        Right.EXCLUDED: _("excluded"),
    }
    parts = [
        effects[offence.right],
        *(_("or {effect}").format(effect=effects[right]) for right in offence.rights),
        _("dead hand") if offence.dead else "",
        _("must discard the tile") if offence.must_discard else "",
        _("reported") if offence.reported else "",
    ]
    return ", ".join(part for part in parts if part)


def _json(offence: Offence) -> dict[str, object]:
    return {
        "id": offence.id,
        "article": offence.article,
        "name": offence.name.to_json(),
        "ladder": list(offence.ladder),
        "choices": list(offence.choices),
        "receiver": offence.receiver.name.lower(),
        "each_besides": offence.each_besides,
        "right_to_win": offence.right.name.lower(),
        "referee_may_take": [right.name.lower() for right in offence.rights],
        "dead": offence.dead,
        "must_discard": offence.must_discard,
        "charged": "session" if offence.by_session else "hand",
    }
