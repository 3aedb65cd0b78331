"""`paiju score`, `paiju waits`, `paiju rules show` and `diff`."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from rich.cells import cell_len
from typer.testing import CliRunner, Result

from paiju import cli, i18n
from paiju.commands import penalties, rules, score
from paiju.notation import parse_hand
from paiju.rules import PROFILES, load_profile
from paiju.rules import score as score_hand


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIJU_LANG", "en")
    i18n.set_language(None)


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    app = typer.Typer()
    score.register(app)
    rules.register(app)
    penalties.register(app)
    return CliRunner().invoke(app, list(arguments), input=stdin)


HAND = "111m333p777s555p9m+9m"


def test_score_shows_fans_total_and_what_was_left_out() -> None:
    result = run("score", HAND, "--self-drawn")
    assert result.exit_code == 0
    assert "Four Concealed Pungs" in result.stdout
    assert "71" in result.stdout
    assert "Self-Drawn not counted: Fully Concealed Hand" in result.stdout


@pytest.mark.parametrize(
    ("language", "text"), [("zh_Hant", "不計自摸: 不求人"), ("zh_Hans", "不计自摸: 不求人"), ("en", "not counted")]
)
def test_languages(language: str, text: str) -> None:
    assert text in run("score", HAND, "--self-drawn", "--lang", language).stdout


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    done = run("score", HAND, "--lang", "xx")
    assert done.exit_code == 2
    assert "'xx' is no language here" in done.stderr
    assert "zh-Hant" in done.stderr
    assert run("score", HAND, "--lang", "en-GB").exit_code == 0


def test_an_unknown_language_of_the_environment_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("paiju.cli.app", lambda: None)
    for value, told in (("xx", True), ("zh_TW.UTF-8", False), ("en", False)):
        monkeypatch.setenv("PAIJU_LANG", value)
        cli.main()
        assert ("PAIJU_LANG is 'xx'" in capsys.readouterr().err) is told


def test_language_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIJU_LANG", "zh_TW")
    i18n.set_language(None)
    assert "不計自摸" in run("score", HAND, "--self-drawn").stdout


def test_score_as_json() -> None:
    result = json.loads(run("score", HAND, "--rules", "mcr", "--self-drawn", "--json").stdout)
    assert (result["total"], result["total_without_flowers"]) == (68, 68)
    assert result["fans"][0] == {
        "no": 12,
        "zh": "四暗刻",
        "name": "Four Concealed Pungs",
        "points": 64,
        "count": 1,
        "tiles": [["1m"] * 3 + ["3p"] * 3 + ["5p"] * 3 + ["7s"] * 3],
    }
    assert {(e["zh"], e["reason"]["zh_Hant"]) for e in result["excluded"]} == {
        ("碰碰和", "四暗刻"),
        ("不求人", "四暗刻"),
    }


def test_below_the_minimum_is_said() -> None:
    assert "false win" in run("score", "[234m,1][567p,1]999s678s1m+1m").stdout


def test_options_reach_the_hand() -> None:
    result = run(
        *("score", "[EEE,1]222m345p67sSS+8s", "--round-wind", "S", "--seat-wind", "E", "--last-tile"),
        *("--flowers", "2", "--json"),
    )
    fans = {fan["zh"]: fan["count"] for fan in json.loads(result.stdout)["fans"]}
    assert fans == {"海底撈月": 1, "門風刻": 1, "花牌": 2}


BAD = [
    (["score"], "empty_input"),
    (["score", ""], "empty_input"),
    (["score", "12x"], "bad_notation"),
    (["score", "[1111m,1]123m345p99s78s+6s"], "too_many_copies"),
    (["score", HAND, "--rules", "riichi"], "unknown_profile"),
    (["score", HAND, "--seat-wind", "C"], "bad_value"),
    (["score", HAND, "--kong-replacement"], "impossible_flag"),
    (["score", "123m456p789s15p23s+4s"], "not_winning"),
    (["score", HAND, "--flowers", "12"], "bad_value"),
    (["score", HAND, "--jsonl", "-"], "bad_value"),
    (["score", "--jsonl", "no/such/file"], "bad_value"),
    (["score", "[678s,3]147m369s25pSS+8p"], "wrong_source"),
    (["score", f"{HAND}|EE1000", "--self-drawn"], "bad_value"),
    (["score", f"3f{HAND}", "--flowers", "2"], "bad_value"),
    (["score", HAND, "--flower-replacement"], "impossible_flag"),
    (["score", HAND, "--rules", "competitive", "--put-into-hand"], "impossible_flag"),
    (["score", "[123m,1]456p78s11p234s+9s", "--robbing-kong", "--last-tile"], "impossible_flag"),
    (["score", "[678m,1]123m456p34s99s+2s", "--rules", "competitive"], "no_fan"),
    (["waits", "123m456p789s11p23s|EX0000"], "bad_notation"),
    (["waits", "3f123m456p789s11p23s", "--flowers", "1"], "bad_value"),
    (["waits", "123m456p789s11p23s", "--seen", "1m1m1m1m"], "too_many_copies"),
    (["rules", "diff", "mcr", "competitive"], "bad_value"),
    (["waits", "123m"], "wrong_count"),
    (["waits", HAND], "wrong_count"),
    (["waits", " "], "empty_input"),
    (["rules", "show", "riichi"], "unknown_profile"),
    (["rules", "diff", "mcr", "riichi"], "unknown_profile"),
    (["rules", "penalties", "riichi"], "unknown_profile"),
]


@pytest.mark.parametrize(("arguments", "code"), BAD)
def test_bad_input_is_told_in_chinese(arguments: list[str], code: str) -> None:
    for language, sign in (("zh_Hans", "。"), ("zh_Hant", "。")):
        output = run(*arguments, "--lang", language).output
        message = json.loads(output)["error"]["message"] if output.startswith("{") else output
        assert sign in message or "character" not in message
        assert not re.search("[a-z]{3,} [a-z]{3,} [a-z]{3,}", message), message


@pytest.mark.parametrize(("arguments", "code"), BAD)
def test_bad_input_is_one_sentence_and_a_code(arguments: list[str], code: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert code in result.output
    assert "Traceback" not in result.output
    assert len(result.output.strip().splitlines()) == 1


GOOD = {"id": "a", "concealed": list("EESSWWNNCCFFP"), "win_tile": "P"}
LINES = [
    '{"id": 1,',
    json.dumps(GOOD),
    "",
    "[]",
    "null",
    '{"id": "b", "concealed": ["1m"], "win_tile": "2m"}',
    '{"id": "\\ud800", "concealed": ["\\ud800"], "win_tile": "2m"}',
    "[" * 100_000,
    json.dumps(GOOD | {"id": "c", "win_tile": "1m"}),
    json.dumps(GOOD | {"id": "d"}),
]
CODES = ["bad_json", None, "bad_json", "bad_json", "wrong_count", "unknown_tile", "bad_json", "not_winning", None]


def test_a_batch_reports_bad_lines_and_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    file.write_text("\n".join(LINES), encoding="utf-8")
    result = run("score", "--jsonl", str(file), "--rules", "mcr")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row.get("error", {}).get("code") for row in rows] == CODES
    assert [row.get("id") for row in rows if "total" in row] == ["a", "d"]
    assert all(row["total"] == 88 for row in rows if "total" in row)
    assert result.exit_code == 1


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    file.write_bytes(b"\xff\xfe\x00\n" + json.dumps(GOOD).encode() + b"\n")
    rows = [json.loads(line) for line in run("score", "--jsonl", str(file)).stdout.splitlines()]
    assert [("error" in row) for row in rows] == [True, False]


def test_a_good_batch_succeeds_and_an_empty_one_does_not(tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    file.write_text(json.dumps(GOOD), encoding="utf-8")
    assert run("score", "--jsonl", str(file)).exit_code == 0
    file.write_text("\n", encoding="utf-8")
    result = run("score", "--jsonl", str(file))
    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"]["code"] == "empty_input"


def test_waits() -> None:
    result = json.loads(run("waits", "13347s12369m258p", "--rules", "mcr", "--seen", "3m 9s", "--json").stdout)
    [wait] = result["waits"]
    assert (wait["tile"], wait["unseen"]) == ("3m", 2)
    assert (wait["by_discard"]["total"], wait["by_self_draw"]["total"]) == (17, 19)
    assert result["shanten"]["knitted_straight"] == 0
    assert "3m" in run("waits", "13347s12369m258p").stdout
    assert "seven pairs: 1" in run("waits", "1199m224466p7sEC").stdout


def test_show_and_diff() -> None:
    assert "大四喜" in run("rules", "show", "mcr1998", "--lang", "zh_Hant").stdout
    assert "Mixed straight" in run("rules", "show", "competitive", "--lang", "en").stdout
    assert run("rules", "diff", "mcr", "mcr").stdout.strip() == "No difference."


@pytest.mark.parametrize("profiles", [("mcr1998", "mcr"), ("mcr", "mcr1998")])
def test_diff_tells_the_six_differences_each_with_its_example(profiles: tuple[str, str]) -> None:
    told = rules.told(*map(load_profile, profiles))
    assert [difference.no for difference in told] == [1, 2, 3, 4, 5, 6]
    for difference in told:
        totals = {score_hand(parse_hand(difference.example), profile).total for profile in profiles}
        assert len(totals) == 2
    for change in rules.changes(*map(load_profile, profiles)):
        assert sum(difference.covers(change.fans, change.switch) for difference in told) == 1, change.text
    shown = run("rules", "diff", *profiles).stdout.splitlines()
    assert [line[0] for line in shown if line[0].isdigit()] == list("123456")
    assert sum(line.startswith(profiles) for line in shown) == 12


@pytest.mark.parametrize("language", ["en", "zh_Hans", "zh_Hant"])
@pytest.mark.parametrize(
    "arguments",
    [
        *(("show", profile) for profile in PROFILES),
        *(("penalties", profile) for profile in PROFILES),
        ("diff", "mcr1998", "mcr"),
    ],
)
def test_tables_fit_a_terminal_of_80_columns(
    arguments: tuple[str, ...], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("rules", *arguments, "--lang", language).stdout.splitlines()
    assert max(map(cell_len, lines)) <= 80
    # A column squeezed to nothing would run on for hundreds of lines.
    assert 10 < len(lines) < 260
    if language != "en":
        assert not [line for line in lines if "project default" in line]


COMPETITIVE = ("--rules", "competitive", "--json")


@pytest.mark.parametrize(
    ("hand", "options", "fans"),
    [
        ("[123m,1][777m,2][WWW,2]45mEE+3m", ["--self-drawn", "--flowers", "1", "--flower-replacement"], {4, 21, 23}),
        ("[123m,1][777m,2][WWW,2]35mEE+4m", ["--self-drawn"], {4, 22}),
        ("[123m,1][777m,2][WWW,2]35mEE+4m", ["--self-drawn", "--put-into-hand"], {4}),
        ("[123p,1][777s,2][999s,2]46mEE+5m", ["--last-of-kind"], {8, 22}),
        ("[123m,1][777m,2][WWW,2]35mEE+4m", ["--last-of-kind"], {4, 8, 22}),
        ("[123m,1][777m,2][WWW,2]35mEE+4m", ["--last-of-kind", "--no-pung-shown"], {4, 22}),
        ("[123p,1]46m234p567s99s+5m", ["--robbing-kong", "--last-tile"], {8, 22, 25}),
    ],
)
def test_circumstances_of_the_competitive_rules(hand: str, options: list[str], fans: set[int]) -> None:
    result = json.loads(run("score", hand, *options, *COMPETITIVE).stdout)
    assert {fan["no"] for fan in result["fans"]} == fans


def test_circumstances_in_a_batch(tmp_path: Path) -> None:
    hand = parse_hand("[123m,1][777m,2][WWW,2]35mEE+4m", self_drawn=True, flowers=1).to_json()
    file = tmp_path / "hands.jsonl"
    rows = [
        hand,
        hand | {"put_into_hand": True},
        hand | {"flower_replacement": True},
        hand | {"flower_replacement": 1},
        hand | {"flower_replacement": True, "flowers": 0},
    ]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = [json.loads(line) for line in run("score", "--jsonl", str(file), *COMPETITIVE[:2]).stdout.splitlines()]
    assert [row.get("total") or row["error"]["code"] for row in found] == [26, 22, 32, "bad_value", "impossible_flag"]


def test_results_with_a_default_value_carry_a_notice(tmp_path: Path) -> None:
    hand = "1133m5577p99sEEC+C"
    assert "project default" in run("score", hand, "--rules", "competitive").stdout
    file = tmp_path / "hands.jsonl"
    file.write_text(json.dumps(parse_hand(hand).to_json()), encoding="utf-8")
    [row] = map(json.loads, run("score", "--jsonl", str(file), "--rules", "competitive").stdout.splitlines())
    assert "project default" in row["notices"][0]["en"]


def test_competitive_waits() -> None:
    result = json.loads(run("waits", "159m48p26sESWNCF", *COMPETITIVE).stdout)
    assert [wait["tile"] for wait in result["waits"]] == ["1p", "9s", "P"]
    assert list(result["shanten"]) == ["standard", "seven_pairs", "unrelated", "knitted_straight"]
    assert "fourteen unrelated tiles: 1" in run("waits", "159m48p26sESWNCC", "--rules", "competitive").stdout
    # No thirteen orphans here, but tiles far enough apart.
    found = json.loads(run("waits", "19m19p19sESWNCFP", *COMPETITIVE).stdout)["waits"]
    assert [wait["tile"] for wait in found] == [f"{rank}{suit}" for suit in "mps" for rank in (4, 5, 6)]


def test_waits_take_the_winds_of_the_suffix() -> None:
    result = json.loads(run("waits", "[EEE,1]222m345p67sSS|SE0000|2", "--json").stdout)
    fans = {fan["zh"]: fan["count"] for fan in result["waits"][0]["by_discard"]["fans"]}
    assert (fans["門風刻"], fans["花牌"]) == (1, 2)


PROGRAM = [sys.executable, "-m", "paiju.cli"]


def program(arguments: str, redirection: str) -> subprocess.CompletedProcess[str]:
    command = f"exec {shlex.join(PROGRAM)} {arguments} {redirection}"
    environment = {**os.environ, "PAIJU_LANG": "en"}
    return subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "redirection", "told"),
    [
        ("score --jsonl -", "<&-", "no standard input"),
        (f"score {HAND}", ">&-", "no standard output"),
        (f"score {HAND}", "2>&1 >/dev/full", "Cannot write the result"),
        ("rules show mcr", "2>&1 >/dev/full", "Cannot write the result"),
    ],
)
def test_streams_that_are_closed_or_full(arguments: str, redirection: str, told: str) -> None:
    if "full" in redirection and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    done = program(arguments, redirection)
    output = done.stdout + done.stderr
    assert done.returncode == 2
    assert told in output
    assert "Traceback" not in output


def test_a_reader_that_leaves_ends_the_batch_quietly(tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    file.write_text((json.dumps(GOOD) + "\n") * 500, encoding="utf-8")
    done = program(f"score --jsonl {file}", "| head -1")
    assert json.loads(done.stdout)["id"] == "a"
    assert done.stderr == ""


def test_interrupting_a_batch_leaves_no_traceback() -> None:
    process = subprocess.Popen(
        [*PROGRAM, "score", "--jsonl", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(GOOD) + "\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == "a"
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "Traceback" not in complaint
