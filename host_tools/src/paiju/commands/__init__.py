"""Command groups of the `paiju` tool; each `register(app)` adds its verbs."""

from collections.abc import Callable

import typer

from paiju.commands import (
    correct,
    demo,
    hands,
    link,
    penalties,
    replay,
    rules,
    run,
    score,
    service,
    simulate,
    technician,
    twin,
)

COMMANDS: tuple[Callable[[typer.Typer], None], ...] = (
    link.register,
    score.register,
    rules.register,
    penalties.register,
    run.register,
    hands.register,
    correct.register,
    replay.register,
    twin.register,
    demo.register,
    simulate.register,
    technician.register,
    service.register,
)
