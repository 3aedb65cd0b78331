"""Real hands from tile on felt to logged result, through firmware, link, store, tracker and rules."""

from pathlib import Path

import pytest
from support.playing import Evening, play

from paiju.game.attention import Reason
from paiju.store import read_log
from twin.script import load, numbers

# Hands whose point total depends on the last tile of the wall: per-seat walls in their source.
EVERY = numbers()


def melds_of(evening: Evening) -> list[list[tuple[str, list[str], int | None]]]:
    """What the record of the script says about melds: kind, faces, source seat."""
    melds: list[list[tuple[str, list[str], int | None]]] = [[], [], [], []]
    for act in evening.script.acts:
        if act.kind == "chow":
            melds[act.seat].append(("chow", sorted([act.face, *act.chow_rest]), act.source))
        elif act.kind == "pung":
            melds[act.seat].append(("pung", [act.face] * 3, act.source))
        elif act.kind == "kong" and act.detail == "added":
            melds[act.seat] = [
                ("added_kong", [act.face] * 4, m[2]) if m[0] == "pung" and m[1][0] == act.face else m
                for m in melds[act.seat]
            ]
        elif act.kind == "kong":
            kind = "melded_kong" if act.detail == "melded" else "concealed_kong"
            melds[act.seat].append((kind, [act.face] * 4, act.source))
    return melds


@pytest.mark.parametrize("number", EVERY)
def test_hand_comes_back_as_recorded(number: int, tmp_path: Path) -> None:
    evening = play(number, tmp_path)
    record, wanted = evening.record, evening.script.result
    result = record.to_json()["result"]
    if wanted["kind"] == "draw":
        assert result["kind"] in ("drawn", "aborted")
        assert result["payments"] == [0, 0, 0, 0]
    else:
        assert result["kind"] == "win"
        assert result["winner"] == wanted["winner"]
        assert result["from"] == wanted.get("discarder")
        assert result["points"] == wanted["fan_total"]
        assert sum(result["payments"]) == 0
    seen = [
        [(m["kind"], sorted(m["tiles"]) if m["kind"] == "chow" else m["tiles"], m["from"]) for m in seat]
        for seat in record.to_json()["melds"]
    ]
    assert seen == melds_of(evening)
    # Walls by seat in the source: such a drawn hand ends here with tiles in the wall, which is told.
    open_items = {item.reason for item in record.attention}
    assert open_items <= ({Reason.WALL_NOT_EXHAUSTED} if wanted["kind"] == "draw" else set())


def test_the_same_run_gives_the_same_events(tmp_path: Path) -> None:
    one, two = (play(1, tmp_path / name) for name in ("one", "two"))
    assert [e.record for e in one.events] == [e.record for e in two.events]
    assert one.stored_at == two.stored_at


def test_unplugging_the_host_for_ten_seconds_changes_nothing(tmp_path: Path) -> None:
    def pull(evening: Evening) -> None:
        evening.table.run_for(8.0)
        evening.connection.unplug()
        evening.table.run_for(10.0)
        evening.connection.plug()

    whole, torn = play(1, tmp_path / "whole"), play(1, tmp_path / "torn", during=pull)
    assert torn.connection.link.statistics.reconnects >= 1
    assert [e.seq for e in torn.events] == list(range(1, len(torn.events) + 1))
    assert torn.record.to_json()["result"] == whole.record.to_json()["result"]
    acts = [[(a.kind, a.seat, a.tiles, a.source) for a in evening.record.actions] for evening in (whole, torn)]
    assert acts[0] == acts[1]


def test_the_log_of_a_hand_derives_the_same_record(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from paiju.cli import app

    evening = play(1, tmp_path)
    log = next(tmp_path.rglob("*.jsonl"))
    assert read_log(log).events
    done = CliRunner().invoke(app, ["replay", str(log), "--json", "--rules", "mcr"])
    assert done.exit_code == 0, done.output
    assert f'"points": {evening.record.result.points}' in done.output


def test_every_kind_of_act_is_among_the_hands() -> None:
    acts = {(act.kind, act.detail if act.kind == "kong" else "") for n in EVERY for act in load(n).acts}
    kongs = {("kong", kind) for kind in ("melded", "added", "concealed")}
    assert {("chow", ""), ("pung", ""), ("flower", "")} | kongs <= acts
