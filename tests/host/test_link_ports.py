"""Connections over real ports: TCP to the firmware on MicroPython, pseudo-terminals, several tables, wrong ports."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tty
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from link_pair import VERSION, Fram, Journal, TableEnd, frame

from paiju.store import Store, StoreError
from paiju.table import Connection, Event, PortError, State, candidates, probe
from tablelink import messages as m

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests" / "firmware" / "scripts" / "table_program.py"
PATIENCE = 60.0  # real seconds; only a guard against hanging


class RealTable:
    """The firmware's journal and link on MicroPython, served on a TCP port, with FRAM in a file."""

    def __init__(self, folder: Path, rate: int = 100, events: int = 0) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"socket://127.0.0.1:{self.port}"
        self.arguments = [str(self.port), str(folder / "fram"), str(rate), str(events)]
        self.start()

    def start(self) -> None:
        beside = Path(sys.executable).with_name("micropython")
        path = f".frozen:{ROOT / 'firmware'}:{ROOT / 'firmware' / 'lib'}"
        self.process = subprocess.Popen(
            [str(beside) if beside.exists() else "micropython", "-X", "heapsize=192K", str(PROGRAM), *self.arguments],
            env={**os.environ, "MICROPYPATH": path},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.ready = self.process.stdout.readline()
        assert self.ready.startswith("ready"), self.ready

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RealTable]:
    running = RealTable(tmp_path)
    yield running
    running.kill()


@asynccontextmanager
async def serving(*connections: Connection) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(c.run()) for c in connections]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not done():
            await asyncio.sleep(0.01)


def run(work: Awaitable[None]) -> None:
    asyncio.run(asyncio.wait_for(work, PATIENCE * 2))  # type: ignore[arg-type]


def test_firmware_on_micropython(table: RealTable, tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    seen: list[Event] = []
    connection = Connection(table.url, store, on_events=seen.extend)

    async def work() -> None:
        async with serving(connection):
            hello = await connection.contact()
            assert hello.serial == b"TESTTBLE".hex()
            assert (await connection.command("ping", 5)).fields == {"token": 5}
            assert (await connection.command("display", 2, b"  8.5")).ok
            assert (await connection.command("beep", 30)).ok  # asynchronous on the table
            assert (await connection.command("jog", 1, 0, 50)).status == "mode"
            stats = await connection.command("stats")
            assert stats.fields["bad_frames"] == 0
            await until(lambda: len(seen) > 100)

    run(work())
    assert [e.seq for e in seen] == list(range(1, len(seen) + 1))
    # Cancelled between the two, the last ones are stored and not told.
    assert [e.record for e in store.events()][: len(seen)] == [e.record for e in seen]
    assert seen[0].kind == "boot"
    timed = list(store.timed_events(seen and store.streams()[0].serial, store.streams()[0].journal_id))
    assert timed[5].uncertainty is not None
    assert timed[5].uncertainty < 1.0
    store.close()


def test_power_cuts_of_the_table(tmp_path: Path) -> None:
    table = RealTable(tmp_path, rate=500)
    store = Store(tmp_path / "s.db")
    seen: list[Event] = []
    connection = Connection(table.url, store, on_events=seen.extend)

    async def work() -> None:
        async with serving(connection):
            for _ in range(4):
                before = len(seen)
                await until(lambda before=before: len(seen) > before + 20)  # type: ignore[misc]
                table.kill()
                table.start()
            before = len(seen)
            await until(lambda: len(seen) > before + 20)

    try:
        run(work())
    finally:
        table.kill()
    assert [e.seq for e in seen] == list(range(1, len(seen) + 1))
    assert [e["count"] for e in seen if e.kind == "boot"] == [1, 2, 3, 4, 5]
    store.close()


def test_a_killed_host_takes_up_where_it_stopped(tmp_path: Path) -> None:
    """`kill -9` on a real host process at moments that fall where they fall."""
    table = RealTable(tmp_path, rate=1000)
    code = (
        "import asyncio, sys\n"
        "from paiju.store import Store\n"
        "from paiju.table import Connection\n"
        "asyncio.run(Connection(sys.argv[1], Store(sys.argv[2])).run())\n"
    )
    database = tmp_path / "s.db"
    try:
        last = 0
        for n in range(5):
            host = subprocess.Popen([sys.executable, "-c", code, table.url, str(database)])

            async def progress(last: int = last, n: int = n) -> None:
                await until(lambda: _stored(database) > last + 50 + 17 * n)

            run(progress())
            host.kill()
            host.wait()
            last = _stored(database)
    finally:
        table.kill()
    store = Store(database)
    numbers = [e.seq for e in store.events()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert store.streams()[0].acknowledged == numbers[-1]
    store.close()


def _stored(database: Path) -> int:
    if not database.exists():
        return 0
    try:
        store = Store(database)
    except StoreError:
        return 0
    rows = store.streams()
    store.close()
    return rows[0].acknowledged if rows else 0


def test_several_tables_at_once(tmp_path: Path) -> None:
    tables = []
    for n in range(3):
        (tmp_path / str(n)).mkdir()
        tables.append(RealTable(tmp_path / str(n)))
    store = Store(tmp_path / "s.db")
    connections = [Connection(t.url, store) for t in tables]

    async def work() -> None:
        async with serving(*connections):
            await until(lambda: all(c.link.statistics.events > 30 for c in connections))

    try:
        run(work())
    finally:
        for t in tables:
            t.kill()
    assert len(store.streams()) == 3
    for row in store.streams():
        numbers = [e.seq for e in store.events(row.serial, row.journal_id)]
        assert numbers == list(range(1, len(numbers) + 1))
    store.close()


class Terminal:
    """A table's end behind a pseudo-terminal, or whatever `answer` makes of it."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(self.slave)
        self.journal = Journal(Fram(), 64 + 26 * 600)
        self.end = TableEnd(self.journal, b"PTYTABLE", VERSION)
        self.texts: list[bytes] = []
        self.end.on("display", lambda _seat, text: self.texts.append(text))

    async def serve(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            now = int(loop.time() * 1000)
            with suppress(BlockingIOError):
                data = os.read(self.master, 4096)
                self.end.receive(bytearray(data), len(data), now)
            self.end.tick(now)
            while (out := self.end.next_frame(now)) is not None:
                os.write(self.master, out)
            await asyncio.sleep(0.002)

    def close(self) -> None:
        for end in (self.master, self.slave):
            with suppress(OSError):  # unplugged before
                os.close(end)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    yield made
    made.close()


def test_every_byte_passes_a_pseudo_terminal(terminal: Terminal, tmp_path: Path) -> None:
    """Ctrl-C, XON, XOFF, end-of-file, carriage return: all are only data (report R03)."""
    store = Store(tmp_path / "s.db")
    connection = Connection(terminal.path, store)
    texts = [bytes((n + k) % 256 for k in range(5)) for n in range(0, 256, 5)]
    for text in texts:
        terminal.journal.append(8, 1, terminal.journal.boot, 3, 3, text + b"\x03\x03\x03")

    async def work() -> None:
        side = asyncio.create_task(terminal.serve())
        async with serving(connection):
            await connection.contact()
            for text in texts:
                assert (await connection.command("display", 3, text)).ok
            await until(lambda: store.acknowledged(b"PTYTABLE".hex(), terminal.journal.id) == len(texts))
        side.cancel()

    run(work())
    assert terminal.texts == texts
    assert [bytes.fromhex(str(e["uid"]))[:5] for e in store.events()] == texts
    store.close()


def test_a_command_without_an_answer_is_given_up(terminal: Terminal) -> None:
    ran: list[int] = []
    terminal.end.on("beep", lambda ms: ran.append(ms))
    connection = Connection(terminal.path, None)

    async def work() -> None:
        side = asyncio.create_task(terminal.serve())
        async with serving(connection):
            await connection.contact()
            side.cancel()
            with pytest.raises(PortError, match="has not answered for 0 s: try again"):
                await connection.command("beep", 5, within=0.2)
            assert connection.link.idle
            side = asyncio.create_task(terminal.serve())
            assert (await connection.command("ping", 1)).ok
        side.cancel()

    run(work())
    assert ran in ([], [5])


@pytest.mark.parametrize("language", ["en", "zh_Hans", "zh_Hant"])
def test_a_table_unplugged_during_a_command_is_named_with_its_remedy(
    language: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person never typed the command that the tool was waiting for."""
    monkeypatch.setattr("paiju.i18n._current", language)
    connection = Connection(terminal.path, None)

    async def work() -> str:
        side = asyncio.create_task(terminal.serve())
        async with serving(connection):
            await connection.contact()
            side.cancel()
            asked = asyncio.create_task(connection.command("request", 0, b"r2 00", within=1.5))
            await asyncio.sleep(0.1)
            terminal.close()
            with pytest.raises(PortError) as error:
                await asked
            return str(error.value)

    said = asyncio.run(asyncio.wait_for(work(), PATIENCE))
    assert terminal.path in said
    assert "request" not in said
    wanted = {"en": "plug", "zh_Hans": "再试", "zh_Hant": "再試"}
    assert wanted[language] in said


@pytest.mark.parametrize("late", [False, True])
def test_a_full_store_is_told_and_made_good(
    late: bool, terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paiju.table.connection.RETRY_STORE", 0.1)
    store = Store(tmp_path / "s.db")
    full = True

    class Moody:
        acknowledged = staticmethod(store.acknowledged)
        save_clock = staticmethod(store.save_clock)

        def append(self, serial: str, journal_id: int, records: list[bytes], ack: int) -> None:
            if full:
                raise StoreError("The disk is full.")
            store.append(serial, journal_id, records, ack)

    connection = Connection(terminal.path, Moody())  # type: ignore[arg-type]

    async def work() -> None:
        nonlocal full
        side = asyncio.create_task(terminal.serve())
        async with serving(connection):
            if late:
                await connection.contact()
            for n in range(40):
                terminal.journal.append(5, n, 1, 3, n)
            await until(lambda: connection.problem == "The disk is full.")
            for _ in range(10):
                await asyncio.sleep(0.05)
                assert connection.problem == "The disk is full."
            assert terminal.journal.acknowledged == 0
            full = False
            await until(lambda: terminal.journal.acknowledged == 40)
            assert connection.problem == ""
        side.cancel()

    run(work())
    assert [e.seq for e in store.events()] == list(range(1, 41))
    store.close()


def _problem(url: str, answer: bytes = b"", within: float = 1.0) -> str:
    """The sentence that a first contact with `url` ends with."""

    async def work() -> str:
        connection = Connection(url, None)
        async with serving(connection):
            try:
                await connection.contact(within)
            except PortError as error:
                return str(error)
        return ""

    return asyncio.run(work())


def test_wrong_ports_are_named(tmp_path: Path) -> None:
    assert "There is no port" in _problem(str(tmp_path / "nothing"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    assert "Nothing listens" in _problem(f"socket://127.0.0.1:{number}")
    assert "no serial port" in _problem("nonsense://x")
    assert "no serial port" in _problem("/dev/null")
    assert "cannot be opened" in _problem(str(tmp_path))


def test_busy_port(terminal: Terminal) -> None:
    async def work() -> None:
        async with serving(Connection(terminal.path, None)):
            await asyncio.sleep(0.1)
            with pytest.raises(PortError, match="in use"):
                await probe(terminal.path)

    run(work())


@pytest.mark.parametrize(
    ("said", "word"),
    [
        (b"", "does not answer"),
        (b"OK\r\nMarlin 2.1 ready\r\necho: Last Updated 2024\r\n" * 4, "no table"),
        (frame(m.HELLO, 0x0BADCAFE, 0x090807, 0, b"TABLE999", 1, 1, 2, 3, 4, 0), "9.8.7"),
    ],
)
def test_wrong_devices_are_named(terminal: Terminal, said: bytes, word: str) -> None:
    async def work() -> None:
        side = asyncio.create_task(talk())
        connection = Connection(terminal.path, None)
        async with serving(connection):
            with pytest.raises(PortError, match=word) as failure:
                await connection.contact(0.8)
            assert "\n" not in str(failure.value)
        side.cancel()

    async def talk() -> None:
        while True:
            with suppress(BlockingIOError):
                os.read(terminal.master, 4096)
                os.write(terminal.master, said)
            await asyncio.sleep(0.02)

    run(work())


def test_unplugging_and_plugging_in_again(tmp_path: Path) -> None:
    """The device file goes away and comes back under the same name, as a USB port does."""
    link = tmp_path / "tty"
    states: list[State] = []

    async def work() -> None:
        first = Terminal()
        link.symlink_to(first.path)
        side = asyncio.create_task(first.serve())
        connection = Connection(str(link), None)
        async with serving(connection):
            await connection.contact()
            states.append(connection.state)
            side.cancel()
            link.unlink()
            first.close()
            await until(lambda: connection.state is State.SEARCHING)
            assert "There is no port" in connection.problem or "pulled" in connection.problem
            second = Terminal()
            link.symlink_to(second.path)
            side = asyncio.create_task(second.serve())
            await until(lambda: connection.state is State.IN_STEP)
            states.append(connection.state)
        side.cancel()
        second.close()

    run(work())
    assert states == [State.IN_STEP, State.IN_STEP]


def test_candidates_are_found_by_their_usb_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    class Info:
        def __init__(self, device: str, vid: int | None, pid: int | None, location: str | None = None) -> None:
            self.device, self.vid, self.pid, self.description = device, vid, pid, "x"
            self.location, self.serial_number = location, "E66" if location else None

    ports = [
        Info("/dev/ttyS0", None, None),
        Info("/dev/ttyACM1", 0x2E8A, 0x0005, "1-2:1.0"),
        Info("/dev/ttyUSB0", 0x0403, 0x6001),
    ]
    monkeypatch.setattr("paiju.table.serial_port.list_ports.comports", lambda: ports)
    assert [(c.device, c.likely) for c in candidates()] == [
        ("/dev/ttyACM1", True),
        ("/dev/ttyS0", False),
        ("/dev/ttyUSB0", False),
    ]
    # A second interface of the same board is the link, the first its console.
    ports.append(Info("/dev/ttyACM2", 0x2E8A, 0x0005, "1-2:1.2"))
    assert [c.device for c in candidates() if c.likely] == ["/dev/ttyACM2"]


def test_auto_takes_the_port_where_a_table_answers(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    from paiju.table import Candidate

    found = [Candidate("/nowhere", "", True), Candidate(terminal.path, "", True)]
    monkeypatch.setattr("paiju.table.connection.candidates", lambda: found)

    async def work() -> None:
        side = asyncio.create_task(terminal.serve())
        connection = Connection("auto", None)
        async with serving(connection):
            await until(lambda: connection.state is State.IN_STEP)
        side.cancel()

    run(work())
