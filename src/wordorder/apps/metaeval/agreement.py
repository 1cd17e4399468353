"""Measure how far judges agree: κ for rankings, α for ratings, and the correlation of each judge with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.statistics.agreement import kappa, krippendorff_alpha
from wordorder.core.statistics.correlation import correlate
from wordorder.formats.judgements import Comparisons, Ratings
from wordorder.report.table import Column, Table


@dataclass(frozen=True)
class RankingAgreement:
    """Agreement between judgements of the same two translations: P(A), P(E), κ and the number of pairs.

    P(A) is the observed agreement, and P(E) is the agreement that is expected by chance.
    """

    kind: str
    observed: float
    expected: float
    kappa: float
    pairs: int

    @property
    def uniform_kappa(self) -> float:
        """κ with P(E) = 1/3, as if the three answers were equally likely by chance (Birch 2011, 8.2.1.6)."""
        return kappa(self.observed, 1 / 3)


def ranking_agreement(comparisons: Comparisons) -> list[RankingAgreement]:
    """Measure inter- and intra-annotator agreement as WMT does (Callison-Burch et al. 2010–12).

    There are three answers: better, worse and equal. P(E) = P(better)² + P(worse)² + P(equal)², where better and
    worse are taken to be equally likely.
    """
    item, own, answer = number_answers(comparisons)
    ties = comparisons.ties / max(len(comparisons), 1)
    expected = ties**2 + (1 - ties) ** 2 / 2
    all_agree, all_pairs = _count_pairs(item, answer)
    own_agree, own_pairs = _count_pairs(own, answer)
    found = []
    for kind, agree, pairs in (
        ("between judges", all_agree - own_agree, all_pairs - own_pairs),
        ("of judges with themselves", own_agree, own_pairs),
    ):
        observed = agree / pairs if pairs else float("nan")
        found.append(RankingAgreement(kind, observed, expected, kappa(observed, expected), pairs))
    return found


def number_answers(judged: Comparisons) -> tuple[Int64s, Int64s, Int64s]:
    """Return three arrays with, for each judgement, an ID of the pair, an ID of pair and judge, and the answer.

    The answer is 0, 1 or 2 if the system with the lower index is worse, equal or better, respectively.
    """
    low, high = np.minimum(judged.first, judged.second), np.maximum(judged.first, judged.second)
    answer = np.where(judged.first <= judged.second, judged.preference, -judged.preference).astype(np.int64) + 1
    items = np.stack([judged.segment, low, high], axis=1)
    item = np.unique(items, axis=0, return_inverse=True)[1].ravel()
    own = np.unique(np.stack([item, judged.judge], axis=1), axis=0, return_inverse=True)[1].ravel()
    return item, own, answer


def _count_pairs(group: Int64s, answer: Int64s) -> tuple[int, int]:
    """Count the pairs of judgements within each group; return the number with equal answers and the number of all."""
    counts = np.bincount(group * 3 + answer, minlength=3 * (int(group.max(initial=-1)) + 1)).reshape(-1, 3)
    return count_agreeing(counts)


def count_agreeing(counts: Int64s) -> tuple[int, int]:
    """Return the numbers of agreeing pairs and of all pairs of judgements, given ``counts[items, answers]``."""
    total = counts.sum(axis=1)
    return int((counts * (counts - 1) // 2).sum()), int((total * (total - 1) // 2).sum())


def cell_means(row: Int64s, column: Int64s, values: Floats, shape: tuple[int, int]) -> Floats:
    """Return the mean of the values in each cell of a table; NaN in empty cells."""
    cell, size = row * shape[1] + column, shape[0] * shape[1]
    count = np.bincount(cell, minlength=size)
    with np.errstate(invalid="ignore"):
        return (np.bincount(cell, weights=values, minlength=size) / count).reshape(shape)


def rating_table(ratings: Ratings) -> Floats:
    """Return each judge's mean rating of each item, NaN where missing; an item is a system's output for a segment."""
    keys = ratings.segment * len(ratings.systems) + ratings.system
    items, place = np.unique(keys, return_inverse=True)
    return cell_means(ratings.judge, place, ratings.value, (len(ratings.judges), len(items)))


def leave_one_out(ratings: Ratings, *, method: str = "pearson") -> dict[str, tuple[float, int]]:
    """Correlate each judge with the mean of the other judges; return each correlation and its number of items."""
    table = rating_table(ratings)
    known = ~np.isnan(table)
    total, count = np.where(known, table, 0.0).sum(axis=0), known.sum(axis=0)
    found = {}
    for judge, name in enumerate(ratings.judges):
        with np.errstate(invalid="ignore", divide="ignore"):
            others = (total - np.where(known[judge], table[judge], 0.0)) / (count - known[judge])
        result = correlate(table[judge], others, method=method)
        found[name] = result.value, result.pairs
    return found


def middle(values: Sequence[float]) -> tuple[float, float, int]:
    """Return the median, standard deviation (n − 1) and count of the values, ignoring NaN (Birch 2011, Table 6.3)."""
    known = np.array([value for value in values if not np.isnan(value)])
    median = float(np.median(known)) if len(known) else float("nan")
    return median, float(known.std(ddof=1)) if len(known) > 1 else float("nan"), len(known)


def agreement_table(name: str, judged: Comparisons | Ratings) -> Table:
    """Return a table of the agreement between the judges of one test set."""
    if isinstance(judged, Comparisons):
        rows: list[list[Any]] = [
            [name, one.kind, one.observed, one.expected, one.kappa, one.uniform_kappa, one.pairs]
            for one in ranking_agreement(judged)
        ]
        heads = ["P(A)", "P(E)", "κ", "κ ⅓"]
        note = "three answers: better, worse, equal; P(E) from the share of ties; κ ⅓: P(E) = 1/3"
    else:
        alpha = krippendorff_alpha(rating_table(judged), scale="interval")
        rows = [[name, "α of all (interval)", alpha, len(judged)]]
        each = leave_one_out(judged)
        rows += [[name, f"r of {judge} with the others", *found] for judge, found in each.items()]
        median, deviation, count = middle([r for r, _ in each.values()])
        rows += [[name, "median of these r", median, count], [name, "SD of these r", deviation, count]]
        heads = ["value"]
        note = "α: Krippendorff's; r: a judge against the mean of the others, on items both rated"
    columns = [Column("set", "left"), Column("agreement", "left"), *map(Column, heads), Column("n")]
    return Table.of("", columns, rows, notes=[note])
