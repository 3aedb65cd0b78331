"""`paiju zones`, `paiju tiles` and `paiju calibrate`: the technician at the readers."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer
from rich.console import Console as Screen
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table

from paiju.commands.link import Port
from paiju.commands.options import AsJson, Language, examples, fail, why
from paiju.i18n import _
from paiju.table import AUTO, CommandRefused, Connection, Hello, Pending, PortError
from paiju.technician import tiles as tile_tools
from paiju.technician.calibrate import STEP, ZoneResult
from paiju.technician.calibrate import calibrate as measure
from paiju.technician.conflicts import Conflict
from paiju.technician.guide import Console
from paiju.technician.tiles import SET_NAMES, Audit, Finding
from paiju.technician.workbench import (
    READERS,
    SEAT_ZONES,
    SURFACE,
    ZONES,
    ReaderState,
    Workbench,
    WorkbenchError,
    ZoneState,
    zone_title,
)
from paiju.tiles import FACES, code_of, face_of, face_of_tile

T = TypeVar("T")
SEATS = "ESWN"
KINDS = ("hand", "meld", "pond", "gate")
PASSWORD_BYTES = 4


def _zone(value: str) -> int:
    """A zone by its number or by a name such as `E-pond`."""
    if value.isdigit() and int(value) < ZONES:
        return int(value)
    seat, _dash, kind = value.partition("-")
    if len(seat) == 1 and seat.upper() in SEATS and kind.lower() in KINDS:
        return 4 * SEATS.index(seat.upper()) + KINDS.index(kind.lower())
    raise typer.BadParameter(_("{value!r} is no zone: use a number 0-17 or a name such as E-pond.").format(value=value))


def _set(value: str) -> int:
    if len(value) != 1 or value.upper() not in SET_NAMES:
        raise typer.BadParameter(_("{value!r} is no set: use A or B.").format(value=value))
    return SET_NAMES.index(value.upper())


def _grid(value: str) -> tuple[int, int]:
    columns, _x, rows = value.lower().partition("x")
    if columns.isdigit() and rows.isdigit() and 1 <= int(columns) <= 9 and 1 <= int(rows) <= 9:
        return int(columns), int(rows)
    raise typer.BadParameter(_("{value!r} is no grid: use such as 5x3, at most 9x9.").format(value=value))


ZoneOption = Annotated[
    str, typer.Option("--zone", help=_("Where the tiles are laid: a number or a name such as E-pond."))
]
SetOption = Annotated[str, typer.Option("--set", help=_("Which set: A or B."))]
tiles = typer.Typer(no_args_is_help=True, help=_("Register the tiles of a set, or look a set through."))


def zones(
    port: Port = AUTO,
    once: Annotated[bool, typer.Option("--once", help=_("One picture, then leave."))] = False,
    every: Annotated[float, typer.Option("--every", min=0.2, help=_("Seconds between two pictures."))] = 1.0,
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Watch every antenna."""

    async def watch(connection: _Table, hello: Hello) -> None:
        bench = Workbench(connection)
        with nullcontext() if as_json else Live(console=Screen(), auto_refresh=False) as live:
            while True:
                readers = [await bench.reader(number) for number in range(READERS)]
                states = [await bench.zone(zone) for zone in range(ZONES)]
                said = await bench.conflict()
                conflict = Conflict.of(said)
                if live is not None:
                    live.update(_picture(states, readers, conflict, said["ago_ms"]), refresh=True)
                else:
                    for state in states:
                        reader = readers[state.zone // len(KINDS)]
                        here = asdict(conflict) if conflict is not None and conflict.zone == state.zone else None
                        more = {"fault": reader.fault, "firmware": reader.firmware, "conflict": here}
                        typer.echo(json.dumps(asdict(state) | more, default=str))
                if once:
                    return
                await asyncio.sleep(every)

    _with_table(port, watch)


def _picture(states: list[ZoneState], readers: list[ReaderState], conflict: Conflict | None, ago_ms: int) -> Table:
    caption = _("conflicts: {n}; reader firmware: {versions}").format(
        n=states[0].conflicts, versions=" ".join(reader.firmware for reader in readers)
    )
    if conflict is not None:
        caption += "\n" + _("{n} min ago: {what}").format(n=ago_ms // 60_000, what=conflict.sentence)
    view = Table(
        Column(_("zone"), no_wrap=True), _("reader"), _("tiles"), _("last asked"), _("last seen"), _("noise"),
        _("errors"), _("level"), _("margin"), _("power"),
        Column(_("calibrated"), no_wrap=True),
        caption=caption, box=None, padding=(0, 1, 0, 0), pad_edge=False,
    )  # fmt: skip
    words = {
        "dead": _("does not answer"), "hung": _("hung"), "refused": _("refused a command"), "hot": _("too hot"),
        "field_lost": _("no field"),
    }  # fmt: skip
    styles = {"ok": "green", "degraded": "yellow"}
    state = {"ok": _("ok"), "degraded": _("degraded"), "down": _("down"), "starting": _("starting")}
    for s in states:
        surface = s.zone in SURFACE
        fault = words.get(readers[s.zone // len(KINDS)].fault, "") if s.reader != "ok" else ""
        reader = f"[{styles.get(s.reader, 'red')}]{state[s.reader]}[/]{': ' if fault else ''}{fault}"
        view.add_row(
            zone_title(s.zone), reader, str(s.tiles) if surface else "",
            _ago(s.asked_ms) if surface else "", _ago(s.heard_ms), str(s.noise), str(s.failures), str(s.level),
            str(s.margin) if s.calibrated else "–", f"{s.power:+}" if surface else "",
            s.calibrated.isoformat() if s.calibrated else _("never"),
        )  # fmt: skip
    return view


def _ago(ms: int | None) -> str:
    if ms is None:
        return "–"
    if ms >= 60_000:
        return _("{n} min").format(n=ms // 60_000)
    return f"{ms / 1000:.1f} s" if ms < 10_000 else f"{ms // 1000} s"


@tiles.command(
    "register",
    help=_(
        "Write which tile it is into every tag, face by face, and verify it. Turn the service key first.\n\n"
        "Lay the tiles that are asked for on the zone, then press Enter or the referee button of that seat. The tags "
        "are protected against writing by a password that the table keeps; reading needs none."
    ),
    epilog=examples("paiju tiles register --set B", "paiju tiles register -f 5m -f 3f"),
)
def register_tiles(
    tile_set: SetOption = "A",
    zone: ZoneOption = "E-pond",
    face: Annotated[
        list[str] | None, typer.Option("--face", "-f", help=_("Only these faces, such as 5m; repeatable."))
    ] = None,
    port: Port = AUTO,
    lang: Language = None,
) -> None:
    """Write the tags of a set, face by face."""
    number, where = _set(tile_set), _surface(zone)
    for code in face or []:
        if code not in FACES:
            raise typer.BadParameter(_("{code!r} is no tile face: use such as 5m, E or 3f.").format(code=code))
    faces = [face_of(code) for code in face or FACES]

    async def work(bench: Workbench, _hello: Hello) -> list[Finding]:
        with _progress(_("registering")) as tell:
            return await tile_tools.register(bench, Console(bench, _say), number, where, faces, tell)

    findings = _at_work(port, work)
    for finding in findings:
        typer.echo(finding.sentence, err=True)
    if findings:
        raise typer.Exit(1)
    typer.echo(_("Registered and verified: all tiles of the faces asked for ({count}).").format(count=len(faces)))


@tiles.command(
    "password",
    help=_(
        "Give the table the password that protects a set's tags: eight hexadecimal digits, asked for without "
        "showing.\n\n"
        "Needed only where two tables register the same tiles: a table without a password draws one when it "
        "registers, and never tells it. Turn the service key first."
    ),
    epilog=examples("paiju tiles password --set B", "paiju tiles password < password.txt"),
)
def set_password(tile_set: SetOption = "A", port: Port = AUTO, lang: Language = None) -> None:
    """Give the table the password of a set."""
    number = _set(tile_set)
    if sys.stdin.isatty():
        typed = typer.prompt(_("password of set {name}").format(name=tile_set.upper()), hide_input=True,
                             confirmation_prompt=True)  # fmt: skip
    else:
        typed = sys.stdin.readline()
    try:
        word = bytes.fromhex(typed.strip())
    except ValueError:
        word = b""
    if len(word) != PASSWORD_BYTES:
        fail(_("A password is eight hexadecimal digits, such as 0F1E2D3C."))

    async def work(bench: Workbench, _hello: Hello) -> bool:
        return await bench.keep_password(number, int.from_bytes(word, "big"), replace=True)

    _at_work(port, work)
    typer.echo(_("The table keeps the password of set {name}.").format(name=tile_set.upper()))


@tiles.command(
    "audit",
    help=_("Read a whole set in portions: missing, doubled, foreign, weak tiles. Turn the service key first."),
    epilog=examples("paiju tiles audit", "paiju tiles audit --set B --zone S-pond --json"),
)
def audit_tiles(
    tile_set: SetOption = "A", zone: ZoneOption = "E-pond", port: Port = AUTO, as_json: AsJson = False,
    lang: Language = None,
) -> None:  # fmt: skip
    """Look a set through."""
    number, where = _set(tile_set), _surface(zone)

    async def work(bench: Workbench, _hello: Hello) -> Audit:
        with _progress(_("reading")) as tell:
            return await tile_tools.audit(bench, Console(bench, _say), number, where, tell)

    result = _at_work(port, work)
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "set": SET_NAMES[number],
                    "found": len(result.found),
                    "missing": [code_of(face_of_tile(tile)) for tile in result.missing],
                    "findings": [asdict(finding) for finding in result.findings],
                }
            )
        )
    else:
        for finding in result.findings:
            typer.echo(finding.sentence)
        if result.missing:
            faces = Counter(code_of(face_of_tile(tile)) for tile in result.missing)
            codes = " ".join(code if n == 1 else f"{n}×{code}" for code, n in faces.items())
            typer.echo(_("Missing tiles ({count}): {codes}").format(count=len(result.missing), codes=codes))
        if result.complete:
            typer.echo(_("Set {name} is complete and sound: 144 tiles.").format(name=SET_NAMES[number]))
    if not result.complete:
        raise typer.Exit(1)


def calibrate(
    zone: Annotated[
        list[str] | None, typer.Option("--zone", "-z", help=_("Only this zone; repeatable. Default: the surface."))
    ] = None,
    grid: Annotated[str, typer.Option("--grid", help=_("Places across and deep, such as 5x3."))] = "5x3",
    shots: Annotated[int, typer.Option("--shots", min=5, max=100, help=_("Reads for each figure."))] = 20,
    step: Annotated[
        int, typer.Option("--step", min=0, max=127, help=_("Step of the powers that are tried; 0 leaves them alone."))
    ] = STEP,
    report: Annotated[Path | None, typer.Option("--report", help=_("HTML report to write."))] = None,
    port: Port = AUTO,
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Measure the antennas with one tile."""
    where = [_surface(name) for name in zone] if zone else list(SURFACE)
    size = _grid(grid)
    if report is not None:
        _prove_writable(report)
    day = date.today()
    serial = ""

    async def work(bench: Workbench, hello: Hello) -> list[ZoneResult]:
        nonlocal serial
        serial = hello.serial
        with _progress(_("measuring")) as tell:
            return await measure(bench, Console(bench, _say), where, size, shots, day, tell, step)

    results = _at_work(port, work)
    if as_json:
        for r in results:
            typer.echo(
                json.dumps(
                    {
                        "zone": r.zone, "floor": r.kept.floor, "level": r.kept.level, "margin": r.kept.margin,
                        "power": r.kept.power,
                        "tried": [
                            {"power": t.power, "worst": t.worst, "margin": t.margin, "stray": t.stray}
                            for t in r.trials
                        ],
                        "rates": [[*place, rate] for place, rate in r.kept.rates.items()],
                        "crosstalk": r.crosstalk,
                        "apart": r.apart,
                    }
                )
            )  # fmt: skip
    else:
        view = Table(
            _("zone"), _("noise floor"), _("threshold"), _("margin"), _("worst read rate"), _("power"), _("tried")
        )
        for r in results:
            kept = r.kept
            view.add_row(
                zone_title(r.zone), str(kept.floor), str(kept.level), str(kept.margin), f"{kept.worst:.0%}",
                f"{kept.power:+}", " ".join(f"{power:+}" for power in sorted(trial.power for trial in r.trials)),
            )  # fmt: skip
        Screen().print(view)
        for r in results:
            for remark in r.remarks:
                typer.echo(remark)
    if report is not None:
        from paiju.technician.report import write

        try:
            write(report, results, serial, day)
        except OSError as error:
            _unwritable(report, error)
        typer.echo(_("The report is in {file}.").format(file=report), err=as_json)


def register(app: typer.Typer) -> None:
    watch = _(
        "Watch every antenna: tiles there, when it was last asked and a tile last seen, margin, noise, errors. "
        "Needs no key."
    )
    short = _("Watch every antenna: tiles, margin, noise and errors.")
    app.command(help=watch, short_help=short, epilog=examples("paiju zones", "paiju zones --once --json"))(zones)
    app.add_typer(tiles, name="tiles")
    app.command(
        help=_(
            "Measure the antennas with one tile; thresholds and powers are kept on the table. Turn the service key "
            "first.\n\n"
            "Lay the tile where it is asked for, then press Enter or the referee button of that seat. A seat's display "
            "shows the place as `rk xy`: zone k of the seat, x ninths from the left, y ninths from the player's edge. "
            "At the corners of each zone its usual power, a lower and a higher one are tried, and the best is kept."
        ),
        short_help=_("Measure the antennas and keep thresholds and powers on the table."),
        epilog=examples("paiju calibrate --report antennas.html", "paiju calibrate -z E-pond -z E-meld --grid 3x2"),
    )(calibrate)


def _prove_writable(file: Path) -> None:
    """Before the work whose result it shall take."""
    known = file.exists()
    try:
        with file.open("ab"):
            pass
        if not known:
            file.unlink()
    except OSError as error:
        _unwritable(file, error)


def _unwritable(file: Path, error: OSError) -> NoReturn:
    fail(_("{file} cannot be written: {error}").format(file=file, error=why(error)))


def _surface(name: str) -> int:
    zone = _zone(name)
    if zone not in SURFACE:
        raise typer.BadParameter(
            _("{zone} takes no tiles laid by hand: choose a hand, meld or pond.").format(
                zone=zone_title(zone) if zone < SEAT_ZONES else name
            )
        )
    return zone


class _Table(Connection):
    """A connection as the workbench wants it; the events stay at the table."""

    def lease(self, name: str, *args: int | bytes) -> Pending:
        return self.link.command(name, *args)

    def release(self, pending: Pending) -> None:
        self.link.release(pending)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def _say(sentence: str) -> None:
    typer.echo(sentence, err=True)


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Screen(stderr=True)) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _at_work(port: str, do: Callable[[Workbench, Hello], Coroutine[Any, Any, T]]) -> T:
    """Run something at the workbench of a table."""
    results: list[T] = []

    async def work(connection: _Table, hello: Hello) -> None:
        bench = Workbench(connection)
        async with bench.at_work():
            results.append(await do(bench, hello))

    _with_table(port, work)
    if not results:
        raise typer.Exit(1)
    return results[0]


def _with_table(port: str, do: Callable[[_Table, Hello], Coroutine[Any, Any, None]]) -> None:
    async def work() -> None:
        connection = _Table(port, None)
        serving = asyncio.create_task(connection.run())
        try:
            await do(connection, await connection.contact())
            await connection.pause(0.1)  # so that what is released is told
        finally:
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving

    try:
        asyncio.run(work())
    except (PortError, CommandRefused, WorkbenchError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        raise typer.Exit(1) from None
