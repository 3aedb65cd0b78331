"""Both ends of the link against each other in virtual time, and against hosts and tables that misbehave."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from link_pair import Pair, frame

from paiju.table import CommandRefused, HostLink, State, decode
from tablelink import messages as m
from tablelink.frame import Decoder
from tablelink.table_end import CommandError


def test_events_arrive_once_in_order() -> None:
    pair = Pair()
    pair.emit(50)
    pair.connect()
    pair.emit(50)
    assert pair.run(2, lambda: len(pair.received) == 100)
    assert pair.numbers() == list(range(1, 101))
    assert pair.run(2, lambda: pair.journal.acknowledged == 100)
    event = decode(pair.received[0])
    assert (event.kind, event.fields) == ("enter", {"zone": 3, "tile": 0})


def test_hello_within_two_seconds() -> None:
    """At 200 random instants: in the middle of a frame, amid boot messages, a tenth of the first writes dropped."""
    for seed in range(200):
        assert _hello_at_a_random_instant(seed), seed


def _hello_at_a_random_instant(seed: int) -> bool:
    rng = random.Random(seed)
    pair = Pair(seed=seed)
    pair.emit(rng.randrange(200))
    for _ in range(rng.randrange(100)):
        pair.step()
    began = pair.now
    # One in five tables is still starting: what is written to it meanwhile is lost.
    deaf = began + rng.uniform(0, 0.8) if seed % 5 == 0 else began
    noise = [b"MPY: soft reboot\r\nMicroPython v1.24\r\n>>> ", rng.randbytes(300), b"\x03\x04\x00", b""][seed % 4]
    noise += frame(m.EVENTS_FRAME, tail=bytes(40))[rng.randrange(40) :]

    def up(data: bytes) -> bytes:
        return b"" if pair.now < deaf or (pair.now < began + 1 and rng.random() < 0.1) else data

    def down(data: bytes) -> bytes:
        nonlocal noise
        before, noise = noise, b""
        return before + data

    pair.up, pair.down = up, down
    pair.host.port_opened(pair.now)
    return pair.run(2.0, lambda: pair.host.state is State.IN_STEP)


def test_a_table_of_another_version_is_refused_by_name() -> None:
    pair = Pair()
    hello = frame(m.HELLO, 0xABCD1234, 0x010203, 0, b"TABLE001", 1, 1, 2, 3, 4, 0)
    pair.down = lambda _data: hello
    pair.host.port_opened(0)
    pair.run(0.5)
    assert pair.host.state is State.REFUSED
    assert "abcd1234" in pair.host.problem
    assert "1.2.3" in pair.host.problem
    assert f"{m.PROTOCOL:08x}" in pair.host.problem
    # The table gets the right firmware and starts again.
    pair.down = lambda data: data
    pair.boot()
    assert pair.run(2, lambda: pair.host.state is State.IN_STEP)


def test_a_longer_hello_of_a_later_version_is_understood_that_far() -> None:
    host = HostLink(lambda _s, _j: 0)
    host.port_opened(0)
    host.receive(_typed(m.HELLO.number, m.OPEN.pack(0x11111111, 0x020000) + b"later fields"), 0.2)
    assert host.state is State.REFUSED
    assert "2.0.0" in host.problem


def _typed(kind: int, payload: bytes) -> bytes:
    return frame(m.Layout(kind, "any", "..."), tail=payload)


def test_a_host_of_another_version_gets_hello_and_no_events() -> None:
    pair = Pair()
    pair.emit(10)
    data = frame(m.OPEN, m.PROTOCOL ^ 1, 77) + frame(m.RESUME, 77, pair.journal.id, 0)
    pair.table.next_frame(0)
    pair.table.receive(bytearray(data), len(data), 5)
    sent = []
    while (got := pair.table.next_frame(10)) is not None:
        sent.append(bytes(got))
    assert len(sent) == 1
    assert not pair.table.sender.running


def test_something_else_at_the_port_is_told_from_silence() -> None:
    host = HostLink(lambda _s, _j: 0)
    host.port_opened(0)
    assert not host.foreign
    host.receive(b"GPS $GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n" * 3, 0.5)
    assert host.foreign
    assert host.state is State.OPENING


def test_silence_and_sound() -> None:
    pair = Pair()
    pair.connect()
    pair.up = pair.down = lambda _data: b""
    assert pair.run(3, lambda: pair.host.state is State.STALLED)
    pair.up = pair.down = lambda data: data
    assert pair.run(3, lambda: pair.host.state is State.IN_STEP)
    assert pair.host.statistics.reconnects == 0
    pair.up = pair.down = lambda _data: b""
    assert pair.run(10, lambda: pair.host.state is State.LOST)
    pair.emit(20)
    pair.run(20)
    assert pair.table.session == 0
    pair.up = pair.down = lambda data: data
    assert pair.run(2, lambda: pair.host.state is State.IN_STEP)
    assert pair.run(2, lambda: len(pair.received) == 20)
    assert pair.host.statistics.reconnects == 1


def test_a_restart_is_noticed_at_once() -> None:
    pair = Pair()
    pair.connect()
    pair.emit(5)
    pair.run(0.2)
    boot = pair.host.hello.boot if pair.host.hello else 0
    pair.boot()
    pair.emit(5)
    assert pair.run(1, lambda: len(pair.received) == 10)
    assert pair.host.hello is not None
    assert pair.host.hello.boot == boot + 1
    assert pair.numbers() == list(range(1, 11))


def test_acknowledgement_beyond_what_was_sent() -> None:
    pair = Pair()
    pair.emit(3)
    pair.connect()
    pair.run(0.5)
    session = pair.table.session
    forged = frame(m.ACK, session, 1000, 0)
    pair.table.receive(bytearray(forged), len(forged), pair.ms)
    assert pair.journal.acknowledged == 3
    pair.run(0.2)
    assert "ack_beyond_sent" in pair.host.problem
    pair.emit(2)
    assert pair.run(1, lambda: len(pair.received) == 5)


def test_replayed_frames_of_an_old_session_do_nothing() -> None:
    pair = Pair()
    pair.emit(30)
    pair.connect()
    old = pair.table.session
    pair.run(0.5)
    pair.host.port_lost()
    pair.run(1)
    pair.connect()
    assert pair.table.session != old
    replay = frame(m.ACK, old, 5, 1) + frame(m.RESUME, old, pair.journal.id, 0) + frame(m.CLOSE, old)
    resends = pair.table.sender.resends
    pair.table.receive(bytearray(replay), len(replay), pair.ms)
    pair.run(1)
    assert pair.table.sender.running
    assert pair.table.sender.resends == resends
    assert pair.numbers() == list(range(1, 31))


def test_a_store_ahead_of_the_table_is_refused() -> None:
    pair = Pair(stored=500)
    pair.emit(10)
    pair.host.port_opened(0)
    pair.run(1)
    assert pair.host.state is State.REFUSED
    assert "500" in pair.host.problem


def test_gap_names_what_was_overwritten() -> None:
    pair = Pair()
    pair.emit(10)
    pair.connect()
    pair.run(0.5)
    pair.host.port_lost()
    pair.emit(1000)
    pair.connect()
    assert pair.run(5, lambda: pair.host.position == 1010)
    gap = decode(pair.received[10])
    assert (gap.kind, gap["first"], gap["reason"]) == ("gap", 11, "overwritten")
    assert gap["last"] == gap.seq == 1010 - pair.journal.slots
    assert pair.numbers()[11:] == list(range(gap.seq + 1, 1011))


def test_gap_tells_delivered_from_lost_and_unreadable() -> None:
    pair = Pair()
    pair.emit(100)
    pair.connect()
    pair.run(1)
    pair.host.port_lost()
    pair.emit(700)
    pair.fram.memory[64 + 26 * (700 % pair.journal.slots)] ^= 1
    pair.stored.clear()  # another host, or an emptied store
    pair.received.clear()
    pair.connect()
    assert pair.run(5, lambda: pair.host.position == 800)
    gaps = [decode(r) for r in pair.received if decode(r).kind == "gap"]
    assert [(g["first"], g["last"], g["reason"]) for g in gaps] == [
        (1, 100, "delivered"),
        (101, 200, "overwritten"),
        (700, 700, "unreadable"),
    ]


def test_a_gap_that_reaches_back_is_cut_to_what_is_missing() -> None:
    pair = Pair()
    pair.emit(5)
    pair.connect()
    pair.run(0.5)
    record = m.RECORD.pack(9, 0, 1, m.GAP.number) + m.GAP.pack(3, 9, m.OVERWRITTEN)
    pair.host.receive(frame(m.EVENTS_FRAME, tail=record), pair.now)
    (kept,) = pair.host.take_records()
    assert decode(kept).fields == {"first": 6, "last": 9, "reason": "overwritten"}


def test_a_store_that_fails_keeps_events_at_the_table() -> None:
    pair = Pair()
    pair.connect()
    pair.emit(10)
    for _ in range(100):
        pair.step(store=False)
        if pair.host.take_records():
            pair.host.not_stored()
    assert pair.journal.acknowledged == 0
    assert pair.host.state is State.IN_STEP
    pair.host.retry(pair.now)
    assert pair.run(5, lambda: len(pair.received) == 10)
    assert pair.numbers() == list(range(1, 11))


def test_command_runs_once_and_is_answered_once() -> None:
    pair = Pair()
    runs: list[int] = []
    answers: list[str] = []
    pair.table.on("beep", runs.append)
    pair.connect()
    pair.host.command("beep", 100, on_reply=lambda reply: answers.append(reply.status))
    lossy = random.Random(3)
    pair.down = lambda data: b"" if lossy.random() < 0.7 else data  # most answers get lost
    assert pair.run(10, lambda: bool(answers))
    pair.down = lambda data: data + data  # and then each comes twice
    pair.run(2)
    assert (runs, answers) == ([100], ["ok"])


def test_command_survives_a_reconnection() -> None:
    pair = Pair()
    runs: list[int] = []
    pair.table.on("beep", runs.append)
    pair.connect()
    pair.down = lambda _data: b""
    pending = pair.host.command("beep", 7)
    pair.run(0.5)
    assert runs == [7]
    pair.host.port_lost()
    pair.run(2)
    pair.down = lambda data: data
    pair.connect()
    assert pair.run(2, lambda: pending.reply is not None)
    assert pending.reply is not None
    assert pending.reply.ok
    assert runs == [7]


def test_an_answer_that_stays_away_while_many_commands_run() -> None:
    """The table remembers a few commands only: the host must not begin so many that it forgets one asked again."""
    pair = Pair()
    runs: list[int] = []
    pair.table.on("beep", runs.append)
    pair.connect()
    first = pair.host.command("beep", 1)
    lost = first.id.to_bytes(4, "little")
    pair.down = lambda data: b"" if lost in data else data
    pending = [pair.host.command("beep", n) for n in range(2, 60)]
    pair.run(3)
    pair.down = lambda data: data
    assert pair.run(10, lambda: pair.host.idle)
    assert sorted(runs) == list(range(1, 60))
    assert all(p.reply is not None and p.reply.ok for p in (first, *pending))


def test_a_host_that_was_frozen_for_five_seconds() -> None:
    """Report X3: no CPU for the host in the middle of a shuffle, and 1 % of the bytes damaged before and after."""
    pair = Pair()
    rng = random.Random(8)
    jogs: list[tuple[str, float]] = []
    beeps: list[int] = []
    pair.table.service = True
    pair.table.on("beep", beeps.append)
    pair.table.on("jog", lambda *_: jogs.append(("go", pair.now)), lambda: jogs.append(("stop", pair.now)))

    def noisy(data: bytes) -> bytes:
        return bytes(b ^ rng.randrange(1, 256) if rng.random() < 0.01 else b for b in data)

    pair.connect()
    pair.up = pair.down = noisy
    pending = [pair.host.command("jog", 1, 0, 50), pair.host.command("beep", 7), pair.host.command("beep", 8)]
    for _ in range(60):
        pair.emit()
        pair.step()
    frozen = pair.now
    sent = bytearray()
    while pair.now < frozen + 5:
        pair.now += 0.01
        pair.emit()
        pair.table.tick(pair.ms)
        while (out := pair.table.next_frame(pair.ms)) is not None:
            sent += out  # the operating system keeps it for the frozen host
    assert [what for what, _ in jogs] == ["go", "stop"]
    assert jogs[1][1] - frozen < 2.1
    pair.host.receive(noisy(bytes(sent)), pair.now)
    assert pair.run(20, lambda: len(pair.received) == pair.journal.last and pair.host.idle)
    assert pair.numbers() == list(range(1, pair.journal.last + 1))
    assert sorted(beeps) == [7, 8]
    assert [what for what, _ in jogs] == ["go", "stop"]
    assert all(p.reply is not None for p in pending)


def test_no_opening_is_a_keystroke_for_a_console() -> None:
    for seed in range(3000):
        host = HostLink(lambda _s, _j: 0, random.Random(seed))
        host.port_opened(0)
        assert b"\x03" not in host.take_output()


def test_a_store_that_cannot_say_how_far_it_is() -> None:
    pair = Pair()
    known: list[int | None] = [None]
    pair.host = HostLink(lambda _s, _j: known[0], random.Random(2))
    pair.emit(10)
    pair.host.port_opened(0)
    pair.run(1)
    assert pair.host.state is State.OPENING
    known[0] = 4
    assert pair.run(2, lambda: pair.numbers() == list(range(5, 11)))


class Recorder:
    """Remembers what the host says, to say it again later."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.said: list[bytes] = []
        pair.up = self.up

    def up(self, data: bytes) -> bytes:
        if data:
            self.said.append(data)
        return data

    def again(self, only: int | None = None) -> None:
        for data in list(self.said):
            for text in data.split(b"\0"):
                raw = b"\0" + text + b"\0"
                decoder = Decoder()
                if any(decoder.feed(byte) for byte in raw) and only in (None, decoder.kind):
                    self.pair.table.receive(bytearray(raw), len(raw), self.pair.ms)
                    self.pair.step()


@pytest.mark.parametrize("only", [m.COMMAND.number, None], ids=["commands", "everything"])
def test_old_commands_that_turn_up_late_do_not_run_again(only: int | None) -> None:
    """All of an old connection, after more commands than the table remembers; then all of the present one."""
    pair = Pair()
    runs: list[int] = []
    pair.table.on("beep", runs.append)
    recorder = Recorder(pair)
    pair.connect()
    for n in range(1, 51):
        pair.host.command("beep", n)
        assert pair.run(5, lambda: pair.host.idle)
        if n == 25:
            pair.host.port_lost()
            pair.run(1)
            pair.connect()
    recorder.again(only)
    assert runs == list(range(1, 51))
    last = pair.host.command("beep", 99)
    pair.emit()
    assert pair.run(10, lambda: last.reply is not None and len(pair.received) == 1)
    assert runs == [*range(1, 51), 99]


def test_a_late_command_of_a_host_that_is_gone_does_not_run() -> None:
    """It never ran, and its host will not hear the answer: another host has the table now."""
    pair = Pair()
    runs: list[int] = []
    pair.table.on("beep", runs.append)
    recorder = Recorder(pair)
    pair.connect()
    pair.up = lambda data: recorder.up(data) and b""
    pair.host.command("beep", 7)
    pair.run(1)
    pair.host = HostLink(pair.position, random.Random(8))
    pair.up = lambda data: data
    pair.connect()
    recorder.again(m.COMMAND.number)
    assert pair.run(3, lambda: "stale_command" in pair.host.problem)
    assert runs == []


def test_late_renewals_keep_no_lease() -> None:
    pair = Pair()
    pair.table.service = True
    log: list[str] = []
    pair.table.on("jog", lambda axis, reverse, duty: log.append("go"), lambda: log.append("stop"))
    recorder = Recorder(pair)
    pair.connect()
    pair.host.command("jog", 1, 0, 50)
    pair.run(3)
    pair.up = lambda data: data
    pair.host = HostLink(pair.position, random.Random(8))
    pair.connect()
    for _ in range(30):
        recorder.again(m.RENEW.number)
        recorder.again(m.COMMAND.number)
    assert log == ["go", "stop"]


def test_numbers_far_off_are_refused() -> None:
    pair = Pair()
    runs: list[int] = []
    pair.table.on("beep", runs.append)
    pair.connect()
    for ident, nth in ((1, 5), (2, 3), (3, 5), (4, 40), (5, 0xFFFFFFFF), (6, 34), (7, 4), (8, 5), (9, 6)):
        raw = frame(m.COMMAND, ident, pair.journal.boot, pair.table.visit, nth, 5, tail=ident.to_bytes(2, "little"))
        pair.table.receive(bytearray(raw), len(raw), pair.ms)
    assert runs == [1, 2, 6, 9]


def test_a_table_that_sends_nothing_though_in_step_is_opened_again() -> None:
    """It forgot the host, and a late copy of the same `open` brought the session back without its events."""
    pair = Pair()
    pair.emit(3)
    recorder = Recorder(pair)
    pair.connect()
    assert pair.run(2, lambda: len(pair.received) == 3)
    pair.table._end_session()
    recorder.again(m.OPEN.number)
    pair.emit(3)
    assert pair.run(5, lambda: len(pair.received) == 6)


def test_a_command_under_way_at_a_restart_is_not_tried_again() -> None:
    pair = Pair()
    runs: list[int] = []
    pair.table.on("beep", runs.append)
    pair.connect()
    pair.down = lambda _data: b""
    pending = pair.host.command("beep", 7)
    pair.run(0.5)
    pair.boot()
    pair.table.on("beep", runs.append)
    pair.down = lambda data: data
    assert pair.run(8, lambda: pending.reply is not None)
    assert pending.reply is not None
    assert pending.reply.status == "restarted"
    assert runs == [7]


def test_a_ping_gets_its_own_reply_after_a_long_outage() -> None:
    """Report R11: 30 minutes at 5 events/s, two restarts, a new host, and a ping right after."""
    pair = Pair()
    pair.connect()
    pair.host.port_lost()
    for n in range(9000):
        pair.now += 0.2
        pair.emit()
        if n in (3000, 6000):
            pair.boot()
    host = pair.host = HostLink(pair.position, random.Random(9))
    pings = [host.command("ping", 1000 + n) for n in range(5)]
    pair.connect()
    assert pair.run(20, lambda: host.position == 9000 and host.idle)
    assert [p.reply.fields for p in pings if p.reply] == [{"token": 1000 + n} for n in range(5)]
    kinds = [decode(r) for r in pair.received]
    assert kinds[0].kind == "gap"
    assert [e.seq for e in kinds[1:]] == list(range(kinds[0].seq + 1, 9001))


@pytest.mark.parametrize(
    ("code", "arguments", "status"),
    [
        (200, b"", "unknown"),
        (3, b"\x00hello", "unknown"),  # declared, but nobody serves it
        (5, b"", "malformed"),
        (5, b"\x01\x00\x00", "malformed"),
        (5, b"\x00\x00", "range"),
        (5, b"\xff\xff", "range"),
        (6, b"\x00\x00\x32", "mode"),
    ],
)
def test_wrong_commands_are_refused(code: int, arguments: bytes, status: str) -> None:
    pair = Pair()
    pair.table.on("beep", lambda ms: pytest.fail("ran"))
    pair.table.on("jog", lambda axis, reverse, duty: pytest.fail("ran"))
    pair.connect()
    raw = frame(m.COMMAND, 42, pair.journal.boot, pair.table.visit, 1, code, tail=arguments)
    pair.table.receive(bytearray(raw), len(raw), pair.ms)
    seen: list[str] = []
    pair.host._watch = lambda _direction, text: seen.append(text)
    pair.run(0.1)
    assert any(text.startswith(f"reply id=42 status={m.STATUS.index(status)}") for text in seen)
    assert pair.table.refused == 1


def test_the_host_checks_before_it_sends() -> None:
    host = HostLink(lambda _s, _j: 0)
    for arguments, word in (
        (("fly",), "fly"),
        (("beep",), "MS"),
        (("beep", 0), "1 to 2000"),
        (("display", 0, b"toolong"), "5"),
        (("display", 4, b"12345"), "0 to 3"),
    ):
        with pytest.raises(CommandRefused, match=word):
            host.command(*arguments)  # type: ignore[arg-type]


def test_a_broken_handler_and_a_refusing_one() -> None:
    pair = Pair()

    def broken(_ms: int) -> None:
        raise RuntimeError

    def refusing(_seat: int, _lamp: int, _mode: int) -> None:
        raise CommandError(m.BUSY)

    pair.table.on("beep", broken)
    pair.table.on("lamp", refusing)
    pair.connect()
    one, two = pair.host.command("beep", 1), pair.host.command("lamp", 0, 0, 0)
    pair.run(0.5)
    assert [p.reply.status for p in (one, two) if p.reply] == ["failed", "busy"]


def test_lease_runs_out_when_the_host_goes() -> None:
    pair = Pair()
    log: list[tuple[str, float]] = []
    pair.table.service = True
    pair.table.on(
        "jog", lambda axis, reverse, duty: log.append(("go", pair.now)), lambda: log.append(("stop", pair.now))
    )
    pair.connect()
    pending = pair.host.command("jog", 1, 0, 50)
    pair.run(6)
    assert [what for what, _ in log] == ["go"]  # renewed meanwhile
    pair.host.release(pending)
    pair.run(3)
    assert [what for what, _ in log] == ["go", "stop"]
    pair.host.command("jog", 1, 0, 50)
    pair.run(1)
    gone = pair.now
    pair.host.port_lost()
    pair.run(3)
    assert log[-1][0] == "stop"
    assert log[-1][1] - gone < 2.1


def test_clock_is_told_within_its_bound() -> None:
    pair = Pair()
    pair.now = 1000.0
    pair.boot()
    pair.now = 1003.7
    pair.connect()
    pair.run(5)
    offset = pair.host.clock.offset(pair.now)
    assert offset is not None
    zero, bound = offset
    assert abs(zero - 1000.0) <= bound
    assert bound < 0.02


def test_statistics_of_the_table() -> None:
    pair = Pair()
    pair.connect()
    pair.emit(20)
    pair.run(1)
    noise = b"\x00\x05garbage\x00"
    pair.table.receive(bytearray(noise), len(noise), pair.ms)
    pending = pair.host.command("stats")
    pair.run(1)
    assert pending.reply is not None
    fields = pending.reply.fields
    assert fields["bad_frames"] == 1
    assert fields["journal_used"] == 0
    assert fields["journal_size"] == pair.journal.slots
    assert int(fields["bytes_out"]) > 20 * 14
    assert 0 < int(fields["round_trip_ms"]) <= 40


def test_an_observer_leaves_events_where_they_are() -> None:
    pair = Pair()
    pair.emit(10)
    pair.host = HostLink(pair.position, random.Random(2), take_events=False)
    pair.connect()
    pending = pair.host.command("ping", 5)
    pair.run(2)
    assert pending.reply is not None
    assert pair.received == []
    assert pair.journal.acknowledged == 0


def test_oversized_and_unknown_messages_are_named() -> None:
    pair = Pair()
    pair.connect()
    for raw, word in (
        (b"\x00" + b"\x01" * 400 + b"\x00", "oversized_frame"),
        (_typed(99, b"?"), "unknown_message"),
        (_typed(m.ACK.number, b"short"), "malformed_message"),
    ):
        pair.table.receive(bytearray(raw), len(raw), pair.ms)
        pair.run(0.1)
        assert word in pair.host.problem


def test_an_incomplete_frame_is_given_up() -> None:
    """Report R05: 59 of 60 bytes, five seconds of nothing, the last byte; then a stream of single bytes."""
    pair = Pair()
    pair.connect()
    raw = frame(m.COMMAND, 9, pair.journal.boot, pair.table.visit, 1, 1, tail=(5).to_bytes(4, "little"))
    pair.up = lambda _data: b""
    pair.table.receive(bytearray(raw[:-1]), len(raw) - 1, pair.ms)
    pair.run(2)
    pair.table.receive(bytearray(raw[-1:]), 1, pair.ms)
    assert pair.table.decoder.bad == 1  # given up before the last byte came
    frames = pair.table.decoder.frames
    for byte in raw:
        pair.table.receive(bytearray([byte]), 1, pair.ms)
    assert pair.table.decoder.frames == frames + 1
