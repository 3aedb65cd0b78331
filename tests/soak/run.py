"""Runs every long run of this folder (or those named), one after another."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    names = sys.argv[1:]
    failed = []
    for path in sorted(HERE.glob("*.py")):
        if path == Path(__file__) or (names and path.stem not in names):
            continue
        print(f"\n== {path.stem}", flush=True)
        if subprocess.run([sys.executable, str(path)], check=False).returncode:
            failed.append(path.name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
