"""What many simulated hands add up to."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from paiju.simulation.acting import Outcome


@dataclass
class Figures:
    """Counts over outcomes. `wrong` are seeds with a wrong result or a wrong act, with the first difference."""

    hands: int = 0
    won: int = 0
    results_right: int = 0
    silently_wrong: list[int] = field(default_factory=list)
    acts_right: int = 0
    events: int = 0
    items: Counter[str] = field(default_factory=Counter)
    open_items: int = 0
    mishaps: Counter[str] = field(default_factory=Counter)
    wrong_results: dict[int, str] = field(default_factory=dict)
    wrong_acts: dict[int, str] = field(default_factory=dict)

    def add(self, outcome: Outcome) -> None:
        judgement = outcome.judgement
        self.hands += 1
        self.won += outcome.kind == "win"
        self.results_right += judgement.result
        self.acts_right += judgement.acts
        self.events += outcome.events
        self.items.update(outcome.items)
        self.open_items += judgement.open_items
        self.mishaps.update(outcome.mishaps)
        if judgement.silently_wrong:
            self.silently_wrong.append(outcome.seed)
        if not judgement.result:
            self.wrong_results[outcome.seed] = outcome.problem or judgement.first_wrong
        elif not judgement.acts:
            self.wrong_acts[outcome.seed] = judgement.first_wrong

    def share(self, count: int) -> float:
        return count / self.hands if self.hands else 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "hands": self.hands,
            "won": self.won,
            "results_right": self.results_right,
            "results_right_share": self.share(self.results_right),
            "silently_wrong": self.silently_wrong,
            "acts_right": self.acts_right,
            "acts_right_share": self.share(self.acts_right),
            "events": self.events,
            "items_per_hand": self.share(self.items.total()),
            "open_items_per_hand": self.share(self.open_items),
            "items": dict(self.items.most_common()),
            "mishaps": dict(self.mishaps.most_common()),
            "wrong_results": {str(seed): what for seed, what in self.wrong_results.items()},
            "wrong_acts": {str(seed): what for seed, what in self.wrong_acts.items()},
        }
