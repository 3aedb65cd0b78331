"""Options that several verbs share, and how they fail."""

import errno
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from paiju.game.position import Setup
from paiju.i18n import _, is_known, set_language
from paiju.rules import PROFILES
from paiju.tiles import WINDS


def _language(tag: str | None) -> str | None:
    if tag:
        if not is_known(tag):
            raise typer.BadParameter(_("{value!r} is no language here: use en, zh-Hans or zh-Hant.").format(value=tag))
        set_language(tag)
    return tag


def _wind(value: str | None) -> str | None:
    if value is None:
        return None
    if value.upper() not in tuple(WINDS):
        raise typer.BadParameter(_("{value!r} is no wind: use E, S, W or N.").format(value=value))
    return value.upper()


def _rules(value: str | None) -> str | None:
    if value is not None and value not in PROFILES:
        known = ", ".join(PROFILES)
        raise typer.BadParameter(_("{value!r} are no known rules: use {known}.").format(value=value, known=known))
    return value


Data = Annotated[
    Path | None, typer.Option("--data", envvar="PAIJU_DATA", help=_("Folder of the store; default: your own."))
]
AsJson = Annotated[bool, typer.Option("--json", help=_("JSON lines instead of a picture."))]
Rules = Annotated[
    str | None, typer.Option("--rules", callback=_rules, help=_("Rules: mcr1998 (default), mcr or competitive."))
]
Round = Annotated[
    str | None, typer.Option("--round", callback=_wind, help=_("Prevalent wind of the first hand: E S W N."))
]
Dealer = Annotated[
    str | None, typer.Option("--dealer", callback=_wind, help=_("Seat that deals the first hand: E S W N."))
]
ShowHands = Annotated[bool, typer.Option("--show-hands", help=_("Show concealed tiles before the hand ends."))]
Language: Any = Annotated[
    str | None,
    typer.Option("--lang", is_eager=True, callback=_language, help=_("Language: en, zh-Hans or zh-Hant.")),
]


def setup_of(rules: str | None, prevalent: str | None, dealer: str | None) -> Setup | None:
    """The setup that the options describe; None if none of them was given."""
    if rules is None and prevalent is None and dealer is None:
        return None
    return Setup(WINDS.index(dealer or "E"), WINDS.index(prevalent or "E"), rules or Setup().profile)


def examples(*lines: str) -> str:
    """The end of a verb's help."""
    return "\n\n".join((_("Examples:"), *lines))


def fail(message: str) -> NoReturn:
    """One sentence on standard error and exit code 1."""
    typer.echo(message, err=True)
    raise typer.Exit(1)


def why(error: OSError) -> str:
    """What an error of the system means and what to do, as the end of a sentence."""
    known = {
        errno.ENOENT: _("it is not there; check the path"),
        errno.EISDIR: _("it is a folder; name a file"),
        errno.ENOTDIR: _("a part of the path is no folder; check the path"),
        errno.EACCES: _("not permitted; choose another place or correct its permissions"),
        errno.EPERM: _("not permitted; choose another place or correct its permissions"),
        errno.EROFS: _("the disk cannot be written to; choose another place"),
        errno.ENOSPC: _("the disk is full; free some space"),
        errno.EADDRINUSE: _("another program serves there; close it or choose another port"),
    }
    return known.get(error.errno or 0) or (error.strerror or str(error)).lower()
