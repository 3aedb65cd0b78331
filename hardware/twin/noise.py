"""What goes wrong on the air, by name and seeded: missed and damaged answers, ghosts, cross-talk, capture.

A run without noise is exactly what the standard says; a test asks for trouble by the name of a profile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from twin.tags import Tag, with_crc

HISS_SPREAD = 0.6  # of the receiver's noise level, from slot to slot


@dataclass(frozen=True, slots=True)
class Profile:
    """Chances 0..1 unless stated.

    `missed`: an answer is not heard. `bit_error`: an answer has a wrong bit. `ghost`: an inventory slot nobody
    answers yields a byte-shifted, zero-filled UID with good CRC. `crosstalk`: a field also powers one tag over a
    neighbouring antenna. `capture`: a strong answer is heard over a weak one. `coupling`: strength by place, tilt
    and neighbours (`twin.coupling`). `floor`: mean noise level of the receivers, 0-15; 0 is none.
    """

    missed: float = 0.0
    bit_error: float = 0.0
    ghost: float = 0.0
    crosstalk: float = 0.0
    capture: bool = False
    coupling: bool = False
    floor: float = 0.0


PROFILES = {
    "default": Profile(missed=0.02, ghost=0.001, crosstalk=0.05, capture=True),
    "harsh": Profile(missed=0.2, ghost=0.01, crosstalk=0.5, capture=True),
    "metal": Profile(bit_error=0.01, ghost=0.001),
    "damaged": Profile(bit_error=0.02),
    "crosstalk": Profile(crosstalk=0.2, capture=True),
    "coupled": Profile(capture=True, coupling=True, floor=1.2),
    "workshop": Profile(missed=0.02, ghost=0.001, capture=True, coupling=True, floor=1.2),
}


class NoiseError(ValueError):
    """There is no profile of that name; the message lists those there are."""


class Noise:
    """Seeded draws from a `Profile`, given whole or as its chances.

    `overlaps[tag, zone]` is the chance that a field of that zone also powers this one tag while it lies in another.
    """

    def __init__(
        self,
        seed: int,
        missed: float = 0.0,
        bit_error: float = 0.0,
        ghost: float = 0.0,
        crosstalk: float = 0.0,
        profile: Profile | None = None,
    ) -> None:
        self._random = Random(seed)
        self.profile = profile or Profile(missed, bit_error, ghost, crosstalk)
        self.missed, self.bit_error, self.ghost = self.profile.missed, self.profile.bit_error, self.profile.ghost
        self.overlaps: dict[tuple[Tag, int], float] = {}
        self._floors: dict[int, float] = {}
        self._seed = seed

    @classmethod
    def named(cls, name: str, seed: int = 1) -> Noise:
        """The profile of that name; NoiseError."""
        if name not in PROFILES:
            raise NoiseError(f"there is no noise called {name}: choose {', '.join(PROFILES)}")
        return cls(seed, profile=PROFILES[name])

    def chance(self, p: float) -> bool:
        return p > 0 and self._random.random() < p

    def misses(self) -> bool:
        return self.chance(self.missed)

    def spoil(self, data: bytes) -> bytes:
        if not self.bit_error or self._random.random() >= self.bit_error:
            return data
        bit = self._random.randrange(8 * len(data))
        return (int.from_bytes(data, "little") ^ 1 << bit).to_bytes(len(data), "little")

    def haunts(self) -> bool:
        return self.chance(self.ghost)

    def conjure(self, uids: Sequence[int]) -> bytes:
        """An inventory reply nobody sent: one of `uids`, shifted by two or three bytes."""
        uid = uids[self._random.randrange(len(uids))] >> 8 * self._random.choice((2, 3))
        return with_crc(bytes(2) + uid.to_bytes(8, "little"))

    def pick(self, weights: Sequence[float]) -> int:
        """An index drawn by weight."""
        return self._random.choices(range(len(weights)), weights)[0]

    def floor(self, zone: int) -> float:
        """Mean noise level of a zone; antennas differ by up to one level."""
        if not self.profile.floor:
            return 0.0
        if zone not in self._floors:
            self._floors[zone] = self.profile.floor + Random(f"{self._seed}/floor {zone}").random()
        return self._floors[zone]

    def hiss(self, zone: int) -> int:
        """Level of the receiver's noise in one slot."""
        return round(self._random.gauss(self.floor(zone), HISS_SPREAD)) if self.profile.floor else 0

    def rubbish(self) -> bytes:
        """What a receiver makes of noise."""
        return self._random.randbytes(self._random.randrange(3, 13))
