"""What a list of actions amounts to: where each of the 144 tiles is, whose turn it is, what is owed.

A pure fold: `Position.after(setup, actions)` always gives the same position, so that any action can be
withdrawn or replaced and the rest derived again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from paiju.game.actions import CLAIMS, KONGS, Action, ActionKind, DrawnFrom
from paiju.game.events import HAND, MELD, NO_ZONE, POND, SEATS, zone_of
from paiju.hand import Hand, Meld, MeldKind, Source
from paiju.tiles import TILE_COUNT, WINDS, face_of_tile, is_flower, is_suited, tiles_of_face

WALL: Final = NO_ZONE
FACE: Final = tuple(face_of_tile(tile) for tile in range(TILE_COUNT))
FLOWER: Final = tuple(is_flower(face) for face in FACE)

_MELD_KIND: Final = {
    ActionKind.CHOW: MeldKind.CHOW,
    ActionKind.PUNG: MeldKind.PUNG,
    ActionKind.MELDED_KONG: MeldKind.MELDED_KONG,
    ActionKind.ADDED_KONG: MeldKind.ADDED_KONG,
    ActionKind.CONCEALED_KONG: MeldKind.CONCEALED_KONG,
}
_SOURCE_BY_STEPS: Final = {1: Source.RIGHT, 2: Source.ACROSS, 3: Source.LEFT}


@dataclass(frozen=True, slots=True)
class Setup:
    """What the table cannot know of a hand: who deals, the prevalent wind (0-3 = E S W N), the rules."""

    dealer: int = 0
    prevalent_wind: int = 0
    profile: str = "mcr1998"

    def seat_wind(self, seat: int) -> int:
        return (seat - self.dealer) % 4

    def dealt(self, seat: int) -> int:
        """Tiles dealt to a seat: 14 to the dealer, 13 to the others (article 6, 5)."""
        return 14 if seat == self.dealer else 13

    def to_json(self) -> dict[str, Any]:
        return {"dealer": self.dealer, "prevalent_wind": WINDS[self.prevalent_wind], "rules": self.profile}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        """Raises KeyError, TypeError or ValueError for a body that `to_json` did not make."""
        dealer = SEATS.index(body["dealer"])
        return cls(dealer, WINDS.index(body["prevalent_wind"]), str(body["rules"]))

    def following(self) -> Self:
        """The next hand: the deal passes on after every hand, the wind after four (articles 5.3 and 5.8)."""
        dealer = (self.dealer + 1) % 4
        wind = self.prevalent_wind if dealer else (self.prevalent_wind + 1) % 4
        return replace(self, dealer=dealer, prevalent_wind=wind)


@dataclass(frozen=True, slots=True)
class ExposedMeld:
    """A meld on the table. `source` is the seat its claimed tile came from, None for a concealed kong."""

    kind: ActionKind
    tiles: tuple[int, ...]
    source: int | None


class Position:
    """The table as the actions leave it. `place[tile]` is the zone number, or WALL."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.place = [WALL] * TILE_COUNT
        self.hands: tuple[set[int], ...] = tuple(set() for _ in SEATS)
        self.sizes = [0] * 4
        self.melds: tuple[list[ExposedMeld], ...] = tuple([] for _ in SEATS)
        self.flowers: tuple[list[int], ...] = tuple([] for _ in SEATS)
        self.ponds: tuple[list[int], ...] = tuple([] for _ in SEATS)
        self.owed: tuple[list[DrawnFrom], ...] = tuple([] for _ in SEATS)
        self.dealt = [False] * 4
        self.moved_yet = [False] * 4
        self.turn = setup.dealer
        self.live: int | None = None
        self.drawn = 0
        self.last_draw: tuple[Action | None, ...] = (None,) * 4
        self.last: Action | None = None
        self.over = False

    @classmethod
    def after(cls, setup: Setup, actions: Iterable[Action]) -> Self:
        position = cls(setup)
        for action in actions:
            position.apply(action)
        return position

    @property
    def wall_left(self) -> int:
        """Tiles still in the wall."""
        return TILE_COUNT - self.drawn

    @property
    def discarder(self) -> int | None:
        """Seat of the discard that can be claimed, if there is one."""
        return None if self.live is None else self.place[self.live] // 4

    @property
    def robbable(self) -> int | None:
        """The tile just added to a pung, which another seat may win on."""
        last = self.last
        return last.tiles[0] if last is not None and last.kind is ActionKind.ADDED_KONG else None

    def missing(self, seat: int) -> int:
        """Tiles that the seat must hold but that were never read."""
        return self.sizes[seat] - len(self.hands[seat])

    def must_draw(self, seat: int) -> bool:
        return bool(self.owed[seat])

    def pung_of(self, seat: int, face: int) -> ExposedMeld | None:
        """The seat's exposed pung of a face."""
        for meld in self.melds[seat]:
            if meld.kind is ActionKind.PUNG and FACE[meld.tiles[0]] == face:
                return meld
        return None

    def learn(self, seat: int, tile: int) -> None:
        """A tile that the seat already holds became known."""
        self.place[tile] = zone_of(seat, HAND)
        self.hands[seat].add(tile)

    def apply(self, action: Action) -> None:
        """Take one action further. The caller vouches that it is legal; tiles are conserved in any case."""
        kind, seat = action.kind, action.seat
        if kind in (ActionKind.WIN, ActionKind.END) or seat is None:
            self.over = True
            if "robbing_kong" in action.flags:
                self._give_back_robbed(action.tiles[0])
        elif kind is ActionKind.DEAL:
            for tile in action.tiles:
                self.learn(seat, tile)
            self.sizes[seat] = self.setup.dealt(seat)
            self.drawn += self.setup.dealt(seat)
            self.dealt[seat] = True
        elif kind is ActionKind.DRAW:
            self._draw(action, seat)
        elif kind is ActionKind.FLOWER:
            self._give(seat, action.tiles, MELD)
            self.flowers[seat].extend(action.tiles)
            self.owed[seat].insert(0, DrawnFrom.FLOWER)
        elif kind is ActionKind.DISCARD:
            self._give(seat, action.tiles, POND)
            self.ponds[seat].extend(action.tiles)
            self.live = action.tiles[0]
            self.owed[seat].clear()
            self.moved_yet[seat] = True
            self._pass_turn((seat + 1) % 4)
            self.owed[self.turn].append(DrawnFrom.WALL)
        else:
            self._meld(action, seat)
        self.last = action

    def _draw(self, action: Action, seat: int) -> None:
        for tile in action.tiles:
            self.learn(seat, tile)
        self.sizes[seat] += 1
        self.drawn += 1
        if action.drawn_from in self.owed[seat]:
            self.owed[seat].remove(action.drawn_from)
        draws = list(self.last_draw)
        draws[seat] = action
        self.last_draw = tuple(draws)
        if seat == self.turn and DrawnFrom.WALL not in self.owed[seat]:  # a flower may be replaced late
            self.live = None

    def _meld(self, action: Action, seat: int) -> None:
        claimed = action.tiles[:1] if action.kind in CLAIMS else ()
        own = action.tiles[len(claimed) :]
        if action.kind is ActionKind.ADDED_KONG:
            own = action.tiles[:1]
            pung = self.pung_of(seat, FACE[action.tiles[0]])
            if pung is None:
                raise ValueError(f"action {action.number} adds to a pung that is not there")
            kong = ExposedMeld(action.kind, (*pung.tiles, *own), pung.source)
            self.melds[seat][self.melds[seat].index(pung)] = kong
        else:
            self.melds[seat].append(ExposedMeld(action.kind, action.tiles, action.source))
        self._give(seat, own, MELD)
        for tile in claimed:
            pond = self.place[tile] // 4
            if tile in self.ponds[pond]:
                self.ponds[pond].remove(tile)
            self.place[tile] = zone_of(seat, MELD)
        self._pass_turn(seat)
        if action.kind in KONGS:
            self.owed[seat].append(DrawnFrom.KONG)
        self.moved_yet[seat] = True
        self.live = None

    def _give_back_robbed(self, tile: int) -> None:
        """A robbed kong was never completed: its meld is the pung again."""
        seat = self.place[tile] // 4
        for index, meld in enumerate(self.melds[seat]):
            if tile in meld.tiles:
                pung = tuple(t for t in meld.tiles if t != tile)
                self.melds[seat][index] = ExposedMeld(ActionKind.PUNG, pung, meld.source)

    def _give(self, seat: int, tiles: tuple[int, ...], where: int) -> None:
        """Tiles leave the seat's hand for its meld zone or pond."""
        for tile in tiles:
            self.hands[seat].discard(tile)
            self.place[tile] = zone_of(seat, where)
        self.sizes[seat] -= len(tiles)

    def _pass_turn(self, seat: int) -> None:
        if DrawnFrom.WALL in self.owed[self.turn]:
            self.owed[self.turn].remove(DrawnFrom.WALL)
        self.turn = seat

    def face_up(self, face: int) -> int:
        """How many tiles of a face lie face up: in the ponds and in melds other than concealed kongs."""
        return sum(1 for tile in tiles_of_face(face) if self.place[tile] % 4 in (MELD, POND)) - 4 * sum(
            1
            for melds in self.melds
            for meld in melds
            if meld.kind is ActionKind.CONCEALED_KONG and FACE[meld.tiles[0]] == face
        )

    def winning_hand(self, seat: int, concealed: Iterable[int], win_tile: int, source: int | None) -> Hand:
        """The hand of a winner with every flag that follows from the position.

        concealed: tile numbers without the winning tile; source: the seat it came from, None for a
        self-draw. Raises HandError if the tiles cannot be a hand.
        """
        face = FACE[win_tile]
        robbing = source is not None and self.robbable == win_tile
        draw = self.last_draw[seat]
        others_face_up = self.face_up(face) - (0 if source is None else 1)
        return Hand(
            melds=tuple(self._as_meld(seat, meld) for meld in self.melds[seat]),
            concealed=tuple(FACE[tile] for tile in concealed),
            win_tile=face,
            self_drawn=source is None,
            last_of_kind=others_face_up == 3,
            last_wall_tile=self.wall_left == 0 and not robbing,
            kong_replacement=source is None and draw is not None and draw.drawn_from is DrawnFrom.KONG,
            robbing_kong=robbing,
            prevalent_wind=self.setup.prevalent_wind,
            seat_wind=self.setup.seat_wind(seat),
            flowers=len(self.flowers[seat]),
        )

    def _as_meld(self, seat: int, meld: ExposedMeld) -> Meld:
        source = Source.SELF if meld.source is None else _SOURCE_BY_STEPS[(meld.source - seat) % 4]
        return Meld(_MELD_KIND[meld.kind], tuple(FACE[tile] for tile in meld.tiles), source)


def is_chow(tiles: Iterable[int]) -> bool:
    """Whether three tile numbers make three in a row of one suit."""
    low, middle, high = sorted(FACE[tile] for tile in tiles)
    return is_suited(low) and low % 9 <= 6 and (middle, high) == (low + 1, low + 2)
