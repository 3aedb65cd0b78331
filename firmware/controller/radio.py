"""The readers and their antennas: one field at a time, and readers that fail and come back.

One field at a time keeps the rule that neighbouring fields are never on together, and one interrupt line enough.
"""

import asyncio
from array import array
from time import ticks_add, ticks_diff, ticks_ms

from micropython import const

from drivers.antenna_mux import AntennaMux
from drivers.faults import ReaderFault
from drivers.iso15693 import Iso15693
from drivers.pn5180 import MIN_LEVEL, Pn5180
from drivers.waiting import IrqLine, Operation

OK = const(0)
DEGRADED = const(1)
DOWN = const(2)
UNKNOWN = const(3)  # not started yet

_DOWN_AFTER = const(3)  # failed restarts
_RETRY_MS = const(20)
_RETRY_MAX_MS = const(5000)


class _Done(Operation):
    def step(self):
        return True


_done = _Done()


class Port:
    """One reader with its multiplexer; `state` is OK, DEGRADED (being restarted) or DOWN (still tried)."""

    def __init__(self, number, reader, mux):
        self.number = number
        self.reader = reader
        self.air = Iso15693(reader)
        self.mux = mux
        self.state = UNKNOWN
        self.failures = 0  # since the start of the controller
        self.restarts = 0  # that failed, in a row
        self.retry_ms = _RETRY_MS
        self.retry_at = ticks_ms()
        self.fault = None  # the last one


class Radio:
    """`zones[zone]` is (port number, antenna); `emit` takes `("reader", reader, state)` at every change."""

    def __init__(self, ports, zones, irq, emit):
        self.ports = ports
        self.zones = zones
        self.zone = -1  # whose field is on
        self.levels = bytearray([MIN_LEVEL] * len(zones))  # receiver threshold of each zone
        self.powers = array("b", bytes(len(zones)))  # power trim of each zone
        self.lock = asyncio.Lock()  # held by whoever uses the air
        self._irq = irq
        self._emit = emit

    async def start(self):
        """Start every reader; one that fails is DOWN and tried again later, the others work."""
        asyncio.create_task(self._irq.run())
        for port in self.ports:
            port.reader.shut()  # after a reset of the controller alone a field may still be on
        for port in self.ports:
            await self._restart(port)

    def port(self, zone):
        return self.ports[self.zones[zone][0]]

    def usable(self, zone):
        return self.port(zone).state == OK

    def tune(self, zone):
        """Await it: the field of `zone` is on, and no other. Raises ReaderFault; hand it to `cut`."""
        number, antenna = self.zones[zone]
        port = self.ports[number]
        if zone == self.zone and port.reader.field:
            return _done
        self.silence()
        port.mux.select(antenna)
        port.reader.min_level = self.levels[zone]
        port.reader.trim = self.powers[zone]
        self.zone = zone
        return port.reader.field_on()

    def silence(self):
        """No field is on when this returns."""
        if self.zone >= 0:
            port = self.port(self.zone)
            self.zone = -1
            try:
                port.reader.field_off()
            except ReaderFault as fault:
                self.failed(port, fault)

    async def cut(self, port, fault):
        """A reader raised: its field is off when this returns, its restart is planned. Hold the lock meanwhile."""
        await port.reader.recover()
        self._plan(port, fault)
        await asyncio.sleep_ms(0)

    def failed(self, port, fault):
        """As `cut`, at once and by RESET_N."""
        port.reader.shut()
        self._plan(port, fault)

    def _plan(self, port, fault):
        port.fault = fault
        port.failures += 1
        if self.zone >= 0 and self.port(self.zone) is port:
            self.zone = -1
        port.retry_at = ticks_add(ticks_ms(), port.retry_ms)
        if port.state == OK:
            self._state(port, DEGRADED)

    def ill(self):
        """A port that is due for a restart, or None."""
        for port in self.ports:
            if port.state != OK and ticks_diff(ticks_ms(), port.retry_at) >= 0:
                return port
        return None

    async def heal(self, port):
        """Try to restart a port that is not OK."""
        self.silence()
        await self._restart(port)

    async def _restart(self, port):
        try:
            await port.reader.start()
            # A reader that answers but has no field would come and go.
            await port.reader.field_on()
            port.reader.field_off()
        except ReaderFault as fault:
            port.restarts += 1
            port.retry_ms = min(2 * port.retry_ms, _RETRY_MAX_MS)
            await self.cut(port, fault)
            if port.restarts >= _DOWN_AFTER or port.state == UNKNOWN:
                self._state(port, DOWN)
            return
        port.restarts = 0
        port.retry_ms = _RETRY_MS
        self._state(port, OK)

    def _state(self, port, state):
        if port.state != state:
            port.state = state
            self._emit("reader", port.number, state)


def build(readers, spi, irq_pin, expanders, pin, emit, zones):
    """Radio of the generated table `board.READERS`; `pin(number, output)` makes a Pin."""
    irq = IrqLine(irq_pin)
    ports = []
    for number, (name, cs, busy, reset, mux, _) in enumerate(readers):
        lines = expanders[reset >> 4]
        reader = Pn5180(spi, pin(cs, True), pin(busy, False), _line(lines, reset & 15), irq, name)
        ports.append(Port(number, reader, AntennaMux(expanders[mux[0] >> 4], *(bit & 15 for bit in mux))))
    return Radio(ports, zones, irq, emit)


def _line(expander, bit):
    return lambda level: expander.write_bit(bit, level)
