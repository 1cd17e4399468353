"""A linear mixed-effects model of how hard language pairs are to translate (Birch 2011, §4.5.2 and §4.6.2).

Source and target language are crossed random effects: each language may have its own level of difficulty. What the
fixed effects then explain goes beyond which languages are involved. Needs the extra ``analysis`` (statsmodels).
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from wordorder.reordering.language_pairs import LanguagePairs
from wordorder.reordering.regression import COLLINEAR, Columns, predictors_of, residualise
from wordorder.runtime.columns import Floats, Int64s
from wordorder.runtime.errors import InputError, UsageError, choices

SIGNIFICANT = 0.05
OUTLIER = 2.0
"""A pair is an outlier if its residual is more than this many standard deviations from the mean residual."""

Term = tuple[str, ...]
"""A product of predictors: ``("a",)`` is a itself, ``("a", "b")`` an interaction, ``("a", "a")`` a square."""


@dataclass(frozen=True)
class Effect:
    """A fixed effect; ``p`` is two-sided (Wald)."""

    name: str
    coefficient: float
    error: float
    p: float


@dataclass(frozen=True, eq=False)
class MixedModel:
    """A fitted model. ``residuals`` are over the pairs it was fitted to, with the random effects taken out."""

    effects: tuple[Effect, ...]
    source_variance: float
    target_variance: float
    residual_variance: float
    log_likelihood: float
    aic: float
    residuals: Floats


@dataclass(frozen=True)
class Step:
    """One step towards the final model: what was tried, the AIC it had, and whether it was kept.

    For a term left out, ``p`` is that of the rise in deviance (χ², one degree of freedom).
    """

    what: str
    aic: float
    p: float | None
    kept: bool


@dataclass(frozen=True, eq=False)
class Difficulty:
    """The minimal adequate model, the steps that led to it, and the pairs left out as outliers."""

    model: MixedModel
    maximal: MixedModel
    steps: tuple[Step, ...]
    outliers: tuple[tuple[str, str], ...]


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
    for name in squares or ():
        if name not in columns:
            raise choices(name, list(columns), what="predictor to square")
    terms: list[Term] = [(name,) for name in columns]
    terms += combinations(columns, 2)
    terms += [(name, name) for name in (columns.keys() & {"rquantity"} if squares is None else squares)]
    rows = np.arange(len(pairs))
    maximal = fit_mixed(pairs, columns, terms, response=response)
    steps = [Step("all terms", maximal.aic, None, True)]

    def simplify(model: MixedModel, terms: list[Term]) -> tuple[MixedModel, list[Term]]:
        from scipy import stats

        while True:
            p_values = {term: effect.p for term, effect in zip(terms, model.effects[1:], strict=True)}
            # A predictor stays as long as a product that contains it does.
            free = [term for term in terms if not any(Counter(term) < Counter(other) for other in terms)]
            if not free:
                return model, terms
            weakest = max(free, key=lambda term: p_values[term])
            rest = [term for term in terms if term != weakest]
            smaller = fit_mixed(pairs, columns, rest, response=response, rows=rows)
            rise = max(0.0, 2 * (model.log_likelihood - smaller.log_likelihood))
            p = float(stats.chi2.sf(rise, 1))
            steps.append(Step(f"without {term_name(weakest)}", smaller.aic, p, p >= SIGNIFICANT))
            if p < SIGNIFICANT:
                return model, terms
            model, terms = smaller, rest

    model, terms = simplify(maximal, terms)
    deviation = np.abs(model.residuals - model.residuals.mean())
    far = deviation > outlier * model.residuals.std(ddof=1)
    outliers = tuple((pairs.sources[row], pairs.targets[row]) for row in rows[far])
    if outliers:
        rows = rows[~far]
        model = fit_mixed(pairs, columns, terms, response=response, rows=rows)
        steps.append(Step(f"without {', '.join('-'.join(pair) for pair in outliers)}", model.aic, None, True))
        model, terms = simplify(model, terms)
    return Difficulty(model, maximal, tuple(steps), outliers)


def fit_mixed(
    pairs: LanguagePairs,
    columns: Columns,
    terms: Sequence[Term],
    *,
    response: str = "bleu",
    rows: Int64s | None = None,
) -> MixedModel:
    """Fit response = intercept + Σ coefficient · term + source language + target language, by maximum likelihood."""
    try:
        from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec
    except ImportError:
        raise UsageError(
            "the mixed-effects model needs statsmodels; install the extra: pip install 'wordorder[analysis]'"
        ) from None
    rows = np.arange(len(pairs)) if rows is None else rows
    if len(rows) < len(terms) + 5:
        raise InputError(f"{len(rows)} language pairs are too few for a model with {len(terms)} terms")
    products = [np.prod([columns[name][rows] for name in term], axis=0) for term in terms]
    fixed = np.stack([np.ones(len(rows)), *products], axis=1)
    labels, designs = [], []
    for languages in (pairs.sources, pairs.targets):
        present = [languages[row] for row in rows]
        labels.append(sorted(set(present)))
        designs.append(np.array([[language == label for label in labels[-1]] for language in present], np.float64))
    random = VCSpec(["source", "target"], [[each] for each in labels], [[each] for each in designs])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an estimate on the edge (a variance of 0) is an answer, not a mistake
        try:
            model = MixedLM(pairs.column(response)[rows], fixed, groups=np.zeros(len(rows)), exog_vc=random)
            fit = model.fit(reml=False)
            errors, p_values = np.asarray(fit.bse_fe), np.asarray(fit.pvalues)
        except (np.linalg.LinAlgError, ValueError) as error:
            raise InputError(f"the mixed-effects model cannot be fitted to this table ({error})") from None
    names = ["intercept", *(term_name(term) for term in terms)]
    found = zip(names, fit.fe_params, errors, p_values, strict=False)
    effects = tuple(Effect(name, float(value), float(error), float(p)) for name, value, error, p in found)
    source, target = np.asarray(fit.vcomp).tolist()
    numbers = source, target, float(fit.scale), float(fit.llf), float(fit.aic)
    return MixedModel(effects, *numbers, np.asarray(fit.resid, dtype=np.float64))


def term_name(term: Term) -> str:
    """Return the written form of a term.

    >>> term_name(("rquantity", "rquantity")), term_name(("rquantity", "similarity"))
    ('rquantity²', 'rquantity × similarity')
    """
    if len(term) == 2 and term[0] == term[1]:
        return f"{term[0]}²"
    return " × ".join(term)
