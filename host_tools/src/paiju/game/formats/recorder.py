"""Builds a record from told acts: gives each face a copy, and refuses what cannot have happened."""

from collections.abc import Sequence
from typing import Self

from paiju.game.actions import Action, ActionKind, DrawnFrom
from paiju.game.events import HAND, MELD, NO_ZONE, POND, zone_of
from paiju.game.formats.visitor import FormatError
from paiju.game.position import FACE, WALL, Position, Setup
from paiju.game.record import HandRecord, result_of
from paiju.i18n import _
from paiju.tiles import code_of, tiles_of_face


class Recorder:
    """A visitor that makes a `HandRecord`. Raises FormatError, which names the act, for an impossible one."""

    def __init__(self) -> None:
        self.ms = 0  # time of the acts told next
        self._position = Position(Setup())
        self._actions: list[Action] = []
        self._short: tuple[int, ...] | None = None
        self._replaced: list[tuple[int, int, int]] = []  # seat, flower, what it drew, until everybody is dealt
        self._overridden: list[int] = []
        self._seen: Sequence[int] = ()

    @classmethod
    def after(cls, setup: Setup, actions: Sequence[Action], seen: Sequence[int] = ()) -> Self:
        """A recorder that goes on from these actions. Of equal tiles it takes those seen (zones by tile number)
        where the act puts them."""
        recorder = cls()
        recorder._position, recorder._actions, recorder._seen = Position.after(setup, actions), list(actions), seen
        return recorder

    @property
    def actions(self) -> tuple[Action, ...]:
        """The acts so far."""
        return tuple(self._actions)

    @property
    def position(self) -> Position:
        """The table so far."""
        return self._position

    @property
    def offered(self) -> tuple[int, int]:
        """Face and seat of the discard that may be claimed; raises FormatError without one."""
        live, source = self._position.live, self._position.discarder
        if live is None or source is None:
            raise self._impossible(_("a claim without a discard"))
        return FACE[live], source

    def record(self) -> HandRecord:
        """The hand as told so far; without an end it counts as broken off."""
        if not self._position.over:
            self._add(ActionKind.END, None, flags=("aborted",))
        setup = self._position.setup
        result = result_of(setup, self._actions)
        return HandRecord(setup, tuple(self._actions), result, overridden=tuple(self._overridden))

    def begin(self, setup: Setup) -> None:
        self._position = Position(setup)

    def deal(self, seat: int, faces: tuple[int, ...], flowers: tuple[int, ...] = ()) -> None:
        """flowers: were dealt too, and the last of `faces` drawn in their place."""
        if flowers:
            kept = len(faces) - len(flowers)
            self._replaced += [(seat, *pair) for pair in zip(flowers, faces[kept:], strict=True)]
            faces = (*faces[:kept], *flowers)
        wanted = self._position.setup.dealt(seat)
        if len(faces) == 13 and wanted == 14:
            self._short = faces
            return
        if len(faces) != wanted:
            say = _("seat {seat} is dealt {n} tiles, not {wanted}")
            raise self._impossible(say.format(seat=seat, n=len(faces), wanted=wanted))
        self._add(ActionKind.DEAL, seat, self._from_wall(faces, seat))
        if all(self._position.dealt):
            replaced, self._replaced = self._replaced, []
            for owner, flower, face in replaced:
                self.flower(owner, flower)
                self.draw(owner, face, DrawnFrom.FLOWER)

    def draw(self, seat: int, face: int | None, drawn_from: DrawnFrom | None = None) -> None:
        """face None: nobody saw it; drawn_from None: from where the seat has to draw."""
        if drawn_from is None:
            drawn_from = next(iter(self._position.owed[seat]), DrawnFrom.WALL)
        if face is None:
            self._add(ActionKind.DRAW, seat, drawn_from=drawn_from)
            return
        if self._short is not None and seat == self._position.setup.dealer:
            faces, self._short = (*self._short, face), None
            self.deal(seat, faces)
            return
        self._add(ActionKind.DRAW, seat, self._from_wall((face,), seat), drawn_from=drawn_from)

    def flower(self, seat: int, face: int) -> None:
        self._add(ActionKind.FLOWER, seat, self._from_hand(seat, (face,), MELD))

    def discard(self, seat: int, face: int) -> None:
        flags = () if seat == self._position.turn else ("out_of_turn",)
        self._add(ActionKind.DISCARD, seat, self._from_hand(seat, (face,), POND), flags=flags)

    def chow(self, seat: int, middle: int, claimed: int, source: int) -> None:
        own = [face for face in (middle - 1, middle, middle + 1) if face != claimed]
        if len(own) != 2 or middle % 9 in (0, 8) or middle >= 27:
            say = _("{claimed} makes no chow around {middle}")
            raise self._impossible(say.format(claimed=code_of(claimed), middle=code_of(middle)))
        self._claim(ActionKind.CHOW, seat, claimed, tuple(own), source)

    def pung(self, seat: int, face: int, source: int) -> None:
        self._claim(ActionKind.PUNG, seat, face, (face, face), source)

    def kong(self, seat: int, face: int, kind: ActionKind, source: int | None) -> None:
        if kind is ActionKind.MELDED_KONG:
            self._claim(kind, seat, face, (face, face, face), self.offered[1] if source is None else source)
        elif kind is ActionKind.ADDED_KONG:
            pung = self._position.pung_of(seat, face)
            if pung is None:
                say = _("seat {seat} has no pung of {tile} to add to")
                raise self._impossible(say.format(seat=seat, tile=code_of(face)))
            self._add(kind, seat, self._from_hand(seat, (face,), MELD), pung.source)
        else:
            self._add(kind, seat, self._from_hand(seat, (face,) * 4, MELD))

    def win(self, seat: int, face: int, source: int | None) -> None:
        hand = self._position.hands[seat]
        if source is None:
            (tile,) = self._from_hand(seat, (face,), HAND)
            drawn = self._position.last_draw[seat]
            if drawn is not None and drawn.tiles and FACE[drawn.tiles[0]] == face and drawn.tiles[0] in hand:
                tile = drawn.tiles[0]
        else:
            offered = self._position.live if self._position.live is not None else self._position.robbable
            if offered is None or FACE[offered] != face:
                say = _("seat {seat} wins on {tile}, which is not the last discard")
                raise self._impossible(say.format(seat=seat, tile=code_of(face)))
            tile = offered
        robbed = ("robbing_kong",) if tile == self._position.robbable else ()
        self._add(ActionKind.WIN, seat, (tile, *sorted(hand - {tile})), source, flags=robbed)

    def win_untold(self, seat: int) -> None:
        """A win told without its tile: on what another seat offers, else on the last draw; raises FormatError."""
        position = self._position
        offered = position.live if position.live is not None else position.robbable
        drawn = position.last_draw[seat]
        if offered is not None and position.place[offered] // 4 != seat:
            self.win(seat, FACE[offered], position.place[offered] // 4)
        elif drawn is not None and drawn.tiles:
            self.win(seat, FACE[drawn.tiles[0]], None)
        elif len(position.hands[seat]) % 3 == 2:  # the dealer, at once
            self.win(seat, FACE[max(position.hands[seat])], None)
        else:
            raise self._impossible(_("seat {seat} wins without a tile").format(seat=seat))

    def give_way(self, seat: int) -> None:
        """A win that was declared on the same tile and gave way to the one told."""
        self._overridden.append(seat)

    def end(self) -> None:
        left = self._position.wall_left
        self._add(ActionKind.END, None, flags=("wall_not_exhausted" if left else "wall_exhausted",))

    def _claim(self, kind: ActionKind, seat: int, face: int, own: tuple[int, ...], source: int) -> None:
        live = self._position.live
        if live is None or FACE[live] != face or self._position.discarder != source:
            say = _("seat {seat} claims {tile}, which is not the last discard of seat {source}")
            raise self._impossible(say.format(seat=seat, tile=code_of(face), source=source))
        flags = ("wrong_seat",) if kind is ActionKind.CHOW and (source + 1) % 4 != seat else ()
        self._add(kind, seat, (live, *self._from_hand(seat, own, MELD)), source, flags=flags)

    def _from_wall(self, faces: tuple[int, ...], seat: int) -> tuple[int, ...]:
        chosen: list[int] = []
        for face in faces:
            free = [t for t in tiles_of_face(face) if self._position.place[t] == WALL and t not in chosen]
            tile = self._likeliest(free, seat, HAND)
            if tile is None:
                say = _("there are more than {n} of {tile}")
                raise self._impossible(say.format(n=len(tiles_of_face(face)), tile=code_of(face)))
            chosen.append(tile)
        return tuple(chosen)

    def _from_hand(self, seat: int, faces: tuple[int, ...], where: int) -> tuple[int, ...]:
        chosen: list[int] = []
        for face in faces:
            held = [t for t in sorted(self._position.hands[seat]) if FACE[t] == face and t not in chosen]
            tile = self._likeliest(held, seat, where)
            if tile is None:
                say = _("seat {seat} does not hold {tile}")
                raise self._impossible(say.format(seat=seat, tile=code_of(face)))
            chosen.append(tile)
        return tuple(chosen)

    def _likeliest(self, tiles: Sequence[int], seat: int, where: int) -> int | None:
        """The tile seen where it goes to, else the first that is not in sight, else the first."""
        if not self._seen:
            return next(iter(tiles), None)
        rank = {zone_of(seat, where): 0, NO_ZONE: 1}
        return min(tiles, key=lambda tile: rank.get(self._seen[tile], 2), default=None)

    def _impossible(self, reason: str) -> FormatError:
        return FormatError(_("act {n}").format(n=len(self._actions) + 1), reason)

    def _add(
        self,
        kind: ActionKind,
        seat: int | None,
        tiles: tuple[int, ...] = (),
        source: int | None = None,
        drawn_from: DrawnFrom | None = None,
        flags: tuple[str, ...] = (),
    ) -> None:
        if self._position.over:
            raise self._impossible(_("the hand is over"))
        action = Action(len(self._actions) + 1, kind, seat, tiles, source, drawn_from, self.ms, flags=flags)
        self._actions.append(action)
        self._position.apply(action)
