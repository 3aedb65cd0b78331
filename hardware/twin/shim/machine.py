# `machine` of the PC port, as far as the firmware uses it: buses and pins of the twin. Costs are microseconds of an
# RP2040 at 125 MHz, bus time comes on top. What the firmware computes between two calls is charged with them: fitted to
# slots, answers, probes and field changes of this firmware on the emulated Pico of tests/rp2040, whose own cycles for
# each instruction and flash access are an estimate. Garbage collections are not charged, nor all that other tasks do:
# together about 5 % of its time.
import _kernel as k
from micropython import const

_PIN_INIT = const(1)
_PIN_WRITE = const(2)
_PIN_IRQ = const(3)
_SPI_WRITE = const(4)
_SPI_READ = const(5)
_I2C_WRITE = const(6)
_UART_INIT = const(8)
_UART_WRITE = const(9)
_UART_READ = const(10)
_WDT = const(13)
_RESET = const(14)
_PIN_US = const(3)
_LEVEL_US = const(25)
_SPI_US = const(14)
_READERS = const(0)  # their bus
_LOOK_US = const(90)  # and what was read from a reader is looked at,
_WORK_US = const(222)  # or from another chip
_STATUS = const(12)  # bytes of a reader's status; other frames of a reader are answers of tags,
_ANSWER_US = const(105)  # which are copied, partly while the next slot runs
_I2C_US = const(30)
_UART_US = const(15)

PWRON_RESET = const(1)
WDT_RESET = const(3)


class Pin:
    IN = const(0)
    OUT = const(1)
    PULL_UP = const(1)
    PULL_DOWN = const(2)
    IRQ_FALLING = const(4)
    IRQ_RISING = const(8)

    def __init__(self, id, mode=-1, pull=-1, *, value=None):
        self._id = id
        self._bit = 1 << id
        self._out = 0
        self.init(mode, pull, value=value)

    def init(self, mode=-1, pull=-1, *, value=None):
        self._mode = mode
        k.head(_PIN_INIT, 3)
        k.put8(self._id)
        k.put8(mode & 0xFF)
        k.put8((pull or 0) & 0xFF)
        if value is not None:
            self.value(value)

    def value(self, v=None):
        if v is None:
            k.spend(_LEVEL_US)
            if self._mode == 1:
                return self._out
            return 1 if k.levels() & self._bit else 0
        k.spend(_PIN_US)
        self._out = 1 if v else 0
        k.head(_PIN_WRITE, 2)
        k.put8(self._id)
        k.put8(self._out)

    __call__ = value

    def irq(self, handler=None, trigger=12):
        k.on_edge(self._id, handler, self)
        k.head(_PIN_IRQ, 2)
        k.put8(self._id)
        k.put8(trigger if handler else 0)


class SPI:
    def __init__(self, id, baudrate=1000000, *, polarity=0, phase=0, sck=None, mosi=None, miso=None):
        self._id = id
        self._baud = baudrate

    def init(self, baudrate=None, **_):
        if baudrate:
            self._baud = baudrate

    def _start(self, op, n):
        k.spend(_SPI_US + 8000000 * n // self._baud)
        k.head(op, n + 4)
        k.put8(self._id)

    def write(self, buf):
        n = len(buf)
        self._start(_SPI_WRITE, n)
        k.put(buf, n)

    def readinto(self, buf, write=0):
        n = len(buf)
        self._start(_SPI_READ, n)
        k.put16(n)
        for _ in range(n):
            k.put8(write)
        self._take(buf, n)
        if write and n != _STATUS:
            k.spend(_ANSWER_US)

    def write_readinto(self, out, buf):
        n = len(buf)
        self._start(_SPI_READ, n)
        k.put(out, n)
        self._take(buf, n)

    def _take(self, buf, n):
        k.call()
        rx = k.rx
        for i in range(n):
            buf[i] = rx[36 + i]
        k.spend(_LOOK_US if self._id == _READERS else _WORK_US)

    def read(self, n, write=0):
        buf = bytearray(n)
        self.readinto(buf, write)
        return bytes(buf)


class I2C:
    def __init__(self, id, *, scl=None, sda=None, freq=400000, timeout=50000):
        self._freq = freq
        self._mem = bytearray(64)

    def _cost(self, n):
        k.spend(_I2C_US + 9000000 * (n + 1) // self._freq)

    def writeto(self, addr, buf, stop=True):
        n = len(buf)
        self._cost(n)
        k.head(_I2C_WRITE, n + 4)
        k.put8(addr)
        k.put(buf, n)
        k.call()
        if not k.rx[36]:
            raise OSError(5)  # EIO, as the RP2 port does when nobody acknowledges
        return n

    def writeto_mem(self, addr, reg, buf):
        n = len(buf)
        mem = self._mem if n < len(self._mem) else bytearray(n + 1)
        mem[0] = reg
        for i in range(n):
            mem[i + 1] = buf[i]
        self._cost(n + 1)
        k.head(_I2C_WRITE, n + 5)
        k.put8(addr)
        k.put(mem, n + 1)
        k.call()
        if not k.rx[36]:
            raise OSError(5)


class UART:
    def __init__(self, id, baudrate=115200, *, tx=None, rx=None, txbuf=256, rxbuf=256, **_):
        self._twin_uart = id
        k.head(_UART_INIT, 9)
        k.put8(id)
        k.put16(baudrate // 100)
        k.put16(txbuf)
        k.put16(rxbuf)

    def any(self):
        k.spend(_UART_US)
        if k.now >= k.hold:
            k.sync()
        return k.R.rx_any

    def readinto(self, buf, n=-1):
        if n < 0 or n > len(buf):
            n = len(buf)
        k.spend(_UART_US)
        k.head(_UART_READ, 4)
        k.put8(self._twin_uart)
        k.put16(n)
        k.call()
        got = k.R.n
        if not got:
            return None
        rx = k.rx
        for i in range(got):
            buf[i] = rx[36 + i]
        return got

    def read(self, n=-1):
        buf = bytearray(self.any() if n < 0 else n)
        got = self.readinto(buf)
        return bytes(buf[:got]) if got else None

    def write(self, buf, n=-1):
        if n < 0 or n > len(buf):
            n = len(buf)
        k.spend(_UART_US)
        k.head(_UART_WRITE, n + 4)
        k.put8(self._twin_uart)
        k.put(buf, n)
        k.call()
        got = k.rx[36] | k.rx[37] << 8
        return got if got else None


class WDT:
    def __init__(self, id=0, timeout=5000):
        self._ms = timeout
        self.feed()

    def feed(self):
        k.spend(_PIN_US)
        k.head(_WDT, 2)
        k.put16(self._ms)


def unique_id():
    import os

    return bytes(int(h, 16) for h in (os.getenv("TWIN_UNIQUE_ID") or "E6 60 58 38 83 4A 2B 21").split())


def reset():
    k.head_only(_RESET)
    k.call()
    raise SystemExit(0)


def reset_cause():
    k.sync()
    return k.R.cause


def freq():
    return 125000000
