"""The simulated table with the RP2040 build of the firmware on an emulated Pico (rp2040js, see pico.mjs)."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import IO

from support.controllers import BUILT, stale

from twin.board import Board
from twin.clock import Clock
from twin.kernel import Kernel

HERE = Path(__file__).parent
EMULATOR = BUILT.with_name("rp2040js")
IMAGE = BUILT / "rp2040.uf2"
SYMBOLS = BUILT / "rp2040.symbols"
BOOTROM = EMULATOR / "bootrom.bin"


def missing() -> str:
    """What is missing for the emulated Pico, in one sentence; empty when all is there."""
    if not shutil.which("node"):
        return "Node.js is not installed: the emulator of the Pico runs on it"
    if not BOOTROM.exists():
        return "no emulator of the Pico: run tests/rp2040/install.sh"
    return stale(IMAGE)


class Pico(Kernel):
    """The emulator instead of a PC port: it speaks the same calls."""

    def _command(self) -> tuple[list[str], list[str]]:
        assert self.cwd is not None
        spec = self.board.spec
        pins, readers, spi, i2c = spec["pins"], spec["reader"], spec["spi"], spec["i2c"]["panel"]
        config = {
            "modules": str(EMULATOR),
            "bootrom": str(BOOTROM),
            "image": str(IMAGE),
            "start": self.clock.now,
            "flash": str(self.cwd / "flash.bin"),
            "collect": int(SYMBOLS.read_text().split()[1], 16),
            "serial": list(bytes.fromhex(self.board.unique_id)),
            "outputs": [*(pins[name] for name in ("fram_cs", "expander_cs", "adc_cs")), *(r["cs"] for r in readers)],
            "inputs": [pins["reader_irq"], pins["expander_int"], *(r["busy"] for r in readers)],
            "spi": [spi["rf"]["id"], spi["aux"]["id"]],
            "i2c": {"bus": i2c["id"], "freq": i2c["freq"],
                    "addresses": [*spec["pwm"]["addresses"], *spec["panel"]["addresses"]]},
            "uart": {"id": spec["link"]["uart"], "baud": spec["link"]["baud"]},
        }  # fmt: skip
        path = self.cwd / "pico.json"
        path.write_text(json.dumps(config))
        return ["node", str(HERE / "pico.mjs"), str(path)], []

    @property
    def collections(self) -> list[int]:
        """Microseconds of each garbage collection so far."""
        return [int(us) for us in re.findall(r"^\[gc\] (\d+)$", self.output(), re.MULTILINE)]


def pico(clock: Clock, board: Board, heap: int, folder: Path, console: IO[bytes] | None) -> Kernel:
    """A controller for `Table`. The heap is what the chip has, whatever `heap` says."""
    return Pico(clock, board, [], heap=heap, cwd=folder, console=console)
