"""Scoring a hand under a named profile."""

from functools import cache

from paiju.hand import Hand, HandError, quoted
from paiju.i18n import _
from paiju.rules.competitive import Circumstances, check_circumstances, score_competitive
from paiju.rules.competitive_profile import competitive_profile
from paiju.rules.engine import Scorer
from paiju.rules.explain import explain
from paiju.rules.profile import Profile, load_profile
from paiju.rules.score import Score
from paiju.rules.texts import engine_of

COMPETITIVE = "competitive"
PROFILES = ("mcr1998", "mcr", COMPETITIVE)
_ROBBED_ON_LAST_TILE = 0b1010  # bits of Hand.situation


def check_profile(name: str) -> None:
    """Raise HandError `unknown_profile` for a name that is none of PROFILES."""
    if name not in PROFILES:
        message = _("Unknown rules {found}: use one of {known}.")
        raise HandError("unknown_profile", message.format(found=quoted(name), known=", ".join(PROFILES)))


def is_competitive(profile: str | Profile) -> bool:
    """Whether a profile is of the second rule text. Raises HandError `unknown_profile`."""
    return isinstance(profile, str) and engine_of(profile) == COMPETITIVE


@cache
def scorer(profile: str | Profile) -> Scorer:
    """The scorer of a profile, with its tables. Raises HandError `unknown_profile`."""
    if isinstance(profile, str):
        check_profile(profile)
        profile = load_profile(profile)
    return Scorer(profile)


def score(hand: Hand, profile: str | Profile = "mcr1998", circumstances: Circumstances | None = None) -> Score:
    """Score a hand: the best reading, fan by fan.

    circumstances: what `competitive` asks besides the hand; no other profile counts it.
    Raises HandError: `not_winning`, `unknown_profile`, `impossible_flag` for circumstances that contradict
    the hand, and under `competitive` also `no_fan`. A kong robbed on the last wall tile is impossible by the
    first text, where that tile has no replacement; by the second it may be any player's last draw.
    """
    if isinstance(profile, str) and engine_of(profile) == COMPETITIVE:
        return score_competitive(hand, circumstances, competitive_profile(profile))
    if hand.situation & _ROBBED_ON_LAST_TILE == _ROBBED_ON_LAST_TILE:
        raise HandError(
            "impossible_flag",
            _("robbing_kong with last_wall_tile: after the last tile of the wall no kong can be made."),
        )
    if circumstances is not None:
        check_circumstances(hand, circumstances)
    engine = scorer(profile)
    reading = engine.read(hand)
    points, flowers = reading.points, hand.flowers
    total = points + flowers * engine.flower_value
    return Score(total, points, flowers, engine.minimum, explain, (engine, hand, reading))
