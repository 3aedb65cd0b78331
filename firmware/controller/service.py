"""What a technician does through the host: jog, home, test, counters. Imported when one is first asked for.

Motion only with the service key turned, as leases that stop by themselves.
"""

import asyncio

from micropython import const

import board
from tablelink import messages

from . import memory as m
from . import states
from .axes import ENDS, OPEN, REACHED, STALLED, Axis, end
from .fault_codes import HEAD_JAM, MOTOR_OPEN, SENSOR_CONFLICT
from .faults import Fault, Obstructed, Stopped
from .link import CommandError

_SPIN_MS = const(1500)
_SETTLE_MS = const(40)
_SINGLE = ("pan", "ring", "lift", "dice")
_PULSES = {"pan": board.IN_PAN_PULSE, "ring": board.IN_RING_PULSE, "dice": board.IN_DICE_PULSE}


def _axis(number):
    """Name and side of a motor. CommandError RANGE if there is none."""
    if number >= len(board.MOTORS):
        raise CommandError(messages.RANGE)
    kind = board.MOTORS[number][3]
    return kind, number - board.AXES[kind][4]


class Service:
    """The technician's commands, by their names."""

    def __init__(self, cycle, motors, ports, safety, memory, log):
        self._cycle = cycle
        self._motors = motors
        self._ports = ports
        self._safety = safety
        self._memory = memory
        self._log = log
        self._task = None
        self._stop_at = -1
        self._picture = bytearray(8)
        # A lease outlives its command for a while and must not end the one that came after it: as leases run out
        # in the order in which they began, only the last one stops anything.
        self._leases = 0

    def on_input(self, bit, level):
        if level and bit == self._stop_at:
            self.stop()

    def lapsed(self):
        self._leases -= 1
        if not self._leases:
            self.stop()

    def stop(self):
        self._stop_at = -1
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self._cycle.service or not self._cycle.moving:
            self._safety.stop()

    async def _ready(self):
        """Close the relay if lid and emergency stop allow it."""
        if self._cycle.moving or self._task is not None:
            raise CommandError(messages.BUSY)
        self._motors.watch(-1)
        if not self._safety.ready() and not (self._safety.circuit_closed() and await self._safety.arm()):
            raise CommandError(messages.MODE)

    async def _lease(self, coroutine):
        """Run it as a task that the end of the lease cancels."""
        self._leases += 1
        await self._ready()
        self._task = asyncio.create_task(coroutine)
        try:
            return await self._task
        except (Stopped, Obstructed, asyncio.CancelledError):
            raise CommandError(messages.FAILED)
        finally:
            self._task = None

    async def jog(self, number, reverse, duty):
        """Raises CommandError: no such axis, at its end already, or something is above it."""
        self._leases += 1
        kind, side = _axis(number)
        await self._ready()
        stop_at = end(kind, side, 0 if reverse else 1)
        if duty and stop_at >= 0 and self._ports.level(stop_at):
            raise CommandError(messages.RANGE)
        try:
            self._guard(kind, reverse)
            self._motors.drive(number, board.PWM_FULL * duty // 100, reverse)
        except (Stopped, Obstructed):
            raise CommandError(messages.MODE)
        self._stop_at = stop_at

    def _guard(self, kind, reverse):
        if kind == "plate":
            self._motors.watch(board.IN_SURFACE_OBJECT)
        elif kind == "lift":
            self._motors.watch(board.IN_SURFACE_OBJECT if reverse else board.IN_CONSOLE_OBJECT)
        else:
            self._motors.watch(-1)

    def home(self):
        return self._lease(self._home())

    def test(self, number):
        return self._lease(self._test(number))

    def counters(self):
        return tuple([self._memory.counter(n) for n in range(m.SECONDS + 7)])

    async def _home(self):
        try:
            await self._cycle.service_home()
        except Fault as fault:
            self._log.warn(fault.code, fault.part, fault.detail)
            raise CommandError(messages.FAILED)

    def forget(self):
        if self._cycle.moving:
            raise CommandError(messages.BUSY)
        self._cycle.forget()

    def inputs(self):
        self._ports.picture(self._picture)
        state = states.NAMES.index(self._cycle.state)
        return bytes(self._picture), state, self._log.code, self._log.part, self._motors.rail_mv()

    async def _test(self, number):
        """One axis there and back: fault code (0 good), ms of the first way, mA of its group on the way."""
        kind, side = _axis(number)
        axis = Axis(self._motors, self._ports, kind, -1 if kind in _SINGLE else side)
        if kind in ("plate", "head", "pusher") and self._cycle.sides[side].tiles:
            raise CommandError(messages.BUSY)  # it would move a wall
        if kind in ENDS:
            low, high = end(kind, side, 0), end(kind, side, 1)
            if self._ports.level(low) and self._ports.level(high):
                return SENSOR_CONFLICT, 0, 0
            way = axis.move(low, 1) if self._ports.level(high) else axis.move(high, 0)
            verdict, ma = await self._measure(kind, axis, way, self._ports.level(high))
            ms = axis.taken_ms
            if verdict == REACHED:
                self._guard(kind, 1)
                verdict = await axis.move(low, 1)
        elif kind == "head":
            verdict, ma = await self._measure(kind, axis, axis.turn(board.IN_HEAD_HOME[side]), 0)
            ms = axis.taken_ms
        else:
            pulse = _PULSES.get(kind, -1)
            rises = self._ports.rises[pulse]
            verdict, ma = await self._measure(kind, axis, axis.spin(_SPIN_MS), 0)
            ms = _SPIN_MS
            if ma * 2 < axis.run_ma:
                verdict = OPEN
            elif ma * 2 > axis.run_ma + axis.stall_ma or (pulse >= 0 and self._ports.rises[pulse] == rises):
                verdict = STALLED
            else:
                verdict = REACHED
        self._motors.watch(-1)
        if verdict == REACHED:
            return 0, ms, ma
        return (MOTOR_OPEN if verdict == OPEN else _CODES.get(kind, HEAD_JAM)), ms, ma

    async def _measure(self, kind, axis, way, reverse):
        """Run a way; how it ended, and the current shortly after its start."""
        self._guard(kind, reverse)
        going = asyncio.create_task(way)
        try:
            await asyncio.sleep_ms(axis.run_up_ms + _SETTLE_MS)
            ma = self._motors.read_ma(axis.channel)
            return await going, ma
        finally:
            going.cancel()


# What a failed test is called
_CODES = {"lift": 41, "pusher": 21, "plate": 31, "pan": 51, "ring": 51, "feed": 15, "dice": 81}
