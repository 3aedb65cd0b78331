"""Thousands of simulated hands through the tracker at default noise and sloppiness, and fewer at five times the noise.

    python tests/soak/hands.py [--hands N] [--seed S] [--jobs J] [--noise default|heavy]

What is wrong is told as it comes, the figures so far after every 1000 hands. Exit code 1 when one of the goals is
missed: results right without help at least 99.9 %, every act right in at least 99 % of the hands, none silently
wrong, also at five times the noise.
"""

import argparse
import os
import sys

from paiju.simulation.acting import Conditions, simulate
from paiju.simulation.figures import Figures

RESULTS, ACTS = 0.999, 0.99


def run(hands: int, seed: int, noise: str, jobs: int) -> Figures:
    figures = Figures()
    for outcome in simulate(hands, seed, Conditions(noise, "default"), jobs):
        figures.add(outcome)
        for title, wrong in (("wrong result", figures.wrong_results), ("wrong act", figures.wrong_acts)):
            if outcome.seed in wrong:
                silent = "SILENTLY " if outcome.seed in figures.silently_wrong else ""
                print(f"  {silent}{title}, seed {outcome.seed}: {wrong[outcome.seed]}", flush=True)
        if figures.hands % 1000 == 0 or figures.hands == hands:
            tell(figures, noise)
    print(f"  items: {dict(figures.items.most_common())}")
    print(f"  mishaps: {dict(figures.mishaps.most_common())}")
    return figures


def tell(figures: Figures, noise: str) -> None:
    print(
        f"noise {noise}: {figures.hands} hands ({figures.won} won, {figures.events} events), "
        f"result right {figures.share(figures.results_right):.3%}, silently wrong {len(figures.silently_wrong)}, "
        f"every act right {figures.share(figures.acts_right):.2%}, attention items a hand "
        f"{figures.share(figures.items.total()):.2f}, open at the end {figures.share(figures.open_items):.2f}",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--noise", choices=("default", "heavy"), help="only one of the two; as many hands as given")
    args = parser.parse_args()
    right, silent = True, 0
    if args.noise != "heavy":
        usual = run(args.hands, args.seed, "default", args.jobs)
        right = usual.share(usual.results_right) >= RESULTS and usual.share(usual.acts_right) >= ACTS
        silent += len(usual.silently_wrong)
    if args.noise != "default":
        hands = args.hands if args.noise else max(1, args.hands // 5)
        silent += len(run(hands, args.seed, "heavy", args.jobs).silently_wrong)
    return int(not right or silent > 0)


if __name__ == "__main__":
    sys.exit(main())
