"""The acts of a hand told to a visitor, by faces: what every record format can say."""

from typing import Protocol

from paiju.game.actions import Action, ActionKind, DrawnFrom
from paiju.game.position import FACE, Setup
from paiju.game.record import HandRecord
from paiju.i18n import _


class FormatError(ValueError):
    """A record that cannot be read. `place` names where, such as `line 12`; the message says why."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.place = place
        self.reason = reason


class Visitor(Protocol):
    """Faces are face indices, seats 0-3. A deal may give the dealer 13 tiles and the fourteenth as a draw."""

    def begin(self, setup: Setup) -> None: ...
    def deal(self, seat: int, faces: tuple[int, ...]) -> None: ...
    def draw(self, seat: int, face: int, drawn_from: DrawnFrom) -> None: ...
    def flower(self, seat: int, face: int) -> None: ...
    def discard(self, seat: int, face: int) -> None: ...
    def chow(self, seat: int, middle: int, claimed: int, source: int) -> None: ...
    def pung(self, seat: int, face: int, source: int) -> None: ...
    def kong(self, seat: int, face: int, kind: ActionKind, source: int | None) -> None: ...
    def win(self, seat: int, face: int, source: int | None) -> None: ...
    def end(self) -> None: ...


def visit(record: HandRecord, visitor: Visitor, *, fourteenth_as_draw: bool = False) -> None:
    """Tell a record to a visitor: deals in the order of the seats, then every act.

    fourteenth_as_draw: the dealer's last dealt tile is told as a first draw. Raises FormatError for a record
    with a draw whose tile nobody saw: no other format can say that.
    """
    visitor.begin(record.setup)
    deals = sorted((a for a in record.actions if a.kind is ActionKind.DEAL), key=lambda a: a.seat or 0)
    last: int | None = None
    for deal in deals:
        assert deal.seat is not None
        faces = deal.faces
        if len(faces) != record.setup.dealt(deal.seat):
            raise FormatError(_("action {n}").format(n=deal.number), _("not all dealt tiles are known"))
        if fourteenth_as_draw and deal.seat == record.setup.dealer:
            faces, last = faces[:13], faces[13]
        visitor.deal(deal.seat, faces)
    if last is not None:
        visitor.draw(record.setup.dealer, last, DrawnFrom.WALL)
    for action in record.actions:
        if action.kind is not ActionKind.DEAL:
            _tell(action, visitor)


def _tell(action: Action, visitor: Visitor) -> None:
    kind, seat = action.kind, action.seat
    if kind is ActionKind.END or seat is None:
        visitor.end()
        return
    if not action.tiles:
        raise FormatError(_("action {n}").format(n=action.number), _("the drawn tile was never seen"))
    face, source = FACE[action.tiles[0]], action.source
    if kind is ActionKind.DRAW:
        visitor.draw(seat, face, action.drawn_from or DrawnFrom.WALL)
    elif kind is ActionKind.FLOWER:
        visitor.flower(seat, face)
    elif kind is ActionKind.DISCARD:
        visitor.discard(seat, face)
    elif kind is ActionKind.CHOW and source is not None:
        visitor.chow(seat, sorted(action.faces)[1], face, source)
    elif kind is ActionKind.PUNG and source is not None:
        visitor.pung(seat, face, source)
    elif kind is ActionKind.WIN:
        visitor.win(seat, face, source)
    else:
        visitor.kong(seat, face, kind, source if kind is ActionKind.MELDED_KONG else None)


def not_understood(what: object) -> str:
    """The reason for a place in a file that says nothing known."""
    return _("not understood: {what}").format(what=what)


def turned(program: str) -> FormatError:
    """For a format whose dealer is always seat 0."""
    return FormatError("", _("in a file of {program} seat 0 deals: turn the seats first").format(program=program))
