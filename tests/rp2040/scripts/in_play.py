# Prints what the end of the FRAM holds while a table is in play: walls raised, everything at rest.
from controller import memory, states


class Fram:
    def __init__(self):
        self.cells = bytearray(memory.SIZE)

    def readinto(self, address, buffer):
        buffer[:] = self.cells[address : address + len(buffer)]

    def write(self, address, data):
        self.cells[address : address + len(data)] = data


fram = Fram()
kept = memory.Memory(fram, 0)
kept.cells[memory.STATE] = states.NAMES.index("ready")
kept.cells[memory.FLAGS] = memory.WALLS
kept.save()
print(fram.cells.hex())
