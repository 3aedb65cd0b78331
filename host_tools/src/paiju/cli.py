"""The `paiju` command. Each file in `paiju.commands` holds one group of verbs and adds it with `register(app)`."""

import os

import typer

from paiju.commands import COMMANDS
from paiju.i18n import _, is_known

app = typer.Typer(
    name="paiju",
    help="Host tool for an automatic mahjong table: follows, scores and records every hand.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for register in COMMANDS:
    register(app)


def main() -> None:
    asked = os.environ.get("PAIJU_LANG")
    if asked and not is_known(asked):
        sentence = _("PAIJU_LANG is {value!r}, which is no language here: use en, zh-Hans or zh-Hant.")
        typer.echo(sentence.format(value=asked), err=True)
    app()


if __name__ == "__main__":
    main()
