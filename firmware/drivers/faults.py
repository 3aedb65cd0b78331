"""What can go wrong below the drivers, by name. `part` is the chip or reader, `what` one short sentence."""


class DriverFault(Exception):
    """A chip did not do its work; `str()` names it and says what was seen."""

    def __init__(self, part, what):
        super().__init__(part, what)
        self.part = part
        self.what = what

    def __str__(self):
        return self.part + ": " + self.what


class BusFault(DriverFault):
    """A chip does not answer, or not as its data sheet says."""


class ReaderFault(DriverFault):
    """A reader needs its reset; nothing it said last counts."""


class ReaderDead(ReaderFault):
    """Reads 00h or FFh where a version or a status must be."""


class ReaderHung(ReaderFault):
    """BUSY or an interrupt did not come within its limit."""


class ReaderOrder(ReaderFault):
    """The chip refused a command (GENERAL_ERROR): its state is not the one we believed."""


class ReaderHot(ReaderFault):
    """The chip is too hot and has switched its field off."""


class FieldLost(ReaderFault):
    """The RF field is off though it was switched on: silence means nothing."""
