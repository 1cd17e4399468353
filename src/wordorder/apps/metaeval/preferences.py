"""Count which of two systems people prefer, and test whether the difference could be due to chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.core.statistics.tests import sign_flip_p, sign_p
from wordorder.formats.judgements import Comparisons
from wordorder.report.table import Column, Table, Value


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
