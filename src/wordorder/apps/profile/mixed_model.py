"""A linear mixed-effects model of how hard language pairs are to translate (Birch 2011, §4.5.2 and §4.6.2).

Source and target language are crossed random effects, so the model allows for languages that are harder than others.
The fixed effects then explain only variation that is not due to the individual languages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.apps.profile.language_pairs import LanguagePairs
from wordorder.apps.profile.regression import (
    Columns,
    Effect,
    SimplificationStep,
    Term,
    add_products,
    predictors_of,
    products,
    residualise,
    simplify,
    term_name,
)
from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.statistics import mixed

OUTLIER = 2.0
"""A language pair is an outlier if its residual is more than this many standard deviations from the mean."""


@dataclass(frozen=True, eq=False)
class MixedModel:
    """A fitted mixed-effects model.

    ``residuals`` are the parts of the response that neither fixed nor random effects explain. ``slopes`` holds, for
    each predictor with random slopes, the variance of the slope over source languages and over target languages.
    """

    effects: tuple[Effect, ...]
    source_variance: float
    target_variance: float
    residual_variance: float
    log_likelihood: float
    aic: float
    residuals: Floats
    slopes: dict[str, tuple[float, float]]


@dataclass(frozen=True)
class SlopeTest:
    """A test of whether the effect of one predictor differs between languages.

    Random slopes of the predictor are added to the final model: each source and each target language has its own
    slope in addition to its own intercept, all independent. ``p`` is the p-value of a χ² test of the decrease in
    deviance, with two degrees of freedom; the test is conservative because variances cannot be negative. ``effect``
    is the fixed effect of the predictor in the model with random slopes.
    """

    predictor: str
    source_variance: float
    target_variance: float
    aic: float
    p: float
    effect: Effect


@dataclass(frozen=True, eq=False)
class Difficulty:
    """The minimal adequate mixed-effects model, with a record of how it was found.

    ``maximal`` is the model with all terms, ``steps`` the steps of its simplification, ``outliers`` the excluded
    language pairs, and ``slopes`` the tests of random slopes.
    """

    model: MixedModel
    maximal: MixedModel
    steps: tuple[SimplificationStep, ...]
    outliers: tuple[tuple[str, str], ...]
    slopes: tuple[SlopeTest, ...]


def explain_difficulty(
    pairs: LanguagePairs,
    *,
    response: str = "bleu",
    predictors: list[str] | None = None,
) -> Difficulty:
    """Explain translation quality by characteristics of the language pair.

    Predictors are standardised and, if they correlate, residualised. As in Birch (2011), the first model has all
    predictors, all pairwise interactions and the square of ``rquantity``. The least significant term is removed
    repeatedly, as long as the deviance does not rise significantly. Then pairs with large residuals are removed, and
    the model is simplified further.
    """
    columns = residualise(predictors_of(pairs, response, predictors))
    terms = add_products(columns)
    rows = np.arange(len(pairs))

    def fit(terms: list[Term], slopes: Sequence[str] = ()) -> MixedModel:
        return fit_mixed(pairs, columns, terms, response=response, rows=rows, slopes=slopes)

    maximal = fit(terms)
    steps = [SimplificationStep("all terms", maximal.aic, None, True)]
    model, terms = simplify(maximal, terms, fit, _rise, steps)
    deviation = np.abs(model.residuals - model.residuals.mean())
    far = deviation > OUTLIER * model.residuals.std(ddof=1)
    outliers = tuple((pairs.sources[row], pairs.targets[row]) for row in rows[far])
    if outliers:
        rows = rows[~far]
        model = fit(terms)
        steps.append(SimplificationStep(f"without {', '.join(map('-'.join, outliers))}", model.aic, None, True))
        model, terms = simplify(model, terms, fit, _rise, steps)
    slopes = []
    for place, term in enumerate(terms):
        if len(term) == 1:
            steeper = fit(terms, term)
            p = _rise(steeper, model, 0.0, freedom=2)
            slopes.append(SlopeTest(*term, *steeper.slopes[term[0]], steeper.aic, p, steeper.effects[1 + place]))
    return Difficulty(model, maximal, tuple(steps), outliers, tuple(slopes))


def _rise(model: MixedModel, smaller: MixedModel, _: float, *, freedom: int = 1) -> float:
    """Return the p-value of a χ² test of the rise in deviance from a model to a smaller one."""
    from scipy import stats

    rise = max(0.0, 2 * (model.log_likelihood - smaller.log_likelihood))
    return float(stats.chi2.sf(rise, freedom))


def fit_mixed(
    pairs: LanguagePairs,
    columns: Columns,
    terms: Sequence[Term],
    *,
    response: str = "bleu",
    rows: Int64s | None = None,
    slopes: Sequence[str] = (),
) -> MixedModel:
    """Fit response = intercept + Σ coefficient · term + source language + target language, by maximum likelihood.

    Predictors in ``slopes`` get random slopes, so their effects may differ between languages.
    """
    from scipy import stats

    rows = np.arange(len(pairs)) if rows is None else rows
    if len(rows) < len(terms) + 5:
        raise InputError(f"a model with {len(terms)} terms needs {len(terms) + 5} language pairs, found {len(rows)}")
    chosen = {name: column[rows] for name, column in columns.items()}
    fixed = np.stack([np.ones(len(rows)), *products(chosen, terms)], axis=1)
    languages = {"source": np.array(pairs.sources)[rows], "target": np.array(pairs.targets)[rows]}
    steep = {f"{name} {side}": chosen[name] for name in slopes for side in languages}
    random = languages | {name: languages[name.rpartition(" ")[2]] for name in steep}
    try:
        fit = mixed.fit_mixed(pairs.column(response)[rows], fixed, random, covariates=steep, restricted=False)
    except (np.linalg.LinAlgError, UsageError) as error:
        raise InputError(f"cannot fit a mixed-effects model to this table ({error})") from None
    errors = np.sqrt(np.diag(fit.covariance))
    names = ["intercept", *(term_name(term) for term in terms)]
    found = zip(names, fit.effects.tolist(), errors.tolist(), strict=True)
    variances = fit.variances
    return MixedModel(
        tuple(
            Effect(name, value, error, float(2 * stats.norm.sf(abs(value) / error))) for name, value, error in found
        ),
        variances["source"],
        variances["target"],
        variances[mixed.RESIDUAL],
        fit.log_likelihood,
        2 * (len(names) + len(variances)) - 2 * fit.log_likelihood,
        fit.residuals,
        {name: (variances[f"{name} source"], variances[f"{name} target"]) for name in slopes},
    )
