"""Motors and the ends of their travel: every motion has a limit in time and in current and ends with the motor off."""

import asyncio
from time import ticks_diff, ticks_ms

from micropython import const

import board
from drivers.pca9685 import Pca9685

from . import memory as m
from .fault_codes import BROWNOUT, MOTOR_OPEN, MOTOR_OVERTEMP
from .faults import Fault, Obstructed, Stopped

# How a motion ended
REACHED = const(0)
STALLED = const(1)  # the current says that something holds the motor
OPEN = const(2)  # the motor takes no current
LATE = const(3)  # the motor turns freely, the sensor has not answered in time

_CHANNELS = const(8)
_FLOOR_MS = const(300)  # a motion may take twice its nominal duration and this
_SLICE_MS = const(20)
_STRIKES = const(3)  # looks at the current that must agree,
_STRIKES_SLOW = const(6)  # of a slow motor also while another one of its group starts
_BRAKE_MS = const(18)  # of full speed at least are driven slowly: an input may be seen so late
_INRUSH_MS = const(40)  # after the run-up the current takes so long to settle
_BOUNCE_MS = const(5)
_WATCH_MS = const(100)
_HEAT_LIMIT = 3 * board.HEAT_LIMIT_MS  # at twice the current, heat gains 2^2 - 1 a millisecond


class Motors:
    """All H-bridges and their currents. `safety` says whether they may run and stops them all.

    While `guard` is the number of an input, its rise stops every motor at once: moves end with Obstructed.
    """

    def __init__(self, i2c, ports, safety, adc, memory):
        self._chips = [Pca9685(i2c, address) for address in board.PWM_ADDRESSES]
        self._ports = ports
        self._safety = safety
        self._adc = adc
        self._memory = memory
        self._reverse = bytearray(len(board.MOTORS))
        self._duty = [0] * len(board.MOTORS)
        self._expected = [0] * _CHANNELS  # mA if every motor that is on runs freely
        self._heat = [0] * _CHANNELS
        self.guard = -1
        self.obstructed = False
        self.heartbeat = None

    def setup(self):
        """BusFault names the chip that does not answer."""
        for chip in self._chips:
            chip.setup(board.PWM_FREQ)

    def drive(self, number, duty, reverse=0):
        """Duty 0 (off) to board.PWM_FULL. Stopped when the safety circuit is open, Obstructed by the guard."""
        if duty:
            self.check()
        chip, channel, direction, kind = board.MOTORS[number]
        if duty and self._reverse[number] != reverse:
            self._ports.put(direction, reverse)
            self._reverse[number] = reverse
        self._chips[chip].duty(channel, duty)
        old = self._duty[number]
        if old != duty:
            self._duty[number] = duty
            axis = board.AXES[kind]
            self._expected[axis[3]] += axis[1] * duty // board.PWM_FULL - axis[1] * old // board.PWM_FULL

    def check(self):
        if not self._safety.ready():
            raise Stopped
        if self.obstructed:
            raise Obstructed

    def all_off(self):
        for n in range(len(self._duty)):
            self._duty[n] = 0
        for n in range(_CHANNELS):
            self._expected[n] = 0
        for chip in self._chips:
            chip.all_off()

    def on_input(self, bit, level):
        """Hears every input, before anybody waits for it."""
        if bit == self.guard and level and not self.obstructed:
            self.obstructed = True
            self.all_off()
            self._ports.release()

    def watch(self, bit):
        """Guard the coming motions by an input, -1 by none; Obstructed when it is active already."""
        self.guard = bit
        self.obstructed = False
        if bit >= 0 and self._ports.level(bit):
            self.guard = -1
            raise Obstructed

    @property
    def anything_on(self):
        return any(self._duty)

    def read_ma(self, channel):
        return self._adc.read(channel) * board.ADC_VREF_MV // 4096 * 1000 // board.ADC_MV_PER_AMP

    def rail_mv(self):
        return self._adc.read(board.ADC_RAIL) * board.ADC_VREF_MV // 4096 * 11

    def judge(self, axis, duty):
        """STALLED or OPEN by the current of the axis' group, else LATE."""
        excess = self.read_ma(axis.channel) - self._expected[axis.channel]
        if excess * 2 * board.PWM_FULL > (axis.stall_ma - axis.run_ma) * duty:
            return STALLED
        if -excess * 2 * board.PWM_FULL > axis.run_ma * duty:
            return OPEN
        return LATE

    def cool(self):
        """No group is too hot to start again."""
        return max(self._heat) < _HEAT_LIMIT // 3

    def number(self, channel):
        """The first motor that is on in this group."""
        for n, motor in enumerate(board.MOTORS):
            if self._duty[n] and board.AXES[motor[3]][3] == channel:
                return n
        return 0

    async def run(self):
        """Watch supply, heat and hours while motors run."""
        low = 0
        last = ticks_ms()
        used = [0] * _CHANNELS
        while True:
            await asyncio.sleep_ms(_WATCH_MS)
            now = ticks_ms()
            passed = ticks_diff(now, last)
            last = now
            if self.heartbeat is not None:
                self.heartbeat()
            moving = False
            for channel in range(_CHANNELS):
                expected = self._expected[channel]
                if expected <= 0:
                    self._heat[channel] = max(self._heat[channel] - passed * _HEAT_LIMIT // board.COOL_MS, 0)
                    continue
                moving = True
                used[channel] += passed
                if used[channel] >= 1000:
                    self._memory.count(m.SECONDS + channel, used[channel] // 1000)
                    used[channel] %= 1000
                tenths = 10 * self.read_ma(channel) // expected
                heat = self._heat[channel] + passed * (tenths * tenths - 100) // 100
                self._heat[channel] = max(heat, 0)
                if heat > _HEAT_LIMIT:
                    self._safety.trip(MOTOR_OVERTEMP, self.number(channel), tenths * 10)
            low = low + 1 if moving and self.rail_mv() < board.RAIL_LEAST_MV else 0
            if low >= _STRIKES:
                self._safety.trip(BROWNOUT, 0, self.rail_mv())


class Axis:
    """One motor with its sensors. `axis` is the name in `board.AXES`, `side` 0-3 or -1 for the only one,
    which shares its current channel with nobody while it moves. `number` as in `board.MOTORS`."""

    def __init__(self, motors, ports, axis, side=-1):
        self.side = side
        self._motors = motors
        self._ports = ports
        self.stroke_ms, self.run_ma, self.stall_ma, self.channel, self.number, self.run_up_ms = board.AXES[axis]
        self.number += self.part
        self.taken_ms = 0  # by the last motion

    @property
    def part(self):
        return max(self.side, 0)

    def on(self, duty=board.PWM_FULL, reverse=0):
        self._motors.drive(self.number, duty, reverse)

    def off(self):
        self._motors.drive(self.number, 0)

    def fault(self, verdict, stalled, late):
        """The fault that a verdict means here: open circuits are told apart from the two of the step."""
        if verdict == OPEN:
            return Fault(MOTOR_OPEN, self.number, self.taken_ms)
        return Fault(stalled if verdict == STALLED else late, self.part, self.taken_ms)

    async def move(self, bit, reverse, duty=board.PWM_FULL, gentle=False, limit=0, sure=True):
        """Drive until the input `bit` is 1. `gentle` ends a stroke slowly, `sure` whether its switch stays closed.

        Returns how it ended.

        Raises Stopped, Obstructed.
        """
        if self._ports.level(bit):
            return REACHED
        nominal = self.stroke_ms * board.PWM_FULL // duty + self.run_up_ms * duty // board.PWM_FULL // 2
        limit = limit or 2 * nominal + _FLOOR_MS
        settle = self.run_up_ms + _INRUSH_MS
        started = ticks_ms()
        try:
            self.on(duty, reverse)
            if gentle:
                rest = max(self.stroke_ms // board.SLOW_SHARE, _BRAKE_MS)
                fast = nominal - rest
                verdict = await self._await(bit, 1, fast, duty, fast)
                if verdict == LATE:
                    duty = board.PWM_SLOW
                    self.on(duty, reverse)
                    slow = rest * board.PWM_FULL // duty
                    verdict = await self._await(bit, 1, limit - fast, duty, slow + slow // 4 + settle)
            else:
                verdict = await self._await(bit, 1, limit, duty, nominal + nominal // 8 + settle)
        finally:
            self.off()
            self.taken_ms = ticks_diff(ticks_ms(), started)
        if verdict == REACHED and gentle and sure:
            await asyncio.sleep_ms(_BOUNCE_MS)
            if not self._ports.level(bit):
                return LATE  # a loose switch
        return verdict

    async def turn(self, home, reverse=0, duty=board.PWM_FULL):
        """One turn of a cam, from its home switch to its home switch. Returns how it ended."""
        nominal = self.stroke_ms * board.PWM_FULL // duty + self.run_up_ms * duty // board.PWM_FULL // 2
        due = nominal + nominal // 16
        limit = nominal + nominal // 2 - self.run_up_ms  # a second turn would lift another tile
        started = ticks_ms()
        rises = self._ports.rises[home]
        try:
            self.on(duty, reverse)
            verdict = await self._await(home, 0, limit, duty, due)
            if verdict == REACHED and self._ports.rises[home] == rises:
                verdict = await self._await(home, 1, limit - ticks_diff(ticks_ms(), started), duty, due)
        finally:
            self.off()
            self.taken_ms = ticks_diff(ticks_ms(), started)
        return verdict

    async def spin(self, ms, duty=board.PWM_FULL, reverse=0):
        """Run for a time. Raises Stopped."""
        self.on(duty, reverse)
        try:
            await asyncio.sleep_ms(ms)
        finally:
            self.off()

    async def _await(self, bit, level, limit, duty, due):
        """Wait for an input while the motor runs; the current decides once the sensor is overdue."""
        started = ticks_ms()
        strikes = 0
        enough = _STRIKES if duty > board.PWM_SLOW else _STRIKES_SLOW
        last = REACHED
        wait = _SLICE_MS if self.side < 0 else min(due, limit)
        while True:
            reached = await self._ports.wait(bit, level, wait, self.off if level else None)
            self._motors.check()
            if reached:
                return REACHED
            passed = ticks_diff(ticks_ms(), started)
            wait = _SLICE_MS
            if passed >= self.run_up_ms + _INRUSH_MS:
                verdict = self._motors.judge(self, duty)
                strikes = strikes + 1 if verdict == last else 1
                last = verdict
                if strikes >= enough and verdict != LATE and (self.side < 0 or passed >= due):
                    return verdict
            if passed >= limit:
                return LATE if strikes < enough else last


# Linear axes: the inputs at the low end, at the high end
ENDS = {
    "lift": ((board.IN_LIFT_DOWN,), (board.IN_LIFT_UP,)),
    "pusher": (board.IN_PUSHER_HOME, board.IN_PUSHER_END),
    "plate": (board.IN_PLATE_DOWN, board.IN_PLATE_UP),
}


def end(kind, side, high):
    """The limit input of a linear axis, -1 for an axis without ends."""
    if kind not in ENDS:
        return -1
    return ENDS[kind][1 if high else 0][side]


def conflict(ports):
    """Number of the first axis whose two ends are reported at once, -1 if none."""
    for number, motor in enumerate(board.MOTORS):
        kind = motor[3]
        side = number - board.AXES[kind][4]
        if kind in ENDS and ports.level(end(kind, side, 0)) and ports.level(end(kind, side, 1)):
            return number
    return -1
