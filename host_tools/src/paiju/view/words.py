"""Tiles, seats and acts in words and colours."""

from collections.abc import Iterable, Sequence
from typing import cast

from rich.text import Text

from paiju.game.actions import Action, ActionKind, Confidence, DrawnFrom
from paiju.game.attention import Attention, Reason
from paiju.game.corrections import Correction, CorrectionKind
from paiju.game.position import FACE, Setup
from paiju.game.referee import Concern, Irregularity, wall_break
from paiju.i18n import _, language
from paiju.tiles import WINDS, Language, code_of, is_flower, suit

_STYLES = {"m": "red", "p": "blue", "s": "green", "f": "magenta"}
_HONOURS = {"C": "bold red", "F": "bold green", "P": "bold white"}
BACK = Text("##", style="dim")


def current_language() -> Language:
    return cast(Language, language())


def face_text(face: int) -> Text:
    """A tile as its code, such as `5m`, in the colour of its suit."""
    code = code_of(face)
    return Text(code, style=_STYLES.get(suit(face)) or _HONOURS.get(code, "bold cyan"))


def faces_text(faces: Iterable[int]) -> Text:
    return Text(" ").join(face_text(face) for face in faces)


def tiles_text(tiles: Iterable[int]) -> Text:
    """Tiles by tile number."""
    return faces_text(FACE[tile] for tile in tiles)


def seat_name(setup: Setup, seat: int) -> str:
    """A seat by its wind in this hand; the dealer is East."""
    return (_("East"), _("South"), _("West"), _("North"))[setup.seat_wind(seat)]


def round_name(setup: Setup) -> str:
    """The round by its prevalent wind."""
    names = (_("East round"), _("South round"), _("West round"), _("North round"))
    return names[setup.prevalent_wind]


def seat_letter(setup: Setup, seat: int) -> str:
    return WINDS[setup.seat_wind(seat)]


def action_text(setup: Setup, action: Action, hide: bool = True) -> Text:
    """An act as a sentence; `hide` leaves concealed tiles out."""
    seat = "" if action.seat is None else seat_name(setup, action.seat)
    source = "" if action.source is None else seat_name(setup, action.source)
    tiles = tiles_text(action.tiles)
    match action.kind:
        case ActionKind.DEAL:
            text, tiles = _("{seat} is dealt {tiles}"), _concealed(tiles, len(action.tiles), hide)
        case ActionKind.DRAW:
            text = {
                DrawnFrom.KONG: _("{seat} draws {tiles} after a kong"),
                DrawnFrom.FLOWER: _("{seat} draws {tiles} for a flower"),
            }.get(action.drawn_from or DrawnFrom.WALL, _("{seat} draws {tiles}"))
            hidden = hide or not action.tiles
            tiles = _concealed(tiles, 1, hidden and not any(is_flower(face) for face in action.faces))
        case ActionKind.FLOWER:
            text = _("{seat} shows the flower {tiles}")
        case ActionKind.DISCARD:
            text = _("{seat} discards {tiles}")
        case ActionKind.CHOW:
            text = _("{seat} chows {tiles} from {source}")
        case ActionKind.PUNG:
            text = _("{seat} pungs {tiles} from {source}")
        case ActionKind.MELDED_KONG:
            text = _("{seat} kongs {tiles} from {source}")
        case ActionKind.ADDED_KONG:
            text = _("{seat} adds {tiles} to a pung")
        case ActionKind.CONCEALED_KONG:
            text = _("{seat} lays a concealed kong {tiles}")
        case ActionKind.WIN:
            tiles = tiles_text(action.tiles[:1])
            text = _("{seat} wins by self-draw on {tiles}")
            if action.source is not None:
                text = _("{seat} wins on {tiles} from {source}")
                if "robbing_kong" in action.flags:
                    text = _("{seat} robs the kong of {source}: {tiles}")
        case ActionKind.END:
            text = _("nobody wins") if "aborted" not in action.flags else _("the hand is broken off")
    sentence = _filled(text, {"seat": Text(seat, style="bold"), "source": Text(source), "tiles": tiles})
    remarks = {
        _("not seen, inferred"): action.confidence is Confidence.INFERRED,
        _("entered by a person"): action.confidence is Confidence.PERSON,
        _("withdrawn"): action.withdrawn,
    }
    for remark in (text for text, applies in remarks.items() if applies):
        sentence.append(f" ({remark})", style="yellow")
    return sentence


def _concealed(tiles: Text, count: int, hide: bool) -> Text:
    return Text(" ").join([BACK] * count) if hide else tiles


def _filled(pattern: str, values: dict[str, Text]) -> Text:
    """Fill `{name}` places of a translated sentence with styled texts."""
    sentence = Text()
    rest = pattern
    while "{" in rest:
        before, _brace, rest = rest.partition("{")
        name, _brace, rest = rest.partition("}")
        sentence.append(before)
        sentence.append_text(values[name])
    sentence.append(rest)
    return sentence


def correction_text(setup: Setup, correction: Correction) -> Text:
    """A correction as a line: what was said, by whom, why."""
    said = {
        CorrectionKind.EDIT: _("act {n} corrected by {who}: {why}"),
        CorrectionKind.TAKE_BACK: _("act {n} taken back by {who}: {why}"),
        CorrectionKind.ACCEPT: _("explanation accepted as act {n} by {who}: {why}"),
        CorrectionKind.DISMISS: _("attention item {item} dismissed by {who}: {why}"),
    }[correction.kind]
    text = said.format(n=correction.number, item=correction.item, who=correction.who, why=correction.why)
    line = Text(text, style="yellow")
    if correction.replaced is not None:
        line.append(" [").append_text(action_text(setup, correction.replaced, hide=False)).append("]")
    return line


def concern_text(setup: Setup, concern: Concern) -> Text:
    """Something for the referee as a line: what, by whom, the article, what the rules have for it."""
    what = {
        Irregularity.SLOW_TURN: _("discards late"),
        Irregularity.LATE_PUNG: _("pungs late"),
        Irregularity.EARLY_DRAW: _("draws before the player on the left has discarded"),
        Irregularity.WRONG_CLAIM: _("claims a discard with tiles that make no set"),
        Irregularity.EMPTY_CLAIM: _("claims a discard and gives it back"),
        Irregularity.EXPOSED_TILE: _("shows own tiles"),
        Irregularity.WRONG_TILE_COUNT: _("has too many or too few tiles"),
        Irregularity.WIN_BELOW_MINIMUM: _("declares a win below the minimum of points"),
        Irregularity.FALSE_WIN: _("declares a win with tiles that do not win"),
        Irregularity.SWAPPED_SEATS: _("deals, though another seat was to: are the seats swapped?"),
    }[concern.kind]
    text = Text(f"{seat_name(setup, concern.seat)}: ", style="bold").append(what, style="magenta")
    if concern.took_ms is not None and concern.limit_ms is not None:
        late = _("{took} s, allowed are {limit} s")
        text.append(" (" + late.format(took=f"{concern.took_ms / 1000:.1f}", limit=concern.limit_ms // 1000) + ")")
    if concern.tiles:
        text.append(" ").append_text(tiles_text(concern.tiles))
    text.append(f" [{concern.article}]")
    if concern.warning:
        text.append(" " + _("proposed: a warning"))
    elif concern.fine:
        text.append(" " + _("proposed: {n} points").format(n=concern.fine))
    return text


def wall_text(setup: Setup, dice: Sequence[tuple[int, int]]) -> str:
    """Where the dice open the wall, and that no reader sees whether it was opened there; empty without dice."""
    place = wall_break(setup, dice)
    if place is None:
        return ""
    say = _("The dice open the wall of {seat} after {n} stacks from the right; no reader sees where it was opened.")
    return say.format(seat=seat_name(setup, place[0]), n=place[1])


def reason_text(reason: Reason) -> str:
    """What an attention item is about."""
    return {
        Reason.MISPLACED: _("tiles lie where no legal step puts them"),
        Reason.MISSING: _("tiles are gone from their place"),
        Reason.INCOMPLETE_MELD: _("the exposed tiles make no set"),
        Reason.AMBIGUOUS: _("there are several explanations"),
        Reason.TILE_COUNT: _("the number of tiles in the hand is wrong"),
        Reason.NOT_WINNING: _("a win was declared, but the tiles do not win"),
        Reason.BELOW_MINIMUM: _("a win was declared below the minimum of points"),
        Reason.DISCARD_CHANGED: _("a discard was taken back and changed"),
        Reason.DEALER: _("another seat than expected deals"),
        Reason.FOREIGN_TILE: _("a tile of the other set lies on the table"),
        Reason.WALL_NOT_EXHAUSTED: _("the hand ended with tiles left in the wall"),
        Reason.GAP: _("events of the table were lost"),
        Reason.CLOCK: _("the table's clock jumped back"),
    }[reason]


def attention_text(setup: Setup, item: Attention) -> Text:
    """An attention item as a line."""
    text = Text(reason_text(item.reason), style="yellow" if item.open else "dim")
    if item.seat is not None:
        text = Text(f"{seat_name(setup, item.seat)}: ", style="bold").append_text(text)
    if item.zone is not None:
        kind = (_("hand"), _("meld"), _("pond"), _("gate"))[item.zone % 4]
        text.append(f" [{kind}]")
    if item.tiles:
        text.append(" ").append_text(tiles_text(item.tiles))
    cleared = _("cleared")
    return text if item.open else text.append(f" ({cleared})")
