"""The RP2040 build of the firmware on an emulated Pico, with the twin's chips at its pins (make test-rp2040)."""

from __future__ import annotations

import statistics
from pathlib import Path
from struct import unpack

import pytest
from pico import Pico, missing, pico
from pico_scene import Inventory, Scene, scene
from support.playing import open_evening

HAND = [4 * face for face in range(14)]
HEAP_LIMIT = 120 * 1024
WHY_NOT = missing()

pytestmark = [pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT), pytest.mark.timeout(1200)]


def reads_of(scene: Scene, zone: int) -> list[Inventory]:
    """The inventories that heard a whole hand; the last one may be under way."""
    return [i for i in scene.ear.inventories[:-1] if i.zone == zone and len(i.uids) == len(HAND)]


def test_it_reads_a_hand_and_the_dice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with scene(tmp_path, controller=pico) as s:
        kernel = s.table.kernel
        assert isinstance(kernel, Pico)
        assert s.until(lambda: s.connection.link.hello is not None), kernel.output()
        hello = s.connection.link.hello
        assert hello is not None
        assert hello.serial == s.table.board.unique_id.replace(" ", "").lower()
        hello_at = s.table.now

        s.lay(0, HAND)
        laid_at = s.table.now
        assert s.until(lambda: len(s.of("enter")) >= len(HAND), 30), kernel.output()
        assert sorted((int(e["zone"]), int(e["tile"])) for e in s.of("enter")) == [(0, n) for n in HAND]
        entered_at = s.table.now
        assert s.until(lambda: len(reads_of(s, 0)) >= 3, 30), kernel.output()

        s.press("dice")
        assert s.until(lambda: bool(s.of("dice"))), kernel.output()
        throw = s.of("dice")[0]
        assert (throw["throw"], throw["die1"], throw["die2"]) == (1, *(s.table.world.mechanics.dice.values or ()))

        heap = s.ask("memory")
        assert heap["used"] <= HEAP_LIMIT
        assert [e.kind for e in s.events if e.kind in ("fault", "leave", "tag")] == []
        states = {int(e["reader"]): str(e["state"]) for e in s.of("reader")}
        assert states == dict.fromkeys(range(len(s.table.board.readers)), "ok")
        degraded = sum(e["state"] != "ok" for e in s.of("reader"))
        assert len(s.of("enter")) == len(HAND)
        collections = kernel.collections
        assert collections

    reads = reads_of(s, 0)
    slots = [i.us / i.slots for i in reads]
    with capsys.disabled():
        print(
            f"\nRP2040 at 125 MHz, emulated: hello {hello_at / 1e3:.0f} ms after power; 14 tiles known "
            f"{(entered_at - laid_at) / 1e3:.0f} ms after they were laid"
            f"\ninventory of 14: {statistics.median(i.us for i in reads) / 1e3:.0f} ms in "
            f"{reads[-1].slots} slots, {statistics.median(slots) / 1e3:.2f} ms a slot ({len(reads)} inventories)"
            f"\nheap: {heap['used']} bytes used, {heap['free']} free; "
            f"longest of {len(collections)} garbage collections {max(collections) / 1e3:.1f} ms"
            f"\nreaders taken for faulty and healed: {degraded}"
        )


def test_it_builds_the_walls_and_strikes_no_end(tmp_path: Path) -> None:
    """Its garbage collections take 15 to 25 ms each while everything moves."""
    evening = open_evening(1, tmp_path, controller=pico)
    with evening.table as table:  # raises Unsafe
        assert table.run_for(60, lambda: table.world.phase == "play"), table.kernel.output()
    assert [event for event in evening.events if event.kind == "fault"] == []


def test_what_is_kept_on_flash_outlives_a_power_cut(tmp_path: Path) -> None:
    with scene(tmp_path, controller=pico) as s:
        assert s.until(lambda: s.connection.link.hello is not None), s.table.kernel.output()
        s.table.world.mechanics.sensors["service_key"].set(1)
        s.until(lambda: False, 0.5)
        bench = s.connection.link.command("workbench")
        assert s.until(lambda: bench.reply is not None)
        s.ask("calibrate", 2, 7, 5, 3, 9000, -16)
        s.connection.link.release(bench)

        s.connection.unplug()
        s.table.cut_power()
        s.table.kernel.start()
        s.connection.plug()
        assert s.until(lambda: len(s.of("boot")) == 2), s.table.kernel.output()
        zone = s.ask("zone", 2)
    assert [zone[k] for k in ("level", "margin", "floor", "day", "power")] == [7, 5, 3, 9000, -16]
    assert unpack("<I", (tmp_path / "flash.bin").read_bytes()[:4])[0] != 0xFFFFFFFF
