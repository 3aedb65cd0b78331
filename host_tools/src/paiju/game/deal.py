"""The deal: which tiles each seat started with, and which seat deals."""

from paiju.game.actions import ActionKind, Confidence
from paiju.game.case import Case, Draft
from paiju.game.events import HAND, MELD, NO_ZONE, POND, SEATS, zone_of
from paiju.game.position import FLOWER, WALL

ENOUGH = 10
"""Tiles of a hand that must have been read before a first act is believed to end the deal."""


class Deal:
    """Counts the tiles that arrive in each hand until it has its thirteen or fourteen."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._arrived: tuple[list[int], ...] = tuple([] for _ in SEATS)

    def step(self) -> bool:
        """Take in what arrived; True when a hand became complete."""
        case, position = self._case, self._case.position
        if all(position.dealt):
            return False
        for tile in list(case.odd):
            zone = case.seen[tile]
            seat, where = divmod(zone, 4)
            if zone == NO_ZONE or position.dealt[seat] or not self._is_dealt(tile, where):
                continue
            arrived = self._arrived[seat]
            if position.place[tile] == WALL:
                arrived.append(tile)
            elif tile not in arrived:  # was put down in another rack first
                self._arrived[position.place[tile] // 4].remove(tile)
                arrived.append(tile)
            position.place[tile] = zone_of(seat, HAND)
            case.compare(tile)
            if len(arrived) == case.setup.dealt(seat):
                return self._tell(seat)
        return self._close()

    def evident_dealer(self) -> int | None:
        """The seat that plays as dealer, if it is not the expected one: fourteen tiles and the first discard."""
        case, position, dealer = self._case, self._case.position, self._case.setup.dealer
        if position.dealt[dealer] or len(self._arrived[dealer]) != 13:
            return None
        for tile in case.odd:
            seat, where = divmod(case.seen[tile], 4)
            if where == POND and seat != dealer and position.dealt[seat]:
                fourteenth = tile not in position.hands[seat] or case.odd_in(zone_of(seat, HAND))
                if fourteenth:
                    return seat
        return None

    def _is_dealt(self, tile: int, where: int) -> bool:
        place = self._case.position.place[tile]
        if where == HAND:
            return place == WALL or place % 4 == HAND
        return where == MELD and FLOWER[tile] and place == WALL

    def _close(self) -> bool:
        """The dealer's first act ends the deal, even if some tiles of it were never read."""
        case, dealt, dealer = self._case, self._case.position.dealt, self._case.setup.dealer
        begun = case.odd_in(zone_of(dealer, POND)) or not all(
            FLOWER[tile] for tile in case.odd_in(zone_of(dealer, MELD))
        )
        if not begun or not all(dealt[seat] or len(self._arrived[seat]) >= ENOUGH for seat in SEATS):
            return False
        for seat in SEATS:
            if not dealt[seat]:
                self._tell(seat)
        return True

    def _tell(self, seat: int) -> bool:
        tiles = tuple(self._arrived[seat])
        complete = len(tiles) == self._case.setup.dealt(seat)
        confidence = Confidence.SEEN if complete else Confidence.INFERRED
        return self._case.do(Draft(ActionKind.DEAL, seat, tiles, confidence=confidence), tiles)
