"""Other people's records of hands, read and written: one visitor is shared by readers, writers and the recorder."""

from paiju.game.formats.botzone_json import read_botzone_json, write_botzone_json
from paiju.game.formats.botzone_text import read_botzone_text, write_botzone_text
from paiju.game.formats.declared import Declared
from paiju.game.formats.detect import Import, decoded, read_hands
from paiju.game.formats.neutral import read_neutral, write_neutral
from paiju.game.formats.pmn import read_pmn, write_pmn
from paiju.game.formats.recorder import Recorder
from paiju.game.formats.tziakcha import read_tziakcha, write_tziakcha
from paiju.game.formats.visitor import FormatError, Visitor, visit

__all__ = [
    "Declared",
    "FormatError",
    "Import",
    "Recorder",
    "Visitor",
    "decoded",
    "read_botzone_json",
    "read_botzone_text",
    "read_hands",
    "read_neutral",
    "read_pmn",
    "read_tziakcha",
    "visit",
    "write_botzone_json",
    "write_botzone_text",
    "write_neutral",
    "write_pmn",
    "write_tziakcha",
]
