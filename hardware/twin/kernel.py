"""Joins a MicroPython process to the simulated table in lock-step virtual time.

The process blocks on every call that needs an answer, so exactly one side runs at any moment and a run depends
on nothing but its inputs. See docs/architecture.md, "Virtual time", and shim/_kernel.py for the other end.
"""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO

from twin.board import Board
from twin.clock import Clock, Event
from twin.firmware import build_shim

PORT = Path(__file__).with_name("port.py")
MOUNT = """\
import os, uctypes, vfs
_at, _size = os.getenv("TWIN_ROM").split()
vfs.mount(vfs.VfsRom(uctypes.bytearray_at(int(_at), int(_size))), "/rom")
"""
FOREVER = 1 << 61
INLINE = 64  # shortest reply, see shim/_kernel.py
(PIN_INIT, PIN_WRITE, PIN_IRQ, SPI_WRITE, SPI_READ, I2C_WRITE, I2C_READ, UART_INIT, UART_WRITE, UART_READ, WAIT,
 SYNC, WDT, RESET) = range(1, 15)  # fmt: skip
IRQ_FALLING, IRQ_RISING = 4, 8
PWRON_RESET, WDT_RESET, SOFT_RESET = 1, 3, 5
_record = struct.Struct("<BI")
_reply = struct.Struct("<QQIIHHII")
_u16 = struct.Struct("<H")
_u64 = struct.Struct("<Q")


class FirmwareError(RuntimeError):
    """The firmware process ended when it should not have, or spoke nonsense."""


class Kernel:
    """Runs one firmware process against a board.

    `argv` follows `micropython`; `paths` are import folders behind the shim; `heap` is the size of its heap in
    bytes. With a ROM `image`, `argv` is the text of the program, which finds image and shim mounted. Standard output
    and error of the process go to `console`.
    """

    def __init__(
        self,
        clock: Clock,
        board: Board,
        argv: Sequence[str],
        paths: Sequence[Path] = (),
        heap: int = 192 * 1024,
        cwd: Path | None = None,
        console: IO[bytes] | None = None,
        image: Path | None = None,
    ) -> None:
        self.clock = clock
        self.board = board
        self.argv = list(argv)
        self.paths = list(paths)
        self.heap = heap
        self.image = image
        self.cwd = cwd
        self.console: IO[bytes] = console or tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the kernel
        self.process: subprocess.Popen[bytes] | None = None
        self.cause = PWRON_RESET
        self.resets: list[int] = []
        self.restart = True  # start again after machine.reset() or the watchdog
        self.calls = 0
        self._edges = 0
        self._irq: dict[int, int] = {}
        self._wait: tuple[int, int] | None = None  # until, mask
        self._dog: Event | None = None
        self._reset_asked = False
        for gpio, wire in board.gpio.items():
            wire.watch(partial(self._edge, gpio))

    # -- process ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Power the controller on at the present virtual time."""
        down_r, self._down_w = os.pipe()  # kernel -> firmware
        self._up_r, up_w = os.pipe()
        moved = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 5) for fd in (up_w, down_r)]  # clear of 3 and 4
        for fd in (up_w, down_r):
            os.close(fd)
        command, path = self._command()
        env = {
            "MICROPYPATH": ":".join([".frozen", *path]),
            "TWIN_UNIQUE_ID": self.board.unique_id,
            "PATH": os.environ.get("PATH", ""),
        }

        def child() -> None:
            # The pipes must arrive as 3 and 4, whatever numbers they have here.
            os.dup2(moved[0], 3)
            os.dup2(moved[1], 4)

        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.console, stderr=subprocess.STDOUT, env=env, cwd=self.cwd,
            preexec_fn=child, close_fds=False,
        )  # fmt: skip
        for fd in moved:
            os.close(fd)
        self._edges = 0
        self._irq.clear()
        self._wait = None

    def _command(self) -> tuple[list[str], list[str]]:
        """The process's command line and import path."""
        heap = ["-X", f"heapsize={self.heap}"]
        if self.image is None:
            return [_micropython(), *heap, *self.argv], [str(build_shim()), *map(str, self.paths)]
        program = MOUNT + "\n".join(self.argv)
        return [sys.executable, str(PORT), str(self.image), *heap, "-c", program], ["/rom/shim", "/rom", "/rom/lib"]

    def stop(self) -> None:
        """Cut the table's power now."""
        if self.process is None:
            return
        self.process.kill()
        self._reap()
        self.cause = PWRON_RESET
        self.board.power_cut()

    def _reap(self) -> int:
        """Wait for the process to be gone, let go of its pipes; returns its exit code."""
        assert self.process is not None
        code = self.process.wait()
        self.process = None
        os.close(self._down_w)
        os.close(self._up_r)
        self._wait = None
        Clock.cancel(self._dog)
        self._dog = None
        return code

    def __enter__(self) -> Kernel:
        if self.process is None:
            self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def output(self) -> str:
        """What the firmware has printed so far."""
        self.console.seek(0)
        return self.console.read().decode(errors="replace")

    # -- time ------------------------------------------------------------------------------------------------

    def run_until(self, t: int, done: Callable[[], bool] | None = None) -> bool:
        """Run to virtual time `t` (µs) or until `done()`, which is asked after every event; True when done."""
        while True:
            if done is not None and done():
                return True
            if self.clock.now >= t and self._wait is not None:
                return False
            if self.process is None:
                self.clock.advance(t)
                return bool(done and done())
            if self._wait is None:
                if not self._serve():
                    return bool(done and done())
                continue
            until, mask = self._wait
            if self._woken(mask) or self.clock.now >= until:
                self._wait = None
                self._answer()
                continue
            if not self.clock.step(min(until, t)):
                self.clock.advance(min(until, t))

    def run_for(self, seconds: float, done: Callable[[], bool] | None = None) -> bool:
        return self.run_until(self.clock.now + int(seconds * 1e6), done)

    def finish(self, seconds: float) -> str:
        """Run until the process ends by itself, at most `seconds` virtual; returns its output."""
        self.restart = False
        self.run_for(seconds, lambda: self.process is None)
        if self.process is not None:
            raise FirmwareError(f"still running after {seconds} s\n{self.output()}")
        return self.output()

    # -- calls -----------------------------------------------------------------------------------------------

    def _serve(self) -> bool:
        """Take one request; False when the process has ended."""
        try:
            head = self._read(2)
        except EOFError:
            self._ended()
            return self.process is not None
        data = self._read(_u16.unpack(head)[0])
        self.calls += 1
        clock, board, process = self.clock, self.board, self.process
        pos, end = 0, len(data)
        while pos < end:
            op, dt = _record.unpack_from(data, pos)
            pos += 5
            clock.advance(clock.now + dt)
            if self.process is not process:  # the watchdog bit
                return True
            if op == PIN_WRITE:
                board.gpio[data[pos]].set(data[pos + 1])
                pos += 2
            elif op in (SPI_WRITE, SPI_READ):
                bus, n = data[pos], _u16.unpack_from(data, pos + 1)[0]
                pos += 3
                answer = board.spi[bus].transfer(data[pos : pos + n])
                pos += n
                if op == SPI_READ:
                    self._answer(answer)
            elif op == PIN_INIT:
                pos += 3
            elif op == PIN_IRQ:
                self._irq[data[pos]] = data[pos + 1]
                pos += 2
            elif op == I2C_WRITE:
                n = _u16.unpack_from(data, pos + 1)[0]
                acked = board.i2c_write(data[pos], data[pos + 3 : pos + 3 + n])
                pos += 3 + n
                self._answer(b"\1" if acked else b"\0")
            elif op == I2C_READ:
                n = _u16.unpack_from(data, pos + 1)[0]
                self._answer(board.i2c_read(data[pos], n))
                pos += 3
            elif op == UART_INIT:
                baud, txbuf, rxbuf = struct.unpack_from("<HHH", data, pos + 1)
                board.uart.open(baud * 100, txbuf, rxbuf)
                pos += 7
            elif op == UART_WRITE:
                n = _u16.unpack_from(data, pos + 1)[0]
                self._answer(_u16.pack(board.uart.write(data[pos + 3 : pos + 3 + n])))
                pos += 3 + n
            elif op == UART_READ:
                self._answer(board.uart.read(_u16.unpack_from(data, pos + 1)[0]))
                pos += 3
            elif op == WAIT:
                self._wait = (_u64.unpack_from(data, pos)[0], data[pos + 8])
                pos += 9
            elif op == SYNC:
                self._answer()
            elif op == WDT:
                self._feed(_u16.unpack_from(data, pos)[0])
                pos += 2
            elif op == RESET:
                self._reset_asked = True
                self._answer()
            else:
                raise FirmwareError(f"unknown call {op} from the firmware\n{self.output()}")
        return True

    def _answer(self, data: bytes = b"") -> None:
        nxt = self.clock.next_at()
        uart = self.board.uart
        head = _reply.pack(
            self.clock.now, FOREVER if nxt is None else nxt, self.board.levels, self._edges,
            min(uart.rx_any, 0xFFFF), uart.tx_free, len(data), self.cause,
        )  # fmt: skip
        self._edges = 0
        try:
            os.write(self._down_w, (head + data).ljust(INLINE, b"\0"))
        except BrokenPipeError:
            self._ended()

    def _read(self, n: int) -> bytes:
        data = os.read(self._up_r, n)
        while len(data) < n:
            more = os.read(self._up_r, n - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def _woken(self, mask: int) -> bool:
        uart = self.board.uart
        return bool(self._edges or (mask & 1 and uart.rx_any) or (mask & 2 and uart.tx_free))

    def _edge(self, gpio: int, level: int) -> None:
        if self._irq.get(gpio, 0) & (IRQ_RISING if level else IRQ_FALLING):
            self._edges |= 1 << gpio

    def _feed(self, ms: int) -> None:
        Clock.cancel(self._dog)
        self._dog = self.clock.after(ms * 1000, self._bite)

    def _bite(self) -> None:
        """The watchdog was not fed in time: the controller resets, the rest of the table stays powered."""
        assert self.process is not None
        self.process.kill()
        self._reap()
        self._reset(WDT_RESET)

    def _reset(self, cause: int) -> None:
        self.cause = cause
        self.resets.append(self.clock.now)
        self.board.controller_reset()
        self.start()

    def _ended(self) -> None:
        """The process closed its pipe: a reset, the end of a script, or a crash."""
        asked, self._reset_asked = self._reset_asked, False
        code = self._reap()
        if code == 0 and asked and self.restart:
            self._reset(SOFT_RESET)
        elif code != 0 or self.restart:
            raise FirmwareError(f"the firmware ended with code {code}\n{self.output()}")


def _micropython() -> str:
    """The `micropython` beside the running Python, else the one on the path."""
    beside = Path(sys.executable).with_name("micropython")
    return str(beside) if beside.exists() else "micropython"
