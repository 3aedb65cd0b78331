"""Recorded link traffic: every byte with its time and direction as JSON lines, and what it says."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from paiju.i18n import _
from paiju.table import events
from paiju.table.host_link import describe
from tablelink import messages
from tablelink.frame import Decoder

FORMAT = "paiju traffic 1"
_LAYOUTS = {layout.number: layout for layout in messages.FROM_HOST + messages.FROM_TABLE}


class TrafficError(ValueError):
    """The file is no recording; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes of one read or write: seconds since the recording began, "<" from the table or ">" to it."""

    t: float
    direction: str
    data: bytes


class Recorder:
    """Writes a recording; give `tap` to a connection."""

    def __init__(self, path: str | Path, port: str) -> None:
        self._file: IO[str] = open(path, "w", encoding="utf-8", newline="\n")  # noqa: SIM115
        self._start = time.monotonic()
        self.bytes = 0
        self._line({"format": FORMAT, "port": port, "protocol": f"{messages.PROTOCOL:08x}"})

    def tap(self, direction: str, data: bytes) -> None:
        self.bytes += len(data)
        self._line({"t": round(time.monotonic() - self._start, 6), "dir": direction, "hex": data.hex()})

    def close(self) -> None:
        self._file.close()

    def _line(self, row: dict[str, object]) -> None:
        self._file.write(json.dumps(row) + "\n")


def read_traffic(path: str | Path) -> Iterator[Chunk]:
    """The chunks of a recording; raises OSError, and TrafficError at the first bad line."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line)
                if number > 1:
                    yield Chunk(float(row["t"]), str(row["dir"]), bytes.fromhex(row["hex"]))
                    continue
                known = row.get("format") == FORMAT
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                if number > 1:
                    raise TrafficError(
                        _("Line {n} of {path} is damaged or cut.").format(n=number, path=path)
                    ) from error
                known = False
            if not known:
                raise TrafficError(_("{path} is no recording of link traffic.").format(path=path))


class Reading:
    """Turns chunks into lines of text; counts what it could not read."""

    def __init__(self, say: Callable[[float, str, str], None]) -> None:
        self.events: dict[int, bytes] = {}  # event records by number, each once
        self.frames = 0
        self._say = say
        self._decoders = {"<": Decoder(), ">": Decoder()}

    @property
    def bad(self) -> int:
        return sum(d.bad + d.oversized for d in self._decoders.values())

    def feed(self, chunk: Chunk) -> None:
        decoder = self._decoders.get(chunk.direction)
        if decoder is None:
            return
        for byte in chunk.data:
            if not decoder.feed(byte):
                continue
            self.frames += 1
            payload = bytes(decoder.buffer[decoder.START : decoder.end])
            layout = _LAYOUTS.get(decoder.kind)
            if layout is None or len(payload) < layout.size:
                self._say(chunk.t, chunk.direction, f"message {decoder.kind} {payload.hex()}")
                continue
            for text in describe(layout, payload):
                self._say(chunk.t, chunk.direction, text)
            if layout is messages.EVENTS_FRAME:
                self._keep(payload)

    def _keep(self, payload: bytes) -> None:
        try:
            for record in events.split(payload):
                self.events.setdefault(int.from_bytes(record[:4], "little"), record)
        except events.RecordError:
            return
