"""What is written into a tile's tag (docs/architecture.md, "Zones and tiles"). Pure."""

from __future__ import annotations

from binascii import crc_hqx

AFI_TILE = 0x50  # + set
AFI_DIE = 0x5D
TILES = 144
VERSION = 1
_REVERSED = bytes(int(f"{i:08b}"[::-1], 2) for i in range(256))


def crc16(data: bytes) -> int:
    """CRC of ISO/IEC 15693: preset FFFFh, reflected 8408h, inverted."""
    crc = crc_hqx(data.translate(_REVERSED), 0xFFFF)
    return (_REVERSED[crc & 0xFF] << 8 | _REVERSED[crc >> 8]) ^ 0xFFFF


def tile_memory(uid: bytes, tile_set: int, tile: int) -> bytes:
    """Blocks 0 and 1 of tile 0-143 of a set (0 = A, 1 = B); `uid` low byte first."""
    head = bytes((0x50, 0x4A, tile_set, tile))
    return head + crc16(head + uid).to_bytes(2, "little") + bytes((VERSION, 0))


def read_tile(uid: bytes, memory: bytes) -> tuple[int, int] | None:
    """(set, tile) of a tile's memory; None for a tag that is no registered tile."""
    if memory[:2] != b"PJ" or memory[2] > 1 or memory[3] >= TILES:
        return None
    return (memory[2], memory[3]) if memory == tile_memory(uid, memory[2], memory[3]) else None


def is_slix2(uid: bytes) -> bool:
    """Whether the UID is one that NXP gives to this kind of tag (E0 04 01, type bits 01)."""
    return uid[5:] == b"\x01\x04\xe0" and uid[4] & 0x18 == 0x08
