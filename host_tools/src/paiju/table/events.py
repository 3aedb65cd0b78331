"""Events as the host sees them: decoded from, and encoded to, the record bytes of journal and wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tablelink import messages

_FIELDS = {layout.number: layout.fields for layout in messages.EVENTS}
_HEAD = messages.RECORD.size


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a table.

    `t_ms` counts from the table's start number `boot`. `fields` are numbers, words where the table of messages
    has words for the number, and hex text for bytes.
    """

    seq: int
    t_ms: int
    boot: int
    kind: str
    fields: Mapping[str, int | str]

    def __getitem__(self, name: str) -> int | str:
        return self.fields[name]

    @property
    def record(self) -> bytes:
        """The record's bytes."""
        layout = messages.EVENT_BY_NAME[self.kind]
        values: list[object] = []
        for row in _FIELDS[layout.number]:
            value: object = self.fields[row[0]]
            if row[1].startswith("bytes"):
                value = bytes.fromhex(str(value))
            elif isinstance(value, str):
                value = row[2].index(value)
            values.append(value)
        head: bytes = messages.RECORD.pack(self.seq, self.t_ms, self.boot, layout.number)
        tail: bytes = layout.pack(*values)
        return head + tail


class RecordError(ValueError):
    """The bytes are no event record of this version."""


def decode(record: bytes) -> Event:
    """The event of exactly one record; raises RecordError."""
    events = list(split(record))
    if len(events) != 1:
        raise RecordError(f"{len(record)} bytes are not one event record")
    return parse(events[0])


def parse(record: bytes) -> Event:
    """The event of a record that `split` gave."""
    seq, t_ms, boot, kind = messages.RECORD.unpack(record)
    layout = messages.EVENT_BY_NUMBER[kind]
    fields: dict[str, int | str] = {}
    for row, value in zip(_FIELDS[kind], layout.unpack(record, _HEAD), strict=True):
        if isinstance(value, bytes):
            value = value.hex()
        elif len(row) > 2 and value < len(row[2]):
            value = row[2][value]
        fields[row[0]] = value
    return Event(seq, t_ms, boot, layout.name, fields)


def split(data: bytes) -> Iterator[bytes]:
    """The records that lie one after another in `data`; raises RecordError at the first that is none."""
    at = 0
    while at < len(data):
        kind = data[at + 10] if at + 10 < len(data) else 0
        layout = messages.EVENT_BY_NUMBER.get(kind)
        if layout is None or at + messages.RECORD.size + layout.size > len(data):
            raise RecordError(f"no event record at byte {at} of {len(data)}")
        end = at + messages.RECORD.size + layout.size
        yield data[at:end]
        at = end
