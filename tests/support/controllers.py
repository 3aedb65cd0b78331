"""Other controllers for the simulated table than the packaged PC port; built by tools/build_micropython.sh."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from twin.board import Board
from twin.clock import Clock
from twin.firmware import SHIM, SOURCE
from twin.kernel import Kernel
from twin.table import MAIN

BUILT = Path(__file__).resolve().parents[2] / "build" / "micropython"
PORT_32 = BUILT / "micropython32"
BUILD = "tools/build_micropython.sh"


def stale(built: Path) -> str:
    """Why a build with the firmware frozen in cannot be used, in one sentence; empty when it can."""
    if not built.exists():
        return f"no {built.name}: run {BUILD}"
    sources = [*SOURCE.glob("*.py"), *SHIM.glob("*.py"), *(SOURCE / "lib" / "tablelink").glob("*.py")]
    sources += [path for part in ("controller", "drivers") for path in (SOURCE / part).glob("*.py")]
    newest = max(sources, key=lambda path: path.stat().st_mtime)
    if newest.stat().st_mtime > built.stat().st_mtime:
        return f"{built.name} is older than {newest.name}: run {BUILD}"
    return ""


def missing_port_32() -> str:
    """As `stale`, of the 32-bit PC port."""
    return stale(PORT_32)


class FrozenPort(Kernel):
    """The 32-bit PC port, which has firmware and shim frozen in as a board has the firmware."""

    def _command(self) -> tuple[list[str], list[str]]:
        return [str(PORT_32), "-X", f"heapsize={self.heap}", "-c", "\n".join(self.argv)], [".frozen/shim"]


def port_32(clock: Clock, board: Board, heap: int, folder: Path, console: IO[bytes] | None) -> Kernel:
    """A controller for `Table`: object sizes, tick period and heap are those of a board."""
    return FrozenPort(clock, board, [MAIN], heap=heap, cwd=folder, console=console)
