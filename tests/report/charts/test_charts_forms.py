"""Charts: every figure of a result is in the data of its chart, colours are never alone, and files are written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import wordorder
from charted import encodings_of, rows_of
from wordorder import Scores, UsageError, score
from wordorder.cli.main import main
from wordorder.core.statistics.detection import auc, roc
from wordorder.report.charts import plot_curves, plot_histograms, plot_intervals, plot_matrix, plot_scatter, save_chart
from wordorder.report.charts.forms import BINS, MOST_POINTS, count_classes, fit_line

pytest.importorskip("altair")
DEMO = Path(wordorder.__file__).parent / "data" / "demo"


@pytest.fixture(scope="module")
def scores() -> Scores:
    files = {name: str(DEMO / f"{name}.txt") for name in ("good", "monotone", "scrambled")}
    buckets = (DEMO / "buckets.txt").read_text().split()
    return score(files, str(DEMO / "reference.txt"), metrics="kendall-sqrt,pef,bleu", buckets=buckets, samples=50)


def test_scores_are_drawn_with_their_intervals(scores: Scores) -> None:
    drawn = {(row["system"], row["metric"]): row for row in rows_of(scores.plot())}
    assert len(drawn) == 9
    for (system, metric), row in drawn.items():
        expected = scores[system, metric]
        assert (row["value"], row["low"], row["high"]) == (expected.value, expected.low, expected.high)
    some = rows_of(scores.plot(metric="pef", systems=["good"]))
    assert {(row["system"], row["metric"]) for row in some} == {("good", "pef")}


def test_histograms_count_every_defined_segment(scores: Scores) -> None:
    rows = rows_of(scores.plot("histogram", metric="pef"))
    assert len(rows) == 3 * BINS
    for system in scores.systems:
        mine = [row for row in rows if row["system"] == system]
        defined = scores.segment_scores(system, "pef")
        assert sum(row["segments"] for row in mine) == np.count_nonzero(~np.isnan(defined))
        assert sum(row["share"] for row in mine) == pytest.approx(1)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=40))
def test_classes_hold_the_values_they_say(values: list[float]) -> None:
    records = [{"s": "A", "x": value} for value in values]
    for place, row in enumerate(count_classes(records, value="x", series="s")):
        last = place == BINS - 1
        inside = [value for value in values if row["from"] <= value < row["to"] or (last and value == row["to"])]
        assert row["segments"] == len(inside)


def test_two_systems_are_compared_segment_by_segment(scores: Scores) -> None:
    chart = scores.plot("segments", metric="pef", systems=["monotone", "good"])
    rows = {row["segment"]: (row["x"], row["y"]) for row in rows_of(chart) if "segment" in row}
    one, two = scores.segment_scores("monotone", "pef"), scores.segment_scores("good", "pef")
    assert rows == {str(n + 1): (one[n], two[n]) for n in range(16)}
    titles = {encoding["x"]["title"] for encoding in encodings_of(chart)}
    assert titles == {"monotone: pef"}


def test_groups_and_correlations_are_those_of_the_tables(scores: Scores) -> None:
    rows = rows_of(scores.plot("buckets", metric="pef"))
    assert {row["bucket"] for row in rows} == {*(scores.buckets or ()), "all"} - {"-"}
    from wordorder.report import table_records
    from wordorder.scoring.tables import correlation_table

    drawn = {(row["metric"], row["with"]): row["r"] for row in rows_of(scores.plot("correlation"))}
    for record in table_records(correlation_table(scores)):
        assert drawn[record["metric"], record["with"]] == drawn[record["with"], record["metric"]] == record["r"]


def test_mistakes_name_what_is_valid(scores: Scores) -> None:
    with pytest.raises(UsageError, match=r"unknown kind of chart 'pie'.*valid: scores, histogram"):
        scores.plot("pie")
    with pytest.raises(UsageError, match="unknown system 'best'"):
        scores.plot(systems=["best"])
    with pytest.raises(UsageError, match="these scores have no metric 'ter'"):
        scores.plot("segments", metric="ter")
    with pytest.raises(UsageError, match="compares the segment scores of two systems"):
        scores.plot("segments", systems=["good"])
    with pytest.raises(UsageError, match="nothing to draw"):
        plot_intervals([], name="system")


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=2, max_size=20))
def test_the_fitted_line_is_that_of_scipy(points: list[tuple[int, int]]) -> None:
    xs, ys = [float(x) for x, _ in points], [float(y) for _, y in points]
    slope, start = fit_line(xs, ys)
    if len(set(xs)) == 1:
        assert slope == 0
        assert start == pytest.approx(np.mean(ys))
    else:
        expected = stats.linregress(xs, ys)
        assert (slope, start) == pytest.approx((expected.slope, expected.intercept), abs=1e-9)


def test_outliers_are_named_and_the_line_ends_where_the_points_do() -> None:
    records: list[dict[str, Any]] = [{"name": f"n{x}", "x": float(x), "y": 2.0 * x} for x in range(20)]
    records.append({"name": "odd", "x": 10.0, "y": 60.0})
    chart = plot_scatter(records, x="x", y="y", name="name", fit=True)
    _, line, names = chart.to_dict()["layer"]
    assert [row["name"] for row in names["data"]["values"]] == ["odd"]
    assert [row["x"] for row in line["data"]["values"]] == [0, 19]


def test_names_do_not_lie_on_each_other() -> None:
    spots = [(0.0, 1.0), (0.0, 1.0), (0.01, 0.99), (0.5, 0.0), (1.0, 1.0)]
    records = [{"name": f"n{place}", "x": x, "y": y} for place, (x, y) in enumerate(spots)]
    chart = plot_scatter(records, x="x", y="y", name="name", equal=True, named=3)
    assert [row["name"] for row in chart.to_dict()["layer"][-1]["data"]["values"]] == ["n0", "n3"]


def test_many_points_are_counted_in_squares() -> None:
    random = np.random.Generator(np.random.PCG64(1))
    points = random.random((MOST_POINTS + 1, 2)).tolist()
    records = [{"name": str(n), "x": x, "y": y} for n, (x, y) in enumerate(points)]
    rows = rows_of(plot_scatter(records, x="x", y="y", name="name", equal=True))
    assert sum(row.get("points", 0) for row in rows) == MOST_POINTS + 1
    assert len(rows) < MOST_POINTS


def test_colour_is_never_the_only_sign(scores: Scores) -> None:
    records = [{"n": n, "y": float(n), "series": name} for n in (1, 2) for name in "abc"]
    charts = [
        scores.plot("buckets"),
        plot_curves(records, x="n", y="y", series="series"),
        plot_scatter(records, x="n", y="y", name="series", series="series"),
    ]
    for chart in charts:
        found = [set(encoding) for encoding in encodings_of(chart)]
        assert any("color" in names and names & {"shape", "strokeDash"} for names in found)
    bars = plot_histograms([{"s": s, "x": x} for s in "ab" for x in (0.1, 0.2)], value="x", series="s")
    assert [one["title"]["text"] for one in bars.to_dict()["vconcat"]] == ["a", "b"]


def test_names_with_dots_are_names() -> None:
    records = [{"metric": "full:order=pef", "pearson.none": 0.5, "low": 0.4, "high": 0.6}]
    chart = plot_intervals(records, name="metric", value="pearson.none")
    assert {encoding["x"]["field"] for encoding in encodings_of(chart)} == {"low", "pearson\\.none"}


def test_charts_can_be_put_side_by_side(scores: Scores) -> None:
    joined = scores.plot(metric="pef") | plot_matrix([{"a": "x", "b": "y", "v": 1.0}], row="a", column="b", value="v")
    assert len(joined.to_dict()["hconcat"]) == 2


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=25))
def test_the_area_under_the_roc_curve_is_the_area(items: list[tuple[int, bool]]) -> None:
    values, marked = [float(value) for value, _ in items], [flag for _, flag in items]
    if all(marked) or not any(marked):
        return
    curve = roc(values, marked)
    area = np.trapezoid(curve[:, 1], curve[:, 0])
    assert area == pytest.approx(float(auc(values, marked)))
    for false, true in curve.tolist():  # every point is a threshold
        assert (false, true) in {(0.0, 0.0)} | {
            (
                sum(v >= limit and not m for v, m in zip(values, marked, strict=True)) / marked.count(False),
                sum(v >= limit and m for v, m in zip(values, marked, strict=True)) / marked.count(True),
            )
            for limit in values
        }


@pytest.mark.slow
def test_the_name_says_what_is_written(tmp_path: Path, scores: Scores) -> None:
    chart = scores.plot(metric="pef")
    for name, start in (("a.svg", b"<svg"), ("a.pdf", b"%PDF"), ("a.png", b"\x89PNG"), ("a.html", b"<!DOCTYPE html>")):
        save_chart(chart, tmp_path / name)
        assert (tmp_path / name).read_bytes().lstrip().startswith(start)
    page = (tmp_path / "a.html").read_text()
    assert 'src="http' not in page
    assert '"editor": false' in page  # a menu whose link would send the data away
    with pytest.raises(UsageError, match=r"must end in \.svg, \.pdf, \.png or \.html"):
        save_chart(chart, tmp_path / "a.txt")


def test_without_the_extra_a_chart_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], scores: Scores
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(UsageError, match=r"a chart needs altair.*pip install 'wordorder\[pictures\]'"):
        scores.plot()
    monkeypatch.chdir(DEMO)
    command = ["score", "--ref", "reference.txt", "--hyp", "good.txt", "--samples", "0"]
    assert main([*command, "--plot", str(tmp_path / "a.svg")]) == 2
    assert "pip install 'wordorder[pictures]'" in capsys.readouterr().err
    assert main(command) == 0
