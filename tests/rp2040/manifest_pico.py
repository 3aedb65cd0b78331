# Frozen into the RP2040 build: the port's own modules and the table's firmware.
# ruff: noqa: F821
freeze("$(PORT_DIR)/modules")
include("$(MPY_DIR)/extmod/asyncio")
include("manifest_table.py")
