"""The store: events and their acknowledgement together, failures as sentences, logs that survive being cut."""

from __future__ import annotations

import json
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from paiju.store import Store, StoreError, read_log
from paiju.store import store as store_module
from tablelink import messages as m

SERIAL = "00ff00ff00ff00ff"


def record(seq: int, t_ms: int = 0, boot: int = 1, tile: int = 4) -> bytes:
    return m.RECORD.pack(seq, t_ms, boot, 5) + m.EVENT_BY_NUMBER[5].pack(2, tile)


def gap(first: int, last: int) -> bytes:
    return m.RECORD.pack(last, 0, 1, m.GAP.number) + m.GAP.pack(first, last, m.OVERWRITTEN)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    kept = Store(tmp_path / "deep" / "events.db")
    yield kept
    kept.close()


def test_events_come_back_in_order(store: Store) -> None:
    store.append(SERIAL, 7, [record(1), record(2)], 2)
    store.append("other", 7, [record(1, tile=9)], 1)
    store.append(SERIAL, 8, [record(1)], 1)
    store.append(SERIAL, 7, [record(3), gap(4, 9), record(10)], 10)
    assert [e.seq for e in store.events(SERIAL, 7)] == [1, 2, 3, 9, 10]
    assert [e.seq for e in store.events(SERIAL, 7, first=3, last=9)] == [3, 9]
    assert [e["tile"] for e in store.events("other")] == [9]
    assert len(list(store.events())) == 7
    assert store.acknowledged(SERIAL, 7) == 10
    assert store.acknowledged(SERIAL, 99) == 0
    assert [(s.serial, s.journal_id, s.acknowledged, s.events) for s in store.streams()] == [
        (SERIAL, 7, 10, 5),
        ("other", 7, 1, 1),
        (SERIAL, 8, 1, 1),
    ]


def test_event_and_acknowledgement_commit_together(store: Store) -> None:
    store.append(SERIAL, 7, [record(1)], 1)
    with pytest.raises(StoreError):
        store.append(SERIAL, 7, [record(2), record(1)], 2)  # event 1 is there already
    assert store.acknowledged(SERIAL, 7) == 1
    assert [e.seq for e in store.events()] == [1]
    store.append(SERIAL, 7, [record(2)], 2)
    assert store.acknowledged(SERIAL, 7) == 2


def test_it_is_still_there_after_opening_again(tmp_path: Path) -> None:
    first = Store(tmp_path / "s.db")
    first.append(SERIAL, 7, [record(1)], 1)
    first.close()
    second = Store(tmp_path / "s.db")
    assert second.acknowledged(SERIAL, 7) == 1
    mode = sqlite3.connect(tmp_path / "s.db").execute("PRAGMA journal_mode").fetchone()
    assert mode == ("wal",)
    second.close()


def test_full_disk_is_told_and_nothing_acknowledged(store: Store) -> None:
    store.append(SERIAL, 7, [record(1)], 1)
    with store._engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="full") as failure:
        store.append(SERIAL, 7, [record(n) for n in range(2, 3000)], 2999)
    assert "\n" not in str(failure.value)
    assert store.acknowledged(SERIAL, 7) == 1
    with store._engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    store.append(SERIAL, 7, [record(n) for n in range(2, 3000)], 2999)
    assert len(list(store.events())) == 2999


def test_folders_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="file"):
        Store(tmp_path / "file" / "events.db")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="cannot be written"):
        Store(tmp_path / "folder")  # a folder where the file should be
    (tmp_path / "folder").chmod(stat.S_IRUSR | stat.S_IXUSR)


def test_every_failure_is_one_sentence_with_a_remedy(store: Store) -> None:
    for text, word in (
        ("database or disk is full", "free some space"),
        ("attempt to write a readonly database", "--data"),
        ("unable to open database file", "--data"),
        ("database is locked", "close"),
        ("database disk image is malformed", "damaged"),
        ("file is not a database", "damaged"),
        ("something else", "something else"),
    ):
        error = OperationalError("insert", {}, sqlite3.OperationalError(text))
        assert word in store._sentence(error)


def test_not_a_store(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"certainly no database " * 100)
    with pytest.raises(StoreError, match="damaged"):
        Store(tmp_path / "x.db")


def test_a_store_of_a_later_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "VERSION", 99)
    Store(tmp_path / "s.db").close()
    monkeypatch.undo()
    with pytest.raises(StoreError, match="99"):
        Store(tmp_path / "s.db")


def test_hands_are_revised_not_changed(store: Store) -> None:
    one = store.save_hand(SERIAL, 7, 1, 50, {"winner": "E"})
    two = store.save_hand(SERIAL, 7, 51, 90, {"winner": "S"})
    assert store.save_hand(SERIAL, 7, 1, 50, {"winner": "E"}) == one
    assert store.save_hand(SERIAL, 7, 1, 50, {"winner": "W"}) == one
    assert store.save_hand(SERIAL, 7, 91, 99, {"winner": "N"}) == two + 1
    listed = [(h.n, h.record["winner"], h.revision) for h in store.hands()]
    assert listed == [(one, "W", 2), (two, "S", 1), (two + 1, "N", 1)]
    last, old = store.hand(one), store.hand(one, revision=1)
    assert last is not None
    assert old is not None
    assert (last.record, old.record) == ({"winner": "W"}, {"winner": "E"})
    assert store.hand(one, revision=3) is None
    assert store.hand(99) is None


def test_a_store_of_the_first_version_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    before = Store(path)
    one = before.save_hand(SERIAL, 7, 1, 50, {"winner": "E"})
    before.save_hand(SERIAL, 7, 1, 50, {"winner": "W"})
    third = before.save_hand(SERIAL, 7, 51, 90, {"winner": "S"}) + 1  # the revision had a number of its own
    before.close()
    with sqlite3.connect(path) as database:
        database.execute("ALTER TABLE hands DROP COLUMN number")
        database.execute("DROP TABLE corrections")
        database.execute("UPDATE meta SET version = 1")
    after = Store(path)
    assert [(h.n, h.record["winner"], h.revision) for h in after.hands()] == [(one, "W", 2), (third, "S", 1)]
    assert after.save_hand(SERIAL, 7, 91, 99, {"winner": "N"}) == third + 1
    assert after.corrections(SERIAL, 7) == []
    after.close()


def test_a_store_of_the_second_version_gets_room_for_what_hands_are_played_by(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    before = Store(path)
    one = before.save_hand(SERIAL, 7, 1, 50, {"winner": "E"})
    before.close()
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE setups")
        database.execute("UPDATE meta SET version = 2")
    after = Store(path)
    assert [h.n for h in after.hands()] == [one]
    for rules in ("mcr1998", "mcr"):
        after.save_setup(SERIAL, 7, 51, {"rules": rules})
    after.save_setup(SERIAL, 7, 1, {"rules": "competitive"})
    assert after.setups(SERIAL, 7) == {1: {"rules": "competitive"}, 51: {"rules": "mcr"}}
    assert after.setups(SERIAL, 7, first=2) == {51: {"rules": "mcr"}}
    assert after.setups(SERIAL, 8) == {}
    after.close()
    Store(path).close()


def test_corrections_are_only_added_to(store: Store) -> None:
    one = store.save_correction(SERIAL, 7, 51, 60, {"who": "referee"})
    two = store.save_correction(SERIAL, 7, 1, 70, {"who": "operator"})
    store.save_correction("other", 7, 51, 60, {"who": "nobody"})
    assert [(c.n, c.first, c.at, c.body["who"]) for c in store.corrections(SERIAL, 7)] == [
        (one, 51, 60, "referee"),
        (two, 1, 70, "operator"),
    ]
    assert [c.n for c in store.corrections(SERIAL, 7, first=51)] == [one]
    assert [c.n for c in store.corrections(SERIAL, 7, after=one)] == [two]


def test_wall_clock_of_events(store: Store) -> None:
    # Start 1 was heard, start 2 never, start 3 again: its zero is 100 s after that of start 1.
    store.append(SERIAL, 7, [record(1, 1000, 1), record(2, 2000, 2), record(3, 5000, 2), record(4, 10, 3)], 4)
    store.save_clock(SERIAL, 7, 1, 5000.0, 0.002)
    store.save_clock(SERIAL, 7, 3, 5100.0, 0.004)
    store.save_clock(SERIAL, 7, 3, 5200.0, 0.9)  # a worse one changes nothing
    timed = list(store.timed_events(SERIAL, 7))
    assert (timed[0].wall, timed[0].uncertainty) == (5001.0, 0.002)
    assert (timed[3].wall, timed[3].uncertainty) == (5100.01, 0.004)
    # Start 2 began after event 1 (5001) and its last event came before start 3 (5100): zero in 5001..5095.
    assert timed[1].wall == pytest.approx(5048.0 + 2.0)
    assert timed[1].uncertainty == pytest.approx(47.0)


def test_log_round_trip(store: Store, tmp_path: Path) -> None:
    tag = m.RECORD.pack(3, 9, 1, 8) + m.EVENT_BY_NUMBER[8].pack(2, 1, bytes(range(8)))
    store.append(SERIAL, 7, [record(1), record(2), tag, gap(4, 9)], 9)
    path = tmp_path / "log.jsonl"
    assert store.export_log(path) == 4
    log = read_log(path)
    assert (log.serial, log.journal_id, log.protocol) == (SERIAL, 7, f"{m.PROTOCOL:08x}")
    assert log.problems == []
    assert [e.record for e in log.events] == [e.record for e in store.events()]
    with pytest.raises(StoreError):
        store.export_log(path, serial="nobody")


def test_log_cut_at_every_byte(store: Store, tmp_path: Path) -> None:
    store.append(SERIAL, 7, [record(n) for n in range(1, 6)], 5)
    path = tmp_path / "log.jsonl"
    store.export_log(path)
    whole = path.read_bytes()
    lines = whole.split(b"\n")
    header = len(lines[0]) + 1
    for cut in range(header, len(whole)):
        path.write_bytes(whole[:cut])
        log = read_log(path)
        complete = whole[:cut].count(b"\n") - 1
        rest = whole[:cut].rsplit(b"\n", 1)[1]
        if rest and rest != lines[complete + 1]:
            assert [p.line for p in log.problems] == [complete + 2]
            assert "cut" in log.problems[0].reason
            assert len(log.events) == complete
        else:
            assert not log.problems
            assert len(log.events) == complete + bool(rest)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("not json", ""),
        ("[1]", "object"),
        ('{"seq":2,"t_ms":0,"boot":1,"event":"fly"}', "fly"),
        ('{"seq":2,"t_ms":0,"boot":1,"event":"enter","zone":1}', "tile is missing"),
        ('{"seq":2,"t_ms":0,"boot":1,"event":"enter","zone":"x","tile":1}', "zone"),
        ('{"seq":2,"t_ms":0,"boot":1,"event":"enter","zone":1,"tile":70000}', "range"),
        ('{"seq":2,"t_ms":0,"boot":1,"event":"tag","zone":1,"kind":0,"uid":5}', "uid"),
        ('{"seq":1,"t_ms":0,"boot":1,"event":"enter","zone":1,"tile":1}', "again"),
        ('{"seq":7,"t_ms":0,"boot":1,"event":"enter","zone":1,"tile":1}', "2 to 6"),
    ],
)
def test_bad_lines_are_named_and_the_good_kept(tmp_path: Path, line: str, word: str) -> None:
    good = '{"seq":%d,"t_ms":0,"boot":1,"event":"enter","zone":1,"tile":1}'
    header = json.dumps({"format": "paiju events 1", "serial": "s", "journal": 1, "protocol": "0"})
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([header, good % 1, line, good % 8, ""]))
    log = read_log(path)
    assert log.problems[0].line == 3
    assert word in log.problems[0].reason
    assert log.events[0].seq == 1
    assert log.events[-1].seq == 8


def test_no_log_at_all(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for text in ("", "hello\n", "{}\n", '{"format":"other"}\n'):
        path.write_text(text)
        with pytest.raises(ValueError, match="no event log"):
            read_log(path)
    with pytest.raises(OSError, match="nowhere"):
        read_log(tmp_path / "nowhere")


def test_two_programs_that_store_the_same_table(tmp_path: Path) -> None:
    one, two = Store(tmp_path / "s.db"), Store(tmp_path / "s.db")
    one.append("aa", 1, [record(1)], 1)
    with pytest.raises(StoreError, match="Another program"):
        two.append("aa", 1, [record(1)], 1)
    assert len(list(two.events())) == 1
    one.close()
    two.close()
