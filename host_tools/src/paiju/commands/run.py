"""`paiju run`: follow a table, show the game, keep every hand."""

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from paiju.commands.following import Follower
from paiju.commands.options import (
    AsJson,
    Data,
    Dealer,
    Language,
    Round,
    Rules,
    ShowHands,
    examples,
    fail,
    setup_of,
)
from paiju.folders import data_folder, store_file
from paiju.game.actions import Action, ActionKind
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.game.tracker import Report
from paiju.i18n import _
from paiju.store import Store, StoreError
from paiju.table import AUTO, Connection, Event, PortError
from paiju.technician.conflicts import Conflict
from paiju.view.live import live_view
from paiju.view.result import result_view
from paiju.view.words import action_text, attention_text

REFRESH = 0.2
LINGER = 1.0  # after the hand of --once: a second player may declare the same win


class Screen(Protocol):
    """Where the game is shown; `past` ends what happened before the start, which is left out unless `shows_past`."""

    shows_past: bool

    def table(self, serial: str, version: str) -> None: ...
    def event(self, event: Event) -> None: ...
    def report(self, report: Report, follower: Follower, n: int | None) -> None: ...
    def past(self, events: int, hands: int) -> None: ...
    def wait(self, status: str) -> None: ...
    def problem(self, text: str) -> None: ...
    def refresh(self, follower: Follower, status: str) -> None: ...


class JsonScreen:
    """One JSON object a line: table, event, action, attention, result, past, problem."""

    shows_past = True

    def _say(self, kind: str, /, **body: Any) -> None:
        typer.echo(json.dumps({"type": kind, **body}, ensure_ascii=False))

    def table(self, serial: str, version: str) -> None:
        self._say("table", serial=serial, firmware=version)

    def event(self, event: Event) -> None:
        self._say("event", seq=event.seq, t_ms=event.t_ms, boot=event.boot, kind=event.kind, fields=dict(event.fields))

    def report(self, report: Report, follower: Follower, n: int | None) -> None:
        if isinstance(report, HandRecord):
            log = None if n is None else str(follower.log_of(n))
            self._say("result", hand=n, log=log, record=report.to_json())
        else:
            self._say("action" if isinstance(report, Action) else "attention", **report.to_json())

    def past(self, events: int, hands: int) -> None:
        self._say("past", events=events, hands=hands)

    def wait(self, status: str) -> None:
        pass

    def problem(self, text: str) -> None:
        if text:
            self._say("problem", text=text)

    def refresh(self, follower: Follower, status: str) -> None:
        pass


class PlainScreen:
    """A line an act, for a terminal that cannot redraw or for a file."""

    shows_past = False

    def __init__(self, show_hands: bool, console: Console) -> None:
        self.console = console
        self._show_hands = show_hands

    def table(self, serial: str, version: str) -> None:
        self.console.print(_("Table {serial}, firmware {version}").format(serial=serial, version=version))

    def event(self, event: Event) -> None:
        conflict = Conflict.of(event.fields) if event.kind == "conflict" else None
        if conflict is not None:
            self.problem(conflict.sentence)

    def report(self, report: Report, follower: Follower, n: int | None) -> None:
        if isinstance(report, HandRecord):
            self._result(report, follower, n)
            return
        setup = follower.tracker.setup
        if isinstance(report, Action):
            self.console.print(action_text(setup, report, not self._show_hands))
        else:
            self.console.print(attention_text(setup, report))

    def _result(self, record: HandRecord, follower: Follower, n: int | None) -> None:
        self.console.print(result_view(record))
        if n is not None:
            place = _("Hand {n} is on record; its events: {path}").format(n=n, path=follower.log_of(n))
            self.console.print(place, soft_wrap=True)

    def past(self, events: int, hands: int) -> None:
        text = _("Fetched from the table what happened before this start: {events} events, {hands} finished hands.")
        self.console.print(text.format(events=events, hands=hands), soft_wrap=True)

    def wait(self, status: str) -> None:
        pass

    def problem(self, text: str) -> None:
        if text:
            self.console.print(text, style="yellow", soft_wrap=True)

    def refresh(self, follower: Follower, status: str) -> None:
        pass


class LiveScreen(PlainScreen):
    """The table redrawn in place, results above it."""

    def __init__(self, show_hands: bool, live: Live) -> None:
        super().__init__(show_hands, live.console)
        self._live = live

    def report(self, report: Report, follower: Follower, n: int | None) -> None:
        if isinstance(report, HandRecord):
            self._result(report, follower, n)

    def wait(self, status: str) -> None:
        self._live.update(Text(status), refresh=True)

    def refresh(self, follower: Follower, status: str) -> None:
        self._live.update(live_view(follower.tracker, status, self._show_hands), refresh=True)


class Past:
    """What happened up to event number `last`, before the start: earlier hands are counted, not shown."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.events = 0
        self.hands = 0
        self.reports: list[tuple[Report, int | None]] = []  # of the hand that may be the present one

    def take(self, report: Report, n: int | None) -> None:
        if isinstance(report, Action) and report.kind is ActionKind.DEAL and self.over:
            self.drop()
        self.reports.append((report, n))

    @property
    def over(self) -> bool:
        """Whether the last hand is over and no other has begun."""
        return any(isinstance(report, HandRecord) for report, _n in self.reports)

    def drop(self) -> None:
        """The hand that is over is no longer the present one."""
        self.hands += 1
        while self.over:
            del self.reports[0]


class Session:
    """One run: a connection, its follower, a screen."""

    def __init__(self, port: str, store: Store, folder: Path, setup: Setup | None, screen: Screen, once: bool) -> None:
        self._store = store
        self._folder = folder
        self._setup = setup
        self._screen = screen
        self._once = once
        self._ended = asyncio.Event()
        self._follower: Follower | None = None
        self._stream: tuple[str, int] | None = None
        self._told = ""
        self._past: Past | None = None
        self._connection = Connection(port, store, self._take)

    async def run(self) -> None:
        """Follow the table for ever, or with `once` to the end of a hand; raises PortError at the start."""
        serving = asyncio.create_task(self._connection.run())
        try:
            await self._contact(serving)
            self._meet()
            while not self._ended.is_set():
                if serving.done():
                    serving.result()
                self._show()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._ended.wait(), REFRESH)
            await asyncio.sleep(LINGER)
            self._show()
        finally:
            serving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await serving

    async def _contact(self, serving: asyncio.Task[None]) -> None:
        contact = asyncio.create_task(self._connection.contact())
        await asyncio.wait((contact, serving), return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            contact.cancel()
            serving.result()
        await contact

    def _meet(self, before: int | None = None) -> Follower:
        """The follower of the table now at the port; a new one, which goes through what is stored up to event
        number `before`, if it is another table or journal."""
        hello = self._connection.hello
        assert hello is not None
        stream = hello.serial, hello.journal_id
        if self._follower is None or stream != self._stream:
            self._stream = stream
            self._screen.table(hello.serial, hello.version)
            self._follower = Follower(self._store, self._folder, *stream, self._setup, self._report)
            self._past = Past(hello.last)
            self._follower.catch_up(before)
            self._arrive()
        return self._follower

    def _take(self, events: list[Event]) -> None:
        follower = self._meet(before=events[0].seq)
        for event in events:
            if self._past is not None:
                self._past.events += 1
            if self._past is None or self._screen.shows_past:
                self._screen.event(event)
            follower.follow([event])
            self._arrive()

    def _report(self, report: Report, n: int | None) -> None:
        assert self._follower is not None
        if self._past is not None:
            self._past.take(report, n)
            if isinstance(report, HandRecord) and self._setup is not None:
                self._follower.tracker.next_setup = self._setup  # meant for the present hand, not for the first
            if not self._screen.shows_past:
                return
        self._screen.report(report, self._follower, n)
        if self._once and self._past is None and isinstance(report, HandRecord):
            self._ended.set()

    def _arrive(self) -> None:
        """When everything from before the start has come: tell how much it was, and show the present hand."""
        past, follower = self._past, self._follower
        if past is None or follower is None or follower.position < past.last:
            return
        self._past = None
        over = past.over
        if over and not self._once:
            past.drop()
        if past.hands or (past.events and past.reports):
            self._screen.past(past.events, past.hands)
        if not self._screen.shows_past:
            for report, n in past.reports:
                self._screen.report(report, follower, n)
        if over and self._once:
            self._ended.set()

    def _show(self) -> None:
        follower = self._meet()
        follower.heed_corrections()
        problem = self._connection.problem or follower.problem
        if problem != self._told:
            self._told = problem
            self._screen.problem(problem)
        if self._past is not None:
            self._screen.wait(problem or _("The table tells what happened before this start ..."))
            return
        serial = "" if self._stream is None else self._stream[0]
        self._screen.refresh(follower, problem or _("Table {serial}").format(serial=serial))


def open_store(folder: Path) -> Store:
    """The store in a folder; leaves with one sentence if it cannot be used."""
    try:
        return Store(store_file(folder))
    except StoreError as error:
        fail(str(error))


def run(
    port: Annotated[str, typer.Option("--port", help=_("Device or URL of the table; auto looks for one."))] = AUTO,
    data: Data = None,
    as_json: AsJson = False,
    once: Annotated[bool, typer.Option("--once", help=_("Leave after one hand."))] = False,
    rules: Rules = None,
    prevalent: Round = None,
    dealer: Dealer = None,
    show_hands: ShowHands = False,
    lang: Language = None,
) -> None:
    """Follow a table: store its events, show the game, score and keep every hand."""
    folder = data_folder(data)
    store = open_store(folder)
    setup = setup_of(rules, prevalent, dealer)

    def start(screen: Screen) -> None:
        asyncio.run(follow(screen))

    async def follow(screen: Screen) -> None:
        await Session(port, store, folder, setup, screen, once).run()

    console = Console()
    try:
        if as_json:
            start(JsonScreen())
        elif console.is_terminal:
            with Live(console=console, auto_refresh=False) as live:
                start(LiveScreen(show_hands, live))
        else:
            start(PlainScreen(show_hands, console))
    except (PortError, StoreError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        typer.echo(_("Stopped; the table keeps what is not stored yet."), err=True)
    finally:
        store.close()


def register(app: typer.Typer) -> None:
    app.command(
        help=_("Follow a table: store its events, show the game, score and keep every hand."),
        epilog=examples("paiju run", "paiju run --port /dev/ttyUSB0 --round S", "paiju run --once --json > hand.jsonl"),
    )(run)
