"""Cycles without a person: how many end with walls, how the others stop; and stops at random instants.

    python tests/soak/cycles.py [--cycles 1000] [--wear 1] [--cuts 500] [--seed 1]

Prints figures; exit code 1 when a wall was wrong, an invariant was broken or a stop was not recovered from.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.caretaker import Caretaker

from twin.mechanics import Wear
from twin.table import WORKSHOP_HEAP, Table

TABLE_CYCLES = 50  # cycles in the life of one simulated table, so that a fault that lasts costs few of them
CUTS_A_TABLE = 20


def wall_is_right(table: Table) -> bool:
    """36 tiles on each side, each of the 144 once, none left below."""
    tiles = table.world.tiles
    sides = Counter(tile.place for tile in tiles)
    return sides == {f"wall.{seat}": 36 for seat in range(4)} and table.world.mechanics.walls_up


def cycles(count: int, wear: float, seed: int) -> tuple[Counter[str], list[float], Counter[str], list[str]]:
    """Run `count` cycles; outcomes, seconds from press to walls, disturbances that struck, what was unsafe."""
    outcomes: Counter[str] = Counter()
    seconds: list[float] = []
    struck: Counter[str] = Counter()
    unsafe: list[str] = []
    done = 0
    while done < count:
        with Table(seed + done, heap=WORKSHOP_HEAP) as table:
            mechanics = table.world.mechanics
            mechanics.wear = Wear(seed + done, wear)
            caretaker = Caretaker(table)
            table.run_for(1)
            for _ in range(min(TABLE_CYCLES, count - done)):
                done += 1
                before, since = table.now, caretaker.last
                ended = caretaker.build()
                if ended == "up" and wall_is_right(table):
                    outcomes["completed"] += 1
                    seconds.append((table.now - before) / 1e6)
                    if not caretaker.clear_table():
                        outcomes["console"] += 1
                        break
                elif ended == "fault":
                    outcomes[f"stopped by E{sum(caretaker.faults(since)[-1]):02}"] += 1
                    break
                else:
                    outcomes["WRONG"] += 1
                    break
            struck.update(mechanics.wear.struck)
            unsafe += [f"{b.rule} {b.what}" for b in table.invariants.breaches]
            table.invariants.clear()
        print(f"  {done} of {count}: {dict(outcomes)}", flush=True)
    return outcomes, seconds, struck, unsafe


def cuts(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Stop `count` cycles at random instants by power, emergency stop or lid; then press, and look at the walls."""
    outcomes: Counter[str] = Counter()
    unsafe: list[str] = []
    rng = random.Random(seed)
    done = 0
    while done < count:
        with Table(seed + done, heap=WORKSHOP_HEAP) as table:
            caretaker = Caretaker(table)
            table.run_for(1)
            for _ in range(min(CUTS_A_TABLE, count - done)):
                done += 1
                kind = ("power", "emergency stop", "lid")[done % 3]
                ended = one_cut(table, caretaker, kind, rng.uniform(0, 27))
                outcomes[f"{kind}: {ended}"] += 1
                if ended != "recovered" or not caretaker.clear_table():
                    break
            unsafe += [f"{b.rule} {b.what}" for b in table.invariants.breaches]
            table.invariants.clear()
        print(f"  {done} of {count}: {dict(outcomes)}", flush=True)
    return outcomes, unsafe


def one_cut(table: Table, caretaker: Caretaker, kind: str, at_s: float) -> str:
    """A cycle from press to closed console is stopped after `at_s`; how the table came back."""
    mechanics = table.world.mechanics
    end = table.now + int(at_s * 1e6)
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
    if kind == "power":
        table.cut_power()
        table.run_for(0.5)
        table.kernel.start()
        table.run_for(2)
    else:
        set_stop = mechanics.set_estop if kind == "emergency stop" else mechanics.set_lid
        set_stop(True)
        table.run_for(1)
        set_stop(False)
        table.run_for(1)
    if not mechanics.walls_up:
        was_moving = state not in ("idle", "hold", "ready")
        ended = caretaker.build()
        told = [str(e["state"]) for e in caretaker.of("cycle", since)]
        if was_moving and "home" not in told:
            return f"in {state} not homed"
        if ended != "up":
            return f"in {state} {ended} {caretaker.faults(since)}"
    elif caretaker.held:
        caretaker.press("raise")
        table.run_for(5)
    if not wall_is_right(table):
        return f"in {state} wrong wall"
    audits = caretaker.of("audit")
    return "recovered" if audits[-1]["result"] == "complete" else f"in {state} audit {audits[-1]['result']}"


STATES = ("shuffle", "stack", "pause", "raise", "ready", "collect", "home", "fault")
INPUTS = ("raise", "refill", "both", "dice", "hand", "console", "lid", "key", "power")


def explore(seed: int) -> tuple[Counter[str], list[str]]:
    """Every input in every state: afterwards a press or two must lead to right walls."""
    outcomes: Counter[str] = Counter()
    unsafe: list[str] = []
    for state in STATES:
        print(f"  {state}: before it {dict(outcomes)} {unsafe or ''}", flush=True)
        for stimulus in INPUTS:
            with Table(seed, heap=WORKSHOP_HEAP) as table:
                caretaker = Caretaker(table)
                table.run_for(1)
                ended = explored(table, caretaker, state, stimulus)
                outcomes[ended] += 1
                if ended != "walls":
                    unsafe.append(f"{stimulus} in {state}: {ended}")
                unsafe += [f"{stimulus} in {state}: {b.rule} {b.what}" for b in table.invariants.breaches]
                table.invariants.clear()
    return outcomes, unsafe


def bring_to(table: Table, caretaker: Caretaker, state: str) -> None:
    mechanics = table.world.mechanics
    if state in ("ready", "collect"):
        assert caretaker.build() == "up"
        if state == "collect":
            caretaker.press("refill", seconds=0.6)
        return
    caretaker.press("raise")
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
    options = parser.parse_args()
    bad = False
    if options.cycles:
        outcomes, seconds, struck, unsafe = cycles(options.cycles, options.wear, options.seed)
        share = 100 * outcomes["completed"] / options.cycles
        print(f"{options.cycles} cycles: {share:.2f} % completed; {dict(outcomes)}; disturbances {dict(struck)}")
        if seconds:
            print(f"press to walls: median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s")
        print(f"unsafe: {unsafe or 'none'}")
        bad = bool(unsafe) or outcomes["WRONG"] > 0
    if options.cuts:
        outcomes, unsafe = cuts(options.cuts, options.seed)
        print(f"{options.cuts} stops at random instants: {dict(outcomes)}; unsafe: {unsafe or 'none'}")
        bad = bad or bool(unsafe) or any(not name.endswith("recovered") for name in outcomes)
    if options.explore:
        outcomes, unsafe = explore(options.seed)
        print(f"{len(STATES)} states x {len(INPUTS)} inputs: {dict(outcomes)}; wrong or unsafe: {unsafe or 'none'}")
        bad = bad or bool(unsafe)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
