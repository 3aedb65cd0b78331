"""`paiju replay`: the hands of a log of raw events, or of a file of hands, derived and scored again; also acted out."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from paiju.commands.options import AsJson, Dealer, Language, Round, Rules, examples, fail, setup_of, why
from paiju.game.formats import Declared, FormatError, decoded, read_hands, write_neutral
from paiju.game.position import Setup
from paiju.game.record import HandRecord, result_of
from paiju.game.tracker import track
from paiju.i18n import _, listed
from paiju.rules import PROFILES
from paiju.simulation import acting, whole_table
from paiju.simulation.judging import Judgement, judge
from paiju.store import BadLine, EventLog, read_log
from paiju.view.result import result_view
from paiju.view.words import action_text

SHOWN = 5  # damaged places that are named


class Through(StrEnum):
    """How hands are acted out: on a table without chips, or on the whole one with its firmware."""

    TRACKER = "tracker"
    FIRMWARE = "firmware"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a file holds, and what is wrong with it; `declared` has an entry a record."""

    records: Sequence[HandRecord]
    declared: Sequence[Declared | None]
    problems: list[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One hand: `record` as derived, `judgement` against the file's acts when it was acted out; `items`: reasons of
    everything that was on the attention list, also what cleared."""

    record: HandRecord
    declared: Declared | None = None
    judgement: Judgement | None = None
    items: tuple[str, ...] = ()
    wrong: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        result = self.record.result
        body: dict[str, Any] = {"type": "result", "kind": result.kind, "winner": result.winner, "by": result.by}
        body |= {"from": result.source, "total": result.points}
        body |= {"fans": [fan.to_json() for fan in result.fans], "payments": list(result.payments)}
        if self.judgement is not None:
            body["acts"] = {"right": self.judgement.acts, "first_wrong": self.judgement.first_wrong}
        body |= {"attention": [item.to_json() for item in self.record.attention], "items": list(self.items)}
        return body | {"wrong": self.wrong, "record": self.record.to_json()}


def load(path: Path, setup: Setup | None, rules: str | None) -> Loaded:
    """The hands of a file; leaves with one sentence if there can be none in it."""
    try:
        log = read_log(path)
    except OSError as error:
        fail(_("{path} cannot be read: {reason}.").format(path=path, reason=why(error)))
    except ValueError:
        return _hands(path, rules)
    records = track(log.events, setup, {} if setup else _setups(path, log))
    return Loaded(records, [None] * len(records), [str(problem) for problem in log.problems])


def _setups(path: Path, log: EventLog) -> dict[int, Setup]:
    """What the log says its hands were played by."""
    setups: dict[int, Setup] = {}
    for first, body in log.setups.items():
        try:
            setups[first] = Setup.from_json(body)
        except (KeyError, TypeError, ValueError):
            log.problems.append(BadLine(1, _("what the hands were played by cannot be read")))
        else:
            if setups[first].profile not in PROFILES:
                known = listed(PROFILES)
                say = _("{path} names the rules {name!r}, which this tool does not know: choose {known} with --rules.")
                fail(say.format(path=path, name=setups[first].profile, known=known))
    return setups


def _hands(path: Path, rules: str | None) -> Loaded:
    try:
        found = read_hands(decoded(path.read_bytes()), rules or Setup().profile)
    except FormatError:
        say = _("{path} is neither an event log nor a file of hands: give a log, JSON, Botzone, PMN or tziakcha.")
        fail(say.format(path=path))
    records = found.records if rules is None else [_under(record, rules) for record in found.records]
    return Loaded(records, found.declared, [str(problem) for problem in found.problems])


def _under(record: HandRecord, rules: str) -> HandRecord:
    setup = replace(record.setup, profile=rules)
    return replace(record, setup=setup, result=result_of(setup, record.actions))


def _outcomes(loaded: Loaded, through: Through | None, noise: str | None, seed: int) -> Iterator[Outcome]:
    for number, (record, declared) in enumerate(zip(loaded.records, loaded.declared, strict=True), 1):
        outcome = Outcome(record, declared)
        if through is not None:
            try:
                outcome = _acted_out(record, declared, through, noise, seed)
            except ValueError as error:
                say = _("hand {n} cannot be acted out: {reason}").format(n=number, reason=error)
                outcome.wrong.append(say)
        _compare(outcome)
        yield outcome


def _acted_out(truth: HandRecord, declared: Declared | None, through: Through, noise: str | None, seed: int) -> Outcome:
    body = write_neutral(truth)
    if through is Through.FIRMWARE:
        events = whole_table.play_out(body, seed, noise)
    else:
        events = acting.act_out(body, seed, acting.Conditions(noise or "none", "none", truth.setup.profile))
    found, items = acting.follow(events, truth.setup)
    judgement = judge(truth, found)
    return Outcome(truth if found is None else found, declared, judgement, items)


def _compare(outcome: Outcome) -> None:
    """What is wrong: acts against the file's, the result against the one that the file states."""
    judgement, declared, result = outcome.judgement, outcome.declared, outcome.record.result
    if judgement is not None and judgement.first_wrong:
        outcome.wrong.append(judgement.first_wrong)
    if declared is None:
        return
    derived = Declared(result.winner, result.source, result.points)
    if derived != declared:
        say = _("the file says {stated}, its acts give {derived}")
        outcome.wrong.append(say.format(stated=_words(declared), derived=_words(derived)))


def _words(declared: Declared) -> str:
    if declared.winner is None:
        return _("nobody wins")
    source = declared.winner if declared.source is None else declared.source
    return _("seat {a} wins from {b} with {c} points").format(a=declared.winner, b=source, c=declared.points)


def _check(through: Through | None, noise: str | None) -> None:
    """Whether the hands can be acted out like that; leaves with a sentence if not."""
    if through is None:
        if noise is not None:
            fail(_("--noise needs --through tracker or --through firmware."))
        return
    try:
        known = whole_table.noises() if through is Through.FIRMWARE else acting.profiles()[0]
    except ImportError as error:
        fail(_("The simulated table is not installed ({error}): install `hardware/` with pip.").format(error=error))
    if noise is not None and noise not in known:
        fail(_("There is no profile {name!r}: use {known}.").format(name=noise, known=listed(known)))


def replay(
    file: Annotated[Path, typer.Argument(help=_("Log of raw events, as `paiju run` keeps one per hand, or hands."))],
    as_json: AsJson = False,
    rules: Rules = None,
    prevalent: Round = None,
    dealer: Dealer = None,
    through: Annotated[
        Through | None, typer.Option("--through", help=_("Act the hands out and compare what comes back."))
    ] = None,
    noise: Annotated[str | None, typer.Option("--noise", help=_("Trouble on the air: a profile by name."))] = None,
    seed: Annotated[int, typer.Option("--seed", help=_("Fixes wall, dice, tags and delays."))] = 1,
    acts: Annotated[bool, typer.Option("--acts", help=_("Show every act, not only the results."))] = False,
    lang: Language = None,
) -> None:
    """Derive the hands again; a damaged file gives what its good part holds. Exit code 1 if anything is wrong.

    Besides raw logs: own records and neutral hands as JSON, Botzone text and requests, PMN, tziakcha.
    """
    _check(through, noise)
    found = load(file, setup_of(rules, prevalent, dealer), rules)
    console = Console()
    wrong = 0
    for number, outcome in enumerate(_outcomes(found, through, noise, seed), 1):
        wrong += bool(outcome.wrong)
        if as_json:
            typer.echo(json.dumps({**outcome.to_json(), "hand": number}, ensure_ascii=False))
            continue
        _show(outcome, number, acts, console)
    for problem in found.problems[:SHOWN]:
        typer.echo(f"{file}: {problem}", err=True)
    if len(found.problems) > SHOWN:
        typer.echo(_("{n} more damaged places").format(n=len(found.problems) - SHOWN), err=True)
    if found.problems:
        fail(_("{path} is damaged; its good part was kept and played back.").format(path=file))
    if not found.records:
        fail(_("{path} holds no hand: it has no tiles being dealt.").format(path=file))
    if wrong:
        fail(_("{n} of {all} hands came out wrong.").format(n=wrong, all=len(found.records)))


def _show(outcome: Outcome, number: int, acts: bool, console: Console) -> None:
    record = outcome.record
    if acts:
        for action in record.actions:
            console.print(action_text(record.setup, action, hide=False))
    console.print(result_view(record))
    if outcome.judgement is not None and outcome.judgement.acts:
        console.print(_("hand {n}: every act came back").format(n=number), style="green")
    for what in outcome.wrong:
        console.print(_("hand {n} is wrong: {what}").format(n=number, what=what), style="red", soft_wrap=True)


EXAMPLES = (
    "paiju replay hands/00012.jsonl",
    "paiju replay hands.jsonl --rules mcr --json",
    "paiju replay hands.jsonl --through tracker --noise default",
    "paiju replay hands.jsonl --through firmware",
)


def register(app: typer.Typer) -> None:
    app.command(help=_("Derive the hands of a log or file again and score them."), epilog=examples(*EXAMPLES))(replay)
