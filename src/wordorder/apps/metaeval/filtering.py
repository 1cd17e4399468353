"""Leave out judgements that other judges contradict, and show the effect (Stanojević & Sima'an 2014, 6.1).

A screen is a set of translations that one judge compared at once. Other judges may have made some of the same
comparisons; the agreement of the screen is the share of their answers that are the same.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wordorder.apps.metaeval.agreement import number_answers, ranking_agreement
from wordorder.apps.metaeval.evaluation import MetaEvaluation
from wordorder.apps.metaeval.judged_set import JudgedSet
from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.formats.judgements import Comparisons
from wordorder.report.table import Column, Table, Value


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
    if not 0 < share <= 1:
        raise UsageError(f"the minimum share of agreeing answers must be above 0 and at most 1, not {share:g}")
    agreement = screen_agreement(judged)
    alone = np.isnan(agreement)
    below = ~alone & (agreement < share)
    dropped = {f"screens with agreement below {share:g}": below, "screens of one judge only": alone & confirmed}
    kept = ~(below | (alone & confirmed))
    if not kept.any():
        raise InputError(f"no judgements are left: agreement is below {share:g} or unknown on every screen")
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
