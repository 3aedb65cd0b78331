"""Dice that do not lie flat are spun again, those that do are read at the first throw, whatever the air does."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.caretaker import Caretaker
from support.workbench import Shop

DICE_FAIL = 81
NO_FACE, TWO_FACES = 0, 2


def throw(shop: Shop, caretaker: Caretaker) -> tuple[list[tuple[object, object]], int]:
    """Both dice as they were told after a press, and how often they came to rest."""
    dice = shop.table.world.mechanics.dice
    told, rests = len(caretaker.of("dice")), dice.throws
    caretaker.press("dice")
    shop.table.run_for(12, lambda: len(caretaker.of("dice")) > told)
    shop.table.run_for(0.5)
    return [(e["die1"], e["die2"]) for e in caretaker.of("dice")[told:]], dice.throws - rests


@pytest.mark.parametrize("noise", [None, "default"])
@pytest.mark.parametrize("leaning", [[NO_FACE], [TWO_FACES], [NO_FACE, TWO_FACES], [TWO_FACES, NO_FACE]])
def test_a_cocked_die_is_spun_again_and_told_once(leaning: list[int], noise: str | None, tmp_path: Path) -> None:
    with Shop(tmp_path, noise) as shop:
        caretaker = Caretaker(shop.table)
        assert caretaker.build() == "up"
        dice = shop.table.world.mechanics.dice
        dice.leaning += leaning
        told, rests = throw(shop, caretaker)
        assert told == [dice.values]
        assert rests == len(leaning) + 1
        assert DICE_FAIL not in {code for code, _ in caretaker.faults()}


def test_a_die_that_is_cocked_three_times_is_a_fault_and_the_next_press_is_a_new_throw(tmp_path: Path) -> None:
    with Shop(tmp_path) as shop:
        caretaker = Caretaker(shop.table)
        assert caretaker.build() == "up"
        dice = shop.table.world.mechanics.dice
        dice.leaning += [NO_FACE, TWO_FACES, NO_FACE]
        assert throw(shop, caretaker) == ([], 3)
        assert DICE_FAIL in {code for code, _ in caretaker.faults()}
        assert throw(shop, caretaker) == ([dice.values], 1)
        assert [e["throw"] for e in caretaker.of("dice")] == [1]


@pytest.mark.parametrize("noise", ["default", "harsh"])
def test_noise_costs_no_throw(noise: str, tmp_path: Path) -> None:
    with Shop(tmp_path, noise) as shop:
        caretaker = Caretaker(shop.table)
        assert caretaker.build() == "up"
        dice = shop.table.world.mechanics.dice
        for _ in range(15):
            assert throw(shop, caretaker) == ([dice.values], 1)


def test_dice_that_have_changed_places_are_read(tmp_path: Path) -> None:
    with Shop(tmp_path) as shop:
        caretaker = Caretaker(shop.table)
        assert caretaker.build() == "up"
        dice = shop.table.world.mechanics.dice
        one, two = dice._faces
        for a, b in zip(one, two, strict=True):
            tags = a.tag, b.tag
            for face, tag in ((a, tags[1]), (b, tags[0])):
                shop.table.air.remove(face)
                face.tag = tag
                shop.table.air.add(face)
        assert throw(shop, caretaker) == ([dice.values], 1)
