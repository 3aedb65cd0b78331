"""Named faults of the table. Codes follow the fault catalogue; `part` is the side, reader or 0."""

from micropython import const

DECK_TIMEOUT = const(1)
TILE_SHORT = const(2)
TILE_EXTRA = const(3)
HEAD_JAM = const(11)
HEAD_STARVED = const(15)
PUSH_STUCK = const(21)
PLATE_LIMIT = const(31)
LIFT_NOT_UP = const(41)
LIFT_OVERLOAD = const(42)
LID_OPEN = const(43)
MOTOR_OPEN = const(53)
READER_DOWN = const(61)
DICE_FAIL = const(81)
CONFIG_BAD = const(92)
WDT_RESET = const(93)
BROWNOUT = const(94)
TASK_DIED = const(95)
CHIP_DOWN = const(96)


class Fault(Exception):
    """A step could not be done: `code` as above, `part` which one, `detail` what was measured."""

    def __init__(self, code, part=0, detail=0):
        super().__init__(code, part, detail)
        self.code = code
        self.part = part
        self.detail = detail
