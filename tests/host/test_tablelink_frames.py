"""Frames and the declared table: round trips, resynchronisation after garbage, and inputs of every kind."""

from __future__ import annotations

import sys
from binascii import crc32
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from link_pair import Pair, frame

from paiju.table import HostLink, RecordError, decode
from paiju.table.events import split
from tablelink import cobs, document
from tablelink import messages as m
from tablelink.frame import LIMIT, PAYLOAD, Decoder, Encoder

ROOT = Path(__file__).resolve().parents[2]


def encode(kind: int, payload: bytes) -> bytes:
    encoder = Encoder()
    end = encoder.START + len(payload)
    encoder.buffer[encoder.START : end] = payload
    return bytes(encoder.finish(kind, end))


def feed(decoder: Decoder, data: bytes) -> list[tuple[int, bytes]]:
    return [(decoder.kind, bytes(decoder.buffer[2 : decoder.end])) for byte in data if decoder.feed(byte)]


@settings(deadline=None)
@given(st.integers(0, 255), st.binary(max_size=PAYLOAD))
def test_frame_round_trip(kind: int, payload: bytes) -> None:
    wire = encode(kind, payload)
    assert len(wire) <= LIMIT
    assert wire[0] == wire[-1] == 0
    assert 0 not in wire[1:-1]
    assert feed(Decoder(), wire) == [(kind, payload)]


def test_frame_by_hand() -> None:
    body = bytes([7]) + b"a\x00b"
    check = crc32(body).to_bytes(4, "little")
    data = body + check
    stuffed = bytearray()
    for part in data.split(b"\x00"):
        stuffed += bytes([len(part) + 1]) + part
    assert encode(7, b"a\x00b") == b"\x00" + stuffed + b"\x00"


@settings(deadline=None)
@given(st.binary(max_size=600), st.lists(st.binary(max_size=60), max_size=5))
def test_any_garbage_before_costs_no_frame_after_it(garbage: bytes, payloads: list[bytes]) -> None:
    decoder = Decoder()
    feed(decoder, garbage)
    wire = b"".join(encode(9, p) for p in payloads)
    # A frame in the garbage itself would be one: take only what comes after.
    assert feed(decoder, b"\x00" + wire)[-len(payloads) or 1 :] == [(9, p) for p in payloads][-len(payloads) or 1 :]


@settings(deadline=None)
@given(st.binary(min_size=1, max_size=PAYLOAD), st.data())
def test_one_wrong_bit_is_never_taken(payload: bytes, data: st.DataObject) -> None:
    wire = bytearray(encode(5, payload))
    at = data.draw(st.integers(1, len(wire) - 2))
    wire[at] ^= 1 << data.draw(st.integers(0, 7))
    assert (5, payload) not in feed(Decoder(), bytes(wire))
    assert feed(Decoder(), bytes(wire)) == []


@settings(deadline=None)
@given(st.binary(max_size=252))
def test_cobs_in_place(data: bytes) -> None:
    buf = bytearray(b"\x00" + data + b"\xee")
    cobs.encode(buf, 0, len(data) + 1)
    assert 0 not in buf[:-1]
    assert cobs.decode(buf, len(data) + 1)
    assert buf[1:-1] == data
    assert buf[-1] == 0xEE


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=2000))
def test_decoders_take_anything(data: bytes) -> None:
    pair = Pair()
    pair.table.receive(bytearray(data), len(data), 0)
    host = HostLink(lambda _s, _j: 0)
    host.port_opened(0)
    host.receive(data, 0.1)
    assert len(host.take_output()) < 200


MESSAGE = st.sampled_from([row.number for row in m.FROM_HOST + m.FROM_TABLE] + [0, 77, 255])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(MESSAGE, st.binary(max_size=60)), max_size=20), st.booleans())
def test_sound_frames_of_any_content(messages: list[tuple[int, bytes]], in_step: bool) -> None:
    pair = Pair()
    if in_step:
        pair.emit(5)
        pair.connect()
    for kind, payload in messages:
        wire = encode(kind, payload)
        pair.table.receive(bytearray(wire), len(wire), pair.ms)
        pair.host.receive(wire, pair.now)
        pair.step()
    assert pair.journal.last == (5 if in_step else 0)
    assert pair.host.position <= 0xFFFFFFFF


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 255), st.binary(max_size=40))
def test_command_parser_takes_anything(code: int, arguments: bytes) -> None:
    pair = Pair()
    ran: list[tuple[object, ...]] = []
    for command in m.COMMANDS:
        if command.name not in ("ping", "stats"):
            pair.table.on(command.name, lambda *args, name=command.name: ran.append((name, *args)))
    pair.table.session = 1
    pair.table.visit = 1
    raw = frame(m.COMMAND, 5, pair.journal.boot, 1, 1, code, tail=arguments)
    pair.table.receive(bytearray(raw), len(raw), 0)
    for name, *args in ran:
        command = m.COMMANDS[str(name)]
        assert command.number == code
        assert not command.service
        for limits, value in zip(command.ranges, args, strict=True):
            assert not limits or limits[0] <= value <= limits[1]


@pytest.mark.parametrize("layout", m.EVENTS, ids=lambda e: e.name)
def test_event_records_round_trip(layout: m.Layout) -> None:
    top = {"u8": 255, "u16": 65535, "u32": 0xFFFFFFFF, "bytes8": b"\x00\xff" * 4}
    for values in ([top[f[1]] for f in layout.fields], [b"\0" * 8 if f[1] == "bytes8" else 1 for f in layout.fields]):
        record = m.RECORD.pack(7, 123456, 3, layout.number) + layout.pack(*values)
        assert len(record) <= m.RECORD_LIMIT
        event = decode(record)
        assert (event.seq, event.t_ms, event.boot, event.kind) == (7, 123456, 3, layout.name)
        assert event.record == record


def test_records_that_are_none() -> None:
    good = m.RECORD.pack(1, 0, 1, 5) + b"\x01\x02\x00"
    for bad in (b"", good[:-1], good + b"\x00", good + good, m.RECORD.pack(1, 0, 1, 99)):
        with pytest.raises(RecordError):
            decode(bad)
    assert list(split(good + good)) == [good, good]


def test_numbers_and_names_are_used_once() -> None:
    for table in (m.FROM_HOST + m.FROM_TABLE, m.EVENTS, m.COMMANDS):
        rows = list(table)
        assert len({row.number for row in rows}) == len(rows)
        assert len({row.name for row in rows}) == len(rows)


def test_commands_can_be_answered() -> None:
    from tablelink.table_end import REPLY_LIMIT

    assert all(command.reply.size <= REPLY_LIMIT for command in m.COMMANDS)
    assert all(len(event.fields) <= 5 for event in m.EVENTS)


def test_the_protocol_page_is_fresh() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    assert page == document.document(), "run: make docs"


def test_words_of_fields() -> None:
    cycle = m.EVENT_BY_NAME["cycle"]
    assert m.value_of(cycle, 0, "shuffle") == 1
    assert m.value_of(cycle, 0, 5) == 5
    with pytest.raises(ValueError, match="nonsense"):
        m.value_of(cycle, 0, "nonsense")
