"""Makes docs/protocol.md from the table of messages: `python -m tablelink.document > docs/protocol.md`.

For CPython only. The words live here and not in `messages`, to spare the controller's memory.
"""

# ruff: noqa: E501 - prose
import sys
from collections.abc import Iterable, Sequence

from tablelink import frame, messages, sender, table_end

_MEANING = {
    "open": "The host asks who is there and starts a session with a random number. Repeated until `hello` comes.",
    "resume": "The host has everything up to `stored` of this journal; events flow from the next one.",
    "ack": "Everything up to `stored` is committed at the host; `missing` asks for the next one at once.",
    "sync": "Sign of life and question for the time; answered by `beat` with the same token.",
    "command": "A command with a random id, the `nth` of this visit of the host, then its arguments.",
    "renew": "Keeps the lease of the command with this id.",
    "close": "The host leaves.",
    "hello": "Who the table is and what it retains; `visit` counts the sessions since its start; session 0 when it answers to none. Also sent at every start.",
    "events": "One or more event records, in order.",
    "beat": "The table's time in ms since its start, its last number, what is acknowledged, whether events flow.",
    "reply": "The one answer to a command: status, then the reply's fields if it is `ok`.",
    "lapsed": "The lease of a command ran out; what it started was stopped.",
    "note": "Something was refused; told once, not repeated.",
    "boot": "First event after every start.",
    "cycle": "The cycle entered a named state.",
    "audit": "Verdict of the wall audit; never an order.",
    "dice": "Both dice at rest and read.",
    "enter": "The tile is now known to be in the zone; before it was in none.",
    "leave": "The tile is no longer in the zone and in no other.",
    "moved": "Hand-over between zones as one event.",
    "tag": "A tag that is no tile of the registry.",
    "button": "A button; seat 255 is the console.",
    "zone_read": "The zone was read in full after a button asked for it; all changes seen are already sent.",
    "reader": "A reader went down, degraded or back to ok.",
    "fault": "A named fault was latched or cleared.",
    "cleared": "A latched fault is gone.",
    "picture": "All inputs as they were when a fault was latched.",
    "missing": "A tile that the wall audit did not find.",
    "conflict": "A tile of a zone that another zone keeps hearing: in how many of 16 looks either heard it.",
    "opening": "Where the wall is broken: seat, stack from its right, points of both throws.",
    "gap": "Events `first` to `last` are lost: overwritten because no host took them in time, delivered to a host "
    "earlier and not retained, or unreadable. Its own number is `last`.",
}

_COMMANDS = {
    "ping": "Answers with its token.",
    "stats": "The table's counters of the link.",
    "display": "Shows five characters at a seat.",
    "lamp": "Sets a lamp: 0 off, 1 on, 2 slow, 3 fast.",
    "beep": "Sounds the buzzer.",
    "home": "Homes every axis at low speed.",
    "test": "Runs one axis through its travel; answers fault code, time and highest current.",
    "inputs": "The inputs as they are now, the cycle's state and fault, the 24 V rail.",
    "counters": "Counts of cycles, walls and stops, and the work of each kind of axis.",
    "fault_count": "How often a fault has happened.",
    "setup": "Stacks a side, sets in use, throws of the dice; from the next cycle on.",
    "dealer": "Tells the table who deals.",
    "forget": "The plates have been emptied by hand: the next wall begins with nothing.",
    "zone": "A zone's reader (0 ok, 1 degraded, 2 down) and its failures since the start; when it was last asked and "
    "when a tag last answered in it (4294967295: never, or days ago), counters, and its calibration with the day "
    "since 2000.",
    "workbench": "Gives the readers to the technician; the surface is not scanned while the lease lasts.",
    "tag": "A tag of the zone with blocks 0 and 1 of its memory; number 0 reads the zone anew.",
    "tag_write": "Writes blocks 0 and 1 and the AFI under the set's password, and reads back: 0 good, 1 silent, "
    "2 refused, 3 differs, 4 protected by another password.",
    "tag_password": "Keeps the write password of a set's tags; `kept` 0: it has one, which stands unless `replace` is 1. "
    "Nothing tells it.",
    "reader": "A reader (0 ok, 1 degraded, 2 down), its last fault (0 none, 1 dead, 2 hung, 3 command refused, 4 too hot, "
    "5 field lost) and the version of its firmware.",
    "noise_floor": "Slots of `shots` that held something though no tag was asked; `power` is the field's trim, 0 as the reader comes.",
    "read_rate": "Answers of one tag to `shots` requests, heard with the receiver's threshold at `level` and the field at `power`.",
    "calibrate": "Keeps a zone's receiver threshold, margin, noise floor and power on the table.",
    "conflict": "The last event of this name and how long ago it was; zone 255 if there was none.",
    "request": "Shows a request at a seat and waits a while for its referee button.",
    "memory": "Bytes of the controller's heap used and free.",
    "jog": "Turns one axis while the lease lasts.",
}

PROMISES = (
    ("Klipper", "commands are acknowledged and resent; what the device sends to the host may be lost"),
    ("MAVLink events", "resent by sequence number, for a single source, made for less than one event a second"),
    ("Firmata", "no loss handling in either direction"),
    ("paiju", "every event of one table once and in order, or a gap that names it; commands once"),
)


def document() -> str:
    """The page as Markdown."""
    m = messages
    out = (
        [
            "# The link's protocol",
            "",
            "Made from `firmware/lib/tablelink/messages.py` by `python -m tablelink.document`; "
            "do not edit. "
            f"Protocol `{m.PROTOCOL:08x}`: a hash over everything declared there. Two programs work together only if "
            "theirs are equal; otherwise the host names both and refuses.",
            "",
            "## Frames",
            "",
            "`00` COBS(type u8, payload, CRC-32 u32) `00`. Numbers are little-endian. The CRC is that of zlib, over type "
            f"and payload. A frame is at most {frame.LIMIT} bytes long with both delimiters, so a payload at most "
            f"{frame.PAYLOAD}; COBS then needs exactly one byte. A receiver drops whatever is no sound frame, up to the "
            "next `00`; a frame begun and not continued "
            f"for {table_end.PARTIAL_MS} ms is given up. The bytes are the same over USB, UART, TCP and a "
            "pseudo-terminal; no print ever goes there, and a 03 in a frame means nothing.",
            "",
            "## Conversation",
            "",
            "1. The host sends `open` with a random session until the table answers `hello` with that session.",
            "2. The host looks up how far it has stored that journal of that table and sends `resume` until a `beat` says "
            "that events flow. Then it is in step.",
            "3. The table sends every event from there on, at most "
            f"{sender.WINDOW} ahead of the acknowledgement. The host takes them only in order; it sends `ack` when "
            "they are committed, in the same transaction as the number acknowledged.",
            "4. Without an acknowledgement in the time that the measured round trip suggests, or when the host says that "
            "the next one is missing, the table goes back to the first event not acknowledged and sends shorter frames "
            "and fewer ahead for a while.",
            "5. Both ends give signs of life (`sync`, `beat`). The table forgets a host that is silent for "
            f"{table_end.SESSION_MS} ms; the host opens again, for ever. A `hello` with another session means that "
            "the table restarted or forgot the host.",
            "",
            "An event lies in the table's journal (FRAM) before it is sent, and stays there until the ring comes round. "
            "What the ring overwrote before a host had it is told as a `gap`. So each event is in the store once and in "
            "order, or in a gap. An acknowledgement beyond what was sent in the session is refused and noted.",
            "",
            "A command is sent again until its answer comes, over reconnects too. The table keeps the answers of the last "
            f"{table_end.RECENT} commands and runs no id twice. Besides, a command carries the start and the visit that "
            "`hello` told and its number in that visit, so an old frame that turns up late, however late, is refused as "
            "`stale_command`: it neither runs again nor keeps a lease. What became of a command that was under way at a "
            "restart of the table is told as unknown, and it is never tried again. A leased "
            f"command stops by itself {table_end.LEASE_MS} ms after the last `renew`.",
            "",
            "The host tells the table's clock by `sync` and `beat`: the answer was made between question and arrival, so "
            "half the tightest round trip, 1 ms of resolution, and 100 ppm of age bound the error of an event's wall "
            "clock time.",
            "",
            "### What others promise",
            "",
        ]
        + _rows(("system", "promise"), PROMISES)
        + [
            "",
            "## Messages from the host",
            "",
        ]
        + _layouts(m.FROM_HOST)
        + [
            "",
            "## Messages from the table",
            "",
        ]
        + _layouts(m.FROM_TABLE)
        + [
            "",
            "`open` and the first two fields of `hello` are the same in every version. `version` is major << 16 | minor "
            "<< 8 | patch.",
            "",
            "## Events",
            "",
            f"A record begins with {_fields(m.RECORD)}; `t_ms` counts from the start number `boot`. The same bytes lie in "
            "the journal. Numbers and layouts of events are never changed or used again.",
            "",
        ]
        + _layouts(m.EVENTS)
        + [
            "",
            "Zones and tiles: see architecture.md.",
            "",
            "## Commands",
            "",
        ]
        + _rows(
            ("number", "command", "arguments", "reply", "allowed", "meaning"),
            (
                (
                    str(c.number),
                    f"`{c.name}`",
                    _arguments(c),
                    _fields(c.reply),
                    ("service mode" if c.service else "always") + (", leased" if c.lease else ""),
                    _meaning(_COMMANDS, c.name),
                )
                for c in m.COMMANDS
            ),
        )
        + [
            "",
            "Status of a reply: " + _words(m.STATUS) + ".",
            "",
        ]
    )
    return "\n".join(out)


def _layouts(layouts: Iterable[messages.Layout]) -> list[str]:
    return _rows(
        ("number", "name", "fields", "meaning"),
        ((str(row.number), f"`{row.name}`", _fields(row), _meaning(_MEANING, row.name)) for row in layouts),
    )


def _meaning(words: dict[str, str], name: str) -> str:
    if name not in words:
        raise LookupError(f"say in {__file__} what {name} means")
    return words[name]


def _fields(layout: messages.Layout) -> str:
    words = []
    for row in layout.fields:
        names = f" ({_words(row[2])})" if len(row) > 2 else ""
        words.append(f"{row[0]} {row[1]}{names}")
    if layout.tail:
        words.append("…")
    return ", ".join(words) or "–"


def _arguments(command: messages.Command) -> str:
    words = []
    for row, limits in zip(command.arguments.fields, command.ranges, strict=True):
        words.append(f"{row[0]} {row[1]}" + (f" ({limits[0]}–{limits[1]})" if limits else ""))
    return ", ".join(words) or "–"


def _words(names: Sequence[str]) -> str:
    return ", ".join(f"{n} {name}" for n, name in enumerate(names))


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    out = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    out += [f"| {' | '.join(row)} |" for row in rows]
    return out


if __name__ == "__main__":
    sys.stdout.buffer.write(document().encode())
