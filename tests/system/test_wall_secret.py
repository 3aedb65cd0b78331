"""After a cycle nothing tells the order of the wall: not memory, journal or flash of the controller, nor the link."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest
from support.playing import open_evening

from twin.table import Table
from twin.tiles import Tile

WINDOW = 5  # neighbours in the wall found as neighbours in memory; by chance about once in 10^10 places
STRIDES = (*range(1, 9), 12, 16)  # bytes from one tile to the next, whatever record it lies in
SHUFFLES = 400


class Dumps:
    """Everything that the controller holds or has said, by name."""

    def __init__(self, table: Table, said: bytes) -> None:
        assert table.kernel.process is not None
        assert table.kernel.cwd is not None
        self.parts = {
            "memory": process_memory(table.kernel.process.pid),
            "fram": bytes(table.board.fram),
            "flash": b"".join(path.read_bytes() for path in sorted(table.kernel.cwd.rglob("*")) if path.is_file()),
            "link": said,
            "console": table.kernel.output().encode(),
        }


def process_memory(pid: int) -> bytes:
    """What the firmware's process can write: its heap and all around it."""
    out = []
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        for line in maps:
            span, rights, _offset, device, *_ = line.split()
            if rights.startswith("rw") and device == "00:00" and "[v" not in line:
                low, high = (int(end, 16) for end in span.split("-"))
                memory.seek(low)
                out.append(memory.read(high - low))
    return b"".join(out)


def runs(data: bytes, order: Sequence[int]) -> int:
    """How often tiles that follow each other in the wall do so in memory too, in records of any of the strides."""
    windows = {bytes(order[n : n + WINDOW]) for n in range(len(order) - WINDOW + 1)}
    windows |= {window[::-1] for window in windows}
    found = 0
    for stride in STRIDES:
        for lane in range(stride):
            part = data[lane::stride]
            found += sum(part.count(window) for window in windows)
    return found


def places(data: bytes, tiles: Iterable[Tile]) -> dict[int, int]:
    """Where the serials of tags lie, either end first; the first place of each."""
    out = {}
    for tile in tiles:
        uid = tile.tag.uid.to_bytes(8, "little")
        at = [n for n in (data.find(uid[:5]), data.find(uid[4::-1])) if n >= 0]
        if at:
            out[tile.number] = min(at)
    return out


def togetherness(where: dict[int, int], order: Sequence[int]) -> int:
    """Neighbours in the wall that are neighbours, in either direction, among the tags in memory."""
    rank = {number: n for n, number in enumerate(sorted(where, key=lambda number: where[number]))}
    known = [number for number in order if number in rank]
    return sum(abs(rank[a] - rank[b]) == 1 for a, b in pairwise(known))


@pytest.fixture(scope="module")
def cycle(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], list[list[int]], list[Tile]]:
    """Dumps after the walls stand, the order in which each gate read its tiles, and the tiles."""
    folder = tmp_path_factory.mktemp("secret")
    evening = open_evening(2, folder, 3)
    said = bytearray()
    hear = evening.table.uart.on_tx
    assert hear is not None

    def tap(data: bytes) -> None:
        said.extend(data)
        hear(data)

    evening.table.uart.on_tx = tap
    with evening.table as table:
        assert table.run_for(200, lambda: any(e.kind == "cycle" and e["state"] == "ready" for e in evening.events))
        table.run_for(0.5)
        orders: list[list[int]] = [[] for _ in range(4)]
        for placement in table.world.log:
            name, _, seat = placement.place.partition(".")
            if name == "gate":
                orders[int(seat)].append(placement.tile.number)
        parts = Dumps(table, bytes(said)).parts
        parts["host"] = b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
        tiles = list(table.world.tiles)
    assert [len(order) for order in orders] == [36] * 4
    assert [event.kind for event in evening.events].count("audit") == 1
    return parts, orders, tiles


@pytest.mark.parametrize("part", ["memory", "fram", "flash", "link", "console", "host"])
def test_no_run_of_the_wall_is_there(part: str, cycle: tuple[dict[str, bytes], list[list[int]], list[Tile]]) -> None:
    parts, orders, _ = cycle
    data = parts[part]
    if part not in ("flash", "console"):
        assert data.strip(b"\0")
    assert [runs(data, order) for order in orders] == [0, 0, 0, 0]


@pytest.mark.parametrize("part", ["memory", "fram", "link"])
def test_tags_lie_in_an_order_that_is_chance(
    part: str, cycle: tuple[dict[str, bytes], list[list[int]], list[Tile]]
) -> None:
    parts, orders, tiles = cycle
    where = places(parts[part], tiles)
    if part == "memory":
        assert len(where) == 144  # the registry knows them all, in the order of their numbers
    rng = random.Random(part)
    truth = sum(togetherness(where, order) for order in orders)
    chance = sorted(
        sum(togetherness(where, rng.sample(order, len(order))) for order in orders) for _ in range(SHUFFLES)
    )
    assert truth <= chance[-1]


def test_the_search_finds_an_order_that_is_kept() -> None:
    """The proof's own proof: an order hidden in records is found, and as a list of UIDs too."""
    rng = random.Random(1)
    order = rng.sample(range(144), 36)
    noise = rng.randbytes(20_000)
    hidden = bytearray(noise)
    for n, number in enumerate(order[8:16]):
        hidden[5_000 + 7 * n] = number
    assert runs(noise, order) == 0
    assert runs(bytes(hidden), order) >= 4
    assert togetherness({number: 40 * n for n, number in enumerate(order)}, order) == 35


def test_the_last_tile_at_each_gate_is_forgotten(
    cycle: tuple[dict[str, bytes], list[list[int]], list[Tile]],
) -> None:
    """No buffer still holds the answer of a tile; each tag is in the registry alone."""
    parts, orders, tiles = cycle
    for order in orders:
        uid = tiles[order[-1]].tag.uid.to_bytes(8, "little")
        others = [tiles[number].tag.uid.to_bytes(8, "little") for number in order[8:16]]
        mine = parts["memory"].count(uid)
        assert mine <= max(parts["memory"].count(other) for other in others)
