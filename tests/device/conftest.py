"""Where the scripts of this folder run: on the simulated board, or with --board PORT on a real one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from twin.air import Air
from twin.board import Board
from twin.clock import Clock
from twin.firmware import build
from twin.kernel import Kernel

SCRIPTS = Path(__file__).with_name("scripts")
Run = Callable[[str], list[str]]


def on_twin(script: str) -> list[str]:
    clock = Clock()
    built = build()
    kernel = Kernel(
        clock, Board(clock, Air(clock)), [str(SCRIPTS / f"{script}.py")], (built, built / "lib"), 192 * 1024
    )
    kernel.start()
    try:
        return kernel.finish(60).splitlines()
    finally:
        kernel.stop()


def on_board(port: str, script: str) -> list[str]:
    """The firmware on the board is stopped by mpremote; it starts again with the next reset."""
    done = subprocess.run(
        [sys.executable, "-m", "mpremote", "connect", port, "run", str(SCRIPTS / f"{script}.py")],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Run:
    port = request.config.getoption("--board")
    return (lambda script: on_board(port, script)) if port else on_twin
