"""A whole hand, from shuffle to scored record, with the RP2040 build of the firmware on an emulated Pico."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rp2040"))

from pico import Pico, missing, pico
from support.playing import open_evening

ROOT = Path(__file__).resolve().parents[2]
HAND = 1
LIMIT_S = 600


def main() -> int:
    for command in (["tools/build_micropython.sh"], ["tests/rp2040/install.sh", sys.executable]):
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            return 1
    if missing():
        print(missing(), file=sys.stderr)
        return 1
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        evening = open_evening(HAND, Path(folder), controller=pico)
        with evening.table as table:
            kernel = table.kernel
            assert isinstance(kernel, Pico)
            table.run_for(LIMIT_S, lambda: table.world.done)
            table.run_for(3.0)
            answers: list[dict[str, int | str]] = []
            evening.connection.link.command("memory", on_reply=lambda reply: answers.append(reply.fields))
            table.run_for(5.0, lambda: bool(answers))
            collections, printed, resets = kernel.collections, kernel.output(), kernel.resets
        seconds = table.now / 1e6
    print(f"hand {HAND}: {seconds:.0f} virtual s in {time.perf_counter() - started:.0f} s")
    print(f"heap: {answers[0]['used']} bytes used, {answers[0]['free']} free after it")
    print(f"{len(collections)} garbage collections, the longest {max(collections) / 1e3:.1f} ms")
    result = evening.record.to_json()["result"]
    wanted = evening.script.result
    got, right = (result["winner"], result["points"]), (wanted["winner"], wanted["fan_total"])
    print(f"winner and points {got}, in the hand's source {right}")
    good = not resets and got == right
    if not good:
        print(f"not as recorded; resets at {resets}; the controller printed:\n{printed}", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
