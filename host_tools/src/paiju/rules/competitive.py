"""Scores a hand under the second rule text: technical fans plus additions (第九條, 三十八).

Each reading of the hand is counted by itself and the dearest one stands. A win without a
technical fan is refused (無番禁和).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import permutations
from typing import Any

from paiju.hand import Hand, HandError, MeldKind
from paiju.i18n import _
from paiju.rules.competitive_profile import CompetitiveProfile, Item, competitive_profile, default_notice
from paiju.rules.competitive_readings import KNITTED_STRAIGHTS, Reading, Shape, readings, waits
from paiju.rules.score import Excluded, FanCount, Score, Tiles
from paiju.rules.texts import Text
from paiju.tiles import code_of, is_honour, is_suited


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What this text asks about a win that a `Hand` does not say.

    flower_replacement: won on the tile drawn for a flower. put_into_hand: the self-drawn winning
    tile was mixed into the hand, so it is no single wait. pung_shown: the other three of a last
    tile lie as a pung, which 夾絕張 asks for.
    `Hand.last_wall_tile` means here: on each player's last draw of the hand, or its discard.
    """

    flower_replacement: bool = False
    put_into_hand: bool = False
    pung_shown: bool = True

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Circumstances":
        """From the same object as `Hand.from_json`, by the names of the fields; absent ones default."""
        given = {field.name: value[field.name] for field in fields(cls) if field.name in value}
        for name, flag in given.items():
            if not isinstance(flag, bool):
                raise HandError("bad_value", _("{field} must be true or false.").format(field=name))
        return cls(**given)


@dataclass(frozen=True, slots=True)
class Counted:
    """A fan or addition that counts, how often, and the faces that make it."""

    item: Item
    tiles: Tiles
    count: int = 1

    @property
    def points(self) -> int:
        return self.item.points * self.count

    def named(self) -> FanCount:
        item, name = self.item, self.item.name
        tiles = (self.tiles,) if self.tiles else ()
        return FanCount(item.no, name.zh_hant, name.zh_hans, name.en, item.points, self.count, tiles)


@dataclass(frozen=True, slots=True)
class Tally:
    """One reading counted: fans first, then additions; what was left out."""

    reading: Reading
    fans: tuple[Counted, ...]
    additions: tuple[Counted, ...]
    left_out: tuple[Excluded, ...]

    @property
    def total(self) -> int:
        return sum(one.points for one in (*self.fans, *self.additions))

    def explained(self) -> tuple[tuple[FanCount, ...], tuple[Excluded, ...]]:
        """What counts, the highest first, flowers last; and what was left out."""
        counted = sorted(
            (*self.fans, *self.additions),
            key=lambda one: (one.item.key == "flower", -one.item.points, one.item.no),
        )
        return tuple(one.named() for one in counted), self.left_out

    @property
    def notices(self) -> tuple[Text, ...]:
        """One for each value used that is a project default."""
        return tuple(
            default_notice(one.item.name, one.item.points)
            for one in (*self.fans, *self.additions)
            if one.item.is_default
        )


def tally(
    hand: Hand,
    circumstances: Circumstances | None = None,
    profile: CompetitiveProfile | None = None,
) -> Tally:
    """Count a hand by its dearest reading.

    Raises HandError: `not_winning`, `no_fan` (無番禁和), or `impossible_flag` for circumstances
    that contradict the hand.
    """
    circumstances = circumstances or Circumstances()
    profile = profile or competitive_profile()
    check_circumstances(hand, circumstances)
    found = readings(hand)
    if not found:
        raise HandError("not_winning", _("These tiles are no winning shape under the competitive rules."))
    waiting = waits(hand.melds, hand.concealed)
    tallies = [_count(reading, hand, waiting, circumstances, profile) for reading in found]
    with_fan = [one for one in tallies if one.fans]
    if not with_fan:
        raise HandError("no_fan", _("The hand has no technical fan: a win needs at least one (無番禁和)."))
    return max(with_fan, key=_rank)


class CompetitiveScore(Score):
    """A score with a notice for each value in it that is a project default."""

    __slots__ = ("notices",)

    def __init__(self, counted: Tally, flowers: int) -> None:
        in_flowers = sum(one.points for one in counted.additions if one.item.key == "flower")
        # A tally has a fan, so any of its totals may win.
        super().__init__(counted.total, counted.total - in_flowers, flowers, 0, counted.explained)
        self.notices = counted.notices

    def to_json(self, *, excluded: bool = False) -> dict[str, Any]:
        """As `Score.to_json`, with `notices`, each in three languages."""
        body = super().to_json(excluded=excluded)
        body["notices"] = [notice.to_json() for notice in self.notices]
        return body


def score_competitive(
    hand: Hand,
    circumstances: Circumstances | None = None,
    profile: CompetitiveProfile | None = None,
) -> CompetitiveScore:
    """The score of a hand; raises as `tally` does."""
    return CompetitiveScore(tally(hand, circumstances, profile), hand.flowers)


def _rank(one: Tally) -> tuple[int, list[int], list[int]]:
    fans = sorted((fan.points for fan in one.fans), reverse=True)
    return one.total, fans, [-fan.item.no for fan in one.fans]


def check_circumstances(hand: Hand, circumstances: Circumstances) -> None:
    """Raise HandError `impossible_flag` for circumstances that contradict the hand, whatever the profile."""
    if circumstances.flower_replacement and (
        not hand.self_drawn or not hand.flowers or hand.kong_replacement
    ):
        raise HandError(
            "impossible_flag",
            _(
                "flower_replacement is the draw for a flower: it needs self_drawn and a flower, "
                "and is no kong_replacement."
            ),
        )
    if circumstances.put_into_hand and not hand.self_drawn:
        raise HandError("impossible_flag", _("put_into_hand concerns a drawn tile: it needs self_drawn."))


def _count(
    reading: Reading,
    hand: Hand,
    waiting: Tiles,
    circumstances: Circumstances,
    profile: CompetitiveProfile,
) -> Tally:
    place = _place_of_winning_tile(reading, hand.win_tile)
    single = place is not None and len(waiting) == 1 and not circumstances.put_into_hand
    last = single and place != "pair" and _is_last(hand, circumstances)
    fans = dict(_tile_fans(reading, hand))
    if _melded(hand) and not (profile.melded_wait_needs_discard and hand.self_drawn):
        fans["melded_wait"] = (hand.win_tile,) * 2
    if last:
        fans["last_closed_wait"] = (hand.win_tile,)
    additions = _additions(hand, single, circumstances, profile)
    left_out: list[Excluded] = []
    if place is not None and not single:
        left_out.append(_why_not_single(waiting, hand.win_tile, profile))
    for key in fans:
        fan = profile.fans[key]
        for exclusion in fan.excludes:
            lost = additions.pop(exclusion.item, None)
            if lost is not None:
                left_out.append(
                    Excluded(lost.item.no, lost.item.name, (lost.tiles,), fan.no, fan.name, exclusion.article)
                )
    return Tally(
        reading,
        tuple(Counted(item, fans[key]) for key, item in profile.fans.items() if key in fans),
        tuple(additions.values()),
        tuple(left_out),
    )


def _tile_fans(reading: Reading, hand: Hand) -> Iterator[tuple[str, Tiles]]:
    """Fans that the tiles alone decide, with the faces that make each."""
    tiles = tuple(sorted((*hand.concealed, hand.win_tile, *(t for meld in hand.melds for t in meld.tiles))))
    if reading.shape is Shape.SEVEN_PAIRS:
        yield "seven_pairs", tiles
    elif reading.shape is Shape.UNRELATED:
        yield "unrelated", tiles
    elif reading.shape is Shape.STANDARD and len(reading.pungs) == 4:
        yield "all_pungs", _pungs(reading.pungs)
    for straight in KNITTED_STRAIGHTS:
        if straight == reading.knitted or (
            reading.shape is Shape.UNRELATED and set(straight) <= set(tiles)
        ):
            yield "knitted_straight", straight
    for key, straights in _STRAIGHTS.items():
        for chows in straights:
            if set(chows) <= set(reading.chows):
                yield key, _chows(chows)
    for key, rank in (("all_upper", 6), ("all_middle", 3), ("all_lower", 0)):
        chows = tuple(first for first in reading.chows if first % 9 == rank)
        if len(chows) >= 3:
            yield key, _chows(chows[:3])
    if {31, 32, 33} <= set(reading.pungs):
        yield "three_dragons", _pungs((31, 32, 33))
    suits = {face // 9 for face in tiles if is_suited(face)}
    if len(suits) == 1:
        yield ("half_flush" if any(map(is_honour, tiles)) else "full_flush"), tiles


_STRAIGHTS: Mapping[str, tuple[Tiles, ...]] = {
    "mixed_straight": tuple((a * 9, b * 9 + 3, c * 9 + 6) for a, b, c in permutations(range(3))),
    "pure_straight": tuple((suit * 9, suit * 9 + 3, suit * 9 + 6) for suit in range(3)),
}


def _chows(firsts: Tiles) -> Tiles:
    return tuple(first + step for first in firsts for step in range(3))


def _pungs(faces: Tiles) -> Tiles:
    return tuple(face for face in faces for _copy in range(3))


def _additions(
    hand: Hand, single: bool, circumstances: Circumstances, profile: CompetitiveProfile
) -> dict[str, Counted]:
    won = (hand.win_tile,)
    concealed = all(meld.is_concealed for meld in hand.melds)
    holds = {
        "flower": hand.flowers > 0,
        "single_wait": single,
        "flower_replacement": circumstances.flower_replacement,
        "kong_replacement": hand.kong_replacement,
        "last_discard": hand.last_wall_tile and not hand.self_drawn,
        "last_draw": hand.last_wall_tile and hand.self_drawn,
        "concealed": concealed and (hand.self_drawn or not profile.concealed_needs_self_draw),
    }
    tiles: dict[str, Tiles] = {"flower": (), "concealed": hand.concealed}
    return {
        key: Counted(item, tiles.get(key, won), hand.flowers if key == "flower" else 1)
        for key, item in profile.additions.items()
        if holds[key]
    }


def _melded(hand: Hand) -> bool:
    """Four claimed melds, a single tile in the hand."""
    return sum(not meld.is_concealed for meld in hand.melds) == 4


def _is_last(hand: Hand, circumstances: Circumstances) -> bool:
    """Whether the winning tile is the only one left behind a pung that lies open."""
    own = any(meld.kind is MeldKind.PUNG and hand.win_tile in meld.tiles for meld in hand.melds)
    return own or hand.robbing_kong or (hand.last_of_kind and circumstances.pung_shown)


def _place_of_winning_tile(reading: Reading, tile: int) -> str | None:
    """ "chow" where it closes or ends a chow, "pair" where it makes the pair, None elsewhere."""
    rank = tile % 9
    for first in reading.own_chows:
        edge = (first % 9 == 0 and rank == 2) or (first % 9 == 6 and rank == 6)
        if tile == first + 1 or (edge and first <= tile <= first + 2):
            return "chow"
    if reading.shape is Shape.SEVEN_PAIRS or reading.pair == tile:
        return "pair"
    return None


def _why_not_single(waiting: Tiles, tile: int, profile: CompetitiveProfile) -> Excluded:
    item = profile.additions["single_wait"]
    if len(waiting) == 1:
        return Excluded(item.no, item.name, ((tile,),), None, _PUT_INTO_HAND, "第八條")
    faces = " ".join(map(code_of, waiting))
    many = Text(f"the hand waits on {faces}", f"听 {faces}，按多张和牌计算", f"聽 {faces}，按多張和牌計算")
    return Excluded(item.no, item.name, (waiting,), None, many, "第九條, 計分原則")


_PUT_INTO_HAND = Text(
    "the self-drawn tile was put into the hand", "自摸的牌张插入了手牌", "自摸的牌張插入了手牌"
)
