"""Hands of simulated players, acted out without chips by tidy and sloppy people, come back from the tracker."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from support.playing import play
from typer.testing import CliRunner

from paiju.cli import app
from paiju.game.formats.neutral import read_neutral
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.simulation import play_hand
from paiju.simulation.acting import Conditions, act_out, follow, simulate
from paiju.simulation.figures import Figures
from paiju.simulation.judging import judge
from twin import direct
from twin.direct import Direct, Said
from twin.people import People
from twin.script import load, numbers, parse
from twin.sights import NOISES, Noise
from twin.sloppy import HABITS, Habits

HANDS = 150


def figures(hands: int, seed: int, noise: str, sloppy: str) -> Figures:
    total = Figures()
    for outcome in simulate(hands, seed, Conditions(noise, sloppy)):
        assert not outcome.problem, (outcome.seed, outcome.problem)
        total.add(outcome)
    return total


def acts(record: HandRecord) -> list[tuple[str, int | None, tuple[int, ...], int | None]]:
    """The order in which dealt tiles are read is nobody's act."""
    deals = sorted((a.kind.value, a.seat, tuple(sorted(a.tiles)), None) for a in record.actions[:4])
    return [*deals, *((a.kind.value, a.seat, a.tiles, a.source) for a in record.actions[4:])]


def test_without_noise_every_act_comes_back() -> None:
    total = figures(40, 1, "none", "none")
    assert total.acts_right == total.results_right == 40
    assert not total.items


def test_hands_at_default_noise_and_sloppiness() -> None:
    total = figures(HANDS, 100, "default", "default")
    assert not total.silently_wrong
    assert total.share(total.results_right) >= 0.98, total.wrong_results
    assert total.share(total.acts_right) >= 0.95, total.wrong_acts


def test_five_times_the_noise_is_never_silently_wrong() -> None:
    total = figures(60, 500, "heavy", "default")
    assert not total.silently_wrong
    assert sum(total.mishaps[name] for name in Noise.__slots__) > 500


@pytest.mark.parametrize("habit", Habits.__slots__)
def test_each_habit_alone(habit: str) -> None:
    total = figures(8, 900, "none", habit)
    assert total.mishaps[habit] > 0
    assert set(total.mishaps) == {habit}
    assert not total.silently_wrong
    assert total.results_right >= 7, total.wrong_results


@pytest.mark.parametrize("kind", Noise.__slots__)
def test_each_noise_alone(kind: str) -> None:
    total = figures(8, 950, kind, "none")
    assert not total.silently_wrong
    assert total.results_right >= 7, total.wrong_results


@pytest.mark.parametrize("number", numbers())
def test_real_hands_come_back_at_default_noise(number: int) -> None:
    path = Path(direct.__file__).parent / "hands" / f"{number:02}.json"
    body = json.loads(path.read_text("utf-8"))
    truth = read_neutral(body, "mcr")
    for seed in range(3):
        found, _ = follow(act_out(body, seed, Conditions("default", "none", "mcr")), truth.setup)
        verdict = judge(truth, found)
        assert verdict.acts, (seed, verdict)


def test_the_same_arguments_give_the_same_events() -> None:
    script = parse(dict(play_hand(3).record))
    assert Direct(script, 3, "heavy", "heavy").play() == Direct(script, 3, "heavy", "heavy").play()
    assert Direct(script, 3, "heavy").play() != Direct(script, 4, "heavy").play()


def test_people_without_sloppy_habits_are_the_tidy_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    script = load(2)
    sloppy = Direct(script, 5, "default", "none").play()
    monkeypatch.setattr(direct, "SloppyPeople", lambda habits, *people: People(*people))
    assert Direct(script, 5, "default", "none").play() == sloppy


def test_without_chips_the_acts_are_those_of_the_whole_table(tmp_path: Path) -> None:
    evening = play(1, tmp_path, seed=4)
    setup = Setup(evening.script.dealer, evening.script.prevalent_wind, "mcr")
    found, _ = follow(Direct(evening.script, 4).play(), setup)
    assert found is not None
    assert acts(found) == acts(evening.record)
    assert found.result == evening.record.result


def test_profiles_name_each_noise_and_each_habit() -> None:
    assert {"none", "default", "heavy", *Noise.__slots__} == set(NOISES)
    assert {"none", "default", "heavy", *Habits.__slots__} == set(HABITS)
    assert NOISES["heavy"] == NOISES["default"].times(5)


def test_events_are_numbered_and_in_time() -> None:
    events: list[Said] = Direct(load(1), 1, "heavy", "heavy").play()
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert all(one.t_ms <= two.t_ms for one, two in pairwise(events))


def test_command_reports_and_saves(tmp_path: Path) -> None:
    saved = tmp_path / "hands.jsonl"
    run = ["simulate", "--hands", "4", "--seed", "1", "--noise", "none", "--sloppy", "none", "--jobs", "1", "--json"]
    done = CliRunner().invoke(app, [*run, "--save", str(saved)])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["hands"], told["results_right"], told["acts_right"], told["silently_wrong"]) == (4, 4, 4, [])
    hands = [json.loads(line) for line in saved.read_text("utf-8").splitlines()]
    assert [hand["id"] for hand in hands] == [f"simulated-{seed}" for seed in (1, 2, 3, 4)]


@pytest.mark.parametrize("option", [["--noise", "loud"], ["--sloppy", "drunk"], ["--save", "no/such/folder/f"]])
def test_command_names_what_is_wrong(option: list[str]) -> None:
    done = CliRunner().invoke(app, ["simulate", "--hands", "1", "--jobs", "1", *option])
    assert done.exit_code == 1
    assert option[1] in done.stderr
    assert "Traceback" not in done.output
