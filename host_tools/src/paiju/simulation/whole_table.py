"""A recorded hand played on the whole simulated table: people, chips, the real firmware, the link. Needs the twin."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from paiju.game.events import TableEvent
from paiju.store import Store
from paiju.table.events import Event
from paiju.table.virtual import VirtualConnection

LIMIT_S = 1500.0
"""Virtual seconds for a hand; the longest of the corpora takes under 900."""
AFTERWARDS_S = 3.0


def noises() -> list[str]:
    """Names of the noises on the air. ImportError without the twin."""
    from twin.noise import PROFILES

    return list(PROFILES)


def play_out(record: Mapping[str, Any], seed: int, noise: str | None = None) -> Sequence[TableEvent]:
    """The events that the firmware sends of a neutral hand; ValueError when it cannot be played to its end."""
    from twin.firmware import BuildError
    from twin.kernel import FirmwareError
    from twin.script import parse
    from twin.table import Table

    events: list[Event] = []
    with tempfile.TemporaryDirectory(prefix="paiju-replay-") as folder:
        store = Store(Path(folder) / "events.sqlite")
        try:
            table = Table(seed, parse(dict(record)), noise=noise)
            connection = VirtualConnection(table.clock, table.uart, store, events.extend, seed)
            with table:
                table.run_for(LIMIT_S, lambda: table.world.done or table.world.problem is not None)
                table.run_for(AFTERWARDS_S)
            connection.stop()
            if table.world.problem is not None or not table.world.done:
                raise ValueError(table.world.problem or "the hand does not come to its end")
        except (BuildError, FirmwareError) as error:
            raise ValueError(str(error)) from error
        finally:
            store.close()
    return events
