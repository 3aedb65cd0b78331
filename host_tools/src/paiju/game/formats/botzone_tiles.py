"""Botzone's tile names: W1-9 characters, B1-9 dots, T1-9 bamboos, F1-4 winds, J1-3 dragons, H1-8 flowers."""

from typing import Final

from paiju.tiles import FACE_COUNT

_STARTS: Final = {"W": 0, "B": 9, "T": 18, "F": 27, "J": 31, "H": 34}
NAMES: Final = tuple(
    next(f"{letter}{face - start + 1}" for letter, start in reversed(_STARTS.items()) if face >= start)
    for face in range(FACE_COUNT)
)
_FACES: Final = {name: face for face, name in enumerate(NAMES)}


def face_of_name(name: str) -> int:
    """Raises KeyError for an unknown name."""
    return _FACES[name]
