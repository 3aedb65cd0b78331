"""The host's end of the link without any I/O: bytes and time in, bytes, records and answers out.

Times are seconds of any clock that does not go back; virtual time will do.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from paiju.i18n import _
from paiju.table import events
from paiju.table.clock_sync import ClockSync
from tablelink import messages as m
from tablelink.frame import Decoder, Encoder

OPEN_EVERY = 0.15
SYNC_EVERY = 0.5
STALLED_AFTER = 1.5
LOST_AFTER = 4.0
COMMAND_EVERY = 0.15
OUTSTANDING = 8  # the oldest command without an answer and those begun since; the table remembers twice as many
FOREIGN_BYTES = 64  # so much without one sound frame comes from something else
GAP_HEAD = m.RECORD.size


class State(StrEnum):
    """Where a connection stands."""

    SEARCHING = "searching"  # no port
    OPENING = "opening"  # port open, table not yet heard
    HELLO = "hello"  # table known, not yet resumed
    IN_STEP = "in_step"
    STALLED = "stalled"  # in step, but silent
    LOST = "lost"  # was in step; opening again
    REFUSED = "refused"  # will not work with this table; `problem` says why


@dataclass(frozen=True, slots=True)
class Hello:
    """What the table said of itself."""

    protocol: int
    version: str
    serial: str
    boot: int
    journal_id: int
    first: int
    last: int
    acknowledged: int
    visit: int  # sessions since the table's start, this one included


@dataclass(slots=True)
class Reply:
    """The one answer to a command: `status` is a word of `messages.STATUS`, or `restarted` if the table did."""

    status: str
    fields: dict[str, int | str]

    @property
    def ok(self) -> bool:
        return self.status == "ok"


@dataclass(slots=True)
class Pending:
    """A command under way; `reply` is set once, and `lapsed` if its lease ran out."""

    id: int
    name: str
    payload: bytes
    boot: int
    on_reply: Callable[[Reply], None] | None = None
    reply: Reply | None = None
    lapsed: bool = False
    hold: bool = False  # keep renewing the lease
    sent_at: float = field(default=-1e9)
    order: int = 0  # its place among the commands begun, from 1
    visit: int = -1  # session that it was last sent in, and its number there
    nth: int = 0


class CommandRefused(ValueError):
    """The command was not sent; the message says why."""


@dataclass(slots=True)
class Statistics:
    """Counted at the host's end since it was made."""

    bytes_in: int = 0
    bytes_out: int = 0
    frames_in: int = 0
    frames_out: int = 0
    bad_frames: int = 0
    events: int = 0
    doubled: int = 0  # records that came again and were dropped
    missing: int = 0  # times a hole was seen and asked for
    gaps: int = 0
    refused: int = 0
    reconnects: int = 0
    longest_stall_ms: int = 0


class HostLink:
    """One table's connection.

    `position(serial, journal_id)` gives the last number stored of that journal, 0 for none. Feed it with
    `port_opened`, `port_lost`, `receive`, `tick`; write out what `take_output` gives; store what `take_records`
    gives and then call `stored`, which is what acknowledges. `position` may give None while that is not known. With
    `take_events` false it only asks and commands: the table's events stay where they are. `watch(direction, text)`
    is told every message.
    """

    def __init__(
        self,
        position: Callable[[str, int], int | None],
        rng: random.Random | None = None,
        watch: Callable[[str, str], None] | None = None,
        take_events: bool = True,
    ) -> None:
        self.state = State.SEARCHING
        self.problem = ""
        self.hello: Hello | None = None
        self.statistics = Statistics()
        self.clock = ClockSync()
        self.heard_bytes = 0  # since the port was opened
        self._position = position
        self._take_events_in = take_events
        self._rng = rng or random.SystemRandom()
        self._watch = watch
        self._decoder = Decoder()
        self._encoder = Encoder()
        self._output = bytearray()
        self._records: list[bytes] = []
        self._expected = 1
        self._stored = 0
        self.held_back = False  # events are not taken: the store failed
        self._session = 0
        self._ack = False  # tell again how far we are
        self._missing = False  # and that the next one is missing
        self._missing_at = 0
        self._open_at = self._sync_at = -1e9
        self._heard_at = 0.0
        self._syncs: dict[int, float] = {}
        self._pending: dict[int, Pending] = {}
        self._waiting: deque[Pending] = deque()
        self._was_in_step = False
        self._begun = 0
        self._nth = 0  # commands begun in this session

    # The port

    def port_opened(self, now: float) -> None:
        """Bytes can flow."""
        self._decoder = Decoder()
        self.heard_bytes = 0
        self._enter(State.LOST if self._was_in_step else State.OPENING)
        self._reopen(now)

    def port_lost(self, reason: str = "") -> None:
        """Bytes can flow no more; `port_opened` tells when they can again."""
        if self.state is not State.REFUSED:
            self.problem = reason
            self._enter(State.SEARCHING)
        self._output.clear()

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the port."""
        statistics = self.statistics
        statistics.bytes_in += len(data)
        self.heard_bytes += len(data)
        decoder = self._decoder
        feed = decoder.feed
        bad = decoder.bad + decoder.oversized
        for byte in data:
            if feed(byte):
                statistics.frames_in += 1
                self._take(decoder.kind, bytes(decoder.buffer[decoder.START : decoder.end]), now)
        statistics.bad_frames += decoder.bad + decoder.oversized - bad
        if (self._ack or self._missing) and self._stored == self._expected - 1:
            self._send_ack()

    def take_output(self) -> bytes:
        """What is to be written to the port; the caller must write all of it or call `port_lost`."""
        data = bytes(self._output)
        self._output.clear()
        self.statistics.bytes_out += len(data)
        return data

    def tick(self, now: float) -> None:
        """Send what is due; call it some twenty times a second."""
        if self.state in (State.SEARCHING, State.REFUSED):
            return
        silent = now - self._heard_at
        if self.state in (State.IN_STEP, State.STALLED):
            if silent > STALLED_AFTER:
                self.statistics.longest_stall_ms = max(self.statistics.longest_stall_ms, int(silent * 1000))
                self._enter(State.STALLED)
            if silent > LOST_AFTER:
                self._enter(State.LOST)
                self._reopen(now)
            elif now - self._sync_at >= SYNC_EVERY:
                self._send_sync(now)
        elif self.state is State.HELLO and silent > LOST_AFTER:
            self._enter(State.LOST)
            self._reopen(now)
        if self.state in (State.OPENING, State.LOST) and now - self._open_at >= OPEN_EVERY:
            self._open_at = now
            self._send(m.OPEN, m.PROTOCOL, self._session)
        elif self.state is State.HELLO and now - self._open_at >= OPEN_EVERY:
            self._open_at = now
            self._send_resume(now)
        if self.state is State.IN_STEP:
            self._send_commands(now)

    def close(self) -> None:
        """Tell the table that the host goes; then take the output."""
        if self._session and self.state in _MET:
            self._send(m.CLOSE, self._session)

    @property
    def foreign(self) -> bool:
        """Whether the port speaks, but not as a table does."""
        return (
            self.state in (State.OPENING, State.LOST)
            and self._decoder.frames == 0
            and self.heard_bytes >= FOREIGN_BYTES
        )

    # Events

    def take_records(self) -> list[bytes]:
        """New event records in order, each once; not acknowledged before `stored` is called."""
        records, self._records = self._records, []
        return records

    @property
    def position(self) -> int:
        """Number of the last record taken in."""
        return self._expected - 1

    def stored(self, seq: int) -> None:
        """Everything up to `seq` is safe: acknowledge it."""
        self._stored = max(self._stored, seq)
        self.held_back = False
        self._send_ack()

    def not_stored(self) -> None:
        """What `take_records` gave could not be stored: forget it, the table keeps it and will send it again."""
        self._records.clear()
        self._expected = self._stored + 1
        self.held_back = True
        self._missing_at = 0

    def retry(self, now: float) -> None:
        """Take events again after `not_stored`, from where the store stands now."""
        if self.held_back:
            self.held_back = False
            if self.state in _MET:
                self._enter(State.LOST)
                self._reopen(now)

    # Commands

    def command(self, name: str, *args: int | bytes, on_reply: Callable[[Reply], None] | None = None) -> Pending:
        """Send a command that runs once and is answered once; raises CommandRefused for wrong arguments.

        A leased command is renewed until `release` is called.
        """
        command = m.COMMANDS.get(name)
        if command is None:
            known = ", ".join(sorted(c.name for c in m.COMMANDS))
            raise CommandRefused(_("There is no command {name}; there are {known}.").format(name=name, known=known))
        fields = command.arguments.fields
        if len(args) != len(fields):
            usage = " ".join((name, *(f[0].upper() for f in fields)))
            raise CommandRefused(_("Wrong number of arguments: {usage}").format(usage=usage))
        for (field_name, kind), limits, value in zip(fields, command.ranges, args, strict=True):
            if kind.startswith("bytes"):
                size = int(kind[5:])
                if not isinstance(value, bytes) or len(value) != size:
                    raise CommandRefused(
                        _("{field} of {name} is {size} characters long.").format(field=field_name, name=name, size=size)
                    )
            elif not isinstance(value, int) or not limits[0] <= value <= limits[1]:
                raise CommandRefused(
                    _("{field} of {name} is {low} to {high}, not {value}.").format(
                        field=field_name, name=name, low=limits[0], high=limits[1], value=value
                    )
                )
        ident = 0
        while not ident or ident in self._pending:
            ident = self._rng.getrandbits(32)
        pending = Pending(ident, name, command.arguments.pack(*args), -1, on_reply, hold=command.lease)
        self._waiting.append(pending)
        return pending

    def release(self, pending: Pending) -> None:
        """Let a leased command's lease run out."""
        pending.hold = False

    def withdraw(self, pending: Pending) -> None:
        """Stop asking for an answer; whether the table ran the command is then not known."""
        self._pending.pop(pending.id, None)
        if pending in self._waiting:
            self._waiting.remove(pending)

    @property
    def idle(self) -> bool:
        """Whether no command waits for its answer."""
        return not self._waiting and all(p.reply for p in self._pending.values())

    def _send_commands(self, now: float) -> None:
        assert self.hello is not None
        oldest = min((p.order for p in self._pending.values() if p.reply is None), default=self._begun)
        # Not more since the oldest: the table must still know an answer that is asked for again.
        while self._waiting and self._begun - oldest < OUTSTANDING:
            pending = self._waiting.popleft()
            pending.boot = self.hello.boot
            pending.order = self._begun
            self._begun += 1
            self._pending[pending.id] = pending
        for pending in list(self._pending.values()):
            if pending.reply is None:
                if pending.boot != self.hello.boot:
                    self._answer(pending, Reply("restarted", {}))
                elif now - pending.sent_at >= max(COMMAND_EVERY, 3 * self.clock.round_trip):
                    pending.sent_at = now
                    if pending.visit != self.hello.visit:
                        self._nth += 1
                        pending.visit, pending.nth = self.hello.visit, self._nth
                    number = m.COMMANDS[pending.name].number
                    self._send(
                        m.COMMAND, pending.id, pending.boot, pending.visit, pending.nth, number, tail=pending.payload
                    )
            elif not pending.hold or not pending.reply.ok or pending.boot != self.hello.boot or pending.lapsed:
                del self._pending[pending.id]
            elif now - pending.sent_at >= SYNC_EVERY:
                pending.sent_at = now
                self._send(m.RENEW, self._session, pending.id)

    def _answer(self, pending: Pending, reply: Reply) -> None:
        pending.reply = reply
        if pending.on_reply is not None:
            pending.on_reply(reply)

    # Frames

    def _send(self, layout: m.Layout, *values: object, tail: bytes = b"") -> None:
        payload = layout.pack(*values) + tail
        self._output += self._frame(layout, payload)
        self.statistics.frames_out += 1
        if self._watch is not None:
            self._watch(">", describe(layout, payload)[0])

    def _frame(self, layout: m.Layout, payload: bytes) -> bytes:
        encoder = self._encoder
        end = encoder.START + len(payload)
        encoder.buffer[encoder.START : end] = payload
        return bytes(encoder.finish(layout.number, end))

    def _send_ack(self) -> None:
        if self.state in (State.IN_STEP, State.STALLED):
            self._send(m.ACK, self._session, self._stored, self._missing)
        self._ack = self._missing = False

    def _send_resume(self, now: float) -> None:
        assert self.hello is not None
        if self._take_events_in:
            self._send(m.RESUME, self._session, self.hello.journal_id, self._stored)
        self._send_sync(now)

    def _send_sync(self, now: float) -> None:
        self._sync_at = now
        token = self._rng.getrandbits(32)
        if len(self._syncs) >= 16:
            self._syncs.pop(next(iter(self._syncs)))
        self._syncs[token] = now
        self._send(m.SYNC, self._session, token)

    def _take(self, kind: int, payload: bytes, now: float) -> None:
        layout = _FROM_TABLE.get(kind)
        if layout is m.HELLO and len(payload) >= 8:
            self._heard_at = now
            self._take_hello(payload, now)
            return
        if layout is None or len(payload) < layout.size or (len(payload) > layout.size and not layout.tail):
            self.statistics.refused += 1
            return
        if self._watch is not None:
            for text in describe(layout, payload):
                self._watch("<", text)
        if layout is m.EVENTS_FRAME:
            if self.state in _MET:
                self._heard(now)
                self._take_events(payload)
        elif layout is m.BEAT:
            self._take_beat(payload, now)
        elif layout is m.REPLY:
            self._heard(now)
            self._take_reply(payload)
        elif layout is m.LAPSED:
            pending = self._pending.get(m.LAPSED.unpack(payload)[0])
            if pending is not None:
                pending.lapsed = True
        else:
            what, value = m.NOTE.unpack(payload)
            notes = m.NOTE.fields[0][2]
            name = notes[what] if what < len(notes) else str(what)
            self.problem = _("the table reports {name} ({value})").format(name=name, value=value)

    def _heard(self, now: float) -> None:
        self._heard_at = now
        if self.state is State.STALLED:
            self._enter(State.IN_STEP)

    def _take_hello(self, payload: bytes, now: float) -> None:
        protocol, version = m.OPEN.unpack(payload)  # the part that every version has
        name = f"{version >> 16}.{version >> 8 & 0xFF}.{version & 0xFF}"
        if protocol != m.PROTOCOL or len(payload) != m.HELLO.size:
            self._refuse(
                _(
                    "the table's firmware {version} speaks protocol {theirs:08x}, this tool {ours:08x}: install the "
                    "firmware that belongs to this tool, or the tool that belongs to this firmware"
                ).format(version=name, theirs=protocol, ours=m.PROTOCOL)
            )
            return
        if self._watch is not None:
            self._watch("<", describe(m.HELLO, payload)[0])
        session, serial, boot, visit, journal, first, last, acked = m.HELLO.unpack(payload)[2:]
        hello = Hello(protocol, name, serial.hex(), boot, journal, first, last, acked, visit)
        again = self.state in _MET and self.hello is not None and (boot, visit) != (self.hello.boot, self.hello.visit)
        if session != self._session or again:
            # It restarted, or gave up a host that was silent too long, or an old `open` came late.
            if self.state in (*_MET, State.REFUSED):
                self._enter(State.LOST)
                self._reopen(now)
            return
        if self.state not in (State.OPENING, State.LOST):
            return
        stored = self._position(hello.serial, journal)
        if stored is None:
            return
        if stored > last:
            self._refuse(
                _(
                    "this tool has stored {stored} events of table {serial}, whose journal ends at {last}: the journal "
                    "was replaced; have a technician clear it so that it takes a new number"
                ).format(stored=stored, serial=hello.serial, last=last)
            )
            return
        if self.hello is None or hello.boot != self.hello.boot or hello.serial != self.hello.serial:
            self.clock = ClockSync()
        self.hello = hello
        self._stored = stored
        self._expected = stored + 1
        self._records.clear()
        self._missing_at = 0
        self._nth = 0
        self._enter(State.HELLO)
        self._open_at = now
        self._send_resume(now)

    def _take_beat(self, payload: bytes, now: float) -> None:
        session, token, t_ms, _last, _acked, streaming = m.BEAT.unpack(payload)
        if session != self._session:
            return
        self._heard(now)
        sent = self._syncs.pop(token, None)
        if sent is not None:
            self.clock.sample(sent, now, t_ms)
        if self.state is State.HELLO and (streaming or not self._take_events_in):
            if self._was_in_step:
                self.statistics.reconnects += 1
            self._was_in_step = True
            self.problem = ""
            self._enter(State.IN_STEP)
            self._ack = self._take_events_in
        elif self.state is State.IN_STEP and self._take_events_in and not streaming:
            self._enter(State.LOST)
            self._reopen(now)

    def _take_events(self, payload: bytes) -> None:
        if self.held_back:
            return
        try:
            records = list(events.split(payload))
        except events.RecordError:
            self.statistics.refused += 1
            return
        for record in records:
            seq = first = int.from_bytes(record[:4], "little")
            if record[10] == m.GAP.number:
                first, seq, reason = m.GAP.unpack(record, GAP_HEAD)
                if first < self._expected <= seq:
                    first = self._expected
                    record = record[:GAP_HEAD] + m.GAP.pack(first, seq, reason)
            if seq < self._expected:
                self.statistics.doubled += 1
                self._ack = True
            elif first > self._expected:
                if self._missing_at != self._expected:
                    self._missing_at = self._expected
                    self.statistics.missing += 1
                    self._missing = True
                return
            else:
                self._records.append(record)
                self._expected = seq + 1
                self.statistics.events += 1
                if record[10] == m.GAP.number:
                    self.statistics.gaps += 1

    def _take_reply(self, payload: bytes) -> None:
        ident, status = m.REPLY.unpack(payload)
        pending = self._pending.get(ident)
        if pending is None or pending.reply is not None:
            return
        layout = m.COMMANDS[pending.name].reply
        fields: dict[str, int | str] = {}
        body = payload[m.REPLY.size :]
        if status == m.OK and len(body) == layout.size:
            fields = {f[0]: v for f, v in zip(layout.fields, layout.unpack(body), strict=True)}
        self._answer(pending, Reply(m.STATUS[status] if status < len(m.STATUS) else str(status), fields))

    def _reopen(self, now: float) -> None:
        """A fresh session; the next tick sends it."""
        self._session = 0
        # Something else may be at the port, a console for instance: no `open` holds a Ctrl-C.
        while not self._session or 3 in self._frame(m.OPEN, m.OPEN.pack(m.PROTOCOL, self._session)):
            self._session = self._rng.getrandbits(32)
        self._syncs.clear()
        self._records.clear()
        self._ack = self._missing = False
        self._heard_at = now
        self._open_at = -1e9
        self.tick(now)

    def _refuse(self, problem: str) -> None:
        self.problem = problem
        self._enter(State.REFUSED)

    def _enter(self, state: State) -> None:
        if state is not self.state:
            self.state = state
            if self._watch is not None:
                self._watch("=", state.value)


def describe(layout: m.Layout, payload: bytes) -> list[str]:
    """A message in words, one line for each event in it."""
    if layout is m.EVENTS_FRAME:
        try:
            return [_event(events.parse(record)) for record in events.split(payload)]
        except events.RecordError as error:
            return [f"events {error}"]
    pairs = zip(layout.fields, layout.unpack(payload), strict=True)
    words = " ".join(f"{f[0]}={v.hex() if isinstance(v, bytes) else v}" for f, v in pairs)
    return [f"{layout.name} {words} {payload[layout.size :].hex()}".rstrip()]


def _event(event: events.Event) -> str:
    words = " ".join(f"{k}={v}" for k, v in event.fields.items())
    return f"event {event.seq} {event.boot}:{event.t_ms / 1000:.3f} {event.kind} {words}".rstrip()


_MET = (State.HELLO, State.IN_STEP, State.STALLED)
_FROM_TABLE = {layout.number: layout for layout in m.FROM_TABLE}
