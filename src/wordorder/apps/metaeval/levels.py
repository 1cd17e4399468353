"""Analysis of variance of ratings: do people rate some systems, or some amounts of reordering, higher than others?

The levels are the rated systems; in a study of scrambled sentences, they are bins of reordering (Birch 2011, 6.3).
Each person sees all levels, and each item appears at all levels, so the means are compared with repeated-measures
analyses, once by person and once by item.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.apps.metaeval.agreement import cell_means
from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.runtime.errors import InputError
from wordorder.core.statistics.variance import (
    Anova,
    RepeatedAnova,
    TukeyPair,
    min_f,
    one_way_anova,
    repeated_anova,
    repeated_tukey,
)
from wordorder.formats.judgements import Ratings
from wordorder.report.table import Column, Table, Value


@dataclass(frozen=True)
class LevelComparison:
    """The ratings of each level, with analyses by person, by item, and as if all ratings were independent."""

    levels: tuple[str, ...]
    ratings: tuple[Floats, ...]
    by_person: RepeatedAnova
    by_item: RepeatedAnova
    one_way: Anova
    pairs_by_person: list[TukeyPair]
    pairs_by_item: list[TukeyPair]

    @property
    def min_f(self) -> Anova:
        """Min F′, which combines the analyses by person and by item."""
        return min_f(self.by_person, self.by_item)


def compare_levels(ratings: Ratings) -> LevelComparison:
    """Compare the mean ratings of systems; there must be at least two systems with at least two ratings each."""
    if len(ratings.systems) < 2:
        raise InputError(f"all ratings are for {ratings.systems[0]!r}; expected two or more systems (or bins)")
    people = mean_table(ratings, ratings.judge)
    items = mean_table(ratings, ratings.segment)
    groups = tuple(ratings.value[ratings.system == level] for level in range(len(ratings.systems)))
    return LevelComparison(
        ratings.systems,
        groups,
        repeated_anova(people),
        repeated_anova(items),
        one_way_anova(groups),
        repeated_tukey(people),
        repeated_tukey(items),
    )


def mean_table(ratings: Ratings, subject: Int64s) -> Floats:
    """Return the mean rating of each subject (person or item) at each level; NaN where missing."""
    subjects, place = np.unique(subject, return_inverse=True)
    return cell_means(place, ratings.system, ratings.value, (len(subjects), len(ratings.systems)))


def means_table(name: str, found: LevelComparison) -> Table:
    """Return a table with the mean and the standard deviation of each level (Birch 2011, Table 6.2)."""
    rows: list[list[Value]] = [
        [name, level, float(values.mean()), float(values.std(ddof=1)), len(values)]
        for level, values in zip(found.levels, found.ratings, strict=True)
    ]
    columns = [Column("set", "left"), Column("level", "left"), Column("mean"), Column("SD"), Column("n")]
    return Table.of("", columns, rows)


def anova_table(name: str, found: LevelComparison) -> Table:
    """Return a table with one row per analysis of variance."""
    rows: list[list[Value]] = []
    for label, one in (("person", found.by_person), ("item", found.by_item)):
        head: list[Value] = [name, f"by {label}", one.f, one.between, one.within, one.p]
        rows.append([*head, one.epsilon, one.p_corrected, one.subjects, one.left_out])
    both = found.min_f
    rows.append([name, "min F′", both.f, both.between, both.within, both.p, None, None, None, None])
    one_way, count = found.one_way, sum(map(len, found.ratings))
    numbers = one_way.f, one_way.between, one_way.within, one_way.p
    rows.append([name, "one-way", *numbers, None, None, count, 0])
    columns = [Column("set", "left"), Column("analysis", "left"), Column("F", number=".2f"), Column("df")]
    columns += [Column("df error", number=".1f"), Column("p", number=".2g"), Column("ε")]
    columns += [Column("p GG", number=".2g"), Column("n"), Column("left out")]
    notes = [
        "by person, by item: repeated measures; left out: people or items without a rating at every level",
        "ε, p GG: Greenhouse–Geisser correction, for differences between levels that do not vary alike",
        "min F′: generalises over people and items at once; one-way: as if all ratings came from different people",
    ]
    return Table.of("", columns, rows, notes=notes)


def pairs_table(name: str, found: LevelComparison) -> Table:
    """Return a table of Tukey's HSD tests for each pair of levels, by person and by item."""
    rows: list[list[Value]] = [
        [name, label, found.levels[pair.a], found.levels[pair.b], pair.difference, pair.low, pair.high, pair.p]
        for label, pairs in (("person", found.pairs_by_person), ("item", found.pairs_by_item))
        for pair in pairs
    ]
    columns = [Column(head, "left") for head in ("set", "by", "first", "second")]
    columns += [Column("difference"), Column("low"), Column("high"), Column("p", number=".2g")]
    return Table.of("", columns, rows, notes=["Tukey's HSD with the error of the repeated measures; 95% intervals"])
