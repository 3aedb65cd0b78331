"""A recorded hand as something people can act out: the wall it needs, the dice that open it, the acts."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from twin.geometry import LEVELS, SEATS, STACKS
from twin.tiles import FACES, TILES, numbers_of

HANDS = Path(__file__).parent / "hands"
KINDS = {"draw", "discard", "chow", "pung", "kong", "flower", "win"}
BLOCK = 4  # tiles a player takes at a time in the deal
BLOCK_ROUNDS = 3


class ScriptError(ValueError):
    """The hand cannot be acted out; the message says why."""


@dataclass(frozen=True, slots=True)
class Act:
    """One act of a recorded hand; `face` is a code such as "5m".

    `kind` draw (`detail` wall, replacement or flower), discard, chow (`middle`: face of the middle tile),
    pung, kong (`detail` melded, added or concealed), flower, win. `source` is the seat a claimed or won tile
    came from. `just_drawn` tells a discard of the drawn tile, None when the record does not say.
    """

    kind: str
    seat: int
    face: str
    detail: str = ""
    source: int | None = None
    middle: str = ""
    just_drawn: bool | None = None

    @property
    def chow_rest(self) -> list[str]:
        """The two faces a chow takes from the hand."""
        rank, suit = int(self.middle[0]), self.middle[1]
        faces = [f"{n}{suit}" for n in (rank - 1, rank, rank + 1)]
        faces.remove(self.face)
        return faces


class Slot(NamedTuple):
    """A tile's place in a wall; `stack` counts from the right of the wall's player, `level` 0 is below."""

    seat: int
    stack: int
    level: int


class WallOrder:
    """Which of the 144 tiles is taken next, from the front or from the tail (article 7, 7).

    Positions 0-143 count in the direction of play from the break, in each stack the upper tile first.
    """

    def __init__(self) -> None:
        self._taken = bytearray(TILES)

    def front(self) -> int:
        """Position of the next drawn tile; ScriptError when the wall is empty."""
        return self._take(self._taken.find(0))

    def tail(self) -> int:
        """Position of the next replacement: the upper tile of the last stack, then the lower one."""
        last = self._taken.rfind(0)
        upper = last - last % LEVELS
        return self._take(last if last < 0 or self._taken[upper] else upper)

    def _take(self, position: int) -> int:
        if position < 0:
            raise ScriptError("the hand draws more than the 144 tiles of the wall")
        self._taken[position] = 1
        return position


def second_thrower(dealer: int, total: int) -> int:
    """Seat that throws next: the dealer counts as one, then anticlockwise (article 6, 5, 5)."""
    return (dealer + total - 1) % SEATS


def slot_of(position: int, dealer: int, throws: tuple[tuple[int, int], tuple[int, int]]) -> Slot:
    """Where a position of the wall order stands, for two throws of the dice (article 6, 5, 5).

    In the second thrower's wall as many stacks as both throws show are counted off from the right; the
    dealer begins with the next one and the walls are used up clockwise.
    """
    first, second = sum(throws[0]), sum(throws[1])
    walls, stack = divmod(first + second + position // LEVELS, STACKS)
    seat = (second_thrower(dealer, first) - walls) % SEATS
    return Slot(seat, stack, LEVELS - 1 - position % LEVELS)


def deal_order(dealer: int) -> list[int]:
    """The seats in the order of the 53 dealt tiles: blocks of four, one each, the dealer's jump."""
    seats = [(dealer + n) % SEATS for n in range(SEATS)]
    return [seat for _ in range(BLOCK_ROUNDS) for seat in seats for _ in range(BLOCK)] + [*seats, dealer]


@dataclass(frozen=True, slots=True)
class Plan:
    """`throws` of the dice and the tile numbers (0-143) of the wall, by position of the wall order."""

    throws: tuple[tuple[int, int], tuple[int, int]]
    numbers: tuple[int, ...]

    def feed(self, dealer: int) -> list[list[int]]:
        """For each side the tile numbers in the order in which its head stacks them."""
        at = {slot_of(p, dealer, self.throws): number for p, number in enumerate(self.numbers)}
        return [
            [at[Slot(seat, stack, level)] for stack in reversed(range(STACKS)) for level in range(LEVELS)]
            for seat in range(SEATS)
        ]


@dataclass(frozen=True, slots=True)
class Script:
    """A recorded hand. `deal` holds 13 faces a seat and the dealer's 14th; `result` is the record's own."""

    title: str
    dealer: int
    prevalent_wind: int
    deal: tuple[tuple[str, ...], ...]
    acts: tuple[Act, ...]
    result: dict[str, Any]

    def plan(self, rng: random.Random) -> Plan:
        """Throw the dice and build the wall from which the recorded tiles come out in order.

        Tiles that nobody draws fill the rest at random. ScriptError when the hand needs tiles that a set
        does not have.
        """
        throws = tuple((rng.randint(1, 6), rng.randint(1, 6)) for _ in range(2))
        stock = {face: numbers_of(face) for face in FACES}
        for copies in stock.values():
            rng.shuffle(copies)
        numbers: list[int | None] = [None] * TILES

        def place(position: int, face: str) -> None:
            if not stock[face]:
                raise ScriptError(f"the hand '{self.title}' uses more tiles {face} than a set has")
            numbers[position] = stock[face].pop()

        order = WallOrder()
        hands = [list(reversed(faces)) for faces in self.deal]
        for seat in deal_order(self.dealer):
            place(order.front(), hands[seat].pop())
        for act in self.acts:
            if act.kind == "draw":
                place(order.front() if act.detail == "wall" else order.tail(), act.face)
        rest = [number for copies in stock.values() for number in copies]
        rng.shuffle(rest)
        filled = tuple(rest.pop() if number is None else number for number in numbers)
        return Plan((throws[0], throws[1]), filled)


def parse(hand: dict[str, Any]) -> Script:
    """A hand in the form of `twin/hands/*.json` (fields as the recorded hands of the corpora have them).

    ScriptError names what is wrong with it.
    """
    if not isinstance(hand, dict):
        raise ScriptError("a hand is a JSON object with deal and events; see twin/hands")
    title = str(hand.get("title") or hand.get("id") or "hand")
    try:
        deal = [tuple(map(str, faces)) for faces in hand["deal"]]
        acts = [_act(event) for event in hand["events"]]
        dealer = int(hand.get("dealer", 0))
        script_result = dict(hand.get("result", {}))
        wind = int(hand.get("prevalent_wind", 0))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ScriptError(f"the hand '{title}' lacks or garbles the field {error}; see twin/hands") from None
    if len(deal) != SEATS or dealer not in range(SEATS):
        raise ScriptError(f"the hand '{title}' needs four dealt hands and a dealer 0-3")
    if len(deal[dealer]) == 13 and acts and acts[0].kind == "draw" and acts[0].seat == dealer:
        deal[dealer] += (acts.pop(0).face,)
    if [len(faces) for faces in deal] != [13 + (seat == dealer) for seat in range(SEATS)]:
        raise ScriptError(f"the hand '{title}' must deal 13 tiles to each player and a 14th to the dealer")
    script = Script(title, dealer, wind, tuple(deal), tuple(acts), script_result)
    _check(script)
    return script


def _act(event: dict[str, Any]) -> Act:
    kind, seat, face = str(event["t"]), int(event["seat"]), str(event["tile"])
    if kind not in KINDS or seat not in range(SEATS) or face not in FACES:
        raise ValueError(f"event {event}")
    source = event.get("frm")
    if kind in ("chow", "pung") and source is None:
        raise ValueError(f"frm of {event}")
    return Act(
        kind,
        seat,
        face,
        str(event.get("src" if kind == "draw" else "kind", "")),
        None if source is None else int(source),
        str(event.get("middle", "")),
        event.get("tsumogiri"),
    )


def _check(script: Script) -> None:
    """Every act finds its tiles in the hand; ScriptError otherwise."""
    hands = [Counter(faces) for faces in script.deal]
    pungs: set[tuple[int, str]] = set()
    last: Act | None = None
    for number, act in enumerate(script.acts, 1):
        needed: list[str] = []
        if act.kind == "draw":
            hands[act.seat][act.face] += 1
        elif act.kind in ("discard", "flower"):
            needed = [act.face]
        elif act.kind == "chow":
            needed = act.chow_rest
        elif act.kind == "pung":
            needed = [act.face] * 2
            pungs.add((act.seat, act.face))
        elif act.kind == "kong":
            needed = [act.face] * {"melded": 3, "added": 1, "concealed": 4}[act.detail]
        claims = act.kind in ("chow", "pung") or act.detail == "melded"
        given = ("added", act.face, act.source)
        robs = act.kind == "win" and last is not None and (last.detail, last.face, last.seat) == given
        if claims or (act.kind == "win" and act.source is not None and not robs):
            wrong = last is None or (last.kind, last.face, last.seat) != ("discard", act.face, act.source)
        elif act.detail == "added":
            wrong = (act.seat, act.face) not in pungs
        else:
            wrong = False
        if wrong or Counter(needed) - hands[act.seat]:
            what = f"{act.detail} {act.kind}".strip()
            raise ScriptError(f"act {number} of the hand '{script.title}' ({what} {act.face}) has not its tiles")
        hands[act.seat] -= Counter(needed)
        if act.kind != "win":  # several may win on one discard
            last = act


def numbers() -> list[int]:
    """The hands carried in the project, 1 the shortest."""
    return sorted(int(path.stem) for path in HANDS.glob("*.json"))


def load(hand: int | Path) -> Script:
    """A hand by its number in the project or from a file; ScriptError when it is not there or no hand."""
    path = HANDS / f"{hand:02}.json" if isinstance(hand, int) else hand
    try:
        return parse(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        known = numbers()
        raise ScriptError(f"there is no hand {hand}; choose {known[0]} to {known[-1]} or a file") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ScriptError(f"cannot read the hand {hand}: {error}") from None
