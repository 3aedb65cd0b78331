"""Hands scored per second in one process: the engine as source, compiled, and PyMahjongGB on the same hands.

All three run in turns within one process each, on hands nobody scored before ("new hands") once the tables
are warm, and on the same hands again. Seconds are processor time, so that a busy machine does not count.
PyMahjongGB, a C++ engine called from Python, is fetched with pip into build/ the first time; without it, or
without a C compiler, that line is left out and says why.
"""

import gc
import json
import os
import random
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "bench_rules"
WARM, NEW, CHUNK, SEED = 60_000, 20_000, 5_000, 20_240
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


# --- hands ---------------------------------------------------------------------------------------------


def deal(rng: random.Random) -> dict[str, Any] | None:
    """A winning hand in the corpus format, or None where the draw holds five of a kind."""
    from paiju.rules.blocks import KNITTED
    from paiju.tiles import FACES

    form = rng.choices(("sets", "flush", "pungs", "knitted", "pairs", "unrelated"), (60, 10, 12, 6, 8, 4))[0]
    melds: list[list[Any]] = []
    tiles: list[int] = []
    if form == "pairs":
        tiles = [face for face in rng.choices(range(34), k=7) for _ in (0, 1)]
    elif form == "unrelated":
        starts = rng.choice(KNITTED)
        kinds = [s * 9 + start + step for s, start in enumerate(starts) for step in (0, 3, 6)]
        tiles = rng.sample([*kinds, *range(27, 34)], 14)
    else:
        suits = [rng.randrange(3)] if form == "flush" else [0, 1, 2]
        count = 4
        if form == "knitted":
            count = 1
            tiles = [s * 9 + start + step for s, start in enumerate(rng.choice(KNITTED)) for step in (0, 3, 6)]
        openness = rng.choice((0.0, 0.3, 0.6, 1.0))
        for _ in range(count):
            suit, draw = rng.choice(suits), rng.random()
            if draw < (0.15 if form == "pungs" else 0.65):
                low = suit * 9 + rng.randrange(7)
                one, kind = [low, low + 1, low + 2], "chow"
            else:
                face = rng.randrange(27, 34) if draw > 0.88 else suit * 9 + rng.randrange(9)
                kong = rng.random() < 0.15
                one = [face] * (4 if kong else 3)
                kind = rng.choice(("melded_kong", "added_kong", "concealed_kong")) if kong else "pung"
            if kind.endswith("kong") or rng.random() < openness:
                source = "left" if kind == "chow" else rng.choice(("left", "across", "right"))
                melds.append([kind, one, "self" if kind == "concealed_kong" else source])
            else:
                tiles += one
        tiles += [rng.randrange(27, 34) if rng.random() < 0.2 else rng.choice(suits) * 9 + rng.randrange(9)] * 2
    held = [*tiles, *(tile for meld in melds for tile in meld[1])]
    if any(held.count(face) > 4 for face in held):
        return None
    rng.shuffle(tiles)
    win = tiles.pop()
    drawn = rng.random() < 0.4
    others = held.count(win) - 1 - tiles.count(win)
    return {
        "melds": [[kind, [FACES[tile] for tile in one], source] for kind, one, source in melds],
        "concealed": [FACES[tile] for tile in sorted(tiles)],
        "win_tile": FACES[win],
        "self_drawn": drawn,
        "last_of_kind": win not in tiles and (others == 3 or rng.random() < 0.03),
        "last_wall_tile": rng.random() < 0.03,
        "kong_replacement": drawn and any(m[0].endswith("kong") for m in melds) and rng.random() < 0.1,
        "robbing_kong": False,
        "prevalent_wind": rng.choice("ESWN"),
        "seat_wind": rng.choice("ESWN"),
        "flowers": rng.choice((0, 0, 1, 2)),
    }


def hands(count: int) -> list[dict[str, Any]]:
    rng = random.Random(SEED)
    found: list[dict[str, Any]] = []
    while len(found) < count:
        hand = deal(rng)
        if hand:
            found.append(hand)
    return found


def arguments(hand: dict[str, Any]) -> tuple[Any, ...]:
    """The positional arguments of PyMahjongGB's fan calculator."""
    honours = dict(zip("ESWNCFP", ("F1", "F2", "F3", "F4", "J1", "J2", "J3"), strict=True))

    def name(code: str) -> str:
        return honours.get(code) or "WBT"["mps".index(code[1])] + code[0]

    packs = []
    for kind, tiles, source in hand["melds"]:
        claimed = ("self", "left", "across", "right").index(source)
        if kind == "chow":
            packs.append(("CHI", name(tiles[1]), 2))
        else:
            packs.append(("PENG" if kind == "pung" else "GANG", name(tiles[0]), claimed))
    return (
        tuple(packs),
        tuple(name(code) for code in hand["concealed"]),
        name(hand["win_tile"]),
        hand["flowers"],
        hand["self_drawn"],
        hand["last_of_kind"],
        hand["kong_replacement"] or hand["robbing_kong"],
        hand["last_wall_tile"],
        "ESWN".index(hand["seat_wind"]),
        "ESWN".index(hand["prevalent_wind"]),
        True,
    )


# --- measuring, in a process of its own ------------------------------------------------------------------


def worker() -> None:
    """Score the hands with the engine on the path and with PyMahjongGB, in turns; print one JSON object."""
    from paiju.hand import Hand
    from paiju.rules import load_profile, score
    from paiju.rules.completion import forget_waits
    from paiju.rules.engine import Scorer
    from paiju.rules.readings import forget_parts
    from paiju.rules.scoring import scorer

    rows = hands(WARM + NEW)
    ours = [Hand.from_json(row) for row in rows]
    profile = load_profile("mcr")
    colds = []
    for hand in ours[:200]:
        fresh = Scorer(profile)
        forget_parts()
        forget_waits()
        start = time.process_time()
        fresh.read(hand)
        colds.append(time.process_time() - start)
    read = scorer("mcr").read
    start = time.process_time()
    first = score(ours[0], "mcr")
    first.to_json(excluded=True)
    result: dict[str, Any] = {"first_ms": (time.process_time() - start) * 1e3}

    def seconds(function: Any, chunk: list[Any]) -> float:
        start = time.process_time()
        for one in chunk:
            function(one)
        return time.process_time() - start

    gc.collect()
    gc.freeze()
    result["from_cold"] = 5_000 / seconds(lambda hand: score(hand, "mcr"), ours[:5_000])
    for hand in ours[5_000:WARM]:
        read(hand)
    try:
        from MahjongGB import MahjongFanCalculator
    except ImportError:
        theirs = None
    else:
        theirs = [arguments(row) for row in rows]
        agree = sum(
            score(hand, "mcr").total == sum(fan[0] * fan[1] for fan in MahjongFanCalculator(*row))
            for hand, row in zip(ours[:CHUNK], theirs[:CHUNK], strict=True)
        )
        result["agree"] = f"{agree} of {CHUNK}"
    spent = dict.fromkeys(("new", "again", "points", "json", "theirs"), 0.0)
    for at in range(WARM, WARM + NEW, CHUNK):
        chunk = ours[at : at + CHUNK]
        spent["new"] += seconds(lambda hand: score(hand, "mcr"), chunk)
        spent["again"] += seconds(lambda hand: score(hand, "mcr"), chunk)
        spent["points"] += seconds(read, chunk)
        spent["json"] += seconds(lambda row: score(Hand.from_json(row), "mcr"), rows[at : at + CHUNK])
        if theirs:
            spent["theirs"] += seconds(lambda row: MahjongFanCalculator(*row), theirs[at : at + CHUNK])
    result |= {key: NEW / value for key, value in spent.items() if value}
    result["cold_ms"] = sorted(colds)[len(colds) // 2] * 1e3
    result["cold_worst_ms"] = max(colds) * 1e3
    json.dump(result, sys.stdout)


def measure(source: Path, oracle: Path | None) -> dict[str, Any]:
    path = os.pathsep.join(str(place) for place in (source, oracle) if place)
    done = subprocess.run(
        [sys.executable, __file__, "--worker"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"The measurement failed: {done.stderr.strip().splitlines()[-1]}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


# --- what is measured -------------------------------------------------------------------------------------


def compiled() -> Path | None:
    """The package with its scoring core compiled, built afresh under build/."""
    place = BUILD / "compiled"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(ROOT / "host_tools" / "src", place / "src", ignore=shutil.ignore_patterns("*.so", "*.egg-info"))
    shutil.copy(ROOT / "host_tools" / "setup.py", place)
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", "src"],
        cwd=place,
        env={**os.environ, "PAIJU_COMPILE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"not compiled: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
        return None
    return place / "src"


def oracle() -> Path | None:
    """Where PyMahjongGB can be imported from, installed the first time."""
    place = BUILD / "mahjonggb"
    packages = place / "lib" / PYTHON / "site-packages"
    if not list(packages.glob("MahjongGB*")):
        venv.create(place, with_pip=True)
        pip = [str(place / "bin" / "python"), "-m", "pip", "install", "-q"]
        for wanted in (["setuptools", "wheel", "pybind11"], ["--no-build-isolation", "PyMahjongGB==1.4.0"]):
            if subprocess.run([*pip, *wanted], capture_output=True, check=False).returncode:
                print(f"PyMahjongGB left out: pip could not install {wanted[-1]}")
                shutil.rmtree(place, ignore_errors=True)
                return None
    only = BUILD / "oracle"
    shutil.rmtree(only, ignore_errors=True)
    only.mkdir(parents=True)
    for file in packages.glob("MahjongGB*"):
        shutil.copy(file, only)
    return only


def show(name: str, result: dict[str, Any]) -> None:
    print(
        f"{name:<10} {result['new']:>10,.0f} {result['again']:>10,.0f} {result['points']:>12,.0f}"
        f" {result['json']:>10,.0f} {result['from_cold']:>12,.0f}"
        f" {result['cold_ms']:>8.2f} {result['cold_worst_ms']:>8.2f} {result['first_ms']:>8.2f}"
    )


def main() -> None:
    beside = oracle()
    built = compiled()
    print(f"{NEW:,} hands after {WARM:,} others; hands per processor second in one process (profile mcr)")
    print(
        f"{'engine':<10} {'new hands':>10} {'again':>10} {'points only':>12}"
        f" {'from JSON':>10} {'first 5,000':>12} {'cold ms':>8} {'worst':>8} {'told ms':>8}"
    )
    results = {"source": measure(ROOT / "host_tools" / "src", beside)}
    if built:
        results["compiled"] = measure(built, beside)
    for name, result in results.items():
        show(name, result)
    for name, result in results.items():
        if "theirs" in result:
            print(
                f"PyMahjongGB in turns with {name}: {result['theirs']:,.0f}; ratio to it:"
                f" new hands {result['new'] / result['theirs']:.2f}, again {result['again'] / result['theirs']:.2f},"
                f" points only {result['points'] / result['theirs']:.2f}; totals agree on {result['agree']}"
            )
    print(
        "cold ms: median (worst of 200) of one hand while every table is empty; told ms: a first hand with its reasons"
    )


if __name__ == "__main__":
    worker() if sys.argv[1:] == ["--worker"] else main()
