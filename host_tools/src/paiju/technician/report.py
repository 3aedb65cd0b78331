"""A calibration as one HTML file that needs nothing else: heat maps of every zone, cross-talk, remarks."""

from __future__ import annotations

import html
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import plotly.graph_objects as go  # type: ignore[import-untyped]
from plotly.subplots import make_subplots  # type: ignore[import-untyped]

from paiju.i18n import _, language
from paiju.technician.calibrate import ZoneResult
from paiju.technician.workbench import zone_title

ACROSS = 3
MAP_PX = 210
STILL = {"staticPlot": True}  # a bar of buttons in one language only would be in the way


def _maps(results: Sequence[ZoneResult]) -> go.Figure:
    """Levels above the threshold at every place; the number in a field is the read rate."""
    rows = -(-len(results) // ACROSS)
    titles = [
        _("{zone}: threshold {level}, margin {margin}").format(zone=zone_title(r.zone), level=r.level, margin=r.margin)
        for r in results
    ]
    figure = make_subplots(rows=rows, cols=ACROSS, subplot_titles=titles, vertical_spacing=0.25 / rows)
    for n, result in enumerate(results):
        xs = sorted({x for x, _y in result.rates})
        ys = sorted({y for _x, y in result.rates})
        figure.add_trace(
            go.Heatmap(
                x=[str(x) for x in xs],
                y=[str(y) for y in ys],
                z=[[result.levels[x, y] - result.level for x in xs] for y in ys],
                text=[[f"{result.rates[x, y]:.0%}" for x in xs] for y in ys],
                texttemplate="%{text}",
                zmin=-1,
                zmax=11,
                colorscale="RdYlGn",
                showscale=n == 0,
                colorbar={"title": _("levels")},
            ),
            n // ACROSS + 1,
            n % ACROSS + 1,
        )
    figure.update_layout(height=MAP_PX * rows + 80, margin={"l": 30, "r": 20, "t": 50, "b": 30})
    return figure


def _crosstalk(results: Sequence[ZoneResult]) -> go.Figure:
    others = sorted({other for r in results for other in r.crosstalk})
    figure = go.Figure(
        go.Heatmap(
            x=[zone_title(other) for other in others],
            y=[zone_title(r.zone) for r in results],
            z=[[r.crosstalk.get(other) for other in others] for r in results],
            zmin=0,
            zmax=1,
            colorscale="OrRd",
            texttemplate="%{z:.0%}",
        )
    )
    figure.update_layout(height=120 + 32 * len(results), margin={"l": 30, "r": 20, "t": 30, "b": 30})
    figure.update_layout(plot_bgcolor="white", xaxis_showgrid=False, yaxis_showgrid=False)
    return figure


def page(results: Sequence[ZoneResult], table: str, day: date) -> str:
    """The report on table `table` as HTML."""
    title = _("Antennas of table {table}").format(table=table)
    rows = "".join(
        f"<tr><td>{html.escape(zone_title(r.zone))}</td><td>{r.floor}</td><td>{r.level}</td><td>{r.margin}</td>"
        f"<td>{min(r.rates.values(), default=0):.0%}</td></tr>"
        for r in results
    )
    heads = (_("zone"), _("noise floor"), _("threshold"), _("margin"), _("worst read rate"))
    remarks = [remark for r in results for remark in r.remarks] or [_("Nothing to complain about.")]
    axes = _("Places in ninths of the zone: from the left, and from the player's edge.")
    return "\n".join(
        (
            f'<!doctype html><html lang="{language().replace("_", "-")}"><meta charset="utf-8">',
            f"<title>{html.escape(title)}</title>",
            "<style>body{font-family:sans-serif;margin:2em;max-width:75em}table{border-collapse:collapse}"
            "td,th{padding:.2em .8em;border-bottom:1px solid #ccc;text-align:left}</style>",
            f"<h1>{html.escape(title)}</h1><p>{day.isoformat()}</p>",
            "<ul>" + "".join(f"<li>{html.escape(remark)}</li>" for remark in remarks) + "</ul>",
            "<table><tr>" + "".join(f"<th>{html.escape(head)}</th>" for head in heads) + f"</tr>{rows}</table>",
            f"<h2>{html.escape(_('Read rate and levels above the threshold, seen by the player'))}</h2>",
            f"<p>{html.escape(axes)}</p>",
            _maps(results).to_html(STILL, full_html=False, include_plotlyjs=True),
            f"<h2>{html.escape(_('Cross-talk: a tile in the row is heard in the column'))}</h2>",
            _crosstalk(results).to_html(STILL, full_html=False, include_plotlyjs=False),
            "</html>",
        )
    )


def write(path: Path, results: Sequence[ZoneResult], table: str, day: date) -> None:
    """Raises OSError."""
    path.write_text(page(results, table, day), "utf-8")
