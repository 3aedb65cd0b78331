"""Simulated hands: how long players, people and tracker take, and how well the tracker does on them.

Seconds are processor time of one process, with the players' tables warm.
"""

import time
import tracemalloc
from collections.abc import Callable
from typing import TypeVar

from paiju.game.formats.neutral import read_neutral
from paiju.game.record import HandRecord
from paiju.game.tracker import Tracker
from paiju.simulation import PlayedHand, play_hand
from paiju.simulation.acting import follow
from paiju.simulation.judging import judge
from twin.direct import Direct, Said
from twin.script import parse

WARM, HANDS = 60, 120
LEVELS = (("none", "none"), ("default", "default"), ("heavy", "default"), ("heavy", "heavy"))
Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def main() -> None:
    for seed in range(WARM):
        play_hand(seed)
    hands, seconds = timed(lambda: [play_hand(seed) for seed in range(WARM, WARM + HANDS)])
    print(f"players, hands a second                     {HANDS / seconds:10.1f}")
    truths = [read_neutral(hand.record) for hand in hands]
    for noise, sloppy in LEVELS:
        logs, seconds = timed(lambda noise=noise, sloppy=sloppy: [acted(hand, noise, sloppy) for hand in hands])
        count = sum(map(len, logs))
        print(f"noise {noise}, sloppiness {sloppy}")
        print(f"  people and readers, hands a second        {HANDS / seconds:10.1f}")
        found, seconds = timed(lambda logs=logs: [follow(log, t.setup) for log, t in zip(logs, truths, strict=True)])
        print(f"  events a second through the tracker       {count / seconds:10.0f}   ({count / HANDS:.0f} a hand)")
        report(truths, [record for record, _ in found], sum(len(items) for _, items in found))
    longest = max((acted(hand, "default", "default") for hand in hands), key=len)
    print(f"memory of one hand of {len(longest)} events, KiB       {memory(longest):10.0f}")


def acted(hand: PlayedHand, noise: str, sloppy: str) -> list[Said]:
    return Direct(parse(dict(hand.record)), str(hand.record["id"]), noise, sloppy).play()


def report(truths: list[HandRecord], found: list[HandRecord | None], items: int) -> None:
    verdicts = [judge(truth, record) for truth, record in zip(truths, found, strict=True)]
    print(
        f"  result right {sum(v.result for v in verdicts)}/{HANDS}, every act right {sum(v.acts for v in verdicts)}, "
        f"silently wrong {sum(v.silently_wrong for v in verdicts)}, attention items a hand {items / HANDS:.2f}"
    )


def memory(log: list[Said]) -> float:
    """KiB that the tracker holds at the end of a hand."""
    tracemalloc.start()
    tracker = Tracker()
    for event in log:
        tracker.feed(event)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return held / 1024


if __name__ == "__main__":
    main()
