"""A whole hand, played by four players after the rules, as a neutral hand file."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from paiju.hand import Hand, HandError, Meld, MeldKind, Source
from paiju.rules import Score, score
from paiju.rules.settlement import settle
from paiju.simulation.dealing import Wall, deal
from paiju.simulation.players import Claim, Player, View, completes
from paiju.tiles import PLAYING_FACE_COUNT, code_of, is_flower

SOURCE: Final = "simulated"
SECOND_WINNER: Final = 0.3
"""How often a player who could win too declares it although another one comes first."""

AMBITIOUS: Final = 0.12
AMBITION: Final = 24
"""Share of hands in which nobody wins for fewer points: they go on long, to the last tile or undecided."""

Event = dict[str, Any]
_SOURCE_BY_STEPS: Final = {1: Source.RIGHT, 2: Source.ACROSS, 3: Source.LEFT}
_KONG_WORD: Final = {MeldKind.MELDED_KONG: "melded", MeldKind.ADDED_KONG: "added", MeldKind.CONCEALED_KONG: "concealed"}


@dataclass(frozen=True, slots=True)
class Win:
    """Who wins, on whose tile (None: the own draw), with what."""

    seat: int
    source: int | None
    hand: Hand
    score: Score


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """`record` has the fields of a neutral hand file; `win` is None after a drawn hand."""

    record: Mapping[str, Any]
    win: Win | None


def play_hand(seed: int | str, profile: str = "mcr1998") -> PlayedHand:
    """Play one hand. The same seed gives the same hand."""
    return _Play(seed, profile).play()


class _Play:
    def __init__(self, seed: int | str, profile: str) -> None:
        self.seed = seed
        self.rng = random.Random(f"{seed}/hand")
        self.profile = profile
        self.dealer = self.rng.randrange(4)
        self.prevalent = self.rng.randrange(4)
        self.wanted = AMBITION if self.rng.random() < AMBITIOUS else 0
        self.wall = Wall(self.rng)
        hands = deal(self.wall, self.dealer)
        self.deal = [[code_of(face) for face in hand] for hand in hands]
        self.players = [Player(seat, random.Random(f"{seed}/{seat}"), hand) for seat, hand in enumerate(hands)]
        self.face_up = [0] * PLAYING_FACE_COUNT
        self.events: list[Event] = []
        self.after_kong = False
        self.drawn: int | None = None
        self.won: Win | None = None

    def play(self) -> PlayedHand:
        for step in range(4):
            self._lay_flowers((self.dealer + step) % 4)
        seat, drew = self.dealer, True
        self.drawn = self.players[seat].concealed[-1]
        while True:
            turn = self._turn(seat, drew)
            if turn is None:
                break
            seat, drew = turn
        return self._record()

    # -- drawing

    def _say(self, act: str, seat: int, face: int, **more: Any) -> None:
        self.events.append({"t": act, "seat": seat, "tile": code_of(face), **more})

    def _draw(self, seat: int, source: str) -> bool:
        """Draw a tile and lay flowers aside; False when the wall is exhausted."""
        if not self.wall.left:
            return False
        face = self.wall.front() if source == "wall" else self.wall.tail()
        self._say("draw", seat, face, src=source)
        self.players[seat].concealed.append(face)
        self.drawn = face
        self.after_kong = source == "replacement"
        return self._lay_flowers(seat)

    def _lay_flowers(self, seat: int) -> bool:
        player = self.players[seat]
        while (face := next((f for f in player.concealed if is_flower(f)), None)) is not None:
            self._say("flower", seat, face)
            player.concealed.remove(face)
            player.flowers += 1
            if not self.wall.left:
                return False
            self.drawn = self.wall.tail()
            self.after_kong = False
            self._say("draw", seat, self.drawn, src="flower")
            player.concealed.append(self.drawn)
        return True

    # -- a turn

    def _turn(self, seat: int, drew: bool) -> tuple[int, bool] | None:
        """From a hand with one tile too many to the next one; None when the hand is over."""
        player = self.players[seat]
        if drew and self.drawn is not None and self._wins_by_own_draw(seat, self.drawn):
            return None
        while drew and self.wall.left and (kong := player.kong()) is not None:
            if self._make_kong(seat, kong) or not self._draw(seat, "replacement"):
                return None
            assert self.drawn is not None
            if self._wins_by_own_draw(seat, self.drawn):
                return None
        face = player.discard(self._view(seat))
        player.concealed.remove(face)
        self._say("discard", seat, face, tsumogiri=drew and face == self.drawn)
        self.face_up[face] += 1
        if self._won_on(seat, face, robbing=False):
            return None
        if self.wall.left:
            claimed = self._claimed(seat, face)
            if claimed is not None:
                claimer, claim = claimed
                self._take(claimer, seat, face, claim)
                if claim.kind.is_kong:
                    return (claimer, True) if self._draw(claimer, "replacement") else None
                return claimer, False
        following = (seat + 1) % 4
        return (following, True) if self._draw(following, "wall") else None

    def _view(self, seat: int) -> View:
        return View(self.prevalent, (seat - self.dealer) % 4, self.profile, self.face_up)

    def _make_kong(self, seat: int, kong: Meld) -> bool:
        """Lay the kong out; True when it is robbed and the hand over."""
        player = self.players[seat]
        face = kong.tiles[0]
        self._say("kong", seat, face, kind=_KONG_WORD[kong.kind])
        player.concealed = [other for other in player.concealed if other != face]
        if kong.kind is MeldKind.CONCEALED_KONG:
            player.melds.append(kong)
            return False
        pung = next(meld for meld in player.melds if meld.kind is MeldKind.PUNG and meld.tiles[0] == face)
        self.face_up[face] += 1
        if self._won_on(seat, face, robbing=True):
            return True
        player.melds[player.melds.index(pung)] = kong
        return False

    # -- claims

    def _claimed(self, discarder: int, face: int) -> tuple[int, Claim] | None:
        """Who takes the discard: a pung or kong comes before a chow (article 8, 2)."""
        wishes: list[tuple[int, Claim]] = []
        for step in (1, 2, 3):
            seat = (discarder + step) % 4
            source = _SOURCE_BY_STEPS[(discarder - seat) % 4]
            claim = self.players[seat].claim(face, source, self.wall.left)
            if claim is not None:
                wishes.append((seat, claim))
        wishes.sort(key=lambda wish: wish[1].kind is MeldKind.CHOW)
        return wishes[0] if wishes else None

    def _take(self, seat: int, discarder: int, face: int, claim: Claim) -> None:
        player = self.players[seat]
        for own in claim.own:
            player.concealed.remove(own)
            self.face_up[own] += 1
        tiles = (face, *claim.own)
        player.melds.append(Meld(claim.kind, tiles, _SOURCE_BY_STEPS[(discarder - seat) % 4]))
        if claim.kind is MeldKind.CHOW:
            self._say("chow", seat, face, middle=code_of(sorted(tiles)[1]), frm=discarder)
        elif claim.kind is MeldKind.PUNG:
            self._say("pung", seat, face, frm=discarder)
        else:
            self._say("kong", seat, face, kind=_KONG_WORD[claim.kind], frm=discarder)

    # -- winning

    def _win(
        self, seat: int, face: int, concealed: list[int], source: int | None = None, robbing: bool = False
    ) -> Win | None:
        """The win of a seat on a tile, if it is worth the minimum."""
        player = self.players[seat]
        try:
            hand = Hand(
                melds=tuple(player.melds),
                concealed=tuple(concealed),
                win_tile=face,
                self_drawn=source is None,
                last_of_kind=self.face_up[face] - (0 if source is None else 1) == 3,
                last_wall_tile=not self.wall.left and not robbing,
                kong_replacement=source is None and self.after_kong,
                robbing_kong=robbing,
                prevalent_wind=self.prevalent,
                seat_wind=(seat - self.dealer) % 4,
                flowers=player.flowers,
            )
            found = score(hand, self.profile)
        except HandError:
            return None
        worth = found.reaches_minimum and found.total_without_flowers >= self.wanted
        return Win(seat, source, hand, found) if worth else None

    def _wins_by_own_draw(self, seat: int, face: int) -> bool:
        player = self.players[seat]
        concealed = list(player.concealed)
        concealed.remove(face)
        if not completes(concealed, player.melds, face):
            return False
        self.won = self._win(seat, face, concealed)
        if self.won is None:
            return False
        self._say("win", seat, face, by="self", frm=None)
        return True

    def _won_on(self, source: int, face: int, robbing: bool) -> bool:
        """Whether somebody wins on the tile; of several the first in turn (article 8, 2 (3))."""
        for step in (1, 2, 3):
            seat = (source + step) % 4
            player = self.players[seat]
            if (self.won is not None and self.rng.random() > SECOND_WINNER) or not completes(
                player.concealed, player.melds, face
            ):
                continue
            win = self._win(seat, face, player.concealed, source, robbing)
            if win is None:
                continue
            self._say("win", seat, face, by="robbing_kong" if robbing else "discard", frm=source)
            self.won = self.won or win
        return self.won is not None

    # -- the record

    def _record(self) -> PlayedHand:
        record: dict[str, Any] = {
            "id": f"simulated-{self.seed}",
            "source": SOURCE,
            "rules": self.profile,
            "prevalent_wind": self.prevalent,
            "dealer": self.dealer,
            "deal": self.deal,
            "flowers_in_deal": [[], [], [], []],
            "events": self.events,
        }
        if self.won is None:
            return PlayedHand(record | {"result": {"kind": "draw", "scores": [0, 0, 0, 0]}}, None)
        winner, source, hand, found = self.won.seat, self.won.source, self.won.hand, self.won.score
        by = "self" if source is None else "robbing_kong" if hand.robbing_kong else "discard"
        record["result"] = {
            "kind": "win",
            "winner": winner,
            "by": by,
            "discarder": source,
            "fan_total": found.total,
            "fans": [{"no": fan.no, "value": fan.points, "count": fan.count} for fan in found.fans],
            "scores": list(settle(found.total, winner, source, self.profile, robbed_kong=hand.robbing_kong)),
        }
        return PlayedHand(record, self.won)
