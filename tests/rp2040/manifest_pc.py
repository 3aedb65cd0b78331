# Frozen into the 32-bit PC port: what a board has in flash, and the twin's shim below `.frozen/shim`.
# ruff: noqa: F821
include("$(MPY_DIR)/extmod/asyncio")
include("manifest_table.py")
for _name in ("_kernel", "machine", "select", "time"):
    freeze("../../hardware/twin", "shim/" + _name + ".py")
