"""What the host keeps: raw events, append-only, how far each table is acknowledged, and the hands made of them."""

from paiju.store.log import BadLine, EventLog, read_log, write_log
from paiju.store.store import CorrectionRow, HandRow, Store, StoreError, StreamRow, TimedEvent

__all__ = [
    "BadLine",
    "CorrectionRow",
    "EventLog",
    "HandRow",
    "Store",
    "StoreError",
    "StreamRow",
    "TimedEvent",
    "read_log",
    "write_log",
]
