"""A second USB serial interface for the link, beside the REPL's: no print and no traceback can enter it.

Needs `usb-device-cdc` of micropython-lib, which firmware/manifest.py declares.
"""

import usb.device  # type: ignore[import-not-found]
from usb.device.cdc import CDCInterface  # type: ignore[import-not-found]


def open_port():
    """The stream to give to `Link`; the host finds it as the table's second serial port."""
    # Without a time-out it takes or gives what fits and returns; by default it waits a second, and all tasks with it.
    port = CDCInterface(timeout=0, txbuf=512, rxbuf=512)
    # The class of a device with several functions: some systems look for a second one only then.
    usb.device.get().init(port, builtin_driver=True, device_class=0xEF, device_subclass=2, device_protocol=1)
    return port
