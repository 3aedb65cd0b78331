"""What the air does to tiles: shared antennas (R08), ghosts (R09), default and tenfold noise."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.surface import GATE, HAND, MELD, POND, Surface, draw_and_discard

from twin.air import Air
from twin.noise import Noise, Profile
from twin.tags import Tag, with_crc
from twin.tiles import AFI_TILE


def test_a_tile_heard_by_two_antennas_stays_in_one_zone(tmp_path: Path) -> None:
    """R08: heard in nearly every scan here, in one of five there."""
    noise = Noise(1, missed=0.05)
    with Surface(tmp_path, noise) as surface:
        surface.lay(range(3), MELD)
        surface.lay(range(13, 26), HAND)
        assert surface.settle()
        told = len(surface.told)
        noise.overlaps[surface.tile(1).tag, HAND] = 0.2
        noise.overlaps[surface.tile(20).tag, MELD] = 0.2
        surface.run(20.0)
        assert surface.told[told:] == []


def test_a_tile_moves_quickly_though_both_antennas_hear_it(tmp_path: Path) -> None:
    noise = Noise(1, missed=0.05)
    with Surface(tmp_path, noise) as surface:
        surface.lay(range(3), MELD)
        surface.lay(range(13, 26), HAND)
        assert surface.settle()
        noise.overlaps[surface.tile(1).tag, HAND] = 0.2
        surface.lift(1)
        surface.run(0.4)
        surface.lay(1, POND)
        surface.run(2.0)
        assert surface.places()[1] == POND
        assert not surface.wrong()


def test_ghosts_and_shifted_uids_never_become_tiles(tmp_path: Path) -> None:
    """R09: a thousand times as often as seen in the field."""
    with Surface(tmp_path, Noise(5, profile=Profile(bit_error=0.01, ghost=0.01))) as surface:
        surface.lay(range(13), HAND)
        surface.lay(range(40, 44), MELD)
        assert surface.settle()
        told = len(surface.told)
        surface.run(15.0)
        assert surface.told[told:] == []
        assert not surface.of("tag")
        counted = [asyncio.run(surface.bench.zone(zone)).noise for zone in range(16)]
        assert [zone for zone, count in enumerate(counted) if zone % 4 == GATE and count] == []
        assert counted[HAND] > 0 < counted[POND], counted


class Haunted(Noise):
    """Ghosts in one zone, with UIDs of the right maker and product that belong to no tag."""

    def __init__(self, zone: int) -> None:
        super().__init__(1, ghost=0.02)
        self.zone = zone
        self.air: Air | None = None
        self.conjured = 0

    def haunts(self) -> bool:
        return self.air is not None and any(
            on and antenna.zone == self.zone for on, antenna in zip(self.air.powered, self.air.antennas, strict=True)
        ) and super().haunts()

    def conjure(self, uids: Sequence[int]) -> bytes:
        self.conjured += 1
        return with_crc(bytes(2) + (0xE00401_0A00000000 | self.conjured).to_bytes(8, "little"))


@pytest.mark.parametrize("zone", [4 + POND, 8 + HAND])
def test_a_ghost_of_the_right_maker_counts_as_noise_of_its_zone(zone: int, tmp_path: Path) -> None:
    """R09: nobody answers to that name."""
    noise = Haunted(zone)
    with Surface(tmp_path, noise) as surface:
        noise.air = surface.table.air
        surface.lay(range(13), zone)
        surface.lay(range(20, 33), HAND)
        assert surface.settle()
        surface.run(10.0)
        counted = [asyncio.run(surface.bench.zone(other)).noise for other in range(16)]
        assert noise.conjured > 5
        assert 0.5 * noise.conjured <= counted[zone] <= noise.conjured
        assert sum(counted) == counted[zone]
        assert not surface.of("tag", "leave", "moved")


@pytest.mark.parametrize("profile", ["default", "metal", "damaged"])
def test_play_under_noise_is_told_rightly(profile: str, tmp_path: Path) -> None:
    rng = random.Random(profile)
    with Surface(tmp_path, profile) as surface:
        for seat in range(4):
            surface.lay(range(13 * seat, 13 * seat + 13), 4 * seat + HAND)
        assert surface.settle()
        wall = iter(range(60, 140))
        for turn in range(8):
            draw_and_discard(surface, rng, turn % 4, next(wall), (0.4, 0.9))
        surface.settle(10.0)
        assert surface.places() == surface.true_places()
        assert not surface.wrong()


def test_strange_tags_are_events_of_their_own(tmp_path: Path) -> None:
    """Foreign memory, a tile registered twice, two sets mixed, a tag of another maker: named, and scanning goes on."""
    with Surface(tmp_path) as surface:
        surface.lay(range(13), HAND)
        assert surface.settle()
        foreign = Tag(0xE00401_0812345678, b"shop", AFI_TILE)
        damaged = Tag(0xE00401_0811111111, b"PJ\0\7\1\2\1\0", AFI_TILE)
        maker = Tag(0xE0070012_34567890)
        from paiju.technician.tag_memory import tile_memory

        uid = 0xE00401_0854321098
        doubled = Tag(uid, tile_memory(uid.to_bytes(8, "little"), 0, 3), AFI_TILE)
        for tag, zone in ((foreign, POND), (damaged, 4 + MELD), (maker, 8 + POND), (doubled, 12 + MELD)):
            surface.put_tag(tag, zone)
        surface.lay(50, 4 + POND)
        surface.run(5.0)
        told = {(event["zone"], event["kind"], event["uid"]) for event in surface.of("tag")}
        assert told == {
            (POND, "foreign", foreign.uid.to_bytes(8, "little").hex()),
            (4 + MELD, "unknown", damaged.uid.to_bytes(8, "little").hex()),
            (8 + POND, "foreign", maker.uid.to_bytes(8, "little").hex()),
            (12 + MELD, "doubled", uid.to_bytes(8, "little").hex()),
        }
        assert surface.places() == surface.true_places()


def test_more_tags_than_a_zone_can_hold_harm_nothing(tmp_path: Path) -> None:
    with Surface(tmp_path) as surface:
        surface.lay(range(13), 4 + HAND)
        assert surface.settle()
        surface.lay(range(20, 70), HAND)  # fifty tiles; the reader's buffer holds forty
        surface.run(6.0)
        assert not surface.wrong()
        assert {n for n, zone in surface.places().items() if zone == 4 + HAND} == set(range(13))
        assert not surface.of("fault")[1:]
