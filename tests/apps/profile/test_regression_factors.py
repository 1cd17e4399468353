"""Factors of difficulty: tables of language pairs, regressions, residuals, the mixed-effects model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordorder.apps.profile import europarl, read_pairs
from wordorder.apps.profile.corpus_profile import count_words, measure_similarity
from wordorder.apps.profile.language_pairs import LanguagePairs
from wordorder.apps.profile.regression import (
    add_products,
    correlate,
    find_factors,
    fit_least_squares,
    fit_mixed,
    regress,
    residualise,
    standardise,
    stars,
    term_name,
)
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
from wordorder.core.text import encode


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
    assert (reordering.predictor, round(reordering.r2, 3), stars(reordering.p)) == ("rquantity", 0.392, "***")
    assert (similarity.predictor, round(similarity.r2, 3), stars(similarity.p)) == ("similarity", 0.366, "***")
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
    with pytest.raises(InputError, match="column a is a linear combination"):
        residualise({"a": x, "b": 2 * x + 1})


def test_bad_tables(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    for text, message in (
        ("", "the table has no language pairs"),
        ("a\tb\tc\n", "pairs.tsv:1: expected a header with source and target first, found 'a\\tb\\tc'"),
        ("source\ttarget\n", "pairs.tsv:1: expected a header"),
        ("source\ttarget\tx\nde\ten\n", "pairs.tsv:2: expected 3 fields separated by tabs, found 2"),
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
    with pytest.raises(InputError, match="column x has the same value for every language pair"):
        regress(small_table(bleu=[1, 2, 3], x=[1, 1, 1]))
    with pytest.raises(InputError, match="a regression needs at least 3 language pairs, found 2"):
        regress(small_table(bleu=[1, 2], x=[1, 2]))


def statsmodels_fit(pairs: LanguagePairs, columns: dict[str, np.ndarray], slopes: list[str]) -> Any:
    """Fit the mixed-effects model by statsmodels; a simplex search ends where variances are 0, too."""
    from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec

    names, labels, designs = [], [], []
    for name, column in (("", np.ones(len(pairs))), *((name, columns[name]) for name in slopes)):
        for side, languages in (("source", pairs.sources), ("target", pairs.targets)):
            known = sorted(set(languages))
            member = np.array([[language == label for label in known] for language in languages], np.float64)
            names.append(f"{name} {side}")
            labels.append([known])
            designs.append([member * column[:, None]])
    design = np.stack([np.ones(len(pairs)), *columns.values()], axis=1)
    specification = VCSpec(names, labels, designs)
    model = MixedLM(pairs.column("bleu"), design, groups=np.zeros(len(pairs)), exog_vc=specification)
    near = model.fit(reml=False, method=["powell"], disp=False)
    return model.fit(reml=False, start_params=near.params_object, method=["nm"], maxiter=2000)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("slopes", [[], ["rquantity"], ["similarity"]])
def test_the_mixed_model_is_that_of_statsmodels(slopes: list[str]) -> None:
    pairs = europarl()
    columns = residualise({name: pairs.column(name) for name in ("rquantity", "similarity")})
    ours = fit_mixed(pairs, columns, [("rquantity",), ("similarity",)], slopes=slopes)
    theirs = statsmodels_fit(pairs, columns, slopes)
    assert (ours.log_likelihood, ours.aic) == pytest.approx((theirs.llf, theirs.aic), abs=1e-4)
    assert ours.log_likelihood > theirs.llf - 1e-6
    assert [effect.coefficient for effect in ours.effects] == pytest.approx(theirs.fe_params, rel=1e-3)
    variances = [ours.source_variance, ours.target_variance, *(each for name in slopes for each in ours.slopes[name])]
    assert variances == pytest.approx(theirs.vcomp, rel=1e-3, abs=1e-3)
    assert ours.residual_variance == pytest.approx(theirs.scale, rel=1e-3)
    assert ours.residuals == pytest.approx(np.asarray(theirs.resid), abs=1e-2)
    # statsmodels adds how uncertain the variances are; where none is 0, that is very little
    if not slopes:
        errors, p_values = np.asarray(theirs.bse_fe), np.asarray(theirs.pvalues)[:3]
        assert [effect.error for effect in ours.effects] == pytest.approx(errors, rel=0.02)
        assert np.log([effect.p for effect in ours.effects]) == pytest.approx(np.log(p_values), rel=0.02)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(7, 30))
def test_section_4_6_1_multiple_regression_is_that_of_statsmodels(seed: int, size: int, rows: int) -> None:
    from statsmodels.api import OLS, add_constant

    random = np.random.default_rng(seed)
    columns = {name: random.normal(size=rows) for name in "abc"[:size]}
    terms: list[tuple[str, ...]] = [*((name,) for name in columns), ("a", "a")]
    y = random.normal(size=rows) + 3 * columns["a"]
    found = fit_least_squares(columns, terms, y)
    theirs = OLS(y, add_constant(np.stack([*columns.values(), columns["a"] ** 2], axis=1))).fit()
    assert [effect.coefficient for effect in found.effects] == pytest.approx(theirs.params, rel=1e-7, abs=1e-9)
    assert [effect.error for effect in found.effects] == pytest.approx(theirs.bse, rel=1e-7)
    assert [effect.p for effect in found.effects] == pytest.approx(theirs.pvalues, rel=1e-6, abs=1e-12)
    assert (found.r2, found.adjusted_r2) == pytest.approx((theirs.rsquared, theirs.rsquared_adj), rel=1e-7)
    assert (found.f, found.p) == pytest.approx((theirs.fvalue, theirs.f_pvalue), rel=1e-6)
    assert (found.log_likelihood, found.aic) == pytest.approx((theirs.llf, theirs.aic), rel=1e-9)


def test_section_4_6_1_the_minimal_adequate_model() -> None:
    pairs = europarl()
    found = find_factors(pairs).multiple
    assert [effect.name for effect in found.effects] == ["intercept", "rquantity", "similarity", "rquantity²"]
    assert max(effect.p for effect in found.effects) < 0.05
    assert [(step.what, step.kept) for step in found.steps] == [
        ("all terms", True),
        ("without rquantity × similarity", True),
        ("without rquantity²", False),
    ]
    # The thesis has r² .750 with the size of the vocabularies, which Appendix C does not give
    assert found.r2 == pytest.approx(0.537, abs=5e-4)
    alone = standardise(pairs.column("rquantity")), standardise(pairs.column("similarity"))
    both = {"rquantity": alone[0], "similarity": alone[1]}
    straight = fit_least_squares(both, [("rquantity",), ("similarity",)], pairs.column("bleu"))
    assert straight.r2 == pytest.approx(1 - straight.residuals.var() / pairs.column("bleu").var())
    assert all(abs((column * straight.residuals).sum()) < 1e-9 for column in alone)


def test_hopeless_multiple_regressions() -> None:
    x = np.arange(4.0)
    with pytest.raises(InputError, match="a regression with 3 terms needs 5 language pairs, found 4"):
        fit_least_squares({"a": x, "b": x**2}, [("a",), ("b",), ("a", "b")], x)
    with pytest.raises(InputError, match="b is a linear combination of the other terms"):
        fit_least_squares({"a": x, "b": 2 * x + 1}, [("a",), ("b",)], x**2)


def test_section_4_6_2_random_slopes_do_not_fit_better() -> None:
    found = find_factors(europarl()).explain()
    assert [slope.predictor for slope in found.slopes] == ["rquantity", "similarity"]
    for slope, effect in zip(found.slopes, found.model.effects[1:], strict=True):
        assert slope.p > 0.5
        assert slope.aic > found.model.aic
        assert slope.effect.coefficient == pytest.approx(effect.coefficient, abs=0.02)


@pytest.mark.parametrize("predictor", ["rquantity", "similarity"])
def test_section_4_6_2_the_model_with_slopes_is_the_most_likely_one(predictor: str) -> None:
    pairs = europarl()
    columns = residualise({name: pairs.column(name) for name in ("rquantity", "similarity")})
    model = fit_mixed(pairs, columns, [("rquantity",), ("similarity",)], slopes=[predictor])
    plain = fit_mixed(pairs, columns, [("rquantity",), ("similarity",)])
    slopes = np.outer(columns[predictor], columns[predictor])

    def likelihood(source: float, target: float, noise: float, steep_source: float, steep_target: float) -> float:
        same = [np.equal.outer(np.array(side), np.array(side)) for side in (pairs.sources, pairs.targets)]
        covariance = noise * np.eye(110) + source * same[0] + target * same[1]
        covariance += steep_source * same[0] * slopes + steep_target * same[1] * slopes
        design = np.stack([np.ones(110), *columns.values()], axis=1)
        inverse = np.linalg.inv(covariance)
        best = np.linalg.solve(design.T @ inverse @ design, design.T @ inverse @ pairs.column("bleu"))
        rest = pairs.column("bleu") - design @ best
        return float(-(np.linalg.slogdet(2 * np.pi * covariance)[1] + rest @ inverse @ rest) / 2)

    variances = model.source_variance, model.target_variance, model.residual_variance
    found = (*variances, *model.slopes[predictor])
    assert likelihood(*found) == pytest.approx(model.log_likelihood, abs=1e-6)
    assert model.log_likelihood > plain.log_likelihood - 1e-4
    for place in range(5):
        for factor in (0.5, 2.0):
            moved = [value * (factor if place == where else 1) for where, value in enumerate(found)]
            assert likelihood(*moved) <= model.log_likelihood + 1e-5


def test_the_mixed_model_of_the_thesis() -> None:
    result = find_factors(europarl()).explain()
    # Birch 2011, §4.6.2: four outliers; without them neither the interaction nor the square is significant
    assert len(result.outliers) == 4
    first = [term_name(term) for term in add_products(europarl().columns) if "bleu" not in term]
    assert first == ["rquantity", "similarity", "rquantity × similarity", "rquantity²"]
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
    with pytest.raises(InputError, match="a model with 2 terms needs 7 language pairs, found 5"):
        find_factors(small_table(bleu=[1, 2, 4, 3, 5], rquantity=[1, 3, 2, 5, 4])).explain()


def test_similarity_by_trigrams() -> None:
    same, other, none = (count_words(tokens) for tokens in encode(["Der Hund bellt", ""], ["собака лает"], [""]))
    assert len(same) == 3
    assert measure_similarity(same, same) == pytest.approx(1)
    assert measure_similarity(same, other) == 0
    assert np.isnan(measure_similarity(same, none))
