"""Factors that make a language pair hard to translate, as tables: regressions, correlations, the mixed-effects model.

Birch (2011), chapter 4.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from wordorder.reordering.language_pairs import LanguagePairs
from wordorder.reordering.mixed_model import Difficulty, explain_difficulty
from wordorder.reordering.regression import Regression, correlate, predictors_of, regress, stars
from wordorder.report.table import Column, Table
from wordorder.runtime.columns import Floats
from wordorder.runtime.plain import plain
from wordorder.version import __version__


@dataclass(frozen=True, eq=False)
class Factors:
    """What explains a quality score over language pairs; the mixed-effects model is fitted only on request."""

    pairs: LanguagePairs
    response: str
    predictors: tuple[str, ...]
    regressions: tuple[Regression, ...]
    correlations: Floats

    def explain(self) -> Difficulty:
        """Fit the mixed-effects model (extra ``analysis``)."""
        return explain_difficulty(self.pairs, response=self.response, predictors=list(self.predictors))

    def plot(self) -> Any:
        """Draw the response over each predictor with fit and outliers, as an Altair chart (extra ``pictures``)."""
        from wordorder.reordering.plots import plot_factors

        return plot_factors(self)

    def regression_table(self) -> Table:
        """Return the table of simple regressions, like the thesis's Table 4.5."""
        columns = [Column("predictor", "left"), *map(Column, ("r²", "slope", "intercept")), *_TESTED]
        rows: list[list[str | float]] = [
            [row.predictor, row.r2, row.slope, row.intercept, row.p, row.stars] for row in self.regressions
        ]
        title = f"Each predictor alone: {self.response} over {len(self.pairs)} language pairs"
        return Table.of(title, columns, rows, notes=[_STARS])

    def correlation_table(self) -> Table:
        """Return the table of Pearson's r between predictors, like the thesis's Table 4.6."""
        columns = [Column("predictor", "left"), *map(Column, self.predictors)]
        rows = [[name, *row.tolist()] for name, row in zip(self.predictors, self.correlations, strict=True)]
        return Table.of("Pearson's r between predictors", columns, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything unrounded, including the mixed-effects model; undefined values are None."""
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
            },
        }


def find_factors(pairs: LanguagePairs, *, response: str = "bleu", predictors: list[str] | None = None) -> Factors:
    """Find what makes a language pair hard; without ``predictors`` every other column may explain the response.

    >>> from wordorder.reordering import europarl
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
    """Return the table of fixed effects, like the thesis's Table 4.7; the notes say how the model was reached."""
    model = found.model
    columns = [Column("fixed effect", "left"), *map(Column, ("coefficient", "standard error")), *_TESTED]
    rows: list[list[str | float]] = [
        [effect.name, effect.coefficient, effect.error, effect.p, stars(effect.p)] for effect in model.effects
    ]
    notes = [
        _STARS,
        "predictors are standardised, and residualised where they correlate",
        f"random effects, variance: source language {model.source_variance:.2f}, target language "
        f"{model.target_variance:.2f}, residual {model.residual_variance:.2f}",
        f"outliers left out: {', '.join('-'.join(pair) for pair in found.outliers) or 'none'}",
    ]
    for step in found.steps:
        test = "" if step.p is None else f", p of the rise in deviance {step.p:.2g}{'' if step.kept else ': kept in'}"
        notes.append(f"AIC {step.aic:.1f}  {step.what}{test}")
    return Table.of("Linear mixed-effects model", columns, rows, notes=notes)


_TESTED = (Column("p", number=".2g"), Column("significance", "left"))
_STARS = "*** p < .001, ** p < .01, * p < .05"
