"""The declared table of messages, events and commands: both sides and docs/protocol.md come from it.

A row's fields are written as text, because text is small on the controller: `name:type`, with the words for
0, 1, 2, ... after `=`, and for an argument of a command its lowest and highest value as `:low..high`; `...` at the
end stands for bytes of any number. Types: u8 i8 u16 u32 little-endian, bytesN. Numbers and layouts of events are
never changed or used again, because journals outlive the firmware that wrote them; add new ones.
"""

from binascii import crc32
from struct import calcsize, pack, pack_into, unpack_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablelink import kinds

_CODES = {"u8": "B", "i8": "b", "u16": "H", "u32": "I"}


def _parse(field: str) -> "tuple[kinds.Any, ...]":
    """(name, type) or (name, type, words) of one field; ranges are left out."""
    field, _, words = field.partition("=")
    name, kind = field.split(":")[:2]
    return (name, kind, tuple(words.split(","))) if words else (name, kind)


class Layout:
    """One row of a table: number, name and packed fields; `tail` means that bytes of any number follow."""

    def __init__(self, number: int, name: str, spec: str = "") -> None:
        self.number = number
        self.name = name
        self.spec = spec
        fields = self.fields
        self.count = len(fields)
        self.format = "<" + "".join([_CODES.get(f[1]) or f[1][5:] + "s" for f in fields])

    @property
    def fields(self) -> "tuple[tuple[kinds.Any, ...], ...]":
        """(name, type) or (name, type, words) of each field; made at every call."""
        return tuple([_parse(f) for f in self.spec.split() if f != "..."])

    @property
    def ranges(self) -> "tuple[tuple[int, ...], ...]":
        """(lowest, highest) of each field, () where any value will do; made at every call."""
        return tuple([_range(f) for f in self.spec.split() if f != "..."])

    @property
    def tail(self) -> bool:
        return self.spec.endswith("...")

    @property
    def size(self) -> int:
        """Bytes of the fields."""
        return calcsize(self.format)

    def pack_into(
        self, buf: bytearray, at: int, a: object = 0, b: object = 0, c: object = 0,
        d: object = 0, e: object = 0, f: object = 0,
    ) -> int:  # fmt: skip
        """Pack up to six fields at `at` without allocating; returns the end."""
        n = self.count
        fmt = self.format
        if n == 1:
            pack_into(fmt, buf, at, a)
        elif n == 2:
            pack_into(fmt, buf, at, a, b)
        elif n == 3:
            pack_into(fmt, buf, at, a, b, c)
        elif n == 4:
            pack_into(fmt, buf, at, a, b, c, d)
        elif n == 5:
            pack_into(fmt, buf, at, a, b, c, d, e)
        elif n:
            pack_into(fmt, buf, at, a, b, c, d, e, f)
        return at + calcsize(fmt)

    def pack(self, *values: object) -> bytes:
        """All fields as bytes."""
        return pack(self.format, *values)

    def unpack(self, buf: "bytes | bytearray | memoryview", at: int = 0) -> "tuple[kinds.Any, ...]":
        """The fields' values from `buf[at:]`."""
        return unpack_from(self.format, buf, at)


def _range(field: str) -> "tuple[int, ...]":
    low, dots, high = field.split(":")[-1].partition("..")
    return (int(low), int(high)) if dots else ()


class Command:
    """A command: number, name, arguments with their ranges, fields of the reply, and who may run it."""

    def __init__(
        self, number: int, name: str, arguments: str = "", reply: str = "", service: bool = False, lease: bool = False
    ) -> None:
        self.number = number
        self.name = name
        self._arguments = arguments
        self._reply = reply
        self.service = service  # only in service mode
        self.lease = lease  # stops by itself unless renewed

    @property
    def arguments(self) -> Layout:
        return Layout(self.number, self.name, self._arguments)

    @property
    def ranges(self) -> "tuple[tuple[int, ...], ...]":
        return self.arguments.ranges

    @property
    def reply(self) -> Layout:
        return Layout(self.number, self.name, self._reply)


# Who speaks first: the host opens, the table says hello, the host resumes at what it has stored, events flow,
# the host acknowledges what it stored. `open` and the first two fields of `hello` are the same in every version.
OPEN = Layout(1, "open", "protocol:u32 session:u32")
RESUME = Layout(2, "resume", "session:u32 journal:u32 stored:u32")
ACK = Layout(3, "ack", "session:u32 stored:u32 missing:u8")
SYNC = Layout(4, "sync", "session:u32 token:u32")
COMMAND = Layout(5, "command", "id:u32 boot:u16 visit:u32 nth:u32 code:u8 ...")
RENEW = Layout(6, "renew", "session:u32 id:u32")
CLOSE = Layout(7, "close", "session:u32")
HELLO = Layout(
    128,
    "hello",
    "protocol:u32 version:u32 session:u32 serial:bytes8 boot:u16 visit:u32 journal:u32 first:u32 last:u32 acked:u32",
)
EVENTS_FRAME = Layout(129, "events", "...")
BEAT = Layout(130, "beat", "session:u32 token:u32 t_ms:u32 last:u32 acked:u32 streaming:u8")
REPLY = Layout(131, "reply", "id:u32 status:u8 ...")
LAPSED = Layout(132, "lapsed", "id:u32")
NOTE = Layout(
    133,
    "note",
    "what:u8=ack_beyond_sent,unknown_message,malformed_message,oversized_frame,command_table_full,stale_command"
    " value:u32",
)
ACK_BEYOND_SENT, UNKNOWN_MESSAGE, MALFORMED_MESSAGE, OVERSIZED_FRAME, TABLE_FULL, STALE = range(6)

FROM_HOST = (OPEN, RESUME, ACK, SYNC, COMMAND, RENEW, CLOSE)
FROM_TABLE = (HELLO, EVENTS_FRAME, BEAT, REPLY, LAPSED, NOTE)

STATUS = ("ok", "unknown", "malformed", "range", "mode", "busy", "failed")
OK, UNKNOWN, MALFORMED, RANGE, MODE, BUSY, FAILED = range(len(STATUS))

# Every event record begins with these, then its own fields; the same bytes lie in the journal and on the wire.
RECORD = Layout(0, "record", "seq:u32 t_ms:u32 boot:u16 kind:u8")
RECORD_LIMIT = 22

EVENTS = (
    Layout(1, "boot", "reason:u8=power_on,reset,watchdog,update count:u16 version:u32"),
    Layout(2, "cycle", "state:u8=collect,shuffle,stack,audit,hold,raise,ready,fault,pause,home set:u8=A,B"),
    Layout(
        3,
        "audit",
        "set:u8=A,B result:u8=complete,incomplete,foreign,doubled,other_set,unread missing:u8 foreign:u8 doubled:u8",
    ),
    Layout(4, "dice", "throw:u8 die1:u8 die2:u8"),
    Layout(5, "enter", "zone:u8 tile:u16"),
    Layout(6, "leave", "zone:u8 tile:u16"),
    Layout(7, "moved", "tile:u16 from:u8 to:u8"),
    Layout(8, "tag", "zone:u8 kind:u8=unknown,foreign,other_set,doubled uid:bytes8"),
    Layout(9, "button", "seat:u8 button:u8=win,referee,dice,raise,refill pressed:u8"),
    Layout(10, "zone_read", "zone:u8 count:u8"),
    Layout(11, "reader", "reader:u8 state:u8=ok,degraded,down"),
    Layout(12, "fault", "code:u16 part:u8 detail:u16"),
    Layout(13, "cleared", "code:u16 part:u8"),
    Layout(14, "picture", "code:u16 part:u8 inputs:bytes8"),
    Layout(15, "missing", "tile:u16"),
    Layout(16, "opening", "seat:u8 stack:u8 points:u8"),
    Layout(17, "conflict", "tile:u16 zone:u8 other:u8 hits:u8 other_hits:u8"),
    # What could not be kept. Never in the journal: made when sent, numbered as the last event it stands for.
    Layout(255, "gap", "first:u32 last:u32 reason:u8=overwritten,delivered,unreadable"),
)
GAP = EVENTS[-1]
OVERWRITTEN, DELIVERED, UNREADABLE = range(3)


class Commands:
    """The commands, kept as text and made when asked for: a controller needs few of them, and seldom.

    A line: number, name with `!` for service mode only and `~` for leased, then after bars the arguments with
    their ranges and the fields of the reply. Keys are names or numbers.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def _make(self, line: str) -> Command:
        parts = [part.strip() for part in line.split("|")] + ["", ""]
        number, name = parts[0].split()
        return Command(int(number), name.rstrip("!~"), parts[1], parts[2], service="!" in name, lease="~" in name)

    def __iter__(self) -> "kinds.Iterator[Command]":
        return iter([self._make(line) for line in self.text.split("\n") if line])

    def get(self, key: "str | int") -> "Command | None":
        """The command of this name or number, None if there is none."""
        at = 0
        text = self.text
        while at < len(text):
            end = text.find("\n", at)
            head = text.find(" ", at)
            if isinstance(key, int):
                found = int(text[at:head]) == key
            else:
                found = text.startswith(key, head + 1) and text[head + 1 + len(key)] in " !~\n"
            if found:
                return self._make(text[at:end])
            at = end + 1
        return None

    def __getitem__(self, key: "str | int") -> Command:
        command = self.get(key)
        if command is None:
            raise KeyError(key)
        return command


COMMANDS = Commands(
    """\
1 ping | token:u32:0..4294967295 | token:u32
2 stats |  | bytes_in:u32 bytes_out:u32 frames_in:u32 frames_out:u32 bad_frames:u32 resends:u32\
 round_trip_ms:u32 longest_stall_ms:u32 journal_used:u32 journal_size:u32 refused:u32
3 display | seat:u8:0..3 text:bytes5
4 lamp | seat:u8:0..3 lamp:u8:0..15 mode:u8:0..3
5 beep | ms:u16:1..2000
6 jog!~ | axis:u8:0..23 reverse:u8:0..1 duty:u8:0..100
7 memory |  | used:u32 free:u32
8 home!~
9 test!~ | axis:u8:0..23 | code:u8 ms:u16 ma:u16
10 inputs |  | inputs:bytes8 state:u8 fault:u16 part:u8 rail_mv:u16
11 counters |  | cycles:u32 walls:u32 stops:u32 pan:u32 ring:u32 feeds:u32 heads:u32 pushers:u32 plates:u32 lift:u32
12 fault_count | code:u8:0..255 | count:u8
13 setup | stacks:u8:10..18 sets:u8:1..2 throws:u8:1..2
14 dealer | seat:u8:0..3
15 forget!
32 zone | zone:u8:0..17 | reader:u8 failures:u16 tiles:u8 asked_ms:u32 heard_ms:u32 noise:u32 conflicts:u32 level:u8\
 margin:u8 floor:u8 day:u16 power:i8
33 workbench!~
34 tag! | zone:u8:0..17 number:u8:0..39 | count:u8 overflow:u8 noise:u8 known:u8 uid:bytes8 memory:bytes8
35 tag_write! | zone:u8:0..17 afi:u8:0..255 uid:bytes8 memory:bytes8 | result:u8
36 noise_floor! | zone:u8:0..17 level:u8:0..15 power:i8:-128..127 shots:u8:1..100 | heard:u8
37 read_rate! | zone:u8:0..17 level:u8:0..15 power:i8:-128..127 shots:u8:1..100 uid:bytes8 | good:u8 damaged:u8
38 calibrate! | zone:u8:0..17 level:u8:1..15 margin:u8:0..15 floor:u8:0..15 day:u16:0..65535\
 power:i8:-128..127
39 request! | seat:u8:0..3 text:bytes5 | done:u8
40 tag_password! | set:u8:0..1 replace:u8:0..1 password:u32:0..4294967295 | kept:u8
41 reader | reader:u8:0..4 | state:u8 fault:u8 major:u8 minor:u8
42 conflict |  | tile:u16 zone:u8 other:u8 hits:u8 other_hits:u8 ago_ms:u32
"""
)

EVENT_BY_NAME = {e.name: e for e in EVENTS}
EVENT_BY_NUMBER = {e.number: e for e in EVENTS}


def _text(layout: Layout) -> str:
    return "{} {} {}".format(layout.number, layout.name, layout.spec)


def _protocol() -> int:
    crc = 0
    for layout in FROM_HOST + FROM_TABLE + EVENTS + (RECORD,):
        crc = crc32(_text(layout).encode(), crc)
    crc = crc32(COMMANDS.text.encode(), crc)
    return crc32(",".join(STATUS).encode(), crc)


PROTOCOL = _protocol()
"""Hash over the whole table: two programs understand each other exactly if theirs are equal."""


def value_of(layout: Layout, field: int, value: object) -> object:
    """The number for a field given by one of its words ("shuffle"), anything else as it is; raises ValueError."""
    if isinstance(value, str):
        row = layout.fields[field]
        if len(row) < 3 or value not in row[2]:
            raise ValueError("{} has no {} called {}".format(layout.name, row[0], value))
        return row[2].index(value)
    return value
