"""`paiju ports` and `paiju link` against the firmware on MicroPython."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parent))

from test_link_ports import RealTable

from paiju.cli import app
from paiju.store import Store
from paiju.table import Candidate, PortError
from paiju.table.traffic import Reading, TrafficError, read_traffic


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealTable]:
    running = RealTable(tmp_path_factory.mktemp("table"), rate=50)
    yield running
    running.kill()


def paiju(*arguments: str | Path, code: int = 0, text: str | None = None) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=text)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def test_stats_takes_no_events(table: RealTable) -> None:
    one = json.loads(paiju("link", "stats", "--port", table.url, "--json"))
    assert one["table"]["serial"] == b"TESTTBLE".hex()
    assert one["table"]["journal_size"] == 10080
    assert one["table"]["acknowledged"] == 0
    assert one["table"]["journal_used"] > 0
    assert one["clock_uncertainty_ms"] > 0
    lines = paiju("link", "stats", "--port", table.url).splitlines()
    rows = [line.split("│")[1:-1] for line in lines if "stall" in line]
    assert [[cell.strip() != "" for cell in row] for row in rows] == [[True, True, True]]  # one counter, both ends


def test_console_sends_commands_and_shows_traffic(table: RealTable, tmp_path: Path) -> None:
    out = paiju(
        "link", "console", "--port", table.url, "--data", tmp_path, "-c", "ping 7", "-c", "beep 20",
        "-c", "display 1 12345", "--seconds", "0.5",
    )  # fmt: skip
    assert "ping: ok token=7" in out
    assert "beep: ok" in out
    assert "display: ok" in out
    assert "< hello" in out
    assert "< event 1 1:" in out
    assert "> ack" in out
    assert len(list(Store(tmp_path / "paiju.sqlite").events())) > 0


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("fly 1", "no command fly"),
        ("ping", "TOKEN"),
        ("ping x", "no number"),
        ("beep 9999", "1 to 2000"),
        ("jog 1 0 5", "mode"),
    ],
)
def test_console_refuses_with_a_reason(table: RealTable, tmp_path: Path, line: str, word: str) -> None:
    assert word in paiju("link", "console", "-q", "--port", table.url, "--data", tmp_path, "-c", line, code=1)


def test_console_by_hand(table: RealTable, tmp_path: Path) -> None:
    out = paiju("link", "console", "-q", "-p", table.url, "--data", tmp_path, text="help\n\nping 3\nnonsense\nquit\n")
    assert "jog AXIS REVERSE DUTY" in out
    assert "ping: ok token=3" in out


def test_record_and_play_back(table: RealTable, tmp_path: Path) -> None:
    file = tmp_path / "traffic.jsonl"
    paiju("link", "record", file, "--port", table.url, "--data", tmp_path / "one", "--seconds", "1.0")
    recorded = [e.record for e in Store(tmp_path / "one" / "paiju.sqlite").events()]
    assert len(recorded) > 20
    out = paiju("link", "playback", file)
    assert f"{len(recorded)} events" in out
    assert "0 damaged" in out
    assert "> open protocol=" in out
    assert out.count("< event ") >= len(recorded)

    # The recording as a table of its own, for another host.
    server = subprocess.Popen(
        [sys.executable, "-m", "paiju.cli", "link", "playback", str(file), "--serve", "127.0.0.1:0", "--speed", "50"],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PAIJU_LANG": "en"},
    )  # fmt: skip
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        assert url.startswith("socket://127.0.0.1:")
        paiju("link", "console", "-q", "--port", url, "--data", tmp_path / "two", "-c", "ping 1", "--seconds", "2")
        assert server.wait(timeout=20) == 0
    finally:
        server.kill()
        server.wait()
        if server.stdout:
            server.stdout.close()
    assert [e.record for e in Store(tmp_path / "two" / "paiju.sqlite").events()] == recorded


def test_recordings_that_are_damaged(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"format": "other"}\n')
    assert "no recording" in paiju("link", "playback", file, code=1)
    assert "it is not there; check the path" in paiju("link", "playback", tmp_path / "none", code=1)
    file.write_text('{"format": "paiju traffic 1"}\n{"t": 0.1, "dir": "<", "hex": "00"}\n{"t": 0.2, "di')
    assert "Line 3" in paiju("link", "playback", file, code=1)
    chunks = read_traffic(file)
    reading = Reading(lambda *_: None)
    reading.feed(next(chunks))
    with pytest.raises(TrafficError):
        next(chunks)
    assert (reading.frames, reading.bad) == (0, 0)


def test_unwritable_places(table: RealTable, tmp_path: Path) -> None:
    assert "cannot be written" in paiju(
        "link", "record", tmp_path / "no" / "x", "-p", table.url, "--data", tmp_path, code=1
    )
    (tmp_path / "file").write_text("")
    assert "file" in paiju("link", "console", "-p", table.url, "--data", tmp_path / "file", "-c", "ping 1", code=1)


def test_no_table(tmp_path: Path) -> None:
    assert "no port" in paiju("link", "stats", "--port", tmp_path / "none", code=1)


def test_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paiju.commands.link.candidates", lambda: [])
    assert "no serial port" in paiju("ports")
    found = [Candidate("/dev/ttyACM0", "Board", True), Candidate("/dev/ttyS0", "n/a", False)]
    monkeypatch.setattr("paiju.commands.link.candidates", lambda: found)
    asked: list[str] = []

    async def probe(port: str) -> None:
        asked.append(port)
        raise PortError("in use")

    monkeypatch.setattr("paiju.commands.link.probe", probe)
    rows = json.loads(paiju("ports", "--json"))
    assert asked == ["/dev/ttyACM0"]
    assert rows[0] == {"port": "/dev/ttyACM0", "description": "Board", "table": "", "problem": "in use"}
    assert "/dev/ttyS0" in paiju("ports", "--no-ask")
    assert asked == ["/dev/ttyACM0"]


def test_ports_shows_who_is_there(table: RealTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paiju.commands.link.candidates", lambda: [Candidate(table.url, "simulated", True)])
    rows = json.loads(paiju("ports", "--json"))
    assert rows[0]["table"] == f"{b'TESTTBLE'.hex()} (0.1.0)"
    assert threading.active_count() < 20
