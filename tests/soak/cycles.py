"""Cycles without a person: how many end with walls, how the others stop; and stops at random instants.

    python tests/soak/cycles.py [--cycles 1000] [--wear 1] [--cuts 500] [--explore] [--seed 1] [--jobs N]

Prints figures, and each cycle that did not end well with the seed of its table and its number on it; exit code 1 when
a wall was wrong, an invariant was broken, a stop was not recovered from or a state had no way out.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.caretaker import Caretaker

from paiju.technician.faults import fault_of
from twin.mechanics import Wear
from twin.table import Table

TABLE_CYCLES = 50  # cycles in the life of one simulated table, so that a fault that lasts costs few of them
CUTS_A_TABLE = 20
CYCLE_S = 30.0  # from the press to the closed console
CORES = os.cpu_count() or 1


@dataclass
class Tally:
    """Outcomes by name, seconds from press to walls, disturbances that struck, which cycles were stopped by a fault,
    what was unsafe or went wrong."""

    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    struck: Counter[str] = field(default_factory=Counter)
    stopped: list[str] = field(default_factory=list)
    unsafe: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.outcomes.update(other.outcomes)
        self.seconds += other.seconds
        self.struck.update(other.struck)
        self.stopped += other.stopped
        self.unsafe += other.unsafe

    def watch(self, table: Table, where: str) -> None:
        """Note what the invariants found, so that the table may be left."""
        self.unsafe += [f"{where}: {b.rule} {b.what} at {b.t / 1e6:.3f} s" for b in table.invariants.breaches]
        table.invariants.clear()


Part = tuple[object, ...]


def tally(work: Callable[..., Tally], parts: Sequence[Part], jobs: int) -> Tally:
    """The sum of `work(*part)`, the parts side by side in `jobs` processes; what a part does depends on it alone."""
    whole = Tally()
    for done in _each(work, parts, jobs):
        whole.add(done)
        for line in (*done.stopped, *done.unsafe):
            print(f"  {line}", flush=True)
        print(f"  {whole.outcomes.total()}: {dict(whole.outcomes)}", flush=True)
    return whole


def _each(work: Callable[..., Tally], parts: Sequence[Part], jobs: int) -> Iterator[Tally]:
    if jobs == 1:
        yield from (_whole(work, part) for part in parts)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for future in as_completed([pool.submit(_whole, work, part) for part in parts]):
            yield future.result()


def _whole(work: Callable[..., Tally], part: Part) -> Tally:
    """What breaks the simulation off counts as one that went wrong, and the other parts go on."""
    try:
        return work(*part)
    except Exception as error:
        return Tally(Counter({"BROKEN OFF": 1}), unsafe=[f"{work.__name__}{part}: {error!r}"])


def parts_of(count: int, size: int, *rest: object) -> list[Part]:
    """(first, one past the last, *rest) of parts of `size`."""
    return [(first, min(first + size, count), *rest) for first in range(0, count, size)]


def wall_is_right(table: Table) -> bool:
    """36 tiles on each side, each of the 144 once, none left below."""
    tiles = table.world.tiles
    sides = Counter(tile.place for tile in tiles)
    return sides == {f"wall.{seat}": 36 for seat in range(4)} and table.world.mechanics.walls_up


def cycles(count: int, wear: float, seed: int, jobs: int = 1) -> Tally:
    """Run `count` cycles with `wear` times the usual disturbances."""
    return tally(some_cycles, parts_of(count, TABLE_CYCLES, wear, seed), jobs)


def some_cycles(done: int, end: int, wear: float, seed: int) -> Tally:
    """On one table, and after each cycle that did not end well on a new one."""
    out = Tally()
    while done < end:
        name, first = f"table {seed + done}", done
        with Table(seed + done) as table:
            mechanics = table.world.mechanics
            mechanics.wear = Wear(seed + done, wear)
            caretaker = Caretaker(table)
            table.run_for(1)
            well = True
            while well and done < end:
                done += 1
                before, since = table.now, caretaker.last
                ended = caretaker.build()
                well = ended == "up" and wall_is_right(table)
                if well:
                    took = (table.now - before) / 1e6
                    well = caretaker.clear_table()
                    out.outcomes["completed" if well else "console stuck"] += 1
                    out.seconds.append(took)
                elif ended == "fault":
                    out.outcomes[f"stopped by {shown(caretaker.faults(since)[-1])}"] += 1
                    out.stopped.append(f"{name} cycle {done - first}: {ailing(table, caretaker, since)}")
                    out.unsafe += [f"{name} cycle {done - first}: {wrong}" for wrong in blamed(table, caretaker, since)]
                else:
                    out.outcomes["WRONG"] += 1
                    out.unsafe.append(f"{name} cycle {done - first}: {ended}, {caretaker.state}")
            out.struck.update(mechanics.wear.struck)
            out.watch(table, name)
    return out


def shown(fault: tuple[int, int]) -> str:
    """As the displays show it."""
    return fault_of(fault[0]).shown(fault[1])


def lasting(table: Table) -> list[tuple[str, int]]:
    """(fault, side) of what the wear has broken for good: the only causes that may stop a cycle here."""
    sides = table.world.mechanics.sides
    jams = [("HEAD_JAM", side.seat) for side in sides if side.jams > 1]
    stuck = [("PUSH_STUCK", side.seat) for side in sides if side.pusher_jams > 1]
    return jams + stuck + [("HEAD_STARVED", side.seat) for side in sides if side.starved_for_good]


def ailing(table: Table, caretaker: Caretaker, since: int) -> str:
    told = ", ".join(shown(fault) for fault in caretaker.faults(since))
    return f"{told}; broken: {', '.join(f'{name} {side}' for name, side in lasting(table)) or 'nothing'}"


def blamed(table: Table, caretaker: Caretaker, since: int) -> list[str]:
    """What is wrong with a stop: another fault than that of the part that is broken, or something still on."""
    wrong = []
    code, side = caretaker.faults(since)[-1]
    name, causes = fault_of(code).name, lasting(table)
    # The last few tiles of a side that the ring passes by are tiles that do not come.
    short = name == "TILE_SHORT" and any(cause == "HEAD_STARVED" for cause, _ in causes)
    if not short and (name, side) not in causes:
        wrong.append(f"stopped by {shown((code, side))} but {ailing(table, caretaker, since)}")
    table.run_for(3)  # the console opens for tiles
    powered = table.board.inputs["relay_closed"].level and not short
    if any(motor.drive for motor in table.board.motors.values()) or powered:
        wrong.append(f"stopped by {shown((code, side))} but not at rest")
    return wrong


def cuts(count: int, seed: int, jobs: int = 1) -> Tally:
    """Stop `count` cycles at random instants by power, emergency stop or lid; then press, and look at the walls."""
    return tally(some_cuts, parts_of(count, CUTS_A_TABLE, seed), jobs)


def some_cuts(done: int, end: int, seed: int) -> Tally:
    """On one table, and after each stop that was not recovered from on a new one."""
    out = Tally()
    rng = random.Random(f"{seed}/{done}")
    while done < end:
        name = f"table {seed + done}"
        with Table(seed + done) as table:
            caretaker = Caretaker(table)
            table.run_for(1)
            well = True
            while well and done < end:
                done += 1
                kind, at_s = ("power", "emergency stop", "lid")[done % 3], rng.uniform(0, CYCLE_S)
                ended = one_cut(table, caretaker, kind, at_s)
                well = ended == "recovered"
                out.outcomes[f"{kind}: {ended}"] += 1
                if not well:
                    out.unsafe.append(f"{name}, {kind} no. {done} after {at_s:.3f} s: {ended}")
                elif not caretaker.clear_table():
                    well = False
                    out.unsafe.append(f"{name}, {kind} no. {done} after {at_s:.3f} s: the console does not move")
            out.watch(table, name)
    return out


def one_cut(table: Table, caretaker: Caretaker, kind: str, at_s: float) -> str:
    """A cycle from press to closed console is stopped after `at_s`; how the table came back."""
    mechanics = table.world.mechanics
    begun, end = caretaker.last, table.now + int(at_s * 1e6)
    caretaker.press("raise")
    caretaker.wait(lambda: table.now >= end or caretaker.state == "ready", at_s)
    if table.now < end:
        caretaker.press("refill")
        caretaker.wait(lambda: table.now >= end or mechanics.console_open, at_s)
        if mechanics.console_open:
            for tile in mechanics.sweep():
                table.world.ground.lift(tile)
                mechanics.drop_in(tile)
        caretaker.wait(lambda: table.now >= end, max((end - table.now) / 1e6, 0.001))
    state, since = caretaker.state, caretaker.last
    was_moving = any(motor.drive for motor in table.board.motors.values())
    stop(table, kind)
    if not mechanics.walls_up:
        ended = caretaker.build()
        told = [str(e["state"]) for e in caretaker.of("cycle", since)]
        if was_moving and "home" not in told:
            return f"in {state} not homed"
        if ended != "up":
            return f"in {state} {ended} {caretaker.faults(since)}"
    elif caretaker.held:
        caretaker.press("raise")
        caretaker.until_rest()
    if not wall_is_right(table):
        return f"in {state} wrong wall"
    results = [str(e["result"]) for e in caretaker.of("audit", begun)] or ["missing"]
    return "recovered" if set(results) == {"complete"} else f"in {state} audit {', '.join(results)}"


def stop(table: Table, kind: str) -> None:
    """By power, emergency stop or lid, and the cause goes away again."""
    if kind == "power":
        table.cut_power()
        table.run_for(0.5)
        table.kernel.start()
        table.run_for(2)
        return
    mechanics = table.world.mechanics
    set_stop = mechanics.set_estop if kind == "emergency stop" else mechanics.set_lid
    set_stop(True)
    table.run_for(1)
    set_stop(False)
    table.run_for(1)


# Without the audit, which is over at once; tests/system/cycle_states.py meets that too
STATES = ("idle", "shuffle", "stack", "pause", "hold", "raise", "ready", "collect", "home", "fault")
INPUTS = ("raise", "refill", "both", "dice", "hand", "console", "lid", "key", "power")


def explore(seed: int, jobs: int = 1) -> Tally:
    """Every input in every state: afterwards a press or two must lead to right walls."""
    return tally(one_input, [(seed, state, stimulus) for state in STATES for stimulus in INPUTS], jobs)


def one_input(seed: int, state: str, stimulus: str) -> Tally:
    out = Tally()
    with Table(seed) as table:
        caretaker = Caretaker(table)
        table.run_for(1)
        ended = explored(table, caretaker, state, stimulus)
        out.outcomes[ended] += 1
        if ended != "walls":
            out.unsafe.append(f"{stimulus} in {state}: {ended}")
        out.watch(table, f"{stimulus} in {state}")
    return out


def bring_to(table: Table, caretaker: Caretaker, state: str) -> None:
    mechanics = table.world.mechanics
    if state == "idle":
        return
    if state in ("ready", "collect"):
        assert caretaker.build() == "up"
        if state == "collect":
            caretaker.press("refill", seconds=0.6)
        return
    caretaker.press("raise")
    if state == "hold":  # somebody's hand is over the plates
        caretaker.wait(lambda: caretaker.state == "stack", 30)
        mechanics.reach_into_gap(1)
        table.clock.after(25e6, lambda: mechanics.reach_into_gap(-1))
    if state in ("pause", "home", "fault"):
        caretaker.wait(lambda: caretaker.state == "stack", 30)
        table.run_for(3)
        if state == "pause":
            caretaker.press("raise", "refill")
        else:
            mechanics.set_estop(True)
            table.run_for(0.5)
            mechanics.set_estop(False)
            table.run_for(0.5)
            if state == "home":
                caretaker.press("raise", seconds=0.05)
            return
    assert caretaker.wait(lambda: caretaker.state == state, 60), state
    table.run_for(0.5)


def explored(table: Table, caretaker: Caretaker, state: str, stimulus: str) -> str:
    mechanics = table.world.mechanics
    bring_to(table, caretaker, state)
    if stimulus in ("raise", "refill", "dice"):
        caretaker.press(stimulus)
    elif stimulus == "both":
        caretaker.press("raise", "refill")
    elif stimulus in ("hand", "console"):
        act = mechanics.reach_into_gap if stimulus == "hand" else mechanics.lay_on_console
        act(1)
        table.run_for(1)
        act(-1)
    elif stimulus == "lid":
        mechanics.set_lid(True)
        table.run_for(0.3)
        mechanics.set_lid(False)
    elif stimulus == "key":
        table.board.inputs["service_key"].set(1)
        table.run_for(1)
        table.board.inputs["service_key"].set(0)
    else:
        table.cut_power()
        table.run_for(0.2)
        table.kernel.start()
    table.run_for(30)
    for _ in range(4):
        if mechanics.walls_up and caretaker.state == "ready" and not caretaker.held:
            return "walls" if wall_is_right(table) else "wrong wall"
        if mechanics.standing:
            caretaker.clear_table()
            table.run_for(2)
        else:
            caretaker.press("raise")
            table.run_for(40)
    return f"dead end in {caretaker.state}, faults {caretaker.faults()}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cycles", type=int, default=1000)
    parser.add_argument("--wear", type=float, default=1.0, help="times the rates of mechanics.toml")
    parser.add_argument("--cuts", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--explore", action="store_true", help="every input in every state")
    parser.add_argument("--jobs", type=int, default=CORES, help="processes side by side (default: one a core)")
    options = parser.parse_args()
    bad = False
    if options.cycles:
        t = cycles(options.cycles, options.wear, options.seed, options.jobs)
        share = 100 * t.outcomes["completed"] / options.cycles
        print(f"{options.cycles} cycles: {share:.2f} % completed; {dict(t.outcomes)}; disturbances {dict(t.struck)}")
        if t.seconds:
            print(f"press to walls: median {statistics.median(t.seconds):.2f} s, longest {max(t.seconds):.2f} s")
        print(f"unsafe: {t.unsafe or 'none'}")
        bad = bool(t.unsafe) or t.outcomes["WRONG"] > 0
    if options.cuts:
        t = cuts(options.cuts, options.seed, options.jobs)
        print(f"{options.cuts} stops at random instants: {dict(t.outcomes)}; wrong or unsafe: {t.unsafe or 'none'}")
        bad = bad or bool(t.unsafe)
    if options.explore:
        t = explore(options.seed, options.jobs)
        print(f"{len(STATES)} states x {len(INPUTS)} inputs: {dict(t.outcomes)}; wrong or unsafe: {t.unsafe or 'none'}")
        bad = bad or bool(t.unsafe)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
