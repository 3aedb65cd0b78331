"""Lets the tests of this folder import each other; with PAIJU_BUILT in the environment nothing may be missing."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_configure() -> None:
    """What has just been built is tested, not skipped."""
    from pico import missing
    from support.controllers import missing_port_32

    why = missing() or missing_port_32()
    if os.environ.get("PAIJU_BUILT") and why:
        raise pytest.UsageError(why)
