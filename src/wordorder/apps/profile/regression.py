"""Fit simple and multiple regressions of a response on predictors, and correlate the predictors.

See Birch (2011), §4.5.2 and §4.6.1. The mixed-effects model is in :mod:`wordorder.apps.profile.mixed_model`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol, TypeVar

import numpy as np

from wordorder.apps.profile.language_pairs import LanguagePairs
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import InputError

Columns = dict[str, Floats]

COLLINEAR = 0.2
"""Predictors whose absolute correlation is larger than this are residualised against each other."""

SIGNIFICANT = 0.05

Term = tuple[str, ...]
"""A product of predictors: ``("a",)`` is a predictor, ``("a", "b")`` an interaction, and ``("a", "a")`` a square."""

_FEWEST = 3
_NOTHING = 1e-9  # in standard deviations: a smaller residual is due to rounding


@dataclass(frozen=True)
class Regression:
    """A simple linear regression, response = intercept + slope · predictor, with a two-sided t-test of the slope."""

    predictor: str
    slope: float
    intercept: float
    r2: float
    p: float


@dataclass(frozen=True)
class Effect:
    """A fixed effect in a model; ``p`` is from a two-sided t-test or, in a mixed-effects model, a Wald test."""

    name: str
    coefficient: float
    error: float
    p: float


@dataclass(frozen=True)
class SimplificationStep:
    """A step towards the final model: the change that was tried, the resulting AIC, and whether the change was kept.

    If the change removes a term, ``p`` is the p-value of a test of whether the fit gets worse without the term.
    """

    what: str
    aic: float
    p: float | None
    kept: bool


@dataclass(frozen=True, eq=False)
class MultipleRegression:
    """A least-squares regression: response = intercept + Σ coefficient · term.

    ``f`` and ``p`` are the results of an F-test of all terms together. ``aic`` counts only the coefficients as
    parameters.
    """

    effects: tuple[Effect, ...]
    r2: float
    adjusted_r2: float
    f: float
    p: float
    log_likelihood: float
    aic: float
    residuals: Floats
    steps: tuple[SimplificationStep, ...] = ()


def stars(p: float) -> str:
    """Return the significance stars of a p-value: * for p < .05, ** for p < .01, *** for p < .001.

    >>> [stars(p) for p in (0.2, 0.02, 0.002, 0.0002)]
    ['', '*', '**', '***']
    """
    return "*" * ((p < 0.05) + (p < 0.01) + (p < 0.001))


def predictors_of(pairs: LanguagePairs, response: str, predictors: list[str] | None) -> Columns:
    """Return the columns that may explain the response: the given ``predictors`` or, if None, all other columns.

    Raise an error if all values in one of the columns are equal.
    """
    names = [name for name in pairs.columns if name != response] if predictors is None else predictors
    columns = {name: pairs.column(name) for name in names}
    if len(pairs) < _FEWEST:
        raise InputError(f"a regression needs at least {_FEWEST} language pairs, found {len(pairs)}")
    for name, column in (columns | {response: pairs.column(response)}).items():
        if np.ptp(column) == 0:
            raise InputError(f"column {name} has the same value for every language pair; leave it out")
    return columns


def regress(pairs: LanguagePairs, *, response: str = "bleu", predictors: list[str] | None = None) -> list[Regression]:
    """Regress the response on each predictor separately (Birch 2011, Table 4.5).

    >>> from wordorder.apps.profile import europarl
    >>> [(row.predictor, round(row.r2, 3), stars(row.p)) for row in regress(europarl())]
    [('rquantity', 0.392, '***'), ('similarity', 0.366, '***')]
    """
    from scipy import stats

    y = pairs.column(response)
    rows = []
    for name, x in predictors_of(pairs, response, predictors).items():
        fit = stats.linregress(x, y)
        slope, intercept, p = float(fit.slope), float(fit.intercept), float(fit.pvalue)
        rows.append(Regression(name, slope, intercept, float(fit.rvalue) ** 2, p))
    return rows


def regress_on_all(
    pairs: LanguagePairs, *, response: str = "bleu", predictors: list[str] | None = None
) -> MultipleRegression:
    """Fit the minimal adequate model of the response on all predictors (Birch 2011, §4.6.1, note 2).

    Predictors are standardised. The first model has all predictors, all pairwise interactions and the square of
    ``rquantity``. The least significant term is removed repeatedly until every term that can be removed is
    significant.

    >>> from wordorder.apps.profile import europarl
    >>> model = regress_on_all(europarl())
    >>> [effect.name for effect in model.effects], round(model.r2, 3)
    (['intercept', 'rquantity', 'similarity', 'rquantity²'], 0.537)
    """
    columns = {name: standardise(column) for name, column in predictors_of(pairs, response, predictors).items()}
    y = pairs.column(response)

    def fit(terms: list[Term]) -> MultipleRegression:
        return fit_least_squares(columns, terms, y)

    terms = add_products(columns)
    model = fit(terms)
    steps = [SimplificationStep("all terms", model.aic, None, True)]
    model, _ = simplify(model, terms, fit, lambda _, __, p: p, steps)
    return MultipleRegression(**{**vars(model), "steps": tuple(steps)})


def fit_least_squares(columns: Columns, terms: Sequence[Term], y: Floats) -> MultipleRegression:
    """Fit response = intercept + Σ coefficient · term by least squares."""
    from scipy import stats

    rows, free = len(y), len(y) - len(terms) - 1
    if free < 1:
        raise InputError(f"a regression with {len(terms)} terms needs {len(terms) + 2} language pairs, found {rows}")
    design = [np.ones(rows), *products(columns, terms)]
    names = ["intercept", *map(term_name, terms)]
    coefficients, spread = _solve(design, y, names)
    rest = y - sum(value * column for value, column in zip(coefficients, design, strict=True))
    left, whole = float((rest * rest).sum()), float(((y - y.mean()) ** 2).sum())
    errors = [math.sqrt(left / free) * each for each in spread]
    effects = [
        Effect(name, value, error, float(2 * stats.t.sf(abs(value) / error, free)) if error else 0.0)
        for name, value, error in zip(names, coefficients, errors, strict=True)
    ]
    f = (whole - left) / len(terms) / (left / free) if terms and left else math.nan
    likelihood = -rows / 2 * (math.log(2 * math.pi * left / rows) + 1) if left else math.inf
    return MultipleRegression(
        effects=tuple(effects),
        r2=1 - left / whole,
        adjusted_r2=1 - left / free / (whole / (rows - 1)),
        f=f,
        p=float(stats.f.sf(f, len(terms), free)),
        log_likelihood=likelihood,
        aic=2 * len(design) - 2 * likelihood,
        residuals=rest,
    )


def add_products(columns: Columns) -> list[Term]:
    """Return the terms of the first model: predictors, pairwise interactions, and the square of ``rquantity``."""
    square = [("rquantity", "rquantity")] if "rquantity" in columns else []
    return [*((name,) for name in columns), *combinations(columns, 2), *square]


def products(columns: Columns, terms: Sequence[Term]) -> list[Floats]:
    """Return the values of each term, which are the products of the values of its predictors."""
    return [np.prod([columns[name] for name in term], axis=0) for term in terms]


def term_name(term: Term) -> str:
    """Return the name of a term as it appears in tables.

    >>> term_name(("rquantity", "rquantity")), term_name(("rquantity", "similarity"))
    ('rquantity²', 'rquantity × similarity')
    """
    if len(term) == 2 and term[0] == term[1]:
        return f"{term[0]}²"
    return " × ".join(term)


class _Model(Protocol):
    @property
    def effects(self) -> tuple[Effect, ...]: ...
    @property
    def aic(self) -> float: ...


Model = TypeVar("Model", bound=_Model)


def simplify(
    model: Model,
    terms: list[Term],
    fit: Callable[[list[Term]], Model],
    test: Callable[[Model, Model, float], float],
    steps: list[SimplificationStep],
) -> tuple[Model, list[Term]]:
    """Simplify a model, and return the final model and its terms (Crawley 2007).

    The least significant term is removed repeatedly, as long as the fit does not become significantly worse. A
    predictor stays in the model as long as a product that contains it does. ``test`` is called with a model, the same
    model without one term, and the p-value of this term; it returns the p-value of the difference in fit. Every step
    is appended to ``steps``.
    """
    while True:
        p_values = {term: effect.p for term, effect in zip(terms, model.effects[1:], strict=True)}
        free = [term for term in terms if not any(Counter(term) < Counter(other) for other in terms)]
        if not free:
            return model, terms
        weakest = max(free, key=lambda term: p_values[term])
        rest = [term for term in terms if term != weakest]
        smaller = fit(rest)
        p = test(model, smaller, p_values[weakest])
        steps.append(SimplificationStep(f"without {term_name(weakest)}", smaller.aic, p, p >= SIGNIFICANT))
        if p < SIGNIFICANT:
            return model, terms
        model, terms = smaller, rest


def correlate(columns: Columns) -> Floats:
    """Return the matrix of Pearson's r between all columns, in the given order (Birch 2011, Table 4.6)."""
    scaled = [standardise(column) for column in columns.values()]
    matrix = np.array([[float((one * two).sum()) / (len(one) - 1) for two in scaled] for one in scaled])
    np.fill_diagonal(matrix, 1.0)
    return matrix


def standardise(column: Floats) -> Floats:
    """Subtract the mean from a column, and divide it by its sample standard deviation."""
    result: Floats = (column - column.mean()) / column.std(ddof=1)
    return result


def residualise(columns: Columns, *, threshold: float = COLLINEAR) -> Columns:
    """Replace each predictor by the part of it that correlated predictors do not explain, and standardise the result.

    Every predictor is regressed on those other predictors with which its |r| is larger than ``threshold``, and is
    replaced by the residuals (Birch 2011, §4.5.2, on collinearity).
    """
    scaled = {name: standardise(column) for name, column in columns.items()}
    close = np.abs(correlate(columns)) > threshold
    result = {}
    for row, (name, column) in enumerate(scaled.items()):
        others = [other for place, other in enumerate(scaled.values()) if place != row and close[row, place]]
        rest = _residual(column, others)
        if np.abs(rest).max() < _NOTHING:
            raise InputError(f"column {name} is a linear combination of other predictors; leave one of them out")
        result[name] = standardise(rest)
    return result


def _solve(design: list[Floats], y: Floats, names: list[str]) -> tuple[list[float], list[float]]:
    """Return the least-squares coefficients and the square roots of the diagonal of (X′X)⁻¹.

    X is the design matrix, ``design``. They are computed by Gram–Schmidt with plain sums, which give bit-identical
    results on every machine, unlike linear-algebra libraries.
    """
    size = len(design)
    axes: list[Floats] = []
    upper = np.zeros((size, size))
    for place, column in enumerate(design):
        rest = column
        for row, axis in enumerate(axes):
            upper[row, place] = (axis * rest).sum()
            rest = rest - axis * upper[row, place]
        upper[place, place] = math.sqrt(float((rest * rest).sum()))
        if upper[place, place] < _NOTHING * math.sqrt(float((column * column).sum())):
            raise InputError(f"{names[place]} is a linear combination of the other terms; leave one predictor out")
        axes.append(rest / upper[place, place])
    inverse = np.zeros((size, size))  # of the triangular matrix, from the last row to the first
    for row in reversed(range(size)):
        for place in range(row, size):
            below = float((upper[row, row + 1 :] * inverse[row + 1 :, place]).sum())
            inverse[row, place] = ((row == place) - below) / upper[row, row]
    heights = np.array([(axis * y).sum() for axis in axes])
    coefficients = (inverse * heights).sum(axis=1)
    return coefficients.tolist(), np.sqrt((inverse * inverse).sum(axis=1)).tolist()


def _residual(column: Floats, others: list[Floats]) -> Floats:
    # Gram–Schmidt on centred columns is used instead of a solver, because plain sums give the same bits everywhere.
    basis: list[Floats] = []

    def rest_of(vector: Floats) -> Floats:
        for axis in basis:
            vector = vector - axis * ((vector * axis).sum() / (axis * axis).sum())
        return vector

    for other in others:
        rest = rest_of(other)
        if np.abs(rest).max() > _NOTHING:
            basis.append(rest)
    return rest_of(column)
