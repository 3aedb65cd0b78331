"""People who do not handle tiles as the rules ask: the same hand, acted out untidily."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from twin import geometry
from twin.clock import Clock
from twin.geometry import SEATS, Point
from twin.people import PRESS, TURN, WITH_HAND, Acting, Parts, People, Span, Wait
from twin.script import Act, Script
from twin.tiles import Ground, Tile

CORRECT: Span = (500, 3500)  # until somebody sees a tile that lies wrong
PICK_UP: Span = (300, 1500)
IN_FINGERS: Span = (300, 1800)
SECOND_THOUGHT: Span = (300, 2500)
PAUSE: Span = (600, 4000)  # between the tiles of a late meld
MELD_LATER: Span = (700, 3500)  # after the discard that should have followed it
PRESS_LATE: Span = (1000, 4000)
PRESS_EARLY: Span = (20, 350)  # after the winning tile was lifted: before it lies
FALLEN: Span = (800, 8000)
HURRY: Span = (0, 80)
OVERTAKEN: Span = (80, 500)  # the discard comes so long after the next player's draw
PUSH: Span = (1500, 4000)
PUSHED: Span = (1500, 3000)
ASIDE_MM = (10.0, 26.0)


@dataclass(frozen=True, slots=True)
class Habits:
    """Chances, each per act that it can happen to.

    crooked: a tile is put down beside its place, often out of every antenna, and straightened later; misplaced: in a
    zone where it does not belong, and corrected; picked_up: taken into the hand again and put back; taken_back:
    another tile is discarded first; hurried: the next player reaches before the discard lies; overtaken: the next
    player draws before the discard; thrown: a drawn tile goes to the pond without touching the hand; late_meld: the
    tiles of a meld come with pauses; meld_after_discard: part of a meld is laid down after the discard; late_press,
    early_press: of the win button; knocked_over: a tile of a wall or a hand falls; pushed: all tiles are pushed
    together after a win.
    """

    crooked: float = 0.0
    misplaced: float = 0.0
    picked_up: float = 0.0
    taken_back: float = 0.0
    hurried: float = 0.0
    overtaken: float = 0.0
    thrown: float = 0.0
    late_meld: float = 0.0
    meld_after_discard: float = 0.0
    late_press: float = 0.0
    early_press: float = 0.0
    knocked_over: float = 0.0
    pushed: float = 0.0

    def times(self, factor: float) -> Habits:
        """Everything so many times as often, at most always."""
        return replace(self, **{name: min(1.0, factor * getattr(self, name)) for name in self.__slots__})


DEFAULT = Habits(
    crooked=0.003,
    misplaced=0.002,
    picked_up=0.005,
    taken_back=0.003,
    hurried=0.05,
    overtaken=0.01,
    thrown=0.1,
    late_meld=0.05,
    meld_after_discard=0.03,
    late_press=0.1,
    early_press=0.05,
    knocked_over=0.001,
    pushed=0.5,
)
ONE_HABIT = 0.3
HABITS = {"none": Habits(), "default": DEFAULT, "heavy": DEFAULT.times(5)} | {
    name: Habits(**{name: ONE_HABIT if getattr(DEFAULT, name) >= 0.01 else ONE_HABIT / 10}) for name in Habits.__slots__
}
"""Also each habit alone, at a high rate."""


class SloppyPeople(People):
    """Takes the arguments of `People` after its habits; without any it does exactly what `People` does."""

    def __init__(
        self,
        habits: Habits,
        clock: Clock,
        mechanics: Parts,
        ground: Ground,
        tiles: Sequence[Tile],
        script: Script,
        seed: int | str,
        pace: float = 1.0,
        clear: bool = False,
    ) -> None:
        super().__init__(clock, mechanics, ground, tiles, script, seed, pace, clear)
        self._habits = habits
        self._whim = random.Random(f"{seed}/habits")
        self._touched: dict[Tile, int] = {}
        self._wrong: dict[Tile, str] = {}
        self._to_lay: list[set[Tile]] = [set() for _ in range(SEATS)]
        self._pressed: set[int] = set()
        self._reach_early = False
        self._eager: int | None = None
        self.mishaps = dict.fromkeys(Habits.__slots__, 0)

    def _does(self, habit: str) -> bool:
        chance: float = getattr(self._habits, habit)
        if chance and self._whim.random() < chance:
            self.mishaps[habit] += 1
            return True
        return False

    def _span(self, span: Span) -> float:
        return self._whim.uniform(*span) * self._pace

    def _later(self, ms: float, tile: Tile, fn: Callable[[], None]) -> None:
        """Unless somebody has touched the tile by then."""
        touched = self._touched.get(tile, 0)

        def due() -> None:
            if self._touched.get(tile, 0) == touched:
                fn()

        self._clock.after(ms * 1000, due)

    def _touch(self, tile: Tile) -> None:
        self._touched[tile] = self._touched.get(tile, 0) + 1

    # -- single tiles

    def _carry(self, tile: Tile, place: str, point: Point) -> float:
        self._touch(tile)
        if self._eager is not None:
            self._press_soon(self._eager)
            self._eager = None
        if self.phase != "play" or "." not in place:
            return super()._carry(tile, place, point)
        if self._does("misplaced"):
            wrong, there = self._wrong_place(place)
            ms = super()._carry(tile, wrong, there)
            self._later(ms + self._span(CORRECT), tile, partial(self._bring, tile, place, point))
        elif self._does("crooked"):
            ms = super()._carry(tile, place, self._aside(point))
            self._later(ms + self._span(CORRECT), tile, partial(self._ground.shift, tile, point))
        else:
            ms = super()._carry(tile, place, point)
            if self._does("picked_up"):
                self._later(ms + self._span(PICK_UP), tile, partial(self._pick_up, tile, place, point))
        return ms

    def _bring(self, tile: Tile, place: str, point: Point) -> None:
        People._carry(self, tile, place, point)

    def _pick_up(self, tile: Tile, place: str, point: Point) -> None:
        self._ground.lift(tile)
        self._later(self._span(IN_FINGERS), tile, partial(self._ground.put, tile, place, point))

    def _wrong_place(self, place: str) -> tuple[str, Point]:
        """Some free spot of a zone beside the right one."""
        zone, _, number = place.partition(".")
        seat = int(number)
        wrong = self._whim.choice({"hand": ("meld",), "meld": ("hand", "pond"), "pond": ("meld", "pond")}[zone])
        if wrong == zone or self._whim.random() < 0.25:
            seat = (seat + self._whim.choice((1, 3))) % SEATS
        slot = self._whim.randrange(18)
        spots = {
            "hand": geometry.laid_down(seat, 14),
            "meld": geometry.flower(seat, 8 + slot % 8),
            "pond": geometry.pond(seat, slot),
        }
        return f"{wrong}.{seat}", spots[wrong]

    def _aside(self, point: Point) -> Point:
        def off() -> float:
            return self._whim.choice((-1, 1)) * self._whim.uniform(*ASIDE_MM)

        return point._replace(x=point.x + off(), y=point.y + off())

    def _knock_over(self) -> None:
        """A tile of a wall or of a hand falls into a meld zone and is put back."""
        if self._whim.random() < 0.5:
            standing = [tile for tiles in self._mechanics.standing.values() for tile in tiles.values()]
        else:
            standing = [tile for player in self._players for tile in player.rack if tile is not None]
            standing = [tile for tile in standing if tile.place.startswith("hand.")]
        if not standing:
            return
        tile = self._whim.choice(standing)
        seat = int(tile.place.partition(".")[2])
        place, point = tile.place, Point(tile.x, tile.y, tile.z)
        self._touch(tile)
        self._ground.put(tile, f"meld.{seat}", geometry.flower(seat, 8 + self._whim.randrange(8)))
        self._later(self._span(FALLEN), tile, partial(self._bring, tile, place, point))

    # -- acts

    def _play(self) -> Acting:
        acts = list(self._script.acts)
        while acts:
            act = acts.pop(0)
            following = acts[0] if acts else None
            if self._does("knocked_over"):
                self._knock_over()
            if act.kind == "discard" and following is not None and self._next_draws(act, following):
                if self._does("overtaken"):
                    acts.pop(0)
                    yield from self._draw(following)
                    yield self._span(OVERTAKEN)
                elif self._does("hurried"):
                    self._reach_early = True
            if act.kind == "draw" and following is not None and self._throws(act, following):
                acts.pop(0)
                yield from self._throw(act, following)
                continue
            winner = following if following is not None and following.kind == "win" else None
            if winner is not None and act.kind in ("draw", "discard") and self._does("early_press"):
                self._pressed.add(winner.seat)
                self._eager = winner.seat
            yield from self._act(act)

    @staticmethod
    def _next_draws(discard: Act, draw: Act) -> bool:
        return draw.kind == "draw" and draw.detail == "wall" and draw.seat == (discard.seat + 1) % SEATS

    def _throws(self, draw: Act, discard: Act) -> bool:
        same = discard.kind == "discard" and discard.seat == draw.seat and discard.face == draw.face
        return bool(same and discard.just_drawn and self._does("thrown"))

    def _next_tile(self, draw: Act) -> Tile:
        return self._from_wall(self._order.front() if draw.detail == "wall" else self._order.tail())

    def _throw(self, draw: Act, discard: Act) -> Acting:
        yield self._span(HURRY if self._reach_early else TURN)
        self._reach_early = False
        tile = self._next_tile(draw)
        player = self._players[discard.seat]
        self._claimable = tile
        point = geometry.pond(discard.seat, len(player.pond))
        player.pond.append(tile)
        yield self._carry(tile, f"pond.{discard.seat}", point)

    def _draw(self, act: Act) -> Acting:
        if not self._reach_early:
            yield from super()._draw(act)
            return
        self._reach_early = False
        yield self._span(HURRY)
        tile = self._next_tile(act)
        self._players[act.seat].drawn = tile
        yield self._carry(*self._into_rack(act.seat, tile))

    def _discard(self, act: Act) -> Acting:
        player = self._players[act.seat]
        others = [tile for tile in player.rack if tile is not None and tile.face != act.face and not tile.is_flower]
        if others and self._does("taken_back"):
            tile = self._whim.choice(others)
            slot = player.rack.index(tile)
            yield self._span(TURN)
            yield self._carry(tile, f"pond.{act.seat}", geometry.pond(act.seat, len(player.pond)))
            yield self._span(SECOND_THOUGHT)
            yield self._carry(tile, f"hand.{act.seat}", geometry.hand(act.seat, slot))
        for step in super()._discard(act):
            lands = step
            if self._reach_early and self._claimable in player.pond:
                # The next player does not wait until it lies.
                lands = 0.3 * float(step) if not isinstance(step, Wait) else step
            yield lands

    def _carry_all(self, moves: Sequence[tuple[Tile, str, Point]], again: Span = WITH_HAND) -> Acting:
        melds = len(moves) > 1 and moves[0][1].startswith("meld.")
        if melds and self._does("late_meld"):
            again = PAUSE
        elif melds and self._does("meld_after_discard"):
            now = self._whim.randrange(1, len(moves))
            seat = int(moves[0][1].partition(".")[2])
            for move in moves[now:]:
                self._to_lay[seat].add(move[0])
                self._later(self._span(MELD_LATER), move[0], partial(self._lay, seat, *move))
            moves = moves[:now]
        yield from super()._carry_all(moves, again)

    def _lay(self, seat: int, tile: Tile, place: str, point: Point) -> None:
        self._to_lay[seat].discard(tile)
        self._carry(tile, place, point)

    def _press_soon(self, seat: int) -> None:
        """Press while the winning tile is still in the air, whatever else is done."""
        wire = self._mechanics.board.inputs[f"win_{seat}"]
        after = self._span(PRESS_EARLY)
        self._clock.after(after * 1000, lambda: wire.set(1))
        self._clock.after((after + self._span(PRESS)) * 1000, lambda: wire.set(0))

    def _press(self, button: str) -> Acting:
        name, _, seat = button.rpartition("_")
        if name == "win" and int(seat) in self._pressed:
            return
        yield from super()._press(button)

    def _win(self, act: Act) -> Acting:
        while self._to_lay[act.seat]:
            yield 100.0
        late = act.seat not in self._pressed and self._winner is None and self._does("late_press")
        if late:
            self._pressed.add(act.seat)
        first = self._winner is None
        yield from super()._win(act)
        if late:
            yield self._span(PRESS_LATE)
            self._pressed.discard(act.seat)
            yield from self._press(f"win_{act.seat}")
        if first and not self._clear and self._does("pushed"):
            self._clock.after(self._span(PUSH) * 1000, self._push_together)

    def _collect(self) -> Acting:
        for tile in self._tiles:
            self._touch(tile)
        return super()._collect()

    def _push_together(self) -> None:
        """Everybody pushes hands, melds and ponds to the middle; tiles come to lie anywhere on their way."""
        for tile in self._tiles:
            zone, _, seat = tile.place.partition(".")
            if zone not in ("hand", "meld", "pond"):
                continue
            self._touch(tile)
            self._later(self._span(PUSHED), tile, partial(self._push, tile, int(seat)))

    def _push(self, tile: Tile, seat: int) -> None:
        self._touch(tile)
        self._ground.lift(tile)
        seat = (seat + self._whim.randrange(3)) % SEATS
        spot = geometry.pond(seat, self._whim.randrange(24))
        place = f"pond.{seat}" if self._whim.random() < 0.7 else "middle"
        if place == "middle":
            spot = Point(0.0, 0.0, geometry.LYING_Z)
        self._later(self._span(PICK_UP), tile, partial(self._ground.put, tile, place, spot))
