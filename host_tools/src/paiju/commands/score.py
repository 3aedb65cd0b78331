"""`paiju score` and `paiju waits`: what a hand is worth, and what would complete it."""

import json
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, TextIO, cast

import typer
from rich.console import Console
from rich.table import Table

from paiju.commands.options import Language as Lang
from paiju.commands.options import examples, why
from paiju.commands.refusals import refusals, write_json
from paiju.hand import Hand, HandError, quoted
from paiju.i18n import _, language
from paiju.notation import Way, parse, parse_hand, parse_tiles, print_hand, print_tiles
from paiju.rules.competitive import Circumstances
from paiju.rules.score import Score
from paiju.rules.scoring import check_profile, score
from paiju.rules.shanten import shanten
from paiju.rules.waits import Wait, waits
from paiju.tiles import WINDS, Language, code_of

Rules = Annotated[str, typer.Option("--rules", help=_("Rules: mcr1998, mcr or competitive."))]
SeatWind = Annotated[str, typer.Option("--seat-wind", help="E, S, W, N.")]
RoundWind = Annotated[str, typer.Option("--round-wind", help="E, S, W, N.")]
Flowers = Annotated[int | None, typer.Option("--flowers", help=_("Number of flowers, 0 to 8."))]
AsJson = Annotated[bool, typer.Option("--json", help=_("Print one JSON object."))]


def register(app: typer.Typer) -> None:
    app.command(
        "score",
        help=_("Score a winning hand and say why, or a file of hands."),
        epilog=examples(
            'paiju score "123456789m11p12s+3s" --seat-wind S', "paiju score --jsonl hands.jsonl --rules mcr"
        ),
    )(score_command)
    app.command("waits", help=_("Show what completes 13 tiles, and its points; else how far the hand is from ready."))(
        waits_command
    )


def score_command(
    hand: Annotated[str | None, typer.Argument(help='"[444p,1] 123m 55s 789s E E + E"')] = None,
    jsonl: Annotated[
        str | None, typer.Option("--jsonl", help=_("File of hands, one JSON object a line; - reads stdin."))
    ] = None,
    rules: Rules = "mcr1998",
    seat_wind: SeatWind = "E",
    round_wind: RoundWind = "E",
    self_drawn: Annotated[bool, typer.Option("--self-drawn", help=_("Won by the own draw."))] = False,
    last_of_kind: Annotated[
        bool, typer.Option("--last-of-kind", help=_("The other three of the winning tile lie face up."))
    ] = False,
    last_tile: Annotated[
        bool,
        typer.Option(
            *("--last-tile", "--last-wall-tile"),
            help=_("Last tile of the wall, or its discard; competitive: the last draw of any player."),
        ),
    ] = False,
    kong_replacement: Annotated[
        bool, typer.Option("--kong-replacement", help=_("Won on the replacement for a kong."))
    ] = False,
    robbing_kong: Annotated[bool, typer.Option("--robbing-kong", help=_("Won on a tile added to a kong."))] = False,
    flowers: Flowers = None,
    flower_replacement: Annotated[
        bool, typer.Option("--flower-replacement", help=_("Competitive: won on the replacement for a flower."))
    ] = False,
    put_into_hand: Annotated[
        bool, typer.Option("--put-into-hand", help=_("Competitive: the drawn winning tile was mixed into the hand."))
    ] = False,
    pung_shown: Annotated[
        bool,
        typer.Option(
            "--pung-shown/--no-pung-shown",
            help=_("Competitive: with --last-of-kind, the other three lie as a pung."),
        ),
    ] = True,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:
    with refusals(as_json or jsonl is not None):
        check_profile(rules)
        if jsonl is not None:
            if hand is not None:
                raise HandError("bad_value", _("Give a hand or --jsonl, not both."))
            raise typer.Exit(_score_lines(jsonl, rules))
        won = parse_hand(
            hand or "",
            self_drawn=self_drawn,
            last_of_kind=last_of_kind,
            last_wall_tile=last_tile,
            kong_replacement=kong_replacement,
            robbing_kong=robbing_kong,
            prevalent_wind=_wind(round_wind, "--round-wind"),
            seat_wind=_wind(seat_wind, "--seat-wind"),
            flowers=flowers,
        )
        result = score(won, rules, Circumstances(flower_replacement, put_into_hand, pung_shown))
        if as_json:
            write_json(result.to_json(excluded=True))
        else:
            _show_score(won, result)


def waits_command(
    hand: Annotated[str, typer.Argument(help='"[444p,1] 123m 55s 78s E E"')],
    rules: Rules = "mcr1998",
    seat_wind: SeatWind = "E",
    round_wind: RoundWind = "E",
    seen: Annotated[str, typer.Option("--seen", help=_('Tiles that lie open elsewhere, such as "5m 9s 9s".'))] = "",
    flowers: Flowers = None,
    as_json: AsJson = False,
    lang: Lang = None,
) -> None:
    with refusals(as_json):
        check_profile(rules)
        if not hand.strip():
            raise HandError("empty_input", _("There is no hand: write 13 tiles, a meld counting as three."))
        parsed = parse(hand)
        if parsed.win_tile is not None:
            raise HandError("wrong_count", _("Waits are asked of 13 tiles: leave the winning tile out."))
        if parsed.flowers and flowers is not None:
            raise HandError("bad_value", _("The hand holds its flowers: leave out the option that counts them, too."))
        way = parsed.way or Way(_wind(round_wind, "--round-wind"), _wind(seat_wind, "--seat-wind"))
        found = waits(
            parsed.melds,
            parsed.concealed,
            rules,
            prevalent_wind=way.prevalent_wind,
            seat_wind=way.seat_wind,
            flowers=parsed.flowers if flowers is None else flowers,
            seen=parse_tiles(seen),
        )
        distance = shanten(parsed.concealed, len(parsed.melds), rules)
        if as_json:
            write_json({"waits": [wait.to_json() for wait in found], "shanten": distance})
        else:
            _show_waits(found, distance)


def _wind(text: str, option: str) -> int:
    if len(text) != 1 or text not in WINDS:
        message = _("{field} must be one of E, S, W, N, not {found}.")
        raise HandError("bad_value", message.format(field=option, found=quoted(text)))
    return WINDS.index(text)


def _score_lines(name: str, rules: str) -> int:
    """Score each line to one JSON line on stdout. 0, or 1 if a line was refused; the batch always goes on."""
    bad = lines = 0
    with _opened(name) as file:
        for line in _lines(file, name):
            lines += 1
            result = score_line(line, rules)
            bad += "error" in result
            write_json(result)
    if not lines:
        raise HandError("empty_input", _("{name} holds no hands: write one JSON object a line.").format(name=name))
    return 1 if bad else 0


def _opened(name: str) -> TextIO:
    if name == "-" and sys.stdin is None:
        raise HandError("bad_value", _("There is no standard input: name a file."))
    try:
        if name == "-":
            return open(sys.stdin.fileno(), encoding="utf-8", errors="replace", closefd=False)
        return Path(name).open(encoding="utf-8", errors="replace")
    except OSError as error:
        raise _unreadable(name, error) from None


def _lines(file: TextIO, name: str) -> Iterator[str]:
    lines = iter(file)
    while True:
        try:
            line = next(lines, None)
        except OSError as error:
            raise _unreadable(name, error) from None
        if line is None:
            return
        if line.strip():
            yield line


def _unreadable(name: str, error: OSError) -> HandError:
    message = _("Cannot read {name}: {reason}. Name a readable file or -.")
    return HandError("bad_value", message.format(name=name, reason=why(error)))


_CIRCUMSTANCES = frozenset(field.name for field in fields(Circumstances))


def score_line(line: str, rules: str) -> dict[str, Any]:
    """One result object of the batch: `id` where the line has one, and the score or `error`."""
    result: dict[str, Any] = {}
    try:
        value = _value(line)
        if isinstance(value, dict) and "id" in value:
            result["id"] = value["id"]
        hand = Hand.from_json(value)
        told = Circumstances.from_json(value) if not _CIRCUMSTANCES.isdisjoint(value) else None
        result.update(score(hand, rules, told).to_json())
    except HandError as error:
        result["error"] = error.to_json()
    return result


def _value(line: str) -> Any:
    position = None
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        reason, position = error.msg, error.pos
    except RecursionError:
        reason = _("nested too deeply")
    except ValueError:
        reason = _("a number with too many digits")
    raise HandError("bad_json", _("The line is not JSON: {reason}.").format(reason=reason), position)


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
            table.add_row(code_of(wait.face), *map(_points, (wait.by_discard, wait.by_self_draw)), str(wait.unseen))
        console.print(table)
        scores = [points for wait in found for points in (wait.by_discard, wait.by_self_draw)]
        if None in scores:
            console.print(_("-: this tile cannot win: all four are held, or no fan counts."))
        if any(points is not None and not points.reaches_minimum for points in scores):
            console.print(_("*: too few points without flowers to win."))
        return
    console.print(_("Not ready. Exchanges to ready, by form:"))
    names = {
        "standard": _("sets and a pair"),
        "seven_pairs": _("seven pairs"),
        "thirteen_orphans": _("thirteen orphans"),
        "honours_and_knitted": _("honours and knitted tiles"),
        "unrelated": _("fourteen unrelated tiles"),
        "knitted_straight": _("knitted straight"),
    }
    for form, steps in distance.items():
        console.print(f"{names[form]}: {steps}", markup=False)


def _points(found: Score | None) -> str:
    if found is None:
        return "-"
    return f"{found.total}" if found.reaches_minimum else f"*{found.total}"
