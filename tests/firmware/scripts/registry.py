# The tile registry alone, on the bare port: two full sets in scrambled order, then what must be refused.
import gc

import registry_cases as data

from controller import tile_registry
from controller.presence import Presence
from controller.tile_registry import TileRegistry

uids = []
for n in range(288):
    serial = (n * 7919 + 13) % 100003
    uid = bytes((serial & 0xFF, serial >> 8 & 0xFF, serial >> 16 & 0xFF, n & 1, 8 | n >> 6, 1, 4, 0xE0))
    uids.append(uid)
gc.collect()
used = gc.mem_alloc()
registry = TileRegistry()
for n in range(288):
    code = n // 144 << 8 | n % 144
    assert registry.add(uids[n], code) == code
for n in range(288):
    assert registry.find(uids[n]) == n // 144 << 8 | n % 144, n
gc.collect()
registered = gc.mem_alloc()
presence = Presence(18, lambda *event: None)
for n in range(288):
    presence.settle(n, n % 18)
gc.collect()
print("registry", registered - used, "presence", gc.mem_alloc() - registered)
into = bytearray(8)
for n in range(288):
    assert registry.uid_of(n // 144 << 8 | n % 144, into)
    assert bytes(into) == uids[n]
serials = [bytes(registry._mem[7 * i : 7 * i + 5]) for i in range(registry.count)]
print("ascending", serials == sorted(serials), registry.count)
stranger = bytes((1, 2, 3, 4, 8, 1, 4, 0xE0))
print("stranger", registry.find(stranger), registry.add(stranger, 5) == tile_registry.DOUBLED)
print("again", registry.add(uids[7], 7), registry.count)
print("maker", registry.find(bytes((1, 2, 3, 4, 8, 1, 7, 0xE0))), registry.add(bytes(8), 300))
for die in range(12):
    registry.add(bytes((die, 0, 0, 0, 9, 1, 4, 0xE0)), tile_registry.DIE | die)
print("full", registry.add(stranger, 400) == tile_registry.FULL, registry.count)
for memory in data.MEMORIES:
    print("code", tile_registry.code_of(data.UID, memory))
