"""Charts of intervals, histograms, curves and matrices. Most arguments are names of fields in the records.

Scatter plots of two measurements have the diagonal, or a fitted line and labelled outliers.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from wordorder.core.runtime.errors import refuse
from wordorder.report.charts import marks
from wordorder.report.charts.marks import Record

WIDTH, HEIGHT = 420, 280
PANEL = 260
"""The width of each panel in a chart with several panels."""

BINS = 20

_ROW = 22
_KNOWN = "isValid(datum.low)"


def plot_intervals(
    records: Sequence[Record],
    *,
    name: str,
    value: str = "value",
    series: str | None = None,
    panel: str | None = None,
    band: tuple[str, str] | None = None,
) -> Any:
    """Draw a point with its interval (fields ``low`` and ``high``) for each name; every panel has its own scale.

    If there are several series, each name has one point per series, drawn below each other. ``band`` names two fields
    with the ends of a band that is drawn behind all points of a panel, if its first record has these fields.
    """
    alt = marks.altair()
    check_records(records)
    names, members = marks.names_in(records, name), marks.names_in(records, series)
    looks = marks.series_encodings(members, series)
    height = _ROW * len(names) * max(1.0, 0.7 * len(members))
    width = WIDTH if len(marks.names_in(records, panel)) < 2 else PANEL
    title = value if value != "value" else ""
    columns = marks.beside(len(marks.names_in(records, panel)))

    def draw(some: list[Record], number: int) -> Any:
        labels = alt.Axis(labelLimit=300, grid=True, ticks=False, labels=number % columns == 0)
        y = alt.Y(marks.escape(name), type="nominal", sort=names, title=None, axis=labels, scale={"domain": names})
        offset = {"yOffset": alt.YOffset(marks.escape(series or ""), type="nominal", sort=members)} if looks else {}
        base = alt.Chart(marks.data_of(some)).encode(y=y, tooltip=marks.tooltip(some), **offset)
        colour = {"color": looks["color"]} if looks else {}
        bars = base.transform_filter(_KNOWN).mark_rule(size=2, color=marks.COLOURS[0])
        few = {**marks.number_axis(title), "axis": alt.Axis(tickCount=6)}
        bars = bars.encode(x=alt.X("low", **few), x2="high", **colour)
        points = base.mark_point(filled=True, size=70, opacity=1, color=marks.COLOURS[0])
        points = points.encode(x=alt.X(marks.escape(value), **few), **looks)
        behind = []
        if band and band[0] in some[0]:
            ends = alt.Chart(marks.data_of([{end: some[0][end] for end in band}]))
            behind = [
                ends.mark_rect(color="#767676", opacity=0.25).encode(
                    x=alt.X(marks.escape(band[0]), **few), x2=marks.escape(band[1])
                ),
                # A band of equal ends has no width.
                *(
                    ends.mark_rule(color="#767676", opacity=0.5).encode(x=alt.X(marks.escape(end), **few))
                    for end in band
                ),
            ]
        return alt.layer(*behind, bars, points).properties(width=width, height=height)

    return marks.in_panels(draw, records, panel)


def plot_histograms(records: Sequence[Record], *, value: str, series: str, panel: str | None = None) -> Any:
    """Draw a histogram for each series, with the same bins for all of them; undefined values are ignored.

    Each bar shows which share of the values of its series is in the bin, so that series of different sizes can be
    compared.
    """
    alt = marks.altair()
    known = [record for record in records if record[value] == record[value]]
    check_records(known)
    members = marks.names_in(known, series)
    width = WIDTH if len(marks.names_in(known, panel)) < 2 else PANEL

    def draw(some: list[Record], number: int) -> Any:
        counted = count_classes(some, value=value, series=series)
        charts = []
        for place, name in enumerate(members):
            mine = [record for record in counted if record[series] == name]
            last = place == len(members) - 1
            axis = alt.Axis(labels=last, title=value if last else None)
            colour = marks.COLOURS[place % len(marks.COLOURS)]
            shares = alt.Axis(format="%", tickCount=3)
            bars = alt.Chart(marks.data_of(mine)).mark_bar(stroke="white", strokeWidth=0.5, color=colour)
            bars = bars.encode(
                x=alt.X("from", **{**marks.number_axis(value), "bin": "binned", "axis": axis}),
                x2="to",
                y=alt.Y("share", type="quantitative", title=None, axis=shares),
                tooltip=marks.tooltip(mine),
            )
            heading = alt.Title(name, anchor="start", fontSize=11, fontWeight="normal", offset=2)
            charts.append(bars.properties(width=width, height=70, title=heading))
        return alt.vconcat(*charts, spacing=6).resolve_scale(x="shared", y="shared")

    return marks.in_panels(draw, known, panel)


def count_classes(records: Sequence[Record], *, value: str, series: str) -> list[dict[str, Any]]:
    """Count the values of each series in bins of equal width; return one record per series and bin.

    >>> found = count_classes([{"s": "A", "x": 0.0}, {"s": "A", "x": 1.0}], value="x", series="s")
    >>> len(found) == BINS, found[0]
    (True, {'s': 'A', 'from': 0.0, 'to': 0.05, 'segments': 1, 'share': 0.5})
    """
    edges = np.histogram_bin_edges([record[value] for record in records], bins=BINS)
    found: list[dict[str, Any]] = []
    for name in marks.names_in(records, series):
        values = [record[value] for record in records if str(record[series]) == name]
        counts = np.histogram(values, bins=edges)[0].tolist()
        for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts, strict=True):
            found.append({series: name, "from": low, "to": high, "segments": count, "share": count / len(values)})
    return found


def plot_curves(
    records: Sequence[Record],
    *,
    x: str,
    y: str,
    series: str | None = None,
    panel: str | None = None,
    labels: tuple[str, str] | None = None,
    logarithmic: bool = False,
    points: bool = True,
    diagonal: bool = False,
) -> Any:
    """Plot ``y`` against ``x`` with one line per series, plus bands if the records have ``low`` and ``high``.

    This is used for learning curves, tuning curves, probes and ROC curves. If ``x`` is text, its values are drawn in
    the order of their first appearance. If ``diagonal`` is true, the diagonal is drawn as well, which is the chance
    level of a ROC curve.

    >>> grown = [{"sentences": 100, "bleu": 0.2}, {"sentences": 200, "bleu": 0.25}]
    >>> len(plot_curves(grown, x="sentences", y="bleu").to_dict()["layer"])
    2
    """
    alt = marks.altair()
    check_records(records)
    titles = labels or (x, y)
    looks = marks.series_encodings(marks.names_in(records, series), series, lines=True)
    colour = {"color": looks["color"].copy()} if looks else {}
    for each in colour.values():
        each.legend = None  # the legend of the lines shows their dashes
    amounts = list(dict.fromkeys(record[x] for record in records))
    ticks: dict[str, Any] = {"axis": alt.Axis(values=sorted(amounts))} if logarithmic else {}
    if not logarithmic and all(isinstance(amount, int) for amount in amounts):
        ticks = {"axis": alt.Axis(format="d", tickMinStep=1)}
    scale = {"type": "log", "base": 2} if logarithmic else {}
    axis: dict[str, Any] = marks.number_axis(titles[0], **scale) | ticks
    if isinstance(amounts[0], str):
        axis = {"type": "nominal", "title": titles[0], "sort": amounts, "axis": alt.Axis(labelAngle=0)}
    across = alt.X(marks.escape(x), **axis)
    up = alt.Y(marks.escape(y), **marks.number_axis(titles[1]))
    width = WIDTH if len(marks.names_in(records, panel)) < 2 else PANEL

    def draw(some: list[Record], number: int) -> Any:
        base = alt.Chart(marks.data_of(_numbered(some, series))).encode(x=across, tooltip=marks.tooltip(some))
        # The line is first, because the legend shows the first mark.
        layers = [base.mark_line(strokeWidth=2, color=marks.COLOURS[0]).encode(y=up, order="place:Q", **looks)]
        if any(record.get("low") is not None for record in some):
            band = base.transform_filter(_KNOWN).mark_area(opacity=0.18, color=marks.COLOURS[0])
            layers.append(band.encode(y=alt.Y("low", **marks.number_axis(titles[1])), y2="high", **colour))
        if points:
            dots = base.mark_point(filled=True, size=45, opacity=1, color=marks.COLOURS[0])
            layers.append(dots.encode(y=up, **colour))
        if diagonal:
            chance = alt.Chart(marks.data_of([{x: end, y: end} for end in (0, 1)])).encode(x=across, y=up)
            layers.append(chance.mark_line(color="#767676", strokeDash=[3, 3], strokeWidth=1))
        return alt.layer(*layers).properties(width=width, height=HEIGHT)

    return marks.in_panels(draw, records, panel)


def _numbered(records: list[Record], series: str | None) -> list[Record]:
    """Number the records of each series, so that a line connects them in this order even if it is vertical."""
    seen: Counter[str] = Counter()
    found: list[Record] = []
    for record in records:
        key = str(record[series]) if series else ""
        found.append({**record, "place": seen[key]})
        seen[key] += 1
    return found


def plot_matrix(records: Sequence[Record], *, row: str, column: str, value: str) -> Any:
    """Draw a matrix of numbers as a heat map, in which higher numbers have a darker background."""
    alt = marks.altair()
    check_records(records)
    rows, columns = marks.names_in(records, row), marks.names_in(records, column)
    if set(rows) == set(columns):
        columns = rows
    turn = -45 if max(map(len, columns)) > 4 else 0
    base = alt.Chart(marks.data_of(records)).encode(
        x=alt.X(marks.escape(column), type="nominal", sort=columns, axis=alt.Axis(orient="top", labelAngle=turn)),
        y=alt.Y(marks.escape(row), type="nominal", sort=rows),
        tooltip=marks.tooltip(records),
    )
    values = [record[value] for record in records if record[value] == record[value]]
    middle = (min(values) + max(values)) / 2
    shade = alt.Color(marks.escape(value), type="quantitative", title=value, scale=alt.Scale(scheme="blues"))
    ink = alt.condition(f"datum[{value!r}] > {middle!r}", alt.value("white"), alt.value("black"))
    digits = ".2f" if max(map(abs, values)) < 10 else ".1f"
    figures = alt.Text(marks.escape(value), type="quantitative", format=digits)
    text = base.mark_text(fontSize=10).encode(text=figures, color=ink)
    size = {"width": 34 * len(columns), "height": 26 * len(rows)}
    return (base.mark_rect().encode(color=shade) + text).properties(**size)


def check_records(records: Sequence[Record]) -> None:
    """Raise an error if there are no records to draw."""
    refuse(not records, "there is nothing to draw, because no value is defined")


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
