# The table's firmware without what Debian's sources lack (micropython-lib).
# ruff: noqa: F821
_TABLE = "../../firmware"
package("tablelink", base_path=_TABLE + "/lib")
package("drivers", base_path=_TABLE)
package("controller", base_path=_TABLE)
for _name in ("board.py", "boot.py", "main.py"):
    module(_name, base_path=_TABLE)
