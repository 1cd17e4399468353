"""Analyse which factors make a language pair hard to translate (Birch 2011, chapter 4).

The results are tables of regressions, correlations and a mixed-effects model.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from wordorder.apps.profile.language_pairs import LanguagePairs
from wordorder.apps.profile.regression import (
    Difficulty,
    MixedModel,
    MultipleRegression,
    Regression,
    SimplificationStep,
    correlate,
    explain_difficulty,
    predictors_of,
    regress,
    regress_on_all,
    stars,
)
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.plain import plain
from wordorder.report.table import Column, Table
from wordorder.version import __version__


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
        """Plot the response against each predictor as an Altair chart.

        This needs the extra ``pictures``.
        """
        from wordorder.apps.profile.plots import plot_factors

        return plot_factors(self)

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
