"""What the verbs of the rules say when they cannot go on: one sentence, or one JSON object, and an exit code."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from paiju.commands.options import why
from paiju.hand import HandError
from paiju.i18n import _

REFUSED = 2


@contextmanager
def refusals(as_json: bool = False) -> Iterator[None]:
    """Turns a HandError into a sentence on stderr (with `as_json` an object on stdout) and exit code 2.

    An output that takes nothing is told on stderr; one whose reader has left ends the program quietly.
    """
    if sys.stdout is None:
        _end(_("There is no standard output to write to."))
    try:
        yield
        sys.stdout.flush()
    except HandError as error:
        if as_json:
            write_json({"error": error.to_json()})
            raise typer.Exit(REFUSED) from None
        _end(f"{error.message} [{error.code}]")
    except BrokenPipeError:
        raise
    except OSError as error:
        _end(_("Cannot write the result: {reason}.").format(reason=why(error)))


def _end(message: str) -> None:
    if sys.stderr is not None:
        typer.echo(message.encode("utf-8", "backslashreplace"), err=True)
    raise typer.Exit(REFUSED) from None


def write_json(value: Any) -> None:
    """One line of JSON on stdout, always UTF-8; a lone surrogate from the input goes out as its escape."""
    line = json.dumps(value, ensure_ascii=False) + "\n"
    typer.echo(line.encode("utf-8", "backslashreplace"), nl=False)
