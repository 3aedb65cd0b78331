# The link over a stand-in for the second USB interface, made as micropython-lib's is: a stream in Python.
import asyncio
import io
import sys


class CDCInterface(io.IOBase):
    def __init__(self, **options):
        self.options = options
        self.taken = bytearray()
        self.given = bytearray()

    def write(self, buf):
        n = min(len(buf), 7)  # little at a time
        self.taken += buf[:n]
        return n

    def readinto(self, buf):
        n = min(len(buf), len(self.given))
        buf[:n] = self.given[:n]
        self.given = self.given[n:]
        return n or None

    def ioctl(self, request, argument):
        return argument & ((1 if self.given else 0) | 4) if request == 3 else -22


class Device:
    def init(self, *interfaces, **options):
        self.interfaces = interfaces
        self.options = options


class Module:
    pass


device = Device()
usb, usb_device, cdc = Module(), Module(), Module()
usb.device, usb_device.get, usb_device.cdc, cdc.CDCInterface = usb_device, lambda: device, cdc, CDCInterface
sys.modules["usb"], sys.modules["usb.device"], sys.modules["usb.device.cdc"] = usb, usb_device, cdc

from controller import usb_port  # noqa: E402
from controller.journal import Journal  # noqa: E402
from controller.link import Identity, Link  # noqa: E402
from tablelink import messages as m  # noqa: E402
from tablelink.frame import Decoder, Encoder  # noqa: E402


class Fram:
    def __init__(self, size):
        self.memory = bytearray(size)

    def readinto(self, address, buf):
        buf[:] = self.memory[address : address + len(buf)]

    def write(self, address, buf):
        self.memory[address : address + len(buf)] = buf


port = usb_port.open_port()
print("options", port.options["timeout"], device.interfaces[0] is port, device.options)
journal = Journal(Fram(4000), 4000)
link = Link(port, journal, Identity(b"12345678", (1, 2, 3)))
host = Encoder()


def send(layout, *values):
    end = layout.pack_into(host.buffer, host.START, *values)
    port.given += host.finish(layout.number, end)


async def until(done):
    for _ in range(1000):
        if done():
            return
        await asyncio.sleep_ms(5)


async def main():
    serving = asyncio.create_task(link.run())
    for n in range(20):
        link.emit("enter", 3, n)
    send(m.OPEN, m.PROTOCOL, 3)
    await until(lambda: link.end.session == 3)
    send(m.RESUME, 3, journal.id, 0)
    await until(lambda: link.end.sender.high == 20 and link.push() is False)
    send(m.ACK, 3, 20, 0)
    await until(lambda: journal.acknowledged == 20)
    serving.cancel()


asyncio.run(main())
decoder = Decoder()
kinds = [decoder.kind for byte in port.taken if decoder.feed(byte)]
print("frames", sorted(set(kinds)), decoder.bad, "acknowledged", journal.acknowledged)
