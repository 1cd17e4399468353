"""A linear mixed-effects model of how hard language pairs are to translate (Birch 2011, §4.5.2 and §4.6.2).

Source and target language are crossed random effects: each language may have its own level of difficulty. What the
fixed effects then explain goes beyond which languages are involved. Needs the extra ``analysis`` (statsmodels).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.apps.profile.language_pairs import LanguagePairs
from wordorder.apps.profile.regression import (
    COLLINEAR,
    Columns,
    Effect,
    Step,
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

OUTLIER = 2.0
"""A pair is an outlier if its residual is more than this many standard deviations from the mean residual."""

_SEARCH = 2000  # steps of the simplex search


@dataclass(frozen=True, eq=False)
class MixedModel:
    """A fitted model. ``residuals`` are over the pairs it was fitted to, with the random effects taken out.

    ``slopes`` are the variances of random slopes by predictor, of source and of target languages.
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
    """Random slopes of one predictor added to the final model: may its effect differ between languages?

    Each source and each target language has its own slope beside its own level; all are independent. ``p`` is that of
    the fall in deviance (χ² with two degrees of freedom, which is cautious: variances cannot be negative). ``effect``
    is the predictor's in the model with slopes.
    """

    predictor: str
    source_variance: float
    target_variance: float
    aic: float
    p: float
    effect: Effect


@dataclass(frozen=True, eq=False)
class Difficulty:
    """The minimal adequate model, the steps that led to it, the pairs left out as outliers, and random slopes."""

    model: MixedModel
    maximal: MixedModel
    steps: tuple[Step, ...]
    outliers: tuple[tuple[str, str], ...]
    slopes: tuple[SlopeTest, ...]


def explain_difficulty(
    pairs: LanguagePairs,
    *,
    response: str = "bleu",
    predictors: list[str] | None = None,
    squares: Sequence[str] | None = None,
    collinear: float = COLLINEAR,
    outlier: float = OUTLIER,
) -> Difficulty:
    """Explain the quality of translation by characteristics of the language pair.

    Predictors are standardised, residualised where they correlate, and enter with all pairwise interactions and
    the squares asked for. The model is then simplified: the least significant term goes if leaving it out does
    not raise the deviance significantly. Pairs with large residuals are removed and it is simplified once more.
    Without ``squares``, rquantity is squared if it is there, as in the thesis.
    """
    columns = residualise(predictors_of(pairs, response, predictors), threshold=collinear)
    terms = add_products(columns, squares)
    rows = np.arange(len(pairs))

    def fit(terms: list[Term], slopes: Sequence[str] = ()) -> MixedModel:
        return fit_mixed(pairs, columns, terms, response=response, rows=rows, slopes=slopes)

    maximal = fit(terms)
    steps = [Step("all terms", maximal.aic, None, True)]
    model, terms = simplify(maximal, terms, fit, _rise, steps)
    deviation = np.abs(model.residuals - model.residuals.mean())
    far = deviation > outlier * model.residuals.std(ddof=1)
    outliers = tuple((pairs.sources[row], pairs.targets[row]) for row in rows[far])
    if outliers:
        rows = rows[~far]
        model = fit(terms)
        steps.append(Step(f"without {', '.join('-'.join(pair) for pair in outliers)}", model.aic, None, True))
        model, terms = simplify(model, terms, fit, _rise, steps)
    slopes = []
    for place, term in enumerate(terms):
        if len(term) == 1:
            steeper = fit(terms, term)
            p = _rise(steeper, model, 0.0, freedom=2)
            slopes.append(SlopeTest(*term, *steeper.slopes[term[0]], steeper.aic, p, steeper.effects[1 + place]))
    return Difficulty(model, maximal, tuple(steps), outliers, tuple(slopes))


def _rise(model: MixedModel, smaller: MixedModel, _: float, *, freedom: int = 1) -> float:
    """Return p of the rise in deviance from a model to a smaller one (χ²)."""
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

    With ``slopes``, the effect of these predictors may differ between source and between target languages as well.
    """
    try:
        from statsmodels.regression.mixed_linear_model import MixedLM
    except ImportError:
        raise UsageError(
            "the mixed-effects model needs statsmodels; install the extra: pip install 'wordorder[analysis]'"
        ) from None
    rows = np.arange(len(pairs)) if rows is None else rows
    if len(rows) < len(terms) + 5:
        raise InputError(f"{len(rows)} language pairs are too few for a model with {len(terms)} terms")
    chosen = {name: column[rows] for name, column in columns.items()}
    fixed = np.stack([np.ones(len(rows)), *products(chosen, terms)], axis=1)
    random = _random_effects(pairs, rows, [np.ones(len(rows)), *(chosen[name] for name in slopes)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an estimate on the edge (a variance of 0) is an answer, not a mistake
        try:
            model = MixedLM(pairs.column(response)[rows], fixed, groups=np.zeros(len(rows)), exog_vc=random)
            fit = _maximise(model) if slopes else model.fit(reml=False)
            errors, p_values = np.asarray(fit.bse_fe), np.asarray(fit.pvalues)
        except (np.linalg.LinAlgError, ValueError) as error:
            raise InputError(f"the mixed-effects model cannot be fitted to this table ({error})") from None
    names = ["intercept", *(term_name(term) for term in terms)]
    found = zip(names, fit.fe_params, errors, p_values, strict=False)
    effects = tuple(Effect(name, float(value), float(error), float(p)) for name, value, error, p in found)
    (source, target), *steep = np.asarray(fit.vcomp).reshape(-1, 2).tolist()
    numbers = source, target, float(fit.scale), float(fit.llf), float(fit.aic)
    found_slopes = {name: (one, two) for name, (one, two) in zip(slopes, steep, strict=True)}
    return MixedModel(effects, *numbers, np.asarray(fit.resid, dtype=np.float64), found_slopes)


def _maximise(model: Any) -> Any:
    """Fit a model whose best variances may be 0, where the optimisers that follow gradients get stuck."""
    near = model.fit(reml=False, method=["powell"], disp=False)
    return model.fit(reml=False, start_params=near.params_object, method=["nm"], maxiter=_SEARCH)


def _random_effects(pairs: LanguagePairs, rows: Int64s, slopes: list[Floats]) -> Any:
    """Return one random effect for source and one for target languages for every column of ``slopes``.

    A column of ones makes levels of difficulty; a predictor makes slopes.
    """
    from statsmodels.regression.mixed_linear_model import VCSpec

    names, labels, designs = [], [], []
    for place, slope in enumerate(slopes):
        for side, languages in (("source", pairs.sources), ("target", pairs.targets)):
            present = [languages[row] for row in rows]
            known = sorted(set(present))
            member = np.array([[language == label for label in known] for language in present], np.float64)
            names.append(f"{place} {side}")
            labels.append([known])
            designs.append([member * slope[:, None]])
    return VCSpec(names, labels, designs)
