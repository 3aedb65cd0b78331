"""`paiju score` and `paiju waits`: what a hand is worth, and what would complete it."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TextIO, cast

import typer
from rich.console import Console
from rich.table import Table

from paiju.hand import Hand, HandError
from paiju.i18n import gettext as _
from paiju.i18n import language, set_language
from paiju.notation import parse, parse_hand, parse_tiles, print_hand, print_tiles
from paiju.rules.score import Score
from paiju.rules.scoring import check_profile, score
from paiju.rules.shanten import shanten
from paiju.rules.waits import Wait, waits
from paiju.tiles import WINDS, Language, code_of

Rules = Annotated[str, typer.Option("--rules", help="Rules: mcr1998, mcr or competitive.")]
SeatWind = Annotated[str, typer.Option("--seat-wind", help="E, S, W or N.")]
RoundWind = Annotated[str, typer.Option("--round-wind", help="E, S, W or N.")]
Flowers = Annotated[int | None, typer.Option("--flowers", help="Number of flowers, 0 to 8.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Lang = Annotated[str | None, typer.Option("--lang", help="en, zh_Hans or zh_Hant.")]


def register(app: typer.Typer) -> None:
    app.command("score")(score_command)
    app.command("waits")(waits_command)


def score_command(
    hand: Annotated[str | None, typer.Argument(help='Such as "[444p,1] 123m 55s 789s E E + E".')] = None,
    jsonl: Annotated[str | None, typer.Option("--jsonl", help="File of hands, one JSON a line; - reads stdin.")] = None,
    rules: Rules = "mcr1998",
    seat_wind: SeatWind = "E",
    round_wind: RoundWind = "E",
    self_drawn: Annotated[bool, typer.Option("--self-drawn", help="Won by the own draw.")] = False,
    last_of_kind: Annotated[
        bool, typer.Option("--last-of-kind", help="The other three of the winning tile lie face up.")
    ] = False,
    last_tile: Annotated[
        bool, typer.Option("--last-tile", "--last-wall-tile", help="Last tile of the wall, or its discard.")
    ] = False,
    kong_replacement: Annotated[
        bool, typer.Option("--kong-replacement", help="Won on the replacement for a kong.")
    ] = False,
    robbing_kong: Annotated[bool, typer.Option("--robbing-kong", help="Won on a tile added to a kong.")] = False,
    flowers: Flowers = None,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:
    """Score a winning hand and say why, or a file of hands."""
    with _complaints(as_json or jsonl is not None):
        set_language(lang)
        check_profile(rules)
        if jsonl is not None:
            if hand is not None:
                raise HandError("bad_value", "Give a hand or --jsonl, not both.")
            raise typer.Exit(_score_lines(jsonl, rules))
        if hand is None:
            raise HandError("empty_input", 'There is no hand: write one such as "123m 456m 789m 11p 12s + 3s".')
        won = parse_hand(
            hand,
            self_drawn=self_drawn,
            last_of_kind=last_of_kind,
            last_wall_tile=last_tile,
            kong_replacement=kong_replacement,
            robbing_kong=robbing_kong,
            prevalent_wind=_wind(round_wind, "--round-wind"),
            seat_wind=_wind(seat_wind, "--seat-wind"),
            flowers=flowers,
        )
        result = score(won, rules)
        if as_json:
            _write(result.to_json(excluded=True))
        else:
            _show_score(won, result)


def waits_command(
    hand: Annotated[str, typer.Argument(help='13 tiles such as "[444p,1] 123m 55s 78s E E".')],
    rules: Rules = "mcr1998",
    seat_wind: SeatWind = "E",
    round_wind: RoundWind = "E",
    seen: Annotated[str, typer.Option("--seen", help='Tiles that lie open elsewhere, such as "5m 9s 9s".')] = "",
    flowers: Flowers = None,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:
    """Show what completes 13 tiles, its points and how many are unseen; else how far the hand is from ready."""
    with _complaints(as_json):
        set_language(lang)
        check_profile(rules)
        if not hand.strip():
            raise HandError("empty_input", "There is no hand: write 13 tiles, a meld counting as three.")
        parsed = parse(hand)
        if parsed.win_tile is not None:
            raise HandError("wrong_count", "Waits are asked of 13 tiles: leave the winning tile out.")
        found = waits(
            parsed.melds,
            parsed.concealed,
            rules,
            prevalent_wind=_wind(round_wind, "--round-wind"),
            seat_wind=_wind(seat_wind, "--seat-wind"),
            flowers=parsed.flowers if flowers is None else flowers,
            seen=parse_tiles(seen),
        )
        distance = shanten(parsed.concealed, len(parsed.melds))
        if as_json:
            _write({"waits": [wait.to_json() for wait in found], "shanten": distance})
        else:
            _show_waits(found, distance)


class _complaints:
    """Turns a HandError into one sentence on stderr (or one JSON object) and exit code 2."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, HandError):
            if self._as_json:
                _write({"error": error.to_json()})
            else:
                typer.echo(f"{error.message} [{error.code}]", err=True)
            raise typer.Exit(2) from None


def _write(value: Any) -> None:
    """One line of JSON, always UTF-8; a lone surrogate from the input goes out as its escape."""
    line = json.dumps(value, ensure_ascii=False) + "\n"
    typer.echo(line.encode("utf-8", "backslashreplace"), nl=False)


def _wind(text: str, option: str) -> int:
    if len(text) != 1 or text not in WINDS:
        raise HandError("bad_value", f"{option} must be E, S, W or N, not {text!r}.")
    return WINDS.index(text)


def _score_lines(name: str, rules: str) -> int:
    """Score each line to one JSON line on stdout. 0, or 1 if a line was refused; the batch always goes on."""
    bad = lines = 0
    with _opened(name) as file:
        for line in _lines(file):
            lines += 1
            result = score_line(line, rules)
            bad += "error" in result
            _write(result)
    if not lines:
        raise HandError("empty_input", f"{name} holds no hands: write one JSON object a line.")
    return 1 if bad else 0


def _opened(name: str) -> TextIO:
    if name == "-":
        return open(sys.stdin.fileno(), encoding="utf-8", errors="replace", closefd=False)
    try:
        return Path(name).open(encoding="utf-8", errors="replace")
    except OSError as error:
        reason = error.strerror or str(error)
        raise HandError("bad_value", f"Cannot read {name}: {reason}. Name a readable file or -.") from None


def _lines(file: TextIO) -> Iterator[str]:
    return (line for line in file if line.strip())


def score_line(line: str, rules: str) -> dict[str, Any]:
    """One result object of the batch: `id` where the line has one, and the score or `error`."""
    result: dict[str, Any] = {}
    try:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", "nested too deeply")
            raise HandError("bad_json", f"The line is not JSON: {reason}.", getattr(error, "pos", None)) from None
        if isinstance(value, dict) and "id" in value:
            result["id"] = value["id"]
        result.update(score(Hand.from_json(value), rules).to_json())
    except HandError as error:
        result["error"] = error.to_json()
    return result


def _show_score(hand: Hand, result: Score) -> None:
    shown = cast(Language, language())
    console = Console(highlight=False)
    console.print(print_hand(hand), markup=False)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    for fan in result.fans:
        points = f"{fan.points}" if fan.count == 1 else f"{fan.points}×{fan.count}"
        table.add_row(fan.name_in(shown), points, ", ".join(print_tiles(tiles) for tiles in fan.tiles))
    table.add_row(_("Total"), str(result.total), "")
    console.print(table)
    if not result.reaches_minimum:
        console.print(
            _("{points} without flowers: below the minimum of {minimum}, a false win.").format(
                points=result.total_without_flowers, minimum=result.minimum
            )
        )
    for item in result.excluded:
        console.print(f"{item.to_text(shown)} ({item.source})", markup=False)
    for notice in getattr(result, "notices", ()):
        console.print(notice.to(shown), markup=False)


def _show_waits(found: tuple[Wait, ...], distance: dict[str, int]) -> None:
    console = Console(highlight=False)
    if found:
        table = Table(box=None, pad_edge=False)
        for heading in (_("Tile"), _("Discard"), _("Self-draw"), _("Unseen")):
            table.add_column(heading, justify="right")
        for wait in found:
            points = ["-" if s is None else str(s.total) for s in (wait.by_discard, wait.by_self_draw)]
            table.add_row(code_of(wait.face), *points, str(wait.unseen))
        console.print(table)
        return
    console.print(_("Not ready. Exchanges to ready, by form:"))
    names = {
        "standard": _("sets and a pair"),
        "seven_pairs": _("seven pairs"),
        "thirteen_orphans": _("thirteen orphans"),
        "honours_and_knitted": _("honours and knitted tiles"),
        "knitted_straight": _("knitted straight"),
    }
    for form, steps in distance.items():
        console.print(f"{names[form]}: {steps}", markup=False)
