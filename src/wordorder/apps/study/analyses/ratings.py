"""Ratings of several conditions (bins of disorder, systems): do they differ, by how much, and do people agree?

The default test is a linear mixed model with random people, items, stimuli (items at one condition) and people at one
condition. A model with people and items alone takes the differences of stimuli for effects of the conditions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.apps.metaeval.agreement import leave_one_out, middle, rating_table
from wordorder.apps.metaeval.levels import LevelComparison, compare_levels
from wordorder.apps.study.analyses.base import LEVEL, write_p
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.statistics.agreement import krippendorff_alpha
from wordorder.core.statistics.mixed import MixedFit, compare_means, fit_mixed
from wordorder.core.statistics.reliability import split_half
from wordorder.core.statistics.variance import Anova, TukeyPair
from wordorder.formats.judgements import Ratings
from wordorder.report.table import Cell, Column, Table, Value

Row = tuple[str, int, str, float]
"""Condition, number of the item, person, value."""

FEWEST = 3
"""People and items that a model of people and items needs at least."""


@dataclass(frozen=True, eq=False)
class RatingFindings:
    """What ratings of one question say: the model, the analyses of variance beside it, and the ratings themselves."""

    question: str
    ratings: Ratings
    fit: MixedFit | None
    levels: LevelComparison | None

    @property
    def test(self) -> Anova:
        """Return the test of the model: are all conditions equal?"""
        count = len(self.ratings.systems)
        if self.fit is None or count < 2:
            return Anova(math.nan, count - 1, math.nan, math.nan)
        return self.fit.test(np.eye(count)[1:] - np.eye(count)[0])

    @property
    def pairs(self) -> list[TukeyPair]:
        """Return Tukey's contrasts of the model."""
        return [] if self.fit is None else compare_means(self.fit)


def analyse_ratings(question: str, rows: Iterable[Row], conditions: Sequence[str], *, path: str) -> RatingFindings:
    """Fit the model to the ratings of one question; ``conditions`` are in the order of tables."""
    found = Ratings.of(rows, path=path)
    ratings = found.among([name for name in conditions if name in found.systems])
    levels = None
    if len(ratings.systems) > 1:
        try:
            levels = compare_levels(ratings)
        except (InputError, UsageError):
            levels = None  # too few ratings of a condition
    return RatingFindings(question, ratings, _fit(ratings), levels)


def _fit(ratings: Ratings) -> MixedFit | None:
    count = len(ratings.systems)
    people, items = (len(np.unique(column)) for column in (ratings.judge, ratings.segment))
    if people < FEWEST or items < FEWEST:
        return None
    random = {
        "person": ratings.judge,
        "item": ratings.segment,
        "stimulus": ratings.segment * count + ratings.system,
        "person × condition": ratings.judge * count + ratings.system,
    }
    try:
        return fit_mixed(ratings.value, np.eye(count)[ratings.system], random)
    except UsageError:
        return None  # nobody disagrees, or a condition has no ratings


def mean_rows(found: RatingFindings) -> list[list[Cell | Value]]:
    """Return a row for each condition: the mean of the model with its interval, the plain mean, SD and number."""
    rows: list[list[Cell | Value]] = []
    for place, name in enumerate(found.ratings.systems):
        values = found.ratings.value[found.ratings.system == place]
        if found.fit is None:
            mean: Cell | Value = None
        else:
            one = found.fit.contrast(np.eye(len(found.ratings.systems))[place])
            mean = Cell(one.estimate, interval=(one.low, one.high))
        spread = float(values.std(ddof=1)) if len(values) > 1 else None
        rows.append([found.question, name, mean, float(values.mean()) if len(values) else None, spread, len(values)])
    return rows


def means_table(findings: Sequence[RatingFindings], level: str) -> Table:
    """Show the mean of every condition."""
    columns = [Column("question", "left"), Column(level, "left"), Column("mean"), Column("raw mean"), Column("SD")]
    notes = ["mean: estimate of the mixed model, 95% interval for other people and items; SD: of single ratings"]
    rows = [row for found in findings for row in mean_rows(found)]
    return Table.of("", [*columns, Column("n")], rows, notes=[*(_sentence(one, level) for one in findings), *notes])


def _sentence(found: RatingFindings, level: str) -> str:
    names, test = found.ratings.systems, found.test
    if found.fit is None or math.isnan(test.p):
        return f"In words: too few ratings of {found.question} to compare {level}s."
    said = f"F({test.between}, {test.within:.0f}) = {test.f:.2f}, {write_p(test.p)}"
    if test.p >= LEVEL:
        return f"In words: no difference in {found.question} between {level}s was found: {said}."
    best, worst = int(np.argmax(found.fit.effects)), int(np.argmin(found.fit.effects))
    ends = f"from {names[best]} ({found.fit.effects[best]:.2f}) to {names[worst]} ({found.fit.effects[worst]:.2f})"
    return f"In words: {level}s differ in {found.question}, {ends}: {said}."


def tests_table(findings: Sequence[RatingFindings]) -> Table:
    """Show the mixed model's F, and what others would have computed."""
    rows: list[list[Value]] = []
    for found in findings:
        tests = [("mixed model", found.test)]
        if found.levels is not None:
            named = ("F1, by person", found.levels.by_person), ("F2, by item", found.levels.by_item)
            tests += [*named, ("min F′", found.levels.min_f), ("one-way (thesis)", found.levels.one_way)]
        rows += [[found.question, name, one.f, one.between, one.within, one.p] for name, one in tests]
    columns = [Column("question", "left"), Column("test", "left"), Column("F", number=".2f"), Column("df")]
    columns += [Column("df error", number=".1f"), Column("p", number=".2g")]
    notes = [
        "mixed model: random effects of person, item, stimulus and person × condition; Satterthwaite's df",
        "F1, F2: repeated measures; one-way: as if every rating came from a different person and item",
    ]
    return Table.of("", columns, rows, notes=notes)


def pairs_table(findings: Sequence[RatingFindings]) -> Table:
    """Show Tukey's contrasts of every two conditions."""
    rows: list[list[Cell | Value]] = []
    for found in findings:
        names = found.ratings.systems
        for one in found.pairs:
            difference = Cell(one.difference, interval=(one.low, one.high))
            rows.append([found.question, names[one.a], names[one.b], difference, one.p])
    columns = [Column(head, "left") for head in ("question", "first", "second")]
    columns += [Column("difference"), Column("p", number=".2g")]
    return Table.of("", columns, rows, notes=["Tukey's HSD with standard errors of the mixed model; 95% intervals"])


def variances_table(findings: Sequence[RatingFindings]) -> Table:
    """Show how much people, items and stimuli vary, as standard deviations on the scale."""
    rows: list[list[Value]] = [
        [found.question, name, math.sqrt(variance)]
        for found in findings
        if found.fit is not None
        for name, variance in found.fit.variances.items()
    ]
    columns = [Column("question", "left"), Column("varies", "left"), Column("SD")]
    return Table.of("", columns, rows)


def reliability_table(
    findings: Sequence[RatingFindings], repeats: Mapping[str, Sequence[tuple[float, float]]], seed: int
) -> Table:
    """Show how far people agree with each other and with themselves, and how well a metric could do."""
    rows: list[list[Value]] = []
    for found in findings:
        table = rating_table(found.ratings)
        halves = split_half(table, seed=seed)
        median, deviation, count = middle([r for r, _ in leave_one_out(found.ratings).values()])
        rows.append([found.question, "α (ordinal)", krippendorff_alpha(table, scale="ordinal"), len(found.ratings)])
        rows.append([found.question, "leave-one-out r, median", median, count])
        rows.append([found.question, "leave-one-out r, SD", deviation, count])
        rows.append([found.question, "split-half r (Spearman–Brown)", halves.reliability, halves.items])
        rows.append([found.question, "ceiling of a metric's r", halves.ceiling, halves.items])
        again = repeats.get(found.question, ())
        if again:
            apart = float(np.mean([abs(first - second) for first, second in again]))
            rows.append([found.question, "difference of repeated answers", apart, len(again)])
    columns = [Column("question", "left"), Column("reliability", "left"), Column("value"), Column("n")]
    notes = ["ceiling: r with these means of a metric that knew the true values; one person's r is not such a bound"]
    return Table.of("", columns, rows, notes=notes)
