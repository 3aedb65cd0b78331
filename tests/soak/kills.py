"""Real processes and `kill -9`: a host that stores a table's events is killed at random moments, over and over.

The table is the firmware's journal and link on MicroPython behind a TCP port, its FRAM a file; it is killed now and
then as well. In the end the store must hold every event that the table ever numbered, once, in order, as it is.

    python tests/soak/kills.py [--kills N] [--cuts N] [--seed S]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "firmware")]

from controller.journal import Journal  # noqa: E402
from paiju.store import Store  # noqa: E402
from paiju.table import Connection, Event  # noqa: E402
from tablelink import messages  # noqa: E402

PROGRAM = ROOT / "tests" / "firmware" / "scripts" / "table_program.py"
FRAM_SIZE = 262144
RATE = 1000  # events a second
LAST_EVENTS = 300  # after the last kill
PATIENCE = 120.0  # real seconds; only a guard against hanging


@dataclass
class Result:
    """What a run came to."""

    events: int = 0
    stored: int = 0
    kills: int = 0
    cuts: int = 0
    unheard: int = 0  # kills of a host that had not stored anything yet
    real_s: float = 0.0


class TableProcess:
    """The table as a process, on a port of its own."""

    def __init__(self, folder: Path) -> None:
        self.fram = folder / "fram"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"socket://127.0.0.1:{self.port}"

    def start(self, events: int = 0) -> None:
        beside = Path(sys.executable).with_name("micropython")
        program = [str(beside) if beside.exists() else "micropython", "-X", "heapsize=192K", str(PROGRAM)]
        self.process = subprocess.Popen(
            [*program, str(self.port), str(self.fram), str(RATE), str(events)],
            env={**os.environ, "MICROPYPATH": f".frozen:{ROOT / 'firmware'}:{ROOT / 'firmware' / 'lib'}"},
            stdout=subprocess.PIPE,
            text=True,
        )
        self.line("ready")

    def line(self, word: str) -> list[str]:
        """The words of its next line that begins with `word`."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(word):
                return line.split()
        raise RuntimeError(f"the table went without saying {word}")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


class HostProcess:
    """A host as a process of its own; forked, so that a hundred do not import everything anew."""

    def __init__(self, url: str, database: Path) -> None:
        self.heard, told = os.pipe()
        os.set_blocking(told, False)
        self.pid = os.fork()
        if not self.pid:
            try:
                _serve(url, database, told)
            finally:
                os._exit(1)
        os.close(told)

    def wait_for_events(self) -> None:
        """Until it has stored something."""
        ready = select.select([self.heard], [], [], PATIENCE)[0]
        if not ready or not os.read(self.heard, 1):
            raise RuntimeError("the host stored nothing")

    def stored_anything(self) -> bool:
        return bool(select.select([self.heard], [], [], 0)[0])

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        _pid, status = os.waitpid(self.pid, 0)
        os.close(self.heard)
        assert os.WIFSIGNALED(status), f"the host had left by itself with {status}"


def _serve(url: str, database: Path, told: int) -> None:
    def tell(_events: list[Event]) -> None:
        try:
            os.write(told, b".")
        except BlockingIOError:
            return

    asyncio.run(Connection(url, Store(database), on_events=tell).run())


def kills(folder: Path, seed: int = 1, kills: int = 100, cuts: int = 10) -> Result:
    """One run; raises AssertionError at the first event lost, doubled, out of order or changed."""
    began = time.perf_counter()
    rng = random.Random(seed)
    result = Result()
    table = TableProcess(folder)
    database = folder / "events.db"
    table.start()
    try:
        cut_at = set(rng.sample(range(kills), cuts))
        for n in range(kills):
            host = HostProcess(table.url, database)
            listened = rng.random() < 0.8
            if listened:
                host.wait_for_events()
            time.sleep(rng.uniform(0, 0.1))
            if n in cut_at:
                table.kill()
                table.start()
                result.cuts += 1
                time.sleep(rng.uniform(0, 0.2))
            result.unheard += not listened and not host.stored_anything()
            host.kill()
            result.kills += 1
        table.kill()
        table.start(LAST_EVENTS)
        _finish(table, database)
    finally:
        table.kill()
    _check(table.fram, database, result)
    result.real_s = time.perf_counter() - began
    return result


def _finish(table: TableProcess, database: Path) -> None:
    """Let one host take the rest."""

    async def work() -> None:
        store = Store(database)
        connection = Connection(table.url, store)
        serving = asyncio.create_task(connection.run())
        async with asyncio.timeout(PATIENCE):
            last = int((await asyncio.to_thread(table.line, "emitted"))[1])
            while (hello := connection.hello) is None or store.acknowledged(hello.serial, hello.journal_id) < last:
                await asyncio.sleep(0.02)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        store.close()

    asyncio.run(work())


class _FileFram:
    def __init__(self, path: Path) -> None:
        self.memory = bytearray(path.read_bytes())

    def readinto(self, address: int, buf: bytearray) -> None:
        buf[:] = self.memory[address : address + len(buf)]

    def write(self, address: int, buf: bytes) -> None:
        self.memory[address : address + len(buf)] = bytes(buf)


def _check(fram: Path, database: Path, result: Result) -> None:
    journal = Journal(_FileFram(fram), FRAM_SIZE)
    store = Store(database)
    (stream,) = store.streams()
    assert (stream.journal_id, stream.acknowledged) == (journal.id, journal.last), (stream, journal.id, journal.last)
    buf = bytearray(messages.RECORD_LIMIT)
    expected, tile = 1, 0
    for event in store.events():
        assert event.seq == expected, (event, expected)
        if event.kind == "boot":
            tile = 0
        else:
            assert (event.kind, event["zone"], event["tile"]) == ("enter", 3, tile % 144), event
            tile += 1
        if event.seq >= journal.first:
            size = journal.read(event.seq, buf, 0)
            assert event.record == bytes(buf[:size]), event
        expected += 1
        result.stored += 1
    store.close()
    assert expected == journal.last + 1, (expected, journal.last)
    result.events = journal.last


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--cuts", type=int, default=10, help="times that the table is killed as well")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = kills(Path(folder), options.seed, options.kills, options.cuts)
    print(
        f"{result.kills} hosts killed with SIGKILL ({result.unheard} before they had stored anything), {result.cuts} "
        f"tables killed: {result.events} events, {result.stored} stored once, in order and unchanged, 0 lost, 0 doubled"
    )
    print(f"{result.real_s:.0f} s")


if __name__ == "__main__":
    main()
