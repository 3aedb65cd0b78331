"""`paiju ports` and `paiju link`: find tables, look at the wire, record it and play it back."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from paiju.commands.options import AsJson, Data, Language, fail, why
from paiju.folders import data_folder, store_file
from paiju.i18n import _
from paiju.store import Store, StoreError
from paiju.table import AUTO, CommandRefused, Connection, Hello, PortError, candidates, probe
from paiju.table.playback import RecordedJournal, serve
from paiju.table.traffic import Reading, Recorder, TrafficError, read_traffic
from tablelink import messages

Port = Annotated[
    str, typer.Option("--port", "-p", envvar="PAIJU_PORT", help=_("Device, pseudo-terminal or socket://HOST:PORT."))
]
link = typer.Typer(no_args_is_help=True, help=_("The wire between host and table."))


def register(app: typer.Typer) -> None:
    app.command("ports")(ports)
    app.add_typer(link, name="link")


def ports(
    ask: Annotated[bool, typer.Option("--ask/--no-ask", help=_("Ask each likely port who is there."))] = True,
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """The serial ports of this computer, and which table is at which."""
    rows: list[dict[str, str]] = []
    for candidate in candidates():
        row = {"port": candidate.device, "description": candidate.description, "table": "", "problem": ""}
        if ask and candidate.likely:
            try:
                hello = asyncio.run(probe(candidate.device))
                row["table"], row["problem"] = f"{hello.serial} ({hello.version})", ""
            except PortError as error:
                row["problem"] = str(error)
        rows.append(row)
    if as_json:
        typer.echo(json.dumps(rows))
        return
    if not rows:
        typer.echo(_("This computer has no serial port: plug a table in. A simulated table prints its own port."))
        return
    table = Table(_("port"), _("description"), _("table"))
    for row in rows:
        table.add_row(row["port"], row["description"], row["table"] or row["problem"])
    Console().print(table)


@link.command()
def stats(port: Port = AUTO, as_json: AsJson = False, lang: Language = None) -> None:
    """Counters of both ends: bytes, frames, errors, resends, round trip, longest stall, journal fill."""

    async def ask(connection: Connection, hello: Hello) -> None:
        reply = await connection.command("stats")
        for _round in range(8):  # a few round trips, so that the clock is told by the tightest
            await connection.command("ping", _round)
        clock = connection.link.clock.offset(time.monotonic())
        both: dict[str, Any] = {
            "table": {**asdict(hello), "protocol": f"{hello.protocol:08x}", **reply.fields},
            "host": asdict(connection.link.statistics),
            "round_trip_ms": round(connection.link.clock.round_trip * 1000, 2),
            "clock_uncertainty_ms": round(clock[1] * 1000, 2) if clock else None,
        }
        if as_json:
            typer.echo(json.dumps(both))
            return
        view = Table(_("counter"), _("table"), _("host"))
        for name in dict.fromkeys((*both["table"], *both["host"])):
            view.add_row(name, str(both["table"].get(name, "")), str(both["host"].get(name, "")))
        Console().print(view)

    _with_table(port, None, ask)


@link.command()
def console(
    port: Port = AUTO,
    data: Data = None,
    run: Annotated[list[str] | None, typer.Option("--command", "-c", help=_("Run this and leave; repeatable."))] = None,
    seconds: Annotated[float, typer.Option(help=_("With --command: go on watching for so long."))] = 0.0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help=_("Replies only, no other traffic."))] = False,
    lang: Language = None,
) -> None:
    """Watch decoded traffic and send commands; events are stored as ever. Type `help` for the commands."""

    def watch(direction: str, text: str) -> None:
        if not quiet:
            typer.echo(f"{direction} {text}")

    async def talk(connection: Connection, _hello: Hello) -> None:
        failed = False
        for line in run or []:
            failed |= not await _say(connection, line)
        if run:
            await asyncio.sleep(seconds)
        else:
            while line := await _typed_line():
                if line.strip() in ("quit", "exit"):
                    break
                await _say(connection, line)
        if failed:
            raise typer.Exit(1)

    _with_table(port, _store(data), talk, watch=watch)


@link.command()
def record(
    file: Annotated[Path, typer.Argument(help=_("File to write."))],
    port: Port = AUTO,
    data: Data = None,
    seconds: Annotated[float, typer.Option(help=_("Stop after so long; 0: at Ctrl-C."))] = 0.0,
    lang: Language = None,
) -> None:
    """Serve the table and write down every byte of both directions with its time."""
    store = _store(data)
    try:
        recorder = Recorder(file, port)
    except OSError as error:
        fail(_("{file} cannot be written: {error}").format(file=file, error=why(error)))

    async def wait(_connection: Connection, _hello: Hello) -> None:
        await asyncio.sleep(seconds or float("inf"))

    try:
        _with_table(port, store, wait, tap=recorder.tap)
    finally:
        recorder.close()
        typer.echo(_("{n} bytes recorded in {file}").format(n=recorder.bytes, file=file))


@link.command()
def playback(
    file: Annotated[Path, typer.Argument(help=_("A recording."))],
    speed: Annotated[float, typer.Option(help=_("Times real time; 0: as fast as it goes."))] = 0.0,
    at: Annotated[
        str | None, typer.Option("--serve", help=_("HOST:PORT: be the recorded table for another paiju instead."))
    ] = None,
    lang: Language = None,
) -> None:
    """Print recorded traffic in words, or be the recorded table."""
    began = time.monotonic()

    def say(t: float, direction: str, text: str) -> None:
        if at is None:
            if speed:
                time.sleep(max(0.0, t / speed - (time.monotonic() - began)))
            typer.echo(f"{t:10.3f} {direction} {text}")

    reading = Reading(say)
    problem = ""
    try:
        for chunk in read_traffic(file):
            reading.feed(chunk)
    except OSError as error:
        fail(_("{file} cannot be read: {error}").format(file=file, error=why(error)))
    except TrafficError as error:
        problem = str(error)
    if at is None and (reading.frames or not problem):
        summary = _("{frames} frames, {events} events, {bad} damaged frames")
        typer.echo(summary.format(frames=reading.frames, events=len(reading.events), bad=reading.bad))
    elif at is not None and reading.events:
        host, _colon, number = at.rpartition(":")
        if not number.isdigit():
            fail(_("{at!r} is no HOST:PORT.").format(at=at))
        records = [reading.events[seq] for seq in sorted(reading.events)]
        try:
            journal = RecordedJournal(int(began * 1000) & 0xFFFFFFFF, records)
            asyncio.run(serve(host or "127.0.0.1", int(number), journal, speed or 1.0, tell=typer.echo))
        except OSError as error:
            fail(_("Nothing can be served at {at}: {error}").format(at=at, error=why(error)))
        except KeyboardInterrupt:
            return
    if problem:
        fail(problem)


async def _typed_line() -> str:
    """A line of standard input; "" at its end. A pool's thread would make Ctrl-C wait for the next line."""
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def read() -> None:
        text = sys.stdin.readline()
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(give, text)

    def give(text: str) -> None:
        if not line.done():
            line.set_result(text)

    threading.Thread(target=read, daemon=True).start()
    return await line


async def _say(connection: Connection, line: str) -> bool:
    """Run one line of the console; whether it was answered `ok`."""
    name, *words = line.split() or [""]
    if not name:
        return True
    if name == "help":
        for command in messages.COMMANDS:
            typer.echo(f"{command.name} {' '.join(f[0].upper() for f in command.arguments.fields)}".rstrip())
        return True
    try:
        reply = await connection.command(name, *_arguments(name, words))
    except CommandRefused as error:
        typer.echo(str(error), err=True)
        return False
    fields = " ".join(f"{k}={v}" for k, v in reply.fields.items())
    typer.echo(f"{name}: {reply.status} {fields}".rstrip())
    return reply.ok


def _arguments(name: str, words: list[str]) -> list[int | bytes]:
    command = messages.COMMANDS.get(name)
    kinds = [f[1] for f in command.arguments.fields] if command else []
    values: list[int | bytes] = []
    for word, kind in zip(words, kinds + ["u32"] * len(words), strict=False):
        if kind.startswith("bytes"):
            values.append(word.encode().ljust(int(kind[5:])))
        else:
            try:
                values.append(int(word, 0))
            except ValueError:
                raise CommandRefused(_("{word!r} is no number.").format(word=word)) from None
    return values


def _store(data: Path | None) -> Store:
    try:
        return Store(store_file(data_folder(data)))
    except StoreError as error:
        fail(str(error))


def _with_table(
    port: str,
    store: Store | None,
    do: Callable[[Connection, Hello], Coroutine[Any, Any, None]],
    watch: Callable[[str, str], None] | None = None,
    tap: Callable[[str, bytes], None] | None = None,
) -> None:
    async def work() -> None:
        connection = Connection(port, store, watch=watch, tap=tap)
        serving = asyncio.create_task(connection.run())
        doing = asyncio.create_task(talk(connection))
        try:
            await asyncio.wait((serving, doing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            serving.cancel()
            doing.cancel()
            await asyncio.gather(serving, doing, return_exceptions=True)
        for task in (serving, doing):
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error

    async def talk(connection: Connection) -> None:
        await do(connection, await connection.contact())

    try:
        asyncio.run(work())
    except (PortError, StoreError) as error:
        fail(str(error))
    except OSError as error:  # of `tap`, or standard output
        fail(_("The traffic cannot be written down: {error}").format(error=why(error)))
    except KeyboardInterrupt:
        return
