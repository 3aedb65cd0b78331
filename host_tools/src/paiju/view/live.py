"""The table in play, as the operator sees it."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from paiju.game.actions import ActionKind
from paiju.game.position import ExposedMeld, Position
from paiju.game.tracker import Tracker
from paiju.i18n import _
from paiju.view.words import (
    BACK,
    action_text,
    attention_text,
    concern_text,
    round_name,
    seat_name,
    tiles_text,
    wall_text,
)

LABEL = 11
WIDTH = 120
ROW = 6
RECENT = 6


def phase_name(phase: str) -> str:
    return {
        "idle": _("waiting for a hand"),
        "deal": _("deal"),
        "flowers": _("flowers"),
        "play": _("play"),
        "clean_up": _("clean-up"),
    }[phase]


def live_view(tracker: Tracker, status: str, show_hands: bool = False) -> RenderableType:
    """Four seats with ponds, melds, flowers and hands, the last acts, and what needs attention."""
    head = Text(f"{status}   {phase_name(tracker.phase)}", style="bold")
    hand = tracker.hand
    if hand is None:
        return head
    position = hand.position
    wall = _("{n} tiles in the wall").format(n=position.wall_left)
    head.append(f"   {round_name(position.setup)}, {wall}")
    seats = Table.grid(expand=True)
    seats.add_column(ratio=1)
    seats.add_column(ratio=1)
    show = show_hands or position.over
    seats.add_row(_seat(position, 0, show), _seat(position, 1, show))
    seats.add_row(_seat(position, 3, show), _seat(position, 2, show))
    recent = [action_text(position.setup, action, not show) for action in hand.actions[-RECENT:]]
    items = [attention_text(position.setup, item) for item in hand.case.attention.open]
    parts: list[RenderableType] = [head, Constrain(seats, WIDTH), *recent]
    if items:
        parts += [Text(_("Attention"), style="bold yellow"), *items]
    for_referee = [concern_text(position.setup, concern) for concern in tracker.concerns[-RECENT:]]
    if for_referee:
        parts += [Text(_("For the referee"), style="bold magenta"), *for_referee]
    if not any(position.moved_yet) and (opened := wall_text(position.setup, tracker.dice)):
        parts.append(Text(opened, style="dim"))
    return Group(*parts)


def _seat(position: Position, seat: int, show: bool) -> Panel:
    name = seat_name(position.setup, seat)
    active = seat == position.turn and not position.over
    hand = sorted(position.hands[seat])
    unread = max(position.missing(seat), 0)
    concealed = tiles_text(hand) if show else Text(" ").join([BACK] * len(hand))
    if unread:
        concealed.append(" " + " ".join(["?"] * unread), style="dim")
    lines: list[RenderableType] = [
        _line(_("Hand ({n})").format(n=position.sizes[seat]), concealed),
        _line(_("Melds"), _melds(position.melds[seat])),
        _line(_("Flowers"), tiles_text(position.flowers[seat])),
    ]
    lines += [_line(_("Pond") if not n else "", row) for n, row in enumerate(_rows(position.ponds[seat]))]
    return Panel(Group(*lines), title=name, border_style="green" if active else "dim")


def _line(label: str, content: Text) -> Text:
    padding = " " * max(LABEL - cell_len(label), 1)
    return Text(label + padding, style="dim").append_text(content)


def _melds(melds: Sequence[ExposedMeld]) -> Text:
    texts = []
    for meld in melds:
        hidden = meld.kind is ActionKind.CONCEALED_KONG
        texts.append(Text("(" if hidden else "[").append_text(tiles_text(meld.tiles)).append(")" if hidden else "]"))
    return Text(" ").join(texts)


def _rows(pond: Sequence[int]) -> list[Text]:
    return [tiles_text(pond[start : start + ROW]) for start in range(0, len(pond), ROW)] or [Text()]
