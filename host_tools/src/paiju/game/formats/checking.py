"""What cannot have happened in a record that somebody else may have edited: tiles out of nowhere, or twice."""

from collections.abc import Sequence

from paiju.game.actions import CLAIMS, Action, ActionKind
from paiju.game.events import POND
from paiju.game.formats.visitor import FormatError
from paiju.game.position import FACE, WALL, Position, Setup
from paiju.i18n import _
from paiju.tiles import TILE_COUNT, code_of


def check(setup: Setup, actions: Sequence[Action]) -> None:
    """Raises FormatError, which names the action and the reason, at the first that cannot have been."""
    position = Position(setup)
    for number, action in enumerate(actions, 1):
        reason = _impossible(position, action, number)
        if reason:
            raise FormatError(_("action {n}").format(n=number), reason)
        position.apply(action)


def _impossible(position: Position, action: Action, number: int) -> str:
    kind, seat, tiles = action.kind, action.seat, action.tiles
    if action.number != number:
        return _("it has the number {n}").format(n=action.number)
    if position.over:
        return _("the hand is over")
    if seat is None:
        return "" if kind is ActionKind.END else _("it has no seat")
    if seat not in range(4) or not all(0 <= tile < TILE_COUNT for tile in tiles) or len(set(tiles)) < len(tiles):
        return _("there is no such seat or tile")
    if kind in (ActionKind.DEAL, ActionKind.DRAW):
        return _named([tile for tile in tiles if position.place[tile] != WALL], _("{tile} comes from the wall twice"))
    if kind is ActionKind.WIN:
        return ""  # the score says whether it wins
    if not tiles:
        return _("it has no tiles")
    own = tiles[1:] if kind in CLAIMS else tiles
    if kind in CLAIMS and position.place[tiles[0]] % 4 != POND:
        return _named(tiles[:1], _("{tile} is claimed and no discard"))
    if kind is ActionKind.ADDED_KONG and position.pung_of(seat, FACE[tiles[0]]) is None:
        return _named(tiles[:1], _("{tile} is added to no pung"))
    strange = [tile for tile in own if tile not in position.hands[seat]]
    unread = [tile for tile in strange if position.place[tile] == WALL]
    if len(unread) < len(strange) or len(unread) > max(position.missing(seat), 0):
        return _named(strange, _("{tile} is not held by seat {seat}"), seat=seat)
    return ""


def _named(tiles: Sequence[int], say: str, **more: int) -> str:
    return say.format(tile=code_of(FACE[tiles[0]]), **more) if tiles else ""
