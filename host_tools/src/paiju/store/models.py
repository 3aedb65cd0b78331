"""Tables of the store, version 3. SQLite by default; nothing here is special to it."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Float, ForeignKey, Integer, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

VERSION = 3


class Base(DeclarativeBase):
    """Common base."""


class Stream(Base):
    """One journal of one table, and how far it is stored (which is how far it is acknowledged)."""

    __tablename__ = "streams"
    __table_args__ = (UniqueConstraint("serial", "journal_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    serial: Mapped[str] = mapped_column(String(16))
    journal_id: Mapped[int] = mapped_column(BigInteger)
    acknowledged: Mapped[int] = mapped_column(BigInteger, default=0)


class EventRow(Base):
    """One event record as the table wrote it; a gap counts as the event that stands for the lost ones."""

    __tablename__ = "events"

    stream_id: Mapped[int] = mapped_column(ForeignKey("streams.id"), primary_key=True)
    seq: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    record: Mapped[bytes] = mapped_column(LargeBinary(32))
    received: Mapped[float] = mapped_column(Float)  # host wall clock when stored, s since 1970


class Clock(Base):
    """Host wall clock at the zero of one start's milliseconds."""

    __tablename__ = "clocks"

    stream_id: Mapped[int] = mapped_column(ForeignKey("streams.id"), primary_key=True)
    boot: Mapped[int] = mapped_column(Integer, primary_key=True)
    zero: Mapped[float] = mapped_column(Float)
    uncertainty: Mapped[float] = mapped_column(Float)


class HandModel(Base):
    """The record of one hand, made from the events `first` to `last` of a stream; never changed, superseded.

    The revisions of a hand share its `number`.
    """

    __tablename__ = "hands"

    n: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(Integer)
    stream_id: Mapped[int] = mapped_column(ForeignKey("streams.id"))
    first: Mapped[int] = mapped_column(BigInteger)
    last: Mapped[int] = mapped_column(BigInteger)
    revision: Mapped[int] = mapped_column(Integer, default=1)
    saved: Mapped[float] = mapped_column(Float)
    record: Mapped[dict[str, object]] = mapped_column(JSON)


class SetupModel(Base):
    """What the hand whose events begin at `first` is played by: `game.position.Setup` as JSON."""

    __tablename__ = "setups"

    stream_id: Mapped[int] = mapped_column(ForeignKey("streams.id"), primary_key=True)
    first: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    body: Mapped[dict[str, object]] = mapped_column(JSON)


class CorrectionModel(Base):
    """What a person changed in the hand whose events begin at `first`; only ever added to.

    at: number of the last event that was known; body: `game.corrections.Correction` as JSON, who and why in it.
    """

    __tablename__ = "corrections"

    n: Mapped[int] = mapped_column(primary_key=True)
    stream_id: Mapped[int] = mapped_column(ForeignKey("streams.id"))
    first: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[int] = mapped_column(BigInteger)
    made: Mapped[float] = mapped_column(Float)
    body: Mapped[dict[str, object]] = mapped_column(JSON)


class Meta(Base):
    """The version of these tables."""

    __tablename__ = "meta"

    version: Mapped[int] = mapped_column(primary_key=True)
