"""`paiju rules show P` and `paiju rules diff A B`: the fan table of a profile, and what sets two apart."""

from typing import Annotated, cast

import typer
from rich.console import Console
from rich.table import Table

from paiju.hand import HandError
from paiju.i18n import gettext as _
from paiju.i18n import language, set_language
from paiju.rules.competitive_profile import competitive_profile
from paiju.rules.profile import Exclusion, Profile, load_profile
from paiju.rules.scoring import COMPETITIVE, check_profile
from paiju.tiles import Language

Lang = Annotated[str | None, typer.Option("--lang", help="en, zh_Hans or zh_Hant.")]


def register(app: typer.Typer) -> None:
    """Add the verbs to the `rules` group, which is made here if nobody has made it yet."""
    for group in app.registered_groups:
        if group.name == "rules" and group.typer_instance is not None:
            rules = group.typer_instance
            break
    else:
        rules = typer.Typer(name="rules", help="Rule profiles: values, differences, penalties.", no_args_is_help=True)
        app.add_typer(rules, name="rules")
    rules.command("show")(show)
    rules.command("diff")(diff)


def show(
    profile: Annotated[str, typer.Argument(help="Rules: mcr1998, mcr or competitive.")],
    lang: Lang = None,
) -> None:
    """Show the fans of a profile, the highest first, each with what it leaves out."""
    set_language(lang)
    try:
        check_profile(profile)
        table = _competitive_table() if profile == COMPETITIVE else _table(load_profile(profile))
    except HandError as error:
        _fail(error)
    Console(highlight=False).print(table)


def diff(
    first: Annotated[str, typer.Argument(help="Rules: mcr1998 or mcr.")],
    second: Annotated[str, typer.Argument(help="Rules: mcr1998 or mcr.")],
    lang: Lang = None,
) -> None:
    """Show every value, exclusion and switch in which two profiles differ."""
    set_language(lang)
    try:
        lines = list(differences(load_profile(first), load_profile(second)))
    except HandError as error:
        _fail(error)
    for line in lines:
        typer.echo(line)
    if not lines:
        typer.echo(_("No difference."))


def _fail(error: HandError) -> None:
    typer.echo(f"{error.message} [{error.code}]", err=True)
    raise typer.Exit(2)


def _shown() -> Language:
    return cast(Language, language())


def _name(profile: Profile, no: int) -> str:
    fan = profile.fans.get(no)
    return fan.name.to(_shown()) if fan else str(no)


def _scope(exclusion: Exclusion) -> str:
    if exclusion.own_sets:
        return _(" (its own sets)")
    return f" (×{exclusion.at_most})" if exclusion.at_most else ""


def _table(profile: Profile) -> Table:
    table = Table(title=profile.title.to(_shown()), box=None, pad_edge=False, title_justify="left")
    for heading in (_("No."), _("Points"), _("Fan"), _("Leaves out")):
        table.add_column(heading, overflow="fold")
    for no in profile.ranking():
        left_out = [_name(profile, e.excluded) + _scope(e) for e in profile.exclusions if e.fan == no]
        table.add_row(str(no), str(profile.fans[no].value), _name(profile, no), ", ".join(left_out))
    return table


def _competitive_table() -> Table:
    profile = competitive_profile()
    table = Table(title=profile.title.to(_shown()), box=None, pad_edge=False, title_justify="left")
    for heading in (_("No."), _("Points"), _("Fan"), _("Source")):
        table.add_column(heading, overflow="fold")
    for item in (*profile.fans.values(), *profile.additions.values()):
        table.add_row(str(item.no), str(item.points), item.name.to(_shown()), item.source)
    return table


def differences(first: Profile, second: Profile) -> list[str]:
    """One line for each fan, value, exclusion and switch that only one of two profiles has."""
    lines = []
    for no in sorted(first.fans.keys() | second.fans.keys()):
        values = [str(p.fans[no].value) if no in p.fans else "-" for p in (first, second)]
        if values[0] != values[1]:
            holder = first if no in first.fans else second
            lines.append(f"{no} {_name(holder, no)}: {first.name} {values[0]}, {second.name} {values[1]}")
    for profile, other in ((first, second), (second, first)):
        kept = {(e.fan, e.excluded, e.own_sets, e.at_most) for e in other.exclusions}
        lines += [
            _("{fan} leaves out {excluded}: only {profile} ({source})").format(
                fan=_name(profile, e.fan),
                excluded=_name(profile, e.excluded) + _scope(e),
                profile=profile.name,
                source=e.source,
            )
            for e in profile.exclusions
            if (e.fan, e.excluded, e.own_sets, e.at_most) not in kept
        ]
    for switch in sorted(first.switches.keys() | second.switches.keys()):
        states = [p.switches.get(switch, False) for p in (first, second)]
        if states[0] != states[1]:
            words = [_("on") if state else _("off") for state in states]
            lines.append(f"{switch}: {first.name} {words[0]}, {second.name} {words[1]}")
    return lines
