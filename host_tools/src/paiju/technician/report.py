"""A calibration as one HTML file that needs nothing else: heat maps of the zones, cross-talk, powers, remarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from html import escape
from pathlib import Path

from paiju.i18n import _, language
from paiju.technician.calibrate import WANTED_MARGIN, Trial, ZoneResult
from paiju.technician.workbench import zone_title

GOOD_LEVELS = 6  # from what is not read to as green as it gets
STYLE = """
body{font-family:sans-serif;margin:1.5em auto;padding:0 1em;max-width:75em;line-height:1.4;color:#222}
table{border-collapse:collapse}
td,th{padding:.25em .7em;border-bottom:1px solid #ccc;text-align:right;white-space:nowrap}
th{font-weight:normal}
th:first-child{text-align:left;vertical-align:top}
thead th{vertical-align:bottom;white-space:normal;color:#555}
tr.kept td{font-weight:bold;background:#eef3ee}
.wide{overflow-x:auto}
.wide th:first-child{position:sticky;left:0;background:#fff}
.maps{display:flex;flex-wrap:wrap;gap:1.2em 2em}
.map td{border:1px solid #fff;text-align:center;min-width:2.2em}
.map th{border:0;color:#555;text-align:center;vertical-align:middle;padding:.1em .4em}
figcaption{text-align:left;padding-bottom:.3em}
figure{margin:0;max-width:100%;overflow-x:auto}
@media(max-width:40em){body{padding:0 .5em}td,th{padding:.25em .35em}h1{font-size:1.4em;overflow-wrap:anywhere}}
"""


def _heat(share: float) -> str:
    """Background from red (0) over yellow to green (1); light, so that text stays legible on it."""
    return f"background:hsl({120 * min(max(share, 0.0), 1.0):.0f} 70% 78%)"


def _signed(n: int) -> str:
    return f"{n:+}".replace("-", "−") if n else "0"


def _cells(cells: Iterable[str], kind: str = "td") -> str:
    return "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in cells)


def _powers(results: Sequence[ZoneResult]) -> str:
    """The powers tried in each zone, what was measured with each, and which is kept."""
    heads = (
        _("zone"), _("power"), _("noise floor"), _("threshold"), _("margin"), _("worst read rate"),
        _("hears tiles of other zones"),
    )  # fmt: skip

    def row(trial: Trial, kept: bool) -> str:
        power = _signed(trial.power)
        cells = _cells((
            _("{power} (kept)").format(power=power) if kept else power, str(trial.floor), str(trial.level),
            _signed(trial.margin), f"{trial.worst:.0%}", f"{trial.stray:.0%}",
        ))  # fmt: skip
        return f'<tr class="kept">{cells}</tr>' if kept else f"<tr>{cells}</tr>"

    rows = []
    for r in results:
        title = f'<th rowspan="{len(r.trials)}">{escape(zone_title(r.zone))}</th>'
        tried = "".join(row(trial, trial is r.kept) for trial in sorted(r.trials, key=lambda trial: trial.power))
        rows.append(tried.replace("<td>", f"{title}<td>", 1))
    return f"<table><thead><tr>{_cells(heads, 'th')}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _map(result: ZoneResult) -> str:
    """Read rate at every place, coloured by the levels above the threshold; the player sits below."""
    kept = result.kept
    xs = sorted({x for x, _y in kept.rates})
    ys = sorted({y for _x, y in kept.rates}, reverse=True)
    title = _("{zone}: threshold {level}, margin {margin}").format(
        zone=zone_title(result.zone), level=kept.level, margin=_signed(kept.margin)
    )
    rows = []
    for y in ys:
        cells = (
            f'<td style="{_heat((kept.levels[x, y] - kept.level + 1) / GOOD_LEVELS)}">{kept.rates[x, y]:.0%}'
            f"<br><small>{_signed(kept.levels[x, y] - kept.level)}</small></td>"
            for x in xs
        )
        rows.append(f"<tr><th>{y}</th>{''.join(cells)}</tr>")
    rows.append(f"<tr>{_cells(['', *map(str, xs)], 'th')}</tr>")
    return f'<figure class="map"><figcaption>{escape(title)}</figcaption><table>{"".join(rows)}</table></figure>'


def _pairs(results: Sequence[ZoneResult]) -> str:
    """For each pair of zones the rate at which a tile is heard in the other one, and the margin between the two."""
    others = sorted({other for r in results for other in r.crosstalk})
    rows = []
    for r in results:
        cells = []
        for other in others:
            if other in r.crosstalk:
                share = (r.apart[other] - 1) / WANTED_MARGIN if r.crosstalk[other] else 1.0
                cells.append(
                    f'<td style="{_heat(share)}">{r.crosstalk[other]:.0%}'
                    f"<br><small>{_signed(r.apart[other])}</small></td>"
                )
            else:
                cells.append("<td></td>")
        rows.append(f"<tr><th>{escape(zone_title(r.zone))}</th>{''.join(cells)}</tr>")
    head = _cells(["", *map(zone_title, others)], "th")
    return f'<table class="map"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>"


def page(results: Sequence[ZoneResult], table: str, day: date) -> str:
    """The report on table `table` as HTML."""
    title = _("Antennas of table {table}").format(table=table)
    remarks = [remark for r in results for remark in r.remarks] or [_("Nothing to complain about.")]
    powers = _("A power is a trim of the reader's own: 0 as it comes. Those not kept were tried at the corners only.")
    axes = _("Places in ninths of the zone: from the left, and from the player's edge. Below the rate: the levels.")
    pairs = _("Below the rate: by how many levels the tile is heard better where it lies.")
    return "\n".join(
        (
            f'<!doctype html><html lang="{language().replace("_", "-")}"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
            f"<h1>{escape(title)}</h1><p>{day.isoformat()}</p>",
            "<ul>" + "".join(f"<li>{escape(remark)}</li>" for remark in remarks) + "</ul>",
            _heading(_("Powers tried")) + f"<p>{escape(powers)}</p>",
            f'<div class="wide">{_powers(results)}</div>',
            _heading(_("Read rate and levels above the threshold, seen by the player")),
            f"<p>{escape(axes)}</p>",
            f'<div class="maps">{"".join(map(_map, results))}</div>',
            _heading(_("Cross-talk: a tile in the row is heard in the column")),
            f"<p>{escape(pairs)}</p>",
            f'<div class="wide">{_pairs(results)}</div>',
            "</html>",
        )
    )


def write(path: Path, results: Sequence[ZoneResult], table: str, day: date) -> None:
    """Raises OSError."""
    path.write_text(page(results, table, day), "utf-8")
