"""Where the host tool keeps its things."""

from pathlib import Path

from platformdirs import user_data_path

STORE_NAME = "paiju.sqlite"


def data_folder(chosen: Path | None = None) -> Path:
    """The folder given by --data or PAIJU_DATA, else the user's own data folder."""
    return chosen if chosen is not None else user_data_path("paiju", appauthor=False)


def store_file(folder: Path) -> Path:
    return folder / STORE_NAME


def hand_log_file(folder: Path, n: int) -> Path:
    """The raw events of hand number n, as a log that `paiju replay` reads."""
    return folder / "hands" / f"{n:05d}.jsonl"
