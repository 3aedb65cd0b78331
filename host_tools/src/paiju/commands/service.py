"""`paiju service`: move, home and test the axes of a table, read its counters and inputs, say what a fault means."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from paiju.commands.link import Port
from paiju.commands.options import AsJson, Language, fail
from paiju.i18n import _
from paiju.table import AUTO, CommandRefused, Connection, PortError, Reply
from paiju.technician.faults import AXES, catalogue, fault_of

service = typer.Typer(no_args_is_help=True, help=_("Move and test the axes, read counters and faults of a table."))
TEST_S = 20.0
HOME_S = 60.0


def register(app: typer.Typer) -> None:
    app.add_typer(service, name="service")


def _axis(value: str) -> int:
    """A motor by number or by name such as `lift` or `plate-S`."""
    name = value.replace("-", " ").lower()
    names = [axis.lower() for axis in AXES]
    if value.isdigit() and int(value) < len(AXES):
        return int(value)
    if name in names:
        return names.index(name)
    known = ", ".join(axis.replace(" ", "-") for axis in AXES)
    raise typer.BadParameter(_("{value!r} is no axis: use one of {known}.").format(value=value, known=known))


AxisArgument = Annotated[str, typer.Argument(help=_("Axis: pan, ring, lift, dice, or such as plate-S."))]


def _run(port: str, do: Callable[[Connection], Coroutine[Any, Any, None]]) -> None:
    async def work() -> None:
        connection = Connection(port, None)
        serving = asyncio.create_task(connection.run())
        try:
            await connection.contact()
            await do(connection)
            await asyncio.sleep(0.1)  # so that what is released is told
        finally:
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving

    try:
        asyncio.run(work())
    except (PortError, CommandRefused) as error:
        fail(str(error))
    except KeyboardInterrupt:
        raise typer.Exit(1) from None


def refusal(status: str) -> str:
    """What a refused motion command means, and the remedy."""
    return {
        "mode": _("The table does not move: turn the service key, close the lid, release the emergency stop."),
        "busy": _("The table is at work or holds a wall there: wait until it rests, or empty the plates first."),
        "range": _("The axis is at that end already: move it the other way."),
        "failed": _("The motion was stopped: something is in the way, or the axis failed; see `paiju service status`."),
    }.get(status, _("The table refuses the command ({status}).").format(status=status))


def _require(reply: Reply) -> dict[str, int | str]:
    if not reply.ok:
        fail(refusal(reply.status))
    return reply.fields


@service.command()
def jog(
    axis: AxisArgument,
    port: Port = AUTO,
    reverse: Annotated[bool, typer.Option("--reverse", help=_("The other way: down, home, backwards."))] = False,
    duty: Annotated[int, typer.Option("--duty", min=10, max=100, help=_("Power in per cent."))] = 40,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, max=60, help=_("How long at most."))] = 1.0,
    lang: Language = None,
) -> None:
    """Move one axis; it stops at its end, when something comes in the way, and two seconds after this program.

    Examples:

      paiju service jog lift --seconds 2

      paiju service jog plate-S --reverse
    """
    number = _axis(axis)

    async def do(connection: Connection) -> None:
        _require(await connection.hold("jog", seconds, number, int(reverse), duty))
        # Off at once, not only when the lease has run out.
        await connection.command("jog", number, int(reverse), 0)

    _run(port, do)


@service.command()
def home(port: Port = AUTO, lang: Language = None) -> None:
    """Bring every axis to its rest at low speed."""

    async def do(connection: Connection) -> None:
        _require(await asyncio.wait_for(connection.command("home"), HOME_S))
        typer.echo(_("Every axis is at home."))

    _run(port, do)


@service.command("test")
def self_test(
    axis: Annotated[str | None, typer.Argument(help=_("Axis; all of them if none is named."))] = None,
    port: Port = AUTO,
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Move each axis there and back, and judge its sensors, time and current; exit code 1 if one fails."""
    numbers = range(len(AXES)) if axis is None else [_axis(axis)]
    bad: list[int] = []

    async def do(connection: Connection) -> None:
        for number in numbers:
            reply = await asyncio.wait_for(connection.command("test", number), TEST_S)
            if reply.status == "busy":
                typer.echo(f"{AXES[number]}: {refusal('busy')}")
                continue
            fields = _require(reply)
            code = int(fields["code"])
            if code:
                bad.append(number)
            if as_json:
                typer.echo(json.dumps({"axis": AXES[number], **fields}))
                continue
            verdict = _("good") if not code else fault_of(code).name
            typer.echo(f"{AXES[number]}: {verdict}, {fields['ms']} ms, {fields['ma']} mA")
            if code:
                typer.echo("  " + fault_of(code).for_technician())

    _run(port, do)
    if bad:
        raise typer.Exit(1)


@service.command()
def counters(port: Port = AUTO, as_json: AsJson = False, lang: Language = None) -> None:
    """Cycles, walls, stops, running time of the motors, and how often each fault has come. Needs no key."""

    async def do(connection: Connection) -> None:
        fields = _require(await connection.command("counters"))
        faults: dict[str, int] = {}
        for code, kind in catalogue().items():
            count = int(_require(await connection.command("fault_count", code))["count"])
            if count:
                faults[kind.name] = count
        if as_json:
            typer.echo(json.dumps({**fields, "faults": faults}))
            return
        view = Table(_("counter"), _("value"))
        for name, value in fields.items():
            counted = name in ("cycles", "walls", "stops")
            view.add_row(name, str(value) if counted else f"{int(value) / 3600:.2f} h")
        for name, count in faults.items():
            view.add_row(name, str(count))
        Console().print(view)

    _run(port, do)


@service.command()
def status(port: Port = AUTO, as_json: AsJson = False, lang: Language = None) -> None:
    """The fault that holds the table and what to do about it; needs no key."""

    async def do(connection: Connection) -> None:
        fields = _require(await connection.command("inputs"))
        code, part = int(fields["fault"]), int(fields["part"])
        if as_json:
            typer.echo(json.dumps(fields))
            return
        if not code:
            volt = int(fields["rail_mv"]) / 1000
            typer.echo(_("No fault holds the table; 24 V rail: {volt:.1f} V.").format(volt=volt))
            return
        kind = fault_of(code)
        typer.echo(f"{kind.shown(part)} {kind.name} {kind.where(part)}".rstrip())
        typer.echo(kind.for_operator())
        typer.echo(kind.for_technician())

    _run(port, do)


@service.command()
def setup(
    port: Port = AUTO,
    stacks: Annotated[int, typer.Option("--stacks", help=_("Stacks a side, 10 to 18."))] = 18,
    sets: Annotated[int, typer.Option("--sets", help=_("Tile sets in the table, 1 or 2."))] = 1,
    throws: Annotated[int, typer.Option("--throws", help=_("Throws of the dice that open the wall, 1 or 2."))] = 2,
    lang: Language = None,
) -> None:
    """How the table builds its walls, from the next wall on."""

    async def do(connection: Connection) -> None:
        _require(await connection.command("setup", stacks, sets, throws))

    _run(port, do)


@service.command()
def forget(port: Port = AUTO, lang: Language = None) -> None:
    """Tell the table that its plates and heads have been emptied by hand: the next wall begins with nothing."""

    async def do(connection: Connection) -> None:
        _require(await connection.command("forget"))

    _run(port, do)


@service.command()
def faults(as_json: AsJson = False, lang: Language = None) -> None:
    """The list of faults: code, name, what the operator and the technician do. Needs no table."""
    if as_json:
        for kind in catalogue().values():
            typer.echo(json.dumps({"code": kind.code, "name": kind.name, "operator": kind.for_operator(),
                                   "technician": kind.for_technician()}, ensure_ascii=False))  # fmt: skip
        return
    view = Table(_("code"), _("name"), _("operator"), _("technician"), show_lines=True)
    for kind in catalogue().values():
        view.add_row(f"E{kind.code:02}", kind.name, kind.for_operator(), kind.for_technician())
    Console().print(view)
