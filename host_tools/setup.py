"""Compiles the scoring core with mypyc where PAIJU_COMPILE=1 asks for it; otherwise the package is plain Python.

PAIJU_COMPILE=1 pip install --no-build-isolation ./host_tools      # needs mypy and a C compiler
"""

import os

from setuptools import setup

COMPILED = (
    "rules/blocks",
    "rules/combinations",
    "rules/competitive",
    "rules/competitive_readings",
    "rules/completion",
    "rules/engine",
    "rules/exclusion",
    "rules/explain",
    "rules/fans",
    "rules/readings",
    "rules/score",
    "rules/scoring",
)


def extensions() -> list:
    if os.environ.get("PAIJU_COMPILE") != "1":
        return []
    from mypyc.build import mypycify

    os.environ.setdefault("MYPYPATH", "src")
    options = ["--config-file=", "--explicit-package-bases", "--namespace-packages"]
    return mypycify([*options, *(f"src/paiju/{name}.py" for name in COMPILED)], opt_level="3")


setup(ext_modules=extensions())
