"""Scoring a hand under a named profile."""

from functools import cache, partial

from paiju.hand import Hand, HandError
from paiju.rules.competitive import score_competitive
from paiju.rules.engine import Scorer
from paiju.rules.explain import explain
from paiju.rules.fans import FLOWER_TILES
from paiju.rules.profile import Profile, load_profile
from paiju.rules.score import Score

COMPETITIVE = "competitive"
PROFILES = ("mcr1998", "mcr", COMPETITIVE)


@cache
def scorer(profile: str | Profile) -> Scorer:
    """The scorer of a profile, with its tables. Raises HandError `unknown_profile`."""
    return Scorer(load_profile(profile) if isinstance(profile, str) else profile)


def score(hand: Hand, profile: str | Profile = "mcr1998") -> Score:
    """Score a hand: the best reading, fan by fan.

    Raises HandError: `not_winning`, `unknown_profile`, and under `competitive` also `no_fan`.
    """
    if profile == COMPETITIVE:
        return score_competitive(hand)
    if isinstance(profile, str) and profile not in PROFILES:
        raise HandError("unknown_profile", f"Unknown rules {profile!r}: use one of {', '.join(PROFILES)}.")
    engine = scorer(profile)
    reading = engine.read(hand)
    flowers = hand.flowers * engine.profile.fans[FLOWER_TILES].value if hand.flowers else 0
    points = reading.points
    return Score(
        points + flowers, points, hand.flowers, engine.profile.minimum, partial(explain, engine, hand, reading)
    )
