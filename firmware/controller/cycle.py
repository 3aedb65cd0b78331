"""The tiles' way through the table, one named state after the other; every step has a limit and a fault.

idle -> home -> shuffle -> stack -> audit -> hold -> raise -> ready -> (refill button) collect -> idle
"""

import asyncio
from time import ticks_diff, ticks_ms

from drivers.faults import ReaderFault
from micropython import const

import board

from . import faults
from .axes import Axis
from .faults import Fault

_TILES_A_SIDE = board.STACKS_A_SIDE * board.TILES_A_STACK
_FEED_LIMIT_MS = const(8000)
_TILE_LIMIT_MS = const(500)
_GAP_CLEAR_MS = const(2000)  # the console stays up so long after the last hand left the gap


class Cycle:
    """`scanner` reads the gates (`read_gate(side)`), `emit` records events, `safety` allows motion."""

    def __init__(self, ports, motors, scanner, safety, emit):
        self._ports = ports
        self._scanner = scanner
        self._safety = safety
        self._emit = emit
        self._pan = Axis(motors, ports, "pan")
        self._ring = Axis(motors, ports, "ring")
        self._lift = Axis(motors, ports, "lift")
        self._feeds = [Axis(motors, ports, "feed", n) for n in range(4)]
        self._heads = [Axis(motors, ports, "head", n) for n in range(4)]
        self._pushers = [Axis(motors, ports, "pusher", n) for n in range(4)]
        self._plates = [Axis(motors, ports, "plate", n) for n in range(4)]
        self.state = "idle"
        self.set = 0
        self._wanted = None
        self._wake = asyncio.Event()
        self._seen = bytearray(board.TILES_A_SET // 8)
        self._tiles = 0
        self._doubled = 0
        self._foreign = 0
        self._sets = [0, 0]
        self.heartbeat = None

    def press(self, button):
        """Ask for `raise` or `refill`; a press that the state has no use for is ignored."""
        self._wanted = button
        self._wake.set()

    def _enter(self, state):
        self.state = state
        self._emit("cycle", state, self.set)

    async def run(self):
        while True:
            try:
                await asyncio.wait_for_ms(self._wake.wait(), 500)
            except asyncio.TimeoutError:
                pass
            self._wake.clear()
            if self.heartbeat is not None:
                self.heartbeat()
            wanted, self._wanted = self._wanted, None
            if wanted is None:
                continue
            try:
                if not self._safety.ready():
                    if not await self._safety.recover():
                        continue
                    await self._home()
                if wanted == "raise" and self.state in ("idle", "hold", "collect"):
                    if self.state != "hold":
                        await self._build()
                    await self._raise()
                elif wanted == "refill" and self.state in ("idle", "ready"):
                    await self._collect()
            except Fault as fault:
                self._safety.trip(fault.code, fault.part, fault.detail)
                self._enter("fault")
                self.state = "idle"

    async def _together(self, steps):
        """Run the sides' steps at the same time; the first fault stops all."""
        tasks = [asyncio.create_task(step) for step in steps]
        try:
            for task in tasks:
                await task
        except BaseException:
            for task in tasks:
                task.cancel()
            raise

    async def _home(self):
        """Bring every axis to its rest at low speed."""
        self._enter("home")
        slow = board.PWM_SLOW
        await self._lift.move(board.IN_LIFT_DOWN, 1, faults.LIFT_OVERLOAD, slow)
        for side in range(4):
            await self._pushers[side].move(board.IN_PUSHER_HOME[side], 1, faults.PUSH_STUCK, slow)
            await self._heads[side].move(board.IN_HEAD_HOME[side], 0, faults.HEAD_JAM, slow)

    async def _build(self):
        started = ticks_ms()
        if not all(self._ports.level(bit) for bit in board.IN_PUSHER_HOME):
            await self._home()
        if not await self._ports.wait(board.IN_SURFACE_OBJECT, 0, board.COLLECT_MS):
            raise Fault(faults.TILE_EXTRA)
        self._enter("shuffle")
        await self._together(
            [self._plates[n].move(board.IN_PLATE_DOWN[n], 1, faults.PLATE_LIMIT) for n in range(4)]
        )
        self._forget()
        self._scanner.clear()
        self._scanner.pause()
        self._pan.on()
        self._ring.on()
        try:
            await asyncio.sleep_ms(board.SHUFFLE_MS)
            self._enter("stack")
            await asyncio.wait_for_ms(
                self._together([self._stack(n) for n in range(4)]),
                max(board.CYCLE_LIMIT_MS - ticks_diff(ticks_ms(), started), 1),
            )
        except asyncio.TimeoutError:
            raise Fault(faults.DECK_TIMEOUT, 0, self._tiles)
        finally:
            for axis in [self._pan, self._ring] + self._feeds:
                axis.off()
        self._audit()
        self._enter("hold")

    async def _stack(self, side):
        """Read each tile as it waits at the gate, lift it onto the head, push full heads onto the plate."""
        feed, head = self._feeds[side], self._heads[side]
        pushing = None
        try:
            for n in range(_TILES_A_SIDE):
                feed.on()
                if not await self._ports.wait(board.IN_FEED_TILE[side], 1, _FEED_LIMIT_MS):
                    raise Fault(faults.HEAD_STARVED, side, n)
                self._note(await self._read(side))
                if pushing is not None:
                    await pushing
                    pushing = None
                await head.turn(board.IN_HEAD_HOME[side], faults.HEAD_JAM)
                self._tiles += 1
                if n % board.TILES_A_STACK == board.TILES_A_STACK - 1:
                    if not await self._ports.wait(board.IN_HEAD_FULL[side], 1, _TILE_LIMIT_MS):
                        raise Fault(faults.HEAD_JAM, side, n)
                    pushing = asyncio.create_task(self._push(side))
            feed.off()
            await pushing
        finally:
            if pushing is not None:
                pushing.cancel()

    async def _read(self, side):
        try:
            return await self._scanner.read_gate(side)
        except ReaderFault:
            return None  # the audit will say unread

    async def _push(self, side):
        pusher = self._pushers[side]
        await pusher.move(board.IN_PUSHER_END[side], 0, faults.PUSH_STUCK)
        await pusher.move(board.IN_PUSHER_HOME[side], 1, faults.PUSH_STUCK)

    def _forget(self):
        for n in range(len(self._seen)):
            self._seen[n] = 0
        self._tiles = self._doubled = self._foreign = 0
        self._sets[0] = self._sets[1] = 0

    def _note(self, tile):
        """Which tiles passed, never in which order: one bit a tile."""
        if tile is None:
            return
        if tile < 0:
            self._foreign += 1
            return
        self._sets[tile >> 8 & 1] += 1
        tile &= 0xFF
        mask = 1 << (tile & 7)
        if self._seen[tile >> 3] & mask:
            self._doubled += 1
        self._seen[tile >> 3] |= mask

    def _audit(self):
        self._enter("audit")
        self.set = 1 if self._sets[1] > self._sets[0] else 0
        missing = sum(1 for n in range(board.TILES_A_SET) if not self._seen[n >> 3] >> (n & 7) & 1)
        if self._sets[1 - self.set]:
            result = "other_set"
        elif self._doubled:
            result = "doubled"
        elif self._foreign:
            result = "foreign"
        elif self._sets[self.set] < self._tiles:
            result = "unread"
        else:
            result = "incomplete" if missing else "complete"
        self._emit("audit", self.set, result, missing, self._foreign, self._doubled)

    async def _raise(self):
        if not await self._ports.wait(board.IN_SURFACE_OBJECT, 0, board.COLLECT_MS):
            raise Fault(faults.LIFT_OVERLOAD)
        self._enter("raise")
        await self._together([self._plates[n].move(board.IN_PLATE_UP[n], 0, faults.PLATE_LIMIT) for n in range(4)])
        self._scanner.resume()
        self._enter("ready")

    async def _collect(self):
        """Console up; it goes down again when no hand has been in the gap for a while."""
        if self._ports.level(board.IN_CONSOLE_OBJECT):
            raise Fault(faults.LIFT_OVERLOAD)
        self._enter("collect")
        await self._lift.move(board.IN_LIFT_UP, 0, faults.LIFT_NOT_UP)
        started = ticks_ms()
        clear = started
        while ticks_diff(ticks_ms(), started) < board.COLLECT_MS or ticks_diff(ticks_ms(), clear) < _GAP_CLEAR_MS:
            if self._ports.level(board.IN_SURFACE_OBJECT):
                clear = ticks_ms()
            if self.heartbeat is not None:
                self.heartbeat()
            await asyncio.sleep_ms(50)
        await self._lift.move(board.IN_LIFT_DOWN, 1, faults.LIFT_OVERLOAD)
        self.state = "idle"
