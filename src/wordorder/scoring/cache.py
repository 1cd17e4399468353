"""Scores kept on disk: a second look at the same texts, with another coefficient or one more metric, is instant."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from wordorder.core.runtime.cache import Cache
from wordorder.core.statistics import Resampling
from wordorder.metrics import Metric, choose_metrics, metric
from wordorder.metrics.registry import MetricSelection, is_built_in
from wordorder.scoring.inputs.base import Inputs
from wordorder.scoring.score import full_signature, run
from wordorder.scoring.scores import Scores

ROWS = 2
"""The version of what metrics count; raised whenever the rows of one of them change: old ones are then not read."""


def cached_scores(inputs: Inputs, *, metrics: MetricSelection, cache: Cache, threads: int = 1) -> Scores:
    """Score as ``score`` does, without samples, taking from the cache what it has.

    Every metric is kept under its own key, with the form it took on this test set; the signature is kept, too.
    Metrics of other packages are computed each time: nothing here would notice that they have changed.
    """
    asked = choose_metrics(metrics, available=inputs.offers)
    base = f"{inputs.fingerprint()} {list(inputs.systems)}" if cache.folder is not None else ""
    found = {str(each): cache.load(_key(each, base)) if is_built_in(each) else None for each in asked}
    missing = [each for each in asked if found[str(each)] is None]
    settled = {name: metric(str(kept["spec"])) for name, kept in found.items() if kept is not None}
    settled |= {str(each): each.bind(inputs) for each in missing}
    chosen = tuple(settled[str(each)] for each in asked)
    known = f"signature {[each.fingerprint for each in chosen]} {base}"
    kept = cache.load(known) if all(map(is_built_in, chosen)) else None
    signature = full_signature(inputs, chosen) if kept is None else json.loads(str(kept["json"]))
    if missing:
        fresh = [settled[str(each)] for each in missing]
        statistics = run(inputs.batches(fresh), inputs.systems, fresh, threads=threads).statistics
        scores = Scores(inputs.systems, tuple(fresh), statistics, {})
        for m, each in enumerate(missing):
            rows = {"rows": np.stack([row[m] for row in scores.rows]), "spec": np.array(str(fresh[m]))}
            found[str(each)] = rows
            if is_built_in(each):
                cache.store(_key(each, base), rows)
    if kept is None and all(map(is_built_in, chosen)):
        cache.store(known, {"json": np.array(json.dumps(signature))})
    columns = [np.asarray(rows["rows"], dtype=np.float64) for rows in found.values() if rows is not None]
    whole = tuple(np.hstack([column[s] for column in columns]) for s in range(len(inputs.systems)))
    resampling = Resampling(samples=0, threads=threads)
    kinds: dict[str, Any] = {"baseline": inputs.baseline, "judged": inputs.shown, "ranked": inputs.ranked}
    return Scores(inputs.systems, chosen, whole, signature, resampling, **kinds)


def _key(metric: Metric, base: str) -> str:
    return f"scores {ROWS} {metric.fingerprint} {base}"
