"""Count which of two systems people prefer, and test whether the difference could be due to chance."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from wordorder.core.statistics.corrections import holm
from wordorder.core.statistics.tests import sign_flip_p, sign_p
from wordorder.formats.judgements import Comparisons
from wordorder.report.table import Column, Table, Value

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
