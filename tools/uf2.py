"""Packs a flash image into UF2 blocks for an RP2040: uf2.py FIRMWARE.bin OUT.uf2 (format: Microsoft UF2)."""

import struct
import sys
from pathlib import Path

FLASH = 0x10000000
FAMILY = 0xE48BFF56  # RP2040
PAYLOAD = 256


def pack(image: bytes, address: int = FLASH) -> bytes:
    """UF2 blocks of 512 bytes, each with 256 of `image` for its place from `address` on."""
    count = -(-len(image) // PAYLOAD)
    blocks = []
    for n in range(count):
        part = image[n * PAYLOAD : (n + 1) * PAYLOAD].ljust(PAYLOAD, b"\0")
        head = struct.pack("<8I", 0x0A324655, 0x9E5D5157, 0x2000, address + n * PAYLOAD, PAYLOAD, n, count, FAMILY)
        blocks.append((head + part).ljust(508, b"\0") + struct.pack("<I", 0x0AB16F30))
    return b"".join(blocks)


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(pack(Path(sys.argv[1]).read_bytes()))
