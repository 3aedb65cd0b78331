"""The tracker: events a second, memory of a hand, what a correction costs, and what reader noise does to it.

Hands are those carried with the tests, acted out as events; noise as in tests/host/game/acting.py.
"""

import statistics
import sys
import time
import tracemalloc
from pathlib import Path

GAME = Path(__file__).parents[1] / "host" / "game"
sys.path.insert(0, str(GAME))

from acting import CALM, USUAL, act_out, carried_hand  # noqa: E402

from paiju.game.position import Setup  # noqa: E402
from paiju.game.tracker import Tracker, track  # noqa: E402

NAMES = sorted(path.stem for path in (GAME / "hands").glob("*.json"))
SEEDS = 30


def main() -> None:
    records = [carried_hand(name) for name in NAMES]
    logs = [act_out(record, seed) for record in records for seed in range(5)]
    count = sum(map(len, logs))
    start = time.process_time()
    for log in logs:
        track(log)
    rate = count / (time.process_time() - start)
    print(f"events a second through the tracker        {rate:10.0f}")

    longest = max(logs, key=len)
    tracemalloc.start()
    tracker = Tracker()
    for event in longest:
        tracker.feed(event)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    print(f"memory of one hand of {len(longest)} events, KiB        {held / 1024:10.0f}")

    costs = []
    for log in logs:
        tracker = Tracker()
        for event in log[:-4]:
            tracker.feed(event)
        assert tracker.hand is not None
        first = next(action for action in tracker.hand.actions if action.kind.value == "discard")
        start = time.process_time()
        tracker.correct(first.number, [first], "bench", "same again")
        costs.append((time.process_time() - start) * 1000)
    print(f"correction of the first discard, ms (median){statistics.median(costs):10.1f}")

    for factor in (1, 5):
        hands = right = silent = items = 0
        for record in records:
            setup = Setup(record["dealer"], record["prevalent_wind"], "mcr")
            wanted = record["result"]
            for seed in range(SEEDS):
                result = track(act_out(record, seed, CALM, USUAL.times(factor)), setup)[-1]
                same = (result.result.winner, result.result.source, result.result.points) == (
                    wanted.get("winner"),
                    wanted.get("discarder"),
                    wanted.get("fan_total", 0),
                )
                hands, right = hands + 1, right + same
                items += len(result.attention)
                silent += not same and not result.attention
        print(
            f"noise x{factor}: {hands} hands, result right {right}, silently wrong {silent}, "
            f"open items a hand {items / hands:.2f}"
        )


if __name__ == "__main__":
    main()
