"""The `paiju` command. Each file in `paiju.commands` holds one group of verbs and adds it with `register(app)`."""

import typer

from paiju.commands import COMMANDS

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
    app()


if __name__ == "__main__":
    main()
