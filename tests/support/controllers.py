"""Other controllers for the simulated table than the packaged PC port; built by tools/build_micropython.sh."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from twin.board import Board
from twin.clock import Clock
from twin.kernel import Kernel
from twin.table import MAIN

BUILT = Path(__file__).resolve().parents[2] / "build" / "micropython"
PORT_32 = BUILT / "micropython32"


class FrozenPort(Kernel):
    """The 32-bit PC port, which has firmware and shim frozen in as a board has the firmware."""

    def _command(self) -> tuple[list[str], list[str]]:
        return [str(PORT_32), "-X", f"heapsize={self.heap}", "-c", "\n".join(self.argv)], [".frozen/shim"]


def port_32(clock: Clock, board: Board, heap: int, folder: Path, console: IO[bytes] | None) -> Kernel:
    """A controller for `Table`: object sizes, tick period and heap are those of a board."""
    return FrozenPort(clock, board, [MAIN], heap=heap, cwd=folder, console=console)
