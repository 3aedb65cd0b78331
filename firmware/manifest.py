# Frozen into the firmware image of a board: `make BOARD=RPI_PICO FROZEN_MANIFEST=.../manifest.py`.
include("$(MPY_DIR)/ports/rp2/boards/manifest.py")  # noqa: F821
require("usb-device-cdc")  # noqa: F821 - controller/usb_port.py
package("tablelink", base_path="lib")  # noqa: F821
package("drivers")  # noqa: F821
package("controller")  # noqa: F821
module("board.py")  # noqa: F821
module("boot.py")  # noqa: F821
module("main.py")  # noqa: F821
