"""A board without chips, and a controller of a few lines that works the table by its sensors alone."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from twin.air import Air
from twin.clock import Clock
from twin.script import Script
from twin.signal import Signal
from twin.world import World

SPEC = tomllib.loads((Path(__file__).parents[3] / "hardware" / "board.toml").read_text("utf-8"))
SECOND = 1_000_000


class Motor:
    def __init__(self) -> None:
        self.drive = 0.0
        self._watchers: list[Callable[[float], None]] = []

    def watch(self, fn: Callable[[float], None]) -> None:
        self._watchers.append(fn)

    def run(self, drive: float) -> None:
        if drive != self.drive:
            self.drive = drive
            for fn in self._watchers:
                fn(drive)


class BareBoard:
    def __init__(self) -> None:
        self.inputs = {name: Signal(name) for name in SPEC["inputs"]}
        self.outputs = {name: Signal(name) for name in SPEC["outputs"]}
        self.motors = {name: Motor() for name in SPEC["pwm"]["channels"]}
        self.current_ma = dict.fromkeys(SPEC["adc"]["channels"], 0.0)


class Controller:
    """Stacks, raises, throws the dice and opens the console, each at the press of its button."""

    def __init__(self, clock: Clock, board: BareBoard) -> None:
        self.clock = clock
        self.board = board
        self._stacks = [18] * 4
        board.outputs["relay_enable"].set(1)
        for side in range(4):
            self._on(f"feed_tile_{side}", 1, lambda side=side: self._turn(side))
            self._on(f"head_home_{side}", 1, lambda side=side: self._lifted(side))
            self._on(f"pusher_end_{side}", 1, lambda side=side: self._run(f"pusher_{side}", -1))
            self._on(f"pusher_home_{side}", 1, lambda side=side: self._pushed(side))
            self._on(f"plate_up_{side}", 1, lambda side=side: self._run(f"plate_{side}", 0))
            self._on(f"plate_down_{side}", 1, lambda side=side: self._run(f"plate_{side}", 0))
        self._on("button_raise", 1, self.stack)
        self._on("button_dice", 1, self._spin)
        self._on("button_refill", 1, lambda: self._run("lift", 1))
        self._on("lift_up", 1, lambda: self._run("lift", 0))
        self._on("lift_down", 1, lambda: self._run("lift", 0))
        self._on("surface_object", 0, self._close)

    def _on(self, name: str, level: int, fn: Callable[[], None]) -> None:
        def changed(now: int) -> None:
            if now == level:
                self.clock.after(500, fn)

        self.board.inputs[name].watch(changed)

    def _run(self, motor: str, drive: float) -> None:
        self.board.motors[motor].run(drive)

    def stack(self) -> None:
        if min(self._stacks) < 18:
            return  # at it already
        self._stacks = [0] * 4
        for motor in ("pan", "ring"):
            self._run(motor, 1)
        for side in range(4):
            self._run(f"feed_{side}", 1)
            if self.board.inputs[f"feed_tile_{side}"].level:
                self._turn(side)

    def _turn(self, side: int) -> None:
        inputs = self.board.inputs
        ready = inputs[f"pusher_home_{side}"].level and not inputs[f"head_full_{side}"].level
        if inputs[f"feed_tile_{side}"].level and ready:
            self._run(f"head_{side}", 1)

    def _lifted(self, side: int) -> None:
        self._run(f"head_{side}", 0)
        if self.board.inputs[f"head_full_{side}"].level:
            self._run(f"pusher_{side}", 1)
        else:
            self._turn(side)

    def _pushed(self, side: int) -> None:
        self._run(f"pusher_{side}", 0)
        self._stacks[side] += 1
        if self._stacks[side] == 18:
            self._run(f"feed_{side}", 0)
        else:
            self._turn(side)
        if self._stacks == [18] * 4:
            for motor in ("pan", "ring"):
                self._run(motor, 0)
            for n in range(4):
                self._run(f"plate_{n}", 1)

    def _spin(self) -> None:
        self._run("dice", 1)
        self.clock.after(1_200_000, lambda: self._run("dice", 0))

    def _close(self) -> None:
        if self.board.inputs["lift_up"].level:
            self._run("lift", -1)
            for n in range(4):
                self._run(f"plate_{n}", -1)


class Bench:
    """A world on a bare board."""

    def __init__(self, script: Script | None = None, seed: int = 7, pace: float = 1.0, **more: bool) -> None:
        self.clock = Clock()
        self.board = BareBoard()
        self.air = Air(self.clock)
        self.world = World(self.clock, self.board, self.air, seed, script, pace, **more)

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> float:
        """Let virtual time pass; returns the second at which it stopped."""
        end = self.clock.now + int(seconds * SECOND)
        while not until():
            if not self.clock.step(end):
                self.clock.advance(end)
                break
        return self.clock.now / SECOND

    def controlled(self) -> Controller:
        return Controller(self.clock, self.board)


@pytest.fixture
def bench() -> type[Bench]:
    return Bench
