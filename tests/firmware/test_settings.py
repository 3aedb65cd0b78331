"""Settings survive a power cut at every block operation of a save."""

from pathlib import Path

from rig import plain


def test_every_cut_leaves_old_or_new() -> None:
    out = {line.split()[0]: line for line in plain("settings_power")}
    assert out["default"] == "default default 0"
    _, cuts, _, old, _, new, _, operations = out["cuts"].split()
    assert int(cuts) == 5 * int(operations)
    assert int(old) > 0
    assert int(new) > 0
    assert out["newest"] == "newest 4"
    assert "4096 at most" in out["refused"]
    assert out["kept"] == "kept {'name': 'old', 'offset': 4}"


def test_a_calibration_stored_before_there_was_a_power_is_still_good(tmp_path: Path) -> None:
    assert plain("calibration", str(tmp_path)) == [
        "2 6 0 (6, 3, 2, 9000, 0)",
        "5 7 -33 (7, 4, 2, 9001, -33)",
        "6 4 0 (0, 0, 0, 0, 0)",
    ]
