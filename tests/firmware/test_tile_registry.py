"""The tile registry against tag memory as the rest of the project writes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from rig import plain

from twin.tags import crc16
from twin.tiles import make_die, make_set

UNKNOWN, FOREIGN = -2, -3
# Of two sets and two dice; nearly all of it is bytes, which are as many on a board.
REGISTRY_BYTES = 2500
PRESENCE_BYTES = 2500


def memory(head: bytes, uid: bytes, version: int = 1) -> bytes:
    return head + crc16(head + uid).to_bytes(2, "little") + bytes((version, 0))


def test_registry_finds_all_and_refuses_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tile = make_set(1, 5)[143]
    uid = tile.tag.uid.to_bytes(8, "little")
    cases = [
        (memory(b"PJ\1\x8f", uid), 0x18F),
        (memory(b"PJ\0\0", uid), 0),
        (memory(b"PD\1\6", uid), 0x8106),
        (memory(b"PJ\0\x90", uid), UNKNOWN),  # tile 144
        (memory(b"PJ\2\0", uid), UNKNOWN),
        (memory(b"PD\0\7", uid), UNKNOWN),
        (memory(b"PJ\0\0", bytes(8)), UNKNOWN),  # copied to another tag
        (memory(b"PJ\0\0", uid, 2), UNKNOWN),
        (bytes(8), FOREIGN),
        (memory(b"PX\0\0", uid), FOREIGN),
    ]
    data = tmp_path / "registry_cases.py"
    data.write_text(f"UID = {uid!r}\nMEMORIES = {[m for m, _ in cases]!r}\n")
    sizes, *lines = plain("registry", path=tmp_path)
    _, registry, _, presence = sizes.split()
    assert int(registry) <= REGISTRY_BYTES
    assert int(presence) <= PRESENCE_BYTES
    assert lines[:5] == [
        "ascending True 288",
        "stranger -1 True",
        "again 7 288",
        "maker -1 -2",
        "full True 300",
    ]
    assert [int(line.split()[1]) for line in lines[5:]] == [code for _, code in cases]


def test_the_twin_registers_tags_the_same_way() -> None:
    tile, face = make_set(0, 1)[5], make_die(1, 1)[2]
    for tag, head in ((tile.tag, b"PJ\0\5"), (face.tag, b"PD\1\3")):
        assert bytes(tag.memory[:8]) == memory(head, tag.uid.to_bytes(8, "little"))
