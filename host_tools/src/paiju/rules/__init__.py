"""Scoring, payments and penalties: a pure core whose rule systems are data (`profiles/*.toml`)."""

from paiju.rules.profile import Profile, load_profile
from paiju.rules.score import Excluded, FanCount, Score
from paiju.rules.scoring import PROFILES, score
from paiju.rules.settlement import settle

__all__ = ["PROFILES", "Excluded", "FanCount", "Profile", "Score", "load_profile", "score", "settle"]
