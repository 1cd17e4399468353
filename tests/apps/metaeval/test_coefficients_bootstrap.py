"""The t-test over bootstrap samples of Stanojević & Sima'an 2016, section 7."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import wordorder
from wordorder.apps.metaeval import JudgedSet, MetaEvaluation, Setup, metaevaluate
from wordorder.apps.metaeval.coefficients import Estimates
from wordorder.cli.main import main
from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.tests import bootstrap_p, bootstrap_t_p
from wordorder.formats.judgements import Comparisons

TABLES_1_AND_2 = {  # ρ and its deviation over 1000 samples: en-cs, en-ru, en-fr, en-es, en-de; cs-en … de-en
    "hamming": """.868 .033  .511 .056  .911 .016  .806 .056  .851 .024
        .878 .028  .761 .035  .984 .012  .880 .033  .851 .021""",
    "kendall": """.849 .030  .511 .039  .907 .014  .844 .076  .918 .019
        .887 .026  .831 .021  .969 .012  .831 .064  .905 .016""",
    "spearman": """.852 .029  .508 .041  .907 .014  .848 .074  .915 .019
        .881 .025  .831 .020  .967 .014  .826 .066  .905 .017""",
    "fuzzy": """.854 .030  .498 .044  .920 .014  .818 .058  .897 .018
        .931 .016  .810 .023  .977 .009  .889 .029  .894 .015""",
    "ulam": """.851 .029  .507 .041  .914 .014  .844 .070  .908 .022
        .909 .026  .830 .021  .974 .009  .860 .054  .895 .015""",
    "pet-size": """.853 .029  .515 .042  .907 .013  .866 .074  .923 .018
        .895 .026  .839 .021  .965 .012  .818 .064  .918 .014""",
    "max-op": """.849 .029  .513 .043  .907 .013  .864 .074  .924 .018
        .895 .025  .838 .021  .966 .012  .819 .064  .921 .014""",
    "pet-count": """.879 .053  .538 .103  .904 .016  .797 .052  .819 .030
        .878 .034  .698 .038  .959 .021  .883 .042  .786 .039""",
}
BASELINES = ("hamming", "kendall", "spearman", "fuzzy", "ulam")
TABLE_3 = {
    "pet-size": ["5/4/1", "7/2/1", "6/2/2", "5/4/1", "5/4/1"],
    "max-op": ["5/4/1", "5/2/3", "6/2/2", "5/5/0", "5/4/1"],
    "pet-count": ["2/6/2", "3/7/0", "3/7/0", "2/8/0", "3/7/0"],
}
TEXTS = {"A": ["a b c d", "e f g h"], "B": ["d c b a", "e g f h"], "C": ["a c b d", "f e g h"]}
ROWS = [(0, "A", "B", 1, "j", "1", 1.0), (0, "A", "C", 1, "j", "1", 1.0), (1, "B", "C", 1, "j", "2", 1.0)]


def judged(name: str, metrics: str) -> JudgedSet:
    return JudgedSet.of(name, wordorder.score(TEXTS, TEXTS["A"], metrics=metrics, samples=0), Comparisons.of(ROWS))


def test_table_3_of_the_2016_paper_from_its_tables_1_and_2() -> None:
    """Replicates with the means and deviations the paper prints give all 15 cells of its N/B/D table."""
    printed = np.array([[float(part) for part in text.split()] for text in TABLES_1_AND_2.values()])
    means, deviations = printed[:, ::2], printed[:, 1::2]
    drawn = np.random.default_rng(1).normal(size=(1000, len(TABLES_1_AND_2)))
    drawn = (drawn - drawn.mean(axis=0)) / drawn.std(axis=0, ddof=1)
    one = judged("pair 0", ",".join(TABLES_1_AND_2))
    sets = [JudgedSet(f"pair {n}", one.scores, one.judgements) for n in range(10)]
    estimates = [Estimates(means[:, n], means[:, n] + drawn * deviations[:, n], 10) for n in range(10)]
    setup = Setup(Resampling(samples=1000), test="bootstrap-t")
    found = MetaEvaluation(tuple(sets), (("system", "rho"),), {("system", "rho"): tuple(estimates)}, setup)
    table = found.versus_table(BASELINES)
    assert {row[1].value: [cell.value for cell in row[2:]] for row in table.rows} == TABLE_3
    assert "Student's t-test over 1000 bootstrap samples" in table.notes[1]


values = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, float("nan")]), min_size=2, max_size=8)


@pytest.mark.filterwarnings("ignore:Precision loss")  # of scipy, where one side is constant
@given(values, values)
def test_the_test_is_students_of_two_samples(a: list[float], b: list[float]) -> None:
    size = min(len(a), len(b))
    first, second = np.array(a[:size]), np.array(b[:size])
    known = [side[~np.isnan(side)] for side in (first, second)]
    found = bootstrap_t_p(first[:, None], second[:, None])[0]
    if min(map(len, known)) < 2:
        assert np.isnan(found)
    elif max(np.ptp(side) for side in known) == 0:
        assert found == (1.0 if known[0][0] == known[1][0] else 0.0)
    else:
        assert found == pytest.approx(stats.ttest_ind(*known).pvalue, abs=1e-12)


def test_more_samples_make_any_difference_significant() -> None:
    """Why the test bears a name of its own: the same overlap of replicates, drawn more often."""
    few = np.linspace(0.0, 1.0, 20)
    many = np.tile(few, 100)
    assert bootstrap_t_p(few, few + 0.05) > 0.5
    assert bootstrap_t_p(many, many + 0.05) < 0.001
    assert bootstrap_p(0.05, np.r_[few, -few]) > 0.5


def test_the_difference_is_that_of_the_means_over_samples() -> None:
    one = judged("x-y", "kendall,hamming")
    setup = Setup(Resampling(samples=4), test="bootstrap-t")
    replicates = np.array([[0.5, 0.1], [0.6, 0.1], [0.5, 0.2], [0.6, np.nan]])
    tied = Estimates(np.array([0.3, 0.3]), replicates, 3)
    found = MetaEvaluation((one,), (("system", "rho"),), {("system", "rho"): (tied,)}, setup)
    (test,) = found.tests()
    assert test.difference == pytest.approx(0.55 - 0.4 / 3)
    assert (test.test, test.significant) == ("bootstrap-t", True)
    assert found.versus_table(["hamming"]).rows[0][2].value == "1/0/0"


def test_tests_say_what_they_are() -> None:
    one = judged("x-y", "kendall,hamming")
    for name, expected in (("permutation", "permutation"), ("bootstrap-t", "bootstrap-t")):
        found = metaevaluate([one], segment=["tau"], setup=Setup(Resampling(samples=10), test=name))
        assert {test["test"] for test in found.to_dict()["tests"]} == {expected}
        assert name in found.comparison_table().notes[0]
    with pytest.raises(UsageError, match="needs samples; set samples above 0"):
        Setup(Resampling(samples=0), test="bootstrap-t")


def test_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in TEXTS.items():
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n")
    rows = [f"{segment + 1},{first},{second},{first}" for segment, first, second, *_ in ROWS]
    Path("ab.csv").write_text("\n".join(["segment,system1,system2,choice", *rows]) + "\n")
    text = ["--ref", "A.txt", "--hyp", "A.txt", "B.txt", "C.txt", "--no-cache", "-m", "kendall,hamming"]
    asked = ["metaeval", "--judgement-format", "preferences", "--judgements", "ab.csv", *text, "--test", "bootstrap-t"]
    assert main([*asked, "--samples", "20", "--versus", "hamming", "--system", "none", "--format", "tsv"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split("\t")[:3] == ["coefficient", "metric", "hamming"]
    assert main([*asked, "--samples", "0"]) == 2
    assert "needs samples; set --samples above 0" in capsys.readouterr().err
