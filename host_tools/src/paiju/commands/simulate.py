"""`paiju simulate`: thousands of hands played, acted out untidily, tracked and held against the truth."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from paiju.commands.options import AsJson, Language, Rules, examples, fail, why
from paiju.game.position import Setup
from paiju.i18n import _
from paiju.simulation.acting import Conditions, as_line, profiles, simulate
from paiju.simulation.figures import Figures

SHOWN = 20
CORES = os.cpu_count() or 1

Hands = Annotated[int, typer.Option("--hands", min=1, help=_("How many hands."))]
Seed = Annotated[int, typer.Option("--seed", help=_("Of the first hand; each further one has the next number."))]
Noise = Annotated[str, typer.Option("--noise", help=_("How well tiles are read: none, default, heavy or one kind."))]
Sloppy = Annotated[str, typer.Option("--sloppy", help=_("How tidy people are: none, default, heavy or one habit."))]
Save = Annotated[Path | None, typer.Option("--save", help=_("Also write the hands to this file, one a line."))]
Jobs = Annotated[int, typer.Option("--jobs", min=1, help=_("Processes; default: one per core."))]


def run_simulation(
    hands: Hands = 100,
    seed: Seed = 1,
    noise: Noise = "default",
    sloppy: Sloppy = "default",
    rules: Rules = None,
    as_json: AsJson = False,
    save: Save = None,
    jobs: Jobs = CORES,
    lang: Language = None,
) -> None:
    """Play hands with simulated players, act them out at a table without chips, and hold the record against the truth.

    A hand that came out wrong is played again with its own seed.

    Examples:

      paiju simulate --hands 1000

      paiju simulate --hands 1 --seed 217 --noise heavy --sloppy none --json

      paiju simulate --hands 50 --noise none --sloppy none --save hands.jsonl
    """
    try:
        noises, habits = profiles()
    except ImportError as error:
        fail(_("The simulated table is not installed ({error}): install `hardware/` with pip.").format(error=error))
    for name, known in ((noise, noises), (sloppy, habits)):
        if name not in known:
            fail(_("There is no profile {name!r}: use {known}.").format(name=name, known=", ".join(known)))
    conditions = Conditions(noise, sloppy, rules or Setup().profile)
    figures = Figures()
    progress = Progress(console=Console(stderr=True), transient=True, disable=as_json)
    with _opened(save) as file, progress:
        for outcome in progress.track(simulate(hands, seed, conditions, jobs), hands, description=_("Hands")):
            figures.add(outcome)
            if file is not None:
                file.write(as_line(outcome.record) + "\n")
    if as_json:
        typer.echo(json.dumps(figures.to_json(), ensure_ascii=False))
    else:
        Console().print(_view(figures))
    if figures.silently_wrong:
        raise typer.Exit(1)


@contextlib.contextmanager
def _opened(path: Path | None) -> Iterator[IO[str] | None]:
    if path is None:
        yield None
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        fail(_("{path} cannot be written: {reason}.").format(path=path, reason=why(error)))
    with file:
        yield file


def _view(figures: Figures) -> Table:
    table = Table(show_header=False, box=None)

    def row(name: str, count: int) -> None:
        table.add_row(name, f"{count}", f"{figures.share(count):.2%}")

    table.add_row(_("Hands"), f"{figures.hands}", _("{won} won").format(won=figures.won))
    row(_("Result right without help"), figures.results_right)
    row(_("Silently wrong"), len(figures.silently_wrong))
    row(_("Every action right"), figures.acts_right)
    items = _("{all:.2f} a hand, {open:.2f} open at its end").format(
        all=figures.share(figures.items.total()), open=figures.share(figures.open_items)
    )
    table.add_row(_("Attention items"), f"{figures.items.total()}", items)
    for reason, count in figures.items.most_common():
        table.add_row("", f"{count}", reason)
    for title, wrong in ((_("Wrong result"), figures.wrong_results), (_("Wrong act"), figures.wrong_acts)):
        for seed, what in list(wrong.items())[:SHOWN]:
            silent = _("silently: ") if seed in figures.silently_wrong else ""
            table.add_row(title, _("seed {seed}").format(seed=seed), silent + what)
        if len(wrong) > SHOWN:
            table.add_row("", "", _("... and {n} more").format(n=len(wrong) - SHOWN))
    return table


def register(app: typer.Typer) -> None:
    app.command(
        "simulate",
        help=_("Play, act out and track simulated hands."),
        epilog=examples("paiju simulate --hands 100", "paiju simulate --hands 1 --seed 20201 --noise heavy"),
    )(run_simulation)
