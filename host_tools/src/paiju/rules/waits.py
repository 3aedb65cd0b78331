"""What a ready hand waits for: kinds, points by discard and by self-draw, tiles still unseen."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paiju.hand import Hand, HandError, Meld, check_tiles
from paiju.i18n import _
from paiju.rules.competitive_readings import waits as competitive_waits
from paiju.rules.completion import waits_of
from paiju.rules.engine import patterns_of
from paiju.rules.profile import Profile
from paiju.rules.score import Score
from paiju.rules.scoring import is_competitive, score
from paiju.tiles import PLAYING_FACE_COUNT, code_of


@dataclass(frozen=True, slots=True)
class Wait:
    """A kind that completes the hand.

    `unseen`: tiles of it neither held nor among the seen ones. Scores are None for a kind that cannot win:
    of which the player holds all four (it still keeps another wait from being single), or that the
    profile refuses without a fan.
    """

    face: int
    unseen: int
    by_discard: Score | None
    by_self_draw: Score | None

    def to_json(self) -> dict[str, Any]:
        return {
            "tile": code_of(self.face),
            "unseen": self.unseen,
            "by_discard": None if self.by_discard is None else self.by_discard.to_json(),
            "by_self_draw": None if self.by_self_draw is None else self.by_self_draw.to_json(),
        }


def waits(
    melds: Sequence[Meld],
    concealed: Sequence[int],
    profile: str | Profile = "mcr1998",
    *,
    prevalent_wind: int = 0,
    seat_wind: int = 0,
    flowers: int = 0,
    seen: Iterable[int] = (),
) -> tuple[Wait, ...]:
    """The kinds that complete 13 tiles (melds count three each), over all readings that the profile knows.

    `seen`: faces that lie open outside the hand, in ponds and others' melds; three of a kind seen make
    a win on the fourth 和絕張 (夾絕張 under `competitive`, as if they lay as a pung).
    Raises HandError for tiles that are no hand, and for more than four of a kind held and seen.
    """
    check_tiles(melds, concealed)
    held = [*concealed, *(tile for meld in melds for tile in meld.tiles)]
    seen = tuple(seen)
    for face in seen:
        count = held.count(face) + seen.count(face)
        if count > (4 if face < PLAYING_FACE_COUNT else 1):
            message = _("{count} of {tile} are held and seen together; the set has fewer.")
            raise HandError("too_many_copies", message.format(count=count, tile=code_of(face)))
    found = []
    for face in _completing(melds, concealed, profile):
        own = held.count(face)
        if own >= 4:
            found.append(Wait(face, 0, None, None))
            continue
        unseen = max(0, 4 - own - seen.count(face))
        hand = Hand(
            tuple(melds),
            tuple(concealed),
            face,
            last_of_kind=face not in concealed and unseen == 1,
            prevalent_wind=prevalent_wind,
            seat_wind=seat_wind,
            flowers=flowers,
        )
        by_discard, by_self_draw = _scored(hand, profile), _scored(replace(hand, self_drawn=True), profile)
        found.append(Wait(face, unseen, by_discard, by_self_draw))
    return tuple(found)


def _completing(melds: Sequence[Meld], concealed: Sequence[int], profile: str | Profile) -> tuple[int, ...]:
    if is_competitive(profile):
        return competitive_waits(melds, concealed)
    faces = waits_of(patterns_of(concealed), len(melds))
    return tuple(face for face in range(PLAYING_FACE_COUNT) if faces >> face & 1)


def _scored(hand: Hand, profile: str | Profile) -> Score | None:
    try:
        return score(hand, profile)
    except HandError as error:
        if error.code in ("no_fan", "not_winning"):
            return None
        raise
