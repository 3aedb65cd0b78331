"""What no table may ever do, whatever happens to it: watched in every run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from twin.air import Air
from twin.board import Board
from twin.geometry import MECHANICS
from twin.mechanics import Mechanics

SLOW = MECHANICS["drive"]["pwm_slow"] / MECHANICS["drive"]["pwm_full"] + 0.001
REACTION_US = 50_000  # the firmware may take so long to see an input and to stop a motor


class Breach(NamedTuple):
    """`rule` was broken at `t` (µs) by `what`."""

    t: int
    rule: str
    what: str


class Invariants:
    """Breaches of the rules, as they happen:

    - "above": a plate rises with something over it, or the console moves with a hand or an object in its way
    - "relay": a motor is driven though the relay is open
    - "limit": an axis is driven on against the end that its switch reports
    - "blow": an axis strikes its mechanical end though its switch has said that it is there
    - "home": an axis that was not at rest when the relay closed is driven fast before its switch has said where it is,
      or pan, ring, conveyors or dice are driven before every such axis is home; a technician with the key may do so
    - "fields": two neighbouring fields are on at once
    - "act": after a power cut or a stop by lid or emergency stop, an axis is driven before anybody has pressed a
      console button or turned the service key
    """

    def __init__(self, board: Board, mechanics: Mechanics, air: Air) -> None:
        self._board = board
        self._mechanics = mechanics
        self._air = air
        self._clock = mechanics.clock
        self._found: list[Breach] = []
        self._lost: set[str] = set()  # axes that nobody knows the place of
        self._resting = False  # power or the circuit was cut, and nobody has pressed a button since
        self._way: dict[str, int] = {}  # where an axis is driven: 1, 0, -1
        self._changed: dict[tuple[str, str], int] = {}  # by rule and axis: when its motor or an input last changed
        inputs = board.inputs
        inputs["relay_closed"].watch(self._relay)
        inputs["surface_object"].watch(self._above)
        inputs["console_object"].watch(self._above)
        for name, motor in board.motors.items():
            motor.watch(partial(self._driven, name))
        for name in mechanics.axes:
            for sensor in self._ends(name):
                inputs[sensor].watch(partial(self._at_end, name))
            for sensor in self._homes(name):
                inputs[sensor].watch(partial(self._at_home, name))
            mechanics.axes[name].struck = partial(self._struck, name)
        for name in ("lid_open", "estop"):
            inputs[name].watch(self._cut)
        for name in inputs:
            if name.startswith("button") or name == "service_key":
                inputs[name].watch(self._pressed)

    @property
    def breaches(self) -> list[Breach]:
        fields = [Breach(v.t, "fields", str(v.zones)) for v in self._air.violations if v.kind == "fields"]
        return [*self._found, *fields]

    def clear(self) -> None:
        """Forget what was found; whoever asks for this has told it elsewhere."""
        self._found.clear()
        self._air.violations.clear()

    def power_cut(self) -> None:
        """The supply has failed."""
        self._resting = True

    def _cut(self, level: int) -> None:
        if level:
            self._resting = True

    def _pressed(self, level: int) -> None:
        if level:
            self._resting = False

    def _tell(self, rule: str, what: str) -> None:
        self._found.append(Breach(self._clock.now, rule, what))

    def _later(self, check: Callable[[], None]) -> None:
        self._clock.after(REACTION_US, check)

    @staticmethod
    def _ends(name: str) -> tuple[str, ...]:
        axis, _, side = name.partition("_")
        ends = {"plate": ("plate_down_{}", "plate_up_{}"), "lift": ("lift_down", "lift_up"),
                "pusher": ("pusher_home_{}", "pusher_end_{}")}  # fmt: skip
        return tuple(end.format(side) for end in ends.get(axis, ()))

    @classmethod
    def _homes(cls, name: str) -> tuple[str, ...]:
        """The switches on one of which an axis rests."""
        axis, _, side = name.partition("_")
        if axis == "head":
            return (f"head_home_{side}",)
        ends = cls._ends(name)
        return ends if axis == "plate" else ends[:1]

    def _at_home(self, name: str, level: int) -> None:
        if level:
            self._lost.discard(name)

    def _look(self) -> None:
        """The relay has closed: which axes are not where they rest?"""
        inputs = self._board.inputs
        for name in self._board.motors:
            homes = self._homes(name)
            if homes and not any(inputs[home].level for home in homes):
                self._lost.add(name)

    def _struck(self, name: str, direction: int, share: float) -> None:
        if self._board.inputs[self._ends(name)[direction > 0]].level:
            self._tell("blow", f"{name} at {share:.0%} of full speed")

    def _driven(self, name: str, drive: float) -> None:
        if drive and self._resting:
            self._tell("act", name)
        if drive and self._lost and not self._board.inputs["service_key"].level:
            fast = abs(drive) > SLOW if self._homes(name) else True
            if fast and (name in self._lost or not self._homes(name)):
                self._tell("home", f"{name} before {', '.join(sorted(self._lost))}")
        way = (drive > 0) - (drive < 0)
        if way:
            started = way != self._way.get(name, 0)
            self._heed("above", name, started)
            self._heed("limit", name, started)
        self._way[name] = way

    def _relay(self, closed: int) -> None:
        if closed:
            self._look()
        else:
            self._lost.clear()
            self._later(self._still_open)

    def _still_open(self) -> None:
        if not self._board.inputs["relay_closed"].level:
            for name, motor in self._board.motors.items():
                if motor.duty:
                    self._tell("relay", name)

    def _in_the_way(self, name: str) -> bool:
        """Something is over a rising plate or in the way of the console."""
        drive = self._board.motors[name].drive
        axis = self._mechanics.axes[name]
        mechanics = self._mechanics
        if not axis.moving:
            return False
        if name.startswith("plate"):
            return drive > 0 and mechanics.sensors["surface_object"].level == 1
        if name == "lift":
            hands = mechanics.hands_in_gap > 0
            return mechanics.sensors["console_object"].level == 1 if drive > 0 else hands
        return False

    def _above(self, level: int) -> None:
        if level:
            for name in ("lift", *(f"plate_{n}" for n in range(4))):
                if self._in_the_way(name):
                    self._heed("above", name)

    def _at_end(self, name: str, level: int) -> None:
        if level:
            self._heed("limit", name)

    def _heed(self, rule: str, name: str, anew: bool = True) -> None:
        """Look at an axis once the controller has had its time; what it must heed has changed when `anew`."""
        if anew:
            self._changed[rule, name] = self._clock.now
        self._later(partial(self._heeded, rule, name))

    def _heeded(self, rule: str, name: str) -> None:
        if self._clock.now - self._changed[rule, name] < REACTION_US:
            return  # it changed again
        if self._in_the_way(name) if rule == "above" else self._at_its_end(name):
            self._tell(rule, name)

    def _at_its_end(self, name: str) -> bool:
        """An axis is driven against the end it has reached."""
        ends = self._ends(name)
        drive = self._board.motors[name].drive
        if not ends or not drive:
            return False
        axis = self._mechanics.axes[name]
        return (axis.at_high if drive > 0 else axis.at_low) and self._board.inputs[ends[drive > 0]].level == 1
