"""The result of a hand: winner, fans with their tiles, payments."""

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from paiju.game.record import HandRecord, Result
from paiju.i18n import _
from paiju.tiles import face_of
from paiju.view.words import (
    attention_text,
    current_language,
    face_text,
    faces_text,
    round_name,
    seat_name,
)


def result_headline(record: HandRecord) -> str:
    """Such as "West wins on a discard of South: 13 points"."""
    result, setup = record.result, record.setup
    if result.kind == "aborted":
        return _("The hand was broken off")
    if result.winner is None:
        return _("Drawn hand: nobody wins")
    winner = seat_name(setup, result.winner)
    source = "" if result.source is None else seat_name(setup, result.source)
    text = {
        "self_draw": _("{winner} wins by self-draw: {points} points"),
        "discard": _("{winner} wins on a discard of {source}: {points} points"),
        "robbed_kong": _("{winner} robs the kong of {source}: {points} points"),
    }[result.by or "discard"]
    return text.format(winner=winner, source=source, points=result.points)


def result_view(record: HandRecord) -> RenderableType:
    """The result as a panel."""
    result = record.result
    parts: list[RenderableType] = [Text(result_headline(record), style="bold")]
    if result.hand is not None:
        parts += [winning_tiles(result), _fans(result)]
    if result.problem:
        parts.append(Text(result.problem, style="yellow"))
    parts.append(_payments(record))
    parts += [attention_text(record.setup, item) for item in record.attention]
    return Panel(Group(*parts), title=round_name(record.setup), expand=False)


def winning_tiles(result: Result) -> Text:
    """Melds, concealed tiles and the winning tile of a winner."""
    hand = result.hand
    assert hand is not None
    text = Text()
    for meld in hand.melds:
        text.append("[").append_text(faces_text(meld.tiles)).append("] ")
    text.append_text(faces_text(hand.concealed)).append("  + ").append_text(face_text(hand.win_tile))
    if hand.flowers:
        text.append("  " + _("flowers: {n}").format(n=hand.flowers))
    return text


def _fans(result: Result) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading, justify in ((_("Fan"), "left"), (_("Points"), "right"), (_("Tiles"), "left")):
        table.add_column(heading, justify="right" if justify == "right" else "left")
    for line in result.fans:
        points = str(line.points) if line.count == 1 else f"{line.points} x {line.count}"
        groups = [faces_text(face_of(code) for code in group) for group in line.tiles]
        table.add_row(line.names[current_language()], points, Text(" | ").join(groups))
    table.add_row(Text(_("Total"), style="bold"), Text(str(result.points), style="bold"), "")
    return table


def _payments(record: HandRecord) -> Table:
    table = Table(box=None, pad_edge=False)
    for seat in range(4):
        table.add_column(seat_name(record.setup, seat), justify="right")
    table.add_row(*(f"{amount:+d}" if amount else "0" for amount in record.result.payments))
    return table
