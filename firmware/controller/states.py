"""The cycle's states and the only ways between them; the cycle refuses any other.

idle -> shuffle -> stack -> audit -> hold -> raise -> ready -> collect -> idle, and from everywhere to fault.
"""

# Name, longest stay in s (0 = until somebody presses), the states that may follow. The order is that of the numbers
# kept in `memory`: append only.
STATES = (
    ("idle", 0, ("home", "shuffle", "stack", "collect", "fault")),
    ("home", 60, ("shuffle", "stack", "collect", "raise", "hold", "idle", "ready", "fault")),
    ("shuffle", 30, ("stack", "fault")),
    ("stack", 95, ("audit", "pause", "fault")),
    ("pause", 0, ("stack", "fault")),
    ("audit", 2, ("hold", "fault")),
    ("hold", 0, ("home", "raise", "collect", "fault")),
    ("raise", 60, ("ready", "fault")),
    ("ready", 0, ("home", "collect", "shuffle", "stack", "fault")),
    ("collect", 0, ("idle", "hold", "fault")),
    ("fault", 0, ("home", "fault")),
)
NAMES = tuple([row[0] for row in STATES])
AT_REST = ("idle", "hold", "ready", "fault")


def allowed(old, new):
    return new in STATES[NAMES.index(old)][2]
