"""Host and table as processes of their own, ended by SIGKILL; `tests/soak` does it a hundred times."""

from pathlib import Path

from kills import kills


def test_killed_hosts_and_a_killed_table(tmp_path: Path) -> None:
    result = kills(tmp_path, seed=2, kills=6, cuts=1)
    assert (result.kills, result.cuts) == (6, 1)
    assert result.stored == result.events > 300
