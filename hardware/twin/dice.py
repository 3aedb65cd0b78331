"""Two dice under the dome: spun by a motor, read by the tag of the face they lie on."""

from __future__ import annotations

import random
from collections.abc import Callable

from twin import geometry
from twin.clock import Clock, Event
from twin.tiles import DieFace, Ground, make_die

IN_THE_AIR_Z = 40.0
EDGE_MM = 16.0
LEANING_Z = 2.0


class Dice:
    """`values` are the upper faces once the dice rest, None while they roll; `changed` is called at rest.

    `fall` holds the values of the coming throws until it is changed; without it the seed decides. `leaning` says for
    each coming throw how many faces of the first die are near the plate, where it does not lie flat: 0 or 2.
    """

    def __init__(self, clock: Clock, ground: Ground, seed: int, settle_s: float, changed: Callable[[], None]) -> None:
        self._clock = clock
        self._ground = ground
        self._settle_us = settle_s * 1e6
        self._changed = changed
        self._rng = random.Random(f"{seed}/dice")
        self._faces: list[list[DieFace]] = [make_die(index, seed) for index in range(2)]
        self._settling: Event | None = None
        self.fall: tuple[int, int] | None = None
        self.leaning: list[int] = []
        self.values: tuple[int, int] | None = None
        self.throws = 0
        for die in self._faces:
            for face in die:
                ground.add(face)
        self._rest()

    def turning(self, turning: bool) -> None:
        """The motor began or stopped to turn the cups."""
        self._clock.cancel(self._settling)
        if turning:
            self.values = None
            for die in self._faces:
                for face in die:
                    self._ground.shift(face, geometry.die(face.die)._replace(z=IN_THE_AIR_Z))
        elif self.values is None:
            self._settling = self._clock.after(self._settle_us, self._rest)

    def _rest(self) -> None:
        self.throws += 1
        self.values = self.fall or (self._rng.randint(1, 6), self._rng.randint(1, 6))
        for die, value in zip(self._faces, self.values, strict=True):
            for face in die:
                z = {7 - value: 0.0, value: EDGE_MM}.get(face.face, EDGE_MM / 2)
                self._ground.shift(face, geometry.die(face.die)._replace(z=z))
        if self.leaning:
            near = self.leaning.pop(0)
            for n, face in enumerate(self._faces[0]):
                z = LEANING_Z if n < near else EDGE_MM / 2
                self._ground.shift(face, geometry.die(face.die)._replace(z=z))
        self._changed()
