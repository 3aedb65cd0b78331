"""A tracked hand held against the hand that was really played."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from paiju.game.actions import Action, ActionKind
from paiju.game.record import HandRecord
from paiju.tiles import code_of

Step = tuple[str, int | None, tuple[str, ...], int | None]
_START: Final = frozenset({"deal", "flower", "draw flower"})


@dataclass(frozen=True, slots=True)
class Judgement:
    """`result`: winner, source and points are right; `acts`: so is every action. `first_wrong` says what is not."""

    result: bool
    acts: bool
    open_items: int
    first_wrong: str = ""

    @property
    def silently_wrong(self) -> bool:
        """Wrong, and nothing on the attention list says that a person should look."""
        return not self.result and not self.open_items


def judge(truth: HandRecord, found: HandRecord | None) -> Judgement:
    """`found` None: the tracker told of no hand at all, which nobody would miss."""
    if found is None:
        return Judgement(False, False, 0, "no hand was recorded")
    right = _result(truth) == _result(found)
    wanted, told = _public(truth), _public(found)
    first = next((f"{_words(b)}, not {_words(a)}" for a, b in zip(wanted, told, strict=False) if a != b), "")
    if not first and len(wanted) != len(told):
        first = f"{len(told)} public acts, not {len(wanted)}"
    for seat in range(4):
        if not first and (own := _own(truth, seat)) != (other := _own(found, seat)):
            first = _difference(own, other)
    if not first and not right:
        first = f"result {_result(found)}, not {_result(truth)}"
    return Judgement(right, not first, len(found.attention), first)


def _result(record: HandRecord) -> tuple[str, int | None, int | None, int]:
    result = record.result
    return result.kind, result.winner, result.source, result.points


def _step(action: Action) -> Step:
    kind, source, codes = action.kind.value, action.source, tuple(sorted(map(code_of, action.faces)))
    if action.kind is ActionKind.DRAW and action.drawn_from is not None:
        kind = f"draw {action.drawn_from.value}"
    elif action.kind is ActionKind.WIN:
        codes = (code_of(action.faces[0]),)
    elif action.kind is ActionKind.ADDED_KONG:
        codes, source = (code_of(action.faces[0]),), None
    return kind, action.seat, codes, source


def _starts(record: HandRecord, seat: int) -> int:
    """How many of a seat's acts are the deal and the flowers shown and replaced before its first turn."""
    own = [_step(action) for action in record.actions if action.seat == seat]
    return next((n for n, step in enumerate(own) if step[0] not in _START), len(own))


def _public(record: HandRecord) -> list[Step]:
    """What everybody sees, in order, but for the flowers at the start: they belong to their seats only."""
    left = [_starts(record, seat) for seat in range(4)]
    steps: list[Step] = []
    for action in record.actions:
        if action.seat is not None and left[action.seat]:
            left[action.seat] -= 1
        elif action.kind is not ActionKind.DRAW:
            steps.append(_step(action))
    return steps


def _own(record: HandRecord, seat: int) -> list[Step]:
    """A seat's acts. Which tiles were dealt and which replaced a flower at once, no reader can tell."""
    steps = [_step(action) for action in record.actions if action.seat == seat]
    first = _starts(record, seat)
    held = tuple(sorted(code for step in steps[:first] for code in step[2]))
    return [("start", seat, held, None), *steps[first:]]


def _difference(wanted: list[Step], told: list[Step]) -> str:
    for one, other in zip(wanted, told, strict=False):
        if one != other and one[0] == "start":
            lacking, extra = Counter(one[2]) - Counter(other[2]), Counter(other[2]) - Counter(one[2])
            return f"seat {one[1]} begins with {sorted(extra.elements())}, not {sorted(lacking.elements())}"
        if one != other:
            return f"{_words(other)}, not {_words(one)}"
    return f"{len(told)} acts of seat {wanted[0][1]}, not {len(wanted)}"


def _words(step: Step) -> str:
    kind, seat, codes, source = step
    return f"{kind} {' '.join(codes)} of seat {seat}" + ("" if source is None else f" from {source}")
