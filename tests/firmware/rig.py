"""Runs MicroPython scripts: on the bare PC port, or below a simulated board in virtual time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from twin.air import Air, Noise
from twin.board import Board
from twin.clock import Clock
from twin.firmware import build
from twin.kernel import Kernel
from twin.tags import Tag

SCRIPTS = Path(__file__).with_name("scripts")
SECOND = 1_000_000


def paths() -> tuple[Path, ...]:
    built = build()
    return (SCRIPTS, built, built / "lib")


@dataclass(eq=False)
class Loose:
    """A tag that a test puts where it likes; lengths in mm, out of every zone at first."""

    tag: Tag
    x: float = 0.0
    y: float = 0.0
    z: float = 500.0


class Table:
    """A board, its air, and one firmware script on it."""

    def __init__(self, noise: Noise | None = None) -> None:
        self.clock = Clock()
        self.air = Air(self.clock, noise=noise)
        self.board = Board(self.clock, self.air)

    def put(self, tags: Iterable[Tag], zone: int) -> list[Loose]:
        """Lay tags side by side into a zone."""
        antenna = next(a for a in self.air.antennas if a.zone == zone)
        tags = list(tags)
        bodies = []
        for n, tag in enumerate(tags):
            body = Loose(tag)
            self.air.add(body)
            self.move(body, zone, (n + 0.5) / len(tags))
            bodies.append(body)
        assert all(zone in self.air.zones_at(b.x, b.y, b.z) for b in bodies), antenna
        return bodies

    def move(self, body: Loose, zone: int | None, share: float = 0.5) -> None:
        """Move to a place in a zone (`share` along it), or out of all of them."""
        if zone is None:
            body.z = 500.0
        else:
            antenna = next(a for a in self.air.antennas if a.zone == zone)
            body.x = antenna.x[0] + share * (antenna.x[1] - antenna.x[0])
            body.y = (antenna.y[0] + antenna.y[1]) / 2
            body.z = -1.0 if antenna.below else 1.0
        self.air.moved(body)

    def at(self, seconds: float, fn: Callable[[], None]) -> None:
        self.clock.at(int(seconds * SECOND), fn)

    def kernel(self, script: str, *args: str, heap: int = 192 * 1024) -> Kernel:
        kernel = Kernel(self.clock, self.board, [str(SCRIPTS / f"{script}.py"), *args], paths(), heap)
        kernel.restart = False
        return kernel

    def run(self, script: str, *args: str, seconds: float = 60) -> list[str]:
        """Run a script to its end; its printed lines."""
        kernel = self.kernel(script, *args)
        kernel.start()
        try:
            return kernel.finish(seconds).splitlines()
        finally:
            if kernel.process is not None:
                kernel.process.kill()


def plain(script: str, *args: str, path: Path | None = None) -> list[str]:
    """Run a script on the bare PC port, in real time, without a board."""
    beside = Path(sys.executable).with_name("micropython")
    env = {**os.environ, "MICROPYPATH": ":".join([".frozen", *map(str, [*paths(), *([path] if path else [])])])}
    done = subprocess.run(
        [str(beside) if beside.exists() else "micropython", "-X", "heapsize=192K", str(SCRIPTS / f"{script}.py"),
         *args],
        env=env, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def slix2(serial: int, blocks: bytes = b"", afi: int = 0x50) -> Tag:
    """A tag with a SLIX2 UID of the given 36-bit serial."""
    return Tag(0xE00401 << 40 | serial & 0x7FFFFFFFF | 1 << 35, blocks, afi)
