"""Draws docs/images/*.svg from a hand that is really played: python docs/pictures.py"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from rich.console import Console, RenderableType

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.playing import open_evening

from paiju.game.position import Setup
from paiju.game.tracker import Tracker
from paiju.i18n import set_language
from paiju.view.live import live_view
from paiju.view.result import result_view

IMAGES = Path(__file__).parent / "images"
MIDDLE_S = 62.0


def draw(name: str, title: str, *views: RenderableType) -> None:
    """One picture, with the reader's own fixed-width font instead of one from elsewhere."""
    console = Console(record=True, width=92, file=open("/dev/null", "w"))  # noqa: SIM115
    for view in views:
        console.print(view)
    svg = console.export_svg(title=title)
    (IMAGES / f"{name}.svg").write_text(re.sub(r"@font-face \{.*?\}\n", "", svg, flags=re.S))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        evening = open_evening(1, Path(folder))
        with evening.table as table:
            table.run_for(MIDDLE_S)
            tracker = Tracker(Setup(evening.script.dealer, evening.script.prevalent_wind, "mcr1998"))
            for event in evening.events:
                tracker.feed(event)
            for language in ("en", "zh_Hans", "zh_Hant"):
                set_language(language)
                draw(f"live.{language}", "paiju run", live_view(tracker, "", True))
            table.run_for(60, lambda: bool(evening.records))
        for language in ("en", "zh_Hans", "zh_Hant"):
            set_language(language)
            draw(f"result.{language}", "paiju hand 1", result_view(evening.record))


if __name__ == "__main__":
    main()
