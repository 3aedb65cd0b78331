"""`paiju twin`: the simulated table behind a pseudo-terminal."""

from pathlib import Path
from typing import Annotated

import typer

from paiju.commands.options import Language, examples, fail
from paiju.i18n import _

Hand = Annotated[
    str, typer.Option("--hand", help=_("Hand the people play: a number of the carried ones, or a file; 0: nobody."))
]
Speed = Annotated[float, typer.Option("--speed", min=0.01, max=1000, help=_("Times as fast as real time."))]
Seed = Annotated[int, typer.Option("--seed", help=_("Fixes wall, dice, tags and delays."))]

EXAMPLES = ("paiju twin", "paiju twin --hand 6 --speed 10", "paiju twin --hand 0 --noise default")

def twin(
    hand: Hand = "1",
    speed: Speed = 1.0,
    seed: Seed = 1,
    pace: Annotated[float, typer.Option("--pace", min=0.1, help=_("Stretches the players' delays."))] = 1.0,
    link: Annotated[Path | None, typer.Option("--link", help=_("Also make this name for the port."))] = None,
    noise: Annotated[str | None, typer.Option("--noise", help=_("Trouble on the air: a profile by name."))] = None,
    technician: Annotated[
        bool, typer.Option("--technician", help=_("Nobody sits; a technician does what the displays ask for."))
    ] = False,
    blank: Annotated[bool, typer.Option("--blank", help=_("With --technician: no tile is registered yet."))] = False,
    once: Annotated[bool, typer.Option("--once", help=_("Leave when the hand is over."))] = False,
    lang: Language = None,
) -> None:
    """Run the simulated table; its serial port is a pseudo-terminal whose path is printed first.

    The real firmware runs in it on MicroPython. Connect with `paiju run --port PATH` in another terminal.
    """
    try:
        from twin import script
        from twin.firmware import BuildError
        from twin.kernel import FirmwareError
        from twin.noise import NoiseError
        from twin.table import Table
        from twin.technician import Technician
        from twin.terminal import Terminal
    except ImportError as error:
        fail(_("The simulated table is not installed ({error}): install `hardware/` with pip.").format(error=error))
    try:
        played = None if hand == "0" or technician else script.load(int(hand) if hand.isdigit() else Path(hand))
    except (script.ScriptError, OSError) as error:
        fail(_("Hand {hand} cannot be played: {error}").format(hand=hand, error=error))
    try:
        table = Table(seed, played, pace, noise=noise)
        person = Technician(table)
        if blank:
            person.erase()
        with table:
            if technician:
                person.work()
            terminal = Terminal(table, link)
            typer.echo(terminal.path)
            try:
                terminal.run(speed, lambda: once and table.world.done)
            finally:
                terminal.close()
        if table.world.problem:
            fail(_("The players gave up: {problem}").format(problem=table.world.problem))
    except (BuildError, FirmwareError, NoiseError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        pass


def register(app: typer.Typer) -> None:
    app.command(help=_("Run the simulated table behind a pseudo-terminal."), epilog=examples(*EXAMPLES))(twin)
