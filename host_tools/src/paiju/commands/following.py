"""Turns a table's stored events into tracked hands, and keeps their records."""

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from paiju.folders import hand_log_file
from paiju.game.corrections import Correction
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.game.tracker import Report, Tracker
from paiju.store import CorrectionRow, HandRow, Store, StoreError, write_log
from paiju.table import Event


class Follower:
    """Follows one journal of one table.

    setup: of the hand after the last one on record; None takes what is stored of it, or lets the deal pass on. What a
    hand is played by is stored when it begins, so that every program derives it alike. tell(report, n) gets
    every report; n is the number of the hand on record for a `HandRecord`. `problem` says why a record could
    not be kept. A host that was restarted goes through the events and the corrections stored since the start of
    the last hand on record, so that it stands where it stood.
    """

    def __init__(
        self,
        store: Store,
        folder: Path,
        serial: str,
        journal_id: int,
        setup: Setup | None,
        tell: Callable[[Report, int | None], None],
    ) -> None:
        self.problem = ""
        self._store = store
        self._folder = folder
        self._stream = serial, journal_id
        self._tell = tell
        self._unsaved: HandRecord | None = None
        self._due: deque[CorrectionRow] = deque()
        self._heeded = 0
        done = [row for row in store.hands() if (row.serial, row.journal_id) == self._stream]
        last = HandRecord.from_json(done[-1].record) if done else None
        self._known = last.events[1] if last else 0
        self._position = last.events[0] - 1 if last else 0
        stored = {} if setup else _setups(store, *self._stream, self._position)
        self.tracker = Tracker(last.setup if last else setup, setups=stored)
        self.tracker.next_setup = setup if last else None
        self._begun = 0

    @property
    def position(self) -> int:
        """Number of the last event taken in."""
        return self._position

    def catch_up(self, before: int | None = None) -> None:
        """Take in what the store already holds, up to event number `before`."""
        last = None if before is None else before - 1
        self._due.extend(self._store.corrections(*self._stream, first=self._position + 1))
        self._heeded = max((row.n for row in self._due), default=0)
        self.follow(self._store.events(*self._stream, first=self._position + 1, last=last))

    def follow(self, events: Iterable[Event]) -> None:
        """Take in new events, in order; known ones are passed over."""
        if self._unsaved is not None:
            self._save(self._unsaved)
        for event in events:
            if event.seq <= self._position:
                continue
            self._correct_before(event.seq)
            self._position = event.seq
            reports = self.tracker.feed(event)
            if event.seq > self._known:
                self._keep_setup()
            for report in reports:
                if event.seq <= self._known:
                    continue
                n = self._save(report) if isinstance(report, HandRecord) else None
                self._tell(report, n)

        self._correct_before(self._position + 1)

    def _keep_setup(self) -> None:
        """Store what the present hand is played by, once it has begun."""
        tracker = self.tracker
        if tracker.hand is None or self._begun == tracker.first:
            return
        try:
            self._store.save_setup(*self._stream, tracker.first, tracker.expected.to_json())
        except StoreError as error:
            self.problem = str(error)
        else:
            self._begun = tracker.first

    def heed_corrections(self) -> None:
        """Apply what people have entered since, from this program or another one, in the hand at the table."""
        try:
            rows = self._store.corrections(*self._stream, first=max(self.tracker.first, 1), after=self._heeded)
        except StoreError as error:
            self.problem = str(error)
            return
        if rows:
            self._heeded = rows[-1].n
            self._due.extend(rows)
            self._correct_before(self._position + 1)

    def _correct_before(self, seq: int) -> None:
        """Apply the corrections made before event `seq`; a record is kept once the last one is applied."""
        record: HandRecord | None = None
        while self._due and self._due[0].at < seq:
            row = self._due.popleft()
            if row.first != self.tracker.first:
                continue
            try:
                reports = self.tracker.apply(Correction.from_json(row.body))
            except (KeyError, ValueError) as error:
                self.problem = str(error)
                continue
            for report in reports:
                if isinstance(report, HandRecord):
                    record = report
                elif row.at > self._known:
                    self._tell(report, None)
        if record is not None and not any(row.first == self.tracker.first for row in self._due):
            self._tell(record, self._save(record))

    def log_of(self, n: int) -> Path:
        return hand_log_file(self._folder, n)

    def _save(self, record: HandRecord) -> int | None:
        first, last = record.events
        try:
            n = self._store.save_hand(*self._stream, first, last, record.to_json())
            path = self.log_of(n)
            path.parent.mkdir(parents=True, exist_ok=True)
            events = self._store.events(*self._stream, first=first, last=last)
            write_log(path, *self._stream, events, {first: self.tracker.expected.to_json()})
        except (StoreError, OSError) as error:
            self._unsaved, self.problem = record, str(error)
            return None
        self._unsaved, self.problem = None, ""
        return n


def at_the_table(store: Store, folder: Path, serial: str, journal_id: int) -> Tracker:
    """The tracker of a table's present hand, derived from what is stored."""
    follower = Follower(store, folder, serial, journal_id, None, lambda _report, _n: None)
    follower.catch_up()
    return follower.tracker


def on_record(store: Store, row: HandRow) -> Tracker:
    """The tracker of a hand on record, derived again from its events, up to the next wall, and its corrections."""
    stream = row.serial, row.journal_id
    setup = HandRecord.from_json(row.record).setup
    tracker = Tracker(setup, setups=_setups(store, *stream, row.first))
    due = deque(entry for entry in store.corrections(*stream, first=row.first) if entry.first == row.first)
    for event in store.events(*stream, first=row.first):
        if event.seq > row.last and event.kind == "cycle" and event.fields["state"] == "raise":
            break
        while due and due[0].at < event.seq:
            _apply(tracker, due.popleft())
        tracker.feed(event)
    for entry in due:
        _apply(tracker, entry)
    return tracker


def _setups(store: Store, serial: str, journal_id: int, first: int) -> dict[int, Setup]:
    """What the hands from event `first` on are played by, as far as it is stored."""
    return {n: Setup.from_json(body) for n, body in store.setups(serial, journal_id, first).items()}


def _apply(tracker: Tracker, entry: CorrectionRow) -> None:
    with suppress(ValueError):  # it did not fit when it was made either
        tracker.apply(Correction.from_json(entry.body))


def keep_correction(
    store: Store, serial: str, journal_id: int, tracker: Tracker, correction: Correction
) -> HandRecord | None:
    """Let a correction stand in the hand that `tracker` derived, for good; returns the record if the hand has ended.

    Raises ValueError, with nothing kept, if it does not fit the hand, and StoreError.
    """
    reports = tracker.apply(correction)
    kept = tracker.corrections[-1]
    store.save_correction(serial, journal_id, tracker.first, kept.at, kept.to_json())
    record = next((report for report in reversed(reports) if isinstance(report, HandRecord)), None)
    if record is not None:
        first, last = record.events
        store.save_hand(serial, journal_id, first, last, record.to_json())
    return record
