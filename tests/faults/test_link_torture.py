"""Nothing is lost, doubled or out of order, whatever happens to cable, host or power; `tests/soak` runs it long."""

from pathlib import Path

import pytest
from torture import torture

SMALL_RING = 64 + 26 * 400


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_event_arrives_once(tmp_path: Path, seed: int) -> None:
    result = torture(tmp_path, seed, events=4000, disconnects=8, kills=8, cuts=8, longest_outage=60)
    assert result.stored == result.events
    assert not result.gaps
    assert (result.disconnects, result.kills, result.cuts) == (8, 8, 8)
    assert result.torn > 0
    assert result.resends > 0
    assert min(result.faults[name] for name in ("lost", "doubled", "damaged")) > 10
    assert result.answers["ok"] > 0


def test_what_the_ring_overwrote_is_named(tmp_path: Path) -> None:
    result = torture(tmp_path, 4, events=3000, disconnects=6, kills=3, cuts=3, fram_size=SMALL_RING)
    assert result.gaps["overwritten"] > 0
    assert result.stored + result.in_gaps == result.events


def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    """But for kills, which strike in real time."""
    results = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        result = torture(tmp_path / name, 5, events=1000, disconnects=2, kills=0, cuts=2, longest_outage=10)
        result.real_s = 0
        results.append(result)
    assert results[0] == results[1]
