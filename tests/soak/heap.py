"""An hour of hands on the 32-bit PC port in a heap of 192 KB: what is used after each, and whether it grows."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS = "3600"


def main() -> int:
    if subprocess.run([ROOT / "tools" / "build_micropython.sh"], check=False).returncode:
        return 1
    test = ROOT / "tests" / "rp2040" / "test_heap.py"
    return subprocess.run(
        [sys.executable, "-m", "pytest", str(test)], cwd=ROOT, env={**os.environ, "PAIJU_HEAP_SECONDS": SECONDS}
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
