"""Antennas, fields and what travels between a reader and the tags above its antenna.

A body (anything with `tag`, `x`, `y`, `z`) couples to an antenna when its centre lies inside the rectangle:
antennas of the surface reach bodies with 0 <= z <= reach_mm, antennas below it those with -reach_mm <= z < 0.
Noise (`twin.noise`) may add weaker couplings, strays from neighbouring antennas, and damage.
Lengths are mm in the table's frame (that of seat East), times µs of the table's clock.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from twin import coupling
from twin.clock import Clock
from twin.noise import Noise
from twin.tags import HIGH_RATE, SUBCARRIERS, Tag, parse

__all__ = ("Air", "Antenna", "Body", "Echo", "Noise", "Radio", "Violation", "load_antennas")

ZONES_FILE = Path(__file__).resolve().parent.parent / "zones.toml"
CENTRE_READER = 4
NEIGHBOUR_MM = 100.0  # fields of two readers closer than this disturb each other; our choice, no sheet
STRAY_MM = 60.0  # cross-talk reaches tags this far outside the rectangle, the nearer the likelier; our choice
STRAY_LEVEL = 6  # receiver level of a stray answer
FULL_LEVEL = 15  # of an answer where coupling is not modelled
CAPTURE_LEVELS = 3  # so much stronger than all others, an answer is heard in spite of them: about 5 dB

# ISO/IEC 15693, 1 out of 4, single subcarrier, 26.48 kbit/s; in µs.
BYTE_US = 4096 / 13.56
REQUEST_SOF_US = 1024 / 13.56
EOF_US = 512 / 13.56
REPLY_SOF_US = 2048 / 13.56
REPLY_EOF_US = 2048 / 13.56
T1_US = 4352 / 13.56
T2_US = 4192 / 13.56
T3_ASK10_US = (4384 + 2048) / 13.56
T3_ASK100_US = T1_US + 32 / 13.56 + REPLY_SOF_US + 12 * BYTE_US + REPLY_EOF_US


class Body(Protocol):
    """Something with a tag at a place."""

    tag: Tag
    x: float
    y: float
    z: float


@dataclass(frozen=True, slots=True)
class Antenna:
    """A rectangle in the table's frame; `zone` is its number, `index` its input at the reader's multiplexer."""

    zone: int
    reader: int
    index: int
    x: tuple[float, float]
    y: tuple[float, float]
    reach_mm: float
    below: bool = False

    def reaches(self, x: float, y: float, z: float) -> bool:
        if not (self.x[0] <= x <= self.x[1] and self.y[0] <= y <= self.y[1]):
            return False
        return -self.reach_mm <= z < 0 if self.below else 0 <= z <= self.reach_mm

    def gap_mm(self, other: Antenna) -> float:
        """Distance between the two rectangles, 0 when they touch."""
        dx = max(self.x[0] - other.x[1], other.x[0] - self.x[1], 0.0)
        dy = max(self.y[0] - other.y[1], other.y[0] - self.y[1], 0.0)
        return float((dx * dx + dy * dy) ** 0.5)


def turned(seat: int, x: float, y: float) -> tuple[float, float]:
    """A point of a seat's own frame in the table's frame: a quarter turn counter-clockwise for each seat."""
    for _ in range(seat % 4):
        x, y = -y, x
    return x, y


def load_antennas(path: Path = ZONES_FILE) -> tuple[Antenna, ...]:
    """The antennas of `zones.toml` in the order of their zone numbers."""
    zones = tomllib.loads(path.read_text("utf-8"))
    antennas = []
    for seat in range(len(zones["seat"]["turns"])):
        for index, name in enumerate(zones["seat"]["zones"]):
            part = zones["seat"][name]
            ax, ay = turned(seat, part["x"][0], part["y"][0])
            bx, by = turned(seat, part["x"][1], part["y"][1])
            antennas.append(
                Antenna(
                    zones["seat"]["first_zone"] + len(zones["seat"]["zones"]) * seat + index,
                    seat,
                    index,
                    (min(ax, bx), max(ax, bx)),
                    (min(ay, by), max(ay, by)),
                    part["reach_mm"],
                    part.get("below", False),
                )
            )
    for index, name in enumerate(zones["centre"]["zones"]):
        part = zones["centre"][name]
        zone = zones["centre"]["first_zone"] + index
        antennas.append(Antenna(zone, CENTRE_READER, index, tuple(part["x"]), tuple(part["y"]), part["reach_mm"]))
    return tuple(antennas)


class Violation(NamedTuple):
    """Something a careful controller never does: `kind` is "fields", "t2" or "t3"; `zones` where."""

    t: int
    kind: str
    zones: tuple[int, ...]


class Echo(NamedTuple):
    """What arrives at the reader: superposed bytes with CRC, `collision` the first differing bit or None."""

    data: bytes
    collision: int | None
    delay_us: float  # beyond t1
    kbit: int  # 26, 53, or 0 for rates and subcarriers this front end cannot receive
    tags: tuple[Tag, ...]
    epochs: tuple[int, ...]
    level: int = FULL_LEVEL  # at the receiver, in steps of the reader's MIN_LEVEL

    @property
    def intact(self) -> bool:
        """False once every answering tag has lost its field since the answer began."""
        return not self.tags or any(t.epoch == e for t, e in zip(self.tags, self.epochs, strict=True))


def superpose(replies: Sequence[bytes]) -> tuple[bytes, int | None]:
    """Manchester superposition: bits that differ read as 1; also the first of them, counted from 0."""
    first = replies[0]
    if len(replies) == 1:
        return first, None
    base = int.from_bytes(first, "little")
    either, differ, size = base, 0, len(first)
    for reply in replies[1:]:
        bits = int.from_bytes(reply, "little")
        differ |= (bits ^ base) & ((1 << 8 * min(len(first), len(reply))) - 1)
        either |= bits
        size = max(size, len(reply))
    return either.to_bytes(size, "little"), (differ & -differ).bit_length() - 1 if differ else None


class Radio:
    """One reader's way to its antennas: a field on the antenna the multiplexer selects."""

    def __init__(self, air: Air, reader: int) -> None:
        self.air = air
        self.reader = reader
        self._antennas = {a.index: n for n, a in enumerate(air.antennas) if a.reader == reader}
        self._antenna: int | None = None
        self._field = False
        self._powered: int | None = None  # number in air.antennas
        self._round: list[Tag] = []
        self._kbit = 0
        self._deaf_until = 0.0
        self._silent_since: float | None = None
        self.t3_us = T3_ASK10_US

    def amplify(self, db: float) -> None:
        """This reader's field is so many dB stronger than usual, on whichever antenna."""
        for number in self._antennas.values():
            self.air.gains[number] = db

    @property
    def antenna(self) -> int | None:
        """Input the multiplexer selects, None when it is disabled."""
        return self._antenna

    @antenna.setter
    def antenna(self, index: int | None) -> None:
        self._antenna = index
        self._update()

    @property
    def field(self) -> bool:
        return self._field

    @field.setter
    def field(self, on: bool) -> None:
        self._field = on
        self._update()

    @property
    def foreign_field(self) -> bool:
        """True when a neighbouring antenna of another reader is powered."""
        number = None if self._antenna is None else self._antennas.get(self._antenna)
        return number is not None and any(self.air.powered[n] for n in self.air.neighbours[number])

    def _update(self) -> None:
        wanted = None
        if self._field and self._antenna is not None:
            wanted = self._antennas.get(self._antenna)
        if wanted == self._powered:
            return
        if self._powered is not None:
            self.air._power(self._powered, False)
        self._powered = wanted
        self._round = []
        self._deaf_until = 0.0
        self._silent_since = None
        if wanted is not None:
            self.air._power(wanted, True)

    def exchange(self, frame: bytes | None, start: float) -> Echo | None:
        """Tags' answer to a request (None: a lone EOF) that began at `start` and ends now; None for silence."""
        if self._powered is None:
            return None
        now = self.air.clock.now
        zone = self.air.antennas[self._powered].zone
        # Whole microseconds of the clock: a driver that waits exactly must not be blamed for rounding.
        if start + 1 < self._deaf_until:
            self.air.violations.append(Violation(now, "t2", (zone,)))
            self._round = []
            return None
        tags: list[Tag] = []
        replies: list[bytes] = []
        if frame is None:
            if self._silent_since is not None and start + 1 < self._silent_since + self.t3_us:
                self.air.violations.append(Violation(now, "t3", (zone,)))
            for tag in self._round:
                reply = tag.eof(now)
                if reply is not None:
                    replies.append(reply)
                    tags.append(tag)
            if tags:
                self._round = [tag for tag in self._round if tag.waiting]
        else:
            self._round = []
            flags = frame[0] if frame else 0
            self._kbit = 26 if flags & (SUBCARRIERS | HIGH_RATE) == HIGH_RATE else 0
            for body in self.air.listeners(self._powered):
                tag = body.tag
                reply = tag.request(frame, now)
                if reply is not None:
                    replies.append(reply)
                    tags.append(tag)
                elif tag.waiting:
                    self._round.append(tag)
        echo = self._echo(tags, replies, frame)
        if echo is None or not (echo.tags or echo.level == FULL_LEVEL):
            self._silent_since = now  # nobody sends, whatever the receiver makes of its noise
            return echo
        self._silent_since = None
        self._deaf_until = now + T1_US + echo.delay_us + reply_us(len(echo.data), echo.kbit == 53) + T2_US
        return echo

    def _echo(self, tags: list[Tag], replies: list[bytes], frame: bytes | None) -> Echo | None:
        noise = self.air.noise
        level = FULL_LEVEL
        if noise is not None:
            assert self._powered is not None
            heard = [pair for pair in zip(tags, replies, strict=True) if not noise.misses()]
            tags, replies = [t for t, _ in heard], [r for _, r in heard]
            if not replies:
                return self._nothing(noise, frame)
            levels = [self.air.level(self._powered, tag) for tag in tags]
            level = max(levels)
            if len(tags) > 1 and noise.profile.capture:
                best = levels.index(level)
                if all(level - other >= CAPTURE_LEVELS for n, other in enumerate(levels) if n != best):
                    tags, replies = [tags[best]], [replies[best]]
        if not replies:
            return None
        data, collision = superpose(replies)
        if noise is not None:
            data = noise.spoil(data)
        kbit = 53 if tags[0].fast and self._kbit else self._kbit
        delay = max(tag.delay_us for tag in tags)
        return Echo(data, collision, delay, kbit, tuple(tags), tuple(tag.epoch for tag in tags), level)

    def _nothing(self, noise: Noise, frame: bytes | None) -> Echo | None:
        """What the receiver makes of an answer that nobody gave."""
        assert self._powered is not None
        request = parse(frame) if frame is not None else None
        inventory = frame is None or (request is not None and request.inventory)
        if inventory and self.air.bodies and noise.haunts():
            ghost = noise.conjure([body.tag.uid for body in self.air.bodies.values()])
            return Echo(ghost, None, 0.0, self._kbit, (), ())
        if noise.profile.floor:
            hiss = noise.hiss(self.air.antennas[self._powered].zone)
            if hiss > 0:
                return Echo(noise.rubbish(), None, 0.0, self._kbit, (), (), hiss)
        return None


def request_us(size: int) -> float:
    """Air time of a request of `size` bytes, CRC included."""
    return REQUEST_SOF_US + size * BYTE_US + EOF_US


def reply_us(size: int, fast: bool = False) -> float:
    """Air time of a reply of `size` bytes, CRC included; SOF and EOF of fast replies taken as unchanged."""
    return REPLY_SOF_US + size * (BYTE_US / 2 if fast else BYTE_US) + REPLY_EOF_US


class Air:
    """All antennas and bodies of the table."""

    def __init__(self, clock: Clock, antennas: Iterable[Antenna] | None = None, noise: Noise | None = None) -> None:
        self.clock = clock
        self.antennas = tuple(load_antennas() if antennas is None else antennas)
        self.noise = noise
        self.violations: list[Violation] = []
        self.powered = [False] * len(self.antennas)
        self.present: list[dict[int, Body]] = [{} for _ in self.antennas]
        self.neighbours = [
            [
                m
                for m, b in enumerate(self.antennas)
                if b.reader != a.reader and b.below == a.below and a.gap_mm(b) < NEIGHBOUR_MM
            ]
            for a in self.antennas
        ]
        self._inside: dict[int, list[int]] = {}
        self._coupled = noise is not None and noise.profile.coupling
        self._strengths: list[dict[Tag, float]] = [{} for _ in self.antennas]  # dB, of tags present
        self.gains = [0.0] * len(self.antennas)  # dB, of the field's power
        self._strays: list[list[Body]] = [[] for _ in self.antennas]
        self._beside = [
            [m for m, b in enumerate(self.antennas) if m != n and b.below == a.below and a.gap_mm(b) <= STRAY_MM]
            for n, a in enumerate(self.antennas)
        ]
        self.bodies: dict[int, Body] = {}
        self._radios: dict[int, Radio] = {}

    def radio(self, reader: int) -> Radio:
        """The radio of reader 0-3 (seats) or 4 (centre); the same object at every call."""
        if reader not in self._radios:
            self._radios[reader] = Radio(self, reader)
        return self._radios[reader]

    def zones_at(self, x: float, y: float, z: float) -> list[int]:
        """Zone numbers whose antenna reaches the point."""
        return [a.zone for a in self.antennas if a.reaches(x, y, z)]

    def add(self, body: Body) -> None:
        self.bodies[id(body)] = body
        self._inside[id(body)] = []
        self.moved(body)

    def remove(self, body: Body) -> None:
        self._place(body, [])
        del self.bodies[id(body)], self._inside[id(body)]

    def moved(self, body: Body) -> None:
        """Tell that `body` has a new place; its tag gains or loses the field accordingly."""
        x, y, z = body.x, body.y, body.z
        if self._coupled:
            self._place(body, [n for n, a in enumerate(self.antennas) if coupling.near(a, body)])
            for n in self._inside[id(body)]:
                self._strengths[n].clear()
        else:
            self._place(body, [n for n, a in enumerate(self.antennas) if a.reaches(x, y, z)])

    def _place(self, body: Body, new: list[int]) -> None:
        key = id(body)
        old = self._inside[key]
        if new == old:
            return
        self._inside[key] = new
        for n in old:
            if n not in new:
                del self.present[n][key]
                self._strengths[n].clear()
                if self.powered[n]:
                    body.tag.power(False, self.clock.now)
        for n in new:
            if n not in old:
                self.present[n][key] = body
                if self.powered[n]:
                    body.tag.power(True, self.clock.now)

    def strength_db(self, number: int, tag: Tag) -> float:
        """Strength of a tag that is present at antenna `number`, in dB above what it needs."""
        known = self._strengths[number]
        if not known:
            antenna, bodies = self.antennas[number], list(self.present[number].values())
            for body in bodies:
                known[body.tag] = coupling.strength_db(antenna, body, bodies)
        return known[tag] + self.gains[number]

    def level(self, number: int, tag: Tag) -> int:
        """Receiver level of a tag's answer at antenna `number`."""
        if any(body.tag is tag for body in self._strays[number]):
            return min(max(STRAY_LEVEL + round(self.gains[number] / coupling.DB_A_LEVEL), 0), FULL_LEVEL)
        return coupling.level(self.strength_db(number, tag)) if self._coupled else FULL_LEVEL

    def listeners(self, number: int) -> list[Body]:
        """The bodies whose tags understand a request of antenna `number` this time."""
        bodies = list(self.present[number].values())
        noise = self.noise
        if noise is None:
            return bodies
        if self._coupled:
            bodies = [b for b in bodies if noise.chance(coupling.chance_heard(self.strength_db(number, b.tag)))]
        return bodies + self._strays[number]

    def _stray(self, number: int, noise: Noise) -> list[Body]:
        """Bodies elsewhere that the field of antenna `number` happens to power this time."""
        zone = self.antennas[number].zone
        here = self.present[number]
        gain = self.gains[number]
        strays = [
            body
            for body in self.bodies.values()
            if (body.tag, zone) in noise.overlaps
            and id(body) not in here
            and self._inside[id(body)]
            and noise.chance(coupling.chance_shifted(noise.overlaps[body.tag, zone], gain))
        ] if noise.overlaps else []  # fmt: skip
        if noise.chance(coupling.chance_shifted(noise.profile.crosstalk, gain)):
            antenna = self.antennas[number]
            around: list[Body] = []
            weights: list[float] = []
            for m in self._beside[number]:
                for key, body in self.present[m].items():
                    apart = coupling.outside_mm(antenna, body)
                    if key not in here and apart <= STRAY_MM:
                        around.append(body)
                        weights.append(1 - apart / (STRAY_MM + 1))
            if around:
                chosen = around[noise.pick(weights)]
                if chosen not in strays:
                    strays.append(chosen)
        return [body for body in strays if not body.tag.powered]

    def _power(self, number: int, on: bool) -> None:
        self.powered[number] = on
        now = self.clock.now
        if on:
            for n in self.neighbours[number]:
                if self.powered[n]:
                    zones = (self.antennas[n].zone, self.antennas[number].zone)
                    self.violations.append(Violation(now, "fields", zones))
            if self.noise is not None:
                self._strays[number] = self._stray(number, self.noise)
        for body in self.present[number].values():
            body.tag.power(on, now)
        for body in self._strays[number]:
            body.tag.power(on, now)
        if not on and self._strays[number]:
            self._strays[number] = []
