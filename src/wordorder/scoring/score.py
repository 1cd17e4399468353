"""Scoring of inputs: choose the metrics, then compute the statistics of all segments, block by block."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import InputWarning, check_choice, mention, reject
from wordorder.core.runtime.threads import map_chunks, progress
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.rows import CompactRows, RowsBuilder
from wordorder.core.text.checks import NOT_ALIKE, warn_about
from wordorder.metrics.base import DRAWN, Array, Metric, Need, choose_reference
from wordorder.metrics.batch import Batch
from wordorder.metrics.lexical import MatchCounts, Matched
from wordorder.metrics.registry import MetricSelection, choose_metrics
from wordorder.report.table import find_name
from wordorder.scoring.common_words import MatchedOrders, uses_order_alone
from wordorder.scoring.inputs.base import Inputs
from wordorder.scoring.options import REFERENCE_CHOICES, TESTS
from wordorder.scoring.scores import ENOUGH_WORDS, FEW_MATCHED, FEW_OF_BEST, Scores

FEWEST_LINES = 30
"""The smallest number of lines whose share of matched words is compared with that of the other lines."""


def score(
    inputs: Inputs,
    *,
    metrics: MetricSelection | None = None,
    reference_choice: str = "closest",
    docs: Sequence[str] | None = None,
    buckets: Sequence[str] | None = None,
    baseline: str | None = None,
    test: str = "bootstrap",
    resampling: Resampling | None = None,
    count_chunks: bool = False,
) -> Scores:
    """Score every system of the inputs under every metric.

    ``metrics`` is a string of specs separated by commas, or a list of specs and metric objects. ``docs`` and
    ``buckets`` list, for every segment, the name of its document and of its bucket (a group such as "high"). Systems
    are compared with ``baseline`` or, by default, with the best system under each metric. ``count_chunks`` counts the
    chunks of matched words, which ``write_segments`` writes, even if no metric needs the best matching.

    >>> from wordorder.scoring.inputs import GivenOrders
    >>> orders = GivenOrders({"A": ["1 2 3", "2 1 3"], "B": ["3 2 1", "1 2 3"]})
    >>> score(orders, metrics="kendall,hamming").values.round(3).tolist()
    [[0.833, 0.667], [0.5, 0.667]]
    """
    check_choice(test, TESTS, "test")
    if baseline is not None:
        baseline = inputs.systems[find_name(baseline, inputs.systems, what="baseline")]
    resampling = resampling or Resampling()
    requested = choose_metrics(inputs.defaults if metrics is None else metrics, available=inputs.offers)
    chosen = tuple(metric.bind(inputs) for metric in requested)
    signature = full_signature(inputs, chosen, reference_choice)
    matched = signature["order"] == "matched"
    found = run(
        inputs.batches(chosen),
        inputs.systems,
        chosen,
        reference_choice=reference_choice,
        threads=resampling.threads,
        counted=inputs.offers,
        total=inputs.count_blocks,
        count_chunks=count_chunks or (matched and any(Need.ORDER in metric.requires for metric in chosen)),
    )
    falls = find_falls(inputs.systems, found.counts) if inputs.ranked and found.counts else []
    warned = [str(InputWarning(inputs.text_warning))] if inputs.text_warning else []
    if falls:
        warn_about("; ".join(falls))
    elif matched:
        few = warn_of_few_matches(inputs, (counts.between(0, 2).sum() for counts in found.counts or ()))
        warned += few if len(inputs.systems) == 1 else []  # a table of several says which ones are not ranked
    return Scores(
        inputs.systems,
        chosen,
        found.statistics,
        signature,
        resampling,
        documents=docs,
        buckets=buckets,
        baseline=inputs.baseline if baseline is None else baseline,
        test=test,
        counts=found.counts,
        order_words=found.order_words,
        draws=found.draws,
        matched_orders=found.matched_orders,
        scored_inputs=inputs.without_scores,
        ranked=inputs.ranked,
        notes=(*inputs.notes, *warned, *falls),
    )


def full_signature(inputs: Inputs, metrics: Sequence[Metric], reference_choice: str = "closest") -> dict[str, Any]:
    """Return the signature of the inputs, including the choice of reference if there are several references."""
    signature = inputs.signature(metrics)
    choice = {"reference_choice": reference_choice} if signature.get("references", 1) > 1 else {}
    return signature | choice


Measured = tuple[Array, Array | None, NDArray[np.int32]]
"""The statistics of a system in one block, their sums in each sampled alignment, and the words in its orders."""


class SegmentStatistics(NamedTuple):
    """The statistics of all segments; every field has one item per system.

    Each item of ``statistics`` has one row per segment and the columns of all metrics. If requested, ``counts`` has
    the columns of ``Matched`` or, if chunks are counted, of ``MatchCounts``, and ``order_words`` holds the number of
    words in the order of each segment. If orders were sampled several times, all these numbers are means over the
    samples, and each item of ``draws`` has one row per sample with the sums of all statistics. ``matched_orders`` are
    kept if several systems are compared by the order of their matched words; they are not tuples of systems.
    """

    statistics: tuple[CompactRows, ...]
    counts: tuple[CompactRows, ...] | None
    order_words: tuple[NDArray[np.int32], ...] | None
    draws: tuple[Array, ...] | None
    matched_orders: MatchedOrders | None


def warn_of_few_matches(inputs: Inputs, sums: Iterable[Array]) -> list[str]:
    """Warn if too few words match for order scores to be meaningful, unless an earlier warning explains why.

    The result is a list of notes: the warning, if there was one.

    ``sums`` contains, for each system, the number of matched reference words and the number of all reference words.
    """
    for system, (matched, words) in zip(inputs.systems, () if inputs.text_warning else sums, strict=False):
        if words >= ENOUGH_WORDS and matched < FEW_MATCHED * words:
            few = (
                f"only {100 * matched / words:.1f}% of the reference words are matched in {system}, and order "
                f"scores cover no others; {NOT_ALIKE} ({mention('lowercase', True)}, stems or synonyms match more)"
            )
            warn_about(few)
            return [str(InputWarning(few))]
    return []


def find_falls(systems: Sequence[str], counts: Sequence[CompactRows]) -> list[str]:
    """Return a sentence on each system whose share of matched words falls by half or more from some line on.

    That line is where two shares, one before it and one from it on, describe the matched words best (by likelihood).
    """
    found = []
    for system, rows in zip(systems, counts, strict=True):
        matched, words = (np.append(0.0, np.cumsum(column)) for column in rows.between(0, 2)[:].T)
        starts = np.arange(FEWEST_LINES, len(rows) - FEWEST_LINES + 1)
        before = matched[starts], words[starts]
        after = matched[-1] - before[0], words[-1] - before[1]
        if not len(starts) or min(words[starts[0]], words[-1] - words[starts[-1]]) < ENOUGH_WORDS:
            continue
        best = int((_fit(*before) + _fit(*after)).argmax())
        share, left = before[0][best] / before[1][best], after[0][best] / after[1][best]
        if left < FEW_OF_BEST * share:
            found.append(
                f"from about line {starts[best] + 1} on, {system} matches only {left:.1%} of the reference words, "
                f"but {share:.1%} before; is a line missing or added there?"
            )
    return found


def _fit(matched: Array, words: Array) -> Array:
    """Return the log-likelihood of a number of matched words if all words match with the same probability."""
    share = matched / np.maximum(words, 1)
    other = np.where(share < 1, 1 - share, 1.0)
    return matched * np.log(np.where(share > 0, share, 1.0)) + (words - matched) * np.log(other)


def run(
    blocks: Iterable[Sequence[Batch]],
    systems: Sequence[str],
    metrics: Sequence[Metric],
    *,
    reference_choice: str = "closest",
    threads: int = 1,
    counted: frozenset[Need] = frozenset(),
    total: Callable[[], int | None] | None = None,
    count_chunks: bool = False,
) -> SegmentStatistics:
    """Compute the statistics of all segments of every system.

    If ``counted`` contains ``Need.TEXT``, matched words are counted as well; if it contains ``Need.ORDER``, the words
    in orders are counted as well. If ``count_chunks`` is true, chunks are also counted, which needs the best matching
    of words. Blocks have a fixed size and are processed independently, so the results are
    exactly the same for any number of threads.
    """
    check_choice(reference_choice, REFERENCE_CHOICES, "choice of reference")
    counts = MatchCounts() if count_chunks else Matched()
    measured = (*metrics, *([counts] if Need.TEXT in counted else []))
    width = sum(len(metric.columns) for metric in metrics)

    compared = len(systems) > 1 and Need.TEXT in counted and any(map(uses_order_alone, metrics))

    def work(batches: Sequence[Batch]) -> tuple[list[Measured], MatchedOrders | None]:
        matched = MatchedOrders.of(batches) if compared and not batches[0].has_orders else None
        return [
            (
                *_mean_rows(batch, measured, reference_choice),
                np.rint(np.mean([draw.order_words for draw in batch.draws], axis=0)).astype(np.int32)
                if Need.ORDER in counted
                else np.zeros(0, np.int32),
            )
            for batch in batches
        ], matched

    done = [RowsBuilder() for _ in systems]
    words: list[list[NDArray[np.int32]]] = [[] for _ in systems]
    drawn: list[Array] = []
    matched_orders: list[MatchedOrders] = []
    shown = progress(blocks, label="scoring", total=total, unit=" blocks")
    for block, matched in map_chunks(work, shown, threads=threads):
        matched_orders += [matched] if matched is not None else []
        for s, (rows, sums, ordered) in enumerate(block):
            done[s].add(rows)
            words[s].append(ordered)
            if sums is not None and len(drawn) < len(systems):
                drawn.append(sums[:, :width])
            elif sums is not None:
                drawn[s] += sums[:, :width]
    reject(not words[0], "there is nothing to score, because the input has no segments")
    whole = [builder.finish() for builder in done]
    return SegmentStatistics(
        tuple(each.between(0, width) for each in whole),
        tuple(each.between(width, each.shape[1]) for each in whole) if Need.TEXT in counted else None,
        tuple(map(np.concatenate, words)) if Need.ORDER in counted else None,
        tuple(drawn) or None,
        MatchedOrders.concatenate(matched_orders) if matched_orders else None,
    )


def _mean_rows(batch: Batch, metrics: Sequence[Metric], reference_choice: str) -> tuple[Array, Array | None]:
    """Return the statistics of all metrics, averaged over the sampled orders, and their sums in each sample.

    If orders are not sampled, None is returned instead of the sums. Statistics that are equal in all samples are
    returned without rounding errors.
    """
    first, *others = batch.draws
    rows = [choose_reference(metric, metric.statistics(first), reference_choice) for metric in metrics]
    if not others:
        return np.hstack(rows), None
    changes = [np.zeros_like(row) for row in rows]
    sums = np.tile(np.hstack([row.sum(axis=0) for row in rows]), (len(batch.draws), 1))
    ends = np.cumsum([0, *(len(metric.columns) for metric in metrics)])
    for d, draw in enumerate(others, start=1):
        for m, metric in enumerate(metrics):
            if metric.requires & DRAWN:
                drawn = choose_reference(metric, metric.statistics(draw), reference_choice)
                changes[m] += drawn - rows[m]
                sums[d, ends[m] : ends[m + 1]] = drawn.sum(axis=0)
    return np.hstack([row + change / len(sums) for row, change in zip(rows, changes, strict=True)]), sums
