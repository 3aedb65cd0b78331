"""A table played by hand, event by event, for situations that recorded hands do not hold."""

from collections.abc import Sequence

from acting import HAND, MELD, POND

from paiju.game.actions import Action, ActionKind
from paiju.game.attention import Attention
from paiju.game.hand_tracker import HandTracker
from paiju.game.position import FACE, Setup
from paiju.game.record import HandRecord
from paiju.game.tracker import Report, Tracker
from paiju.table.events import Event
from paiju.tiles import code_of, face_of, tiles_of_face

WINDS = "ESWN"
PLACES = {"hand": HAND, "meld": MELD, "pond": POND}
IDLE = (
    ["1m", "4m", "7m", "2p", "5p", "8p", "3s", "6s", "9s", "E", "S", "W", "N", "P"],
    ["1m", "4m", "7m", "2p", "5p", "8p", "3s", "6s", "9s", "E", "S", "W", "N"],
    ["2m", "5m", "8m", "3p", "6p", "9p", "1s", "4s", "7s", "E", "S", "C", "F"],
    ["2m", "5m", "8m", "3p", "6p", "9p", "1s", "4s", "7s", "E", "N", "C", "F"],
)
"""Four hands that are far from anything; the dealer's has 14 tiles."""


class Scene:
    """Deals `hands` and then does what it is told; every method returns what the tracker reported."""

    def __init__(self, hands: Sequence[Sequence[str]] = IDLE, setup: Setup | None = None) -> None:
        self.tracker = Tracker(setup)
        self.reports: list[Report] = []
        self.events: list[Event] = []
        self.ms = 0
        self.boot = 1
        self._seq = 0
        self._used: set[int] = set()
        self.say("cycle", state="raise", set="A")
        dealer = self.tracker.setup.dealer
        for step in range(4):
            seat = (dealer + step) % 4
            for code in hands[step]:
                self.enter(self.new(code), seat, "hand", 20)
        self.wait(2000)

    # -- tiles

    def new(self, code: str) -> int:
        """A copy that nobody has had yet."""
        tile = next(t for t in tiles_of_face(face_of(code)) if t not in self._used)
        self._used.add(tile)
        return tile

    def any_new(self, but: Sequence[str] = ()) -> int:
        """Some playing tile that is still in the wall, of none of the faces `but`."""
        free = (t for t in range(136) if t not in self._used and code_of(FACE[t]) not in but)
        tile = next(free)
        self._used.add(tile)
        return tile

    def held(self, seat: int, code: str, count: int = 1) -> list[int]:
        tiles = [t for t in sorted(self.hand.position.hands[seat]) if FACE[t] == face_of(code)]
        assert len(tiles) >= count, f"seat {seat} holds {len(tiles)} {code}"
        return tiles[:count]

    @property
    def hand(self) -> HandTracker:
        assert self.tracker.hand is not None
        return self.tracker.hand

    # -- events

    def say(self, kind: str, after: int = 100, **fields: int | str) -> list[Report]:
        self.ms += after
        self._seq += 1
        self.events.append(Event(self._seq, self.ms, self.boot, kind, fields))
        reports = self.tracker.feed(self.events[-1])
        self.reports += reports
        return reports

    def enter(self, tile: int, seat: int, place: str, after: int = 100) -> list[Report]:
        return self.say("enter", after, zone=4 * seat + PLACES[place], tile=tile)

    def leave(self, tile: int, after: int = 100) -> list[Report]:
        return self.say("leave", after, zone=max(self.hand.case.seen[tile], 0), tile=tile)

    def move(self, tile: int, seat: int, place: str, after: int = 100) -> list[Report]:
        zone = 4 * seat + PLACES[place]
        return self.say("moved", after, **{"tile": tile, "from": max(self.hand.case.seen[tile], 0), "to": zone})

    def wait(self, ms: int) -> list[Report]:
        return self.say("reader", ms, reader=0, state="ok")

    # -- acts

    def draw(self, seat: int, code: str) -> int:
        tile = self.new(code)
        self.enter(tile, seat, "hand", 600)
        return tile

    def discard(self, seat: int, tile: int | str) -> int:
        number = self.held(seat, tile)[0] if isinstance(tile, str) else tile
        self.move(number, seat, "pond", 600)
        return number

    def turn(self, seat: int, code: str | None = None, but: Sequence[str] = ()) -> int:
        """Draw a tile and discard it."""
        tile = self.new(code) if code else self.any_new(but)
        self.enter(tile, seat, "hand", 600)
        return self.discard(seat, tile)

    def meld(self, seat: int, *tiles: int) -> list[Report]:
        return [report for tile in tiles for report in self.move(tile, seat, "meld")]

    def declare(self, seat: int) -> list[Report]:
        reports = self.say("button", seat=seat, button="win", pressed=1)
        return reports + self.read(seat)

    def read(self, seat: int) -> list[Report]:
        return [r for place in (HAND, MELD, POND) for r in self.say("zone_read", zone=4 * seat + place, count=0)]

    # -- what came of it

    @property
    def acts(self) -> list[tuple[ActionKind, int | None, str]]:
        """Acts after the deal as (kind, seat, codes)."""
        return [
            (a.kind, a.seat, " ".join(code_of(face) for face in a.faces))
            for a in self.hand.actions
            if a.kind is not ActionKind.DEAL
        ]

    @property
    def last(self) -> Action:
        return self.hand.actions[-1]

    @property
    def open_items(self) -> list[Attention]:
        return list(self.hand.case.attention.open)

    @property
    def record(self) -> HandRecord:
        record = self.tracker.record
        assert record is not None
        return record
