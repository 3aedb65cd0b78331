"""SLIX2 tags against the fact sheet: frames, states, memory, passwords."""

from __future__ import annotations

import pytest

from twin.tags import Tag, crc16, with_crc

UID = 0xE0040108_12345605
OTHER = 0xE0040108_12345615
LIT = 2_000  # a time at which tags lit at 0 understand requests


def own(uid: int = UID) -> bytes:
    return uid.to_bytes(8, "little")


def lit(uid: int = UID, **more: object) -> Tag:
    tag = Tag(uid, b"PJ\x00\x07", **more)  # type: ignore[arg-type]
    tag.power(True, 0)
    return tag


def ask(tag: Tag, *parts: int | bytes, now: int = LIT) -> bytes | None:
    body = b"".join(bytes((p,)) if isinstance(p, int) else p for p in parts)
    reply = tag.request(with_crc(body), now)
    if reply is None:
        return None
    assert with_crc(reply[:-2]) == reply
    return reply[:-2]


INVENTORY_ONE = (0x26, 0x01, 0x00)
INVENTORY_AFI = (0x36, 0x01, 0x00, 0x00)


@pytest.mark.parametrize(
    ("data", "sent"),
    [("260100", "f60a"), ("060100", "cd09"), ("36010000", "6aa1"), ("022b", "26a3"), ("313233343536373839", "6e90")],
)
def test_crc_vectors(data: str, sent: str) -> None:
    assert crc16(bytes.fromhex(data)).to_bytes(2, "little").hex() == sent


def test_inventory_reply_has_flags_dsfid_and_uid() -> None:
    assert ask(lit(dsfid=0x42), *INVENTORY_ONE) == b"\x00\x42" + own()


def test_without_field_and_in_the_first_millisecond_a_tag_is_silent() -> None:
    tag = Tag(UID)
    assert ask(tag, *INVENTORY_ONE) is None
    tag.power(True, 5_000)
    assert ask(tag, *INVENTORY_ONE, now=5_900) is None
    assert ask(tag, *INVENTORY_ONE, now=6_000) is not None


def test_a_wrong_crc_is_answered_with_silence() -> None:
    frame = bytearray(with_crc(bytes(INVENTORY_ONE)))
    frame[0] ^= 0x40
    assert lit().request(bytes(frame), LIT) is None


@pytest.mark.parametrize(
    ("length", "mask", "answers"),
    [(4, 0x5, True), (4, 0x6, False), (8, 0x05, True), (6, 0x05, True), (6, 0x25, False), (12, 0x605, True)],
)
def test_mask_compares_the_lowest_bits(length: int, mask: int, answers: bool) -> None:
    parts = (0x26, 0x01, length, mask.to_bytes((length + 7) // 8, "little"))
    assert (ask(lit(), *parts) is not None) is answers


@pytest.mark.parametrize(("length", "mask", "slot"), [(0, b"", 5), (4, b"\x05", 0), (8, b"\x05", 6)])
def test_slot_is_the_nibble_above_the_mask(length: int, mask: bytes, slot: int) -> None:
    tag = lit()
    heard = [ask(tag, 0x06, 0x01, length, mask)] + [tag.eof(LIT) for _ in range(20)]
    assert [n for n, reply in enumerate(heard) if reply] == [slot]


def test_a_new_request_ends_the_round() -> None:
    tag = lit()
    ask(tag, 0x06, 0x01, 0x00)
    assert ask(tag, 0x26, 0x01, 0x04, 0x06) is None
    assert not any(tag.eof(LIT) for _ in range(16))


@pytest.mark.parametrize(
    ("asked", "answers"), [(0x00, True), (0x51, True), (0x50, True), (0x52, False), (0x5D, False), (0x61, False)]
)
def test_afi_selects_families(asked: int, answers: bool) -> None:
    assert (ask(lit(afi=0x51), 0x36, 0x01, asked, 0x00) is not None) is answers


def test_quiet_lasts_until_the_field_is_lost() -> None:
    tag = lit()
    assert ask(tag, 0x22, 0x02, own()) is None
    assert ask(tag, *INVENTORY_ONE) is None
    assert ask(tag, *INVENTORY_AFI) is None
    assert ask(tag, 0x02, 0x20, 0x00) is None
    assert ask(tag, 0x22, 0x20, own(), 0x00) == b"\x00PJ\x00\x07"
    tag.power(False, 3_000)
    tag.power(True, 3_100)
    assert ask(tag, *INVENTORY_ONE, now=5_000) is not None


def test_persistent_quiet_hides_from_inventory_but_not_from_afi_or_address() -> None:
    tag = lit()
    assert ask(tag, 0x22, 0xBC, 0x04, own()) is None
    assert ask(tag, *INVENTORY_ONE) is None
    assert ask(tag, *INVENTORY_AFI) is not None
    assert ask(tag, 0x22, 0x20, own(), 0x00) is not None


@pytest.mark.parametrize(("away_us", "silent"), [(2_000_000, True), (2_000_001, False)])
def test_persistent_quiet_is_remembered_for_two_seconds(away_us: int, silent: bool) -> None:
    tag = lit()
    ask(tag, 0x22, 0xBC, 0x04, own())
    tag.power(False, 10_000)
    tag.power(True, 10_000 + away_us)
    assert (ask(tag, *INVENTORY_ONE, now=12_000 + away_us) is None) is silent


def test_quiet_then_persistent_becomes_persistent_at_the_next_field() -> None:
    tag = lit()
    ask(tag, 0x22, 0x02, own())
    ask(tag, 0x22, 0xBC, 0x04, own())
    assert ask(tag, *INVENTORY_AFI) is None
    tag.power(False, 10_000)
    tag.power(True, 20_000)
    assert ask(tag, *INVENTORY_ONE, now=22_000) is None
    assert ask(tag, *INVENTORY_AFI, now=22_000) is not None


@pytest.mark.parametrize("parts", [(0x22, 0x26, own()), (0x02, 0x26), (0x22, 0x25, own())])
def test_reset_to_ready_and_select_end_persistent_quiet(parts: tuple[int | bytes, ...]) -> None:
    tag = lit()
    ask(tag, 0x22, 0xBC, 0x04, own())
    assert ask(tag, *parts) == b"\x00"
    assert ask(tag, *INVENTORY_ONE) is not None
    tag.power(False, 10_000)
    tag.power(True, 20_000)
    assert ask(tag, *INVENTORY_ONE, now=22_000) is not None


def test_selected_tag_answers_the_select_flag_until_another_is_selected() -> None:
    tag = lit()
    assert ask(tag, 0x12, 0x20, 0x00) is None
    assert ask(tag, 0x22, 0x25, own()) == b"\x00"
    assert ask(tag, 0x12, 0x20, 0x00) == b"\x00PJ\x00\x07"
    assert ask(tag, 0x22, 0x25, own(OTHER)) is None
    assert ask(tag, 0x12, 0x20, 0x00) is None


def test_blocks_are_written_read_and_locked() -> None:
    tag = lit()
    assert ask(tag, 0x22, 0x21, own(), 3, b"abcd") == b"\x00"
    assert tag.delay_us > 0
    assert ask(tag, 0x62, 0x20, own(), 3) == b"\x00\x00abcd"
    assert tag.delay_us == 0
    assert ask(tag, 0x22, 0x22, own(), 3) == b"\x00"
    assert ask(tag, 0x62, 0x20, own(), 3) == b"\x00\x01abcd"
    assert ask(tag, 0x22, 0x21, own(), 3, b"efgh") == b"\x01\x0f"
    assert ask(tag, 0x22, 0x23, own(), 0, 3) == b"\x00PJ\x00\x07" + bytes(8) + b"abcd"


def test_write_with_the_option_flag_answers_the_next_eof() -> None:
    tag = lit()
    assert ask(tag, 0x62, 0x21, own(), 3, b"abcd") is None
    assert tag.eof(LIT) == with_crc(b"\x00")
    assert tag.eof(LIT) is None


def test_reading_past_the_end_is_shortened() -> None:
    assert ask(lit(), 0x22, 0x23, own(), 77, 7) == bytes(9)


def test_errors_are_told_only_to_who_addresses() -> None:
    tag = lit()
    assert ask(tag, 0x22, 0x20, own(), 80) == b"\x01\x0f"
    assert ask(tag, 0x02, 0x20, 80) is None
    assert ask(tag, 0x22, 0x55, own()) == b"\x01\x0f"
    assert ask(tag, 0x22, 0xBC, 0x07, own()) is None  # another manufacturer's code


def test_system_information_and_afi() -> None:
    tag = lit(dsfid=1)
    assert ask(tag, 0x22, 0x27, own(), 0x50) == b"\x00"
    assert ask(tag, 0x02, 0x2B) == b"\x00\x0f" + own() + b"\x01\x50\x4f\x03\x01"


def test_counter_counts_and_presets_only_with_the_write_password() -> None:
    tag = lit()
    assert ask(tag, 0x22, 0x21, own(), 79, b"\x01\x00\x00\x00") == b"\x00"
    assert ask(tag, 0x22, 0x20, own(), 79) == b"\x00\x01\x00\x00\x00"
    assert ask(tag, 0x22, 0x21, own(), 79, b"\x09\x00\x00\x00") == b"\x01\x0f"
    unlock(tag, 0)
    assert ask(tag, 0x22, 0x21, own(), 79, b"\x09\x00\x00\x00") == b"\x00"


def unlock(tag: Tag, password: int, number: int = 2) -> bytes | None:
    random = ask(tag, 0x22, 0xB2, 0x04, own())
    assert random is not None
    mixed = bytes(a ^ b for a, b in zip(password.to_bytes(4, "little"), random[1:3] * 2, strict=True))
    return ask(tag, 0x22, 0xB3, 0x04, own(), number, mixed)


def test_password_protects_pages_against_writing() -> None:
    tag = lit()
    assert unlock(tag, 0) == b"\x00"
    assert ask(tag, 0x22, 0xB4, 0x04, own(), 2, b"\x78\x56\x34\x12") == b"\x00"
    assert ask(tag, 0x22, 0xB6, 0x04, own(), 2, 0x02) == b"\x01\x0f"  # the new password counts at once
    assert unlock(tag, 0x12345678) == b"\x00"
    assert ask(tag, 0x22, 0xB6, 0x04, own(), 2, 0x02) == b"\x00"
    tag.power(False, 10_000)
    tag.power(True, 20_000)
    later = 22_000
    assert ask(tag, 0x22, 0x21, own(), 1, b"evil", now=later) == b"\x01\x0f"
    assert ask(tag, 0x22, 0x21, own(), 2, b"free", now=later) == b"\x00"
    assert ask(tag, 0x22, 0x20, own(), 1, now=later) == bytes(5)


def test_protection_is_the_write_password_s_and_reading_needs_none() -> None:
    tag = lit()
    assert ask(tag, 0x22, 0xB6, 0x04, own(), 2, 0x02) == b"\x01\x0f"  # without a password
    assert ask(tag, 0x22, 0xB4, 0x04, own(), 2, b"abcd") == b"\x01\x0f"
    assert unlock(tag, 0) == b"\x00"
    assert ask(tag, 0x22, 0xB6, 0x04, own(), 79, 0x02) == b"\x01\x0f"  # no page begins at the counter
    assert ask(tag, 0x22, 0xB6, 0x04, own(), 2, 0x02) == b"\x00"
    assert ask(tag, 0x22, 0x21, own(), 0, b"PJ\x00\x08") == b"\x00"  # given in this field: it may write
    assert ask(tag, 0x22, 0xB6, 0x04, own(), 2, 0x23) == b"\x00"
    tag.power(False, 10_000)
    tag.power(True, 20_000)
    assert ask(tag, 0x22, 0x20, own(), 1, now=22_000) == b"\x01\x0f"  # read protection is asked for by its own bit
    assert ask(tag, 0x22, 0x20, own(), 2, now=22_000) == bytes(5)
    assert ask(tag, 0x22, 0x21, own(), 2, b"high", now=22_000) == b"\x01\x0f"
    assert ask(tag, 0x22, 0x22, own(), 0, now=22_000) == b"\x01\x0f"  # LOCK is a write too


def test_what_is_locked_stays_as_it_is() -> None:
    tag = lit()
    assert ask(tag, 0x22, 0xB5, 0x04, own(), 2) == b"\x01\x0f"
    assert unlock(tag, 0) == b"\x00"
    assert ask(tag, 0x22, 0xB6, 0x04, own(), 2, 0x02) == b"\x00"
    assert ask(tag, 0x22, 0xB7, 0x04, own()) == b"\x00"
    assert ask(tag, 0x22, 0xB6, 0x04, own(), 0, 0x00) == b"\x01\x0f"
    assert ask(tag, 0x22, 0xB7, 0x04, own()) == b"\x01\x0f"
    assert ask(tag, 0x22, 0xB5, 0x04, own(), 2) == b"\x00"
    assert ask(tag, 0x22, 0xB4, 0x04, own(), 2, b"abcd") == b"\x01\x0f"
    assert (tag.pointer, tag.protection, tag.passwords[2]) == (2, 0x02, 0)


@pytest.mark.parametrize("code", [0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7])
def test_passwords_are_never_for_all_tags_of_a_field(code: int) -> None:
    tag = lit()
    assert ask(tag, 0x02, code, 0x04, *([2, bytes(4)] if code in (0xB3, 0xB4) else [])) is None
    assert ask(tag, *INVENTORY_ONE) is not None  # and nobody was locked out by it


def test_every_random_number_is_another_and_the_old_one_is_worth_nothing() -> None:
    tag = lit()
    heard = [ask(tag, 0x22, 0xB2, 0x04, own()) for _ in range(50)]
    assert len(set(heard)) == 50
    old = heard[0]
    assert old is not None
    assert ask(tag, 0x22, 0xB3, 0x04, own(), 2, old[1:] * 2) is None  # what went over the air does not open it twice


def test_after_a_wrong_password_nothing_works_until_the_field_is_reset() -> None:
    tag = lit()
    assert unlock(tag, 99) is None
    assert ask(tag, *INVENTORY_ONE) is None
    tag.power(False, 10_000)
    tag.power(True, 20_000)
    assert ask(tag, *INVENTORY_ONE, now=22_000) is not None


def test_inventory_read_gives_uid_and_data_and_quiets() -> None:
    tag = lit()
    assert ask(tag, 0x26, 0xA0, 0x04, 0x00, 0, 0) == b"\x00PJ\x00\x07"
    assert ask(tag, 0x66, 0xA0, 0x04, 0x08, own()[:1], 0, 0) == b"\x00" + own()[1:] + b"PJ\x00\x07"
    assert ask(tag, 0x66, 0xA0, 0x04, 0x80, 0x52) == b"\x00" + own()  # no data, full UID, persistent quiet
    assert ask(tag, *INVENTORY_ONE) is None
    assert ask(tag, 0x66, 0xA0, 0x04, 0x80, 0x72) == b"\x00" + own()


@pytest.mark.parametrize("uid", [1 << 64, -1])
def test_a_uid_that_does_not_fit_is_refused(uid: int) -> None:
    with pytest.raises(ValueError, match="64 bits"):
        Tag(uid)
