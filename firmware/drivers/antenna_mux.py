"""Antenna multiplexer of a reader: two address bits and an enable bit on a port expander."""


class AntennaMux:
    """`expander` drives the lines; the bits are port bits 0-15 of it. Without enable no antenna is connected."""

    def __init__(self, expander, address_0, address_1, enable):
        self._expander = expander
        self._a0 = 1 << address_0
        self._a1 = 1 << address_1
        self._enable = 1 << enable
        self._all = self._a0 | self._a1 | self._enable
        self.antenna = -1

    def select(self, antenna):
        """Connect antenna 0-3; the reader's field must be off."""
        if antenna != self.antenna:
            value = self._enable
            if antenna & 1:
                value |= self._a0
            if antenna & 2:
                value |= self._a1
            self._expander.write_mask(self._all, value)
            self.antenna = antenna

    def off(self):
        self._expander.write_mask(self._all, 0)
        self.antenna = -1
