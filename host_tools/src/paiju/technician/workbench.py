"""The technician's commands of one table, as calls; errors as one sentence each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol

from paiju.i18n import _
from paiju.table import Pending, Reply

DAY_ZERO = date(2000, 1, 1)
SEAT_ZONES = 16
ZONES = 18
NO_ZONE = 255
NEVER = 0xFFFFFFFF
SURFACE = tuple(zone for zone in range(SEAT_ZONES) if zone % 4 != 3)
LEVELS = 16
ANSWER_S = 20.0
PAUSE_S = 0.05
READERS = 5
TRIES = 3  # of a command in which a reader failed: the table restarts it meanwhile
RESTART_S = 0.3
_OF_NO_ZONE = ("request", "display", "reader", "tag_password", "conflict")  # commands whose first argument is no zone
_STATES = ("ok", "degraded", "down", "starting")
_FAULTS = ("", "dead", "hung", "refused", "hot", "field_lost")
_WRITE_PROBLEMS = {1: "silent", 2: "refused", 3: "differs", 4: "protected"}


class WorkbenchError(Exception):
    """The text is one sentence for the technician."""


class Table(Protocol):
    """What the workbench needs of a connection."""

    async def command(self, name: str, *args: int | bytes) -> Reply: ...
    def lease(self, name: str, *args: int | bytes) -> Pending: ...
    def release(self, pending: Pending) -> None: ...
    async def pause(self, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True)
class ZoneState:
    """One antenna as the table knows it: `asked_ms` ago it was last asked; levels are receiver levels 0-15.

    `heard_ms` ago a tag last answered in it, None for never or some days ago. `failures` counts from the table's start.

    `power` is a signed trim of the field, 0 as the reader comes; what a step does is the reader's own affair.
    """

    zone: int
    reader: str
    failures: int
    tiles: int
    asked_ms: int
    heard_ms: int | None
    noise: int
    conflicts: int
    level: int
    margin: int
    floor: int
    power: int
    calibrated: date | None


@dataclass(frozen=True, slots=True)
class ReaderState:
    """A reader: `fault` is its last one (dead, hung, refused, hot, field_lost; empty for none yet)."""

    reader: int
    state: str
    fault: str
    firmware: str


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag that answered; `uid` low byte first, `memory` blocks 0 and 1, None when they could not be read."""

    uid: bytes
    memory: bytes | None

    @property
    def name(self) -> str:
        """The UID as people write it."""
        return self.uid[::-1].hex().upper()


@dataclass(frozen=True, slots=True)
class TagReading:
    """All tags of a zone. `overflow`: there were more; `noise` counts damaged answers."""

    tags: tuple[Tag, ...]
    overflow: bool
    noise: int


def zone_title(zone: int) -> str:
    """Such as `East pond`."""
    if zone >= SEAT_ZONES:
        return _("die {number}").format(number=zone - SEAT_ZONES + 1)
    seat = (_("East"), _("South"), _("West"), _("North"))[zone // 4]
    kind = (_("hand"), _("meld"), _("pond"), _("gate"))[zone % 4]
    return f"{seat} {kind}"


class Workbench:
    """The commands; use it within `at_work`, except `zone`."""

    def __init__(self, table: Table) -> None:
        self._table = table

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """The readers are the technician's. WorkbenchError: the key is not turned, or the table moves."""
        pending = self._table.lease("workbench")
        try:
            for _round in range(int(ANSWER_S / PAUSE_S)):
                if pending.reply is not None:
                    break
                await self._table.pause(PAUSE_S)
            if pending.reply is None:
                raise WorkbenchError(_("The table has not answered for 20 s."))
            self._judge("workbench", pending.reply)
            yield
        finally:
            self._table.release(pending)

    async def zone(self, zone: int) -> ZoneState:
        f = await self._ask("zone", zone)
        day = f["day"]
        heard_ms = f["heard_ms"] if f["heard_ms"] != NEVER else None
        return ZoneState(
            zone, _STATES[f["reader"]], f["failures"], f["tiles"], f["asked_ms"], heard_ms, f["noise"], f["conflicts"],
            f["level"], f["margin"], f["floor"], f["power"], DAY_ZERO + timedelta(days=day) if day else None,
        )  # fmt: skip

    async def reader(self, number: int) -> ReaderState:
        f = await self._ask("reader", number)
        return ReaderState(number, _STATES[f["state"]], _FAULTS[f["fault"]], f"{f['major']}.{f['minor']}")

    async def conflict(self) -> dict[str, int]:
        """The last tile measured in two zones: fields as in the event, and `ago_ms`; zone `NO_ZONE` for none."""
        return await self._ask("conflict")

    async def keep_password(self, tile_set: int, password: int, replace: bool = False) -> bool:
        """Give the table the write password of a set's tags; False when it has one and `replace` is not wanted."""
        return bool((await self._ask("tag_password", tile_set, replace, password))["kept"])

    async def tags(self, zone: int) -> TagReading:
        """Read a zone in full, with the memory of every tag."""
        tags: list[Tag] = []
        count, overflow, noise = 1, False, 0
        while len(tags) < count:
            reply = await self._command("tag", zone, len(tags))
            self._judge("tag", reply, zone)
            f = reply.fields
            if not tags:
                count, overflow, noise = int(f["count"]), bool(f["overflow"]), int(f["noise"])
                if not count:
                    break
            uid, memory = f["uid"], f["memory"]
            assert isinstance(uid, bytes)
            assert isinstance(memory, bytes)
            tags.append(Tag(uid, memory if f["known"] else None))
        return TagReading(tuple(tags), overflow, noise)

    async def write(self, zone: int, uid: bytes, memory: bytes, afi: int) -> str:
        """Write and verify; "" when it is done, else `silent`, `refused`, `differs` or `protected`."""
        result = (await self._ask("tag_write", zone, afi, uid, memory))["result"]
        return _WRITE_PROBLEMS.get(result, "")

    async def noise_floor(self, zone: int, level: int, power: int, shots: int) -> int:
        """How many of so many silent slots held noise of at least this level."""
        return (await self._ask("noise_floor", zone, level, power, shots))["heard"]

    async def read_rate(self, zone: int, level: int, power: int, shots: int, uid: bytes) -> float:
        """Share of good answers of a tag."""
        return (await self._ask("read_rate", zone, level, power, shots, uid))["good"] / shots

    async def keep(self, zone: int, level: int, margin: int, floor: int, power: int, day: date) -> None:
        """Store a zone's calibration on the table."""
        await self._ask("calibrate", zone, level, margin, floor, (day - DAY_ZERO).days, power)

    async def request(self, seat: int, text: str) -> bool:
        """Show five characters at a seat; True once its referee button was pressed."""
        return bool((await self._ask("request", seat, text.encode().ljust(5)[:5]))["done"])

    async def show(self, seat: int, text: str) -> None:
        await self._ask("display", seat, text.encode().ljust(5)[:5])

    async def _ask(self, name: str, *args: int | bytes) -> dict[str, int]:
        reply = await self._command(name, *args)
        zone = args[0] if name not in _OF_NO_ZONE and isinstance(args[0], int) else None
        self._judge(name, reply, zone)
        return {key: int(value) for key, value in reply.fields.items() if not isinstance(value, bytes)}

    async def _command(self, name: str, *args: int | bytes) -> Reply:
        for _try in range(TRIES):
            reply = await self._table.command(name, *args)
            if reply.status != "failed":
                break
            await self._table.pause(RESTART_S)
        return reply

    def _judge(self, name: str, reply: Reply, zone: int | None = None) -> None:
        if reply.ok:
            return
        if reply.status == "mode":
            raise WorkbenchError(_("The table is not in service mode: turn the service key and try again."))
        if reply.status == "busy":
            raise WorkbenchError(_("The table is moving: wait until it rests, or press the button that pauses it."))
        if reply.status == "failed" and zone is not None:
            raise WorkbenchError(
                _("The reader of {zone} does not work: see `paiju zones`, check its plug and supply.").format(
                    zone=zone_title(zone)
                )
            )
        raise WorkbenchError(_("The table answers {status} to {command}.").format(status=reply.status, command=name))
