"""Faults of the table: raised by a step, counted, told to the host with the sensors as they were at that moment."""

from . import fault_codes as codes
from . import memory as m


class Fault(Exception):
    """A step could not be done: `code` of the catalogue, `part` which one, `detail` what was measured."""

    def __init__(self, code, part=0, detail=0):
        super().__init__(code, part, detail)
        self.code = code
        self.part = part
        self.detail = detail


class Stopped(Exception):
    """The safety circuit has stopped the motion; its fault is latched already."""


class Obstructed(Exception):
    """Something came into the way of a motion, which has been stopped."""


def shown(code, part):
    """What the displays show, at most five characters: `E43`, `E12` for HEAD_JAM at side 1, `E25 1`."""
    if code in codes.NUMBERED:
        return "E%02d" % (code + part)
    return "E%02d%2d" % (code, part) if part else "E%02d" % code


class FaultLog:
    """The faults that stand. `emit` records events, `memory` counts, `show(text)` fills the displays ("" = free)."""

    def __init__(self, ports, memory, emit, show):
        self._ports = ports
        self._memory = memory
        self._emit = emit
        self._show = show
        self._picture = bytearray(8)
        self.code = 0  # the one that holds the table
        self.part = 0

    def warn(self, code, part=0, detail=0):
        """Tell a fault with which the table goes on."""
        self._memory.count_fault(code)
        self._emit("fault", code, part, min(detail, 0xFFFF))

    def hold(self, code, part=0, detail=0):
        """Latch a fault; the first one stays until it is cleared, but the call for missing tiles yields to any."""
        if self.code == codes.TILE_SHORT:
            self.clear()
        if self.code:
            return
        self.warn(code, part, detail)
        self._latch(code, part)

    def restore(self):
        """After a start: what held the table holds it still. False if nothing did."""
        cells = self._memory.cells
        if cells[m.HELD]:
            self._latch(cells[m.HELD], cells[m.HELD_PART])
        return self.code != 0

    def clear(self):
        if self.code:
            code = self.code
            self._keep(0, self.part)
            self._emit("cleared", code, self.part)
            self._show("")

    def _latch(self, code, part):
        self._keep(code, part)
        self._ports.picture(self._picture)
        self._emit("picture", code, part, self._picture)
        self._show(shown(code, part))

    def _keep(self, code, part):
        self.code = code
        self.part = part
        self._memory.cells[m.HELD] = code
        self._memory.cells[m.HELD_PART] = part & 0xFF
        self._memory.save()


def is_warning(code):
    return codes.CLASS[code] == "W"
