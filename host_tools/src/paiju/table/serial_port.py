"""Ports a table can be at: serial ports, pseudo-terminals, and pyserial URLs such as socket://HOST:PORT."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from dataclasses import dataclass

import serial
from serial.tools import list_ports

from paiju.i18n import _

BAUD = 921600
USB_IDS = ((0x2E8A, 0x0005), (0x2E8A, 0x000A), (0x2E8A, 0x000F))  # Raspberry Pi: MicroPython, SDK CDC, RP2350
_READ = 4096
_QUEUED = 64  # writes that may wait for a table that does not read


class PortError(Exception):
    """The port cannot be used; the message is one sentence for the operator."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A serial port of this computer; `likely` by its USB ids."""

    device: str
    description: str
    likely: bool


def candidates() -> list[Candidate]:
    """This computer's serial ports, the likely ones first."""
    found = [
        Candidate(p.device, p.description or "", (p.vid, p.pid) in USB_IDS) for p in list_ports.comports()
    ]
    return sorted(found, key=lambda c: (not c.likely, c.device))


class SerialPort:
    """An open port whose bytes arrive in `received`; an empty item means that it is gone (`reason` says why)."""

    def __init__(self, url: str) -> None:
        """Open it from within a running event loop; raises PortError."""
        self.url = url
        self.reason = ""
        self.received: asyncio.Queue[bytes] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._serial = _open(url)
        self._closing = False
        self._outgoing: queue.Queue[bytes] = queue.Queue(_QUEUED)
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._write)]
        for thread in self._threads:
            thread.start()

    def write(self, data: bytes) -> bool:
        """Queue bytes; False if the other side has not read for so long that the queue is full."""
        try:
            self._outgoing.put_nowait(data)
        except queue.Full:
            return False
        return True

    async def close(self) -> None:
        """Write what is queued, as far as that goes at once, and close."""
        self._closing = True
        with contextlib.suppress(queue.Full):
            self._outgoing.put_nowait(b"")
        for thread in self._threads:
            await asyncio.to_thread(thread.join, 1.0)
        with contextlib.suppress(serial.SerialException, OSError):
            self._serial.close()

    def _read(self) -> None:
        try:
            while not self._closing:
                data = self._serial.read(1)
                if data:
                    waiting = min(self._serial.in_waiting, _READ)
                    if waiting:
                        data += self._serial.read(waiting)
                    self._deliver(data)
        except (serial.SerialException, OSError, TypeError) as error:  # TypeError: closed under the read
            self._fail(error)

    def _write(self) -> None:
        try:
            while data := self._outgoing.get():
                self._serial.write(data)
        except (serial.SerialException, OSError, TypeError) as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if not self._closing:
            self.reason = str(error)
            self._deliver(b"")

    def _deliver(self, data: bytes) -> None:
        with contextlib.suppress(RuntimeError):  # the loop may be closed already
            self._loop.call_soon_threadsafe(self.received.put_nowait, data)


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
    return _("Port {port} cannot be opened: {error}").format(port=url, error=text)
