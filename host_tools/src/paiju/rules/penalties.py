"""Penalties of both rule texts as data, and their effect on a hand.

`penalties.toml` holds every offence with its article. `Conduct` is what the referee has ruled in
one hand; `rule_on` adds an act and never changes the old value. Fines are not zero-sum: a
deducted fine goes to nobody.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache, reduce
from types import MappingProxyType
from typing import Any

from paiju.rules.settlement import NOTHING, SEATS, Amounts, added, others, payment
from paiju.rules.texts import Text, engine_of, load_toml

OFFICIAL, COMPETITIVE = "official", "competitive"
WARNING, REFEREE, HAND = "warning", "referee", "hand"


class PenaltyError(ValueError):
    """An act that cannot be ruled on as given; `code` is stable, the message names the remedy."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Right(IntEnum):
    """What is left of a player's right to win, worst last."""

    FULL = 0
    NO_WIN = 1  # 停和: this hand
    FORFEIT = 2  # 棄權: this session, with 0 points
    EXCLUDED = 3  # 停賽: the rest of the event


class Receiver(IntEnum):
    """Who gets a fine."""

    NONE = 0
    EACH = 1
    VICTIM = 2
    LOSER = 3


@dataclass(frozen=True, slots=True)
class Offence:
    """A kind of offence as penalties.toml describes it.

    ladder: per repetition within a hand a number of points, or "warning", "referee" (picks one of
    `choices`), "hand" (the value of the win). each_besides: points to each other player on top.
    rights: what the referee may take instead of, or beside, a fine of the own choice.
    """

    id: str
    article: str
    name: Text
    ladder: tuple[int | str, ...]
    choices: tuple[int, ...]
    receiver: Receiver
    right: Right
    rights: tuple[Right, ...]
    dead: bool
    must_discard: bool
    warned: bool
    reported: bool
    by_session: bool
    each_besides: int
    note: Text | None


@dataclass(frozen=True, slots=True)
class Act:
    """What a player did.

    amount: the referee's choice where the rule leaves one, or the value of the win for
    "win_on_pointless". victim: who is to receive the fine, where the rule gives it to one player.
    right: what the referee takes where the rule leaves that open; then there is a fine only if
    `amount` names one.
    """

    seat: int
    offence: str
    amount: int | None = None
    victim: int | None = None
    right: Right | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """The penalty for one act. time: 1 for the first such act in the hand. amounts: change per seat."""

    act: Act
    offence: Offence
    time: int
    warning: bool
    fine: int
    amounts: Amounts

    @property
    def right(self) -> Right:
        return max(self.offence.right, self.act.right or Right.FULL)

    @property
    def dead(self) -> bool:
        """Whether the offender only plays along: by the rule, or since the referee took the win."""
        return self.offence.dead or self.act.right is Right.NO_WIN

    def to_json(self) -> dict[str, object]:
        return {
            "seat": self.act.seat,
            "offence": self.offence.id,
            "article": self.offence.article,
            "name": self.offence.name.to_json(),
            "time": self.time,
            "warning": self.warning,
            "fine": self.fine,
            "amounts": list(self.amounts),
            "right_to_win": self.right.name.lower(),
            "dead": self.dead,
            "must_discard": self.offence.must_discard,
            "reported": self.offence.reported,
            "charged": "session" if self.offence.by_session else "hand",
        }


@dataclass(frozen=True, slots=True)
class Conduct:
    """The rulings of one hand under one profile, oldest first."""

    profile: str = "mcr1998"
    rulings: tuple[Ruling, ...] = ()

    @property
    def amounts(self) -> Amounts:
        """Change of points per seat charged to the hand."""
        return added(NOTHING, *(one.amounts for one in self.rulings if not one.offence.by_session))

    @property
    def session_amounts(self) -> Amounts:
        """Change of points per seat charged when the session is totalled (lateness)."""
        return added(NOTHING, *(one.amounts for one in self.rulings if one.offence.by_session))

    def right(self, seat: int) -> Right:
        """The worst effect any ruling has had on the seat."""
        return max((one.right for one in self._of(seat)), default=Right.FULL)

    def may_win(self, seat: int) -> bool:
        return self.right(seat) is Right.FULL

    def dead(self, seat: int) -> bool:
        """Whether the seat only draws and discards (相公, 陪打); it still pays."""
        return any(one.dead for one in self._of(seat))

    def times(self, seat: int, offence: str) -> int:
        return sum(one.offence.id == offence for one in self._of(seat))

    def _of(self, seat: int) -> Iterable[Ruling]:
        return (one for one in self.rulings if one.act.seat == seat)


def system_of(profile: str) -> str:
    """The rule text of a profile: "official" or "competitive". Raises HandError `unknown_profile`."""
    return COMPETITIVE if engine_of(profile) == COMPETITIVE else OFFICIAL


def offences(profile: str) -> Mapping[str, Offence]:
    """All offences of the profile's rule text by id, in the order of its articles."""
    return _offences(system_of(profile))


@cache
def _offences(system: str) -> Mapping[str, Offence]:
    data = load_toml("penalties.toml")
    rows = (row for row in data["offence"] if system in row["systems"])
    return MappingProxyType({row["id"]: _offence(row, data) for row in rows})


def _offence(row: Mapping[str, Any], data: Mapping[str, Any]) -> Offence:
    ladder = data["ladders"][row["ladder"]] if isinstance(row["ladder"], str) else row["ladder"]
    return Offence(
        id=row["id"],
        article=row["article"],
        name=Text.of(row["name"]),
        ladder=tuple(ladder),
        choices=tuple(data["fines"][row["choices"]]) if "choices" in row else (),
        receiver=Receiver[row["receiver"].upper()],
        right=Right[row.get("right", "full").upper()],
        rights=tuple(Right[name.upper()] for name in row.get("rights", ())),
        dead=row.get("dead", False),
        must_discard=row.get("must_discard", False),
        warned=row.get("warned", False),
        reported=row.get("reported", False),
        by_session=row.get("charged") == "session",
        each_besides=row.get("each_besides", 0),
        note=Text.of(row["note"]) if "note" in row else None,
    )


def rule_on(conduct: Conduct, act: Act) -> Conduct:
    """The conduct with one more act ruled on; raises `PenaltyError` for an unknown or incomplete act."""
    known = offences(conduct.profile)
    if act.offence not in known:
        raise PenaltyError(
            "offence", f"{conduct.profile} knows no offence {act.offence!r}: choose one of {', '.join(known)}."
        )
    if act.seat not in SEATS or (act.victim is not None and act.victim not in others(act.seat)):
        raise PenaltyError("seat", "An act needs a seat from 0 to 3, and its victim another one.")
    offence = known[act.offence]
    time = conduct.times(act.seat, offence.id) + 1
    step = offence.ladder[min(time, len(offence.ladder)) - 1]
    if act.right is not None and (act.right not in offence.rights or step != REFEREE):
        raise PenaltyError(
            "right", f"{offence.id} leaves no {act.right.name.lower()} to the referee this time: leave right out."
        )
    fine = _fine(step, offence, act)
    ruling = Ruling(
        act, offence, time, step == WARNING or offence.warned, fine, _amounts(fine, offence, act)
    )
    return replace(conduct, rulings=(*conduct.rulings, ruling))


def rule_all(acts: Iterable[Act], profile: str = "mcr1998") -> Conduct:
    """Rule on the acts of one hand in order."""
    return reduce(rule_on, acts, Conduct(profile))


def _fine(step: int | str, offence: Offence, act: Act) -> int:
    if step == WARNING:
        return 0
    if step == REFEREE:
        if act.right is not None and act.amount is None:
            return 0
        amount = offence.choices[0] if act.amount is None else act.amount
        if amount not in offence.choices:
            allowed = ", ".join(map(str, offence.choices))
            raise PenaltyError("amount", f"The fine for {offence.id} is one of {allowed}, not {amount}.")
        return amount
    if step == HAND:
        if act.amount is None or act.amount <= 0:
            raise PenaltyError("amount", f"{offence.id} needs the value of the win as its amount.")
        return act.amount
    return int(step)


def _amounts(fine: int, offence: Offence, act: Act) -> Amounts:
    parts = [payment(act.seat, other, offence.each_besides) for other in others(act.seat)]
    if offence.receiver is Receiver.EACH:
        parts += [payment(act.seat, other, fine) for other in others(act.seat)]
    elif offence.receiver is Receiver.VICTIM and act.victim is None:
        raise PenaltyError("victim", f"{offence.id} is paid to one player: name the victim.")
    elif offence.receiver in (Receiver.VICTIM, Receiver.LOSER) and act.victim is not None:
        parts.append(payment(act.seat, act.victim, fine))
    else:
        deducted = [0, 0, 0, 0]
        deducted[act.seat] = -fine
        parts.append((deducted[0], deducted[1], deducted[2], deducted[3]))
    return added(*parts)


def false_win_offence(missing: int, profile: str = "mcr1998") -> str:
    """The offence of a refused win declaration.

    missing: tiles that the 13 tiles lack to be ready (0: ready; then the claimed tile was wrong),
    or -1 where the hand is complete but may not win: too few points, no fan.
    """
    if system_of(profile) == COMPETITIVE:
        return "false_win"
    return {-1: "win_below_minimum", 0: "win_on_wrong_tile", 1: "false_win"}.get(
        missing, "deliberate_false_win"
    )


def lateness_offence(minutes: float) -> str | None:
    """The offence of arriving so many minutes after the start (第十三條 二 (一)), None if in time."""
    if minutes <= 0:
        return None
    return "late_10" if minutes <= 10 else "late_15" if minutes <= 15 else "absent"
