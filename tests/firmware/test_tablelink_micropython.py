"""`tablelink` on MicroPython: the same bytes as on CPython, no allocation in the steady state, nonsense survived."""

from __future__ import annotations

import random
from binascii import crc32
from pathlib import Path

import pytest
from rig import plain

from tablelink import messages as m
from tablelink.frame import Decoder, Encoder


def test_steady_state_allocates_nothing() -> None:
    out = plain("link_memory")
    assert out[0] == "locked 280 280"
    figures = {line.split()[0]: float(line.split()[1]) for line in out[1:]}
    assert set(figures) == {"encode_us", "decode_us", "append_us", "garbage_bytes", "chunked_kB_s"}
    assert figures["garbage_bytes"] == 0


def corpus(path: Path, inputs: int) -> int:
    """Write fuzz inputs: noise, sound frames of any content, and damaged ones; returns their CRC."""
    rng = random.Random(11)
    kinds = [row.number for row in m.FROM_HOST + m.FROM_TABLE]
    out = bytearray()
    for _ in range(inputs):
        choice = rng.randrange(3)
        data = bytearray(rng.randbytes(rng.randrange(40)))
        if choice:
            encoder = Encoder()
            end = encoder.START + len(data)
            encoder.buffer[encoder.START : end] = data
            data = bytearray(encoder.finish(rng.choice(kinds), end))
            if choice == 2:
                data[rng.randrange(len(data))] = rng.randrange(256)
        out += bytes([len(data)]) + data
    path.write_bytes(bytes(out))
    return crc32(bytes(out))


@pytest.mark.parametrize("inputs", [20_000])
def test_fuzz_corpus_is_read_alike(tmp_path: Path, inputs: int) -> None:
    path = tmp_path / "corpus"
    corpus(path, inputs)
    (line,) = plain("link_corpus", str(path))
    protocol, frames, bad, oversized, check, grown = (int(word) for word in line.split())
    decoder = Decoder()
    seen = 0
    data = path.read_bytes()
    at = 0
    while at < len(data):
        chunk = data[at + 1 : at + 1 + data[at]]
        at += 1 + data[at]
        for byte in chunk:
            if decoder.feed(byte):
                seen = crc32(bytes([decoder.kind]) + bytes(decoder.buffer[2 : decoder.end]), seen)
    assert protocol == m.PROTOCOL
    assert (frames, bad, oversized, check) == (decoder.frames, decoder.bad, decoder.oversized, seen)
    assert decoder.frames > inputs // 4
    assert grown == 0


def test_link_over_a_second_usb_interface() -> None:
    out = plain("usb_port")
    assert out[0].startswith("options 0 True")
    assert "'builtin_driver': True" in out[0]
    assert out[1] == f"frames {[m.HELLO.number, m.EVENTS_FRAME.number, m.BEAT.number]} 0 acknowledged 20"
