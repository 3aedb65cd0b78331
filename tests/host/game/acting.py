"""Acts a recorded hand out as table events: tiles in motion, readers with delays, one seed one log.

Two steps as at a real table: people put tiles somewhere at some time; readers report it later, hands slower
than ponds, tiles that were gone before the reader came never.
"""

import json
import os
import random
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paiju.game.actions import Action, ActionKind
from paiju.game.record import HandRecord
from paiju.table.events import Event
from paiju.tiles import code_of, face_of, tiles_of_face

Record = dict[str, Any]
HAND, MELD, POND = 0, 1, 2
WALL = None
HERE = Path(__file__).parent


def shared_hands() -> list[Record]:
    """The corpus of real hands beside the checkout, or nothing."""
    root = Path(os.environ.get("PAIJU_SHARED", HERE.parents[3] / "shared"))
    path = root / "corpora" / "real_hands.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def carried_hand(name: str) -> Record:
    """A hand carried beside the tests."""
    record: Record = json.loads((HERE / "hands" / f"{name}.json").read_text("utf-8"))
    return record


@dataclass(frozen=True)
class Pace:
    """Milliseconds, each a range: of people's acts, and from a tile's arrival to its report."""

    turn: tuple[int, int] = (700, 1500)
    carry: tuple[int, int] = (200, 400)
    between: tuple[int, int] = (40, 250)
    pond: tuple[int, int] = (20, 90)
    meld: tuple[int, int] = (20, 160)
    hand: tuple[int, int] = (60, 300)
    leave: tuple[int, int] = (60, 400)


@dataclass(frozen=True)
class Noise:
    """Chances per tile put down: that it flickers, is seen in a wrong zone first, or is not read at all."""

    flicker: float = 0.0
    astray: float = 0.0
    unread: float = 0.0

    def times(self, factor: float) -> "Noise":
        return Noise(self.flicker * factor, self.astray * factor, self.unread * factor)


QUIET = Noise()
USUAL = Noise(flicker=0.01, astray=0.004, unread=0.002)
CALM = Pace()
HASTY = Pace(turn=(180, 450), carry=(80, 200), between=(10, 120), hand=(60, 700), meld=(20, 500), leave=(50, 900))


@dataclass
class Stay:
    """A tile lies in a zone from `put` until `lift`."""

    tile: int
    zone: int
    put: float
    lift: float | None = None
    report: float | None = None


@dataclass
class Table:
    """Where the tiles are while the hand is acted, and everything that was done with them."""

    rng: random.Random
    pace: Pace
    now: float = 0.0
    stays: list[Stay] = field(default_factory=list)
    at: dict[int, Stay] = field(default_factory=dict)
    others: list[tuple[float, str, dict[str, int | str]]] = field(default_factory=list)
    unused: dict[int, list[int]] = field(default_factory=dict)

    def ms(self, span: tuple[int, int]) -> float:
        return self.rng.uniform(*span)

    def from_wall(self, code: str) -> int:
        face = face_of(code)
        if face not in self.unused:
            self.unused[face] = self.rng.sample(list(tiles_of_face(face)), len(tiles_of_face(face)))
        return self.unused[face].pop()

    def put(self, tile: int, seat: int, where: int, at: float | None = None) -> None:
        """Carry a tile to a zone, now or at a later time."""
        start = self.now if at is None else at
        self.lift(tile, start)
        stay = Stay(tile, 4 * seat + where, start + self.ms(self.pace.carry))
        self.stays.append(stay)
        self.at[tile] = stay
        if at is None:
            self.now = stay.put

    def lift(self, tile: int, at: float | None = None) -> None:
        if tile in self.at:
            self.at.pop(tile).lift = self.now if at is None else at

    def in_zone(self, seat: int, where: int, code: str | None = None) -> list[int]:
        tiles = [s.tile for s in self.at.values() if s.zone == 4 * seat + where]
        return [t for t in tiles if code is None or code_of(t >> 2 if t < 136 else t - 102) == code]

    def say(self, kind: str, **fields: int | str) -> None:
        self.others.append((self.now, kind, fields))

    def press(self, seat: int, button: str) -> None:
        self.say("button", seat=seat, button=button, pressed=1)
        self.others.append((self.now + 200, "button", {"seat": seat, "button": button, "pressed": 0}))


class Actors:
    """Plays `record` on a `Table`; `events()` is what the table's controller says of it."""

    def __init__(self, record: Record, seed: int = 1, pace: Pace = CALM, noise: Noise = QUIET) -> None:
        self.record = record
        self.noise = noise
        self.table = Table(random.Random(f"{seed}/{record.get('id')}"), pace)
        self.live: int | None = None
        self.reads: list[tuple[float, int]] = []
        self._drawn: dict[int, int] = {}

    def play(self) -> "Actors":
        self.deal()
        for act in self.record["events"]:
            self.act(act)
        if self.record["result"]["kind"] == "draw":
            self.collect()
        return self

    def deal(self) -> None:
        table = self.table
        table.say("cycle", state="raise", set="A")
        table.now += 3000
        table.say("cycle", state="ready", set="A")
        for throw in (1, 2):
            table.now += 1500
            table.say("dice", throw=throw, die1=table.rng.randint(1, 6), die2=table.rng.randint(1, 6))
        deal = [list(codes) for codes in self.record["deal"]]
        dealer = self.record["dealer"]
        for start in range(0, 16, 4):
            for seat in ((dealer + step) % 4 for step in range(4)):
                table.now += 300
                for code in deal[seat][start : start + 4]:
                    table.put(table.from_wall(code), seat, HAND, table.now)
        table.now += 1500

    def act(self, act: Record) -> None:
        getattr(self, act["t"])(act)

    def draw(self, act: Record) -> None:
        table = self.table
        table.now += table.ms(table.pace.between)
        tile = table.from_wall(act["tile"])
        self._drawn[act["seat"]] = tile
        table.put(tile, act["seat"], HAND)

    def pick(self, seat: int, code: str) -> int:
        """The copy just drawn, if it fits, else any."""
        held = self.table.in_zone(seat, HAND, code)
        drawn = self._drawn.get(seat)
        return drawn if drawn in held and drawn is not None else held[0]

    def discard(self, act: Record) -> None:
        table = self.table
        table.now += table.ms(table.pace.turn)
        self.live = self.pick(act["seat"], act["tile"])
        table.put(self.live, act["seat"], POND)

    def flower(self, act: Record) -> None:
        table = self.table
        table.now += table.ms(table.pace.turn)
        table.put(self.pick(act["seat"], act["tile"]), act["seat"], MELD)

    def lay(self, seat: int, tiles: list[int]) -> None:
        table = self.table
        table.rng.shuffle(tiles)
        start, end = table.now + table.ms(table.pace.turn), 0.0
        for tile in tiles:
            table.put(tile, seat, MELD, start)
            end = table.at[tile].put
            start += table.ms(table.pace.between)
        table.now = max(end, start)

    def own(self, seat: int, codes: list[str]) -> list[int]:
        chosen: list[int] = []
        for code in codes:
            chosen.append(next(t for t in self.table.in_zone(seat, HAND, code) if t not in chosen))
        return chosen

    def chow(self, act: Record) -> None:
        middle = face_of(act["middle"])
        rest = [code_of(face) for face in (middle - 1, middle, middle + 1)]
        rest.remove(act["tile"])
        self.lay(act["seat"], [self.claimed(), *self.own(act["seat"], rest)])

    def pung(self, act: Record) -> None:
        self.lay(act["seat"], [self.claimed(), *self.own(act["seat"], [act["tile"]] * 2)])

    def kong(self, act: Record) -> None:
        count = {"melded": 3, "added": 1, "concealed": 4}[act["kind"]]
        tiles = self.own(act["seat"], [act["tile"]] * count)
        self.lay(act["seat"], [*tiles, self.claimed()] if act["kind"] == "melded" else tiles)
        self.live = tiles[0] if act["kind"] == "added" else None

    def claimed(self) -> int:
        assert self.live is not None
        return self.live

    def win(self, act: Record) -> None:
        table = self.table
        table.now += table.ms(table.pace.turn)
        table.press(act["seat"], "win")
        self.reads.append((table.now, act["seat"]))
        if act["by"] != "self" and self.live is not None:
            table.put(self.live, act["seat"], HAND, table.now + 600)
            self.live = None

    def collect(self) -> None:
        table = self.table
        table.now += 4000
        table.press(255, "refill")
        table.now += 300
        table.say("cycle", state="collect", set="A")
        self.sweep()

    def sweep(self) -> None:
        """Every tile is pushed to the middle, some of them through other zones."""
        table = self.table
        for tile in list(table.at):
            table.now += 40
            if table.rng.random() < 0.5:
                table.put(tile, table.rng.randrange(4), POND, table.now)
            table.lift(tile, table.now + 700)

    def reported(self) -> None:
        """When each stay comes to light: late, at a full read after a win button at the latest, or never."""
        pace = self.table.pace
        for stay in self.table.stays:
            span = (pace.hand, pace.meld, pace.pond)[stay.zone % 4]
            report = stay.put + self.table.ms(span)
            for pressed, seat in self.reads:
                if stay.zone // 4 == seat and stay.put < pressed:
                    report = min(report, pressed + 150)
            if stay.lift is None or report < stay.lift:
                stay.report = report
        self.disturb()

    def disturb(self) -> None:
        """Readers that lose a tile for a while, see it in a wrong zone first, or overlook it in a hand."""
        rng, noise, extra = self.table.rng, self.noise, []
        for stay in self.table.stays:
            if stay.report is None:
                continue
            room = (stay.lift if stay.lift is not None else stay.report + 8000) - stay.report
            if rng.random() < noise.unread and stay.zone % 4 == HAND and not self.read_after(stay):
                stay.report = None
            elif rng.random() < noise.flicker and room > 2500:
                gone = stay.report + rng.uniform(100, room - 2000)
                back = Stay(stay.tile, stay.zone, gone, stay.lift, gone + rng.uniform(80, 1600))
                stay.lift = gone - 1000  # reported with its own delay
                extra.append(back)
            elif rng.random() < noise.astray and room > 1500:
                wrong = rng.choice([z for z in range(16) if z % 4 != 3 and z != stay.zone])
                late = stay.report + rng.uniform(100, 900)
                extra.append(Stay(stay.tile, stay.zone, late, stay.lift, late))
                stay.zone, stay.lift = wrong, late
        self.table.stays += extra

    def read_after(self, stay: Stay) -> bool:
        """Whether a full read of the zone follows while the tile lies there."""
        lifted = float("inf") if stay.lift is None else stay.lift
        return any(seat == stay.zone // 4 and pressed < lifted for pressed, seat in self.reads)

    def events(self) -> list[Event]:
        self.reported()
        rows: list[tuple[float, str, dict[str, int | str]]] = list(self.table.others)
        for pressed, seat in self.reads:
            for where in (HAND, MELD, POND):
                rows.append((pressed + 200 + 20 * where, "zone_read", {"zone": 4 * seat + where, "count": 0}))
        stays: dict[int, list[Stay]] = defaultdict(list)
        for stay in sorted(self.table.stays, key=lambda s: s.put):
            if stay.report is not None:
                stays[stay.tile].append(stay)
        for tile, seen in stays.items():
            zone: int | None = WALL
            for stay, following in zip(seen, [*seen[1:], None], strict=True):
                assert stay.report is not None
                if zone is WALL:
                    rows.append((stay.report, "enter", {"zone": stay.zone, "tile": tile}))
                else:
                    rows.append((stay.report, "moved", {"tile": tile, "from": zone, "to": stay.zone}))
                zone = stay.zone
                if stay.lift is None:
                    continue
                gone = max(stay.lift + self.table.ms(self.table.pace.leave), stay.report + 30)
                if following is None or (following.report is not None and gone < following.report):
                    rows.append((max(gone, stay.report), "leave", {"zone": zone, "tile": tile}))
                    zone = WALL
        rows.sort(key=lambda row: row[0])
        return [Event(n, round(t), 1, kind, fields) for n, (t, kind, fields) in enumerate(rows, 1)]


def act_out(record: Record, seed: int = 1, pace: Pace = CALM, noise: Noise = QUIET) -> list[Event]:
    return Actors(record, seed, pace, noise).play().events()


Step = tuple[Any, ...]


def expected(record: Record) -> list[Step]:
    """The steps of a recorded hand as (kind, seat, faces, source); the dealer's fourteenth tile is dealt."""
    deal = [list(codes) for codes in record["deal"]]
    acts = list(record["events"])
    dealer = record["dealer"]
    if len(deal[dealer]) == 13:
        deal[dealer].append(acts.pop(0)["tile"])
    steps: list[Step] = [("deal", seat, tuple(sorted(codes)), None) for seat, codes in enumerate(deal)]
    won = False
    for act in acts:
        kind, seat, tiles, source = act["t"], act["seat"], (act["tile"],), act.get("frm")
        if kind == "draw":
            kind = f"draw {'kong' if act['src'] == 'replacement' else act['src']}"
        elif kind == "chow":
            middle = face_of(act["middle"])
            tiles = tuple(sorted(code_of(face) for face in (middle - 1, middle, middle + 1)))
        elif kind == "pung":
            tiles = tiles * 3
        elif kind == "kong":
            kind = f"{act['kind']}_kong"
            tiles = tiles * (1 if act["kind"] == "added" else 4)
            source = source if act["kind"] == "melded" else None
        elif kind == "win" and won:
            continue
        won = won or kind == "win"
        steps.append((kind, seat, tiles, source))
    if record["result"]["kind"] == "draw":
        steps.append(("end", None, (), None))
    return steps


def told(record: HandRecord) -> list[Step]:
    """The steps of a tracked hand in the same form."""
    return [_step(action) for action in record.actions]


def _step(action: Action) -> Step:
    codes = tuple(sorted(code_of(face) for face in action.faces))
    source = action.source
    kind = action.kind.value
    if action.kind is ActionKind.DRAW:
        assert action.drawn_from is not None
        kind = f"draw {action.drawn_from.value}"
    elif action.kind is ActionKind.WIN:
        codes = (code_of(action.faces[0]),)
    elif action.kind is ActionKind.ADDED_KONG:
        source = None
    return kind, action.seat, codes, source


def in_turn(steps: list[Step]) -> tuple[list[Step], list[list[Step]]]:
    """What must be right whatever the readers' delays: the public acts in order, and each seat's own acts."""
    public = [step for step in steps if step[0] != "deal" and not step[0].startswith("draw")]
    first = next((n for n, step in enumerate(public) if step[0] != "flower"), len(public))
    public[:first] = sorted(public[:first], key=lambda step: int(step[1]))
    return public, [_own_steps(steps, seat) for seat in range(4)]


def _own_steps(steps: list[Step], seat: int) -> list[Step]:
    """A seat's steps; which tiles were dealt and which replaced a flower at once, no reader can tell."""
    own = [step for step in steps if step[1] == seat]
    first = next((n for n, step in enumerate(own) if step[0] not in ("deal", "flower", "draw flower")), len(own))
    held = sorted(code for step in own[:first] if step[0] != "flower" for code in step[2])
    return [("start", seat, tuple(held), None), *own[first:]]
