"""`paiju demo`: a simulated table and the host tool in one go."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import typer

from paiju.commands.options import Data, Language, Rules, examples, fail
from paiju.commands.run import run
from paiju.commands.twin import Hand, Seed
from paiju.i18n import _, language

EXAMPLES = ("paiju demo", "paiju demo --hand 6 --speed 20", "paiju demo --hand 3 --lang zh-Hant")

@contextlib.contextmanager
def simulated_table(hand: str, speed: float, seed: int) -> Iterator[str]:
    """The port of a simulated table that runs in a process of its own; leaves with its message if it fails."""
    command = [sys.executable, "-m", "paiju.cli", "twin", "--hand", hand, "--speed", str(speed), "--seed", str(seed)]
    process = subprocess.Popen(
        [*command, "--lang", language()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        port = process.stdout.readline().strip()
        if not port:
            fail(process.stderr.read().strip())
        yield port
    finally:
        process.terminate()
        process.wait()


def prevalent_wind(hand: str) -> str:
    """The prevalent wind that the record of a hand names."""
    from twin import script

    with contextlib.suppress(script.ScriptError, OSError):
        return "ESWN"[script.load(int(hand) if hand.isdigit() else Path(hand)).prevalent_wind]
    return "E"


def demo(
    hand: Hand = "1",
    speed: float = typer.Option(4.0, "--speed", min=0.01, max=1000, help=_("Times as fast as real time.")),
    seed: Seed = 1,
    data: Data = None,
    rules: Rules = None,
    lang: Language = None,
) -> None:
    """Play one hand on a simulated table with the real firmware, follow it, score it, keep it."""
    with simulated_table(hand, speed, seed) as port:
        run(port, data, False, True, rules, prevalent_wind(hand), "E", True, lang)


def register(app: typer.Typer) -> None:
    app.command(help=_("Play one hand on a simulated table and score it."), epilog=examples(*EXAMPLES))(demo)
