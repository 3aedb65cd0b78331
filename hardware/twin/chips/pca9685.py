"""NXP PCA9685: 16 channels of 12-bit PWM on I2C. Source: PCA9685 data sheet rev. 4, section 7.3."""

from __future__ import annotations

from collections.abc import Callable

from twin.clock import Clock

MODE1, MODE2, LED0, ALL_LED, PRE_SCALE = 0x00, 0x01, 0x06, 0xFA, 0xFE
RESTART, AUTO_INCREMENT, SLEEP = 0x80, 0x20, 0x10
FULL = 0x10  # bit 4 of ON_H and OFF_H: full on, full off
OSCILLATOR_HZ = 25_000_000


class Pca9685:
    """`on_duty(channel, duty)` is told of every change of a channel, duty 0..4095 (4095 also for full on)."""

    def __init__(self, clock: Clock, on_duty: Callable[[int, int], None]) -> None:
        self._clock = clock
        self._on_duty = on_duty
        self.duties = [0] * 16
        self.power_on_reset()

    def power_on_reset(self) -> None:
        """Registers as after power-on, asleep; every output goes off."""
        self._registers = bytearray(256)
        self._registers[MODE1], self._registers[MODE2] = 0x11, 0x04
        self._registers[2:6] = b"\xe2\xe4\xe8\xe0"
        for channel in range(16):
            self._registers[LED0 + 4 * channel + 3] = FULL
        self._registers[PRE_SCALE] = 0x1E
        self._pointer = 0
        self._held = [False] * 16  # stopped by sleep, waiting for RESTART or new values
        self._update()

    @property
    def freq_hz(self) -> float:
        return OSCILLATOR_HZ / (4096 * (self._registers[PRE_SCALE] + 1))

    def write(self, data: bytes) -> bool:
        if data:
            self._pointer = data[0]
            for value in data[1:]:
                self._store(self._pointer, value)
                self._step()
            self._update()
        return True

    def read(self, count: int) -> bytes:
        out = bytearray()
        for _ in range(count):
            # The ALL_LED registers read as zero.
            out.append(0 if ALL_LED <= self._pointer < PRE_SCALE else self._registers[self._pointer])
            self._step()
        return bytes(out)

    def _step(self) -> None:
        if self._registers[MODE1] & AUTO_INCREMENT:
            last = self._pointer in (0x45, 0xFF)
            self._pointer = 0 if last else self._pointer + 1

    def _store(self, register: int, value: int) -> None:
        registers = self._registers
        if register == MODE1:
            self._mode(value)
        elif register == PRE_SCALE:
            if registers[MODE1] & SLEEP:
                registers[PRE_SCALE] = max(value, 3)
        elif ALL_LED <= register < PRE_SCALE:
            for channel in range(16):
                registers[LED0 + 4 * channel + register - ALL_LED] = value
            self._held = [False] * 16
        elif register <= 0x45:
            registers[register] = value
            if register >= LED0:
                self._held[(register - LED0) // 4] = False

    def _mode(self, value: int) -> None:
        old = self._registers[MODE1]
        new = value & 0x7F | old & RESTART
        if value & SLEEP and not old & SLEEP:
            self._held = [duty > 0 for duty in self.duties]
            if any(self._held):
                new |= RESTART
        if value & RESTART and old & RESTART and not value & SLEEP:
            self._held = [False] * 16
            new &= ~RESTART
        self._registers[MODE1] = new

    def _update(self) -> None:
        """Outputs change at the stop condition (MODE2.OCH = 0)."""
        asleep = bool(self._registers[MODE1] & SLEEP)
        for channel in range(16):
            duty = 0 if asleep or self._held[channel] else self._duty(channel)
            if duty != self.duties[channel]:
                self.duties[channel] = duty
                self._on_duty(channel, duty)

    def _duty(self, channel: int) -> int:
        at = LED0 + 4 * channel
        on_low, on_high, off_low, off_high = self._registers[at : at + 4]
        if off_high & FULL:
            return 0
        if on_high & FULL:
            return 4095
        return (((off_high & 0x0F) << 8 | off_low) - ((on_high & 0x0F) << 8 | on_low)) % 4096
