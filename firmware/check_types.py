"""Type-check the firmware against the installed rp2 stubs; runs on CPython: python firmware/check_types.py

The stubs install beside ordinary packages, where mypy would not take them for a standard library; so they are
gathered into a folder of their own first.
"""

import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

STUBS = ("micropython-rp2-rpi_pico-stubs", "micropython-stdlib-stubs")
HERE = Path(__file__).resolve().parent


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        for name in STUBS:
            try:
                found = files(name) or []
            except PackageNotFoundError:
                print(f"{name} is not installed: pip install -r requirements-dev.txt", file=sys.stderr)
                return 2
            for file in found:
                if file.suffix == ".pyi" or file.name == "VERSIONS":
                    target = Path(folder, *file.parts)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    if not target.exists():
                        target.symlink_to(Path(str(file.locate())))
        return subprocess.run(
            [sys.executable, "-m", "mypy", "--config-file", str(HERE / "mypy.ini"), "--custom-typeshed-dir", folder,
             *(sys.argv[1:] or ("drivers", "controller"))],
            cwd=HERE, env={"MYPYPATH": folder},
        ).returncode  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
