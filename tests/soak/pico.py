"""`make test-rp2040`: the chip's own build of the firmware on an emulated Pico."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    sys.exit(subprocess.run(["make", "test-rp2040"], cwd=ROOT, check=False).returncode)
