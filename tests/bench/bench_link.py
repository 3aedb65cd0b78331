"""The link: events a second, bytes on the wire, cost on MicroPython, recovery after a long outage, promises."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "host"), str(ROOT / "tests" / "soak")]

from link_pair import Journal, TableEnd  # noqa: E402
from torture import Fram  # noqa: E402

from paiju.store import Store  # noqa: E402
from paiju.table import Connection, HostLink  # noqa: E402
from tablelink.document import PROMISES  # noqa: E402

SCRIPTS = ROOT / "tests" / "firmware" / "scripts"
EVENTS = 20_000
BAUD = 921_600
OUTAGE_EVENTS = 9000  # 30 minutes at 5 a second


BOARD_LIKE = ROOT / "build" / "micropython" / "micropython32"  # numbers as on a board, where it was built


def micropython(script: str, *arguments: str, port: Path | None = None) -> subprocess.Popen[str]:
    beside = port or Path(sys.executable).with_name("micropython")
    path = f"{ROOT / 'firmware'}:{ROOT / 'firmware' / 'lib'}:.frozen"  # not what an older build has frozen in
    return subprocess.Popen(
        [str(beside) if beside.exists() else "micropython", "-X", "heapsize=192K", str(SCRIPTS / script), *arguments],
        env={**os.environ, "MICROPYPATH": path},
        stdout=subprocess.PIPE,
        text=True,
    )


def line(what: str, value: float, unit: str) -> None:
    print(f"{what:58}{value:12.1f} {unit}")


def through_the_port(folder: Path) -> None:
    """Firmware on MicroPython, TCP, host process with its SQLite store."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    table = micropython("table_program.py", str(port), "-", "0", str(EVENTS))
    assert table.stdout is not None
    ready = table.stdout.readline()
    if not ready.startswith("ready"):
        sys.exit("the table program did not start")
    store = Store(folder / "s.db")
    times: list[tuple[float, int]] = []
    connection = Connection(
        f"socket://127.0.0.1:{port}",
        store,
        on_events=lambda events: times.append((time.perf_counter(), events[-1].seq)),
    )

    async def work() -> tuple[float, int]:
        before = resource.getrusage(resource.RUSAGE_SELF)
        serving = asyncio.create_task(connection.run())
        while not times or times[-1][1] < EVENTS:
            await asyncio.sleep(0.01)
        after = resource.getrusage(resource.RUSAGE_SELF)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, connection.link.statistics.bytes_in

    cpu, wire = asyncio.run(work())
    table.kill()
    table.wait()
    stored = connection.link.statistics.events
    line("events a second, recorded, sent and stored (PC port)", stored / (times[-1][0] - times[0][0]), "1/s")
    line("host CPU per event, store included", cpu / stored * 1e6, "µs")
    line("bytes on the wire per event in that stream", wire / stored, "B")
    store.close()


def bytes_per_event() -> None:
    journal = Journal(Fram(), 262144)
    end = TableEnd(journal, b"BENCHES!", 1)
    end.next_frame(0)
    end.session = 1
    end.sender.start(0, 0)
    sizes = []
    for n in range(100):
        journal.append(5, n, 1, 3, n)
        frame = end.next_frame(0)
        assert frame is not None
        sizes.append(len(frame))
        end.sender.acknowledge(journal.last, False, 0)
    line("bytes on the wire for one `enter` event alone", sum(sizes) / len(sizes), "B")
    for n in range(1000):
        journal.append(5, n, 1, 3, n % 144)
    total = 0
    while end.sender.next <= journal.last:
        frame = end.next_frame(0)
        if frame is None:
            end.sender.acknowledge(end.sender.high, False, 0)
        else:
            total += len(frame)
    line("bytes per `enter` event when catching up", total / 1000, "B")


def on_micropython() -> None:
    program = micropython("link_memory.py")
    out = program.communicate()[0].splitlines()
    assert out[0].startswith("locked"), out
    figures = dict(row.split() for row in out[1:])
    line("encode one event frame, MicroPython PC port", float(figures["encode_us"]), "µs")
    line("decode one event frame, MicroPython PC port", float(figures["decode_us"]), "µs")
    line("append one event to the journal, MicroPython PC port", float(figures["append_us"]), "µs")
    line("commands in reads of 1 to 64 bytes, taken and answered", float(figures["chunked_kB_s"]), "kB/s")
    print("heap growth in the steady state, under heap_lock                     none")
    if BOARD_LIKE.exists():
        out = micropython("link_memory.py", "unlocked", port=BOARD_LIKE).communicate()[0].splitlines()
        figures = dict(row.split() for row in out)
        line("garbage per event where numbers have 32 bits (CRCs)", float(figures["garbage_bytes"]), "B")
    else:
        print("garbage per event where numbers have 32 bits: not measured, no such port is built")


def recovery() -> None:
    """30 minutes without a host at 5 events a second, then a line of 921600 baud and a host that looks every 5 ms."""
    journal = Journal(Fram(), 262144)
    for n in range(OUTAGE_EVENTS):
        journal.append(5, n * 200, 1, 3, n % 144)
    end = TableEnd(journal, b"BENCHES!", 1)
    host = HostLink(lambda _s, _j: 0, random.Random(1))
    now, step = 0.0, 0.005
    host.port_opened(now)
    room = 0.0
    waiting = b""
    total = 0
    while host.position < OUTAGE_EVENTS:
        now += step
        out = host.take_output()
        end.receive(bytearray(out), len(out), int(now * 1000))
        end.tick(int(now * 1000))
        room = min(room + BAUD / 10 * step, BAUD / 10 * step + 512)
        sent = bytearray()
        while True:
            if not waiting:
                waiting = bytes(end.next_frame(int(now * 1000)) or b"")
            if not waiting or room <= 0:
                break
            part = waiting[: int(room)]
            waiting = waiting[len(part) :]
            room -= len(part)
            sent += part
            if not part:
                break
        total += len(sent)
        host.receive(bytes(sent), now)
        if host.take_records():
            host.stored(host.position)
        host.tick(now)
    line("recovery after 30 min at 5 events/s, UART 921600, virtual", now, "s")
    line("  of which the wire's own time", total * 10 / BAUD, "s")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        through_the_port(Path(folder))
    bytes_per_event()
    on_micropython()
    recovery()
    print()
    for who, what in PROMISES:
        print(f"{who:16}{what}")


if __name__ == "__main__":
    main()
