"""How strongly a tag and an antenna hear each other, from where the tile lies, its tilt, and who lies beside it.

The shapes are those of a loop and of detuned resonators; the constants are our choice, made so that a tile well
inside its zone has ample margin and one on the border of two zones is heard now and then by both. Lengths in mm,
strengths in dB above what the tag needs to answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Protocol

TOP_DB = 15.0  # a lone tag flat on the middle of its antenna
EDGE_MM = 6.0  # the field falls over about this width where the loop ends
FRINGE_MM = 20.0  # nothing is heard further outside the rectangle, whatever the power
LIFT = 1.5  # nor higher than this many times the antenna's reach
TURN_FLOOR = 0.03  # a tag that stands on edge still catches this share
DETUNE_MM = 20.0  # two coils this far apart or nearer, as in a stack, pull each other's resonance fully
DETUNE_REACH_MM = 45.0
DETUNE_LOSS = 0.6  # loss of a tag pulled by one full neighbour, as |1 + j loss|
LEVEL_AT_ZERO = 4.0  # receiver level (MIN_LEVEL of the reader, 0-15) of a tag that only just answers
DB_A_LEVEL = 1.5
HEARD_DB = 1.0  # width of the border between hearing nothing and hearing everything


class Coil(Protocol):
    """A place; `tilt` in degrees against the antenna's plane and `loss_db` of the tag itself are optional."""

    x: float
    y: float
    z: float


class Loop(Protocol):
    """An antenna's rectangle (see `twin.air.Antenna`)."""

    @property
    def x(self) -> tuple[float, float]: ...
    @property
    def y(self) -> tuple[float, float]: ...
    @property
    def reach_mm(self) -> float: ...
    @property
    def below(self) -> bool: ...


def outside_mm(loop: Loop, coil: Coil) -> float:
    """Distance from the rectangle's edge, negative inside."""
    dx = max(loop.x[0] - coil.x, coil.x - loop.x[1])
    dy = max(loop.y[0] - coil.y, coil.y - loop.y[1])
    if dx > 0 and dy > 0:
        return math.hypot(dx, dy)
    return max(dx, dy)


def near(loop: Loop, coil: Coil) -> bool:
    """Whether anything of the antenna's field can reach the tag."""
    height = -coil.z if loop.below else coil.z
    return 0 <= height <= LIFT * loop.reach_mm and outside_mm(loop, coil) <= FRINGE_MM


def strength_db(loop: Loop, coil: Coil, others: Iterable[Coil]) -> float:
    """Strength of the tag at this antenna; below 0 it does not answer."""
    edge = 20 * math.log10(1 + math.exp(outside_mm(loop, coil) / EDGE_MM))
    height = 30 * math.log10(1 + (coil.z / loop.reach_mm) ** 2)
    turn = -20 * math.log10(max(abs(math.cos(math.radians(getattr(coil, "tilt", 0.0)))), TURN_FLOOR))
    loss: float = getattr(coil, "loss_db", 0.0)
    return TOP_DB - loss - edge - height - turn - detuning_db(coil, others)


def detuning_db(coil: Coil, others: Iterable[Coil]) -> float:
    """Loss by the tags around: resonators that couple split, and miss the carrier."""
    pull = 0.0
    for other in others:
        if other is not coil:
            apart = math.dist((coil.x, coil.y, coil.z), (other.x, other.y, other.z))
            if apart < DETUNE_REACH_MM:
                pull += min((DETUNE_MM / max(apart, 1.0)) ** 3, 1.0)
    return 10 * math.log10(1 + (DETUNE_LOSS * pull) ** 2)


def chance_heard(strength: float) -> float:
    """Chance that a tag of this strength understands a request."""
    return 1 / (1 + math.exp(-strength / HEARD_DB)) if strength > -30 else 0.0


def chance_shifted(chance: float, gain: float) -> float:
    """What becomes of a chance to be heard when the field is stronger by so many dB."""
    if gain == 0 or not 0 < chance < 1:
        return chance
    return chance_heard(HEARD_DB * math.log(chance / (1 - chance)) + gain)


def level(strength: float) -> int:
    """Receiver level of its answer, 0-15."""
    return min(max(round(LEVEL_AT_ZERO + strength / DB_A_LEVEL), 0), 15)
