"""Measure how far judges agree, leave out judgements that others contradict, and test what people prefer.

Agreement is measured by κ for rankings, α for ratings, and the correlation of each judge with the others. For
preferences, votes are counted, and tests show whether the difference could be due to chance.

Judgements that other judges contradict can be left out (Stanojević & Sima'an 2014, 6.1). A screen is a set of
translations that one judge compared at once. Other judges may have made some of the same comparisons; the agreement
of the screen is the share of their answers that are the same.

An analysis of variance shows whether people rate some systems, or some amounts of reordering, higher than others. The
levels are the rated systems; in a study of scrambled sentences, they are bins of reordering (Birch 2011, 6.3). Each
person sees all levels, and each item appears at all levels, so the means are compared with repeated-measures
analyses, once by person and once by item.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.apps.metaeval.evaluation import MetaEvaluation
from wordorder.apps.metaeval.judged_set import JudgedSet
from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.runtime.errors import InputError, refuse, reject
from wordorder.core.statistics import variance
from wordorder.core.statistics.agreement import kappa, krippendorff_alpha
from wordorder.core.statistics.corrections import holm
from wordorder.core.statistics.correlation import correlate
from wordorder.core.statistics.tests import sign_flip_p, sign_p
from wordorder.formats.judgements import Comparisons, Ratings
from wordorder.report.table import Column, Table, Value


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


def leave_one_out(ratings: Ratings) -> dict[str, tuple[float, int]]:
    """Correlate each judge with the mean of the other judges; return each correlation and its number of items."""
    table = rating_table(ratings)
    known = ~np.isnan(table)
    total, count = np.where(known, table, 0.0).sum(axis=0), known.sum(axis=0)
    found = {}
    for judge, name in enumerate(ratings.judges):
        with np.errstate(invalid="ignore", divide="ignore"):
            others = (total - np.where(known[judge], table[judge], 0.0)) / (count - known[judge])
        result = correlate(table[judge], others)
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


MOST_PAIRS = 10
"""With more pairs of systems than this, a table for people has a row for each system instead."""


@dataclass(frozen=True)
class Preference:
    """The votes for the better of two systems, for the worse one and for neither, with three p-values.

    * ``p_one_sided``, ``p``: one- and two-sided exact sign tests, which treat judgements as independent and ignore
      votes for neither (Birch 2011, 8.2.1.6).
    * ``p_segments``: an exact sign-flip test over segments, which keeps the judgements of a segment together.
    """

    better: str
    worse: str
    wins: int
    losses: int
    undecided: int
    segments: int
    p_one_sided: float
    p: float
    p_segments: float


def preferences(judged: Comparisons) -> list[Preference]:
    """Count and test the votes for each pair of systems; with equal votes, the first system counts as better."""
    low, high = np.minimum(judged.first, judged.second), np.maximum(judged.first, judged.second)
    vote = np.where(judged.first <= judged.second, judged.preference, -judged.preference).astype(np.int64)
    found = []
    for a, b in np.unique(np.stack([low, high], axis=1), axis=0).tolist():
        of_pair = (low == a) & (high == b)
        votes = vote[of_pair]
        segments, place = np.unique(judged.segment[of_pair], return_inverse=True)
        sums = np.rint(np.bincount(place, weights=votes, minlength=len(segments))).astype(np.int64)
        better, worse, sign = (a, b, 1) if votes.sum() >= 0 else (b, a, -1)
        wins, losses = (int(np.count_nonzero(votes == side)) for side in (sign, -sign))
        found.append(
            Preference(
                judged.systems[better],
                judged.systems[worse],
                wins,
                losses,
                int(np.count_nonzero(votes == 0)),
                len(segments),
                sign_p(wins, losses, alternative="greater"),
                sign_p(wins, losses),
                sign_flip_p(sums),
            )
        )
    return found


def preference_table(name: str, judged: Comparisons) -> Table:
    """Return a table with one row per compared pair of systems, showing which one people prefer."""
    rows: list[list[Value]] = []
    for one in preferences(judged):
        votes = one.wins, one.losses, one.undecided
        rows.append([name, one.better, one.worse, *votes, one.p_one_sided, one.p, one.segments, one.p_segments])
    columns = [Column(head, "left") for head in ("set", "better", "worse")]
    right = ("for", "against", "neither", "p one-sided", "p", "segments", "p flips")
    columns += [Column(head, number=".3g") for head in right]
    notes = [
        "p: exact sign test over decided judgements; one-sided: only if the better system was expected to win",
        "p flips: exact sign-flip test over segments, all judgements of a segment together",
    ]
    if len(rows) > 1:
        notes.append("p-values are for single pairs of systems, not corrected for the number of pairs")
    return Table.of("", columns, rows, notes=notes)


def standing_table(name: str, judged: Comparisons) -> Table:
    """Return a table with one row per system: its votes against all others, and how many it is better or worse than.

    Differences are significant if the corrected p of the sign-flip test is below .05.
    """
    found = preferences(judged)
    votes: dict[str, Counter[str]] = {system: Counter() for one in found for system in (one.better, one.worse)}
    for one, p in zip(found, holm([one.p_segments for one in found]).tolist(), strict=True):
        votes[one.better] += Counter({"for": one.wins, "against": one.losses, "better than": int(p < 0.05)})
        votes[one.worse] += Counter({"for": one.losses, "against": one.wins, "worse than": int(p < 0.05)})
        for system in (one.better, one.worse):
            votes[system] += Counter({"neither": one.undecided})

    def share(system: str) -> float:
        decided = votes[system]["for"] + votes[system]["against"]
        return votes[system]["for"] / decided if decided else float("nan")

    counts = ("for", "against", "neither", "better than", "worse than")
    rows: list[list[Value]] = [
        [name, system, share(system), *(votes[system][key] for key in counts)]
        for system in sorted(votes, key=lambda system: (-np.nan_to_num(share(system), nan=-1.0), system))
    ]
    columns = [Column("set", "left"), Column("system", "left"), Column("won", number=".3f"), *map(Column, counts)]
    notes = [
        "won: for/(for + against), over all other systems",
        "better, worse than: number of systems (p flips, corrected for all pairs of the set, below .05)",
        "a row for each pair of systems: --format tsv, csv or json",
    ]
    return Table.of("", columns, rows, notes=notes)


def screen_agreement(judged: Comparisons) -> Floats:
    """Return, for each comparison, the agreement of its screen; NaN if no other judge made the same comparisons."""
    item, own, answer = number_answers(judged)
    others = _repeats(item) - _repeats(own)
    agreeing = _repeats(item * 3 + answer) - _repeats(own * 3 + answer)
    total = np.bincount(judged.screen, weights=others)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.bincount(judged.screen, weights=agreeing) / total
    return np.asarray(share[judged.screen])


def keep_agreed(judged: Comparisons, *, share: float = 1.0, confirmed: bool = False) -> Comparisons:
    """Leave out the screens whose agreement is below ``share``, and record the number of these screens.

    Screens whose agreement is unknown, because no other judge made the same comparisons, are kept unless
    ``confirmed`` is true.
    """
    refuse(not 0 < share <= 1, f"the minimum share of agreement must be above 0 and at most 1, not {share:g}")
    agreement = screen_agreement(judged)
    alone = np.isnan(agreement)
    below = ~alone & (agreement < share)
    dropped = {f"screens with agreement below {share:g}": below, "screens of one judge only": alone & confirmed}
    kept = ~(below | (alone & confirmed))
    reject(not kept.any(), f"no judgements are left: agreement is below {share:g} or unknown on every screen")
    counts = {what: len(np.unique(judged.screen[rows])) for what, rows in dropped.items() if rows.any()}
    if not kept.all():
        counts["comparisons on them"] = int(np.count_nonzero(~kept))
    return replace(judged.select(kept), left_out={**judged.left_out, **counts})


def effect_table(before: MetaEvaluation, after: MetaEvaluation) -> Table:
    """Return a table of each coefficient before and after judgements were left out."""
    rows: list[list[Value]] = []
    for level, name in before.measures:
        old, new = before.values(level, name), after.values(level, name)
        for s, judged in enumerate(before.sets):
            for m, metric in enumerate(before.metrics):
                values = float(old[m, s]), float(new[m, s]), float(new[m, s] - old[m, s])
                rows.append([judged.name, level, name, metric, *values])
    columns = [Column(head, "left") for head in ("set", "level", "coefficient", "metric")]
    columns += [Column("all"), Column("agreed"), Column("change", number="+.3f")]
    notes = [_note(*pair) for pair in zip(before.sets, after.sets, strict=True)]
    return Table.of("", columns, rows, notes=notes)


def _note(before: JudgedSet, after: JudgedSet) -> str:
    """Return a note on how many comparisons of a set are kept, and how far judges agreed before and after."""
    old, new = before.judgements, after.judgements
    assert isinstance(old, Comparisons)
    assert isinstance(new, Comparisons)
    first, second = (ranking_agreement(side)[0].kappa for side in (old, new))
    kept = f"{len(new)} of {len(old)} comparisons are kept"
    return f"{before.name}: {kept}; κ between judges {first:.3f} before, {second:.3f} after"


def _repeats(keys: Int64s) -> Int64s:
    """Return, for each element of ``keys``, how often its value occurs."""
    place, counts = np.unique(keys, return_inverse=True, return_counts=True)[1:]
    return np.asarray(counts[place.ravel()])


@dataclass(frozen=True)
class LevelComparison:
    """The ratings of each level, with analyses by person, by item, and as if all ratings were independent."""

    levels: tuple[str, ...]
    ratings: tuple[Floats, ...]
    by_person: variance.RepeatedAnova
    by_item: variance.RepeatedAnova
    one_way: variance.Anova
    pairs_by_person: list[variance.TukeyPair]
    pairs_by_item: list[variance.TukeyPair]

    @property
    def min_f(self) -> variance.Anova:
        """Min F′, which combines the analyses by person and by item."""
        return variance.min_f(self.by_person, self.by_item)


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
        variance.repeated_anova(people),
        variance.repeated_anova(items),
        variance.one_way_anova(groups),
        variance.repeated_tukey(people),
        variance.repeated_tukey(items),
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
