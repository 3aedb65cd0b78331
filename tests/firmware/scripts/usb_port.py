# The link over a stand-in for micropython-lib's second USB interface. As in the original: both buffers have a fixed
# size; what the host has not fetched stays, whether the port is open or not; a transfer that is cut off begins anew;
# the host's bytes come in packets of 64, each only when there is room for a whole one; a time-out blocks everything.
import asyncio
import io
import sys
from time import ticks_diff, ticks_ms

PACKET = 64
waits = 0  # rounds in which everything stood still


class CDCInterface(io.IOBase):
    def __init__(self, baudrate=9600, bits=8, parity="N", stop=1, timeout=1000, txbuf=256, rxbuf=256, flow=0):
        if flow:
            raise NotImplementedError
        if not txbuf or rxbuf < PACKET:
            raise ValueError
        self.timeout = timeout
        self.out, self.out_size = bytearray(), txbuf
        self.come, self.come_size = bytearray(), rxbuf
        self.opened = False

    def is_open(self):
        return self.opened

    def _waited(self, started):
        global waits
        if ticks_diff(ticks_ms(), started) >= self.timeout:
            return True
        waits += 1
        return False

    def write(self, buf):
        started = ticks_ms()
        done = 0
        while True:
            n = min(len(buf) - done, self.out_size - len(self.out))
            self.out += buf[done : done + n]
            done += n
            if done == len(buf) or self._waited(started):
                return done

    def readinto(self, buf):
        started = ticks_ms()
        done = 0
        while done < len(buf):
            n = min(len(buf) - done, len(self.come))
            buf[done : done + n] = self.come[:n]
            self.come = self.come[n:]
            done += n
            if done < len(buf) and self._waited(started):
                break
        return done or None

    def ioctl(self, request, argument):
        if request != 3:
            return -22
        ready = (1 if self.come else 0) | (4 if len(self.out) < self.out_size else 0) | (0 if self.opened else 16)
        return argument & ready


class Device:
    def init(self, *interfaces, builtin_driver=False, device_class=0, device_subclass=0, device_protocol=0):
        self.interfaces = interfaces
        self.said = builtin_driver, device_class, device_subclass, device_protocol


class Cable:
    """The host's side: `say` and `hear` go through while it is plugged in."""

    def __init__(self, port):
        self.port = port
        self.waiting = bytearray()
        self.passed = self.flight = 0  # of the transfer that is under way

    def plug(self, plugged):
        self.port.opened = plugged
        self.passed = self.flight = 0
        self.waiting = bytearray()

    def say(self, data):
        self.waiting += data

    def move(self, hears):
        """Let packets pass; returns what the host heard."""
        port = self.port
        while self.waiting and port.come_size - len(port.come) >= PACKET:
            port.come += self.waiting[:PACKET]
            self.waiting = self.waiting[PACKET:]
        if not hears:
            return b""
        self.flight = self.flight or len(port.out)
        heard = bytes(port.out[self.passed : min(self.passed + PACKET, self.flight)])
        self.passed += len(heard)
        if self.passed == self.flight:
            port.out = port.out[self.flight :]
            self.passed = self.flight = 0
        return heard


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
print("device", device.interfaces[0] is port, *device.said)
cable = Cable(port)
journal = Journal(Fram(12000), 12000)
link = Link(port, journal, Identity(b"12345678", (1, 2, 3)))
host = Encoder()
decoder = Decoder()
have = 0  # last event that the host has, all before it too
in_order = True


def send(layout, *values):
    end = layout.pack_into(host.buffer, host.START, *values)
    cable.say(host.finish(layout.number, end))


def hear(session):
    """Take what came and acknowledge it."""
    global have, in_order
    before = have
    for byte in cable.move(True):
        if decoder.feed(byte) and decoder.kind == m.EVENTS_FRAME.number:
            at = decoder.START
            while at < decoder.end:
                seq = m.RECORD.unpack(decoder.buffer, at)[0]
                in_order = in_order and seq <= have + 1
                have = max(have, seq)
                at += m.RECORD.size + m.EVENT_BY_NUMBER[5].size
    if have > before:
        send(m.ACK, session, have, 0)


async def converse(session, last):
    send(m.OPEN, m.PROTOCOL, session)
    resumed = False
    for n in range(3000):
        hear(session)
        if link.end.session == session and not resumed:
            resumed = True
            send(m.RESUME, session, journal.id, have)
        if journal.acknowledged == last:
            break
        if n % 50 == 49:
            send(m.SYNC, session, n)
        await asyncio.sleep_ms(2)


async def main():
    serving = asyncio.create_task(link.run())
    for n in range(20):
        link.emit("enter", 3, n)
    await asyncio.sleep_ms(60)
    print(f"unplugged: sent {have}, waits {waits}")
    cable.plug(True)
    await converse(3, 20)
    print(f"in step: acknowledged {journal.acknowledged}, damaged {decoder.bad}")
    for n in range(300):
        link.emit("enter", 3, n % 144)
        await asyncio.sleep_ms(1)
    print(f"host does not read: kept {len(port.out)}, waits {waits}")
    hear(3)  # one packet of a longer transfer
    cable.plug(False)
    await asyncio.sleep_ms(30)
    cable.plug(True)
    await converse(4, 320)
    words = journal.acknowledged, in_order, waits
    print("pulled in a transfer, plugged in: acknowledged {}, frames in order {}, waits {}".format(*words))
    serving.cancel()


asyncio.run(main())
