"""The tiles' way through the table, one named state after the other; every step has a limit and a fault.

The states are those of `states`; where the tiles are is kept in `memory`, so that a cycle goes on after any stop.
"""

import asyncio
from time import ticks_diff, ticks_ms

from micropython import const

import board
from drivers.faults import DriverFault, ReaderFault

from . import fault_codes as faults
from . import memory as m
from . import states, tile_registry
from .axes import OPEN, REACHED, STALLED, Axis
from .faults import Fault, Obstructed, Stopped
from .feeding import COMPLETE, PAUSED, STARVED, Side, Stirrer

_CLEAR_MS = const(15000)  # so long the table waits for an empty surface
_EXTENSION_MS = const(2000)
_STIRS = const(2)
_READER_TRIES = const(4)
_RESTART_MS = const(60)  # a reader that failed is restarted meanwhile
_SURPLUS_MS = const(500)
_FEW = const(8)  # so many tiles can be missing; more are stuck somewhere
_MISSING_TOLD = const(16)
_PRESS_MS = const(400)  # both buttons within this time pause
_DOUBLED = tile_registry.DOUBLED


class Cycle:
    """`scanner` reads the gates, `emit` records events, `safety` allows motion, `memory` outlives a power cut.

    `stacks` and `sets` are settings: stacks a side and tile sets in the table, as of the next wall.
    """

    def __init__(self, ports, motors, scanner, safety, log, memory, emit):
        self._ports = ports
        self._motors = motors
        self._scanner = scanner
        self._safety = safety
        self._log = log
        self._memory = memory
        self._emit = emit
        self._cells = memory.cells
        self._stirrer = Stirrer(motors, ports, log)
        self._lift = Axis(motors, ports, "lift")
        self.sides = [Side(n, motors, ports, memory, self._gate) for n in range(4)]
        self.state = "idle"
        self.stacks = board.STACKS_A_SIDE
        self.sets = 1
        self.service = False  # a technician has the table: no cycle starts
        self._wanted = None
        self._wake = asyncio.Event()
        self._pressed_at = ticks_ms()
        self._homed = True
        self.heartbeat = None

    # -- what others may ask -----------------------------------------------------------------------------------

    def press(self, button):
        """Ask for `raise` or `refill`; both together pause. A press that the state has no use for is ignored."""
        now = ticks_ms()
        both = self._wanted not in (None, button) or (
            ticks_diff(now, self._pressed_at) < _PRESS_MS
            and self._ports.level(board.IN_BUTTON_RAISE)
            and self._ports.level(board.IN_BUTTON_REFILL)
        )
        self._pressed_at = now
        if both and self.state in ("shuffle", "stack"):
            self._pause(True)
        self._wanted = button
        self._wake.set()

    def _pause(self, on):
        for side in self.sides:
            side.paused = on

    @property
    def set(self):
        """The set whose wall is below or being built; above once it has been raised."""
        below = self.state in ("shuffle", "stack", "audit", "hold", "pause")
        return self._cells[m.SET_BELOW if below else m.SET_ABOVE]

    @property
    def in_play(self):
        """Walls have been raised and not been collected."""
        return bool(self._cells[m.FLAGS] & m.WALLS)

    def _set_in_play(self):
        """As `Scanner.set`: -1 also when the gates have read no tile of these walls."""
        return self._cells[m.SET_ABOVE] if self.in_play and self._cells[m.FLAGS] & m.SET_READ else -1

    @property
    def complete(self):
        """A whole wall that has been audited waits on the plates."""
        cells = self._cells
        audited = cells[m.TARGET] > 0 and cells[m.FLAGS] & m.AUDITED
        return bool(audited) and all(cells[m.STACKS + n] == cells[m.TARGET] for n in range(4))

    @property
    def moving(self):
        return self.state not in states.AT_REST

    def interrupted(self):
        """After a start: the state in which the power failed, or None if everything was at rest."""
        name = states.NAMES[self._cells[m.STATE] % len(states.NAMES)]
        if name not in states.AT_REST:
            self._homed = False
            return name
        self._homed = name != "fault"
        self.state = self._resting()
        self._scanner.set = self._set_in_play()
        return None

    def forget(self):
        """The technician has emptied the plates: begin with nothing."""
        for n in range(4):
            self._cells[m.STACKS + n] = 0
        self._cells[m.PUSHING] = self._cells[m.TARGET] = self._cells[m.FLAGS] = 0
        self._memory.save()

    async def service_home(self):
        """Home for the technician. Raises as a step does."""
        await self.home()
        self._rest()

    def _rest(self):
        self._enter(self._resting())

    def _resting(self):
        return "ready" if self.in_play else "hold" if self.complete else "idle"

    # -- states ------------------------------------------------------------------------------------------------

    def _enter(self, state):
        if not states.allowed(self.state, state):
            raise RuntimeError("%s -> %s" % (self.state, state))
        self.state = state
        self._scanner.set = self._set_in_play()
        self._cells[m.STATE] = states.NAMES.index(state)
        self._memory.save()
        if state != "idle":
            self._emit("cycle", state, self.set)

    def _beat(self):
        if self.heartbeat is not None:
            self.heartbeat()

    async def run(self):
        while True:
            try:
                await asyncio.wait_for_ms(self._wake.wait(), 500)
            except asyncio.TimeoutError:
                pass
            self._wake.clear()
            self._beat()
            wanted, self._wanted = self._wanted, None
            if self.service or wanted is None:
                continue
            try:
                await self._serve(wanted)
            except Stopped:
                self._stop()
            except Obstructed:
                self._fail(Fault(faults.HAND_IN_THE_WAY, 0, self._motors.guard & 0xFF))
            except Fault as fault:
                self._fail(fault)
            except DriverFault:
                self._fail(Fault(faults.CHIP_DOWN, 1))
            self._wanted = None  # what was pressed meanwhile was not meant for what comes now
            self._wake.clear()

    def _fail(self, fault):
        self._safety.trip(fault.code, fault.part, fault.detail)
        self._stop()

    def _stop(self):
        self._memory.count(m.STOPS)
        self._homed = False
        self._motors.guard = -1
        self._enter("fault")

    async def _serve(self, wanted):
        if not self._safety.ready() or self._log.code:
            if not await self._safety.recover():
                return
        self._motors.watch(-1)
        if not (self._homed and self._at_home()):
            await self.home()
        if wanted == "refill":
            if self.sets == 2 or self.state != "hold":
                await self._collect()
        elif not self.in_play:
            if not self.complete:
                await self._build()
            await self._raise()
        if self.sets == 2 and not self.complete and (self._cells[m.FLAGS] & m.LOADED or self._cells[m.TARGET]):
            await self._build()  # the other set, while this one is played
        if self.state == "home":
            self._rest()

    async def together(self, steps, sentry=None):
        """Run steps at the same time and return what they return; the first error, also of `sentry`, stops all."""
        done = asyncio.Event()
        results = [None] * len(steps)
        errors = []
        left = [len(steps)]

        async def run(n, step):
            try:
                result = await step
            except Exception as error:
                errors.append(error)
                done.set()
                return
            if n >= 0:
                results[n] = result
                left[0] -= 1
                if not left[0]:
                    done.set()

        tasks = [asyncio.create_task(run(n, step)) for n, step in enumerate(steps)]
        if sentry is not None:
            tasks.append(asyncio.create_task(run(-1, sentry)))
        try:
            await done.wait()
            if errors:
                raise errors[0]
        finally:
            for task in tasks:
                task.cancel()
        return results

    async def _wait_clear(self, bit, limit_ms, code):
        """Until an input has been 0; Fault `code` after the limit. Raises Stopped."""
        started = ticks_ms()
        while self._ports.level(bit):
            if ticks_diff(ticks_ms(), started) > limit_ms:
                raise Fault(code, 0, bit)
            await self._ports.wait(bit, 0, 500)
            self._motors.check()
            self._beat()

    # -- home --------------------------------------------------------------------------------------------------

    async def home(self):
        """Bring every axis to its rest at low speed and find out where the tiles are. Raises as a step does."""
        slow = board.PWM_SLOW
        cells = self._cells
        raising = states.NAMES[cells[m.STATE] % len(states.NAMES)] == "raise" or self._half_raised()
        self._enter("home")
        if not self._ports.level(board.IN_LIFT_DOWN):
            await self._close(slow, _CLEAR_MS)
        for side in self.sides:
            verdict = await side.pusher.move(board.IN_PUSHER_HOME[side.n], 1, slow)
            if verdict != REACHED:
                raise side.pusher.fault(verdict, faults.PUSH_STUCK, faults.CHAIN_NO_ZERO)
            side.settle_push()
            verdict = await side.head.move(board.IN_HEAD_HOME[side.n], 1, slow)
            if verdict != REACHED:
                raise side.head.fault(verdict, faults.HEAD_JAM, faults.HEAD_JAM)
        for side in self.sides:
            up = self._ports.level(board.IN_PLATE_UP[side.n])
            if up and raising:
                side.emptied()  # its wall stands
                cells[m.FLAGS] |= m.WALLS
            elif not up and not self._ports.level(board.IN_PLATE_DOWN[side.n]):
                await self._plate_home(side, slow)
        self._memory.save()
        self._homed = True

    def _at_home(self):
        """Every axis is where a step leaves it, as far as its switches say."""
        level = self._ports.level
        return level(board.IN_LIFT_DOWN) and all(
            level(board.IN_PUSHER_HOME[n])
            and level(board.IN_HEAD_HOME[n])
            and (level(board.IN_PLATE_DOWN[n]) or level(board.IN_PLATE_UP[n]))
            for n in range(4)
        )

    def _half_raised(self):
        return self.complete and any(self._ports.level(bit) for bit in board.IN_PLATE_UP)

    async def _plate_home(self, side, duty):
        verdict = await side.plate.move(board.IN_PLATE_DOWN[side.n], 1, duty)
        if verdict != REACHED:
            raise side.plate.fault(verdict, faults.PLATE_LIMIT, faults.PLATE_LIMIT)

    # -- build -------------------------------------------------------------------------------------------------

    def _begun(self):
        """A wall is partly built: on the plates, or only in heads and gates, whose tiles are read but once."""
        cells = self._cells
        if any(cells[m.STACKS + n] for n in range(4)):
            return True
        return not cells[m.FLAGS] & m.AUDITED and any(cells[m.FOREIGN : m.SEEN + 36])

    def _tiles(self):
        return sum(side.tiles for side in self.sides)

    async def _build(self):
        cells = self._cells
        fresh = not cells[m.TARGET] or not self._begun()
        if fresh:
            self._forget_wall()
        cells[m.FLAGS] &= ~m.AUDITED
        if not self.in_play:
            await self._wait_clear(board.IN_SURFACE_OBJECT, _CLEAR_MS, faults.HAND_IN_THE_WAY)
        self._enter("shuffle" if fresh else "stack")
        started = ticks_ms()
        if self.sets == 1:
            await self._scanner.clear()
            self._scanner.pause()
        stirrer = self._stirrer
        stirs = late = 0
        try:
            stirrer.on()
            # The plates go down meanwhile.
            await self.together([self._lower(), stirrer.watch(board.SHUFFLE_MS if fresh else 1)])
            if fresh:
                self._enter("stack")
            while True:
                self._beat()
                left = board.CYCLE_LIMIT_MS - ticks_diff(ticks_ms(), started) + late * _EXTENSION_MS
                try:
                    ended = await self._stack_all(max(left, _EXTENSION_MS))
                except asyncio.TimeoutError:
                    late += 1
                    if late > _STIRS:
                        raise Fault(faults.DECK_TIMEOUT, 0, 8 * cells[m.TARGET] - self._tiles())
                    await stirrer.stir()
                    continue
                if all(end == COMPLETE for end in ended):
                    break
                if PAUSED in ended:
                    stirrer.off()
                    await self._refill()
                    started = ticks_ms()
                    stirs = 0
                    stirrer.on()
                    continue
                self._check_starved(ended)
                stirs += 1
                if stirs > _STIRS:
                    await self._short(ended)
                    started = ticks_ms()
                    stirs = 0
                    stirrer.on()
                    continue
                await stirrer.stir()
        finally:
            stirrer.off()
            for side in self.sides:
                side.feed.off()
        self._audit()

    async def _stack_all(self, limit_ms):
        """The four sides at once, each until it is complete, starved or paused."""
        steps = [side.stack() for side in self.sides]
        return await asyncio.wait_for_ms(self.together(steps, self._stirrer.watch(0)), limit_ms)

    def _check_starved(self, ended):
        """A tile that the gate has heard and the light sensor not, or a dead conveyor: no stirring helps."""
        for side, end in zip(self.sides, ended):
            if end == STARVED and side.blind:
                raise Fault(faults.HEAD_STARVED, side.n, 1)

    async def _short(self, ended):
        """Nothing more comes: a few tiles are missing, or one side is starved."""
        missing = board.TILES_A_STACK * 4 * self._cells[m.TARGET] - self._tiles()
        starved = [side for side, end in zip(self.sides, ended) if end == STARVED]
        if missing > _FEW and len(starved) == 1:
            raise Fault(faults.HEAD_STARVED, starved[0].n, 0)
        self._stirrer.off()
        base = m.SEEN + 18 * self._majority()
        told = 0
        for n in range(board.TILES_A_SET):
            if told < _MISSING_TOLD and not self._cells[base + (n >> 3)] >> (n & 7) & 1:
                self._emit("missing", self._majority() << 8 | n)
                told += 1
        self._log.hold(faults.TILE_SHORT, 0, missing)
        await self._refill()

    async def _refill(self):
        """The console opens for tiles; a press goes on with the same cycle."""
        self._enter("pause")
        if not self.in_play:
            await self._open()
        self._wanted = None
        self._wake.clear()
        while self._wanted is None:
            try:
                await asyncio.wait_for_ms(self._wake.wait(), 500)
            except asyncio.TimeoutError:
                pass
            self._wake.clear()
            self._motors.check()
            self._beat()
        self._wanted = None
        self._log.clear()
        self._pause(False)
        if not self._ports.level(board.IN_LIFT_DOWN):
            await self._close()
        self._enter("stack")

    async def _lower(self):
        for verdict, side in zip(
            await self.together([side.plate.move(board.IN_PLATE_DOWN[side.n], 1) for side in self.sides]), self.sides
        ):
            if verdict != REACHED:
                await self._plate_home(side, board.PWM_SLOW)

    # -- audit -------------------------------------------------------------------------------------------------

    def _forget_wall(self):
        """A new wall begins: nothing is stacked, nothing has been read."""
        cells = self._cells
        for n in range(m.SEEN, m.SEEN + 36):
            cells[n] = 0
        for n in range(4):
            cells[m.STACKS + n] = 0
            self.sides[n].in_head = 0
            self.sides[n].unsure()
        cells[m.PUSHING] = cells[m.FOREIGN] = cells[m.DOUBLED] = 0
        cells[m.TARGET] = self.stacks
        if self.in_play:
            cells[m.SET_BELOW] = 1 - cells[m.SET_ABOVE]
        cells[m.FLAGS] &= ~m.LOADED
        self._memory.count(m.CYCLES)

    async def _gate(self, side):
        """Which tiles have passed, never in which order: one bit a tile."""
        for _ in range(_READER_TRIES):
            try:
                code = await self._scanner.read_gate(side)
                break
            except ReaderFault:
                await asyncio.sleep_ms(_RESTART_MS)
        else:
            return False  # the audit will say unread
        if code is None:
            return False
        cells = self._cells
        if code < 0:
            cell = m.DOUBLED if code == _DOUBLED else m.FOREIGN
            cells[cell] = min(cells[cell] + 1, 255)
        else:
            n = code & 0xFF
            cells[m.SEEN + 18 * (code >> 8 & 1) + (n >> 3)] |= 1 << (n & 7)
        self._memory.save()
        return True

    def _read_of(self, tile_set):
        """How many different tiles of a set have been read."""
        count = 0
        for n in range(m.SEEN + 18 * tile_set, m.SEEN + 18 * tile_set + 18):
            bits = self._cells[n]
            while bits:
                bits &= bits - 1
                count += 1
        return count

    def _majority(self):
        return 1 if self._read_of(1) > self._read_of(0) else 0

    def _audit(self):
        cells = self._cells
        tile_set = self._majority()
        cells[m.SET_BELOW] = tile_set
        self._enter("audit")
        read, strange = self._read_of(tile_set), self._read_of(1 - tile_set)
        wanted = board.TILES_A_STACK * 4 * cells[m.TARGET]
        missing = max(wanted - read, 0)
        if strange:
            result = "other_set"
        elif cells[m.DOUBLED]:
            result = "doubled"
        elif cells[m.FOREIGN]:
            result = "foreign"
        else:
            result = "unread" if missing else "complete"
        cells[m.FLAGS] |= m.AUDITED
        self._emit("audit", tile_set, result, missing, cells[m.FOREIGN], cells[m.DOUBLED])
        self._enter("hold")
        extra = [side.n for side in self.sides if side.surplus]
        for side in self.sides:
            side.surplus = False
        if strange:
            raise Fault(faults.SET_MIXED, 0, strange)  # it also says why there are too many
        if extra:
            raise Fault(faults.TILE_EXTRA, extra[0], 1)

    # -- raise -------------------------------------------------------------------------------------------------

    async def _raise(self):
        await self._wait_clear(board.IN_SURFACE_OBJECT, _CLEAR_MS, faults.HAND_IN_THE_WAY)
        cells = self._cells
        cells[m.SET_ABOVE] = cells[m.SET_BELOW]
        read = m.SET_READ if self._read_of(cells[m.SET_ABOVE]) else 0
        cells[m.FLAGS] = cells[m.FLAGS] & ~m.SET_READ | read
        cells[m.STANDING] = cells[m.TARGET]
        self._enter("raise")
        try:
            self._motors.watch(board.IN_SURFACE_OBJECT)
            fault = await self._all_up()
        except Obstructed:
            fault = Fault(faults.HAND_IN_THE_WAY, 0, board.IN_SURFACE_OBJECT)
        self._motors.watch(-1)
        for side in self.sides:
            if self._ports.level(board.IN_PLATE_UP[side.n]):
                side.emptied()
                cells[m.FLAGS] |= m.WALLS
        if fault is not None:
            self._log.hold(fault.code, fault.part, fault.detail)
            await self._all_down(fault.code != faults.HAND_IN_THE_WAY)
            raise fault
        cells[m.TARGET] = 0
        self._memory.count(m.WALLS_BUILT)
        self._scanner.resume()
        self._enter("ready")

    async def _all_down(self, clear):
        """Slowly. First those whose upper switch says nothing: if the surface was `clear`, the sensors then tell
        through the lowered plate whether its wall has been left above."""
        ports = self._ports
        for side in self.sides:
            if not ports.level(board.IN_PLATE_UP[side.n]):
                await side.plate.move(board.IN_PLATE_DOWN[side.n], 1, board.PWM_SLOW)
                if clear and ports.level(board.IN_SURFACE_OBJECT):
                    clear = False
                    side.emptied()
                    self._cells[m.FLAGS] |= m.WALLS
        self._memory.save()
        await self.together([side.plate.move(board.IN_PLATE_DOWN[side.n], 1, board.PWM_SLOW) for side in self.sides])

    async def _all_up(self):
        """The plates together; None, or the fault of the first that fails. One that stalls gets a second try."""
        plate = self.sides[0].plate
        limit = plate.stroke_ms + plate.run_up_ms + board.SYNC_MS
        verdicts = await self.together(
            [side.plate.move(board.IN_PLATE_UP[side.n], 0, gentle=True, limit=limit) for side in self.sides]
        )
        for side, verdict in zip(self.sides, verdicts):
            if verdict == STALLED:
                verdict = await side.plate.move(board.IN_PLATE_UP[side.n], 0, board.PWM_SLOW)
            if verdict != REACHED:
                return side.plate.fault(verdict, faults.PLATE_LIMIT, faults.PLATE_SYNC)
        return None

    # -- collect -----------------------------------------------------------------------------------------------

    async def _collect(self):
        """Console up; it goes down again when no hand has been in the gap for a while."""
        if self._ports.level(board.IN_CONSOLE_OBJECT):
            raise Fault(faults.LIFT_OVERLOAD, 0, board.IN_CONSOLE_OBJECT)
        self._enter("collect")
        await self._open()
        # From here on the hand is over, whatever interrupts the rest.
        self._cells[m.FLAGS] = self._cells[m.FLAGS] & ~m.WALLS | m.LOADED
        self._memory.save()
        started = ticks_ms()
        while ticks_diff(ticks_ms(), started) < board.COLLECT_MS - board.GAP_CLEAR_MS:
            await asyncio.sleep_ms(100)
            self._motors.check()
            self._beat()
        await self._close()
        await self._scanner.clear()
        self._enter("hold" if self.complete else "idle")

    async def _open(self):
        """The console up. Raises Fault, Stopped."""
        lift = self._lift
        verdict = REACHED
        try:
            self._motors.watch(board.IN_CONSOLE_OBJECT)
            verdict = await lift.move(board.IN_LIFT_UP, 0, gentle=True)
            half_way = verdict == STALLED and lift.taken_ms < lift.stroke_ms * 9 // 10
            if verdict not in (REACHED, OPEN) and not half_way:
                verdict = await lift.move(board.IN_LIFT_UP, 0, board.PWM_SLOW)
        except Obstructed:
            half_way = True
            verdict = STALLED
        self._motors.watch(-1)
        if verdict == REACHED:
            return
        if half_way:
            await lift.move(board.IN_LIFT_DOWN, 1, board.PWM_SLOW)
            raise lift.fault(verdict, faults.LIFT_OVERLOAD, faults.LIFT_OVERLOAD)
        raise lift.fault(verdict, faults.LIFT_NOT_UP, faults.LIFT_NOT_UP)

    async def _close(self, duty=board.PWM_FULL, limit_ms=0):
        """The console down, as soon as no hand has been in the gap for a while; a hand opens it again.

        Fault HAND_IN_THE_WAY when that has not come to pass within a limit.
        """
        lift = self._lift
        while True:
            if limit_ms:
                await self._wait_clear(board.IN_SURFACE_OBJECT, limit_ms, faults.HAND_IN_THE_WAY)
            clear = ticks_ms()
            while ticks_diff(ticks_ms(), clear) < board.GAP_CLEAR_MS:
                if self._ports.level(board.IN_SURFACE_OBJECT):
                    clear = ticks_ms()
                await asyncio.sleep_ms(50)
                self._motors.check()
                self._beat()
            try:
                self._motors.watch(board.IN_SURFACE_OBJECT)
                verdict = await lift.move(board.IN_LIFT_DOWN, 1, duty, gentle=duty == board.PWM_FULL)
            except Obstructed:
                self._motors.watch(-1)
                await lift.move(board.IN_LIFT_UP, 0, duty)
                continue
            self._motors.watch(-1)
            if verdict == REACHED:
                return
            if verdict != OPEN:
                await lift.move(board.IN_LIFT_UP, 0, board.PWM_SLOW)
            raise lift.fault(verdict, faults.LIFT_OVERLOAD, faults.LIFT_OVERLOAD)
