"""What brings the tiles to the walls: pan and ring, and on each side conveyor, gate, head and pusher."""

import asyncio
from time import ticks_diff, ticks_ms

from micropython import const

import board

from . import fault_codes as faults
from . import memory as m
from .axes import OPEN, REACHED, Axis
from .faults import Fault, Obstructed, Stopped

# How the stacking of a side ended
COMPLETE = const(0)
STARVED = const(1)
PAUSED = const(2)

_TRIES = const(3)
_WINDOW_MS = const(1500)  # several pulses of pan and ring
_FULL_MS = const(300)
_FREE_MS = const(100)
_LOOK_AGAIN_MS = const(150)
_LONG_MS = const(15000)


class Stirrer:
    """Pan and magnet ring together."""

    def __init__(self, motors, ports, log):
        self._log = log
        self._motors = motors
        self._ports = ports
        self._pan = Axis(motors, ports, "pan")
        self._ring = Axis(motors, ports, "ring")
        self._pan_duty = board.PWM_FULL

    def on(self, reverse=0):
        self._pan.on(self._pan_duty, reverse)
        self._ring.on(board.PWM_FULL, reverse)

    def off(self):
        self._pan.off()
        self._ring.off()

    async def stir(self):
        """In reverse for a while, then forward again."""
        self.on(1)
        await asyncio.sleep_ms(board.STIR_MS)
        self.on()

    async def watch(self, ms):
        """Fault when pan or ring stand or run apart; returns after `ms`, 0 for never."""
        rises = self._ports.rises
        started = ticks_ms()
        self._pan_duty = board.PWM_FULL
        slowed = False
        while not ms or ticks_diff(ticks_ms(), started) < ms:
            pan, ring = rises[board.IN_PAN_PULSE], rises[board.IN_RING_PULSE]
            left = ms - ticks_diff(ticks_ms(), started) if ms else _WINDOW_MS
            await asyncio.sleep_ms(min(left, _WINDOW_MS))
            self._motors.check()
            if left < _WINDOW_MS:
                return
            pan, ring = rises[board.IN_PAN_PULSE] - pan & 0xFF, rises[board.IN_RING_PULSE] - ring & 0xFF
            for axis, enough in ((self._ring, ring and pan <= ring + 1), (self._pan, pan)):
                if not enough:
                    if self._motors.judge(axis, board.PWM_FULL) == OPEN:
                        raise Fault(faults.MOTOR_OPEN, axis.number)
            if not (ring and pan):
                raise Fault(faults.RING_SYNC, 0, (self._pan if ring else self._ring).number)
            if pan > ring + 1:
                if slowed:
                    raise Fault(faults.RING_SYNC, 0, ring)
                slowed = True
                self._log.warn(faults.RING_SYNC, 0, ring)
                self._pan_duty = board.PWM_SLOW
                self._pan.on(board.PWM_SLOW)


class Side:
    """One side from conveyor to plate. `gate(side)` reads and notes the tile that waits; False without one."""

    def __init__(self, n, motors, ports, memory, gate):
        self.n = n
        self.feed = Axis(motors, ports, "feed", n)
        self.head = Axis(motors, ports, "head", n)
        self.pusher = Axis(motors, ports, "pusher", n)
        self.plate = Axis(motors, ports, "plate", n)
        self.in_head = 0
        self.paused = False
        self.surplus = False
        self.blind = False  # the gate hears a tile that the light sensor does not see
        self._motors = motors
        self._ports = ports
        self._memory = memory
        self._cells = memory.cells
        self._gate = gate
        self._tile = board.IN_FEED_TILE[n]
        self._full = board.IN_HEAD_FULL[n]
        self._home = board.IN_HEAD_HOME[n]
        self._free = asyncio.Event()  # the pusher is out of the head's way, or soon will be
        self._error = None
        self._pushing = None
        self._sure = False  # whether `in_head` is known, or may be one too few

    @property
    def stacks(self):
        return self._cells[m.STACKS + self.n]

    @property
    def tiles(self):
        return self.stacks * board.TILES_A_STACK + self.in_head

    def unsure(self):
        """Nobody knows what the head holds."""
        self._sure = False

    def emptied(self):
        """The wall has gone up."""
        self._cells[m.STACKS + self.n] = 0

    def settle_push(self):
        """The pusher is home: a push that was cut has moved its stack, or the head still holds it."""
        mask = 1 << self.n
        full = self._ports.level(self._full)
        if self._cells[m.PUSHING] & mask:
            self._cells[m.PUSHING] &= ~mask
            if not full:
                self._cells[m.STACKS + self.n] += 1
        self.in_head = board.TILES_A_STACK if full else 0
        self._sure = False

    async def ready(self):
        """Pusher and cam at home, however they were left."""
        if not self._ports.level(board.IN_PUSHER_HOME[self.n]):
            await self._back()
        if self._cells[m.PUSHING] & 1 << self.n:
            self.settle_push()
        if not self._ports.level(self._home):
            verdict = await self.head.move(self._home, 1)
            if verdict != REACHED:
                raise self.head.fault(verdict, faults.HEAD_JAM, faults.HEAD_JAM)

    async def stack(self):
        """Read each tile at the gate, lift it onto the head, push full heads onto the plate. How it ended."""
        self._error = None
        self._pushing = None
        self._free.set()
        await self.ready()
        try:
            if self.in_head == board.TILES_A_STACK or self._ports.level(self._full):
                self._start_push()
            while True:
                await self._free.wait()
                if self._error is not None:
                    raise self._error
                if self._ports.level(self._full) and self.in_head < board.TILES_A_STACK:
                    if self._sure:
                        raise Fault(faults.HEAD_JAM, self.n, 3)  # the stack sensor is covered and should not be
                    self.in_head = board.TILES_A_STACK
                    self._start_push()
                    continue
                if self.paused or self.tiles >= board.TILES_A_STACK * self._cells[m.TARGET]:
                    break
                self.feed.on()
                if not await self._ports.wait(self._tile, 1, board.STARVED_MS):
                    self._motors.check()
                    if self._motors.judge(self.feed, board.PWM_FULL) == OPEN:
                        raise Fault(faults.MOTOR_OPEN, self.feed.number)
                    self.blind = await self._gate(self.n)
                    return STARVED
                if not await self._gate(self.n):
                    await asyncio.sleep_ms(_LOOK_AGAIN_MS)  # a light sensor that is wrong, or a tile still on its way
                    await self._gate(self.n)
                if self.in_head == board.TILES_A_STACK - 1:
                    self._start_push(self._ports.falls[self._tile])
                await self._lift()
            # The conveyor runs on during the last push: a surplus tile would come now.
            if self._pushing is not None:
                await self._pushing
                if self._error is not None:
                    raise self._error
            self.surplus = self._ports.level(self._tile) == 1
            return PAUSED if self.stacks < self._cells[m.TARGET] else COMPLETE
        finally:
            self.feed.off()
            if self._pushing is not None:
                self._pushing.cancel()

    async def _lift(self):
        """One cam turn; it must take the tile off the gate. Back off and try again before anybody is called."""
        ports = self._ports
        falls = ports.falls[self._tile]
        rises = ports.rises[self._full]
        for attempt in range(_TRIES):
            verdict = await self.head.turn(self._home)
            if self._error is not None:
                raise self._error  # it was the pusher that held the head
            if ports.falls[self._tile] != falls or not ports.level(self._tile):
                break
            if verdict == OPEN:
                raise self.head.fault(verdict, faults.HEAD_JAM, faults.HEAD_JAM)
            if attempt < _TRIES - 1:
                await self.head.turn(self._home, 1)
        else:
            raise Fault(faults.HEAD_JAM, self.n, 1)
        if verdict != REACHED:  # the tile is up, the cam is not home
            verdict = await self.head.move(self._home, 1)
            if verdict != REACHED:
                raise self.head.fault(verdict, faults.HEAD_JAM, faults.HEAD_JAM)
        if ports.level(self._full) or ports.rises[self._full] != rises:
            if self.in_head < board.TILES_A_STACK - 1:
                if self._sure:
                    raise Fault(faults.HEAD_JAM, self.n, 3)  # one tile and the stack sensor is covered
                self._start_push()  # another tile was there already
            if self.stacks < self._cells[m.TARGET]:
                self.in_head = board.TILES_A_STACK
        elif self.in_head < board.TILES_A_STACK - 1:
            self.in_head += 1
        elif await ports.wait(self._full, 1, _FULL_MS):
            self.in_head = board.TILES_A_STACK
        else:
            raise Fault(faults.HEAD_JAM, self.n, 2)  # two tiles and the stack sensor is dark

    def _start_push(self, falls=-1):
        self._free.clear()
        self._pushing = asyncio.create_task(self._push(falls))

    async def _push(self, falls):
        """Once the head is full: its stack onto the plate. What goes wrong is left in `_error`.

        `falls` is the gate sensor's count before the last lift, which must have happened too; -1 for no lift.
        """
        ports, cells, mask = self._ports, self._cells, 1 << self.n
        back = None
        try:
            if not await ports.wait(self._full, 1, _LONG_MS):
                return  # the lift tells why
            if falls == ports.falls[self._tile] and not await ports.wait(self._tile, 0, _LONG_MS):
                return
            cells[m.PUSHING] |= mask
            self._memory.save()
            for _ in range(2):
                verdict = await self.pusher.move(board.IN_PUSHER_END[self.n], 0, gentle=True, sure=False)
                if verdict in (REACHED, OPEN):
                    break
                await self._back()
            if verdict != REACHED:
                raise self.pusher.fault(verdict, faults.PUSH_STUCK, faults.CHAIN_NO_ZERO)
            if not await ports.wait(self._full, 0, _FREE_MS):
                raise Fault(faults.HEAD_JAM, self.n, 3)  # the stack sensor stays covered
            cells[m.PUSHING] &= ~mask
            cells[m.STACKS + self.n] += 1
            self.in_head = 0
            self._sure = True
            self._memory.save()
            back = asyncio.create_task(self._back())
            await asyncio.sleep_ms(board.CAM_LEAD_MS)
            self._free.set()
            await back
        except (Fault, Stopped, Obstructed) as error:
            self._error = error
        finally:
            self._free.set()
            if back is not None:
                back.cancel()

    async def _back(self):
        verdict = await self.pusher.move(board.IN_PUSHER_HOME[self.n], 1, gentle=True, sure=False)
        if verdict != REACHED:
            raise self.pusher.fault(verdict, faults.PUSH_STUCK, faults.CHAIN_NO_ZERO)
