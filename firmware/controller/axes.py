"""Motors and the ends of their travel: every motion has a limit in time and ends with the motor off."""

import asyncio

from micropython import const

import board
from drivers.pca9685 import Pca9685

from . import faults
from .faults import Fault

_MARGIN = const(2)  # a motion may take this many times its nominal duration
_FLOOR_MS = const(300)


class Motors:
    """All H-bridges. `enabled()` tells whether the safety circuit allows motion."""

    def __init__(self, i2c, ports, enabled):
        self._chips = [Pca9685(i2c, address) for address in board.PWM_ADDRESSES]
        self._ports = ports
        self._enabled = enabled
        self._reverse = {}

    def setup(self):
        """BusFault names the chip that does not answer."""
        for chip in self._chips:
            chip.setup(board.PWM_FREQ)

    def drive(self, name, duty, reverse=0):
        """Duty 0 (off) to board.PWM_FULL; Fault LID_OPEN when the safety circuit is open."""
        if duty and not self._enabled():
            raise Fault(faults.LID_OPEN)
        chip, channel, direction = board.MOTORS[name]
        if duty and self._reverse.get(name) != reverse:
            self._ports.put(direction, reverse)
            self._reverse[name] = reverse
        self._chips[chip].duty(channel, duty)

    def all_off(self):
        for chip in self._chips:
            chip.all_off()


class Axis:
    """One motor with its sensors. `axis` is the name in `board.AXES`, `side` 0-3 or -1 for the only one."""

    def __init__(self, motors, ports, axis, side=-1):
        self.side = side
        self.name = axis if side < 0 else "%s_%d" % (axis, side)
        self._motors = motors
        self._ports = ports
        self.stroke_ms = board.AXES[axis][0]

    @property
    def part(self):
        return max(self.side, 0)

    def on(self, duty=board.PWM_FULL, reverse=0):
        self._motors.drive(self.name, duty, reverse)

    def off(self):
        self._motors.drive(self.name, 0)

    async def move(self, bit, reverse, code, duty=board.PWM_FULL):
        """Drive until the input `bit` is 1; Fault `code` when that takes too long."""
        if self._ports.level(bit):
            return
        limit = _MARGIN * self.stroke_ms * board.PWM_FULL // duty + _FLOOR_MS
        self.on(duty, reverse)
        try:
            reached = await self._ports.wait(bit, 1, limit)
        finally:
            self.off()
        if not reached or not self._ports.level(bit):
            raise Fault(code, self.part, limit)

    async def turn(self, home, code, duty=board.PWM_FULL):
        """One turn of a cam, from its home switch to its home switch."""
        limit = _MARGIN * self.stroke_ms * board.PWM_FULL // duty + _FLOOR_MS
        self.on(duty)
        try:
            left = await self._ports.wait(home, 0, limit)
            back = left and await self._ports.wait(home, 1, limit)
        finally:
            self.off()
        if not back:
            raise Fault(code, self.part, limit)

    async def spin(self, ms, duty=board.PWM_FULL):
        """Run for a time."""
        self.on(duty)
        try:
            await asyncio.sleep_ms(ms)
        finally:
            self.off()
