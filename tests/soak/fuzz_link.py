"""Feeds nonsense to the decoder, the command parser and both ends; nothing may raise, and nothing may grow.

python tests/soak/fuzz_link.py [--inputs N] [--seed S]   random and mutated inputs
python tests/soak/fuzz_link.py --atheris [-runs=N]       coverage-guided, if atheris is installed
"""

from __future__ import annotations

import argparse
import contextlib
import random
import resource
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2] / "firmware")]

GUIDED = "--atheris" in sys.argv
if GUIDED:
    import atheris  # type: ignore[import-not-found]

    watched = atheris.instrument_imports(
        include=["tablelink", "controller", "paiju.table.host_link", "paiju.table.events"]
    )
else:
    watched = contextlib.nullcontext()
with watched:
    from controller.journal import Journal
    from paiju.table import HostLink, State
    from tablelink import messages as m
    from tablelink.frame import PAYLOAD, Encoder
    from tablelink.table_end import CommandError, TableEnd

FRAM = 64 + 26 * 80


class Fram:
    def __init__(self) -> None:
        self.memory = bytearray(FRAM)

    def readinto(self, address: int, buf: bytearray) -> None:
        buf[:] = self.memory[address : address + len(buf)]

    def write(self, address: int, buf: bytes) -> None:
        self.memory[address : address + len(buf)] = bytes(buf)


class Target:
    """Both ends, in step with each other at first; inputs hit them one after another."""

    def __init__(self) -> None:
        self.encoder = Encoder()
        self.fresh()

    def fresh(self) -> None:
        """Start both ends again, so that long runs keep reaching every state."""
        self.now = 0
        self.table = TableEnd(Journal(Fram(), FRAM), b"FUZZFUZZ", 1)
        self.table.service = True
        for command in m.COMMANDS:
            if command.name not in ("ping", "stats"):
                self.table.on(command.name, _handler(command), lambda: None)
        self.host = HostLink(lambda _serial, _journal: 0, random.Random(1))
        self.host.port_opened(0.0)
        self.table.journal.append(5, 1, 1, 2, 3)  # type: ignore[attr-defined]
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
            self.encoder.buffer[Encoder.START : end] = rest[1 : 1 + end - Encoder.START]
            rest = bytes(self.encoder.finish(rest[0], end))
        if how & 2:
            # Let the session be right now and then, or nothing behind it is ever reached.
            self.table.session = int.from_bytes(data[2:6], "little") if how & 4 else self.table.session
            self.table.receive(bytearray(rest), len(rest), self.now)
        else:
            self.host.receive(rest, self.now / 1000)
        if how & 8:
            self.exchange()
        if how & 16:
            self.table.journal.append(5, 1, 1, 2, 3)  # type: ignore[attr-defined]
        if self.host.state is State.REFUSED or how == 255:
            self.fresh()


def _handler(command: m.Command):  # type: ignore[no-untyped-def]
    layout, ranges = command.reply, command.ranges
    answer = tuple(b"\0" * int(f[1][5:]) if f[1].startswith("bytes") else 0 for f in layout.fields)

    def handle(*arguments: int) -> object:
        for value, limits in zip(arguments, ranges, strict=True):
            assert not limits or limits[0] <= value <= limits[1], (command.name, arguments)
        if arguments and arguments[0] == 3:
            raise CommandError(m.BUSY)
        return answer if len(answer) > 1 else answer[0] if answer else None

    return handle


def inputs(rng: random.Random, n: int):  # type: ignore[no-untyped-def]
    """Noise, well-formed messages with random fields, and mutations of earlier inputs."""
    layouts = m.FROM_HOST + m.FROM_TABLE
    pool: list[bytes] = [b"\x0b\x01"]
    for i in range(n):
        choice = rng.random()
        if choice < 0.3:
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


def main() -> None:
    if GUIDED:
        sys.argv.remove("--atheris")
        atheris.Setup(sys.argv, Target())
        atheris.Fuzz()
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
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
