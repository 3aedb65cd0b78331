"""Connection to a table's controller: the link's host end, ports, commands, events."""

from paiju.table.events import Event, RecordError, decode
from paiju.table.host_link import CommandRefused, Hello, HostLink, Pending, Reply, State, Statistics

__all__ = [
    "CommandRefused",
    "Event",
    "Hello",
    "HostLink",
    "Pending",
    "RecordError",
    "Reply",
    "State",
    "Statistics",
    "decode",
]
