"""R06: every tag once, whatever UIDs, bit errors or a tag that leaves; never more than the caller's buffer."""

from __future__ import annotations

import pytest
from support.inventories import adversarial_sets, bound_ms, random_sets, run, uid

from twin.noise import Noise


@pytest.mark.parametrize(("size", "count"), [(14, 12), (34, 5), (136, 1)])
def test_random_sets_are_read_completely(size: int, count: int) -> None:
    for found in run(random_sets(count, size, 1)):
        assert found.complete
        assert not found.overflow
        assert (found.noise, found.lost) == (0, 0)


@pytest.mark.parametrize("size", [2, 14, 34])
def test_sets_that_collide_at_every_depth_are_read_completely(size: int) -> None:
    for found in run(adversarial_sets(size)):
        assert found.complete, [hex(u) for u in found.wanted ^ set(found.uids)]
        assert not found.overflow


@pytest.mark.parametrize("share", [0.005, 0.02])
def test_bit_errors_are_asked_again(share: float) -> None:
    sets = random_sets(8, 14, 2) + random_sets(3, 34, 2)
    results = run(sets, Noise(2, bit_error=share))
    assert any(found.noise for found in results)
    for found in results:
        assert set(found.uids) <= found.wanted
        assert len(found.uids) == len(set(found.uids))
        assert found.complete or found.lost


def test_more_tags_than_the_buffer_holds_are_an_overflow() -> None:
    for found in run(random_sets(4, 14, 3), capacity=10):
        assert found.overflow
        assert len(found.uids) == len(set(found.uids)) == 10
        assert set(found.uids) <= found.wanted


def test_the_bound_is_that_of_the_budget() -> None:
    assert bound_ms([]) == pytest.approx(9.78, abs=0.01)
    assert bound_ms([uid(5)]) == pytest.approx(13.9, abs=0.05)
    mean = sum(map(bound_ms, random_sets(400, 14, 7))) / 400
    assert mean == pytest.approx(121, abs=3)
