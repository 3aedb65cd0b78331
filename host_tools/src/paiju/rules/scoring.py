"""Scoring a hand under a named profile."""

from functools import cache

from paiju.hand import Hand, HandError
from paiju.rules.competitive import Circumstances, score_competitive
from paiju.rules.competitive_profile import competitive_profile
from paiju.rules.engine import Scorer
from paiju.rules.explain import explain
from paiju.rules.profile import Profile, load_profile
from paiju.rules.score import Score
from paiju.rules.texts import engine_of

COMPETITIVE = "competitive"
PROFILES = ("mcr1998", "mcr", COMPETITIVE)


def check_profile(name: str) -> None:
    """Raise HandError `unknown_profile` for a name that is none of PROFILES."""
    if name not in PROFILES:
        raise HandError("unknown_profile", f"Unknown rules {name!r}: use one of {', '.join(PROFILES)}.")


@cache
def scorer(profile: str | Profile) -> Scorer:
    """The scorer of a profile, with its tables. Raises HandError `unknown_profile`."""
    if isinstance(profile, str):
        check_profile(profile)
        profile = load_profile(profile)
    return Scorer(profile)


def score(hand: Hand, profile: str | Profile = "mcr1998", circumstances: Circumstances | None = None) -> Score:
    """Score a hand: the best reading, fan by fan.

    circumstances: what `competitive` asks besides the hand; no other profile looks at it.
    Raises HandError: `not_winning`, `unknown_profile`, and under `competitive` also `no_fan`.
    """
    if isinstance(profile, str) and engine_of(profile) == COMPETITIVE:
        return score_competitive(hand, circumstances, competitive_profile(profile))
    engine = scorer(profile)
    reading = engine.read(hand)
    points, flowers = reading.points, hand.flowers
    total = points + flowers * engine.flower_value
    return Score(total, points, flowers, engine.minimum, explain, (engine, hand, reading))
