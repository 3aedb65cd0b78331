"""What the scanner would say of tiles that people put somewhere, without chips: delays, and readings that go wrong.

The delays are those of the firmware on the simulated chips (hands 1, 6 and 9): from a tile's rest to its event.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from twin.clock import Clock
from twin.geometry import SEATS, ZONES
from twin.tiles import TILES, Body, Tile

HAND, MELD, POND = range(3)
NOWHERE = -1

Quantiles = tuple[float, ...]  # at equal shares from the smallest to the largest, ms

POND_DELAY: Quantiles = (20, 31, 45, 63, 80, 107, 139)
MELD_DELAY: Quantiles = (22, 45, 75, 106, 140, 200, 294)
HAND_DELAY: Quantiles = (31, 150, 230, 300, 390, 500, 690)
DEALT_DELAY: Quantiles = (41, 90, 200, 394, 700, 1400, 2860)  # four blocks arrive while one hand is read
SILENCE_DISCARD: Quantiles = (60, 100, 180)  # the last discard is asked by its address
SILENCE_OPEN: Quantiles = (200, 1000, 2000, 2700)  # quiet tiles are looked for by the audit in turn
SILENCE_HAND: Quantiles = (100, 400, 800, 1200)
HOLD_MS = 1500  # a silent tile is waited for so long before it has left
FULL_READ: Quantiles = (150, 200, 260)  # from the win button to `zone_read`

ASTRAY_MS = (100, 900)
BLINK_MS = (80, 1600)  # beyond HOLD_MS
BLIND_MS = (500, 3000)
MISSED_AGAIN = 0.5  # of the rounds after a missed one


@dataclass(frozen=True, slots=True)
class Noise:
    """Chances per tile put down, but `ghost` and `outage`, which are per second of the hand.

    unread: a standing tile is not read until it moves or its zone is read in full; late: missed by the first round
    that should read it, and by every other one after it;
    astray: first, or for a moment later, seen in a neighbouring zone; blink: given up as gone, then back;
    overlooked: missed even by a full read; ghost: a tag that is no tile; outage: a seat's reader is down for a while.
    """

    unread: float = 0.0
    late: float = 0.0
    astray: float = 0.0
    blink: float = 0.0
    overlooked: float = 0.0
    ghost: float = 0.0
    outage: float = 0.0

    def times(self, factor: float) -> Noise:
        """Everything so many times as often."""
        return replace(self, **{name: getattr(self, name) * factor for name in self.__slots__})


DEFAULT = Noise(unread=0.0002, late=0.01, astray=0.004, blink=0.01, overlooked=0.0002, ghost=0.002, outage=0.001)
NOISES = {"none": Noise(), "default": DEFAULT, "heavy": DEFAULT.times(5)} | {
    name: Noise(**{name: 10 * getattr(DEFAULT, name)}) for name in Noise.__slots__
}
"""Also each kind alone, ten times as often."""

Say = Callable[..., None]


@cache
def coupled(x: float, y: float, z: float) -> int:
    """Zone whose antenna a tile at this place couples to, NOWHERE without one."""
    if z < 0:
        return NOWHERE
    for seat in range(SEATS):
        for place in (HAND, MELD, POND):
            zone = ZONES["seat"][ZONES["seat"]["zones"][place]]
            inside = zone["x"][0] <= x <= zone["x"][1] and zone["y"][0] <= y <= zone["y"][1]
            if inside and z <= zone["reach_mm"]:
                return 4 * seat + place
        x, y = y, -x  # into the coordinates of the next seat
    return NOWHERE


def neighbours(zone: int) -> list[int]:
    """Zones whose antennas lie beside that of `zone`."""
    seat, place = divmod(zone, 4)
    left, right = 4 * ((seat - 1) % SEATS), 4 * ((seat + 1) % SEATS)
    beside = {HAND: (MELD,), MELD: (HAND, POND), POND: (MELD,)}[place]
    across = {HAND: (MELD,), MELD: (HAND, MELD), POND: (POND,)}[place]
    return [4 * seat + other for other in beside] + [side + other for side in (left, right) for other in across]


class Sights:
    """Takes the place of `twin.air.Air`: hears where the tiles are and says what a scanner would say, when it would.

    `say(event, **fields)` takes the events. `dealing` is true while many tiles arrive at once.
    """

    def __init__(self, clock: Clock, say: Say, noise: Noise, seed: int | str) -> None:
        self._clock = clock
        self._say = say
        self._noise = noise
        self._rng = random.Random(f"{seed}/sights")
        self._at = [NOWHERE] * TILES  # where the tile is
        self._known = [NOWHERE] * TILES  # where it was last told to be
        self._stays = [0] * TILES  # counts the changes of place
        self._codes = [0] * TILES
        self._discard = NOWHERE
        self._blind_until = [0] * SEATS
        self.dealing = True
        self.counts = dict.fromkeys(Noise.__slots__, 0)

    # -- what people do

    def add(self, body: Body) -> None:
        assert isinstance(body, Tile)
        self._codes[body.number] = body.code

    def moved(self, body: Body) -> None:
        assert isinstance(body, Tile)
        tile, zone = body.number, coupled(body.x, body.y, body.z)
        if zone == self._at[tile]:
            return
        self._at[tile] = zone
        self._stays[tile] += 1
        if zone != NOWHERE:
            self._arrive(tile, zone)
        known = self._known[tile]
        if known not in (NOWHERE, zone):
            self._later(tile, self._silence(tile, known) + HOLD_MS, lambda: self._give_up(tile, known))

    def _arrive(self, tile: int, zone: int) -> None:
        rng, noise, place = self._rng, self._noise, zone % 4
        delay = self._delay(place)
        if place == HAND and self._happens("unread"):
            return
        if self._happens("late"):
            delay += self._round(tile, place)
            while rng.random() < MISSED_AGAIN:
                delay += self._round(tile, place)
        if self._happens("astray"):
            wrong = rng.choice(neighbours(zone))
            if rng.random() < 0.5:
                self._later(tile, delay, lambda: self._settle(tile, wrong))
                delay += rng.uniform(*ASTRAY_MS)
            else:
                again = delay + rng.uniform(*ASTRAY_MS)
                self._later(tile, again, lambda: self._settle(tile, wrong))
                self._later(tile, again + rng.uniform(*ASTRAY_MS), lambda: self._settle(tile, zone))
        if noise.blink and self._happens("blink"):
            gone = delay + rng.uniform(100, 8000)
            self._later(tile, gone, lambda: self._lose(tile))
            self._later(tile, gone + rng.uniform(*BLINK_MS), lambda: self._settle(tile, zone))
        self._later(tile, delay, lambda: self._see(tile, zone))

    def _happens(self, what: str) -> bool:
        chance: float = getattr(self._noise, what)
        if chance and self._rng.random() < chance:
            self.counts[what] += 1
            return True
        return False

    def _delay(self, place: int) -> float:
        if place == HAND:
            return self._draw(DEALT_DELAY if self.dealing else HAND_DELAY)
        return self._draw(POND_DELAY if place == POND else MELD_DELAY)

    def _round(self, tile: int, place: int) -> float:
        """Until the zone is asked again; what rested in the open is still quiet and answers the audit only."""
        if place == HAND:
            return self._draw(HAND_DELAY)
        known = self._known[tile]
        quiet = known != NOWHERE and known % 4 != HAND
        return self._draw(SILENCE_OPEN if quiet else MELD_DELAY)

    def _silence(self, tile: int, zone: int) -> float:
        if tile == self._discard:
            return self._draw(SILENCE_DISCARD)
        return self._draw(SILENCE_HAND if zone % 4 == HAND else SILENCE_OPEN)

    def _draw(self, quantiles: Quantiles) -> float:
        at = self._rng.random() * (len(quantiles) - 1)
        low, high = list(pairwise(quantiles))[int(at)]
        return low + (high - low) * (at - int(at))

    def _later(self, tile: int, ms: float, fn: Callable[[], None]) -> None:
        """Unless the tile has moved by then."""
        stay = self._stays[tile]

        def due() -> None:
            if self._stays[tile] == stay:
                fn()

        self._clock.after(ms * 1000, due)

    # -- what is told

    def _see(self, tile: int, zone: int) -> None:
        blind = self._blind_until[zone // 4] - self._clock.now
        if blind > 0:
            self._later(tile, blind / 1000 + self._delay(zone % 4), lambda: self._see(tile, zone))
        else:
            self._settle(tile, zone)

    def _settle(self, tile: int, zone: int) -> None:
        known = self._known[tile]
        if known == zone:
            return
        self._known[tile] = zone
        if zone % 4 == POND:
            self._discard = tile
        if known == NOWHERE:
            self._say("enter", zone=zone, tile=self._codes[tile])
        else:
            self._say("moved", **{"tile": self._codes[tile], "from": known, "to": zone})

    def _give_up(self, tile: int, zone: int) -> None:
        if self._known[tile] == zone:
            self._lose(tile)

    def _lose(self, tile: int) -> None:
        zone = self._known[tile]
        if zone != NOWHERE:
            self._known[tile] = NOWHERE
            self._say("leave", zone=zone, tile=self._codes[tile])

    def read_seat(self, seat: int) -> None:
        """A full read of the seat's zones begins; newcomers in every open zone are found with it."""
        self._clock.after(self._draw(FULL_READ) * 1000, lambda: self._read(seat))

    def _read(self, seat: int) -> None:
        for tile, zone in enumerate(self._at):
            known = self._known[tile]
            if known == zone:
                continue
            there = zone != NOWHERE and (zone // 4 == seat or zone % 4 != HAND)
            if there and not self._happens("overlooked"):
                self._settle(tile, zone)
            elif zone == NOWHERE and known // 4 == seat:
                self._lose(tile)
        for place in (HAND, MELD, POND):
            zone = 4 * seat + place
            self._say("zone_read", zone=zone, count=self._known.count(zone))

    def clear(self) -> None:
        """The tiles were pushed into the table."""
        for tile in range(TILES):
            self._stays[tile] += 1
            self._lose(tile)

    # -- what has nothing to do with tiles

    def disturb(self) -> None:
        """Begin ghosts and outages; they go on for ever."""
        if self._noise.ghost:
            self._next(self._noise.ghost, self._ghost)
        if self._noise.outage:
            self._next(self._noise.outage, self._outage)

    def _next(self, a_second: float, fn: Callable[[], None]) -> None:
        def due() -> None:
            fn()
            self._next(a_second, fn)

        self._clock.after(self._rng.expovariate(a_second) * 1e6, due)

    def _ghost(self) -> None:
        self.counts["ghost"] += 1
        zone = 4 * self._rng.randrange(SEATS) + self._rng.choice((HAND, MELD, POND))
        kind = self._rng.choice(("unknown", "foreign", "other_set"))
        self._say("tag", zone=zone, kind=kind, uid=f"{self._rng.getrandbits(64):016x}")

    def _outage(self) -> None:
        self.counts["outage"] += 1
        seat, ms = self._rng.randrange(SEATS), self._rng.uniform(*BLIND_MS)
        self._blind_until[seat] = self._clock.now + int(ms * 1000)
        self._say("reader", reader=seat, state="down")
        self._clock.after(ms * 1000, lambda: self._say("reader", reader=seat, state="ok"))
