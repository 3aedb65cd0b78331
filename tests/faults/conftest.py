"""Lets the tests of this folder import the firmware's modules that need no board, and the torture run."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "firmware"), str(TESTS / "soak")]
