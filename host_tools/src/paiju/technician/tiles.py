"""Registers the tiles of a set and looks a set through: missing, doubled, foreign, weak tiles."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from paiju.i18n import _
from paiju.technician.guide import Guide
from paiju.technician.tag_memory import AFI_TILE, TILES, is_slix2, read_tile, tile_memory
from paiju.technician.workbench import LEVELS, Tag, Workbench, zone_title
from paiju.tiles import FACE_COUNT, code_of, face_of_tile, tiles_of_face

PORTION = 24
PORTIONS = TILES // PORTION
WEAK_SHOTS = (20, 80)  # of 144 sound tiles one or so misses three of 20 by chance
WEAK_LEVELS = 3  # a good tile is still heard with the threshold so much higher
WEAK_RATE = 0.9
ROUNDS = 3  # full reads of a portion
TRIES = 3
READABLE = 40  # tags the table counts in one zone
SET_NAMES = "AB"


@dataclass(frozen=True, slots=True)
class Finding:
    """A tag that is not as it should be: `kind` foreign, other_set, doubled, weak, unreadable, unwritten, protected;
    or `crowded`, where more tags answered than the table can count.
    """

    kind: str
    uid: str
    tile: int | None = None

    @property
    def sentence(self) -> str:
        face = "" if self.tile is None else code_of(face_of_tile(self.tile))
        return {
            "foreign": _("Tag {uid} is no tile of this table: take it out, or register it."),
            "other_set": _("Tag {uid} is {face} of the other set: put it back there."),
            "doubled": _("Tag {uid} says that it is a {face} that was read already: register one of the two again."),
            "weak": _("Tag {uid}, {face}, answers weakly: have its tag replaced."),
            "unreadable": _("Tag {uid} cannot be read: try it alone, then replace it."),
            "unwritten": _("Tag {uid} could not be written: try it alone, then replace it."),
            "protected": _(
                "Tag {uid} is protected by another password: give the table the one it was registered with by "
                "`paiju tiles password`, or replace the tag."
            ),
            "crowded": _("More than {limit} tags answered: lay fewer tiles on the zone."),
        }[self.kind].format(uid=self.uid, face=face, limit=READABLE)


@dataclass(slots=True)
class Audit:
    """What was found of a set."""

    tile_set: int
    found: dict[int, str] = field(default_factory=dict)  # tile -> UID
    findings: list[Finding] = field(default_factory=list)

    @property
    def missing(self) -> list[int]:
        return [tile for tile in range(TILES) if tile not in self.found]

    @property
    def complete(self) -> bool:
        return not self.missing and not self.findings


Progress = Callable[[int, int], None]  # done, of


async def _read(bench: Workbench, zone: int, wanted: int) -> tuple[tuple[Tag, ...], bool]:
    """The tags of a zone and whether there were more than the table counts; read again while fewer than `wanted`
    answer or one's memory is missing.
    """
    best: dict[bytes, Tag] = {}
    for _round in range(ROUNDS):
        reading = await bench.tags(zone)
        if reading.overflow:
            return reading.tags, True
        for tag in reading.tags:
            if tag.memory is not None or tag.uid not in best:
                best[tag.uid] = tag
        if len(best) >= wanted and all(tag.memory is not None for tag in best.values()):
            break
    return tuple(best.values()), False


async def register(
    bench: Workbench,
    guide: Guide,
    tile_set: int,
    zone: int,
    faces: Iterable[int] = range(FACE_COUNT),
    progress: Progress | None = None,
) -> list[Finding]:
    """Write the tiles of each face, which the person lays on the zone: which of equal tiles is which copy is free.

    The tags are protected by the set's password, which is drawn here when the table has none yet and is kept only
    there. A face is asked for again while the number of tags is not that of its tiles; tags already registered as that
    face keep their copies.
    """
    findings: list[Finding] = []
    faces = list(faces)
    await bench.keep_password(tile_set, secrets.randbits(32))
    for done, face in enumerate(faces):
        tiles = list(tiles_of_face(face))
        remark = ""
        for _try in range(TRIES):
            sentence = _("Lay {count} × {face} on {zone}, nothing else.").format(
                count=len(tiles), face=code_of(face), zone=zone_title(zone)
            )
            await guide.ask(zone // 4, f"b{zone % 4} {face:02d}", f"{remark}{sentence}")
            tags, crowded = await _read(bench, zone, len(tiles))
            if len(tags) == len(tiles) and not crowded:
                break
            remark = _("Tags that answered: {count}. ").format(count=len(tags))
        else:
            findings += [Finding("unreadable", "–", tile) for tile in tiles[len(tags) :]]
            continue
        for tag, tile in _assign(tags, tile_set, tiles):
            if not is_slix2(tag.uid):
                findings.append(Finding("foreign", tag.name, tile))
            elif problem := await _write(bench, zone, tag.uid, tile_set, tile):
                kind = "protected" if problem == "protected" else "unwritten"
                findings.append(Finding(kind, tag.name, tile))
        if progress is not None:
            progress(done + 1, len(faces))
    return findings


async def _write(bench: Workbench, zone: int, uid: bytes, tile_set: int, tile: int) -> str:
    """What is in the way of writing a tag, as `Workbench.write` says it; "" once it is done."""
    memory = tile_memory(uid, tile_set, tile)
    problem = ""
    for _try in range(TRIES):
        problem = await bench.write(zone, uid, memory, AFI_TILE + tile_set)
        if problem in ("", "protected"):
            break
    return problem


def _assign(tags: Iterable[Tag], tile_set: int, tiles: list[int]) -> list[tuple[Tag, int]]:
    """Tags to tiles of one face; a tag that is one of them already stays it."""
    free = list(tiles)
    pairs: list[tuple[Tag, int]] = []
    rest: list[Tag] = []
    for tag in tags:
        known = read_tile(tag.uid, tag.memory) if tag.memory is not None else None
        if known is not None and known[0] == tile_set and known[1] in free:
            free.remove(known[1])
            pairs.append((tag, known[1]))
        else:
            rest.append(tag)
    return pairs + list(zip(rest, free, strict=True))


async def audit(bench: Workbench, guide: Guide, tile_set: int, zone: int, progress: Progress | None = None) -> Audit:
    """Read a set in portions that the person lays on the zone one after another, in any order."""
    result = Audit(tile_set)
    state = await bench.zone(zone)
    level = min(state.level + WEAK_LEVELS, LEVELS - 1)
    for portion in range(PORTIONS):
        sentence = _("Lay {count} tiles on {zone} ({number} of {portions}), in one layer, any tiles not laid yet.")
        await guide.ask(
            zone // 4,
            f"A{zone % 4} {portion:02d}",
            sentence.format(count=PORTION, zone=zone_title(zone), number=portion + 1, portions=PORTIONS),
        )
        tags, crowded = await _read(bench, zone, PORTION)
        if crowded:
            result.findings.append(Finding("crowded", "–"))
        for tag in tags:
            finding = _judge(result, tag)
            if finding is None and tag.memory is not None:
                for shots in WEAK_SHOTS:
                    if await bench.read_rate(zone, level, state.power, shots, tag.uid) >= WEAK_RATE:
                        break
                else:
                    finding = Finding("weak", tag.name, tag.memory[3])
            if finding is not None:
                result.findings.append(finding)
        if progress is not None:
            progress(portion + 1, PORTIONS)
    return result


def _judge(result: Audit, tag: Tag) -> Finding | None:
    """Enter a tag into the audit; what is wrong with it, if anything."""
    if tag.memory is None:
        return Finding("unreadable", tag.name)
    known = read_tile(tag.uid, tag.memory)
    if known is None:
        return Finding("foreign", tag.name)
    tile_set, tile = known
    if tile_set != result.tile_set:
        return Finding("other_set", tag.name, tile)
    if result.found.get(tile, tag.name) != tag.name:
        return Finding("doubled", tag.name, tile)
    result.found[tile] = tag.name
    return None
