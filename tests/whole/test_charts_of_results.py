"""Every result that has a chart, and every command that takes ``--plot``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordorder
from charted import rows_of
from wordorder.apps.profile import Corpus, europarl, find_factors, profile, reproduce
from wordorder.cli.main import main
from wordorder.core.orders import Alignment

DEMO = Path(wordorder.__file__).parent / "data" / "demo"
TEXTS = ["--ref", "reference.txt", "--hyp", "good.txt", "monotone.txt", "scrambled.txt"]
JUDGED = ["--judgements", "rankings.csv", "--pair", "de-en", *TEXTS, "--samples", "20"]


def swaps(count: int) -> list[Alignment]:
    swapped, straight = Alignment(((0, 1), (1, 0)), 2, 2), Alignment(((0, 0), (1, 1)), 2, 2)
    return [swapped if number < count else straight for number in range(4)]


def test_profiles_are_drawn_by_width_and_by_length() -> None:
    found = profile(Corpus("one", swaps(1)), Corpus("all", swaps(4)))
    widths = {(row["corpus"], row["width"]): row["reorderings per sentence"] for row in rows_of(found.plot())}
    assert widths == {("one", 2): 0.25, ("all", 2): 1.0}
    lengths = {row["corpus"]: row for row in rows_of(found.plot("length"))}
    assert (lengths["one"]["RQuantity"], lengths["all"]["RQuantity"]) == (0.25, 1.0)
    row = found["one"].by_length()[0]
    assert lengths["one"]["high"] - lengths["one"]["low"] == pytest.approx(2 * row.deviation)


def test_reproduced_shares_are_drawn() -> None:
    found = reproduce(Corpus("R", swaps(4)), [Corpus("A", swaps(2))])
    shares = {row["width"]: row["share"] for row in rows_of(found.plot())}
    assert shares == {"short": 0.5, "all": 0.5}  # there are no others


def test_language_pairs_are_a_matrix_and_factors_a_scatter() -> None:
    pairs = europarl()
    cells = {(row["source"], row["target"]): row["rquantity"] for row in rows_of(pairs.plot("rquantity"))}
    assert len(cells) == 110
    place = list(zip(pairs.sources, pairs.targets, strict=True)).index(("de", "es"))
    assert cells["de", "es"] == pairs.column("rquantity")[place]
    points = [row for row in rows_of(find_factors(pairs).plot()) if "pair" in row]
    assert {row["predictor"] for row in points} == {"rquantity", "similarity"}
    assert len({row["pair"] for row in points}) == 110


def drawn(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Any:
    """Run a command and return the chart it would write."""
    import wordorder.report.charts

    kept: list[Any] = []
    monkeypatch.setattr(wordorder.report.charts, "save_chart", lambda chart, path: kept.append(chart))
    monkeypatch.chdir(DEMO)
    assert main([*arguments, "--plot", "chart.svg"]) == 0
    (chart,) = kept
    return chart


def test_metaeval_draws_coefficients_and_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["metaeval", *JUDGED, "--metrics", "pef,bleu"]
    rows = rows_of(drawn(monkeypatch, *command, "--segment", "tau,consistency"))
    assert {row["coefficient"] for row in rows} == {"tau (segments)", "consistency (segments)", "rho (systems)"}
    assert all(row["low"] <= row["high"] for row in rows)
    systems = [row for row in rows_of(drawn(monkeypatch, *command, "--ranking")) if "name" in row]
    assert {(row["name"], row["metric"]) for row in systems} == {
        (name, metric) for name in ("good", "monotone", "scrambled") for metric in ("pef", "bleu")
    }


def test_metaeval_scales_coefficients_within_each_set(monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["metaeval", *JUDGED, "--metrics", "kendall,pef,bleu", "--segment", "tau,tau-b", "--system", "none"]
    plain = rows_of(drawn(monkeypatch, *command))
    scaled = rows_of(drawn(monkeypatch, *command, "--plot-as", "scaled"))
    assert len(scaled) == 6
    for coefficient in ("tau (segments)", "tau-b (segments)"):
        values = {row["metric"]: row["value"] for row in plain if row["coefficient"] == coefficient}
        low, high = min(values.values()), max(values.values())
        for row in scaled:
            if row["coefficient"] == coefficient:
                assert row["scaled"] == pytest.approx((values[row["metric"]] - low) / (high - low))


def test_metaeval_draws_ratings(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["metaeval", "--metrics", "pef", "--samples", "0", "--plot-as", "ratings"]
    rows = rows_of(drawn(monkeypatch, *command, "--form", "ratings", "--judgements", "ratings.tsv", *TEXTS))
    assert len({row["name"] for row in rows if "name" in row}) > 16
    assert main([*command, *JUDGED, "--plot", "chart.svg"]) == 2
    assert "has comparisons, not ratings" in capsys.readouterr().err


def test_influences_need_no_judgements_and_are_drawn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["metaeval", *TEXTS, "--influences", "--metrics", "bleu,1-ter"]
    points = rows_of(drawn(monkeypatch, *command))
    capsys.readouterr()
    assert main([*command, "--format", "tsv"]) == 0
    head, *rows = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    for metric in ("bleu", "1-ter"):
        (row,) = (dict(zip(head, row, strict=True)) for row in rows if row[1] == metric)
        for other in ("bleu-p1", "kendall-sqrt"):
            mine = [point for point in points if point["panel"] == f"{metric} against {other}"]
            assert len(mine) == 3 * 16
            r = np.corrcoef([point["influence"] for point in mine], [point["score"] for point in mine])[0, 1]
            assert float(row[f"r {other}"]) == pytest.approx(r)
    assert len({point["panel"] for point in points}) == 4
    assert main(["metaeval", "--ref", "reference.txt", "--influences"]) == 2
    assert "--influences needs translations and references" in capsys.readouterr().err
    assert main([*command, "--source", "source.txt"]) == 2
    assert "leave out --source" in capsys.readouterr().err


def test_references_and_translations_are_drawn_against_each_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["--ref", "reference.txt", "reference2.txt", "--hyp", "good.txt"]
    bars = rows_of(drawn(monkeypatch, "metaeval", *texts, "--distinguish", "--metrics", "f1"))
    pairs = [("reference2.txt", "reference.txt"), ("reference.txt", "reference2.txt")]
    for who, judged in (("references", pairs), ("good", [("good.txt", gold) for _, gold in pairs])):
        literal = [
            float(x)
            for file, gold in judged
            for x in wordorder.score({"A": file}, gold, metrics="f1", samples=0).segment_scores("A", "f1")
        ]
        mine = [bar for bar in bars if bar["against a reference"] == who]
        edges = [bar["from"] for bar in mine] + [mine[-1]["to"]]
        assert [bar["segments"] for bar in mine] == np.histogram(literal, bins=edges)[0].tolist()
        assert sum(bar["segments"] for bar in mine) == 32


def test_probes_and_roc_curves_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = ["metaeval", "--ref", "reference.txt", "--probe", "move", "--amounts", "1,2,4", "--metrics", "kendall,f1"]
    rows = rows_of(drawn(monkeypatch, *probe, "--samples", "20"))
    curve = [row["score"] for row in rows if row["metric"] == "kendall"]
    assert [row["amount"] for row in rows if row["metric"] == "kendall"] == [1, 2, 4]
    assert curve == sorted(curve, reverse=True)
    assert {row["score"] for row in rows if row["metric"] == "f1"} == {1.0}  # it does not see order
    chart = drawn(monkeypatch, "metaeval", "--qrev", "qrev", "--metrics", "kendall", "--samples", "0")
    curves = [row for row in rows_of(chart) if "metric" in row]
    for name in {row["metric"] for row in curves}:
        points = np.array([[row["false alarms"], row["found"]] for row in curves if row["metric"] == name])
        assert f"({np.trapezoid(points[:, 1], points[:, 0]):.3f})" in name


def test_tune_draws_a_curve_for_each_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["tune", "full:order=pef", "--vary", "alpha=0:1", "order.beta=0:1", "--search", "grid", "--steps", "3"]
    rows = rows_of(drawn(monkeypatch, *command, *JUDGED))
    assert {row["parameter"] for row in rows} == {"alpha", "order.beta"}
    assert {row["curve"] for row in rows} == {"tuned part", "held out"}
    scaled = rows_of(drawn(monkeypatch, *command, *JUDGED, "--plot-as", "scaled"))
    for curve in ("tuned part", "held out"):
        for parameter in ("alpha", "order.beta"):
            part = [r["tau-zero"] for r in scaled if (r["curve"], r["parameter"]) == (curve, parameter)]
            assert max(part) == 1


def test_several_sets_have_a_tuning_curve_each(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = {"de-en": "", "fr-en": "fr-en/systems/"}
    names = ("good.txt", "monotone.txt", "scrambled.txt")
    sets = [
        part
        for pair, folder in pairs.items()
        for part in ("--set", pair, "rankings.csv", "reference.txt", *(folder + name for name in names))
    ]
    command = ["tune", "full", "--vary", "alpha=0:1", "--search", "grid", "--steps", "2", "--samples", "0"]
    rows = rows_of(drawn(monkeypatch, *command, *sets))
    assert {row["curve"] for row in rows} == {"de-en", "fr-en"}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["score", *TEXTS, "--metrics", "pef"], "system"),
        (["score", *TEXTS, "--metrics", "pef", "--buckets", "buckets.txt"], "bucket"),
        (["score", *TEXTS, "--metrics", "pef", "--docs", "documents.txt"], "document"),
        (["score", *TEXTS, "--metrics", "pef", "--worst-between", "good", "scrambled"], "segment"),
        (["score", *TEXTS, "--metrics", "pef,bleu", "--correlate"], "with"),
        (["score", *TEXTS, "--metrics", "pef", "--plot-as", "histogram"], "share"),
        (["profile", "reference.align", "--source", "source.txt", "--target", "reference.txt"], "width"),
        (["profile", "--ref-align", "reference.align", "--hyp-align", "good.align"], "share"),
        (["preorder", "evaluate", "--trees", "source.conllu", "--align", "reference.align", "--rules", "r1"], "system"),
    ],
)
def test_commands_draw_what_they_print(arguments: list[str], field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert any(field in row for row in rows_of(drawn(monkeypatch, *arguments)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", *TEXTS, "--plot", "x.doc"], "must end in .svg, .pdf, .png or .html"),
        (["score", *TEXTS, "--plot-as", "segments"], "--plot-as requires --plot FILE"),
        (["metaeval", *JUDGED, "--agreement", "--plot", "x.svg"], "--agreement has no chart"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(DEMO)
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code  # type: ignore[assignment]
    assert code == 2
    assert message in capsys.readouterr().err
