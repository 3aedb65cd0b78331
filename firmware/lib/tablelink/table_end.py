"""The table's end of the link without any I/O: bytes in, frames out, time as an argument (ms, never wraps).

Fixed memory: one frame each way, a table of recent commands, and the journal.
"""

from tablelink import messages as m
from tablelink.frame import Decoder, Encoder
from tablelink.sender import Sender

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablelink import kinds

SESSION_MS = 5000  # a host not heard for so long is gone
LEASE_MS = 2000
PARTIAL_MS = 1000  # a frame begun and not continued for so long is given up
RECENT = 10  # commands whose answers are kept for a host that asks again
REMEMBERED = 30  # of so many commands back it is known whether they were taken: bits of a small integer
REPLY_LIMIT = 96

_FREE, _RUNNING, _DONE = range(3)


class CommandError(Exception):
    """A handler's refusal: `status` is one of `messages.STATUS` by number."""

    def __init__(self, status: int = m.FAILED) -> None:
        super().__init__(m.STATUS[status])
        self.status = status


class _Slot:
    """One recent command and its answer."""

    def __init__(self) -> None:
        self.id = 0
        self.state = _FREE
        self.code = 0
        self.status = 0
        self.reply = bytearray(REPLY_LIMIT)
        self.length = 0
        self.send = False
        self.lease_until = 0  # 0: no lease
        self.lapsed = False


class TableEnd:
    """Speaks for a table with `journal`, 8-byte `serial` and `version` (major << 16 | minor << 8 | patch).

    `spawn(coroutine)` runs what an asynchronous command handler returned.
    """

    def __init__(
        self,
        journal: "kinds.EventSource",
        serial: bytes,
        version: int,
        spawn: "kinds.Callable[[kinds.Coroutine[kinds.Any, kinds.Any, None]], object] | None" = None,
    ) -> None:
        self.journal = journal
        self.serial = serial
        self.version = version
        self.sender = Sender(journal)
        self.decoder = Decoder()
        self.encoder = Encoder()
        self.service = False  # service mode: set by the application
        self.session = 0
        self.visit = 0  # sessions since the start, this one included
        self.bytes_in = 0
        self.bytes_out = 0
        self.frames_out = 0
        self.refused = 0
        self._spawn = spawn
        self._handlers: dict[int, tuple[kinds.Any, kinds.Any]] = {}
        self._slots = [_Slot() for _ in range(RECENT)]
        self._oldest = 0
        self._nth = 0  # highest number of a command in this visit
        self._seen = 0  # bit n: command `_nth - n` was taken
        self._heard_at = 0
        self._byte_at = 0
        self._hello = True  # a start tells itself, so that a host in step notices at once
        self._beat = False
        self._token = 0
        self._note = -1
        self._note_value = 0
        self._oversized = 0
        self.on("stats", self._stats)
        self.on("ping", _echo)

    def on(
        self, name: str, handler: "kinds.Callable[..., kinds.Any]", stop: "kinds.Callable[[], object] | None" = None
    ) -> None:
        """Let `handler(*arguments)` run command `name`; `stop()` ends a leased one.

        It returns the values of the reply's fields (None, one value or a tuple), may be asynchronous, and raises
        `CommandError` to refuse.
        """
        self._handlers[m.COMMANDS[name].number] = (handler, stop)

    def receive(self, chunk: bytearray, n: int, now: int) -> None:
        """Take the first `n` bytes of `chunk`."""
        decoder = self.decoder
        if decoder.partial and now - self._byte_at > PARTIAL_MS:
            decoder.drop()
        self.bytes_in += n
        self._byte_at = now
        for i in range(n):
            if decoder.feed(chunk[i]):
                self._take(now)
        if decoder.oversized != self._oversized:
            self._oversized = decoder.oversized
            self._tell(m.OVERSIZED_FRAME, decoder.oversized)

    def tick(self, now: int) -> None:
        """Let go of a silent host and of leases that ran out; call it a few times a second."""
        if self.session and now - self._heard_at > SESSION_MS:
            self._end_session()
        for slot in self._slots:
            if slot.lease_until and now >= slot.lease_until:
                self._lapse(slot)

    def due(self, now: int) -> bool:
        """Whether `next_frame` has one."""
        if self._hello or self._beat or self._note >= 0 or self.sender.due(now):
            return True
        for slot in self._slots:
            if slot.send or slot.lapsed:
                return True
        return False

    def next_frame(self, now: int) -> "memoryview | None":
        """The next frame to put on the wire, as a view that holds until the next call; None for nothing."""
        encoder = self.encoder
        buf = encoder.buffer
        at = encoder.START
        if self._hello:
            self._hello = False
            j = self.journal
            end = at + m.HELLO.size
            buf[at:end] = m.HELLO.pack(
                m.PROTOCOL, self.version, self.session, self.serial, j.boot, self.visit, j.id, j.first, j.last,
                j.acknowledged
            )  # fmt: skip
            return self._finish(m.HELLO.number, end)
        for slot in self._slots:
            if slot.send:
                slot.send = False
                end = m.REPLY.pack_into(buf, at, slot.id, slot.status)
                for i in range(slot.length):
                    buf[end + i] = slot.reply[i]
                return self._finish(m.REPLY.number, end + slot.length)
            if slot.lapsed:
                slot.lapsed = False
                return self._finish(m.LAPSED.number, m.LAPSED.pack_into(buf, at, slot.id))
        if self._note >= 0:
            end = m.NOTE.pack_into(buf, at, self._note, self._note_value)
            self._note = -1
            return self._finish(m.NOTE.number, end)
        if self._beat:
            self._beat = False
            j = self.journal
            end = m.BEAT.pack_into(buf, at, self.session, self._token, now, j.last, j.acknowledged, self.sender.running)
            return self._finish(m.BEAT.number, end)
        if self.sender.due(now):
            end = self.sender.fill(buf, at, encoder.END, now)
            return self._finish(m.EVENTS_FRAME.number, end)
        return None

    def finish_command(self, slot: _Slot, status: int, values: "kinds.Any" = None) -> None:
        """Answer a command with `values` for its reply's fields."""
        slot.length = 0
        command = m.COMMANDS.get(slot.code)
        layout = command.reply if command is not None else None
        if status == m.OK and layout is not None and layout.size:
            packed = layout.pack(*values) if isinstance(values, tuple) else layout.pack(values)
            slot.length = len(packed)
            slot.reply[: slot.length] = packed
        slot.status = status
        slot.state = _DONE
        slot.send = True

    def _finish(self, kind: int, end: int) -> memoryview:
        frame = self.encoder.finish(kind, end)
        self.frames_out += 1
        self.bytes_out += len(frame)
        return frame

    def _take(self, now: int) -> None:
        decoder = self.decoder
        kind = decoder.kind
        at = decoder.START
        length = decoder.end - at
        layout = _FROM_HOST.get(kind)
        if layout is None:
            self._tell(m.UNKNOWN_MESSAGE, kind)
            return
        if length < layout.size or (length > layout.size and not layout.tail):
            self._tell(m.MALFORMED_MESSAGE, kind)
            return
        buf = decoder.buffer
        first = _u32(buf, at)
        if layout is m.ACK:
            if self._is_session(first, now):
                stored = _u32(buf, at + 4)
                if not self.sender.running:
                    self._hello = True
                elif self.sender.acknowledge(stored, bool(buf[at + 8]), now):
                    self.journal.acknowledge(stored)
                else:
                    self._tell(m.ACK_BEYOND_SENT, stored)
        elif layout is m.SYNC:
            if self._is_session(first, now):
                self._token = _u32(buf, at + 4)
                self._beat = True
        elif layout is m.COMMAND:
            if self.session:
                self._command(first, buf, at, length, now)
            else:
                self._hello = True
        elif layout is m.RENEW:
            if self._is_session(first, now):
                ident = _u32(buf, at + 4)
                for slot in self._slots:
                    if slot.id == ident and slot.lease_until:
                        slot.lease_until = now + LEASE_MS
        elif layout is m.OPEN:
            self._open(first, _u32(buf, at + 4), now)
        elif layout is m.RESUME:
            if self._is_session(first, now) and not self.sender.running:
                self._resume(_u32(buf, at + 4), _u32(buf, at + 8), now)
        elif first == self.session:
            self._end_session()

    def _open(self, protocol: int, session: int, now: int) -> None:
        self._hello = True
        if protocol != m.PROTOCOL or session == self.session:
            return
        self._end_session()
        self.session = session
        self.visit += 1
        self._nth = self._seen = 0
        self._heard_at = now

    def _resume(self, journal: int, stored: int, now: int) -> None:
        if journal != self.journal.id or stored > self.journal.last:
            self._tell(m.ACK_BEYOND_SENT, stored)
            self._hello = True
            return
        self.sender.start(stored, now)
        self.journal.acknowledge(stored)
        self._beat = True

    def _is_session(self, session: int, now: int) -> bool:
        if session and session == self.session:
            self._heard_at = now
            return True
        self._hello = True
        return False

    def _end_session(self) -> None:
        self.session = 0
        self.sender.stop()
        self._beat = False

    def _command(self, ident: int, buf: bytearray, at: int, length: int, now: int) -> None:
        # Only what was sent in this visit: an older frame that turns up late must neither run nor keep a lease.
        if buf[at + 4] | buf[at + 5] << 8 != self.journal.boot or _u32(buf, at + 6) != self.visit:
            self._tell(m.STALE, ident)
            self._hello = True
            return
        self._heard_at = now
        for known in self._slots:
            if known.state != _FREE and known.id == ident:
                known.send = known.state == _DONE
                if known.lease_until:  # it runs longer than a lease, and the host still waits for it
                    known.lease_until = now + LEASE_MS
                return
        nth = _u32(buf, at + 10)
        back = self._nth - nth
        if not -REMEMBERED < back < REMEMBERED or (back >= 0 and self._seen >> back & 1):
            self._tell(m.STALE, ident)
            return
        slot = self._claim()
        if slot is None:
            self._tell(m.TABLE_FULL, ident)
            return
        if back < 0:
            self._nth = nth
            self._seen = self._seen << -back & (1 << REMEMBERED) - 1
            back = 0
        self._seen |= 1 << back
        slot.id = ident
        slot.state = _RUNNING
        slot.code = buf[at + 14]
        slot.send = slot.lapsed = False
        slot.lease_until = 0
        command = m.COMMANDS.get(slot.code)
        handler, _ = self._handlers.get(slot.code, _NO_HANDLER)
        if command is None or handler is None:
            self._refuse(slot, m.UNKNOWN)
        elif length - m.COMMAND.size != command.arguments.size:
            self._refuse(slot, m.MALFORMED)
        else:
            arguments = command.arguments.unpack(buf, at + m.COMMAND.size)
            for value, limits in zip(arguments, command.ranges):
                if limits and not limits[0] <= value <= limits[1]:
                    self._refuse(slot, m.RANGE)
                    return
            if command.service and not self.service:
                self._refuse(slot, m.MODE)
            else:
                self._run(slot, command, handler, arguments, now)

    def _run(
        self, slot: _Slot, command: m.Command, handler: "kinds.Any", arguments: "tuple[kinds.Any, ...]", now: int
    ) -> None:
        try:
            result = handler(*arguments)
            if hasattr(result, "send"):
                assert self._spawn is not None
                self._spawn(self._wait(slot, result))
            else:
                self.finish_command(slot, m.OK, result)
        except CommandError as error:
            self._refuse(slot, error.status)
            return
        except Exception:  # a broken handler must not take the link down; the host hears `failed`
            self._refuse(slot, m.FAILED)
            return
        if command.lease:
            slot.lease_until = now + LEASE_MS

    async def _wait(self, slot: _Slot, coroutine: "kinds.Coroutine[kinds.Any, kinds.Any, kinds.Any]") -> None:
        try:
            self.finish_command(slot, m.OK, await coroutine)
        except CommandError as error:
            self._refuse(slot, error.status)
        except Exception:
            self._refuse(slot, m.FAILED)

    def _refuse(self, slot: _Slot, status: int) -> None:
        self.refused += 1
        self.finish_command(slot, status)

    def _claim(self) -> "_Slot | None":
        """The slot used longest ago whose command is over; None if all still run."""
        slots = self._slots
        for i in range(RECENT):
            slot = slots[(self._oldest + i) % RECENT]
            if slot.state != _RUNNING and not slot.lease_until:
                self._oldest = (self._oldest + i + 1) % RECENT
                return slot
        return None

    def _lapse(self, slot: _Slot) -> None:
        slot.lease_until = 0
        slot.lapsed = True
        stop = self._handlers[slot.code][1]
        if stop is not None:
            stop()

    def _tell(self, what: int, value: int) -> None:
        """Count something refused and name it to the host; the newest wins if the link is busy."""
        self.refused += 1
        self._note = what
        self._note_value = value

    def _stats(self) -> "tuple[int, ...]":
        sender = self.sender
        decoder = self.decoder
        return (
            self.bytes_in,
            self.bytes_out,
            decoder.frames,
            self.frames_out,
            decoder.bad + decoder.oversized,
            sender.resends,
            sender.round_trip,
            sender.longest_stall,
            self.journal.unacknowledged,
            self.journal.slots,
            self.refused,
        )


def _echo(token: int) -> int:
    return token


def _u32(buf: bytearray, at: int) -> int:
    return buf[at] | buf[at + 1] << 8 | buf[at + 2] << 16 | buf[at + 3] << 24


_FROM_HOST = {layout.number: layout for layout in m.FROM_HOST}
_NO_HANDLER = (None, None)
