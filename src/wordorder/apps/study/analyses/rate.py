"""Analyse ratings: means with intervals, pairwise comparisons, and how well people agree.

Ratings are compared between systems (Talbot et al. 2011, §4) or between conditions in general, such as disorder bins.
The main test is a linear mixed model with random effects for people, items, stimuli (an item in one condition) and
the interaction of person and condition. A model with random effects for people and items only would attribute
differences between stimuli to the conditions.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from wordorder.apps.metaeval.agreement import LevelComparison, compare_levels, leave_one_out, middle, rating_table
from wordorder.apps.study.analyses.analyse import LEVEL, Makers, Parts, Record, write_p
from wordorder.apps.study.answers import Response
from wordorder.apps.study.folder import Study
from wordorder.core.runtime.errors import InputError, UsageError, reject
from wordorder.core.statistics.agreement import krippendorff_alpha, split_half
from wordorder.core.statistics.mixed import Contrast, MixedFit, compare_means, fit_mixed
from wordorder.core.statistics.resampling import bootstrap_sums, interval
from wordorder.core.statistics.variance import Anova, TukeyPair
from wordorder.formats.judgements import Ratings
from wordorder.report.table import Cell, Column, Table, Value

FEWEST = 3
"""The smallest number of people, and of items, for which the mixed model is fitted."""


@dataclass(frozen=True, eq=False)
class RatingFindings:
    """The ratings for one question, with the mixed model and the analyses of variance fitted to them."""

    question: str
    ratings: Ratings

    @cached_property
    def fit(self) -> MixedFit | None:
        """The mixed model; None if there are too few ratings."""
        ratings, count = self.ratings, len(self.ratings.systems)
        if min(len(np.unique(column)) for column in (ratings.judge, ratings.segment)) < FEWEST:
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
            return None  # all people agree, or a condition has no ratings

    @cached_property
    def levels(self) -> LevelComparison | None:
        """The classical analyses of variance; None if a condition has too few ratings."""
        if len(self.ratings.systems) > 1:
            with suppress(InputError, UsageError):
                return compare_levels(self.ratings)
        return None

    @property
    def test(self) -> Anova:
        """The F test of the mixed model; its null hypothesis is that all conditions have the same mean."""
        count = len(self.ratings.systems)
        if self.fit is None or count < 2:
            return Anova(math.nan, count - 1, math.nan, math.nan)
        return self.fit.test(np.eye(count)[1:] - np.eye(count)[0])

    def mean(self, place: int) -> Contrast | None:
        """Return the mean of a condition in the mixed model, with its interval; None if there are too few ratings."""
        return None if self.fit is None else self.fit.contrast(np.eye(len(self.ratings.systems))[place])

    @property
    def pairs(self) -> list[TukeyPair]:
        """Tukey's contrasts between the condition means of the mixed model."""
        return [] if self.fit is None else compare_means(self.fit)


def rating_tables(
    study: Study, responses: Sequence[Response], level: str, seed: int
) -> tuple[list[RatingFindings], Makers]:
    """Return the findings for each question, and functions that build their tables.

    ``level`` is the word for a condition in these tables, such as "bin".
    """
    names = [question.name for question in study.settings.questions]
    findings = [find_ratings(study, responses, name) for name in names]
    repeats = {name: repeated_ratings(study, responses, name) for name in names}
    return findings, {
        "means": partial(means_table, findings, level),
        "tests": partial(tests_table, findings),
        "pairs": partial(pairs_table, findings),
        "variances": partial(variances_table, findings),
        "reliability": partial(reliability_table, findings, repeats, seed),
    }


def find_ratings(study: Study, responses: Sequence[Response], question: str) -> RatingFindings:
    """Analyse the ratings for one question."""
    rows = [
        (condition, study.segments[one.item.group], one.person, value)
        for one in responses
        if one.is_analysed
        for condition, value in study.kind.ratings(one.item, one.answer, question, one.person)
    ]
    reject(not rows, "no participant who passed screening has rated any item", path=str(study.folder))
    found = Ratings.of(rows, path=str(study.folder))
    ratings = found.among([name for name in study.systems or study.conditions if name in found.systems])
    return RatingFindings(question, ratings)


def repeated_ratings(study: Study, responses: Sequence[Response], question: str) -> list[tuple[float, float]]:
    """Return the pairs of first and second ratings of stimuli that were shown twice to the same person."""
    first = {(one.person, one.item.id): one for one in responses if not one.is_repeat}
    pairs = [
        [
            study.kind.ratings(one.item, one.answer, question, one.person)
            for one in (first[again.person, again.item.id], again)
        ]
        for again in responses
        if again.is_repeat and (again.person, again.item.id) in first
    ]
    return [(a, b) for before, after in pairs for (_, a), (_, b) in zip(before, after, strict=True)]


def means_table(findings: Sequence[RatingFindings], level: str) -> Table:
    """Show the mean rating of each condition."""
    rows: list[list[Cell | Value]] = []
    for found in findings:
        for place, name in enumerate(found.ratings.systems):
            values, model = found.ratings.value[found.ratings.system == place], found.mean(place)
            mean = None if model is None else Cell(model.estimate, interval=(model.low, model.high))
            raw = float(values.mean()) if len(values) else None
            spread = float(values.std(ddof=1)) if len(values) > 1 else None
            rows.append([found.question, name, mean, raw, spread, len(values)])
    columns = [Column("question", "left"), Column(level, "left"), Column("mean"), Column("raw mean"), Column("SD")]
    notes = [describe_test(found, level) for found in findings]
    notes.append("mean: estimate of the mixed model, 95% interval for other people and items; SD: of single ratings")
    return Table.of("", [*columns, Column("n")], rows, notes=notes)


def describe_test(found: RatingFindings, level: str) -> str:
    """Say whether the conditions differ; the best and the worst are named only if the test finds a difference."""
    names, test = found.ratings.systems, found.test
    if found.fit is None or math.isnan(test.p):
        return f"In words: too few answers to compare {level}s in {found.question}."
    result = f"F({test.between}, {test.within:.0f}) = {test.f:.2f}, {write_p(test.p)}"
    if test.p >= LEVEL:
        return f"In words: no difference in {found.question} between {level}s was found: {result}."
    best, worst = int(np.argmax(found.fit.effects)), int(np.argmin(found.fit.effects))
    ends = f"from {names[best]} ({found.fit.effects[best]:.2f}) to {names[worst]} ({found.fit.effects[worst]:.2f})"
    return f"In words: {level}s differ in {found.question}, {ends}: {result}."


def tests_table(findings: Sequence[RatingFindings]) -> Table:
    """Tabulate the F tests of the mixed model and of the classical analyses of variance."""
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
    """Tabulate Tukey's contrasts for every pair of conditions."""
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
    """Tabulate the standard deviations of the random effects (people, items and stimuli) in scale points."""
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
    """Tabulate how well people agree with each other and with themselves, and the highest r a metric could reach."""
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


def draw_means(findings: Sequence[RatingFindings], level: str) -> Any:
    """Draw the condition means of the mixed model with their confidence intervals."""
    from wordorder.report.charts.forms import plot_intervals

    records: list[Record] = []
    for found in findings:
        for place, name in enumerate(found.ratings.systems):
            if one := found.mean(place):
                mean = {"value": one.estimate, "low": one.low, "high": one.high}
                records.append({level: name, "question": found.question, **mean})
    return plot_intervals(records, name=level, panel="question")


SYSTEM = "system"
ORDER = ("means", "tests", "pairs", "bootstrap", "variances", "reliability")
SAMPLES = 1000


def build(study: Study, responses: Sequence[Response], seed: int) -> Parts:
    """Prepare the tables and charts that compare the mean ratings of the systems."""
    findings, tables = rating_tables(study, responses, SYSTEM, seed)
    tables["bootstrap"] = partial(bootstrap_table, findings, seed)
    return Parts({name: tables[name] for name in ORDER}, {"systems": partial(draw_means, findings, SYSTEM)})


def _segment_rows(ratings: Ratings) -> np.ndarray:
    """Return the sum and the number of ratings for each segment and system in an array ``[segments, systems, 2]``."""
    segments, place = np.unique(ratings.segment, return_inverse=True)
    size = len(segments) * len(ratings.systems)
    cell = place * len(ratings.systems) + ratings.system
    parts = [np.bincount(cell, weights=ratings.value, minlength=size), np.bincount(cell, minlength=size)]
    return np.stack(parts, axis=1).reshape(len(segments), len(ratings.systems), 2)


def _mean(sums: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def bootstrap_means(ratings: Ratings, seed: int) -> list[Cell]:
    """Return the mean rating of each system with its 95% bootstrap interval over segments."""
    cells = _segment_rows(ratings)
    drawn = bootstrap_sums(cells.reshape(len(cells), -1), samples=SAMPLES, seed=seed)
    low, high = interval(_mean(drawn.reshape(SAMPLES, *cells.shape[1:])))
    means = _mean(cells.sum(axis=0)).tolist()
    ends = zip(low.tolist(), high.tolist(), strict=True)
    return [Cell(mean, interval=both) for mean, both in zip(means, ends, strict=True)]


def bootstrap_table(findings: Sequence[RatingFindings], seed: int) -> Table:
    """Show the mean rating of each system with a bootstrap interval over segments (Talbot et al. 2011, Table 3)."""
    rows: list[list[Cell | Value]] = []
    for found in findings:
        means = bootstrap_means(found.ratings, seed)
        rows += [[found.question, name, mean] for name, mean in zip(found.ratings.systems, means, strict=True)]
    columns = [Column("question", "left"), Column(SYSTEM, "left"), Column("mean")]
    notes = ["95% bootstrap intervals over segments: for other segments, rated by the same people"]
    return Table.of("", columns, rows, notes=notes)
