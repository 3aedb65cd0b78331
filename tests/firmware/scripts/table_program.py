"""A table without mechanics for tests of the link: the firmware's journal and link, served on a TCP port.

Usage: micropython table_program.py PORT FRAM_FILE EVENTS_PER_S [EVENTS]
FRAM_FILE `-` is memory; EVENTS_PER_S 0 is as fast as the host takes them.
Prints a line for each thing a test waits for. Emits `enter` events, tile counting up.
"""

import asyncio
import errno
import io
import select
import socket
import sys

SIZE = 262144
RAM = bytearray(SIZE // 8) if sys.argv[2] == "-" else b""  # before anything else: it needs one piece of the heap

from controller.journal import Journal  # noqa: E402
from controller.link import Identity, Link  # noqa: E402

POLL = 3
READ, WRITE = 1, 4
IN_HASTE = sys.argv[3] == "0"  # events as fast as they go


class FileFram:
    """FRAM bytes in a file, so that they outlive this process."""

    def __init__(self, path: str) -> None:
        try:
            self._file = open(path, "r+b")  # noqa: SIM115
        except OSError:
            self._file = open(path, "w+b")  # noqa: SIM115
            for _ in range(SIZE // 1024):
                self._file.write(bytes(1024))
            self._file.flush()

    def readinto(self, address: int, buf) -> None:
        self._file.seek(address)
        self._file.readinto(buf)

    def write(self, address: int, buf) -> None:
        self._file.seek(address)
        self._file.write(buf)
        self._file.flush()


class RamFram:
    def __init__(self) -> None:
        self._memory = memoryview(RAM)

    def readinto(self, address: int, buf) -> None:
        buf[:] = self._memory[address : address + len(buf)]

    def write(self, address: int, buf) -> None:
        self._memory[address : address + len(buf)] = buf


class SocketUart(io.IOBase):
    """One TCP client at a time, looking like machine.UART."""

    def __init__(self, port: int) -> None:
        self._server = socket.socket()
        self._server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._server.bind(socket.getaddrinfo("127.0.0.1", port)[0][-1])
        self._server.listen(1)
        self._server.setblocking(False)
        self._poll = select.poll()
        self._poll.register(self._server, select.POLLIN)
        self._client = None

    def _accept(self) -> None:
        if self._poll.poll(0):
            self._client, _ = self._server.accept()
            self._client.setblocking(False)
            self._client.setsockopt(6, 1, 1)  # TCP_NODELAY: a serial port does not wait either
            # A small buffer shows early what a host that does not read does to the table.
            self._client.setsockopt(socket.SOL_SOCKET, 7, 4096)

    def readinto(self, buf):
        self._accept()
        if self._client is None:
            return None
        try:
            n = self._client.readinto(buf)
        except OSError:
            n = 0
        if n == 0:
            self._client.close()
            self._client = None
            return None
        return n

    def write(self, buf):
        self._accept()
        if self._client is None:
            return len(buf)  # as a UART without a cable
        try:
            return self._client.write(buf)
        except OSError as error:
            if error.errno == errno.EAGAIN:
                return None
            self._client = None
            return len(buf)

    def ioctl(self, request: int, argument: int) -> int:
        if request != POLL:
            return 0
        self._accept()
        if self._client is None:
            if not IN_HASTE:
                self._poll.poll(1)
            return argument & WRITE
        poll = select.poll()
        poll.register(self._client, argument)
        # The port asks objects like this one without a pause; sleep here, unless there is much to send.
        ready = poll.poll(0 if IN_HASTE else 1)
        return ready[0][1] & argument if ready else 0


async def main(port: int, fram: str, rate: int, events: int) -> None:
    journal = Journal(RamFram(), SIZE // 8) if fram == "-" else Journal(FileFram(fram), SIZE)
    link = Link(SocketUart(port), journal, Identity(b"TESTTBLE", (0, 1, 0)))
    link.emit("boot", "power_on", journal.boot, 0x000100)
    runs = {"display": 0}

    def display(seat, text):
        runs["display"] += 1
        print("display", seat, text, runs["display"])

    link.on("display", display)
    link.on("beep", lambda ms: asyncio.sleep_ms(ms))
    link.on("jog", lambda axis, reverse, duty: print("jog", axis), lambda: print("stop"))
    serving = asyncio.create_task(link.run())
    print("ready", journal.boot, journal.last)
    tile = 0
    while not events or tile < events:
        await asyncio.sleep_ms(1000 // rate if rate else 0)
        if rate:
            batch = 1 if rate <= 50 or link.connected else 0
        else:
            batch = 50 if link.connected and journal.unacknowledged < 500 else 0
        for _ in range(batch):
            link.emit("enter", 3, tile % 144)
            tile += 1
    print("emitted", journal.last)
    await serving


asyncio.run(main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 0))
