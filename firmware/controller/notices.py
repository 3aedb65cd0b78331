"""What other modules report is turned into named faults here: readers, strange tags, lost events, the dice."""

from time import ticks_add, ticks_diff, ticks_ms

from micropython import const

import board

from . import fault_codes as faults
from . import memory as m

_AGAIN_MS = const(60000)


class Notices:
    """Stands between those who emit events and the link; `emit` passes on, `poll` is called every second.

    `seats` shows who throws again (lamp) and between which stacks of whose wall, counted from the right,
    the wall is opened (display): `15-16` at that seat.
    """

    def __init__(self, link, log, memory, seats):
        self._link = link
        self._memory = memory
        self._seats = seats
        self._log = log
        self._told_at = ticks_add(ticks_ms(), -_AGAIN_MS)
        self._gap_told = 0
        self.dealer = 0
        self.throws = 2  # 2: the procedure of 1998; 1: a single press
        self._points = 0
        self._thrown = 0

    def emit(self, name, a=0, b=0, c=0, d=0, e=0):
        if name == "crowded":
            self._log.warn(faults.ZONE_CROWDED, a, b)
            return
        self._link.emit(name, a, b, c, d, e)
        if name == "reader":
            if b == "down" or b == 2:
                self._log.warn(faults.READER_DOWN, a)
        elif name == "tag":
            self._log.warn(faults.SET_MIXED if b in ("other_set", 2) else faults.UNKNOWN_TAG, a)
        elif name == "dice":
            self._dice(a, b + c)
        elif name == "cycle" and a == "collect":
            for seat in range(4):
                self._seats.mark(seat, "")
                self._seats.lamp(seat, board.LAMP_TURN, 0)

    def poll(self, conflicts, journal):
        """A tile that two zones keep hearing is told, and measured."""
        if conflicts.often and ticks_diff(ticks_ms(), self._told_at) >= _AGAIN_MS and conflicts.measure():
            self._told_at = ticks_ms()
            self._log.warn(faults.ZONE_CONFLICT, 0, conflicts.count & 0xFFFF)
        lost = journal.first - journal.acknowledged - 1
        if lost > 0 and not self._gap_told:
            self._log.warn(faults.JOURNAL_GAP, 0, lost)
        self._gap_told = lost > 0

    def _dice(self, throw, points):
        if throw == 1:
            self._points = self._thrown = 0
        self._thrown += 1
        first, self._points = self._points, self._points + points
        if self._thrown < self.throws:
            self._seats.lamp((self.dealer + points - 1) % 4, board.LAMP_TURN, 1)
        elif self._thrown == self.throws:
            first = first or points
            self._seats.lamp((self.dealer + first - 1) % 4, board.LAMP_TURN, 0)
            stacks = self._memory.cells[m.STANDING] or board.STACKS_A_SIDE
            seat, stack = opening(self.dealer, first, self._points, self.throws, stacks)
            self._link.emit("opening", seat, stack, self._points)
            self._seats.mark(seat, "%2d-%2d" % (stack, stack + 1))


def opening(dealer, first, points, throws, stacks):
    """(seat, stack from the right, 0-based) of the first stack that is taken from walls of `stacks` a side.

    Two throws: the first says who throws again; in that player's wall as many stacks as both throws show are
    counted off from the right (rules of 1998, article 6, 5). One throw: it says whose wall, and the stack of the
    same number is the first (competitive rules: with 7 the seventh stack of the player opposite).
    """
    seat = (dealer + first - 1) % 4
    walls, stack = divmod(points if throws == 2 else points - 1, stacks)
    return (seat - walls) % 4, stack
