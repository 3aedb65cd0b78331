"""What the technician has measured of each zone's antenna, kept on flash: [threshold, margin, noise floor, day].

Thresholds are levels of the receiver (0-15), margins so many levels above; days count from 2000-01-01.
"""

from .settings import Settings

_NONE = (0, 0, 0, 0)


class Calibration:
    """`load` sets the thresholds of `radio`; a zone that was never calibrated keeps the default."""

    def __init__(self, radio):
        self._radio = radio
        self._settings = Settings("radio", {})

    def load(self):
        levels = self._radio.levels
        for zone in range(len(levels)):
            level = self.of(zone)[0]
            if 0 < level < 16:
                levels[zone] = level

    def of(self, zone):
        return self._settings.values.get(str(zone), _NONE)

    def keep(self, zone, level, margin, floor, day):
        """Durable on return. Raises SettingsError, OSError."""
        self._settings.save(**{str(zone): [level, margin, floor, day]})
        self._radio.levels[zone] = level
