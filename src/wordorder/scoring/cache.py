"""A cache of scores on disk, so that the same texts are scored only once under each metric."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.cache import Cache
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.rows import CompactRows
from wordorder.metrics import Metric, choose_metrics, metric
from wordorder.metrics.base import Need
from wordorder.metrics.lexical import Matched
from wordorder.metrics.registry import MetricSelection, is_built_in
from wordorder.scoring.inputs.base import Inputs
from wordorder.scoring.score import full_signature, run
from wordorder.scoring.scores import Scores

ROWS = 5
"""The version of cached rows; it must be raised when a metric changes its rows, so that old rows are not loaded."""


def cached_scores(inputs: Inputs, *, metrics: MetricSelection, cache: Cache, threads: int = 1) -> Scores:
    """Return scores without bootstrap samples; cached results are loaded, and only the missing ones are computed.

    The segment statistics of each metric and the signature are cached under separate keys. The statistics are stored
    with the spec of the metric, including the parameter values taken from this test set. Metrics from other packages
    are always computed, because changes in their code cannot be detected. Matched words of texts are counted, too.
    """
    requested = choose_metrics(metrics, available=inputs.offers)
    counted = [Matched()] if Need.TEXT in inputs.offers else []
    base = f"{inputs.fingerprint()} {list(inputs.systems)}" if cache.folder is not None else ""
    wanted = {str(each): each for each in (*requested, *counted)}
    found = {name: cache.load(_key(each, base)) if is_built_in(each) else None for name, each in wanted.items()}
    missing = [each for name, each in wanted.items() if found[name] is None]
    settled = {name: metric(str(kept["spec"])) for name, kept in found.items() if kept is not None}
    settled |= {str(each): each.bind(inputs) for each in missing}
    chosen = tuple(settled[str(each)] for each in requested)
    known = f"signature {[each.fingerprint for each in chosen]} {base}"
    kept = cache.load(known) if all(map(is_built_in, chosen)) else None
    signature = full_signature(inputs, chosen) if kept is None else json.loads(str(kept["json"]))
    rows = {name: _unpacked(kept) for name, kept in found.items() if kept is not None}
    if missing:
        fresh = [settled[str(each)] for each in missing]
        measured = run(inputs.batches(fresh), inputs.systems, fresh, threads=threads).statistics
        ends = np.cumsum([0, *(len(each.columns) for each in fresh)]).tolist()
        for each, one, (first, last) in zip(missing, fresh, pairwise(ends), strict=True):
            rows[str(each)] = CompactRows.beside([system.between(first, last) for system in measured])
            if is_built_in(each):
                cache.store(_key(each, base), _packed(rows[str(each)], str(one)))
    if kept is None and all(map(is_built_in, chosen)):
        cache.store(known, {"json": np.array(json.dumps(signature))})

    def columns(names: Sequence[Metric]) -> tuple[CompactRows, ...]:
        parts = [(rows[str(each)], len(settled[str(each)].columns)) for each in names]
        return tuple(
            CompactRows.beside([part.between(s * width, (s + 1) * width) for part, width in parts])
            for s in range(len(inputs.systems))
        )

    resampling = Resampling(samples=0, threads=threads)
    known_inputs: dict[str, Any] = {"scored_inputs": inputs.without_scores, "ranked": inputs.ranked}
    if counted:
        known_inputs["counts"] = columns(counted)
    statistics = columns(requested)
    return Scores(inputs.systems, chosen, statistics, signature, resampling, baseline=inputs.baseline, **known_inputs)


def _packed(rows: CompactRows, spec: str) -> dict[str, NDArray[Any]]:
    """Return the arrays in which the rows of a metric, for one system beside the other, are cached."""
    return {"spec": np.array(spec), "places": rows.places} | {f"{k}": each for k, each in enumerate(rows.columns)}


def _unpacked(arrays: Mapping[str, NDArray[Any]]) -> CompactRows:
    """Return the rows of a metric from the arrays in which they are cached."""
    return CompactRows(tuple(arrays[f"{k}"] for k in range(len(arrays) - 2)), arrays["places"])


def _key(metric: Metric, base: str) -> str:
    return f"scores {ROWS} {metric.fingerprint} {base}"
