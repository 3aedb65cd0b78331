"""The table's sending side: cumulative acknowledgement, a window, and resending by measured round-trip time.

Go-back-n over the journal: nothing that is under way is held in memory.
"""

from tablelink import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablelink import kinds

WINDOW = 256  # most events sent and not yet acknowledged
_WINDOW_LEAST = 16
_BATCHES = 16  # a window goes out in at least so many frames: a bad wire gets short ones
_RTO_FIRST = 300  # ms
_RTO_LEAST = 40
_RTO_MOST = 2000


class Sender:
    """Sends what `journal` retains from `start` on. Times are ms that never wrap."""

    def __init__(self, journal: "kinds.EventSource") -> None:
        self._journal = journal
        self.running = False
        self.base = 1  # oldest not acknowledged
        self.next = 1  # next to send
        self.high = 0  # highest ever sent in this session
        self.resends = 0  # events sent again
        self.round_trip = 0  # smoothed, ms
        self.longest_stall = 0  # longest time without progress while events were out, ms
        self._variation = 0
        self._usual = _RTO_FIRST  # time-out by the round trips measured
        self._timeout = _RTO_FIRST  # twice as long after each that ran out in vain
        self._deadline = 0
        self._timed = 0  # number whose acknowledgement is being timed, 0 for none
        self._timed_at = 0
        self._progress_at = 0
        self._rewound = -1
        self._window = WINDOW

    def start(self, stored: int, now: int) -> None:
        """Begin a session with a host that has everything up to `stored`."""
        self.running = True
        self.base = self.next = stored + 1
        self.high = stored
        self._timed = 0
        self._timeout = self._usual
        self._progress_at = now
        self._rewound = -1
        self._window = WINDOW

    def stop(self) -> None:
        self.running = False

    def acknowledge(self, stored: int, missing: bool, now: int) -> bool:
        """The host has stored everything up to `stored`; False if that was never sent in this session."""
        if stored > self.high:
            return False
        if stored >= self.base:
            self._note_stall(now)
            self._window = min(self._window + (stored - self.base) // 4 + 1, WINDOW)
            self.base = stored + 1
            if self.next < self.base:
                self.next = self.base
            self._progress_at = now
            if self._timed and stored >= self._timed:
                self._measure(now - self._timed_at)
                self._timed = 0
            elif self._timeout > self._usual:
                # Resent events are not timed; without this a bad wire would keep the longest time-out for ever.
                self._timeout = max(self._timeout // 2, self._usual)
            self._deadline = now + self._timeout
        if missing and stored == self.base - 1 and self.next > self.base and self._rewound != self.base:
            # Once for each place; a second loss there waits for the time-out.
            self._rewound = self.base
            self._rewind()
        return True

    def due(self, now: int) -> bool:
        """Whether `fill` has something to write."""
        if not self.running:
            return False
        if self.next > self.base and now >= self._deadline:
            self._note_stall(now)
            self._timeout = min(2 * self._timeout, _RTO_MOST)
            self._rewind()
        return self.next <= self._journal.last and self.next - self.base < self._window

    def fill(self, buf: bytearray, at: int, limit: int, now: int) -> int:
        """Pack records into `buf[at:limit]` as `due` allows; returns the end."""
        journal = self._journal
        if self.next == self.base:
            self._deadline = now + self._timeout
            self._progress_at = now
        limit -= messages.RECORD_LIMIT
        left = self._window // _BATCHES
        while left and at <= limit and self.next <= journal.last and self.next - self.base < self._window:
            left -= 1
            seq = self.next
            size = journal.read(seq, buf, at)
            last = seq if size else self._gap(seq, buf, at)
            at += size or _GAP_SIZE
            if seq <= self.high:
                self.resends += 1
            elif not self._timed:
                self._timed = last
                self._timed_at = now
            self.high = max(self.high, last)
            self.next = last + 1
        return at

    def _gap(self, seq: int, buf: bytearray, at: int) -> int:
        """Write the gap record that begins with `seq`; returns the last number it stands for."""
        journal = self._journal
        if seq >= journal.first:
            last, reason = seq, messages.UNREADABLE
        elif seq <= journal.acknowledged:
            last, reason = min(journal.acknowledged, journal.first - 1), messages.DELIVERED
        else:
            last, reason = journal.first - 1, messages.OVERWRITTEN
        messages.RECORD.pack_into(buf, at, last, 0, journal.boot, messages.GAP.number)
        messages.GAP.pack_into(buf, at + messages.RECORD.size, seq, last, reason)
        return last

    def _rewind(self) -> None:
        self.next = self.base
        self._window = max(self._window // 2, _WINDOW_LEAST)
        self._timed = 0  # an answer to a resent event could be to either copy (Karn)

    def _measure(self, sample: int) -> None:
        """Smooth the round trip and its variation as RFC 6298 does."""
        if self.round_trip:
            self._variation += (abs(sample - self.round_trip) - self._variation) // 4
            self.round_trip += (sample - self.round_trip) // 8
        else:
            self.round_trip = sample
            self._variation = sample // 2
        self._usual = self._timeout = min(max(self.round_trip + 4 * self._variation, _RTO_LEAST), _RTO_MOST)

    def _note_stall(self, now: int) -> None:
        if self.next > self.base:
            self.longest_stall = max(self.longest_stall, now - self._progress_at)


_GAP_SIZE = messages.RECORD.size + messages.GAP.size
