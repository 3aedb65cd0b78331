"""What the technician has measured of each zone's antenna, kept on flash: [threshold, margin, noise floor, day, power].

Thresholds are levels of the receiver (0-15), margins so many levels above; days count from 2000-01-01. The power is
a signed trim, 0 as the reader comes, whose size is the reader's own; values stored before there was one have none.
"""

from .settings import Settings

_NONE = (0, 0, 0, 0, 0)


class Calibration:
    """`load` sets thresholds and powers of `radio`; a zone that was never calibrated keeps the default."""

    def __init__(self, radio):
        self._radio = radio
        self._settings = Settings("radio", {})

    def load(self):
        radio = self._radio
        for zone in range(len(radio.levels)):
            level, _, _, _, power = self.of(zone)
            if 0 < level < 16:
                radio.levels[zone] = level
            if -128 <= power < 128:
                radio.powers[zone] = power

    def of(self, zone):
        """(threshold, margin, noise floor, day, power)."""
        kept = self._settings.values.get(str(zone), ())
        return tuple(kept) + _NONE[len(kept) :]

    def keep(self, zone, level, margin, floor, day, power):
        """Durable on return. Raises SettingsError, OSError."""
        self._settings.save(**{str(zone): [level, margin, floor, day, power]})
        self._radio.levels[zone] = level
        self._radio.powers[zone] = power
