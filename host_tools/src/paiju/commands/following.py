"""Turns a table's stored events into tracked hands, and keeps their records."""

from collections.abc import Callable, Iterable
from pathlib import Path

from paiju.folders import hand_log_file
from paiju.game.position import Setup
from paiju.game.record import HandRecord
from paiju.game.tracker import Report, Tracker
from paiju.store import Store, StoreError, write_log
from paiju.table import Event


class Follower:
    """Follows one journal of one table.

    setup: of the next hand; None lets the deal pass on from the last hand on record. tell(report, n) gets
    every report; n is the number of the hand on record for a `HandRecord`. `problem` says why a record could
    not be kept. A host that was restarted goes through the events stored since the start of the last hand on
    record, so that it stands where it stood.
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
        done = [row for row in store.hands() if (row.serial, row.journal_id) == self._stream]
        last = HandRecord.from_json(done[-1].record) if done else None
        self._known = last.events[1] if last else 0
        self._position = last.events[0] - 1 if last else 0
        self.tracker = Tracker(last.setup if last else setup)
        self.tracker.next_setup = setup if last else None

    def catch_up(self, before: int | None = None) -> None:
        """Take in what the store already holds, up to event number `before`."""
        last = None if before is None else before - 1
        self.follow(self._store.events(*self._stream, first=self._position + 1, last=last))

    def follow(self, events: Iterable[Event]) -> None:
        """Take in new events, in order; known ones are passed over."""
        if self._unsaved is not None:
            self._save(self._unsaved)
        for event in events:
            if event.seq <= self._position:
                continue
            self._position = event.seq
            for report in self.tracker.feed(event):
                if event.seq <= self._known:
                    continue
                n = self._save(report) if isinstance(report, HandRecord) else None
                self._tell(report, n)

    def log_of(self, n: int) -> Path:
        return hand_log_file(self._folder, n)

    def _save(self, record: HandRecord) -> int | None:
        first, last = record.events
        try:
            n = self._store.save_hand(*self._stream, first, last, record.to_json())
            path = self.log_of(n)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_log(path, *self._stream, self._store.events(*self._stream, first=first, last=last))
        except (StoreError, OSError) as error:
            self._unsaved, self.problem = record, str(error)
            return None
        self._unsaved, self.problem = None, ""
        return n
