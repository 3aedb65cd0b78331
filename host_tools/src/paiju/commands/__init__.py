"""Command groups of the `paiju` tool; each `register(app)` adds its verbs."""

from collections.abc import Callable

import typer

COMMANDS: tuple[Callable[[typer.Typer], None], ...] = ()
