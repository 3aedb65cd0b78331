"""Starts the MicroPython PC port with a ROM image mapped beside its heap, as a board has it in flash.

    python port.py IMAGE [micropython arguments]

Bytecode in the image runs in place, so that the heap figure is that of a board with the same image (MicroPython's
ROMFS) in its flash, not that of a board which loads all code into RAM. Address and size are in TWIN_ROM.
"""

import ctypes
import mmap
import os
import sys

import micropython_module  # type: ignore[import-not-found]

if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        rom = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    os.environ["TWIN_ROM"] = f"{ctypes.addressof(ctypes.c_char.from_buffer(rom))} {len(rom)}"
    sys.exit(micropython_module.run_main(["micropython", *sys.argv[2:]]))
