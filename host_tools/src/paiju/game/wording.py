"""Acts as a person writes them, such as `draw W 5m, discard W 6s`, made into actions of a hand in progress."""

from collections.abc import Callable, Sequence
from typing import Final

from paiju.game.actions import Action, ActionKind
from paiju.game.formats.recorder import Recorder
from paiju.game.formats.visitor import FormatError, not_understood
from paiju.game.position import FACE, Setup
from paiju.i18n import _
from paiju.tiles import WINDS, face_of

_SEATS: Final = tuple(WINDS)


def parse_acts(text: str, setup: Setup, before: Sequence[Action], seen: Sequence[int] = ()) -> tuple[Action, ...]:
    """The acts that follow `before`, separated by commas: kind (as in `ActionKind`), seat, tiles.

    A seat is a wind in this hand or a number 0-3; a chow names the claimed tile first; a draw may say `?`; `end`
    stands alone. `seen`: see `Recorder.after`. Raises FormatError, which names the act and why it cannot be.
    """
    recorder = Recorder.after(setup, before, seen)
    for number, part in enumerate(text.split(","), 1):
        place = _("act {n}").format(n=number)
        try:
            _act(part.split(), recorder, setup)
        except FormatError as error:
            raise FormatError(place, error.reason) from error
        except (ValueError, IndexError, KeyError) as error:
            raise FormatError(place, not_understood(repr(part.strip()))) from error
    return recorder.actions[len(before) :]


def _act(words: list[str], recorder: Recorder, setup: Setup) -> None:
    kind = ActionKind(words[0])
    if kind is ActionKind.END:
        recorder.end()
        return
    seat = _seat(words[1], setup)
    position = recorder.position
    if kind is ActionKind.DRAW:
        recorder.draw(seat, None if words[2:] in ([], ["?"]) else face_of(words[2]))
        return
    faces = [face_of(word) for word in words[2:]]
    if kind is ActionKind.WIN:
        offered = position.live if position.live is not None else position.robbable
        taken = offered is not None and position.place[offered] // 4 != seat and FACE[offered] == faces[0]
        recorder.win(seat, faces[0], position.place[offered] // 4 if taken and offered is not None else None)
    elif kind is ActionKind.CHOW:
        recorder.chow(seat, sorted(faces)[1], faces[0], recorder.offered[1])
    elif kind is ActionKind.PUNG:
        recorder.pung(seat, faces[0], recorder.offered[1])
    elif kind in (ActionKind.FLOWER, ActionKind.DISCARD):
        tell: Callable[[int, int], None] = recorder.flower if kind is ActionKind.FLOWER else recorder.discard
        tell(seat, faces[0])
    elif kind is ActionKind.DEAL:
        raise FormatError("", _("a deal cannot be entered"))
    else:
        recorder.kong(seat, faces[0], kind, position.discarder if kind is ActionKind.MELDED_KONG else None)


def _seat(word: str, setup: Setup) -> int:
    if word.upper() in _SEATS:
        return (setup.dealer + _SEATS.index(word.upper())) % 4
    seat = int(word)
    if seat not in range(4):
        raise ValueError(word)
    return seat
