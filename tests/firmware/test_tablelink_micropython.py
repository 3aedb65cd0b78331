"""`tablelink` on MicroPython: the same bytes as on CPython, no allocation in the steady state, nonsense survived."""

from __future__ import annotations

import sys
from pathlib import Path

from rig import plain

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "soak"))

from fuzz_link import compare


def test_steady_state_allocates_nothing() -> None:
    out = plain("link_memory")
    assert out[0] == "locked 280 280"
    figures = {line.split()[0]: float(line.split()[1]) for line in out[1:]}
    assert set(figures) == {"encode_us", "decode_us", "append_us", "garbage_bytes", "chunked_kB_s"}
    assert figures["garbage_bytes"] == 0


def test_fuzz_corpus_is_read_alike() -> None:
    """`tests/soak/fuzz_link.py --micropython` does it with ten million."""
    compared = compare(20_000)
    assert compared.cpython == compared.micropython
    counts = dict(zip(compared.FIELDS, compared.cpython, strict=True))
    assert counts["inputs"] == 20_000
    assert min(counts["frames"], counts["bad"], counts["refused"]) > 4000
    assert counts["oversized"] > 10


def test_link_over_a_second_usb_interface() -> None:
    out = plain("usb_port")
    assert out == [
        "device True True 239 2 1",
        "unplugged: sent 0, waits 0",
        "in step: acknowledged 20, damaged 0",
        "host does not read: kept 512, waits 0",
        "pulled in a transfer, plugged in: acknowledged 320, frames in order True, waits 0",
    ]
