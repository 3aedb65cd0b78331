"""Reads the surface: which antenna is asked what, and when.

Tiles at rest in a pond or a meld are persistently quiet, so a single-slot probe there hears newcomers only. Hands
are never quieted beyond their field and are read in full, round by round between the probes. The last discard, the
only one that can be claimed, is asked by its address. An AFI audit, which quiet tags answer too, re-reads each pond
and meld in turn and whenever it gained or lost something. Between a discard and the next draw most of the air belongs
to the hand that draws, then to the pond into which it discards. That hand is watched: its known tiles are silenced
one by one for as long as the field stays on, then a probe hears what has come in.
"""

import asyncio
from time import ticks_add, ticks_diff, ticks_ms

from micropython import const

from drivers.faults import ReaderFault
from drivers.iso15693 import ANY_AFI, GOOD, NOISE, SILENT, Inventory

from . import tile_registry
from .conflicts import Conflicts
from .presence import NOWHERE, TILES, Presence, code_at, index_of
from .radio import DOWN

HAND = const(0)
MELD = const(1)
POND = const(2)
GATE = const(3)
_SEATS = const(4)

# A zone is due when it has not been asked for this long, ms. Together they ask for more than there is air time:
# the one that is most overdue by its own measure goes first, so nothing starves.
_POND_ACTIVE = const(16)
_POND_EARLY = const(60)  # before its seat has drawn
_POND = const(110)
_MELD_ACTIVE = const(80)
_MELD_EARLY = const(120)  # while the last discard can be claimed
_MELD = const(180)
_DISCARD = const(100)
_HAND = const(1000)
_AUDIT = const(2000)
_SWEPT = const(300)  # any of these while many tiles are missing
_DRAW = const(8000)  # after a discard or a claim a draw is awaited for this long: the hand is watched
_DRAW_LATE = const(5500)  # with so much of that left it is overdue
_LATE = const(7 << 7)  # 3.5 times its period: what bounds the age of a zone while a draw is awaited
_REST = const(10)  # when nothing is due
_RUN = const(4)  # probes in a row before a round of a full read or a watch,
_RUN_EARLY = const(3)  # while a draw comes next

_HAND_ROOM = const(40)  # tags in one zone; more are an overflow
_NEWCOMERS = const(24)
_LOOKS = const(3)
_HITS = const(2)  # of so many looks in a fresh field
_ONE = const(16384)  # of the shares that are measured; a new look counts 1/64
_DOUBT = const(3)  # times as many looks at home for a tile that has been heard in that zone before
_DEAF_STEP = const(600)  # another look for each 3.7 % of answers that are missed,
_STRAY_STEP = const(650)  # another fresh field for each 4 % of probes that hear a tile of another zone
_PREY = const(3)  # missing tiles asked for in one zone visit
_MANY = const(8)  # of more missing tiles the rounds of full reads tell sooner
_KNOWN_STRANGERS = const(16)
_STRANGERS = const(18)  # their bit beside those of the zones
_STRANGERS_MS = const(60000)  # more than these in so long are not told one by one

# Jobs: 0-3 pond of the seat, 4-7 meld of the seat, 8 the last discard; then a round of a full read, or the watch
_JOB_DISCARD = const(8)
_JOBS = const(9)
_JOB_WATCH = const(10)
# Full reads: 0-3 hand of the seat, 4-7 meld, 8-11 pond
_READS = const(12)

OTHER_SET = const(2)  # kind of a `tag` event
_KINDS = (0, 0, 0, 1, 3, 0)  # the others by -code of the registry: unknown, foreign, doubled


class Scanner:
    """`radio` a `Radio`, `registry` a `TileRegistry`, `emit(name, *fields)` takes the events, and `crowded` with a
    zone and a number where more tags answer than that.

    `noise[zone]` counts damaged answers.
    """

    def __init__(self, radio, registry, emit, zones=18):
        self.radio = radio
        self.registry = registry
        self.presence = Presence(zones, emit)
        self._emit = emit
        self.noise = [0] * zones
        self._heard: list = [None] * zones  # when a tag last answered, ms
        self.conflicts = Conflicts(radio, registry, self.presence, emit)
        self.set = -1  # the set in play, 0 or 1: tiles of the other are told as `tag`; -1: any
        self.active = 0  # the seat whose zones come first: it draws next
        self.heartbeat = None
        self._foreground = [ticks_ms()] * _JOBS  # when they were last done
        self._reads = [ticks_ms()] * _READS
        self._soon = 0  # full reads wanted at once, one bit each
        self._run = 0
        self._read = -1  # the full read in progress
        self._began = ticks_ms()
        self._met = 0  # tags of it that have been looked at
        self._known = 0  # those of them that were known to be there
        self._turn = 0
        self._late = False  # the full read in progress is
        self._held = bytearray(8 * _NEWCOMERS)  # UIDs of the tiles in the hand that is watched
        self._held_in = NOWHERE  # its zone
        self._held_count = 0
        self._held_at = 0  # `presence.changes` then
        self._deaf = 0  # share of the looks at tiles that are there in which they were silent
        self._stray = 0  # share of the probes that heard a tile which answers elsewhere
        self._draw_until = ticks_ms()
        self._early = False  # a discard lies there and the next seat has not drawn
        self._full = Inventory(_HAND_ROOM)
        self._few = Inventory(_NEWCOMERS)
        self._uid = bytearray(8)
        self._hunted = bytearray(8)
        self._discard = -1  # tile index
        self._discard_uid = bytearray(8)
        self._hunt_at = 0
        self._hunt_slot = 0
        self._strangers = bytearray(9 * _KNOWN_STRANGERS)  # UID and zone
        self._stranger_at = 0
        self._strangers_until = ticks_ms()
        self._others = bytearray(TILES)  # where a tile of the other set was told last, zone + 1
        self._crowded = 0  # zones whose last full read found no room for all, one bit each
        self._guests = 0
        self._going = True

    # -- what others may ask -----------------------------------------------------------------------------------

    def pause(self):
        """Stop looking at the surface; what is known stays. Gates and dice can still be read."""
        self._going = False

    def resume(self):
        self._going = True

    @property
    def going(self):
        return self._going

    def asked_ms(self, zone):
        """How long ago the schedule last asked a zone of the surface, ms."""
        seat, kind = zone >> 2, zone & 3
        now = ticks_ms()
        age = ticks_diff(now, self._reads[kind << 2 | seat])
        if kind != HAND:
            age = min(age, ticks_diff(now, self._foreground[seat if kind == POND else 4 + seat]))
        return age

    def heard_ms(self, zone):
        """How long ago a tag last answered in a zone, ms; -1 for never, or for longer than the clock can tell."""
        heard = self._heard[zone]
        return -1 if heard is None else max(ticks_diff(ticks_ms(), heard), -1)

    async def clear(self):
        """The tiles have been pushed into the table: they leave every zone. Waits until no answer is being judged."""
        await self._borrow()
        try:
            self._discard = -1
            self._read = -1
            self._forget_strangers()
            self.presence.clear()
        finally:
            self._give_back()

    def _forget_strangers(self):
        for i in range(len(self._strangers)):
            self._strangers[i] = 0
        for i in range(TILES):
            self._others[i] = 0
        self._stranger_at = 0
        self._strangers_until = ticks_ms()
        self._crowded = 0

    async def read_seat(self, seat):
        """Read hand, meld and pond of a seat in full; all changes are told, then a `zone_read` for each.

        A zone whose reader does not come back in time gets none: its `reader` event tells why.
        """
        await self._borrow()
        try:
            zones = (4 * seat + HAND, 4 * seat + MELD, 4 * seat + POND)
            read = []
            for zone in zones:
                if await self._insist(zone):
                    read.append(zone)
            for zone in range(4 * _SEATS):
                if zone & 3 != GATE and self.presence.missing_count:
                    await self._guarded(zone, self._look_in(zone, 0, 255))
            for zone in read:
                for _ in range(self.presence.missing_count):
                    tile = self.presence.due(0, zone)
                    if tile >= 0:
                        await self._guarded(zone, self._part(tile))
                self._emit("zone_read", zone, self.presence.counts[zone])
        finally:
            self._give_back()

    async def _insist(self, zone):
        """True once the zone has been read in full; its reader may be restarted meanwhile."""
        for _ in range(_LOOKS):
            if await self._guarded(zone, self._read_in_full(zone)):
                return True
            await asyncio.sleep_ms(_REST)
            if not self.radio.usable(zone):
                await self.radio.heal(self.radio.port(zone))
        return False

    async def _guarded(self, zone, work):
        """Result of a coroutine on a zone, None when a reader failed in it."""
        try:
            return await work
        except ReaderFault as fault:
            await self._failed(zone, fault)

    async def _failed(self, zone, fault):
        self._read = -1
        await self.radio.cut(self._culprit(self.radio.port(zone), fault), fault)

    async def read_gate(self, side):
        """The tile waiting at a stacking head: its code, None without one, below 0 for a tag that is no tile
        (`tile_registry` UNKNOWN, FOREIGN, DOUBLED), which is also told as a `tag` event.

        Raises ReaderFault when the reader cannot tell.
        """
        zone = 4 * side + GATE
        await self._borrow()
        try:
            for _ in range(_LOOKS):
                await self.radio.tune(zone)
                air = self.radio.port(zone).air
                await air.probe()
                if air.outcome == SILENT:
                    continue
                if air.outcome == GOOD:
                    self._copy(air.uid, 0)
                    code = await self._identify(zone, air)
                    if code >= tile_registry.DIE:
                        self._stranger(zone, _KINDS[-tile_registry.FOREIGN])
                        return tile_registry.FOREIGN
                    if code != tile_registry.NONE:
                        return code
                else:
                    self.noise[zone] += 1
            return None
        except ReaderFault as fault:
            await self._failed(zone, fault)
            raise
        finally:
            self._forget(zone)
            self._give_back()

    def _forget(self, zone):
        """Nothing may tell later which tile went into the wall last."""
        air = self.radio.port(zone).air
        for i in range(8):
            self._uid[i] = air.uid[i] = air.data[i] = 0

    async def read_tags(self, zone, codes):
        """Full read of a zone outside the schedule: fills the list `codes`, -1 for a tag that is not known.

        True when nothing was damaged. Raises ReaderFault.
        """
        await self._borrow()
        try:
            await self.radio.tune(zone)
            air = self.radio.port(zone).air
            few = self._few.begin(air)
            while few.more():
                await few.round()
            codes.clear()
            for i in range(few.count):
                self._copy(few.uids, i)
                codes.append(await self._identify(zone, air))
            return not self._overflowed(zone, few) and not few.noise
        except ReaderFault as fault:
            await self._failed(zone, fault)
            raise
        finally:
            self._give_back()

    async def _borrow(self):
        self._guests += 1
        await self.radio.lock.acquire()

    def _give_back(self):
        self._guests -= 1
        self.radio.lock.release()

    # -- the schedule ------------------------------------------------------------------------------------------

    async def run(self):
        """The scanner's task. While nothing changes it allocates nothing."""
        radio = self.radio
        lock = radio.lock
        presence = self.presence
        await lock.acquire()
        while True:
            if self.heartbeat is not None:
                self.heartbeat()
            if self._guests:
                lock.release()
                await lock.acquire()
            port = radio.ill()
            if port is not None:
                await radio.heal(port)
            if not self._going:
                self._read = -1
                radio.silence()
                lock.release()
                await asyncio.sleep_ms(_REST)
                await lock.acquire()
                continue
            job = self._next_job()
            zone = self._zone_of_job(job)
            if zone < 0:
                await asyncio.sleep_ms(_REST)
                continue
            port = radio.port(zone)
            air = port.air
            try:
                await radio.tune(zone)
                if job < _JOB_DISCARD:
                    self._stray -= self._stray >> 6
                    await air.probe()
                    if air.outcome != SILENT:
                        await self._newcomers(zone, air)
                elif job == _JOB_DISCARD:
                    await air.read(self._discard_uid)
                    if air.outcome == SILENT:
                        await self._check_discard(zone)
                    else:
                        self._heard[zone] = ticks_ms()
                        self._deaf -= self._deaf >> 6
                elif job == _JOB_WATCH:
                    for i in range(self._hold(zone)):
                        self._copy(self._held, i, self._hunted)
                        await air.stay_quiet(self._hunted)
                    await air.probe()
                    if air.outcome != SILENT:
                        await self._newcomers(zone, air)
                    radio.silence()  # they are loud again
                else:
                    await self._full.round()
                    while self._stranger_in(zone):
                        await self._admit(zone, air)
                    if not self._full.more():
                        self._read = -1
                        self.noise[zone] += self._full.noise
                        self._deaf -= self._deaf * self._known >> 6
                        if not self._full.lost and not self._full.overflow:
                            presence.vain_for_all(zone, self._began)
                        if not self._overflowed(zone, self._full) and self._known != presence.counts[zone]:
                            await self._miss(zone)
                if presence.missing_count:
                    if presence.missing_count <= _MANY or not self._run:
                        await self._hunt()
                    tile = presence.due(self._looks() - 1)
                    if tile >= 0:
                        await self._part(tile)
                if self.conflicts.due():
                    await self.conflicts.look()
            except ReaderFault as fault:
                await self._failed(zone, fault)

    def _culprit(self, port, fault):
        for other in self.radio.ports:
            if other.reader.name == fault.part:
                return other
        return port

    def _next_job(self):
        """A foreground job that is due, or a round: while a draw comes next the watch takes most of their turns."""
        now = ticks_ms()
        left = ticks_diff(self._draw_until, now)
        awaited = left > 0
        self._early = awaited and self._discard >= 0
        if self._run < (_RUN_EARLY if self._early else _RUN):
            best = -1
            urgency = 256
            for job in range(_JOBS):
                u = (ticks_diff(now, self._foreground[job]) << 8) // self._period(job)
                if u >= urgency and self._possible(job):
                    best = job
                    urgency = u
            if best >= 0:
                self._foreground[best] = now
                self._run += 1
                return best
        self._run = 0
        self._turn = self._turn + 1 & 3
        if awaited and self._turn & (3 if self._early and left > _DRAW_LATE else 1) and not self._late:
            if self.radio.usable(4 * self.active + HAND):
                return _JOB_WATCH
        return _JOBS

    def _period(self, job):
        if job < 4:
            if job != self.active:
                return _POND
            return _POND_EARLY if self._early else _POND_ACTIVE
        if job < 8:
            if job - 4 == self.active:
                return _MELD_ACTIVE
            return _MELD_EARLY if self._early else _MELD
        return _DISCARD if self._early else 4 * _DISCARD

    def _possible(self, job):
        if job == _JOB_DISCARD and self._discard < 0:
            return False
        return self.radio.usable(self._zone_of_job(job))

    def _zone_of_job(self, job):
        """The zone to tune; for a full read the next round is prepared. -1: nothing to do."""
        if job < 4:
            return 4 * job + POND
        if job < 8:
            return 4 * (job - 4) + MELD
        if job == _JOB_DISCARD:
            return self.presence.zone_of[self._discard]
        if job == _JOB_WATCH:
            return 4 * self.active + HAND
        if self._read < 0:
            self._read = read = self._next_read()
            if read < 0:
                return -1
            zone = self._zone_of_read(read)
            self._begin_read(zone)
            self._full.more()
        return self._zone_of_read(self._read)

    def _next_read(self):
        """The most overdue, if any."""
        now = ticks_ms()
        best = -1
        urgency = 255
        for read in range(_READS):
            age = u = (ticks_diff(now, self._reads[read]) << 8) // self._read_period(read)
            if self._soon >> read & 1:
                u += 512
            if u > urgency and self.radio.usable(self._zone_of_read(read)):
                best = read
                urgency = u
                self._late = age >= _LATE and read != self.active
        if best >= 0:
            self._reads[best] = now
            self._soon &= ~(1 << best)
        return best

    def _read_period(self, read):
        if self.presence.missing_count > _MANY:
            return _SWEPT
        return _AUDIT if read >= _SEATS else _HAND

    def _zone_of_read(self, read):
        return 4 * (read & 3) + (read >> 2)

    def _want(self, zone):
        if zone < 16 and zone & 3 != GATE:
            self._soon |= 1 << ((zone & 3) << 2 | zone >> 2)

    # -- what was heard ----------------------------------------------------------------------------------------

    def _copy(self, uids, number, into=None):
        into = into or self._uid
        at = 8 * number
        for i in range(8):
            into[i] = uids[at + i]

    async def _newcomers(self, zone, air):
        """A probe was answered."""
        if air.outcome == GOOD:
            self._copy(air.uid, 0)
            await self._arrival(zone, air)
            return
        if air.outcome == NOISE:
            self.noise[zone] += 1
        few = self._few.begin(air)
        while few.more():
            await few.round()
        self.noise[zone] += few.noise
        for i in range(few.count):
            self._copy(few.uids, i)
            await self._arrival(zone, air)

    def _begin_read(self, zone):
        """A full read with AFI: in a hand, too, quiet tiles answer that have come into it."""
        self.presence.begin()
        self._met = self._known = 0
        self._began = ticks_ms()
        return self._full.begin(self.radio.port(zone).air, ANY_AFI)

    def _stranger_in(self, zone):
        """Go on through the tags of the full read to the next one that is not known there; it is in `_uid`."""
        full = self._full
        while self._met < full.count:
            self._copy(full.uids, self._met)
            self._met += 1
            if not self._see(zone):
                return True
        return False

    def _see(self, zone):
        tile = self._at_home(zone)
        if tile < 0:
            return False
        self.presence.see(tile)
        self._known += 1
        self._heard[zone] = ticks_ms()
        return True

    def _at_home(self, zone):
        """Index of the tile `_uid` if it is known to be in the zone, else -1."""
        code = self.registry.find(self._uid)
        if 0 <= code < tile_registry.DIE:
            tile = index_of(code)
            if self.presence.home(tile, zone):
                return tile
        return -1

    def _hold(self, zone):
        """How many tiles a hand holds; their UIDs are in `_held`."""
        presence = self.presence
        if self._held_in != zone or self._held_at != presence.changes:
            self._held_in = zone
            self._held_at = presence.changes
            self._held_count = 0
            tile = presence.after(zone, 0)
            while tile >= 0 and self._held_count < _NEWCOMERS:
                if self.registry.uid_of(code_at(tile), self._held, 8 * self._held_count):
                    self._held_count += 1
                tile = presence.after(zone, tile + 1)
        return self._held_count

    async def _admit(self, zone, air):
        await self.radio.tune(zone)
        await self._arrival(zone, air)
        self._see(zone)

    async def _miss(self, zone):
        """After a full read: ask by name for those that should have answered."""
        presence = self.presence
        tile = presence.unseen(zone, 0)
        while tile >= 0:
            if self.registry.uid_of(code_at(tile), self._hunted):
                if await self._silent(zone, self._hunted, self._looks()):
                    self._lost(tile, zone)
                else:
                    self._unheard()
            tile = presence.unseen(zone, tile + 1)

    def _lost(self, tile, zone):
        self.presence.lose(tile)
        self._want(zone)
        if tile == self._discard:
            self._discard = -1

    async def _arrival(self, zone, air):
        """A tag was heard in a zone where it is not known to be; its UID is in `_uid`."""
        code = await self._identify(zone, air)
        if not 0 <= code < tile_registry.DIE:
            if code < tile_registry.NONE and zone & 3 != HAND:
                await air.persistent_quiet(self._uid)
            return
        if self.set >= 0 and code >> 8 != self.set:
            if self._others[index_of(code)] != zone + 1:
                self._others[index_of(code)] = zone + 1
                self._emit("tag", zone, OTHER_SET, bytes(self._uid))
            if zone & 3 != HAND:
                await air.persistent_quiet(self._uid)
            return
        tile = index_of(code)
        presence = self.presence
        old = presence.zone_of[tile]
        if old == zone:
            presence.found(tile)
            await self._arrange(tile, zone, air)
            return
        if old != NOWHERE and not presence.is_missing(tile) and self.radio.usable(old):
            looks = self._looks()
            if self.conflicts.about(tile, zone):
                looks *= _DOUBT
            if not await self._silent(old, self._uid, looks):
                self.conflicts.seen(tile, zone)
                self._stray += (_ONE - self._stray) >> 6
                await self.radio.tune(zone)
                return
        if not await self._proven(zone, air):
            return
        presence.settle(tile, zone)
        self._want(zone)
        if old != NOWHERE:
            self._want(old)
        self._follow(tile, zone)
        await self._arrange(tile, zone, air)

    async def _proven(self, zone, air):
        """True when `_uid` answers here in fresh fields too: a stray from another zone seldom does."""
        for _ in range(1 + self._stray // _STRAY_STEP):
            self.radio.silence()
            await self.radio.tune(zone)
            hits = 0
            for _ in range(self._looks()):
                await air.read(self._uid)
                if air.outcome == GOOD:
                    hits += 1
                    if hits == _HITS:
                        break
            else:
                return False
        return True

    def _looks(self):
        """How often a tile is asked before its silence counts: the oftener, the more answers are missed."""
        return _LOOKS + self._deaf // _DEAF_STEP

    def _unheard(self):
        """A tile was silent though it is there."""
        self._deaf += (_ONE - self._deaf) >> 6

    def _follow(self, tile, zone):
        """Whose turn it is, as far as it decides where to look first."""
        seat = zone >> 2
        if tile == self._discard:
            self._discard = -1
        if zone & 3 == POND:
            self._discard = tile
            for i in range(8):
                self._discard_uid[i] = self._uid[i]
            self.active = (seat + 1) & 3
        elif zone & 3 == MELD:
            self.active = seat
        else:
            # The draw has been seen. A hand says nothing about the turn: it may be noticed after the discard.
            if seat == self.active:
                self._draw_until = ticks_ms()
            return
        self._draw_until = ticks_add(ticks_ms(), _DRAW)

    async def _arrange(self, tile, zone, air):
        """Quiet in ponds and melds, ready in hands."""
        quiet = self.presence.quiet
        if zone & 3 != HAND:
            await air.persistent_quiet(self._uid)
            quiet[tile] = 1
        elif quiet[tile]:
            await air.reset_to_ready(self._uid)
            if air.outcome == GOOD:
                quiet[tile] = 0

    async def _part(self, tile):
        """Let a missing tile leave, unless it answers after all."""
        presence = self.presence
        zone = presence.zone_of[tile]
        if not self.radio.usable(zone) or not self.registry.uid_of(code_at(tile), self._hunted):
            presence.wait_on(tile)
        elif await self._silent(zone, self._hunted, 2 * self._looks()):
            presence.part(tile)
        else:
            presence.found(tile)

    async def _silent(self, zone, uid, looks):
        """True when a tag is cleanly silent in a zone every time it is asked; anything else is presence."""
        await self.radio.tune(zone)
        air = self.radio.port(zone).air
        for _ in range(looks):
            await air.read(uid)
            if air.outcome != SILENT:
                return False
        return True

    async def _check_discard(self, zone):
        if await self._silent(zone, self._discard_uid, self._looks()):
            self._lost(self._discard, zone)
        else:
            self._unheard()

    async def _hunt(self):
        """Ask a meld and another zone, in turn, for the quiet tiles that are missing: they would not speak up."""
        at = self._hunt_at = self._hunt_at + 1 & 7
        if not at:
            self._hunt_slot += _PREY
        slot = self._hunt_slot = self._quiet_after(self._hunt_slot)
        if slot >= 0:
            seat = 4 * (at & 3)
            await self._look_in(seat + MELD, slot, _PREY)
            await self._look_in(seat + (HAND if at < 4 else POND), slot, _PREY)

    def _quiet_after(self, slot):
        """The next quiet tile of the missing from `slot` on, or from the first; -1 when there is none."""
        presence = self.presence
        for start in (slot, 0):
            slot = presence.missing_after(start)
            while slot >= 0:
                if presence.quiet[presence.missing_tile(slot)]:
                    return slot
                slot = presence.missing_after(slot + 1)
        return -1

    async def _look_in(self, zone, slot, count):
        """Ask a zone for up to `count` quiet tiles of the missing, from `slot` on."""
        presence = self.presence
        slot = presence.missing_after(slot)
        while slot >= 0 and count:
            tile = presence.missing_tile(slot)
            if presence.quiet[tile] and self.registry.uid_of(code_at(tile), self._hunted):
                count -= 1
                if self.radio.usable(zone):
                    await self.radio.tune(zone)
                    air = self.radio.port(zone).air
                    await air.read(self._hunted)
                    if air.outcome == GOOD:
                        self._copy(self._hunted, 0)
                        await self._arrival(zone, air)
                    elif air.outcome == SILENT:
                        presence.vain(slot, zone)
                elif self.radio.port(zone).state == DOWN:
                    presence.vain(slot, zone)  # nobody can tell
            slot = presence.missing_after(slot + 1)

    async def _read_in_full(self, zone):
        """True when the zone could be read; its differences are settled."""
        if not self.radio.usable(zone):
            return False
        await self.radio.tune(zone)
        air = self.radio.port(zone).air
        self._read = -1
        full = self._begin_read(zone)
        while full.more():
            await full.round()
        while self._stranger_in(zone):
            await self._admit(zone, air)
        if not self._overflowed(zone, self._full):
            await self._miss(zone)
        return True

    def _overflowed(self, zone, found):
        """Whether the full read just ended found more tags than it had room for, which is told once."""
        bit = 1 << zone
        if not found.overflow:
            self._crowded &= ~bit
            return False
        if not self._crowded & bit:
            self._crowded |= bit
            self._emit("crowded", zone, found.capacity)
        return True

    # -- who is it ---------------------------------------------------------------------------------------------

    async def _identify(self, zone, air):
        """Code of the tag `_uid`; reads its memory at first sight. NONE when that did not work this time."""
        uid = self._uid
        code = self.registry.find(uid)
        if code != tile_registry.NONE:
            self._heard[zone] = ticks_ms()
            return code
        for _ in range(_LOOKS):
            await air.read(uid, 0, 2)
            if air.outcome == GOOD:
                break
        else:
            self.noise[zone] += 1  # a ghost, of whatever maker: only what can be addressed is told
            return tile_registry.NONE
        self._heard[zone] = ticks_ms()
        code = tile_registry.code_of(uid, air.data)
        if code >= 0:
            code = self.registry.add(uid, code)
        if code < 0:
            self._stranger(zone, _KINDS[-code])
        return code

    def _stranger(self, zone, kind):
        """A `tag` event, once for each tag and zone."""
        known = self._strangers
        for at in range(0, 9 * _KNOWN_STRANGERS, 9):
            if known[at + 8] == zone + 1:
                i = 0
                while i < 8 and known[at + i] == self._uid[i]:
                    i += 1
                if i == 8:
                    return
        at = self._stranger_at
        if not at:
            now = ticks_ms()
            if ticks_diff(self._strangers_until, now) > 0:
                if not self._crowded >> _STRANGERS & 1:
                    self._crowded |= 1 << _STRANGERS
                    self._emit("crowded", zone, _KNOWN_STRANGERS)
                return
            self._crowded &= ~(1 << _STRANGERS)
            self._strangers_until = ticks_add(now, _STRANGERS_MS)
        self._stranger_at = (at + 9) % (9 * _KNOWN_STRANGERS)
        for i in range(8):
            known[at + i] = self._uid[i]
        known[at + 8] = zone + 1
        self._emit("tag", zone, kind, bytes(self._uid))
