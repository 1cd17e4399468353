"""Analyse which factors make a language pair hard to translate (Birch 2011, chapter 4).

Simple and multiple regressions of a response on predictors follow Birch (2011), §4.5.2 and §4.6.1, as do the
correlations of the predictors.

A linear mixed-effects model follows §4.5.2 and §4.6.2. Source and target language are crossed random effects, so the
model allows for languages that are harder than others. The fixed effects then explain only variation that is not due
to the individual languages.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from wordorder.apps.profile.language_pairs import LanguagePairs
from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.runtime.errors import InputError, UsageError, reject
from wordorder.core.runtime.libraries import special, stats
from wordorder.core.runtime.plain import plain
from wordorder.core.statistics import mixed
from wordorder.report.table import Column, Table
from wordorder.version import __version__

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
    reject(len(pairs) < _FEWEST, f"a regression needs at least {_FEWEST} language pairs, found {len(pairs)}")
    for name, column in (columns | {response: pairs.column(response)}).items():
        reject(np.ptp(column) == 0, f"column {name} has the same value for every language pair; leave it out")
    return columns


def regress(pairs: LanguagePairs, *, response: str = "bleu", predictors: list[str] | None = None) -> list[Regression]:
    """Regress the response on each predictor separately (Birch 2011, Table 4.5).

    >>> from wordorder.apps.profile import europarl
    >>> [(row.predictor, round(row.r2, 3), stars(row.p)) for row in regress(europarl())]
    [('rquantity', 0.392, '***'), ('similarity', 0.366, '***')]
    """
    y = pairs.column(response)
    rows = []
    for name, x in predictors_of(pairs, response, predictors).items():
        fit = stats.linregress(x, y)
        slope, intercept, p = float(fit.slope), float(fit.intercept), float(fit.pvalue)
        rows.append(Regression(name, slope, intercept, float(fit.rvalue) ** 2, p))
    return rows


def regress_on_all(pairs: LanguagePairs, *, response: str, predictors: list[str]) -> MultipleRegression:
    """Fit the minimal adequate model of the response on all predictors (Birch 2011, §4.6.1, note 2).

    Predictors are standardised. The first model has all predictors, all pairwise interactions and the square of
    ``rquantity``. The least significant term is removed repeatedly until every term that can be removed is
    significant.

    >>> from wordorder.apps.profile import europarl
    >>> model = regress_on_all(europarl(), response="bleu", predictors=["rquantity", "similarity"])
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
    rows, free = len(y), len(y) - len(terms) - 1
    reject(free < 1, f"a regression with {len(terms)} terms needs {len(terms) + 2} language pairs, found {rows}")
    design = [np.ones(rows), *products(columns, terms)]
    names = ["intercept", *map(term_name, terms)]
    coefficients, spread = _solve(design, y, names)
    rest = y - sum(value * column for value, column in zip(coefficients, design, strict=True))
    left, whole = float((rest * rest).sum()), float(((y - y.mean()) ** 2).sum())
    errors = [math.sqrt(left / free) * each for each in spread]
    effects = [
        Effect(name, value, error, float(2 * special.stdtr(free, -abs(value) / error)) if error else 0.0)
        for name, value, error in zip(names, coefficients, errors, strict=True)
    ]
    f = (whole - left) / len(terms) / (left / free) if terms and left else math.nan
    likelihood = -rows / 2 * (math.log(2 * math.pi * left / rows) + 1) if left else math.inf
    return MultipleRegression(
        effects=tuple(effects),
        r2=1 - left / whole,
        adjusted_r2=1 - left / free / (whole / (rows - 1)),
        f=f,
        p=float(special.fdtrc(len(terms), free, f)),
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


Model = TypeVar("Model", "MultipleRegression", "MixedModel")


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

    ``steps`` are the steps of its simplification from the model with all terms, ``outliers`` the excluded language
    pairs, and ``slopes`` the tests of random slopes.
    """

    model: MixedModel
    steps: tuple[SimplificationStep, ...]
    outliers: tuple[tuple[str, str], ...]
    slopes: tuple[SlopeTest, ...]


def explain_difficulty(pairs: LanguagePairs, *, response: str, predictors: list[str]) -> Difficulty:
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

    model = fit(terms)
    steps = [SimplificationStep("all terms", model.aic, None, True)]
    model, terms = simplify(model, terms, fit, _rise, steps)
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
    return Difficulty(model, tuple(steps), outliers, tuple(slopes))


def _rise(model: MixedModel, smaller: MixedModel, _: float, *, freedom: int = 1) -> float:
    """Return the p-value of a χ² test of the rise in deviance from a model to a smaller one."""
    rise = max(0.0, 2 * (model.log_likelihood - smaller.log_likelihood))
    return float(special.chdtrc(freedom, rise))


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
        tuple(Effect(name, value, error, float(2 * special.ndtr(-abs(value) / error))) for name, value, error in found),
        variances["source"],
        variances["target"],
        variances[mixed.RESIDUAL],
        fit.log_likelihood,
        2 * (len(names) + len(variances)) - 2 * fit.log_likelihood,
        fit.residuals,
        {name: (variances[f"{name} source"], variances[f"{name} target"]) for name in slopes},
    )


@dataclass(frozen=True, eq=False)
class Factors:
    """An analysis of how predictors explain the translation quality of language pairs.

    It contains simple regressions and correlations. The multiple regression and the mixed-effects model are fitted
    when they are needed.
    """

    pairs: LanguagePairs
    response: str
    predictors: tuple[str, ...]
    regressions: tuple[Regression, ...]
    correlations: Floats

    @cached_property
    def multiple(self) -> MultipleRegression:
        """The minimal adequate multiple regression of the response on the predictors."""
        return regress_on_all(self.pairs, response=self.response, predictors=list(self.predictors))

    def explain(self) -> Difficulty:
        """Fit and simplify the mixed-effects model; return it with a record of the steps."""
        return explain_difficulty(self.pairs, response=self.response, predictors=list(self.predictors))

    def plot(self) -> Any:
        """Plot the response against each predictor as an Altair chart, with fitted lines and the names of outliers.

        This needs the extra ``pictures``.
        """
        from wordorder.report.charts import plot_scatter

        pairs = self.pairs
        response = pairs.column(self.response).tolist()
        records = [
            {"pair": f"{source}-{target}", "predictor": name, "value": value, self.response: outcome}
            for name in self.predictors
            for source, target, value, outcome in zip(
                pairs.sources, pairs.targets, pairs.column(name).tolist(), response, strict=True
            )
        ]
        return plot_scatter(records, x="value", y=self.response, name="pair", panel="predictor", fit=True)

    def regression_table(self) -> Table:
        """Return the table of simple regressions (like Table 4.5 in Birch 2011)."""
        columns = [Column("predictor", "left"), *map(Column, ("r²", "slope", "intercept")), *_TESTED]
        rows: list[list[str | float]] = [
            [row.predictor, row.r2, row.slope, row.intercept, row.p, stars(row.p)] for row in self.regressions
        ]
        title = f"Each predictor alone: {self.response} over {len(self.pairs)} language pairs"
        return Table.of(title, columns, rows, notes=[_STARS])

    def correlation_table(self) -> Table:
        """Return the table of correlations (Pearson's r) between predictors (like Table 4.6 in Birch 2011)."""
        columns = [Column("predictor", "left"), *map(Column, self.predictors)]
        rows = [[name, *row.tolist()] for name, row in zip(self.predictors, self.correlations, strict=True)]
        return Table.of("Pearson's r between predictors", columns, rows)

    def multiple_table(self) -> Table:
        """Return the table of the multiple regression, with the simplification steps in the notes."""
        model = self.multiple
        notes = [
            _STARS,
            "predictors are standardised",
            f"r² {model.r2:.3f}, adjusted {model.adjusted_r2:.3f}; F {model.f:.2f}, p {model.p:.2g}",
            *_step_notes(model.steps, "the loss of fit"),
        ]
        return Table.of("Multiple regression: the minimal adequate model", _EFFECTS, _effect_rows(model), notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """Return all results, including the mixed-effects model, as unrounded plain data; undefined ones are None."""
        found = self.explain()
        model = found.model
        return {
            "version": __version__,
            "pairs": len(self.pairs),
            "response": self.response,
            "regressions": [plain(asdict(row)) for row in self.regressions],
            "correlations": {
                one: dict(zip(self.predictors, row.tolist(), strict=True))
                for one, row in zip(self.predictors, self.correlations, strict=True)
            },
            "multiple": plain(
                {
                    **{name: value for name, value in vars(self.multiple).items() if name != "residuals"},
                    "effects": [asdict(effect) for effect in self.multiple.effects],
                    "steps": [asdict(step) for step in self.multiple.steps],
                }
            ),
            "model": {
                "effects": [plain(asdict(effect)) for effect in model.effects],
                "variances": {
                    "source": model.source_variance,
                    "target": model.target_variance,
                    "residual": model.residual_variance,
                },
                "log_likelihood": model.log_likelihood,
                "aic": model.aic,
                "outliers": ["-".join(pair) for pair in found.outliers],
                "steps": [plain(asdict(step)) for step in found.steps],
                "slopes": [plain(asdict(slope)) for slope in found.slopes],
            },
        }


def find_factors(pairs: LanguagePairs, *, response: str = "bleu", predictors: list[str] | None = None) -> Factors:
    """Analyse how the predictors (by default, all other columns) explain the response.

    >>> from wordorder.apps.profile import europarl
    >>> print(find_factors(europarl()).correlation_table())
    Pearson's r between predictors
    predictor   rquantity  similarity
    ─────────────────────────────────
    rquantity       1.000      -0.488
    similarity     -0.488       1.000
    """
    columns = predictors_of(pairs, response, predictors)
    found = regress(pairs, response=response, predictors=list(columns))
    return Factors(pairs, response, tuple(columns), tuple(found), correlate(columns))


def model_table(found: Difficulty) -> Table:
    """Return the table of fixed effects (like Table 4.7 in Birch 2011), with simplification steps in the notes."""
    model = found.model
    notes = [
        _STARS,
        "predictors are standardised, and residualised where they correlate",
        f"random effects, variance: source language {model.source_variance:.2f}, target language "
        f"{model.target_variance:.2f}, residual {model.residual_variance:.2f}",
        f"outliers left out: {', '.join('-'.join(pair) for pair in found.outliers) or 'none'}",
    ]
    notes += _step_notes(found.steps, "the rise in deviance")
    return Table.of("Linear mixed-effects model", _EFFECTS, _effect_rows(model), notes=notes)


def slope_table(found: Difficulty) -> Table:
    """Return the table of random slopes, which shows if effects differ between languages (Birch 2011, §4.6.2)."""
    columns = [Column("random slopes", "left"), Column("source variance"), Column("target variance")]
    columns += [Column("AIC", number=".1f"), Column("AIC without", number=".1f"), *_TESTED]
    columns += map(Column, ("coefficient", "standard error"))
    rows: list[list[str | float]] = [
        [
            *(slope.predictor, slope.source_variance, slope.target_variance, slope.aic, found.model.aic),
            *(slope.p, stars(slope.p), slope.effect.coefficient, slope.effect.error),
        ]
        for slope in found.slopes
    ]
    notes = ["p: of the gain in fit from a slope for every language (χ²); coefficient: the fixed effect with them"]
    return Table.of("Random slopes of source and target languages, added to the model", columns, rows, notes=notes)


def _effect_rows(model: MultipleRegression | MixedModel) -> list[list[str | float]]:
    return [[effect.name, effect.coefficient, effect.error, effect.p, stars(effect.p)] for effect in model.effects]


def _step_notes(steps: tuple[SimplificationStep, ...], change: str) -> list[str]:
    notes = []
    for step in steps:
        test = "" if step.p is None else f", p of {change} {step.p:.2g}{'' if step.kept else ': kept in the model'}"
        notes.append(f"AIC {step.aic:.1f}  {step.what}{test}")
    return notes


_TESTED = (Column("p", number=".2g"), Column("significance", "left"))
_EFFECTS = (Column("fixed effect", "left"), Column("coefficient"), Column("standard error"), *_TESTED)
_STARS = "*** p < .001, ** p < .01, * p < .05"
