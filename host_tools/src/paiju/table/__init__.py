"""Connection to a table's controller: the link's host end, ports, commands, events."""

from paiju.table.connection import AUTO, Connection, probe
from paiju.table.events import Event, RecordError, decode
from paiju.table.host_link import CommandRefused, Hello, HostLink, Pending, Reply, State, Statistics
from paiju.table.serial_port import Candidate, PortError, SerialPort, candidates

__all__ = [
    "AUTO",
    "Candidate",
    "CommandRefused",
    "Connection",
    "Event",
    "Hello",
    "HostLink",
    "Pending",
    "PortError",
    "RecordError",
    "Reply",
    "SerialPort",
    "State",
    "Statistics",
    "candidates",
    "decode",
    "probe",
]
