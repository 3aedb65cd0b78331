"""What an odd tile may mean, ranked, for a person to choose from: acts that stand at the table though irregular,
and acts of which a tile was not read."""

from itertools import combinations

from paiju.game.actions import ActionKind, Confidence, DrawnFrom
from paiju.game.case import Case, Draft
from paiju.game.events import HAND, MELD, NO_ZONE, POND
from paiju.game.position import FACE, FLOWER, WALL
from paiju.game.scoring import judge
from paiju.game.steps import Steps, claim_kind
from paiju.tiles import code_of

Proposal = tuple[Draft, ...]
OUT_OF_TURN = ("out_of_turn",)
MOST = 5


def proposals(case: Case, zone: int, tiles: tuple[int, ...]) -> list[Proposal]:
    """The acts that would put `tiles` where they are seen, in `zone`, the likeliest first; empty if nothing would."""
    seat, where = divmod(zone, 4)
    seen = [tile for tile in tiles if case.seen[tile] == zone]
    found: list[Proposal] = []
    if where == MELD:
        laid = [tile for tile in seen if not FLOWER[tile]]
        found = _wins(case, seat) if case.position.hands[seat] <= set(laid) else []
        found += _claims(case, seat, laid)
    elif len(seen) == 1 and where == POND:
        found = _discards(case, seat, seen[0])
    elif len(seen) == 1 and where == HAND and case.position.place[seen[0]] == WALL:
        found = [(_draw(seat, (seen[0],)),)]
    return found[:MOST]


def declared_win(case: Case, seat: int) -> list[Proposal]:
    """The win that a seat may have declared, though its tiles were not all read: with those that it must hold."""
    return _wins(case, seat)


def _wins(case: Case, seat: int) -> list[Proposal]:
    """A win with the tiles that the seat holds by the actions, on the live discard or on its last draw."""
    position = case.position
    held = position.hands[seat]
    if not all(position.dealt) or position.missing(seat) > 0:
        return []
    offered = position.live if position.live is not None else position.robbable
    drawn = position.last_draw[seat]
    source = None
    if offered is not None and position.place[offered] // 4 != seat:
        win_tile, source = offered, position.place[offered] // 4
    elif seat == position.turn and drawn is not None and drawn.tiles and drawn.tiles[0] in held:
        win_tile = drawn.tiles[0]
    else:
        return []
    verdict = judge(position, seat, held - {win_tile}, win_tile, source)
    if not verdict.wins:
        return []
    flags = ("robbing_kong",) if win_tile == position.robbable else ()
    return [(Draft(ActionKind.WIN, seat, (win_tile, *verdict.concealed), source, flags=flags),)]


def describe(proposal: Proposal) -> str:
    """A proposal as text, such as `draw 1 ?, discard 1 5m`."""
    acts = []
    for draft in proposal:
        tiles = draft.tiles[:1] if draft.kind is ActionKind.WIN else draft.tiles
        codes = " ".join(code_of(FACE[tile]) for tile in tiles) or "?"
        acts.append(f"{draft.kind.value} {draft.seat} {codes}")
    return ", ".join(acts)


def _draw(seat: int, tiles: tuple[int, ...]) -> Draft:
    return Draft(ActionKind.DRAW, seat, tiles, drawn_from=DrawnFrom.WALL, flags=OUT_OF_TURN)


def _discards(case: Case, seat: int, tile: int) -> list[Proposal]:
    discard = Draft(ActionKind.DISCARD, seat, (tile,), flags=OUT_OF_TURN)
    if case.position.place[tile] == WALL:
        return [(_draw(seat, (tile,)), discard)]
    if tile in case.position.hands[seat]:
        return [(_draw(seat, ()), discard), (discard,)]
    return []


def _claims(case: Case, seat: int, seen: list[int]) -> list[Proposal]:
    """Sets of the live discard, what is seen, and tiles of the hand that may not have been read."""
    live = Steps(case).claimable(seat)
    if live is None:
        return []
    held = case.position.hands[seat]
    own = [tile for tile in seen if tile != live]
    if not own or not set(own) <= held:
        return []
    discarder = case.position.place[live] // 4
    rest = sorted(held - set(own), key=lambda tile: (case.seen[tile] != NO_ZONE, tile))
    found: list[Proposal] = []
    for missing in (0, 1, 2):
        for more in combinations(rest, missing):
            tiles = [*own, *more]
            kind = claim_kind(seat, live, tiles, discarder)
            faces = sorted(FACE[tile] for tile in tiles)
            known = any(faces == sorted(FACE[tile] for tile in old[0].tiles[1:]) for old in found)
            if kind is not None and not known:
                draft = Draft(kind, seat, (live, *sorted(tiles)), discarder, confidence=Confidence.PERSON)
                found.append((draft,))
    return found
