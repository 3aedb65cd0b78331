"""Feeds nonsense to the decoder, the command parser and both ends; nothing may raise, and nothing may grow.

python tests/soak/fuzz_link.py [--inputs N] [--seed S]   random and mutated inputs, at both ends
python tests/soak/fuzz_link.py --micropython [...]       the same inputs at the table's end, on both interpreters
python tests/soak/fuzz_link.py --atheris [-runs=N]       coverage-guided, if atheris is installed
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "tests" / "firmware" / "scripts"
sys.path[:0] = [str(ROOT / "firmware"), str(SCRIPTS)]

GUIDED = "--atheris" in sys.argv
if GUIDED:
    import atheris  # type: ignore[import-not-found]

    watched = atheris.instrument_imports(
        include=["tablelink", "controller", "paiju.table.host_link", "paiju.table.events"]
    )
else:
    watched = contextlib.nullcontext()
with watched:
    from link_corpus import Replay, aim, fuzzed_table

    from paiju.table import HostLink, State
    from tablelink import messages as m
    from tablelink.frame import PAYLOAD, Encoder

BLOCK = 4000  # bytes of a corpus that go down the pipe at once


class Target:
    """Both ends, in step with each other at first; inputs hit them one after another."""

    def __init__(self) -> None:
        self.encoder = Encoder()
        self.fresh()

    def fresh(self) -> None:
        """Start both ends again, so that long runs keep reaching every state."""
        self.now = 0
        self.table = fuzzed_table()
        self.host = HostLink(lambda _serial, _journal: 0, random.Random(1))
        self.host.port_opened(0.0)
        for _ in range(4):
            self.exchange()

    def exchange(self) -> None:
        self.now += 11
        out = self.host.take_output()
        self.table.receive(bytearray(out), len(out), self.now)
        self.table.tick(self.now)
        while (frame := self.table.next_frame(self.now)) is not None:
            self.host.receive(bytes(frame), self.now / 1000)
        if self.host.take_records():
            self.host.stored(self.host.position)
        self.host.tick(self.now / 1000)

    def __call__(self, data: bytes) -> None:
        """First byte: what to do with the rest; a sound frame of it, or the bytes as they are; to which end."""
        if not data:
            return
        how, rest = data[0], data[1:]
        if how & 1:
            end = Encoder.START + min(len(rest), PAYLOAD + 1) - 1
            if end < Encoder.START:
                return
            body = bytearray(rest[1 : 1 + end - Encoder.START])
            if how & 4:
                aim(self.table, body, rest[0])
            self.encoder.buffer[Encoder.START : end] = body
            rest = bytes(self.encoder.finish(rest[0], end))
        if how & 2:
            self.table.receive(bytearray(rest), len(rest), self.now)
        else:
            self.host.receive(rest, self.now / 1000)
        if how & 8:
            self.exchange()
        if how & 16:
            self.table.journal.append(5, 1, 1, 2, 3)  # type: ignore[attr-defined]
        if self.host.state is State.REFUSED or how == 255:
            self.fresh()


def inputs(rng: random.Random, n: int) -> Iterator[bytes]:
    """Noise, well-formed messages with random fields, and mutations of earlier inputs, of at most 255 bytes."""
    layouts = m.FROM_HOST + m.FROM_TABLE
    pool: list[bytes] = [b"\x0b\x01"]
    for i in range(n):
        choice = rng.random()
        if choice < 0.003:
            data = b"\0" + bytes(rng.randrange(1, 256) for _ in range(254))  # longer than any frame
        elif choice < 0.3:
            data = rng.randbytes(rng.randrange(1, 48))
        elif choice < 0.6:
            layout = rng.choice(layouts)
            body = rng.randbytes(layout.size + (rng.randrange(30) if rng.random() < 0.5 else 0))
            data = bytes([rng.randrange(255) | 1, layout.number]) + body
        else:
            mutated = bytearray(rng.choice(pool))
            for _ in range(rng.randrange(1, 4)):
                at = rng.randrange(len(mutated))
                mutated[at] = rng.choice((0, 1, 3, 255, rng.randrange(256), mutated[at] ^ 1))
            data = bytes(mutated)
        if i % 37 == 0:
            pool.append(data)
            del pool[: len(pool) // 500]
        yield data


@dataclass
class Compared:
    """What a table's end said to a corpus on each interpreter, `grown` in bytes of MicroPython's heap."""

    cpython: tuple[int, ...]
    micropython: tuple[int, ...]
    grown: int
    real_s: float

    FIELDS = ("protocol", "inputs", "digest", "frames", "bad", "oversized", "refused")

    @property
    def alike(self) -> bool:
        return self.cpython == self.micropython


def compare(n: int, seed: int = 1, report: Callable[[str], None] | None = None) -> Compared:
    """Give `n` inputs to the table's end here and, down a pipe, on MicroPython; raises if either does."""
    began = time.perf_counter()
    beside = Path(sys.executable).with_name("micropython")
    program = subprocess.Popen(
        [str(beside) if beside.exists() else "micropython", "-X", "heapsize=192K", str(SCRIPTS / "link_corpus.py"),
         "/dev/stdin"],
        env={**os.environ, "MICROPYPATH": f".frozen:{ROOT / 'firmware'}:{ROOT / 'firmware' / 'lib'}"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert program.stdin is not None
    assert program.stdout is not None
    replay = Replay()
    block = bytearray()
    try:
        for number, data in enumerate(inputs(random.Random(seed), n), 1):
            block += bytes([len(data)]) + data
            if len(block) > BLOCK - 256 or number == n:
                program.stdin.write(len(block).to_bytes(4, "little") + block)
                block.clear()
            replay.take(data)
            if report and number % 1_000_000 == 0:
                report(f"{number} inputs, {time.perf_counter() - began:.0f} s")
    except BrokenPipeError:
        pass  # it says why below
    finally:
        with contextlib.suppress(BrokenPipeError):
            program.stdin.close()
        out = program.stdout.read().decode()
        program.stdout.close()
        program.wait()
    if program.returncode:
        raise RuntimeError(f"MicroPython ended with {program.returncode} after {replay.inputs} inputs: {out}")
    words = [int(word) for word in out.split()]
    return Compared(replay.result(), tuple(words[:-1]), words[-1], time.perf_counter() - began)


def main() -> None:
    if GUIDED:
        sys.argv.remove("--atheris")
        atheris.Setup(sys.argv, Target())
        atheris.Fuzz()
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--micropython", action="store_true", help="replay at the table's end, on both interpreters")
    options = parser.parse_args()
    if options.micropython:
        compared = compare(options.inputs, options.seed, lambda text: print(text, flush=True))
        for name, here, there in zip(Compared.FIELDS, compared.cpython, compared.micropython, strict=True):
            print(f"{name:12}{here:14} on CPython{there:14} on MicroPython")
        print(
            f"{options.inputs} inputs, no exception, {options.inputs / compared.real_s:.0f} a second, "
            f"MicroPython's heap grew by {compared.grown} bytes after the first 100000"
        )
        if not compared.alike or compared.grown > 0:
            sys.exit("the interpreters differ" if not compared.alike else "the heap grew")
        return
    target = Target()
    began = time.perf_counter()
    settled = 0
    for n, data in enumerate(inputs(random.Random(options.seed), options.inputs), 1):
        try:
            target(data)
        except Exception:
            print(f"input {n}: {data.hex()}", file=sys.stderr)
            raise
        if n == min(100_000, options.inputs // 2):
            settled = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if n % 1_000_000 == 0:
            print(f"{n} inputs, {time.perf_counter() - began:.0f} s", flush=True)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - settled
    print(f"{options.inputs} inputs, no exception, memory grew by {grown} KiB after the first 100000")
    if grown > 8192:
        sys.exit("memory grew")


if __name__ == "__main__":
    main()
