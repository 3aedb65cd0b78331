"""Figures of the readers: inventories beside the air's bound, and tiles moved under noise.

    bench_rfid.py [SETS] [MINUTES]      SETS of each size (1000 for the full figure), MINUTES of moves (60: the hour)

Time is virtual: SPI, air time and interpreter are charged, as measured on an emulated Pico (hardware/twin/shim).
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rp2040"))

from pico import Pico, missing, pico
from pico_scene import scene
from support.inventories import Found, adversarial_sets, random_sets, run
from support.surface import HAND, MELD, POND, Surface

from twin.air import T1_US, T2_US, T3_ASK10_US, reply_us, request_us
from twin.noise import Noise

SIZES = (14, 34, 136)
PONDS = 15  # tiles already in each
WALL = range(112, 144)
AT_ONCE = 50  # sets a process


def inventories(sets: int) -> None:
    print("full inventory, virtual ms        sets  complete     mean      p95   bound mean   ratio")
    for size in SIZES:
        number = max(1, sets * 14 // size if sets < 1000 else sets)
        wanted = random_sets(number, size, 1)
        row(f"{size} random UIDs", [f for n in range(0, number, AT_ONCE) for f in run(wanted[n : n + AT_ONCE])])
        row(f"{size} adversarial UIDs", run(adversarial_sets(size)))


def row(name: str, results: list[Found]) -> None:
    times = sorted(found.ms for found in results)
    mean, bound = statistics.mean(times), statistics.mean(found.bound_ms for found in results)
    print(
        f"  {name:30} {len(results):6} {sum(f.complete for f in results):9} {mean:8.1f}"
        f" {times[int(0.95 * (len(times) - 1))]:8.1f} {bound:12.1f} {mean / bound:7.2f}"
    )


def moves(noise: str | None, minutes: float) -> None:
    """Draw, discard, now and then claim, with four hands of 13 and 60 tiles in the ponds."""
    rng = random.Random(f"moves {noise}")
    late: dict[str, list[float]] = {"draw": [], "discard": [], "claim": []}
    moved = 0
    with tempfile.TemporaryDirectory() as folder, Surface(Path(folder)) as surface:
        for seat in range(4):
            surface.lay(range(13 * seat, 13 * seat + 13), 4 * seat + HAND)
            surface.lay(range(52 + PONDS * seat, 52 + PONDS * (seat + 1)), 4 * seat + POND)
        surface.settle()
        surface.make_noise(None if noise is None else Noise.named(noise))
        pending: list[tuple[str, int, int]] = []
        end = surface.now_us + int(minutes * 60e6)
        while surface.now_us < end:
            moved += play(surface, rng, pending, late, end)
            tidy(surface)
        found = surface.settle(15.0)
        collect(surface, pending, late)
        wrong, seen = surface.wrong(), surface.places() == surface.true_places()
        conflicts = sum(event.kind == "tag" for event in surface.events)
        print(
            f"noise {noise or 'none'}: {minutes:g} virtual minutes, {moved} tiles laid, {len(wrong)} wrong events,"
            f" {len(pending)} never told, {conflicts} strange tags, in the end all known: {found and seen}"
        )
        for told in wrong[:4]:
            print(f"    wrong: {told}, truth {surface.truth.get(told.tile, [])[-4:]}")
    print("  tile at rest to event stored, virtual ms     n     p50     p95     p99     max")
    for kind, values in late.items():
        cuts = statistics.quantiles(values, n=100) if len(values) > 1 else [*values, *[0.0] * 99][:99] * 99
        most = max(values, default=0)
        print(f"    {kind:38} {len(values):5} {cuts[49]:7.0f} {cuts[94]:7.0f} {cuts[98]:7.0f} {most:7.0f}")


def bounds() -> None:
    """Air time that no schedule can save, from the times of ISO/IEC 15693 alone."""
    reply = T1_US + reply_us(12) + T2_US
    probe, read = request_us(5) + reply, request_us(13) + T1_US + reply_us(7) + T2_US
    silence = request_us(13) + T3_ASK10_US
    told = probe + 2 * read + 3 * silence
    print("air time alone, ms")
    print(f"  a tile heard by a probe, asked twice in a fresh field, three times where it was: {told / 1000:.1f}")
    print(f"  a hand of 13 silenced before each probe that hears a draw: {(13 * silence + probe) / 1000:.1f}")
    print("  the rest: waiting for the zone's turn, 2-3 ms a field change, SPI and interpreter, the link")


def step(surface: Surface, kind: str, tile: int, zone: int, pending: list[tuple[str, int, int]]) -> None:
    surface.lay(tile, zone)
    pending.append((kind, tile, zone))


def collect(surface: Surface, pending: list[tuple[str, int, int]], late: dict[str, list[float]]) -> None:
    """Take the times of what has been told; what was moved on before it was told stays out."""
    for entry in list(pending):
        kind, tile, zone = entry
        if surface.truth[tile][-1][1] != zone:
            pending.remove(entry)
            continue
        ms = surface.latency_ms(tile, zone)
        if ms is not None:
            late[kind].append(ms)
            pending.remove(entry)


def play(
    surface: Surface, rng: random.Random, pending: list[tuple[str, int, int]], late: dict[str, list[float]], end: int
) -> int:
    """Turns until the wall is used up, at a person's pace; the number of tiles laid."""
    wall, seat, claimed, moved = list(WALL), rng.randrange(4), True, 0  # the dealer discards first
    rng.shuffle(wall)
    while wall and surface.now_us < end:
        if not claimed:
            step(surface, "draw", wall.pop(), 4 * seat + HAND, pending)
            surface.run(rng.uniform(0.9, 1.8))
            moved += 1
        tile = rng.choice([n for n, zone in surface.true_places().items() if zone == 4 * seat + HAND])
        surface.lift(tile)
        surface.run(rng.uniform(0.3, 0.5))
        step(surface, "discard", tile, 4 * seat + POND, pending)
        surface.run(rng.uniform(0.6, 1.2))
        moved += 1
        claimed = rng.random() < 0.15
        seat = (seat + (rng.choice((1, 2, 3)) if claimed else 1)) % 4
        if claimed:
            surface.lift(tile)
            surface.run(rng.uniform(0.3, 0.5))
            step(surface, "claim", tile, 4 * seat + MELD, pending)
            surface.run(rng.uniform(0.9, 1.5))
            moved += 1
        collect(surface, pending, late)
    return moved


def tidy(surface: Surface) -> None:
    """Back to the beginning: every tile to the place where it was first laid, the wall's to the wall."""
    for number, places in surface.truth.items():
        first = None if number in WALL else places[1][1]
        if places[-1][1] != first:
            if places[-1][1] is not None:
                surface.lift(number)
            if first is not None:
                surface.run(0.3)
                surface.lay(number, first)
    surface.settle()


def chip(seconds: float = 10.0) -> None:
    """What only the chip's own build can tell; the PC port collects at other times and for longer objects."""
    name = "longest garbage collection on the emulated Pico"
    if why := missing():
        print(f"{name}: not built: make test-rp2040 ({why})")
        return
    with tempfile.TemporaryDirectory() as folder, scene(Path(folder), controller=pico) as s:
        kernel = s.table.kernel
        assert isinstance(kernel, Pico)
        assert s.until(lambda: s.connection.link.hello is not None), kernel.output()
        started = len(kernel.collections)
        s.lay(0, [4 * face for face in range(14)])
        assert s.until(lambda: len(s.of("enter")) >= 14, 30), kernel.output()
        s.press("dice")
        s.until(lambda: False, seconds)
        collections = kernel.collections[started:]
        print(f"{name}: {max(collections) / 1e3:.1f} ms of {len(collections)} in {s.table.now / 1e6:.0f} virtual s, "
              "a hand of 14 and a throw read")  # fmt: skip


def main() -> None:
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 2.0
    inventories(sets)
    bounds()
    for noise in (None, "default", "harsh"):
        moves(noise, minutes)
    chip()


if __name__ == "__main__":
    main()
