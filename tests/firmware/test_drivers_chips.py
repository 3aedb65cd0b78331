"""FRAM, expander, PWM, ADC and panel drivers against the register-level chips."""

from __future__ import annotations

from rig import Table


def test_every_chip_does_as_its_driver_says() -> None:
    table = Table()
    board = table.board
    board.current_ma["pan"] = 1200.0
    win = board.inputs["win_1"]
    table.at(0.035, lambda: win.set(1))
    table.at(0.036, lambda: win.set(0))  # far shorter than any polling
    table.at(0.057, lambda: win.set(1))
    out = table.run("chips")
    assert out[0] == "fram paiju"
    assert board.fram[0x2FFFE:0x30003] == b"paiju"
    assert out[1:3] == ["refused fram address"] * 2
    assert out[3] == f"adc {600 * 4096 // 3300} {int(24000 / 11) * 4096 // 3300}"
    assert out[4] == "pwm 44: does not acknowledge"
    assert out[5:9] == ["level 0 int 1", "int 0", "level 0 pulsed 512 int 1", "level 0 pulsed 0"]
    assert out[9] == "level 512 pulsed 0 int 1"
    assert out[10] == "u8: port expander does not answer"
    assert board.motors["pan"].duty == 1600
    assert board.motors["pusher_0"].duty == 1601
    assert board.motors["ring"].duty == 4095
    assert board.motors["lift"].duty == 1
    assert board.motors["dice"].duty == 0
    panel = board.panels[1]
    assert panel.on
    assert panel.brightness == 8
    assert list(panel.rows[:12:2]) == [0, 0x40, 0x5B, 0x3F, 0x7F, 1 << 3]
    assert board.outputs["pan_dir"].level == 0
    assert board.outputs["lift_dir"].level == 1
    assert board.outputs["buzzer"].level == 1
