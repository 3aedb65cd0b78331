"""Ports a table can be at: serial ports, pseudo-terminals, and pyserial URLs such as socket://HOST:PORT."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import serial  # type: ignore[import-untyped]
from serial.tools import list_ports  # type: ignore[import-untyped]

from paiju.i18n import _

BAUD = 921600
USB_IDS = ((0x2E8A, 0x0005), (0x2E8A, 0x000A), (0x2E8A, 0x000F))  # Raspberry Pi: MicroPython, SDK CDC, RP2350
_READ = 65536
_QUEUED = 65536  # bytes that may wait for a table that does not read


class PortError(Exception):
    """The port cannot be used; the message is one sentence for the operator."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A serial port of this computer; `likely` by its USB ids."""

    device: str
    description: str
    likely: bool


def candidates() -> list[Candidate]:
    """This computer's serial ports, the likely ones first.

    Of a board with several serial interfaces only the last is likely: the first is its console, where bytes of a
    frame would be keystrokes.
    """
    ports = list(list_ports.comports())
    last: dict[str, tuple[int, str]] = {}
    for p in ports:
        last[_board(p)] = max(last.get(_board(p), (-1, "")), _interface(p))
    found = [
        Candidate(p.device, p.description or "", (p.vid, p.pid) in USB_IDS and last[_board(p)] == _interface(p))
        for p in ports
    ]
    return sorted(found, key=lambda c: (not c.likely, c.device))


def _board(port: Any) -> str:
    """What the interfaces of one USB device have in common."""
    return str(port.serial_number or (port.location or port.device).partition(":")[0])


def _interface(port: Any) -> tuple[int, str]:
    """Its place among the interfaces of its device: "1-2:1.3" is number 3; by name where no number is known."""
    number = (port.location or "").partition(":")[2].rpartition(".")[2]
    return (int(number) if number.isdigit() else 0), port.device


class SerialPort:
    """An open port whose bytes arrive in `received`; an empty item means that it is gone (`reason` says why)."""

    def __init__(self, url: str) -> None:
        """Open it from within a running event loop; raises PortError."""
        self.url = url
        self.reason = ""
        self.received: asyncio.Queue[bytes] = asyncio.Queue()
        device = _open(url)
        fd = _descriptor(device)
        self._pump: _Events | _Threads = (
            _Threads(device, self._deliver, self._fail)
            if fd is None
            else _Events(device, fd, self._deliver, self._fail)
        )

    def write(self, data: bytes) -> bool:
        """Queue bytes; False if the other side has not read for so long that too much is queued."""
        return self._pump.write(data)

    async def close(self) -> None:
        """Close; what the other side does not take at once is dropped."""
        await self._pump.close()

    def _deliver(self, data: bytes) -> None:
        self.received.put_nowait(data)

    def _fail(self, error: Exception) -> None:
        self.reason = str(error)
        self.received.put_nowait(b"")


class _Events:
    """Bytes by the event loop, where it can watch the port's descriptor."""

    def __init__(
        self, device: serial.SerialBase, fd: int, deliver: Callable[[bytes], None], fail: Callable[[Exception], None]
    ) -> None:
        self._device = device
        self._fd = fd
        self._deliver = deliver
        self._fail = fail
        self._outgoing = bytearray()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(fd, self._readable)

    def write(self, data: bytes) -> bool:
        if len(self._outgoing) + len(data) > _QUEUED:
            return False
        self._outgoing += data
        self._writable()
        return True

    async def close(self) -> None:
        self._stop()
        with contextlib.suppress(serial.SerialException, OSError):
            self._device.close()

    def _stop(self) -> None:
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, _READ)
        except BlockingIOError:
            return
        except OSError as error:
            self._stop()
            self._fail(error)
            return
        if not data:
            self._stop()
            self._fail(EOFError("the other side closed"))
        else:
            self._deliver(data)

    def _writable(self) -> None:
        try:
            taken = os.write(self._fd, self._outgoing)
        except BlockingIOError:
            taken = 0
        except OSError as error:
            self._stop()
            self._outgoing.clear()
            self._fail(error)
            return
        del self._outgoing[:taken]
        if self._outgoing:
            self._loop.add_writer(self._fd, self._writable)
        else:
            self._loop.remove_writer(self._fd)


class _Threads:
    """Bytes by two threads, where there is no such descriptor (Windows, RFC 2217)."""

    def __init__(
        self, device: serial.SerialBase, deliver: Callable[[bytes], None], fail: Callable[[Exception], None]
    ) -> None:
        self._device = device
        self._on_data = deliver
        self._on_error = fail
        self._closing = False
        self._loop = asyncio.get_running_loop()
        self._outgoing: queue.Queue[bytes] = queue.Queue(64)
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._write)]
        for thread in self._threads:
            thread.start()

    def write(self, data: bytes) -> bool:
        try:
            self._outgoing.put_nowait(data)
        except queue.Full:
            return False
        return True

    async def close(self) -> None:
        self._closing = True
        with contextlib.suppress(queue.Full):
            self._outgoing.put_nowait(b"")
        for thread in self._threads:
            await asyncio.to_thread(thread.join, 1.0)
        with contextlib.suppress(serial.SerialException, OSError):
            self._device.close()

    def _read(self) -> None:
        try:
            while not self._closing:
                data = self._device.read(1)
                if data:
                    waiting = min(self._device.in_waiting, _READ)
                    if waiting:
                        data += self._device.read(waiting)
                    self._tell(self._on_data, data)
        except (serial.SerialException, OSError, TypeError) as error:  # TypeError: closed under the read
            self._failed(error)

    def _write(self) -> None:
        try:
            while data := self._outgoing.get():
                self._device.write(data)
        except (serial.SerialException, OSError, TypeError) as error:
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        if not self._closing:
            self._tell(self._on_error, error)

    def _tell(self, what: Callable[[Any], None], value: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop may be closed already
            self._loop.call_soon_threadsafe(what, value)


def _descriptor(device: serial.SerialBase) -> int | None:
    if os.name != "posix":
        return None
    try:
        return int(device.fileno())
    except (AttributeError, OSError, ValueError):  # io.UnsupportedOperation is both of the latter
        return None


def _open(url: str) -> serial.SerialBase:
    options = {} if "://" in url else {"exclusive": True}
    try:
        return serial.serial_for_url(url, baudrate=BAUD, timeout=0.2, write_timeout=1.0, **options)
    except (serial.SerialException, OSError, ValueError) as error:
        raise PortError(_sentence(url, error)) from error


def _sentence(url: str, error: Exception) -> str:
    text = str(error)
    lower = text.lower()
    if "lock" in lower or "busy" in lower or "access is denied" in lower:
        return _("Port {port} is in use by another program: close that one first.").format(port=url)
    if "no such file" in lower or "filenotfound" in lower or "could not find" in lower:
        return _("There is no port {port}: plug the table in and look at `paiju ports`.").format(port=url)
    if "permission" in lower:
        return _("Port {port} may not be used by you: join the group that owns it (often `dialout`).").format(port=url)
    if "refused" in lower or "timed out" in lower or "name or service" in lower:
        return _("Nothing listens at {port}: start the table or its simulation first.").format(port=url)
    if "could not configure" in lower or "inappropriate ioctl" in lower or "://" in url:
        return _("{port} is no serial port: choose one that `paiju ports` shows, or socket://HOST:PORT.").format(
            port=url
        )
    number = getattr(error, "errno", None)
    return _("Port {port} cannot be opened ({error}): choose one that `paiju ports` shows.").format(
        port=url, error=os.strerror(number).lower() if number else text
    )
