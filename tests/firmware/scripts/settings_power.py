# The power fails at every block operation of a settings save on littlefs; every image must mount with old or new.

import vfs

from controller.settings import Settings, SettingsError

BLOCK = 512
BLOCKS = 64
PATHS = ("/flash/settings.0", "/flash/settings.1")


class Cut(Exception):
    pass


class Flash:
    """Flash in RAM; after `left` whole operations, the next stops when `share` of its bytes are done."""

    def __init__(self, memory=None):
        self.memory = bytearray(memory) if memory else bytearray(b"\xff" * (BLOCK * BLOCKS))
        self.left = -1
        self.share = 0.5
        self.dead = False
        self.operations = 0

    def readblocks(self, block, buf, offset=0):
        if self.dead:
            return -5
        at = block * BLOCK + offset
        buf[:] = self.memory[at : at + len(buf)]

    def writeblocks(self, block, buf, offset=None):
        if self.dead:
            return -5
        if offset is None:
            self.ioctl(6, block)
            offset = 0
        at = block * BLOCK + offset
        n = self._spend(len(buf))
        self.memory[at : at + n] = buf[:n]
        if n < len(buf):
            raise Cut

    def ioctl(self, op, arg):
        if op == 4:
            return BLOCKS
        if op == 5:
            return BLOCK
        if op == 6:
            if self.dead:
                return -5
            n = self._spend(BLOCK)
            self.memory[arg * BLOCK : arg * BLOCK + n] = b"\xff" * n
            if n < BLOCK:
                raise Cut
            return 0
        return 0

    def _spend(self, size):
        self.operations += 1
        if self.left == 0:
            self.dead = True
            return int(size * self.share)
        self.left -= 1
        return size


def mounted(flash):
    vfs.mount(vfs.VfsLfs2(flash), "/flash")
    return Settings("/flash/settings", {"name": "default", "offset": 0})


flash = Flash()
vfs.VfsLfs2.mkfs(flash)
settings = mounted(flash)
print("default", settings["name"], settings.damaged)
for n in range(5):
    settings.save(name="old", offset=n)
vfs.umount("/flash")
image = bytes(flash.memory)

old = new = cut = tried = 0
while True:
    tried += 1
    flash = Flash(image)
    settings = mounted(flash)
    flash.left = cut
    flash.share = tried % 5 / 4.01
    flash.operations = 0
    whole = False
    try:
        settings.save(name="new", offset=99, more="x" * 300)
        whole = True
    except (Cut, OSError):
        pass
    try:  # noqa: SIM105 - no contextlib here
        vfs.umount("/flash")
    except (Cut, OSError):
        pass
    operations = flash.operations
    flash = Flash(flash.memory)
    again = mounted(flash)
    values = (again["name"], again["offset"])
    assert values in (("old", 4), ("new", 99)), values
    assert not whole or values == ("new", 99)
    if values[0] == "old":
        old += 1
    else:
        new += 1
    # And it can be saved again.
    again.save(name="after")
    vfs.umount("/flash")
    flash = Flash(flash.memory)
    assert mounted(flash)["name"] == "after"
    vfs.umount("/flash")
    if whole:
        break
    cut += tried % 5 == 0
print("cuts", tried - 1, "old", old, "new", new, "operations", operations)

flash = Flash(image)
settings = mounted(flash)
for copy in (0, 1):
    with open(PATHS[copy], "r+b") as file:
        data = bytearray(file.read())
    for at in (0, 5, 9, 13, len(data) - 1):
        data[at] ^= 1
        with open(PATHS[copy], "wb") as file:
            file.write(data)
        found = Settings("/flash/settings", {"offset": -1})
        assert found["offset"] in (3, 4), (copy, at, found.values)
        assert found.damaged == 1, (copy, at)
        data[at] ^= 1
    with open(PATHS[copy], "wb") as file:
        file.write(data[:10])
    assert Settings("/flash/settings", {}).damaged == 1
    with open(PATHS[copy], "wb") as file:
        file.write(data)
print("newest", Settings("/flash/settings", {})["offset"])
try:
    settings.save(note="x" * 5000)
except SettingsError as error:
    print("refused", error)
print("kept", Settings("/flash/settings", {}).values)
vfs.umount("/flash")
