"""`paiju score`, `paiju waits`, `paiju rules show` and `diff`."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from paiju import i18n
from paiju.commands import rules, score


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIJU_LANG", "en")
    i18n.set_language(None)


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    app = typer.Typer()
    score.register(app)
    rules.register(app)
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


def test_language_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIJU_LANG", "zh_TW")
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


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
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
        (["waits", "123m"], "wrong_count"),
        (["waits", HAND], "wrong_count"),
        (["waits", " "], "empty_input"),
        (["rules", "show", "riichi"], "unknown_profile"),
        (["rules", "diff", "mcr", "riichi"], "unknown_profile"),
    ],
)
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
    assert "Mixed straight" in run("rules", "show", "competitive").stdout
    shown = run("rules", "diff", "mcr1998", "mcr").stdout.splitlines()
    assert any(line.startswith("82 ") for line in shown)
    assert len(shown) == 10
    assert run("rules", "diff", "mcr", "mcr").stdout.strip() == "No difference."
