"""The controller board of hardware/board.toml: chips on buses, wires to the world."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import partial, reduce
from operator import and_
from pathlib import Path
from typing import Any

from twin.air import Air
from twin.chips import I2cDevice, SpiDevice
from twin.chips.ht16k33 import Ht16k33
from twin.chips.mb85rs2mt import Mb85rs2mt
from twin.chips.mcp23s17 import Mcp23s17
from twin.chips.mcp3208 import Mcp3208
from twin.chips.mux import AntennaMux
from twin.chips.pca9685 import Pca9685
from twin.chips.pn5180 import Pn5180
from twin.chips.uart import Uart
from twin.clock import Clock
from twin.signal import Signal

HARDWARE = Path(__file__).parent.parent


def load(name: str) -> dict[str, Any]:
    """`hardware/NAME.toml` as a dictionary."""
    with (HARDWARE / f"{name}.toml").open("rb") as f:
        return tomllib.load(f)


class SpiBus:
    """Chips that share clock and data; each listens while its select line is low."""

    def __init__(self) -> None:
        self._selected: list[SpiDevice] = []

    def attach(self, select: Signal, device: SpiDevice) -> None:
        def chosen(level: int) -> None:
            if level:
                self._selected.remove(device)
                device.deselect()
            else:
                self._selected.append(device)
                device.select()

        select.level = 1
        select.watch(chosen)

    def transfer(self, data: bytes) -> bytes:
        """MISO is pulled up; chips that drive it pull it down."""
        if len(self._selected) == 1:
            return self._selected[0].transfer(data)
        answers = [device.transfer(data) for device in self._selected]
        return bytes(reduce(and_, bits, 0xFF) for bits in zip(*answers, strict=True)) or b"\xff" * len(data)


class Motor:
    """A motor behind its H-bridge; `drive` is the signed share of full power, 0 without the relay."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.drive = 0.0
        self.duty = 0  # 0-4095, as the PWM chip has it
        self._watchers: list[Callable[[float], None]] = []

    def watch(self, fn: Callable[[float], None]) -> None:
        self._watchers.append(fn)

    def apply(self, reverse: int, powered: int) -> None:
        drive = self.duty / 4095 * (-1 if reverse else 1) if powered else 0.0
        if drive != self.drive:
            self.drive = drive
            for fn in self._watchers:
                fn(drive)


class Board:
    """Everything between the controller's pins and the world."""

    def __init__(self, clock: Clock, air: Air, fram: bytearray | None = None) -> None:
        spec = load("board")
        self.spec = spec
        self.clock = clock
        self.unique_id = "E6 60 58 38 83 4A 2B 21"
        self.gpio: dict[int, Signal] = {}
        self._levels = 0
        self.uart = Uart(clock)
        self.spi = {spec["spi"]["rf"]["id"]: SpiBus(), spec["spi"]["aux"]["id"]: SpiBus()}
        pins = spec["pins"]

        expander_int = self._wire(pins["expander_int"], 1)
        self.expanders: dict[str, Mcp23s17] = {}
        for address, name in enumerate(spec["expanders"]["names"]):
            line = Signal(f"{name}.int", 1)
            chip = Mcp23s17(clock, address, line)
            self.expanders[name] = chip
            self._aux.attach(self._wire(pins["expander_cs"], 1), chip)
            line.watch(lambda _: expander_int.set(min(c.interrupt.level for c in self.expanders.values())))
        self.inputs = {name: self.port(bit) for name, bit in spec["inputs"].items()}
        self.outputs = {name: self.port(bit) for name, bit in spec["outputs"].items()}

        reader_irq = self._wire(pins["reader_irq"], 0)
        self.readers: list[Pn5180] = []
        irqs: list[Signal] = []
        for index, r in enumerate(spec["reader"]):
            irq = Signal(f"{r['name']}.irq")
            irqs.append(irq)
            irq.watch(lambda _: reader_irq.set(max(i.level for i in irqs)))
            radio = air.radio(index)
            a0, a1, enable = (self.port(bit) for bit in r["mux"])
            AntennaMux(a0, a1, enable, radio)
            chip_ = Pn5180(clock, r["name"], self._wire(r["busy"], 0), irq, self.port(r["reset"]), radio)
            self.spi[spec["spi"]["rf"]["id"]].attach(self._wire(r["cs"], 1), chip_)
            self.readers.append(chip_)

        self.fram = fram if fram is not None else bytearray(spec["fram"]["bytes"])
        self._aux.attach(self._wire(pins["fram_cs"], 1), Mb85rs2mt(self.fram))

        self.current_ma = dict.fromkeys(spec["adc"]["channels"], 0.0)
        channels = spec["adc"]["channels"]
        self.rail_v = 24.0

        def read_mv(channel: int) -> int:
            if channels[channel] == "rail":
                return int(self.rail_v * 1000 / 11)
            return int(self.current_ma[channels[channel]] * spec["adc"]["mv_per_amp"] / 1000)

        self._aux.attach(self._wire(pins["adc_cs"], 1), Mcp3208(read_mv))

        self.motors = {name: Motor(name) for name in spec["pwm"]["channels"]}
        by_channel = {(chip, ch): self.motors[name] for name, (chip, ch) in spec["pwm"]["channels"].items()}
        self._i2c: dict[int, I2cDevice] = {}
        self.pwm: list[Pca9685] = []
        for number, address in enumerate(spec["pwm"]["addresses"]):

            def on_duty(channel: int, duty: int, number: int = number) -> None:
                motor = by_channel.get((number, channel))
                if motor is not None:
                    motor.duty = duty
                    self._drive(motor)

            self.pwm.append(Pca9685(clock, on_duty))
            self._i2c[address] = self.pwm[-1]
        self.panels = [Ht16k33() for _ in spec["panel"]["addresses"]]
        self._i2c.update(zip(spec["panel"]["addresses"], self.panels, strict=True))

        self._direction: dict[str, Signal] = {}
        for name, motor in self.motors.items():
            axis, _, side = name.partition("_")
            wire = self.outputs[f"{axis}_dir_{side}" if side else f"{axis}_dir"]
            self._direction[name] = wire
            wire.watch(partial(self._turned, motor))
        self.inputs["relay_closed"].watch(self._relay)

    @property
    def _aux(self) -> SpiBus:
        return self.spi[self.spec["spi"]["aux"]["id"]]

    def _wire(self, gpio: int, level: int) -> Signal:
        if gpio not in self.gpio:
            wire = self.gpio[gpio] = Signal(f"GP{gpio}", level)
            self._levels |= level << gpio

            def changed(level: int) -> None:
                self._levels = self._levels & ~(1 << gpio) | level << gpio

            wire.watch(changed)
        return self.gpio[gpio]

    def _drive(self, motor: Motor) -> None:
        motor.apply(self._direction[motor.name].level, self.inputs["relay_closed"].level)

    def _turned(self, motor: Motor, _: int) -> None:
        self._drive(motor)

    def _relay(self, _: int) -> None:
        for motor in self.motors.values():
            self._drive(motor)

    def port(self, bit: str) -> Signal:
        """The wire of an expander bit such as `u1.a0`."""
        chip, pin = bit.split(".")
        return self.expanders[chip].pins[pin]

    @property
    def levels(self) -> int:
        """Levels of all GPIO, one bit each."""
        return self._levels

    def i2c_write(self, address: int, data: bytes) -> bool:
        device = self._i2c.get(address)
        return device is not None and device.write(data)

    def i2c_read(self, address: int, count: int) -> bytes:
        device = self._i2c.get(address)
        return b"" if device is None else device.read(count)

    def controller_reset(self) -> None:
        """The controller alone restarts: its pins float, select lines are pulled up, other chips keep their state."""
        for gpio in [*(self.spec["pins"][n] for n in ("fram_cs", "expander_cs", "adc_cs")),
                     *(r["cs"] for r in self.spec["reader"])]:  # fmt: skip
            self.gpio[gpio].set(1)
        self.uart.open(115200, 256, 256)

    def power_cut(self) -> None:
        """All supplies fail: every chip forgets what is not FRAM or tag memory."""
        self.controller_reset()
        for expander in self.expanders.values():
            expander.power_on_reset()
        for pwm in self.pwm:
            pwm.power_on_reset()
        for panel in self.panels:
            panel.power_on_reset()
