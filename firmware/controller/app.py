"""Joins the parts: what runs on the table, and in which order it starts."""

import asyncio
import gc
import sys

import machine
from machine import I2C, SPI, UART, Pin

import board
from drivers.faults import DriverFault
from drivers.mb85rs2mt import Mb85rs2mt

from . import faults, health, radio
from .axes import Motors
from .cycle import Cycle
from .dice import DiceReader
from .faults import Fault
from .journal import Journal
from .link import Identity, Link
from .ports import Ports
from .safety import Safety
from .scanner import Scanner
from .seats import Seats
from .throws import Throws
from .tile_registry import TileRegistry

VERSION = (0, 1, 0)
# Zone -> (reader, antenna): the four of each seat, then the two die cups.
_ZONES = tuple((n // board.ZONES_A_SEAT, n % board.ZONES_A_SEAT) for n in range(board.ZONE_DICE)) + ((4, 0), (4, 1))
_REASONS = {machine.PWRON_RESET: "power_on", machine.WDT_RESET: "watchdog"}


class App:
    def __init__(self):
        aux = SPI(
            board.AUX_SPI,
            baudrate=board.AUX_BAUD,
            sck=Pin(board.PIN_AUX_SCK),
            mosi=Pin(board.PIN_AUX_MOSI),
            miso=Pin(board.PIN_AUX_MISO),
        )
        fram = Mb85rs2mt(aux, Pin(board.PIN_FRAM_CS, Pin.OUT, value=1))
        uart = UART(
            board.LINK_UART,
            baudrate=board.LINK_BAUD,
            tx=Pin(board.PIN_LINK_TX),
            rx=Pin(board.PIN_LINK_RX),
            txbuf=512,
            rxbuf=512,
            timeout=0,
        )
        self.journal = Journal(fram, board.FRAM_BYTES)
        self.link = Link(uart, self.journal, Identity(machine.unique_id(), VERSION))
        emit = self.link.emit
        reason = _REASONS.get(machine.reset_cause(), "reset")
        emit("boot", reason, self.journal.boot, VERSION[0] << 16 | VERSION[1] << 8 | VERSION[2])

        i2c = I2C(board.PANEL_I2C, scl=Pin(board.PIN_I2C_SCL), sda=Pin(board.PIN_I2C_SDA), freq=board.PANEL_FREQ)
        self.ports = Ports(
            aux, Pin(board.PIN_EXPANDER_CS, Pin.OUT, value=1), Pin(board.PIN_EXPANDER_INT, Pin.IN, Pin.PULL_UP)
        )
        self.safety = Safety(self.ports, emit, self._motors_off)
        self.motors = Motors(i2c, self.ports, self.safety.ready)
        rf = SPI(
            board.RF_SPI,
            baudrate=board.RF_BAUD,
            sck=Pin(board.PIN_RF_SCK),
            mosi=Pin(board.PIN_RF_MOSI),
            miso=Pin(board.PIN_RF_MISO),
        )
        self.radio = radio.build(
            board.READERS,
            rf,
            Pin(board.PIN_READER_IRQ, Pin.IN, Pin.PULL_DOWN),
            self.ports.expanders,
            lambda gpio, output: Pin(gpio, Pin.OUT, value=1) if output else Pin(gpio, Pin.IN),
            emit,
            _ZONES,
        )
        self.scanner = Scanner(self.radio, TileRegistry(), emit)
        self.cycle = Cycle(self.ports, self.motors, self.scanner, self.safety, emit)
        self.dice = Throws(self.motors, self.ports, DiceReader(self.scanner), emit)
        self.seats = Seats(i2c, emit, self._pressed)
        self.ports.on_input = self._on_input
        self.health = health.Health()
        self._commands()

    def _motors_off(self):
        try:
            self.motors.all_off()
        except DriverFault:
            pass  # the relay is open as well

    def _on_input(self, bit, level):
        self.safety.on_input(bit, level)
        self.seats.on_input(bit, level)

    def _pressed(self, seat, button):
        if button in ("raise", "refill"):
            self.dice.reset()
            self.cycle.press(button)
        elif button == "dice":
            if self.cycle.state == "ready":
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

        link.on("memory", memory)
        link.on("display", display)
        link.on("lamp", lamp)

    def setup(self):
        """Self-test of the chips: each that does not answer is a fault event; the table runs as far as it can."""
        for n, part in enumerate((self.ports, self.motors, self.seats)):
            try:
                part.setup()
            except DriverFault as e:
                print(e)
                self.link.emit("fault", faults.CHIP_DOWN, n, 0)

    async def run(self):
        beat = self.health.task
        self.link.heartbeat = beat("link", 2000)
        self.ports.heartbeat = beat("ports", 2000)
        self.cycle.heartbeat = beat("cycle", 90000)
        self.scanner.heartbeat = beat("scanner", 90000)
        tasks = {
            "link": self.link.run(),
            "ports": self.ports.run(),
            "scanner": self._scan(),
            "cycle": self.cycle.run(),
            "dice": self.dice.run(),
            "health": self.health.run(health.watchdog()),
        }
        for name, coroutine in tasks.items():
            asyncio.create_task(self._guard(name, coroutine))
        try:
            await self.safety.arm()
        except Fault:
            pass
        while True:
            await asyncio.sleep_ms(60000)

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
    asyncio.run(app.run())
