"""Chips of the table at register level, one a file. They meet the firmware only at buses and wires."""

from typing import Protocol


class SpiDevice(Protocol):
    """A chip on an SPI bus; `transfer` is only called between `select` and `deselect`."""

    def select(self) -> None: ...

    def transfer(self, data: bytes) -> bytes:
        """Full duplex: as many bytes back as were sent."""
        ...

    def deselect(self) -> None: ...


class I2cDevice(Protocol):
    """A chip on the I2C bus, one transaction a call."""

    def write(self, data: bytes) -> bool:
        """True when the chip acknowledged."""
        ...

    def read(self, count: int) -> bytes: ...
