"""Command groups of the `paiju` tool; each `register(app)` adds its verbs."""

from collections.abc import Callable

import typer

from paiju.commands import hands, penalties, replay, rules, run, score

COMMANDS: tuple[Callable[[typer.Typer], None], ...] = (
    score.register,
    rules.register,
    penalties.register,
    run.register,
    hands.register,
    replay.register,
)
