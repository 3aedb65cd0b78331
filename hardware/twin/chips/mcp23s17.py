"""Microchip MCP23S17: 16-bit port expander on SPI with interrupt-on-change.

Source: MCP23S17 data sheet (register tables of section 3). Several chips may share one chip select: each answers
only to its hardware address once IOCON.HAEN is set, and to address 0 before.
"""

from __future__ import annotations

from collections.abc import Callable

from twin.clock import Clock
from twin.signal import Signal

IODIR, IPOL, GPINTEN, DEFVAL, INTCON, IOCON, GPPU, INTF, INTCAP, GPIO, OLAT = range(11)
BANK, MIRROR, SEQOP, DISSLW, HAEN, ODR, INTPOL = 0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02


class Mcp23s17:
    """`pins["a0".."b7"]` are the port's wires: the world sets inputs and watches outputs.

    `interrupt` is INTA (both ports when IOCON.MIRROR is set). Floating inputs keep the level they were given last.
    """

    def __init__(self, clock: Clock, address: int, interrupt: Signal) -> None:
        self.address = address
        self.pins = {f"{port}{bit}": Signal(f"{port}{bit}") for port in "ab" for bit in range(8)}
        self._clock = clock
        self.interrupt = interrupt
        self._wires = tuple(tuple(self.pins[f"{port}{bit}"] for bit in range(8)) for port in "ab")
        self._registers = [[0] * 11, [0] * 11]  # by port; IOCON is one register, kept in port A
        self._levels = [0, 0]  # pins as wired, before IPOL
        self._last = [0, 0]  # what interrupt-on-change compares with
        self._count = 0
        self._pointer = 0
        self._addressed = False
        self._reading = False
        for port in (0, 1):
            self._registers[port][IODIR] = 0xFF
            for bit, wire in enumerate(self._wires[port]):
                wire.watch(self._watcher(port, 1 << bit))
        self._signal()

    def power_on_reset(self) -> None:
        """Registers as after power-on; the wires it drove are pulled down by the board."""
        driven = [wire for port in (0, 1) for bit, wire in enumerate(self._wires[port])
                  if not self._registers[port][IODIR] >> bit & 1]  # fmt: skip
        for port in (0, 1):
            self._registers[port] = [0xFF] + [0] * 10
        for wire in driven:
            wire.set(0)
        self._signal()

    # ---- SPI

    def select(self) -> None:
        self._count = 0
        self._addressed = False

    def transfer(self, data: bytes) -> bytes:
        out = bytearray(b"\xff" * len(data))
        for n, value in enumerate(data):
            position = self._count
            self._count += 1
            if position == 0:
                wanted = self.address if self._registers[0][IOCON] & HAEN else 0
                self._addressed = value & 0xFE == 0x40 | wanted << 1
                self._reading = bool(value & 1)
            elif not self._addressed:
                break
            elif position == 1:
                self._pointer = value
            else:
                port, register = self._locate(self._pointer)
                if register is not None:
                    if self._reading:
                        out[n] = self._read(port, register)
                    else:
                        self._write(port, register, value)
                elif self._reading:
                    out[n] = 0
                self._step()
        return bytes(out)

    def deselect(self) -> None:
        self._addressed = False

    def _locate(self, pointer: int) -> tuple[int, int | None]:
        if self._registers[0][IOCON] & BANK:
            port, register = pointer >> 4 & 1, pointer & 0x0F
        else:
            port, register = pointer & 1, pointer >> 1
        return port, register if register <= OLAT else None

    def _step(self) -> None:
        iocon = self._registers[0][IOCON]
        if not iocon & SEQOP:
            self._pointer += 1
            if self._pointer > (0x1A if iocon & BANK else 0x15):
                self._pointer = 0
        elif not iocon & BANK:
            self._pointer ^= 1  # byte mode toggles between the two ports of a register pair

    # ---- registers

    def _read(self, port: int, register: int) -> int:
        registers = self._registers[port]
        if register == IOCON:
            return self._registers[0][IOCON]
        if register == GPIO:
            value = self._port(port)
            self._clear(port)
            return value
        if register == INTCAP:
            value = registers[INTCAP]
            self._clear(port)
            return value
        return registers[register]

    def _write(self, port: int, register: int, value: int) -> None:
        registers = self._registers[port]
        if register in (INTF, INTCAP):
            return
        if register == IOCON:
            self._registers[0][IOCON] = value & 0xFE
            self._signal()
            return
        if register == GPIO:
            register = OLAT
        registers[register] = value
        if register in (IODIR, OLAT):
            self._drive(port)
        elif register in (GPINTEN, DEFVAL, INTCON):
            self._last[port] = self._levels[port]
            registers[INTF] &= registers[GPINTEN]
            self._compare(port)
            self._signal()

    def _port(self, port: int) -> int:
        return self._levels[port] ^ self._registers[port][IPOL]

    def _drive(self, port: int) -> None:
        direction, latch = self._registers[port][IODIR], self._registers[port][OLAT]
        for bit, wire in enumerate(self._wires[port]):
            if not direction >> bit & 1:
                wire.set(latch >> bit & 1)

    # ---- interrupts

    def _watcher(self, port: int, mask: int) -> Callable[[int], None]:
        def changed(level: int) -> None:
            if level:
                self._levels[port] |= mask
            else:
                self._levels[port] &= ~mask
            if self._registers[port][GPINTEN] & mask:
                self._compare(port)

        return changed

    def _compare(self, port: int) -> None:
        """Latch the first event of a port; more are ignored until INTCAP or GPIO is read."""
        registers = self._registers[port]
        if registers[INTF]:
            return
        fixed = registers[INTCON]
        reference = registers[DEFVAL] & fixed | self._last[port] & ~fixed
        seen = self._port(port) & fixed | self._levels[port] & ~fixed
        flags = (seen ^ reference) & registers[GPINTEN] & registers[IODIR]
        if flags:
            registers[INTF] = flags
            registers[INTCAP] = self._port(port)
            self._signal()

    def _clear(self, port: int) -> None:
        self._last[port] = self._levels[port]
        if self._registers[port][INTF]:
            self._registers[port][INTF] = 0
            self._compare(port)  # a level that still differs from DEFVAL asks again
            self._signal()

    def _signal(self) -> None:
        iocon = self._registers[0][IOCON]
        active = bool(self._registers[0][INTF] or (iocon & MIRROR and self._registers[1][INTF]))
        high = bool(iocon & INTPOL) and not iocon & ODR
        self.interrupt.set(int(active == high))
