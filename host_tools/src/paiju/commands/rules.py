"""`paiju rules show P` and `paiju rules diff A B`: the fan table of a profile, and what sets two apart."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, cast

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from paiju.commands.options import Language as Lang
from paiju.commands.refusals import refusals
from paiju.hand import HandError
from paiju.i18n import _, language
from paiju.notation import parse_hand
from paiju.rules.competitive_profile import PROJECT_DEFAULT, CompetitiveProfile, competitive_profile
from paiju.rules.profile import Difference, Exclusion, Profile, load_profile
from paiju.rules.score import Score
from paiju.rules.scoring import COMPETITIVE, check_profile, score
from paiju.tiles import Language


def register(app: typer.Typer) -> None:
    """Add the verbs to the `rules` group, which is made here if nobody has made it yet."""
    for group in app.registered_groups:
        if group.name == "rules" and group.typer_instance is not None:
            rules = group.typer_instance
            break
    else:
        purpose = _("Rule profiles: values, differences, penalties.")
        rules = typer.Typer(name="rules", help=purpose, no_args_is_help=True)
        app.add_typer(rules, name="rules")
    rules.command("show", help=_("Show the fans of a profile, each with its points and what it leaves out."))(show)
    rules.command("diff", help=_("Show the cases in which two profiles differ, each with an example."))(diff)


def show(
    profile: Annotated[str, typer.Argument(help=_("Rules: mcr1998, mcr or competitive."))],
    lang: Lang = None,
) -> None:
    with refusals():
        check_profile(profile)
        console = Console(highlight=False)
        if profile == COMPETITIVE:
            _show_competitive(console, competitive_profile())
        else:
            _show_official(console, load_profile(profile))


def diff(
    first: Annotated[str, typer.Argument(help="mcr1998, mcr")],
    second: Annotated[str, typer.Argument(help="mcr1998, mcr")],
    lang: Lang = None,
) -> None:
    with refusals():
        for name in (first, second):
            check_profile(name)
            if name == COMPETITIVE:
                message = _("competitive is another rule text: compare mcr1998 with mcr, or show it by itself.")
                raise HandError("bad_value", message)
        console = Console(highlight=False)
        console.print(_differences(load_profile(first), load_profile(second)))


def _shown() -> Language:
    return cast(Language, language())


def _name(profile: Profile, no: int) -> str:
    return profile.fans[no].name.to(_shown())


def _scope(exclusion: Exclusion) -> str:
    if exclusion.own_sets:
        return _(" (its own sets)")
    return f" (×{exclusion.at_most})" if exclusion.at_most else ""


def _table(*headings: str, title: str = "") -> Table:
    table = Table(title=title or None, box=None, pad_edge=False, title_justify="left")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _show_official(console: Console, profile: Profile) -> None:
    table = _table(_("No."), _("Points"), _("Fan"), _("Leaves out"), title=profile.title.to(_shown()))
    for no in profile.ranking():
        left_out = [_name(profile, e.excluded) + _scope(e) for e in profile.exclusions if e.fan == no]
        table.add_row(str(no), str(profile.fans[no].value), _name(profile, no), ", ".join(left_out))
    console.print(table)
    console.print(_("A win needs {minimum} points without flowers.").format(minimum=profile.minimum))


def _show_competitive(console: Console, profile: CompetitiveProfile) -> None:
    shown = _shown()
    table = _table(_("No."), _("Points"), _("Fan"), _("Article"), _("Value"), title=profile.title.to(shown))
    for item in (*profile.fans.values(), *profile.additions.values()):
        table.add_row(str(item.no), str(item.points), item.name.to(shown), item.article, _source(item.source))
    console.print(table)
    payments = _table(_("Payment"), "", _("Value"))
    names = {
        "discard": _("Discard: the discarder alone pays"),
        "self_draw": _("Self-draw: each of the three pays"),
        "one_pays_all": _("Robbed kong, or liable for all (包牌): one player pays"),
        "doubled_hand": _("The dealer kept the deal (倍打): everything"),
        "chased_tile": _("Four equal discards in a row (追牌): the first pays each"),
        "melded_kong": _("Melded kong: its feeder pays"),
        "added_kong": _("Added kong: each of the three pays"),
        "concealed_kong": _("Concealed kong: each of the three pays"),
    }
    for key, amount in profile.payments.items():
        factor = key in ("discard", "self_draw", "one_pays_all", "doubled_hand")
        payments.add_row(names[key], f"×{amount.value}" if factor else str(amount.value), _source(amount.source))
    console.print()
    console.print(payments)
    console.print(_("A win needs one technical fan. The rule text has lost the values marked as project default."))


def _source(source: str) -> str:
    return _("project default") if source == PROJECT_DEFAULT else source


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the profile files that only one of two profiles has."""

    text: str
    fans: frozenset[int] = frozenset()
    switch: str = ""


def changes(first: Profile, second: Profile) -> Iterator[Change]:
    """Every fan, value, exclusion, switch and minimum in which two profiles differ."""
    for no in sorted(first.fans.keys() | second.fans.keys()):
        values = [str(p.fans[no].value) if no in p.fans else "-" for p in (first, second)]
        if values[0] != values[1]:
            name = _name(first if no in first.fans else second, no)
            yield Change(f"{no} {name}: {first.name} {values[0]}, {second.name} {values[1]}", frozenset((no,)))
    for profile, other in ((first, second), (second, first)):
        kept = {(e.fan, e.excluded, e.own_sets, e.at_most) for e in other.exclusions}
        for e in profile.exclusions:
            if (e.fan, e.excluded, e.own_sets, e.at_most) not in kept:
                text = _("{fan} leaves out {excluded}: only {profile} ({source})").format(
                    fan=_name(profile, e.fan),
                    excluded=_name(profile, e.excluded) + _scope(e),
                    profile=profile.name,
                    source=e.source,
                )
                yield Change(text, frozenset((e.fan, e.excluded)))
    for switch in sorted(first.switches.keys() | second.switches.keys()):
        states = [_("on") if p.switches.get(switch, False) else _("off") for p in (first, second)]
        if states[0] != states[1]:
            yield Change(f"{switch}: {first.name} {states[0]}, {second.name} {states[1]}", switch=switch)
    if first.minimum != second.minimum:
        yield Change(f"{first.name} {first.minimum}, {second.name} {second.minimum}")


def told(first: Profile, second: Profile) -> tuple[Difference, ...]:
    """The differences that one of the profiles tells of the other."""
    if second.extends == first.name:
        return second.differences
    return first.differences if first.extends == second.name else ()


def _differences(first: Profile, second: Profile) -> Table | str:
    """Each difference with an example scored under both; changes that no difference tells by themselves."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for justify in ("left", "right", "left"):
        table.add_column(justify=justify, overflow="fold")
    known = told(first, second)
    for difference in known:
        table.add_row(str(difference.no), "", difference.title.to(_shown()))
        table.add_row("", "", escape(difference.example))
        for profile in (first, second):
            result = score(parse_hand(difference.example), profile.name)
            table.add_row(profile.name, str(result.total), _fans(result))
    for change in changes(first, second):
        if not any(difference.covers(change.fans, change.switch) for difference in known):
            table.add_row("", "", escape(change.text))
    return table if table.row_count else _("No difference.")


def _fans(result: Score) -> str:
    shown = _shown()
    return ", ".join(
        f"{fan.name_in(shown)} {fan.points}" + (f"×{fan.count}" if fan.count > 1 else "") for fan in result.fans
    )
