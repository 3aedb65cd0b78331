"""The wall of 144 tiles as faces, and the deal (article 6, 5)."""

import random
from collections import deque
from typing import Final

from paiju.tiles import TILE_COUNT, face_of_tile

BLOCK: Final = 4
BLOCK_ROUNDS: Final = 3


class Wall:
    """Shuffled faces; drawn from the front, replaced from the tail."""

    def __init__(self, rng: random.Random) -> None:
        faces = [face_of_tile(tile) for tile in range(TILE_COUNT)]
        rng.shuffle(faces)
        self._faces = deque(faces)

    @property
    def left(self) -> int:
        return len(self._faces)

    def front(self) -> int:
        """The next face to draw; IndexError when the wall is empty."""
        return self._faces.popleft()

    def tail(self) -> int:
        """The next replacement after a kong or a flower; IndexError when the wall is empty."""
        return self._faces.pop()


def deal(wall: Wall, dealer: int) -> list[list[int]]:
    """Four hands by seat: three rounds of four tiles, one each, and the dealer's fourteenth."""
    hands: list[list[int]] = [[], [], [], []]
    order = [(dealer + step) % 4 for step in range(4)]
    for seat in [seat for _ in range(BLOCK_ROUNDS) for seat in order for _ in range(BLOCK)] + [*order, dealer]:
        hands[seat].append(wall.front())
    return hands
