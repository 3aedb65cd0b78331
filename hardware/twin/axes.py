"""Axes driven by motors: positions between two moments are calculated, only crossings are events."""

from __future__ import annotations

from collections.abc import Callable
from math import floor, sqrt
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

    What moves has inertia: from rest it reaches full speed in `run_up_s`, left alone it comes from full speed to rest
    in `coast_s`, at constant rates. A linear axis has `travel` from switch to switch and can go `margin` beyond either
    before it strikes its end; without `travel` the axis turns endlessly and `marks` repeat every turn.
    `crossed(mark, direction)` is told of every mark passed, `changed()` whenever it moves differently from now on,
    `struck(direction, share of full speed)` of a blow against an end.
    """

    def __init__(
        self,
        clock: Clock,
        motor: Motor,
        *,
        speed: float,
        run_up_s: float,
        coast_s: float,
        least_drive: float,
        current_a: float,
        stall_a: float,
        marks: tuple[float, ...],
        crossed: Callable[[float, int], None],
        changed: Callable[[], None],
        travel: float | None = None,
        margin: float = 0.0,
    ) -> None:
        self._clock = clock
        self._full_speed = speed
        self._gain = speed / run_up_s
        self._loss = speed / coast_s
        self._least_drive = least_drive
        self._current_a = current_a
        self._stall_a = stall_a
        self._marks = marks
        self._crossed = crossed
        self._changed = changed
        self.struck: Callable[[int, float], None] = lambda direction, share: None
        self.travel = travel
        self._ends = None if travel is None else (-margin, travel + margin)
        self._at = -JUST_BEYOND
        self._since = 0
        self._speed = 0.0  # at `_since`
        self._rate = 0.0  # of the speed, until it is `_goal`
        self._goal = 0.0
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
        t = (self._clock.now - self._since) / 1e6
        at = self._at + self._speed * t + self._rate * t * t / 2
        return at if self._ends is None else min(max(at, self._ends[0]), self._ends[1])

    @property
    def at_low(self) -> bool:
        """A linear axis is on its lower switch, or beyond."""
        return self.position <= 0

    @property
    def at_high(self) -> bool:
        """A linear axis is on its upper switch, or beyond."""
        return self.travel is not None and self.position >= self.travel

    @property
    def moving(self) -> bool:
        return bool(self._speed or self._rate)

    @property
    def pace(self) -> float:
        """Signed share of full speed; while that changes, the mean until the change is over."""
        return (self._speed + self._goal) / 2 / self._full_speed

    @property
    def drive(self) -> float:
        """Signed share of full power."""
        return self._drive

    @property
    def current_a(self) -> float:
        """Motor current, in proportion to the power: running, stalled, or half-way while it gains speed."""
        if self.dead:
            return 0.0
        running = min(self._current_a * self.load, self._stall_a)
        if not self.moving and not (self.slips and abs(self._drive) >= self._least_drive):
            running = self._stall_a
        elif self._rate * self._drive > 0:
            running = (running + self._stall_a) / 2
        return abs(self._drive) * running

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
        self._settle()
        self._drive = drive
        self.blocked = self.blocked and drive >= 0
        self._aim()
        self._changed()

    def _settle(self) -> None:
        """Take the present moment as the new beginning."""
        t = (self._clock.now - self._since) / 1e6
        self._at, self._since = self.position, self._clock.now
        self._speed += self._rate * t

    def _aim(self) -> None:
        """Where the speed goes from here. Through rest it goes in two steps."""
        turns = abs(self._drive) >= self._least_drive and not (self.dead or self.slips)
        goal = self._drive * self._full_speed * self.drag if turns else 0.0
        if self.stuck or (self.blocked and (goal > 0 or self._speed > 0)):
            self._speed = goal = 0.0
        elif self._ends is not None:
            low, high = self._ends
            if (goal > 0 and self._at >= high) or (goal < 0 and self._at <= low):
                self._speed = goal = 0.0
        if goal * self._speed < 0:
            goal = 0.0
        faster = abs(goal) > abs(self._speed)
        change = goal - self._speed
        rate = self._gain if faster or self._drive * self._speed < 0 else self._loss
        self._goal = goal
        self._rate = rate if change > 0 else -rate if change < 0 else 0.0
        self._plan()

    def _plan(self) -> None:
        """The next thing that happens: a mark, an end, or the speed reached."""
        self._clock.cancel(self._event)
        self._event = None
        if not self.moving:
            return
        direction = 1 if (self._speed or self._rate) > 0 else -1
        ramp = (self._goal - self._speed) / self._rate if self._rate else None
        there = self._next_mark(direction)
        if there is not None:
            target, mark = there
            speed, gain = abs(self._speed), self._rate * direction
            way = (target - self._at) * direction
            reach = speed * speed + 2 * gain * way
            t = 2 * way / (speed + sqrt(reach)) if reach >= 0 and (speed or gain > 0) else None
            if t is not None and (ramp is None or t <= ramp):
                self._event = self._clock.after(t * 1e6, lambda: self._reach(target, mark, direction))
                return
        if ramp is not None:
            self._event = self._clock.after(ramp * 1e6, self._steady)

    def _steady(self) -> None:
        """The speed has reached its goal."""
        t = (self._goal - self._speed) / self._rate
        self._at += (self._speed + self._goal) / 2 * t
        self._since, self._speed = self._clock.now, self._goal
        self._aim()
        self._changed()

    def _next_mark(self, direction: int) -> tuple[float, float] | None:
        if self._ends is not None:
            ahead = [m for m in (*self._marks, *self._ends) if (m - self._at) * direction > 0]
            mark = min(ahead, key=lambda m: m * direction, default=None)
            return None if mark is None else (mark, mark)
        if not self._marks:
            return None
        turn = floor(self._at)
        every = [(t + m, m) for t in (turn - 1, turn, turn + 1) for m in self._marks]
        return min((pair for pair in every if (pair[0] - self._at) * direction > 0), key=lambda p: p[0] * direction)

    def _reach(self, target: float, mark: float, direction: int) -> None:
        self._speed += self._rate * (self._clock.now - self._since) / 1e6
        self._at, self._since = target + direction * JUST_BEYOND, self._clock.now
        if self._ends is not None and mark in self._ends:
            self._at, share = target, abs(self._speed) / self._full_speed
            self._speed = 0.0
            self._aim()
            self.struck(direction, share)
            self._changed()
            return
        self._aim()
        self._crossed(mark, direction)
