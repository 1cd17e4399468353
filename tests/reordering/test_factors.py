"""Factors of difficulty: tables of language pairs, regressions, residuals, the mixed-effects model."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordorder.reordering import europarl, read_pairs
from wordorder.reordering.characteristics import count_words, measure_similarity
from wordorder.reordering.language_pairs import LanguagePairs
from wordorder.reordering.mixed_model import explain_difficulty, fit_mixed
from wordorder.reordering.regression import correlate, regress, residualise
from wordorder.runtime.errors import InputError, UsageError, WordorderError
from wordorder.text import encode


def test_the_europarl_table_is_whole() -> None:
    pairs = europarl()
    assert len(pairs) == len(set(zip(pairs.sources, pairs.targets, strict=True))) == 110
    assert len(set(pairs.sources)) == len(set(pairs.targets)) == 11
    assert all(source != target for source, target in zip(pairs.sources, pairs.targets, strict=True))
    at = {pair: row for row, pair in enumerate(zip(pairs.sources, pairs.targets, strict=True))}
    similarity, quantity = pairs.column("similarity"), pairs.column("rquantity")
    for (source, target), row in at.items():
        assert similarity[row] == similarity[at[target, source]]
        assert (similarity[row] == 0) == ("fi" in (source, target))
    # Birch 2011, Table 4.3: the least and the most reordering
    order = [f"{pairs.sources[row]}-{pairs.targets[row]}" for row in np.argsort(quantity, kind="stable")]
    assert order[:5] == ["pt-es", "es-pt", "da-sv", "sv-da", "it-pt"]
    assert set(order[-5:]) == {"fr-de", "fi-pt", "fi-es", "de-es", "de-fr"}
    assert quantity[at["de", "fr"]] == 0.637
    assert similarity[at["es", "pt"]] == 874
    assert pairs.column("bleu")[at["pt", "es"]] == 39.82 == pairs.column("bleu").max()
    assert pairs.column("bleu")[at["nl", "fi"]] == 12.46 == pairs.column("bleu").min()


def test_the_simple_regressions_of_the_thesis() -> None:
    reordering, similarity = regress(europarl())
    assert (reordering.predictor, round(reordering.r2, 3), reordering.stars) == ("rquantity", 0.392, "***")
    assert (similarity.predictor, round(similarity.r2, 3), similarity.stars) == ("similarity", 0.366, "***")
    assert reordering.slope < 0 < similarity.slope


def test_the_correlation_of_the_thesis() -> None:
    pairs = europarl()
    columns = {name: pairs.column(name) for name in ("rquantity", "similarity")}
    matrix = correlate(columns)
    assert matrix[0, 1] == matrix[1, 0]
    assert round(matrix[0, 1], 3) == -0.488
    assert matrix.diagonal().tolist() == [1, 1]
    assert np.allclose(matrix, np.corrcoef(np.stack(list(columns.values()))))


def test_residuals_are_what_the_others_do_not_explain() -> None:
    random = np.random.default_rng(7)
    base = random.normal(size=(40, 3))
    columns = {"a": base[:, 0], "b": base[:, 0] + base[:, 1], "c": base[:, 0] - base[:, 1] + base[:, 2]}
    rest = residualise(columns, threshold=0.0)
    for name, column in columns.items():
        others = np.stack([np.ones(40), *(values for other, values in columns.items() if other != name)], axis=1)
        expected = column - others @ np.linalg.lstsq(others, column, rcond=None)[0]
        assert np.allclose(rest[name], expected / expected.std(ddof=1))
    untouched = residualise(columns, threshold=1.0)
    assert np.allclose(untouched["a"], (base[:, 0] - base[:, 0].mean()) / base[:, 0].std(ddof=1))


def test_a_predictor_told_twice_is_an_error() -> None:
    x = np.arange(5.0)
    with pytest.raises(InputError, match="column a is wholly explained"):
        residualise({"a": x, "b": 2 * x + 1})


def test_bad_tables(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    for text, message in (
        ("", "no language pairs"),
        ("a\tb\tc\n", "pairs.tsv:1: expected a header 'source target …', found 'a\\tb\\tc'"),
        ("source\ttarget\n", "pairs.tsv:1: expected a header"),
        ("source\ttarget\tx\nde\ten\n", "pairs.tsv:2: expected 3 columns separated by tabs, found 2"),
        ("# note\nsource\ttarget\tx\n\nde\ten\tmuch\n", "pairs.tsv:4: expected a number in column x, found 'much'"),
        ("source\ttarget\tx\nde\ten\tnan\n", "expected a number in column x, found 'nan'"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as error:
            read_pairs(path)
        assert message in str(error.value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60))
def test_any_bytes_are_a_table_or_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "fuzz.tsv"
    path.write_bytes(b"source\ttarget\tx\n" + content)
    try:
        pairs = read_pairs(path)
    except WordorderError:
        return
    assert len(pairs.column("x")) == len(pairs)


def small_table(**columns: list[float]) -> LanguagePairs:
    size = len(next(iter(columns.values())))
    names = tuple("abcdefgh"[:size])
    return LanguagePairs(names, names, {name: np.array(values) for name, values in columns.items()})


def test_hopeless_regressions() -> None:
    with pytest.raises(UsageError, match="unknown column 'blue'; did you mean 'bleu'"):
        regress(europarl(), response="blue")
    with pytest.raises(InputError, match="column x is the same for every language pair"):
        regress(small_table(bleu=[1, 2, 3], x=[1, 1, 1]))
    with pytest.raises(InputError, match="2 language pairs are too few"):
        regress(small_table(bleu=[1, 2], x=[1, 2]))


def test_without_statsmodels_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels.regression.mixed_linear_model", None)
    with pytest.raises(UsageError, match=r"pip install 'wordorder\[analysis\]'"):
        explain_difficulty(europarl())


def test_the_mixed_model_of_the_thesis() -> None:
    result = explain_difficulty(europarl())
    # Birch 2011, §4.6.2: four outliers; without them neither the interaction nor the square is significant
    assert len(result.outliers) == 4
    assert [effect.name for effect in result.maximal.effects] == [
        "intercept",
        "rquantity",
        "similarity",
        "rquantity × similarity",
        "rquantity²",
    ]
    intercept, reordering, similarity = result.model.effects
    assert (reordering.name, similarity.name) == ("rquantity", "similarity")
    assert max(intercept.p, reordering.p, similarity.p) < 0.001
    # Table 4.7 prints 24.57, −3.45 and 2.65 from more predictors than Appendix C gives
    assert intercept.coefficient == pytest.approx(24.73, abs=0.01)
    assert reordering.coefficient == pytest.approx(-3.205, abs=0.005)
    assert similarity.coefficient == pytest.approx(2.527, abs=0.005)
    dropped = [step.what for step in result.steps if step.p is not None and step.kept]
    assert dropped == ["without rquantity × similarity", "without rquantity²"]


def test_the_mixed_model_is_the_most_likely_one() -> None:
    pairs = europarl()
    columns = residualise({name: pairs.column(name) for name in ("rquantity", "similarity")})
    model = fit_mixed(pairs, columns, [("rquantity",), ("similarity",)])

    def likelihood(source: float, target: float, noise: float) -> float:
        same = [np.equal.outer(np.array(side), np.array(side)) for side in (pairs.sources, pairs.targets)]
        covariance = noise * np.eye(110) + source * same[0] + target * same[1]
        design = np.stack([np.ones(110), *columns.values()], axis=1)
        inverse = np.linalg.inv(covariance)
        best = np.linalg.solve(design.T @ inverse @ design, design.T @ inverse @ pairs.column("bleu"))
        rest = pairs.column("bleu") - design @ best
        return float(-(np.linalg.slogdet(2 * np.pi * covariance)[1] + rest @ inverse @ rest) / 2)

    found = (model.source_variance, model.target_variance, model.residual_variance)
    assert likelihood(*found) == pytest.approx(model.log_likelihood, abs=1e-6)
    for place in range(3):
        for factor in (0.8, 1.25):
            moved = [value * (factor if place == where else 1) for where, value in enumerate(found)]
            assert likelihood(*moved) < model.log_likelihood


def test_too_small_a_table_for_a_mixed_model() -> None:
    with pytest.raises(InputError, match="5 language pairs are too few for a model with 2 terms"):
        explain_difficulty(small_table(bleu=[1, 2, 4, 3, 5], rquantity=[1, 3, 2, 5, 4]))


def test_similarity_by_trigrams() -> None:
    same, other, none = (count_words(tokens) for tokens in encode(["Der Hund bellt", ""], ["собака лает"], [""]))
    assert len(same) == 3
    assert measure_similarity(same, same) == pytest.approx(1)
    assert measure_similarity(same, other) == 0
    assert np.isnan(measure_similarity(same, none))
