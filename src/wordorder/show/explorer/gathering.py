"""Collect the segments of scored inputs: read the texts or orders again, and store them as columns."""

import os
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from wordorder.core.runtime.columns import Floats, Int64s, sum_rows
from wordorder.core.runtime.errors import UsageError, reject
from wordorder.core.text import encode, lines_of
from wordorder.formats.sources import TextSource, read_text
from wordorder.linking.matching.matches import Chunks
from wordorder.metrics import Batch, Metric
from wordorder.scoring.inputs.monotone import MonotoneTexts
from wordorder.scoring.inputs.source import SourceTexts
from wordorder.scoring.inputs.texts import TextInputs
from wordorder.scoring.ranking import order_systems
from wordorder.scoring.scores import Scores
from wordorder.scoring.worst import order_metric, weights_words
from wordorder.show.explorer.segments import Segments, write_lines, write_words


def gather_segments(scores: Scores, *, name: str = "", source: TextSource | None = None) -> Segments:
    """Collect everything that the explorer shows about the scored segments.

    ``source`` is the source text to show if the scored inputs do not contain it.
    """
    inputs: Any = getattr(scores.scored_inputs, "texts", scores.scored_inputs)  # parsed texts contain the texts
    if inputs is None:
        raise UsageError(
            "a page of segments needs the scored inputs, but these scores do not include them; score the inputs again"
        )
    check_readable(inputs, source)
    values = np.array([[scores.segment_scores(name, metric) for name in scores.systems] for metric in scores.metrics])
    found = _join_blocks(list(map(_read_block, inputs.batches(()))))
    if isinstance(inputs, SourceTexts):
        found |= _through_source(inputs)
    elif isinstance(inputs, TextInputs) and source is not None:
        found["source"] = _read_source(source, len(scores))
    groups = {"document": scores.documents, "bucket": scores.buckets}
    main = order_metric(scores).label
    return Segments(
        name,
        scores.systems,
        tuple(scores.labels),
        values,
        tuple(_direction(scores, metric) for metric in scores.metrics),
        **found,
        main=main,
        order=tuple(scores.systems[s] for s in order_systems(scores, main if scores.ranked else None)),
        weighted=frozenset(each.label for each in scores.metrics if scores.order_words and weights_words(each)),
        order_words=scores.order_words or (),
        **_on_common_words(scores),
        groups={what: names for what, names in groups.items() if names is not None},
    )


def _on_common_words(scores: Scores) -> dict[str, Any]:
    """Return the scores of all pairs of systems on the words that both match, and how many these are."""
    count = 0 if getattr(scores, "matched_orders", None) is None else len(scores.systems)
    common: dict[str, dict[tuple[int, int], Floats]] = {}
    words = {}
    for a, b in combinations(range(count), 2):
        part = scores.on_common_words(scores.systems[a], scores.systems[b])
        assert part.order_words is not None
        words[a, b] = part.order_words[0]
        for m, name in enumerate(part.labels):
            common.setdefault(name, {}).update({(a, b): part.scores_at(0, m), (b, a): part.scores_at(1, m)})
    return {"common": common, "common_words": words}


def _direction(scores: Scores, metric: Metric) -> int:
    """Return 1 if higher scores are better, −1 if lower scores are better, and 0 if systems are not ranked."""
    if not scores.ranked or metric.higher_is_better is None:
        return 0
    return 1 if metric.higher_is_better else -1


def check_readable(inputs: Any, source: TextSource | None = None) -> None:
    """Raise UsageError if any text comes from a pipe, because a pipe cannot be read twice."""
    texts = [*inputs.ref, *inputs.hyp.values()] if isinstance(inputs, TextInputs) else []
    for text in (*texts, source):
        if isinstance(text, (str, os.PathLike)) and not os.path.isfile(text):
            raise UsageError(f"{os.fspath(text)}: a page reads each text twice, so it must be a file, not a pipe")


class _SegmentBlock(NamedTuple):
    """The columns of a block of consecutive segments.

    There is one column of text for each system and each reference, and one column of chunks for each pair of system
    and reference.
    """

    lengths: Int64s
    references: tuple[bytes, ...] = ()
    hypotheses: tuple[bytes, ...] = ()
    matches: tuple[tuple[Chunks, ...], ...] = ()
    orders: tuple[tuple[Chunks, ...], ...] = ()
    matched: tuple[Floats, ...] = ()


def _read_block(batches: Sequence[Batch]) -> _SegmentBlock:
    """Read the segments of one block, given as one batch per system."""
    given = [batch.orders for batch in batches if batch.has_orders]
    orders = tuple(tuple(Chunks.of_orders(each.permutations) for each in found) for found in given)
    if not batches[0].has_text:
        lengths = np.max([batch.orders[0].permutations.lengths for batch in batches], axis=0)
        return _SegmentBlock(lengths, orders=orders)
    names = write_words(batches[0].hypothesis)  # all texts of a block share one vocabulary
    references = batches[0].references
    counts = [reference.lengths for reference in references]
    matches = tuple(tuple(map(Chunks.of_matches, batch.matches)) for batch in batches)
    return _SegmentBlock(
        counts[0],
        tuple(write_lines(reference, names) for reference in references),
        tuple(write_lines(batch.hypothesis, names) for batch in batches),
        matches,
        orders,
        tuple(_matched(chunks, counts) for chunks in matches),
    )


def _join_blocks(blocks: Sequence[_SegmentBlock]) -> dict[str, Any]:
    """Concatenate the columns of all blocks."""

    def joined(join: Callable[[tuple[Any, ...]], Any], name: str) -> tuple[Any, ...]:
        return tuple(map(join, zip(*(getattr(block, name) for block in blocks), strict=True)))

    def join_chunks(parts: tuple[tuple[Chunks, ...], ...]) -> tuple[Chunks, ...]:
        return tuple(map(Chunks.concatenate, zip(*parts, strict=True)))

    matched = joined(np.concatenate, "matched")
    return {
        "lengths": np.concatenate([block.lengths for block in blocks]),
        **{name: joined(b"".join, name) for name in ("references", "hypotheses")},
        **{name: joined(join_chunks, name) for name in ("matches", "orders")},
        "matched": np.array(matched) if matched else None,
    }


def _matched(chunks: Sequence[Chunks], words: Sequence[Int64s]) -> Floats:
    """Return the share of matched reference words in each segment, the largest if there are several references."""
    shares = []
    for each, count in zip(chunks, words, strict=True):
        share = np.full(len(count), np.nan)
        np.divide(sum_rows(each.reference_size, each.offsets), count, out=share, where=count > 0)
        shares.append(share)
    result: Floats = np.fmax.reduce(shares)
    return result


def _through_source(inputs: SourceTexts) -> dict[str, Any]:
    """Return the source and its links to each text; references that are scored themselves count as systems."""
    gold, systems = inputs.reference_links, inputs.system_links
    if isinstance(inputs, MonotoneTexts):
        gold, systems = (), (*gold, *systems)
    source = inputs.tokens[0]
    return {
        "source": write_lines(source),
        "lengths": source.lengths,
        "hypotheses": tuple(map(write_lines, inputs.tokens[1 + len(gold) : 1 + len(gold) + len(systems)])),
        "reference_links": gold,
        "system_links": systems,
    }


def _read_source(source: TextSource, count: int) -> bytes:
    """Read a source text without tokenising it, because it is only displayed."""
    path = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
    lines = lines_of(source) if path is None else read_text(path)
    reject(len(lines) != count, f"expected one source line per segment, found {len(lines)} for {count}", path=path)
    return write_lines(encode(lines)[0])
