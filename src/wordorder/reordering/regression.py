"""Simple regressions of a response on each predictor, and the correlation of predictors.

Birch 2011, §4.5.2 and §4.6.1. The mixed-effects model is in :mod:`wordorder.reordering.mixed_model`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.reordering.language_pairs import LanguagePairs
from wordorder.runtime.columns import Floats
from wordorder.runtime.errors import InputError

Columns = dict[str, Floats]

COLLINEAR = 0.2
"""Predictors that correlate more than this are residualised against each other."""

_FEWEST = 3
_NOTHING = 1e-9  # of a standard deviation: what rounding leaves where nothing should be left


@dataclass(frozen=True)
class Regression:
    """A simple linear regression: response = intercept + slope · predictor. ``p`` is two-sided (t-test)."""

    predictor: str
    slope: float
    intercept: float
    r2: float
    p: float

    @property
    def stars(self) -> str:
        """Return the significance as the thesis prints it: * p < .05, ** p < .01, *** p < .001."""
        return stars(self.p)


def stars(p: float) -> str:
    """Mark a p-value: * p < .05, ** p < .01, *** p < .001.

    >>> [stars(p) for p in (0.2, 0.02, 0.002, 0.0002)]
    ['', '*', '**', '***']
    """
    return "*" * ((p < 0.05) + (p < 0.01) + (p < 0.001))


def predictors_of(pairs: LanguagePairs, response: str, predictors: list[str] | None) -> Columns:
    """Return the columns that may explain the response: those named, or all others; each must vary."""
    names = [name for name in pairs.columns if name != response] if predictors is None else predictors
    columns = {name: pairs.column(name) for name in names}
    if len(pairs) < _FEWEST:
        raise InputError(f"{len(pairs)} language pairs are too few for a regression; at least {_FEWEST} are needed")
    for name, column in (columns | {response: pairs.column(response)}).items():
        if np.ptp(column) == 0:
            raise InputError(f"column {name} is the same for every language pair, so it cannot explain anything")
    return columns


def regress(pairs: LanguagePairs, *, response: str = "bleu", predictors: list[str] | None = None) -> list[Regression]:
    """Explain the response by each predictor alone (the thesis's Table 4.5).

    >>> from wordorder.reordering import europarl
    >>> [(row.predictor, round(row.r2, 3), row.stars) for row in regress(europarl())]
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


def correlate(columns: Columns) -> Floats:
    """Return Pearson's r of every two columns (the thesis's Table 4.6), in the order of the names."""
    scaled = [standardise(column) for column in columns.values()]
    matrix = np.array([[float((one * two).sum()) / (len(one) - 1) for two in scaled] for one in scaled])
    np.fill_diagonal(matrix, 1.0)
    return matrix


def standardise(column: Floats) -> Floats:
    """Centre a column and divide it by its (sample) standard deviation."""
    result: Floats = (column - column.mean()) / column.std(ddof=1)
    return result


def residualise(columns: Columns, *, threshold: float = COLLINEAR) -> Columns:
    """Remove from each predictor what the predictors correlated with it explain, and standardise the rest.

    Every predictor is regressed on all others whose |r| with it is over the threshold; what is left is the part
    of it that they do not explain (Birch 2011, §4.5.2, on collinearity).
    """
    scaled = {name: standardise(column) for name, column in columns.items()}
    close = np.abs(correlate(columns)) > threshold
    result = {}
    for row, (name, column) in enumerate(scaled.items()):
        others = [other for place, other in enumerate(scaled.values()) if place != row and close[row, place]]
        rest = _residual(column, others)
        if np.abs(rest).max() < _NOTHING:
            raise InputError(f"column {name} is wholly explained by the other predictors; leave one of them out")
        result[name] = standardise(rest)
    return result


def _residual(column: Floats, others: list[Floats]) -> Floats:
    # Gram–Schmidt in place of a solver: all columns are centred, and plain sums come out the same everywhere.
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
