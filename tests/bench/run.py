"""Runs every bench_*.py of this folder (or those named) and prints their figures."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.scripts import run_all

HERE = Path(__file__).parent

if __name__ == "__main__":
    sys.exit(run_all({path.stem.removeprefix("bench_"): path for path in HERE.glob("bench_*.py")}))
