"""No zone is left unasked for longer than the scanner promises, whatever goes on; seen at the antennas."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from support.caretaker import Caretaker
from support.surface import GATE, HAND, POND, Surface, draw_and_discard

from twin.air import Echo, Radio
from twin.noise import Noise
from twin.table import Table
from twin.technician import Technician
from twin.tiles import make_set

# docs/architecture.md, "How old": newcomers to a pond or meld, a hand, a whole pond or meld; ms
IN_PLAY = (1000, 6000, 12000)
WHILE_STACKING = (2000, 12000, 16000)
INVENTORY = 0x01
AFI = 0x10  # quiet tags answer too
ONE_SLOT = 0x20
ZONES = [zone for zone in range(16) if zone % 4 != GATE]


class Asked:
    """When each zone was probed for newcomers and when a read of all its tags began, virtual µs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.probed: dict[int, list[int]] = defaultdict(list)
        self.read: dict[int, list[int]] = defaultdict(list)
        exchange = Radio.exchange

        def heard(radio: Radio, frame: bytes | None, start: float) -> Echo | None:
            air = radio.air
            if frame is not None and frame[1] == INVENTORY and True in air.powered:
                zone = air.antennas[air.powered.index(True)].zone
                if frame[0] & ONE_SLOT:
                    self.probed[zone].append(air.clock.now)
                elif frame[0] & AFI and not frame[3]:  # a round below a mask begins nothing
                    self.read[zone].append(air.clock.now)
            return exchange(radio, frame, start)

        monkeypatch.setattr(Radio, "exchange", heard)

    def too_old(self, begin: int, end: int, promise: tuple[int, int, int]) -> dict[tuple[int, str], float]:
        """(zone, what) -> worst age in ms, of those that were beyond the promise."""
        out = {}
        newcomers_ms, hand_ms, whole_ms = promise
        for zone in ZONES:
            if zone % 4 == HAND:
                promised = {"read": (self.read, hand_ms)}
            else:
                promised = {"probe": (self.probed, newcomers_ms), "read": (self.read, whole_ms)}
            for what, (times, limit_ms) in promised.items():
                inside = [begin, *(t for t in times[zone] if begin <= t <= end), end]
                worst = max(b - a for a, b in pairwise(inside)) / 1000
                if worst > limit_ms:
                    out[zone, what] = worst
        return out


def test_in_busy_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four hands of 13, 60 tiles in the ponds, default noise, a draw and a discard every other second."""
    asked = Asked(monkeypatch)
    rng = random.Random(1)
    wall = iter(range(112, 144))
    with Surface(tmp_path) as surface:
        for seat in range(4):
            surface.lay(range(13 * seat, 13 * seat + 13), 4 * seat + HAND)
            surface.lay(range(52 + 15 * seat, 67 + 15 * seat), 4 * seat + POND)
        assert surface.settle()
        surface.make_noise(Noise.named("default"))
        begin = surface.now_us
        for turn in range(20):
            draw_and_discard(surface, rng, turn % 4, next(wall), (0.6, 1.2))
        assert asked.too_old(begin, surface.now_us, IN_PLAY) == {}


def test_while_the_other_set_is_shuffled_and_stacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many tiles lie on the surface, and the gates read the next wall with the same readers."""
    from controller.settings import Settings

    Settings(str(tmp_path / "settings"), {}).save(sets=2)
    asked = Asked(monkeypatch)
    with Table(16, state=tmp_path) as table:
        caretaker = Caretaker(table)
        mechanics = table.world.mechanics
        table.run_for(1)
        assert caretaker.build() == "up"
        mine = mechanics.sweep()
        person = Technician(table)
        for seat in range(4):
            for n in range(13):
                person.lay(mine[13 * seat + n], 4 * seat + HAND, (n + 0.5) / 13)
            person.lay_rows(mine[52 + 15 * seat : 67 + 15 * seat], 4 * seat + POND)
        table.run_for(6)
        caretaker.press("refill")
        assert caretaker.wait(lambda: mechanics.console_open, 10)
        for tile in make_set(1, 16):
            table.world.ground.add(tile)
            mechanics.drop_in(tile)
        assert caretaker.wait(lambda: caretaker.state == "shuffle", 60)
        begin = table.now
        assert caretaker.wait(lambda: caretaker.state == "hold", 90)
        assert asked.too_old(begin, table.now, WHILE_STACKING) == {}
