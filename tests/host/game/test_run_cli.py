"""`paiju run`, `hands`, `hand`, `replay`: a hand from the wire to the record, and bad input in one sentence."""

import json
import os
import pty
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from acting import Actors, act_out, carried_hand
from log_table import LogTable

from paiju.game.formats import read_neutral, write_botzone_json, write_botzone_text, write_neutral, write_pmn
from paiju.game.position import Setup
from paiju.store import Store, write_log

PAIJU = [sys.executable, "-m", "paiju.cli"]


def paiju(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "LANG": "C", "PAIJU_LANG": "en", "COLUMNS": "120", **environment}
    return subprocess.run([*PAIJU, *arguments], capture_output=True, text=True, timeout=60, env=env, check=False)


def lines(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def one_sentence(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    (sentence,) = done.stderr.strip().splitlines()
    return sentence


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A data folder with one hand, and what `run --json --once` said while it was played."""
    folder = tmp_path_factory.mktemp("data")
    with LogTable(act_out(carried_hand("short"))) as table:
        options = ("--data", str(folder), "--json", "--once", "--rules", "mcr", "--round", "N")
        done = paiju("run", "--port", table.url, *options)
    assert done.returncode == 0, done.stderr
    return folder, done


def test_run_tells_every_event_act_and_the_result(played: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    rows = lines(played[1].stdout)
    record = carried_hand("short")
    assert rows[0]["type"] == "table"
    seqs = [row["seq"] for row in rows if row["type"] == "event"]
    assert seqs == list(range(1, len(seqs) + 1))
    kinds = [row["kind"] for row in rows if row["type"] == "action"]
    assert kinds.count("deal") == 4
    assert kinds.count("discard") == sum(act["t"] == "discard" for act in record["events"])
    (result,) = [row for row in rows if row["type"] == "result"]
    body = result["record"]["result"]
    assert (body["winner"], body["from"], body["points"]) == (0, 2, record["result"]["fan_total"])
    assert body["payments"] == record["result"]["scores"]
    assert sum(fan["points"] * fan["count"] for fan in body["fans"]) == body["points"]
    assert all(fan["tiles"] for fan in body["fans"])
    assert result["hand"] == 1
    assert Path(result["log"]).exists()


def test_hands_and_hand_show_what_was_logged(played: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    data = str(played[0])
    (row,) = lines(paiju("hands", "--data", data, "--json").stdout)
    assert (row["hand"], row["result"]["winner"]) == (1, 0)
    (shown,) = lines(paiju("hand", "1", "--data", data, "--json").stdout)
    assert shown["record"]["result"]["payments"] == row["result"]["payments"]
    assert "East wins on a discard of West: 13 points" in paiju("hands", "--data", data).stdout
    text = paiju("hand", "1", "--data", data).stdout
    assert "East wins on 6m from West" in text
    assert "East is dealt" in text


def test_replay_of_the_kept_log_gives_the_same_record(
    played: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    (result,) = [row for row in lines(played[1].stdout) if row["type"] == "result"]
    again = paiju("replay", result["log"], "--json", "--rules", "mcr", "--round", "N")
    assert again.returncode == 0, again.stderr
    (replayed,) = lines(again.stdout)
    assert replayed["record"] == result["record"]


@pytest.mark.parametrize(
    ("language", "headline"),
    [("zh-Hans", "东家点和（西家打出）：13 分"), ("zh-Hant", "東家點和（西家打出）：13 分")],
)
def test_texts_in_three_languages(
    played: tuple[Path, subprocess.CompletedProcess[str]], language: str, headline: str
) -> None:
    assert headline in paiju("hand", "1", "--data", str(played[0]), "--lang", language).stdout


def test_a_restarted_host_goes_on_in_the_middle_of_a_hand(tmp_path: Path) -> None:
    events = act_out(carried_hand("self_draw"))
    half = len(events) // 2
    store = Store(tmp_path / "paiju.sqlite")
    store.append(b"LOGTABLE".hex(), 7, [event.record for event in events[:half]], half)
    store.close()
    with LogTable(events) as table:
        done = paiju("run", "--port", table.url, "--data", str(tmp_path), "--json", "--once", "--rules", "mcr")
    rows = lines(done.stdout)
    assert next(row["seq"] for row in rows if row["type"] == "event") == half + 1
    (result,) = [row for row in rows if row["type"] == "result"]
    assert result["record"]["result"]["winner"] == carried_hand("self_draw")["result"]["winner"]


def test_a_second_run_does_not_log_a_hand_twice(tmp_path: Path) -> None:
    first, second = carried_hand("short"), carried_hand("drawn")
    one, two = Actors(first, 1).play(), Actors(second, 2)
    one.table.now += 500
    one.sweep()
    two.table.now = one.table.now + 60_000
    told = sorted([*one.events(), *two.play().events()], key=lambda event: event.t_ms)
    events = [type(e)(n, e.t_ms, 1, e.kind, e.fields) for n, e in enumerate(told, 1)]
    cut = next(n for n, e in enumerate(events) if e.fields.get("state") == "raise" and n > 10) - 20
    with LogTable(events[:cut]) as table:
        assert paiju("run", "--port", table.url, "--data", str(tmp_path), "--once").returncode == 0
    with LogTable(events) as table:
        assert paiju("run", "--port", table.url, "--data", str(tmp_path), "--once").returncode == 0
    rows = lines(paiju("hands", "--data", str(tmp_path), "--json").stdout)
    assert [row["result"]["kind"] for row in rows] == ["win", "drawn"]
    assert all(row["revision"] == 1 for row in rows)


def test_no_such_port(tmp_path: Path) -> None:
    sentence = one_sentence(paiju("run", "--port", "/dev/ttyNONE", "--data", str(tmp_path)))
    assert "/dev/ttyNONE" in sentence


def test_something_else_answers(tmp_path: Path) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def chatter() -> None:
        host, _address = server.accept()
        with host:
            while not stop.wait(0.05):
                try:
                    host.sendall(b"$GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M*76\r\n")
                except OSError:
                    return

    thread = threading.Thread(target=chatter, daemon=True)
    thread.start()
    port = server.getsockname()[1]
    sentence = one_sentence(paiju("run", "--port", f"socket://127.0.0.1:{port}", "--data", str(tmp_path)))
    stop.set()
    thread.join()
    server.close()
    assert "no table" in sentence


def test_busy_port(tmp_path: Path) -> None:
    controller, device = pty.openpty()
    name = os.ttyname(device)
    hold = f"import serial, sys; port = serial.Serial({name!r}, exclusive=True); print(1, flush=True); sys.stdin.read()"
    holder = subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        sentence = one_sentence(paiju("run", "--port", name, "--data", str(tmp_path)))
    finally:
        holder.kill()
        holder.wait()
        os.close(controller)
        os.close(device)
    assert name in sentence


def test_data_folder_that_cannot_be_written(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("not a folder")
    sentence = one_sentence(paiju("run", "--port", "/dev/ttyNONE", "--data", str(blocker / "data")))
    assert str(blocker) in sentence


def test_nothing_on_record(tmp_path: Path) -> None:
    assert str(tmp_path) in one_sentence(paiju("hands", "--data", str(tmp_path)))


def test_no_such_hand(played: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    assert "99" in one_sentence(paiju("hand", "99", "--data", str(played[0])))


def test_replay_of_a_cut_log_keeps_the_good_part(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    write_log(path, "00", 7, act_out(carried_hand("short")))
    path.write_bytes(path.read_bytes()[:-2000])
    done = paiju("replay", str(path), "--json")
    assert done.returncode != 0
    (row,) = lines(done.stdout)
    assert row["record"]["result"]["kind"] == "aborted"
    assert "cut" in done.stderr
    assert "Traceback" not in done.stderr


def test_replay_goes_by_the_rules_that_the_log_names(tmp_path: Path) -> None:
    path, events = tmp_path / "hand.jsonl", act_out(carried_hand("short"))
    setup = Setup(carried_hand("short")["dealer"], 2, "mcr").to_json()
    write_log(path, "00", 7, events, {events[0].seq: setup})
    (row,) = lines(paiju("replay", str(path), "--json").stdout)
    assert {name: row["record"][name] for name in setup} == setup
    (row,) = lines(paiju("replay", str(path), "--json", "--rules", "mcr1998").stdout)
    assert row["record"]["rules"] == "mcr1998"
    write_log(path, "00", 7, events, {events[0].seq: setup | {"rules": "poker"}})
    assert "poker" in one_sentence(paiju("replay", str(path)))


def test_replay_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("hello\n")
    assert str(path) in one_sentence(paiju("replay", str(path)))


def test_firmware_of_another_protocol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tablelink import messages

    # The table lives in this process and says what it is told; the command runs in one of its own.
    monkeypatch.setattr(messages, "PROTOCOL", messages.PROTOCOL ^ 1)
    with LogTable(act_out(carried_hand("short"))) as table:
        sentence = one_sentence(paiju("run", "--port", table.url, "--data", str(tmp_path)))
    assert "protocol" in sentence
    assert table.journal.acknowledged == 0


@pytest.mark.parametrize("kind", ["neutral", "record", "botzone", "requests", "pmn"])
def test_replay_of_files_of_hands(kind: str, tmp_path: Path) -> None:
    hand = read_neutral(carried_hand("melded_kong"), "mcr")
    text = {
        "neutral": json.dumps(write_neutral(hand)),
        "record": json.dumps(hand.to_json()) + "\n" + json.dumps(hand.to_json()) + "\n",
        "botzone": write_botzone_text(hand, "1"),
        "requests": json.dumps(write_botzone_json(hand)),
        "pmn": write_pmn(hand),
    }[kind]
    path = tmp_path / "hands"
    path.write_text(text)
    done = paiju("replay", str(path), "--json", "--rules", "mcr")
    assert done.returncode == 0, done.stderr
    rows = lines(done.stdout)
    assert len(rows) == (2 if kind == "record" else 1)
    assert {row["record"]["result"]["points"] for row in rows} == {hand.result.points}


def test_replay_keeps_the_good_hands_of_a_file(tmp_path: Path) -> None:
    good = json.dumps(carried_hand("short"))
    path = tmp_path / "hands.jsonl"
    path.write_text(f"{good}\n{good[:500]}\n{good}\n")
    done = paiju("replay", str(path), "--json", "--rules", "mcr")
    assert done.returncode != 0
    assert len(lines(done.stdout)) == 2
    assert "line 2" in done.stderr


def test_ctrl_c_leaves_quietly_and_keeps_what_came(tmp_path: Path) -> None:
    with LogTable(act_out(carried_hand("short"))) as table:
        command = [*PAIJU, "run", "--port", table.url, "--data", str(tmp_path), "--json"]
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert running.stdout is not None
        for line in running.stdout:
            if json.loads(line)["type"] == "result":
                break
        running.send_signal(signal.SIGINT)
        _rest, errors = running.communicate(timeout=30)
    assert running.returncode == 0
    assert "Traceback" not in errors
    assert len(lines(paiju("hands", "--data", str(tmp_path), "--json").stdout)) == 1
