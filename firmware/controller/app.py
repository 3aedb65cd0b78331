"""Joins the parts: what runs on the table, and in which order it starts."""

import asyncio
import gc
import sys

import machine
from machine import I2C, SPI, UART, Pin

import board
from drivers.faults import DriverFault
from drivers.mb85rs2mt import Mb85rs2mt
from drivers.mcp3208 import Mcp3208
from tablelink.messages import BUSY

from . import fault_codes as faults
from . import health, radio
from .axes import Motors, conflict
from .calibration import Calibration
from .cycle import Cycle
from .dice import DiceReader
from .faults import FaultLog, shown
from .journal import Journal
from .link import CommandError, Identity, Link
from .memory import LATE_TASK, SIZE, Memory
from .notices import Notices
from .ports import Ports
from .safety import Safety
from .scanner import Scanner
from .seats import Seats
from .settings import Settings
from .throws import Throws
from .tile_registry import TileRegistry

VERSION = (0, 1, 0)
# Zone -> (reader, antenna): the four of each seat, then the two die cups.
_ZONES = tuple((n // board.ZONES_A_SEAT, n % board.ZONES_A_SEAT) for n in range(board.ZONE_DICE)) + ((4, 0), (4, 1))
_REASONS = {machine.PWRON_RESET: "power_on", machine.WDT_RESET: "watchdog"}


def _link_port():
    """The stream of the link; prints and tracebacks never go there."""
    if board.LINK_USB:
        from .usb_port import open_port

        return open_port()
    number, baud, tx, rx = board.LINK
    return UART(number, baudrate=baud, tx=Pin(tx), rx=Pin(rx), txbuf=512, rxbuf=512)


def _spi(bus):
    number, baud, sck, mosi, miso = bus
    return SPI(number, baudrate=baud, sck=Pin(sck), mosi=Pin(mosi), miso=Pin(miso))


def _i2c(bus):
    number, freq, sda, scl = bus
    return I2C(number, freq=freq, sda=Pin(sda), scl=Pin(scl))


class App:
    def __init__(self):
        aux = _spi(board.AUX)
        fram = Mb85rs2mt(aux, Pin(board.PIN_FRAM_CS, Pin.OUT, value=1))
        self.journal = Journal(fram, board.FRAM_BYTES - SIZE)
        self.memory = Memory(fram, board.FRAM_BYTES - SIZE)
        self.link = Link(_link_port(), self.journal, Identity(machine.unique_id(), VERSION))
        self.reason = _REASONS.get(machine.reset_cause(), "reset")
        self.link.emit("boot", self.reason, self.journal.boot, VERSION[0] << 16 | VERSION[1] << 8 | VERSION[2])

        i2c = _i2c(board.PANEL)
        self.ports = Ports(
            aux, Pin(board.PIN_EXPANDER_CS, Pin.OUT, value=1), Pin(board.PIN_EXPANDER_INT, Pin.IN, Pin.PULL_UP)
        )
        self.log = FaultLog(self.ports, self.memory, self.link.emit, self._notice)
        self.seats = Seats(i2c, self.ports, self.link.emit, self._pressed)
        self.notices = Notices(self.link, self.log, self.memory, self.seats)
        emit = self.notices.emit
        self.safety = Safety(self.ports, self.log, self._motors_off)
        adc = Mcp3208(aux, Pin(board.PIN_ADC_CS, Pin.OUT, value=1), board.AUX[1], board.ADC_BAUD)
        self.motors = Motors(i2c, self.ports, self.safety, adc, self.memory)
        self.radio = radio.build(
            board.READERS,
            _spi(board.RF),
            Pin(board.PIN_READER_IRQ, Pin.IN, Pin.PULL_DOWN),
            self.ports.expanders,
            lambda gpio, output: Pin(gpio, Pin.OUT, value=1) if output else Pin(gpio, Pin.IN),
            emit,
            _ZONES,
        )
        self.calibration = Calibration(self.radio)
        self.calibration.load()
        self.scanner = Scanner(self.radio, TileRegistry(), emit)
        self.cycle = Cycle(self.ports, self.motors, self.scanner, self.safety, self.log, self.memory, emit)
        self.dice = Throws(self.motors, self.ports, DiceReader(self.scanner), emit, self.log)
        self.settings = Settings("settings", {"stacks": board.STACKS_A_SIDE, "sets": 1, "throws": 2})
        self.ports.on_input = self._on_input
        self.health = health.Health()
        self.service = self.technician = None  # loaded when first asked for
        self._commands()

    def _motors_off(self):
        try:
            self.motors.all_off()
        except DriverFault:
            pass  # the relay is open as well

    def _notice(self, text):
        self.seats.notice(text)

    def _on_input(self, bit, level):
        self.safety.on_input(bit, level)
        self.motors.on_input(bit, level)
        if bit == board.IN_SERVICE_KEY:
            self._key(level)
        elif self.service is not None:
            self.service.on_input(bit, level)
        self.seats.on_input(bit, level)

    def _pressed(self, seat, button):
        if button in ("raise", "refill"):
            if not self.cycle.in_play:
                self.dice.reset()
            self.cycle.press(button)
        elif button == "dice":
            if self.cycle.in_play and self.safety.ready():
                self.dice.press()
        elif button == "win":
            self.seats.lamp(seat, board.LAMP_WIN, 1)
            asyncio.create_task(self.scanner.read_seat(seat))
        elif button == "referee":
            self.seats.lamp(seat, board.LAMP_REFEREE, 1)

    def _commands(self):
        link, seats = self.link, self.seats

        def display(seat, text):
            seats.text(seat, bytes(text).decode())

        def lamp(seat, number, mode):
            seats.lamp(seat, number, mode)

        def memory():
            gc.collect()
            return gc.mem_alloc(), gc.mem_free()

        def dealer(seat):
            self.notices.dealer = seat

        link.on("memory", memory)
        link.on("beep", seats.beep)
        link.on("setup", self._setup)
        link.on("dealer", dealer)
        link.on("display", display)
        link.on("lamp", lamp)
        for name in ("jog", "home", "test"):
            link.on(name, self._services(name), self._services("lapsed"))
        for name in ("inputs", "counters", "forget"):
            link.on(name, self._services(name))
        link.on("fault_count", self.memory.faults)
        for name in ("zone", "conflict", "reader", "tag", "tag_write", "tag_password"):
            link.on(name, self._technicians(name))
        for name in ("noise_floor", "read_rate", "calibrate", "request"):
            link.on(name, self._technicians(name))
        link.on("workbench", self._technicians("workbench"), self._technicians("leave"))

    def _key(self, level):
        """The service key was turned: motion by command, and none by the console's buttons."""
        self.link.end.service = self.cycle.service = bool(level)
        if not level and self.service is not None:
            self.service.stop()

    def _services(self, name):
        """A handler of the service module, which is loaded when one is first called."""

        def handler(*arguments):
            if self.service is None:
                from .service import Service

                self.service = Service(self.cycle, self.motors, self.ports, self.safety, self.memory, self.log)
            return getattr(self.service, name)(*arguments)

        return handler

    def _technicians(self, name):
        """A handler of the technician's module, which is loaded when one is first called."""

        def handler(*arguments):
            if self.technician is None:
                from .technician import Technician

                self.technician = Technician(self.scanner, self.cycle, self.ports, self.seats, self.calibration)
            return getattr(self.technician, name)(*arguments)

        return handler

    def setup(self):
        """Self-test of the chips. What does not answer keeps the motors off; the table reads on as far as it can."""
        self._down = 0
        for n, chip_setup in enumerate((self.ports.setup, self.motors.setup, self.seats.setup)):
            try:
                chip_setup()
            except DriverFault as e:
                print(e)
                self._down = n + 1
        return not self._down

    def _setup(self, stacks, sets, throws):
        """The `setup` command: the next wall's settings. Flash is written, so nothing may move."""
        if self.motors.anything_on or self.cycle.moving:
            raise CommandError(BUSY)
        self.settings.save(stacks=stacks, sets=sets, throws=throws)
        self._apply()

    def _apply(self):
        """Settings that do not fit the mechanics are refused: the defaults stand in. False then."""
        values = self.settings
        good = values["stacks"] in range(1, board.STACKS_A_SIDE + 1) and values["sets"] in (1, 2)
        good = good and values["throws"] in (1, 2)
        self.cycle.stacks = values["stacks"] if good else board.STACKS_A_SIDE
        self.cycle.sets = values["sets"] if good else 1
        self.notices.throws = values["throws"] if good else 2
        return good

    async def _start(self):
        """What the last stop has left behind decides whether the table may move at once."""
        was = self.cycle.interrupted()
        watchdog = self.reason == "watchdog"
        if not self._apply() or self.settings.damaged:
            self.log.warn(faults.CONFIG_BAD, 0, self.settings.damaged)
            for seat in range(4):
                self.seats.mark(seat, shown(faults.CONFIG_BAD, 0))
        axis = conflict(self.ports)
        if self._down:
            self.safety.trip(faults.CHIP_DOWN, self._down - 1)
        elif axis >= 0:
            self.safety.trip(faults.SENSOR_CONFLICT, axis)
        elif was is not None:
            self.safety.trip(
                faults.WDT_RESET if watchdog else faults.BROWNOUT, 0, self.memory.cells[LATE_TASK] if watchdog else 0
            )
        else:
            if watchdog:
                self.log.warn(faults.WDT_RESET, 0, self.memory.cells[LATE_TASK])
            if not self.log.restore():
                await self.safety.arm()
        self._key(self.ports.level(board.IN_SERVICE_KEY))

    def _gone(self, code, part):
        """Whether the cause of a latched fault is gone, as far as the table can see."""
        if code == faults.HAND_IN_THE_WAY:
            return self.cycle.in_play or not self.ports.level(board.IN_SURFACE_OBJECT)
        if code == faults.LIFT_OVERLOAD:
            return not self.ports.level(board.IN_CONSOLE_OBJECT)
        if code == faults.SENSOR_CONFLICT:
            return conflict(self.ports) < 0
        if code == faults.MOTOR_OVERTEMP:
            return self.motors.cool()
        return code != faults.CHIP_DOWN or self.setup()

    def _late(self, number):
        self.memory.cells[LATE_TASK] = number
        self.memory.save()

    async def run(self):
        beat = self.health.task
        self.health.on_late = self._late
        self.safety.causes.append(self._gone)
        self.link.heartbeat = beat("link", 2000)
        self.ports.heartbeat = beat("ports", 2000)
        self.cycle.heartbeat = beat("cycle", 90000)
        self.scanner.heartbeat = beat("scanner", 90000)
        self.motors.heartbeat = beat("motors", 2000)
        tasks = {
            "link": self.link.run(),
            "ports": self.ports.run(),
            "scanner": self._scan(),
            "motors": self.motors.run(),
            "cycle": self.cycle.run(),
            "dice": self.dice.run(),
            "health": self.health.run(health.watchdog()),
        }
        for name, coroutine in tasks.items():
            asyncio.create_task(self._guard(name, coroutine))
        await self._start()
        while True:
            await asyncio.sleep_ms(1000)
            self.notices.poll(self.scanner.conflicts, self.journal)

    async def _scan(self):
        await self.radio.start()
        await self.scanner.run()

    async def _guard(self, name, coroutine):
        """A task that dies stops the table safely and lets the watchdog restart it."""
        try:
            await coroutine
        except Exception as e:
            print("task", name)
            sys.print_exception(e)
        self.safety.trip(faults.TASK_DIED)
        self.health.task(name, -1)


def run():
    app = App()
    app.setup()
    gc.collect()
    # Early enough to keep the heap in one piece where it is small, seldom where there is plenty.
    gc.threshold(gc.mem_free() // 2)
    asyncio.run(app.run())
