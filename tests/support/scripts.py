"""Runs scripts one after another and says which failed."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


def run_all(scripts: Mapping[str, Path]) -> int:
    """Those named on the command line, all without a name; the exit code."""
    names = sys.argv[1:]
    failed = []
    for name, path in sorted(scripts.items()):
        if names and name not in names:
            continue
        print(f"\n== {name}", flush=True)
        if subprocess.run([sys.executable, str(path)], check=False).returncode:
            failed.append(path.name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)
