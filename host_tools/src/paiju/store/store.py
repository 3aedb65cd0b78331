"""The write-ahead store: an event and the number that acknowledges it are committed together."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, func, insert, inspect, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session

from paiju.i18n import _
from paiju.store.log import write_log
from paiju.store.models import VERSION, Base, Clock, CorrectionModel, EventRow, HandModel, Meta, SetupModel, Stream
from paiju.table.events import Event, parse

Record = dict[str, Any]
_UNWRITABLE = ("readonly", "read-only", "permi", "unable to open", "no such file", "not a directory", "file exists")


class StoreError(Exception):
    """The store cannot be used; the message is one sentence for the operator."""


@dataclass(frozen=True, slots=True)
class StreamRow:
    """One journal of one table and how far it is stored."""

    serial: str
    journal_id: int
    acknowledged: int
    events: int


@dataclass(frozen=True, slots=True)
class TimedEvent:
    """An event with the host's wall clock (s since 1970) and how far that may be off; None where unknown."""

    event: Event
    wall: float | None
    uncertainty: float | None


@dataclass(frozen=True, slots=True)
class HandRow:
    """One hand on record; `n` is its number, which all its revisions share."""

    n: int
    serial: str
    journal_id: int
    first: int
    last: int
    revision: int
    saved: float
    record: Record


@dataclass(frozen=True, slots=True)
class CorrectionRow:
    """What a person changed in the hand that begins with event `first`, when event `at` was the last known.

    made: s since 1970; body: `game.corrections.Correction` as JSON.
    """

    n: int
    first: int
    at: int
    made: float
    body: Record


class Store:
    """Opens or makes the store at a path or an SQLAlchemy URL; raises StoreError."""

    def __init__(self, url_or_path: str | Path) -> None:
        name = str(url_or_path)
        self.url = name if "://" in name else f"sqlite:///{Path(name).absolute()}"
        self.path = self.url.removeprefix("sqlite:///")
        try:
            if self.url.startswith("sqlite:///"):
                Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            self._engine = _engine(self.url)
            try:
                version = self._prepare()
            except DBAPIError:
                version = self._prepare()  # another program was making the same store just now
        except (OSError, SQLAlchemyError) as error:
            raise StoreError(self._sentence(error)) from error
        if version != VERSION:
            raise StoreError(
                _("The store {path} was made by another version of this tool ({version}); update the tool.").format(
                    path=self.path, version=version
                )
            )
        self._ids: dict[tuple[str, int], int] = {}

    def close(self) -> None:
        self._engine.dispose()

    def _prepare(self) -> int:
        """Make the tables where they are missing; returns the version of what is there."""
        Base.metadata.create_all(self._engine)
        with Session(self._engine) as session:
            version = session.scalar(select(Meta.version))
            if version is None:
                session.add(Meta(version=VERSION))
                session.commit()
                return VERSION
            if version < VERSION:
                if version == 1:
                    _number_hands(session)
                session.execute(update(Meta).values(version=VERSION))
                session.commit()
                return VERSION
        return int(version)

    def append(self, serial: str, journal_id: int, records: Sequence[bytes], ack: int) -> None:
        """Store event records of one journal and that everything up to `ack` is stored, all or nothing."""
        now = time.time()
        try:
            with self._engine.begin() as connection:
                stream = self._stream(connection, serial, journal_id)
                if records:
                    connection.execute(
                        insert(EventRow.__table__),  # type: ignore[arg-type]
                        [
                            {
                                "stream_id": stream,
                                "seq": int.from_bytes(record[:4], "little"),
                                "record": record,
                                "received": now,
                            }
                            for record in records
                        ],
                    )
                connection.execute(update(Stream).where(Stream.id == stream).values(acknowledged=ack))
        except SQLAlchemyError as error:
            self._ids.pop((serial, journal_id), None)
            raise StoreError(self._sentence(error)) from error

    def acknowledged(self, serial: str, journal_id: int) -> int:
        """How far this journal is stored; 0 for one never seen."""
        with self._reading() as session:
            query = select(Stream.acknowledged).where(Stream.serial == serial, Stream.journal_id == journal_id)
            return session.scalar(query) or 0

    def streams(self) -> list[StreamRow]:
        """Every journal of every table."""
        with self._reading() as session:
            query = select(Stream, func.count(EventRow.seq)).outerjoin(EventRow).group_by(Stream.id).order_by(Stream.id)
            return [StreamRow(s.serial, s.journal_id, s.acknowledged, n) for s, n in session.execute(query)]

    def events(
        self,
        serial: str | None = None,
        journal_id: int | None = None,
        first: int | None = None,
        last: int | None = None,
    ) -> Iterator[Event]:
        """Events in order of stream and number, as far as the arguments choose."""
        query = select(EventRow.record).join(Stream).order_by(EventRow.stream_id, EventRow.seq)
        if serial is not None:
            query = query.where(Stream.serial == serial)
        if journal_id is not None:
            query = query.where(Stream.journal_id == journal_id)
        if first is not None:
            query = query.where(EventRow.seq >= first)
        if last is not None:
            query = query.where(EventRow.seq <= last)
        with self._reading() as session:
            for record in session.scalars(query.execution_options(yield_per=1000)):
                yield parse(record)

    def save_clock(self, serial: str, journal_id: int, boot: int, zero: float, uncertainty: float) -> None:
        """Note the wall clock at the zero of a start's milliseconds, if it is the tightest known."""
        try:
            with Session(self._engine) as session, session.begin():
                stream = self._stream(session.connection(), serial, journal_id)
                row = session.get(Clock, (stream, boot))
                if row is None:
                    session.add(Clock(stream_id=stream, boot=boot, zero=zero, uncertainty=uncertainty))
                elif uncertainty <= row.uncertainty:
                    row.zero, row.uncertainty = zero, uncertainty
        except SQLAlchemyError as error:
            raise StoreError(self._sentence(error)) from error

    def timed_events(self, serial: str, journal_id: int, **limits: int) -> Iterator[TimedEvent]:
        """Events with their wall-clock time.

        A start that no host ever heard is placed between what came before and after it; then the uncertainty is
        half that interval.
        """
        with self._reading() as session:
            query = select(Clock).join(Stream).where(Stream.serial == serial, Stream.journal_id == journal_id)
            clocks = {c.boot: (c.zero, c.uncertainty) for c in session.scalars(query)}
        events = list(self.events(serial, journal_id, **limits))
        known = dict(clocks)
        span: dict[int, tuple[int, int]] = {}
        for e in events:
            if e.kind != "gap":
                low, high = span.get(e.boot, (e.t_ms, e.t_ms))
                span[e.boot] = min(low, e.t_ms), max(high, e.t_ms)
        boots = list(span)
        for i, boot in enumerate(boots):
            if boot in known:
                continue
            before = next((b for b in reversed(boots[:i]) if b in clocks), None)
            after = next((b for b in boots[i + 1 :] if b in clocks), None)
            if before is None or after is None:
                continue
            earliest = clocks[before][0] + span[before][1] / 1000
            latest = clocks[after][0] - span[boot][1] / 1000
            known[boot] = (earliest + latest) / 2, max(latest - earliest, 0.0) / 2
        for e in events:
            clock = None if e.kind == "gap" else known.get(e.boot)
            yield TimedEvent(e, clock[0] + e.t_ms / 1000, clock[1]) if clock else TimedEvent(e, None, None)

    def save_hand(self, serial: str, journal_id: int, first: int, last: int, record: Record) -> int:
        """Keep the record of a hand made from events `first` to `last`; returns its number.

        The same hand again (same first event) is kept under its number as the next revision, unless nothing changed.
        """
        try:
            with Session(self._engine) as session, session.begin():
                stream = self._stream(session.connection(), serial, journal_id)
                query = select(HandModel).where(HandModel.stream_id == stream, HandModel.first == first)
                row = session.scalar(query.order_by(HandModel.revision.desc()))
                if row is not None and row.record == record and row.last == last:
                    return row.number
                number = row.number if row else 1 + (session.scalar(select(func.max(HandModel.number))) or 0)
                new = HandModel(
                    number=number,
                    stream_id=stream,
                    first=first,
                    last=last,
                    revision=row.revision + 1 if row else 1,
                    saved=time.time(),
                    record=record,
                )
                session.add(new)
                return number
        except SQLAlchemyError as error:
            raise StoreError(self._sentence(error)) from error

    def hands(self) -> list[HandRow]:
        """The newest revision of every hand, oldest hand first."""
        newest: dict[tuple[int, int], HandRow] = {}
        with self._reading() as session:
            for hand, stream in session.execute(select(HandModel, Stream).join(Stream).order_by(HandModel.n)):
                newest[stream.id, hand.first] = _hand(hand, stream)
        return sorted(newest.values(), key=lambda row: row.n)

    def hand(self, n: int, revision: int | None = None) -> HandRow | None:
        """Hand number `n` in its last revision or the one named (from 1), None if there is none."""
        query = select(HandModel, Stream).join(Stream).where(HandModel.number == n)
        if revision is not None:
            query = query.where(HandModel.revision == revision)
        with self._reading() as session:
            found = session.execute(query.order_by(HandModel.revision.desc())).first()
            return _hand(found[0], found[1]) if found else None

    def save_setup(self, serial: str, journal_id: int, first: int, body: Record) -> None:
        """Keep what the hand that begins with event `first` is played by (`game.position.Setup` as JSON)."""
        try:
            with Session(self._engine) as session, session.begin():
                session.merge(
                    SetupModel(stream_id=self._stream(session.connection(), serial, journal_id), first=first, body=body)
                )
        except SQLAlchemyError as error:
            raise StoreError(self._sentence(error)) from error

    def setups(self, serial: str, journal_id: int, first: int = 0) -> dict[int, Record]:
        """What the hands from event `first` on are played by, by the number of their first events."""
        query = (
            select(SetupModel)
            .join(Stream)
            .where(Stream.serial == serial, Stream.journal_id == journal_id, SetupModel.first >= first)
            .order_by(SetupModel.first)
        )
        with self._reading() as session:
            return {row.first: dict(row.body) for row in session.scalars(query)}

    def save_correction(self, serial: str, journal_id: int, first: int, at: int, body: Record) -> int:
        """Keep what a person changed in the hand that begins with event `first`; returns its number."""
        try:
            with Session(self._engine) as session, session.begin():
                stream = self._stream(session.connection(), serial, journal_id)
                row = CorrectionModel(stream_id=stream, first=first, at=at, made=time.time(), body=body)
                session.add(row)
                session.flush()
                return row.n
        except SQLAlchemyError as error:
            raise StoreError(self._sentence(error)) from error

    def corrections(self, serial: str, journal_id: int, first: int = 0, after: int = 0) -> list[CorrectionRow]:
        """What people changed in the hands from event `first` on, oldest first; only those numbered above `after`."""
        query = (
            select(CorrectionModel)
            .join(Stream)
            .where(Stream.serial == serial, Stream.journal_id == journal_id)
            .where(CorrectionModel.first >= first, CorrectionModel.n > after)
            .order_by(CorrectionModel.n)
        )
        with self._reading() as session:
            return [CorrectionRow(row.n, row.first, row.at, row.made, dict(row.body)) for row in session.scalars(query)]

    def export_log(self, path: str | Path, serial: str | None = None, journal_id: int | None = None) -> int:
        """Write the raw events of one journal as JSON lines; the newest journal unless named. Returns their number."""
        streams = [s for s in self.streams() if serial in (None, s.serial) and journal_id in (None, s.journal_id)]
        if not streams:
            raise StoreError(_("The store {path} holds no events of that table.").format(path=self.path))
        stream = streams[-1].serial, streams[-1].journal_id
        return write_log(path, *stream, self.events(*stream), self.setups(*stream))

    def _stream(self, connection: Any, serial: str, journal_id: int) -> int:
        key = serial, journal_id
        known = self._ids.get(key)
        if known is None:
            query = select(Stream.id).where(Stream.serial == serial, Stream.journal_id == journal_id)
            known = connection.scalar(query)
            if known is None:
                added = connection.execute(insert(Stream).values(serial=serial, journal_id=journal_id, acknowledged=0))
                known = added.inserted_primary_key[0]
            self._ids[key] = known
        return int(known)

    def _reading(self) -> Session:
        return _Reading(self._engine, self._sentence)

    def _sentence(self, error: Exception) -> str:
        """What happened and what to do, as one sentence."""
        said = str(error.orig if isinstance(error, DBAPIError) else error).lower()
        if "full" in said or "no space" in said:
            say = _("The disk of {path} is full: free some space; until then the table keeps its events.")
        elif isinstance(error, IntegrityError):
            say = _("Another program stores the events of this table in {path} too: close one of them.")
        elif any(word in said for word in _UNWRITABLE):
            say = _("{path} cannot be written: choose another folder with --data or correct its permissions.")
        elif "locked" in said:
            say = _("{path} is in use by another program: close that one first.")
        elif "not a database" in said or "malformed" in said:
            say = _("{path} is damaged or no store of this tool: move it away and restore a copy.")
        else:
            say = _("The store {path} failed ({error}): check its disk, or choose another folder with --data.")
        return say.format(path=self.path, error=said)


class _Reading(Session):
    """A session whose errors come as StoreError."""

    def __init__(self, engine: Engine, sentence: Any) -> None:
        super().__init__(engine)
        self._sentence = sentence

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        super().__exit__(kind, error, trace)
        if isinstance(error, SQLAlchemyError):
            raise StoreError(self._sentence(error)) from error


def _hand(hand: HandModel, stream: Stream) -> HandRow:
    return HandRow(
        hand.number, stream.serial, stream.journal_id, hand.first, hand.last, hand.revision, hand.saved, hand.record
    )


def _number_hands(session: Session) -> None:
    """From version 1 to 2: revisions share the number of the first one."""
    if "number" not in {column["name"] for column in inspect(session.connection()).get_columns("hands")}:
        session.execute(text("ALTER TABLE hands ADD COLUMN number INTEGER"))
    numbers: dict[tuple[int, int], int] = {}
    for hand in session.scalars(select(HandModel).order_by(HandModel.n)):
        hand.number = numbers.setdefault((hand.stream_id, hand.first), hand.n)


def _engine(url: str) -> Engine:
    engine = create_engine(url)
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect")
        def prepare(connection: Any, _record: Any) -> None:
            # FULL: an acknowledged event must outlive a power cut of the host, not only its crash.
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000", "foreign_keys=ON"):
                connection.execute(f"PRAGMA {pragma}")

    return engine
