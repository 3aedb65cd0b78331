"""The twin's kernel as a process owner: pipes reach the firmware whatever else this process has open."""

from __future__ import annotations

import os
from contextlib import ExitStack

import pytest
from rig import Table


@pytest.mark.parametrize("below", range(48, 66))
def test_the_pipes_arrive_with_any_number_of_open_files(below: int) -> None:
    with ExitStack() as held:
        while (fd := os.open(os.devnull, os.O_RDONLY)) < below:
            held.callback(os.close, fd)
        os.close(fd)
        assert Table().run("scan", "300", "200:stats")
