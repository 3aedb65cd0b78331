"""Axes driven by motors: positions between two moments are calculated, only crossings are events."""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from typing import Protocol

from twin.clock import Clock, Event

JUST_BEYOND = 1e-6  # an axis that stopped on a mark has passed it


class Motor(Protocol):
    """What an axis needs of `twin.board.Motor`."""

    drive: float

    def watch(self, fn: Callable[[float], None]) -> None: ...


class Work:
    """Something that takes an amount of work at a rate that may change, then calls `done`."""

    def __init__(self, clock: Clock, done: Callable[[], None]) -> None:
        self._clock = clock
        self._done = done
        self._left = 0.0
        self._rate = 0.0
        self._since = 0
        self._event: Event | None = None
        self.busy = False

    def start(self, amount: float) -> None:
        self._left, self._since, self.busy = amount, self._clock.now, True
        self._plan()

    def rate(self, a_second: float) -> None:
        """Change the speed, in amount a second; 0 pauses."""
        if a_second == self._rate:
            return
        self._left -= self._rate * (self._clock.now - self._since) / 1e6
        self._rate, self._since = a_second, self._clock.now
        self._plan()

    def _plan(self) -> None:
        self._clock.cancel(self._event)
        self._event = None
        if self.busy and self._rate > 0:
            self._event = self._clock.after(max(self._left, 0.0) / self._rate * 1e6, self._finish)

    def _finish(self) -> None:
        self._event, self.busy = None, False
        self._done()


class Axis:
    """One motor's motion. Units are those of `hardware/mechanics.toml`: mm or turns.

    A linear axis has `travel` and stops at both ends; without it the axis turns endlessly and `marks` repeat
    every turn. `crossed(mark, direction)` is told of every mark passed, `changed()` of start, stop and stall.
    """

    def __init__(
        self,
        clock: Clock,
        motor: Motor,
        *,
        speed: float,
        least_drive: float,
        current_a: float,
        stall_a: float,
        marks: tuple[float, ...],
        crossed: Callable[[float, int], None],
        changed: Callable[[], None],
        travel: float | None = None,
    ) -> None:
        self._clock = clock
        self._full_speed = speed
        self._least_drive = least_drive
        self._current_a = current_a
        self._stall_a = stall_a
        self._marks = marks
        self._crossed = crossed
        self._changed = changed
        self.travel = travel
        self._at = 0.0
        self._since = 0
        self._speed = 0.0
        self._event: Event | None = None
        self._drive = 0.0
        self.blocked = False  # something stops forward motion
        self.stuck = False  # nothing turns it, either way
        self.dead = False  # no current flows
        self.slips = False  # the motor turns, the axis does not
        self.drag = 1.0  # share of the speed that is left
        self.load = 1.0  # times the usual running current
        motor.watch(self._driven)

    @property
    def position(self) -> float:
        at = self._at + self._speed * (self._clock.now - self._since) / 1e6
        return at if self.travel is None else min(max(at, 0.0), self.travel)

    @property
    def moving(self) -> bool:
        return self._speed != 0

    @property
    def drive(self) -> float:
        """Signed share of full power."""
        return self._drive

    @property
    def current_a(self) -> float:
        """Motor current: running or stalled, in proportion to the power."""
        if self.dead:
            return 0.0
        runs = self.moving or (self.slips and abs(self._drive) >= self._least_drive)
        return abs(self._drive) * (min(self._current_a * self.load, self._stall_a) if runs else self._stall_a)

    def ail(self, **how: bool | float) -> None:
        """Set `stuck`, `dead`, `slips`, `drag` or `load`, and let the motion follow."""
        for name, value in how.items():
            setattr(self, name, value)
        self._driven(self._drive)

    def block(self, blocked: bool) -> None:
        """Stop forward motion by an obstacle, or take the obstacle away."""
        if blocked != self.blocked:
            self.blocked = blocked
            self._driven(self._drive)

    def _driven(self, drive: float) -> None:
        self._at, self._since = self.position, self._clock.now
        self._drive = drive
        self.blocked = self.blocked and drive >= 0
        held = self.stuck or self.dead or self.slips or (self.blocked and drive > 0)
        turns = abs(drive) >= self._least_drive and not held
        self._speed = drive * self._full_speed * self.drag if turns else 0.0
        self._plan()
        self._changed()

    def _plan(self) -> None:
        self._clock.cancel(self._event)
        self._event = None
        if not self._speed or (self.travel is None and not self._marks):
            return
        direction = 1 if self._speed > 0 else -1
        if self.travel is None:
            target, mark = self._next_in_turn(direction)
        else:
            ahead = [m for m in (0.0, *self._marks, self.travel) if (m - self._at) * direction > 0]
            if not ahead:
                self._speed = 0.0
                return
            target = mark = min(ahead, key=lambda m: m * direction)
        us = (target - self._at) / self._speed * 1e6
        self._event = self._clock.after(us, lambda: self._reach(target, mark, direction))

    def _next_in_turn(self, direction: int) -> tuple[float, float]:
        turn = floor(self._at)
        every = [(t + m, m) for t in (turn - 1, turn, turn + 1) for m in self._marks]
        ahead = [pair for pair in every if (pair[0] - self._at) * direction > 0]
        return min(ahead, key=lambda pair: pair[0] * direction)

    def _reach(self, target: float, mark: float, direction: int) -> None:
        self._at, self._since = target + direction * JUST_BEYOND, self._clock.now
        if self.travel is not None:
            self._at = min(max(self._at, 0.0), self.travel)
        self._plan()
        self._crossed(mark, direction)
        if not self._speed:
            self._changed()
