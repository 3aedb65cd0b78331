"""The table's milliseconds told in the host's time, with how far that may be off."""

from __future__ import annotations

from collections import deque

DRIFT = 100e-6  # two crystals at ±50 ppm
KEEP = 64


class ClockSync:
    """Keeps question-and-answer samples of one boot and trusts the tightest.

    The answer was made between question and arrival, so half the round trip bounds the error (plus the table's
    resolution of 1 ms); age adds drift.
    """

    def __init__(self) -> None:
        self.round_trip = 0.0  # s, of the last sample
        self._samples: deque[tuple[float, float, float]] = deque(maxlen=KEEP)  # arrival, offset, bound

    def sample(self, sent: float, arrived: float, t_ms: int) -> None:
        """The table said `t_ms` in answer to a question of `sent`, heard at `arrived` (s)."""
        self.round_trip = arrived - sent
        offset = (sent + arrived) / 2 - t_ms / 1000
        self._samples.append((arrived, offset, self.round_trip / 2 + 0.001))

    def offset(self, now: float) -> tuple[float, float] | None:
        """(host seconds at the table's zero, uncertainty in s) as known at `now`; None before any sample."""
        if not self._samples:
            return None
        best = min(self._samples, key=lambda s: s[2] + (now - s[0]) * DRIFT)
        return best[1], best[2] + (now - best[0]) * DRIFT
