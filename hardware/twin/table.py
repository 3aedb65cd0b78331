"""A whole simulated table: world, board and firmware in one piece of virtual time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from twin.air import Air
from twin.board import Board
from twin.clock import Clock
from twin.firmware import image
from twin.invariants import Breach, Invariants
from twin.kernel import Kernel
from twin.noise import Noise
from twin.script import Script
from twin.world import World

# A Pico's 192 KiB hold words of 4 bytes; the packaged PC port's words have 8, so that the same objects need up to
# twice as much. The board's own budget (120 of 192 KiB) is held by tests/rp2040 on a 32-bit port.
HEAP = 256 * 1024
MAIN = "import boot\nimport main"


def port(clock: Clock, board: Board, heap: int, folder: Path, console: IO[bytes] | None) -> Kernel:
    """The controller as the packaged PC port; `folder` is its flash, standard output goes to `console`."""
    return Kernel(clock, board, [MAIN], heap=heap, cwd=folder, console=console, image=image())


class Unsafe(AssertionError):
    """The table did what it must never do; `breaches` says what and when."""

    def __init__(self, breaches: list[Breach]) -> None:
        super().__init__("; ".join(f"{b.rule}: {b.what} at {b.t / 1e6:.3f} s" for b in breaches[:9]))
        self.breaches = breaches


class Table:
    """Power it with `start()`, then `run_for`. The serial port is `uart`: `on_tx` hears it, `feed` speaks to it.

    `seed` fixes tags, wall, dice, delays and noise (which may be the name of a profile of `twin.noise`); `script` is
    the hand that the people act out; `state` is the
    controller's flash folder (a fresh one when not given); `controller` makes the controller, as `port` does. Leaving
    its context raises Unsafe if an invariant was broken.
    """

    def __init__(
        self,
        seed: int = 1,
        script: Script | None = None,
        pace: float = 1.0,
        *,
        heap: int = HEAP,
        state: Path | None = None,
        fram: bytearray | None = None,
        noise: Noise | str | None = None,
        console: IO[bytes] | None = None,
        clear: bool = False,
        controller: Callable[[Clock, Board, int, Path, IO[bytes] | None], Kernel] = port,
    ) -> None:
        self.clock = Clock()
        self.air = Air(self.clock, noise=Noise.named(noise, seed) if isinstance(noise, str) else noise)
        self.board = Board(self.clock, self.air, fram)
        self.world = World(self.clock, self.board, self.air, seed, script, pace, clear=clear)
        self.invariants = Invariants(self.board, self.world.mechanics, self.air)
        self._folder = None if state else tempfile.TemporaryDirectory(prefix="paiju-twin-")
        folder = state or Path(self._folder.name if self._folder else ".")
        self.kernel = controller(self.clock, self.board, heap, folder, console)
        self.uart = self.board.uart

    def start(self) -> Table:
        """Power on; the people sit down."""
        self.kernel.start()
        self.world.start()
        return self

    def run_for(self, seconds: float, done: Callable[[], bool] | None = None) -> bool:
        """Run `seconds` of virtual time, or until `done()`; True when done."""
        return self.kernel.run_for(seconds, done)

    def cut_power(self) -> None:
        """Every supply fails now; `kernel.start()` brings it back."""
        self.kernel.stop()
        self.invariants.power_cut()

    def check(self) -> None:
        """Raises Unsafe if an invariant was broken so far."""
        if self.invariants.breaches:
            raise Unsafe(self.invariants.breaches)

    @property
    def now(self) -> int:
        """Virtual µs since power on."""
        return self.clock.now

    def __enter__(self) -> Table:
        return self if self.kernel.process else self.start()

    def __exit__(self, error: object, *_: object) -> None:
        self.kernel.stop()
        if self._folder is not None:
            self._folder.cleanup()
        if error is None:
            self.check()
