"""Hands made up by players who know the rules: seeded, legal, complete, without a table."""

from paiju.simulation.hands import PlayedHand, play_hand

__all__ = ["PlayedHand", "play_hand"]
