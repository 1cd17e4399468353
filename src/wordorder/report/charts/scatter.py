"""Scatter plots of two measurements, with the diagonal or with a fitted line and labelled outliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wordorder.report.charts import marks
from wordorder.report.charts.forms import HEIGHT, PANEL, WIDTH, check_records
from wordorder.report.charts.marks import Record

MOST_POINTS = 4000
"""With more points than this in all its panels, a chart shows counts in a grid of squares: files stay small."""

OUTLYING = 2.0
"""Points more than this many standard deviations away from the fitted line are labelled."""

_SQUARES = 40


def plot_scatter(
    records: Sequence[Record],
    *,
    x: str,
    y: str,
    name: str,
    series: str | None = None,
    panel: str | None = None,
    fit: bool = False,
    equal: bool = False,
    labels: tuple[str, str] | None = None,
    named: int = 0,
) -> Any:
    """Draw a point for each record; ``name`` is the field that contains the label of a point.

    ``fit`` draws the least-squares line of each panel and labels the outliers. ``equal`` draws the diagonal and gives
    both axes the same range. If ``named`` is not 0, it is the number of points to label in each panel: those farthest
    from the line, instead of the outliers.
    """
    known = [record for record in records if record[x] == record[x] and record[y] == record[y]]
    check_records(known)
    alt = marks.altair()
    titles = labels or (x, y)
    span = [float(bound(record[field] for record in known for field in (x, y))) for bound in (min, max)]
    room = 0.03 * (span[1] - span[0]) or 0.5
    limits = {"domain": [span[0] - room, span[1] + room]} if equal else {}
    axes = {
        "x": alt.X(marks.escape(x), **marks.number_axis(titles[0], **limits)),
        "y": alt.Y(marks.escape(y), **marks.number_axis(titles[1], **limits)),
    }
    looks = marks.series_encodings(marks.names_in(known, series), series)
    width = WIDTH if len(marks.names_in(known, panel)) < 2 else PANEL

    def draw(some: list[Record], number: int) -> Any:
        if len(known) > MOST_POINTS:
            layers = [_squares(some, x, y, axes)]
        else:
            base = alt.Chart(marks.data_of(some)).encode(**axes, tooltip=marks.tooltip(some), **looks)
            layers = [base.mark_point(filled=True, size=40, opacity=0.6, color=marks.COLOURS[0])]
        ends = _fitted_ends(some, x, y) if fit else [(bound, bound) for bound in span] if equal else []
        if ends:
            line = alt.Chart(marks.data_of([{x: end, y: height} for end, height in ends]))
            layers.append(line.mark_line(color="#555555", strokeDash=[5, 3] if equal else [1, 0]).encode(**axes))
        far = _points_to_name(some, x, y, fit=fit, named=named) if fit or named else []
        if far:
            words = alt.Chart(marks.data_of(far)).mark_text(align="left", dx=7, dy=-4, fontSize=11)
            layers.append(words.encode(**axes, text=alt.Text(marks.escape(name), type="nominal")))
        return alt.layer(*layers).properties(width=width, height=width if equal else HEIGHT)

    return marks.in_panels(draw, known, panel)


def fit_line(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """Return the slope and intercept of the least-squares line; the slope is 0 if all x values are equal.

    >>> fit_line([0, 1, 2], [1, 3, 5])
    (2.0, 1.0)
    """
    x, y = np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)
    spread = ((x - x.mean()) ** 2).sum()
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / spread) if spread else 0.0
    return slope, float(y.mean() - slope * x.mean())


def _fitted_ends(members: Sequence[Record], x: str, y: str) -> list[tuple[float, float]]:
    xs = [one[x] for one in members]
    slope, start = fit_line(xs, [one[y] for one in members])
    return [(end, start + slope * end) for end in (min(xs), max(xs))] if len(members) > 1 else []


def _points_to_name(members: Sequence[Record], x: str, y: str, *, fit: bool, named: int) -> list[Record]:
    """Return the points to label: the ``named`` points farthest from the line or, if it is 0, the outliers."""
    xs, ys = np.array([one[x] for one in members]), np.array([one[y] for one in members])
    slope, start = fit_line(xs.tolist(), ys.tolist()) if fit else (1.0, 0.0)
    away = np.abs(ys - start - slope * xs)
    if named:
        return _without_overlaps(
            [members[place] for place in np.argsort(-away, kind="stable").tolist() if away[place] > 0], x, y, named
        )
    spread = np.sqrt((away**2).sum() / max(len(members) - 2, 1))
    return [one for one, far in zip(members, away.tolist(), strict=True) if spread and far > OUTLYING * spread]


def _without_overlaps(members: Sequence[Record], x: str, y: str, count: int) -> list[Record]:
    """Return the first ``count`` points, skipping any whose label would overlap the label of an earlier point."""
    near = [0.04 * (max(ends) - min(ends)) for ends in ([one[axis] for one in members] for axis in (x, y)) if ends]
    found: list[Record] = []
    for one in members:
        if len(found) < count and all(
            abs(one[x] - two[x]) > near[0] or abs(one[y] - two[y]) > near[1] for two in found
        ):
            found.append(one)
    return found


def _squares(known: Sequence[Record], x: str, y: str, axes: dict[str, Any]) -> Any:
    """Draw a grid whose squares are shaded according to the number of points in them."""
    alt = marks.altair()
    counts, rows, columns = np.histogram2d([one[x] for one in known], [one[y] for one in known], bins=_SQUARES)
    found = []
    for i, j in zip(*(places.tolist() for places in np.nonzero(counts)), strict=True):
        edges = {x: rows[i].item(), "right": rows[i + 1].item(), y: columns[j].item(), "top": columns[j + 1].item()}
        found.append({**edges, "points": int(counts[i, j])})
    shade = alt.Color("points", type="quantitative", scale=alt.Scale(scheme="blues", type="log"))
    squares = alt.Chart(marks.data_of(found)).mark_rect()
    return squares.encode(**axes, x2="right", y2="top", color=shade, tooltip=marks.tooltip(found))
