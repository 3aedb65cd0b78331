# Calibrations with and without a power are loaded from a folder.

import os
import sys
from array import array

from controller.calibration import Calibration
from controller.settings import Settings


class Radio:
    def __init__(self):
        self.levels = bytearray([4] * 18)
        self.powers = array("b", bytes(18))


os.chdir(sys.argv[1])
Settings("radio", {}).save(**{"2": [6, 3, 2, 9000]})
Calibration(Radio()).keep(5, 7, 4, 2, 9001, -33)
radio = Radio()
calibration = Calibration(radio)
calibration.load()
for zone in (2, 5, 6):
    print(zone, radio.levels[zone], radio.powers[zone], calibration.of(zone))
