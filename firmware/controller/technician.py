"""The technician at the readers: raw tags, tag memory, read rates and noise. Loaded when first asked for.

Everything but `zone`, `conflict` and `reader` needs the workbench: a leased command that stops the scanning of the
surface. Each command holds the air only while it runs, and powers the antenna anew.
"""

import asyncio
from time import ticks_diff, ticks_ms

from micropython import const

import board
from drivers import slix2
from drivers.faults import FieldLost, ReaderDead, ReaderFault, ReaderHot, ReaderHung, ReaderOrder
from drivers.iso15693 import ANY_AFI, ERROR, GOOD, SILENT, Inventory
from tablelink import messages

from . import tile_registry
from .link import CommandError
from .presence import NOWHERE
from .scanner import GATE
from .settings import Settings

_ROOM = const(40)
_TRIES = const(4)
_SURFACE = const(16)  # zones below this number belong to seats
_NOBODY = b"\xff\xff\xff\xff\xff\xff\xff\xff"  # no tag has this UID
_MEMORY = const(8)  # bytes of blocks 0 and 1
_BLOCKS = const(2)
_REQUEST_MS = const(1200)
_A_FIELD = const(4)  # looks in one field
_OFF_MS = const(5)  # a field off for so long surely resets a tag
_FAULTS = (ReaderDead, ReaderHung, ReaderOrder, ReaderHot, FieldLost)

WRITTEN = const(0)
SILENCE = const(1)
REFUSED = const(2)
DIFFERS = const(3)
PROTECTED = const(4)


class Technician:
    """Handlers of the commands of the same names; `radio`, `scanner`, `cycle`, `ports`, `seats`, `calibration`."""

    def __init__(self, scanner, cycle, ports, seats, calibration):
        self._scanner = scanner
        self._radio = scanner.radio
        self._cycle = cycle
        self._ports = ports
        self._seats = seats
        self._calibration = calibration
        self._at_work = 0  # leases that hold the workbench: the next may begin before the last has lapsed
        self._scanned = False  # whether the surface was being scanned before
        self._learnt = True  # which tag is which tile, since before any of them was written
        self._tags = Inventory(_ROOM)
        self._of = -1  # the zone whose tags these are
        self._uid = bytearray(8)
        self._wanted = None  # seat and text of the request under way
        self._rises = 0
        # Set -> write password of its tags. It comes over the link once and never leaves the table by it.
        self._passwords = Settings("tags", {})

    def workbench(self):
        if self._cycle.moving:
            raise CommandError(messages.BUSY)
        if not self._at_work:
            self._scanned = self._scanner.going
            self._scanner.pause()
        self._at_work += 1

    def leave(self):
        """A lease has run out; with the last one the surface is scanned again."""
        self._at_work -= 1
        if not self._at_work:
            self._of = -1
            self._learnt = True
            self._answered()
            if self._scanned:
                self._scanner.resume()

    def zone(self, zone):
        radio, scanner = self._radio, self._scanner
        port = radio.port(zone)
        _, margin, floor, day, _ = self._calibration.of(zone)
        surface = zone < _SURFACE and zone & 3 != GATE
        return (
            port.state, min(port.failures, 0xFFFF), scanner.presence.counts[zone],
            scanner.asked_ms(zone) if surface else 0, scanner.heard_ms(zone) & 0xFFFFFFFF, scanner.noise[zone],
            scanner.conflicts.count, radio.levels[zone], margin, floor, day, radio.powers[zone],
        )  # fmt: skip

    def conflict(self):
        """The last tile that was measured in two zones, as in the event, and how long ago; zone 255 for none."""
        last = self._scanner.conflicts.last
        if last is None:
            return 0, NOWHERE, NOWHERE, 0, 0, 0
        return last[:5] + (ticks_diff(ticks_ms(), last[5]),)

    def reader(self, number):
        """State, the last fault as its place in `_FAULTS` from 1 on (0 none yet), version of the chip's firmware."""
        port = self._radio.ports[number]
        fault = _FAULTS.index(type(port.fault)) + 1 if port.fault is not None else 0
        return (port.state, fault) + port.reader.version

    def tag_password(self, tile_set, replace, password):
        """Keep the write password of a set; 0 when it has one and shall keep it. Durable on return."""
        if not self._at_work:
            raise CommandError(messages.MODE)
        name = str(tile_set)
        if name in self._passwords.values and not replace:
            return 0
        self._passwords.save(**{name: password})
        return 1

    async def _with(self, zone, work, level=-1, power=0):
        """Run `work(air)` with the zone's field on, the receiver at `level` and the field at `power`.

        Both as calibrated without a `level`.
        """
        if not self._at_work:
            raise CommandError(messages.MODE)
        radio = self._radio
        await radio.lock.acquire()
        usual = radio.levels[zone], radio.powers[zone]
        if level >= 0:
            radio.levels[zone], radio.powers[zone] = level, power
        try:
            if not radio.usable(zone):
                await radio.heal(radio.port(zone))
            radio.silence()
            await radio.tune(zone)
            return await work(radio.port(zone).air)
        except ReaderFault as fault:
            await radio.cut(radio.port(zone), fault)
            raise CommandError(messages.FAILED)
        finally:
            radio.levels[zone], radio.powers[zone] = usual
            radio.silence()
            radio.lock.release()

    async def tag(self, zone, number):
        tags = self._tags
        known = 0
        memory = bytes(_MEMORY)

        async def read(air):
            nonlocal known, memory
            if not number:
                self._of = zone
                tags.begin(air, ANY_AFI)
                while tags.more():
                    await tags.round()
            if self._of != zone or number >= tags.count:
                return
            for i in range(8):
                self._uid[i] = tags.uids[8 * number + i]
            for _ in range(_TRIES):
                await air.read(self._uid, 0, 2)
                if air.outcome == GOOD:
                    memory = bytes(air.data[:_MEMORY])
                    known = 1
                    return

        await self._with(zone, read)
        if self._of != zone:
            return 0, 0, 0, 0, bytes(8), memory
        uid = bytes(self._uid) if number < tags.count else bytes(8)
        code = self._scanner.registry.find(uid)
        if known and code not in (tile_registry.NONE, tile_registry.code_of(uid, memory)):
            await self._unlearn()  # written at another table
        return tags.count, tags.overflow, min(tags.noise, 255), known, uid, memory

    async def tag_write(self, zone, afi, uid, memory):
        """Without a password of the set in its memory a tag stays open; one that is protected stays as it is."""
        password = self._passwords.values.get(str(memory[2]))

        async def write(air):
            if password is not None:
                outcome = await self._unlock(zone, air, uid, password)
                if outcome != GOOD:
                    return _problem(outcome)
            for block in range(_BLOCKS):
                outcome = await _insist(air, lambda: air.write(uid, block, memory[4 * block : 4 * block + 4]))
                if outcome != GOOD:
                    return PROTECTED if outcome == ERROR and password is None else _problem(outcome)
            outcome = await _insist(air, lambda: air.write_afi(uid, afi))
            if outcome == GOOD and password is not None:
                outcome = await _insist(air, lambda: slix2.protect(air, uid, _BLOCKS))
            if outcome != GOOD:
                return _problem(outcome)
            if await _insist(air, lambda: air.read(uid, 0, _BLOCKS)) != GOOD:
                return SILENCE
            return WRITTEN if bytes(air.data[:_MEMORY]) == bytes(memory) else DIFFERS

        if self._at_work:
            await self._unlearn()
        return await self._with(zone, write)

    async def _unlearn(self):
        """Tags change their tiles, or have: all are learnt anew once the surface is scanned again."""
        if self._learnt:
            self._learnt = False
            await self._scanner.clear()
            self._scanner.registry.clear()

    async def _unlock(self, zone, air, uid, password):
        """Open a tag with the password, which it is given if it still has that of the factory."""
        for known in (password, slix2.FACTORY):
            outcome = await slix2.unlock(air, uid, known)
            if outcome == GOOD and known != password:
                outcome = await slix2.change(air, uid, password)
            if outcome != slix2.WRONG:
                break
            self._radio.silence()
            await asyncio.sleep_ms(_OFF_MS)
            await self._radio.tune(zone)
        if outcome == slix2.WRONG and await _insist(air, lambda: air.read(uid)) == SILENT:
            return SILENT  # not deaf for a wrong password, but gone
        return outcome

    async def noise_floor(self, zone, level, power, shots):
        """Requests to a tag that does not exist: whatever is heard then is noise."""
        return (await self._with(zone, lambda air: _count(air, _NOBODY, shots), level, power))[1]

    async def read_rate(self, zone, level, power, shots, uid):
        """In several fields: whether a tag far off wakes up is settled when the field comes on."""

        async def read(air):
            good = damaged = 0
            for done in range(0, shots, _A_FIELD):
                self._radio.silence()
                await self._radio.tune(zone)
                some = await _count(air, uid, min(_A_FIELD, shots - done))
                good += some[0]
                damaged += some[1]
            return good, damaged

        return await self._with(zone, read, level, power)

    def calibrate(self, zone, level, margin, floor, day, power):
        if not self._at_work:
            raise CommandError(messages.MODE)
        self._calibration.keep(zone, level, margin, floor, day, power)

    async def request(self, seat, text):
        """Show what is wanted and wait a while for the seat's referee button, which says that it is done."""
        if not self._at_work:
            raise CommandError(messages.MODE)
        bit = board.IN_REFEREE[seat]
        rises = self._ports.rises
        if (seat, text) != self._wanted:
            self._wanted = (seat, text)
            self._rises = rises[bit]  # a press counts from now on, also between two commands
            self._seats.over(seat, bytes(text).decode())
        if rises[bit] == self._rises:
            await self._ports.wait(bit, 1, _REQUEST_MS)
        if rises[bit] == self._rises:
            return 0
        self._answered()
        return 1

    def _answered(self):
        """Clear the display, so that the same request is a new one when it comes again."""
        if self._wanted is not None:
            self._seats.over(self._wanted[0], "")
            self._wanted = None


def _problem(outcome):
    if outcome == slix2.WRONG:
        return PROTECTED
    return REFUSED if outcome == ERROR else SILENCE


async def _insist(air, ask):
    """Outcome of a request, asked again while there is no clean answer."""
    for _ in range(_TRIES):
        await ask()
        if air.outcome in (GOOD, ERROR):
            break
    return air.outcome


async def _count(air, uid, shots):
    """Good and damaged answers of one tag to so many reads of block 0."""
    good = damaged = 0
    for _ in range(shots):
        await air.read(uid)
        if air.outcome == GOOD:
            good += 1
        elif air.outcome != SILENT:
            damaged += 1
        await asyncio.sleep_ms(0)
    return good, damaged
