"""The segments to look at: the worst-ordered ones, and those where two systems differ most, with chunks marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from wordorder.inputs.texts import Texts
from wordorder.metrics.base import Array
from wordorder.runtime.errors import UsageError
from wordorder.text import Tokens, tokenise

if TYPE_CHECKING:
    from wordorder.matching import Matches
    from wordorder.scoring.scores import Scores


def show_worst(scores: Scores, *, count: int, by: str | None = None, between: Sequence[str] | None = None) -> str:
    """Write the ``count`` worst segments of each system, or those where two systems (``between``) differ most.

    ``by`` names the metric, the first one if it is None. Matched chunks stand in brackets, numbered in reference
    order: a hypothesis whose numbers run 1 2 3 … is in order.
    """
    texts = getattr(scores.judged, "texts", scores.judged)
    if not isinstance(texts, Texts) or not texts.references:
        raise UsageError("segments are shown as text beside a reference; these scores have none")
    metric = by or str(scores.metrics[0])
    if between is not None:
        one, two = (scores.segment_scores(system, metric) for system in between)
        rows = worst_segments(-np.abs(one - two), count)
        return _show(scores, texts, metric, list(between), rows)
    parts = []
    for system in scores.systems:
        rows = worst_segments(scores.segment_scores(system, metric), count)
        parts.append(_show(scores, texts, metric, [system], rows))
    return "".join(parts)


def worst_segments(scores: Array, count: int) -> list[int]:
    """Return the segments with the lowest scores, worst first; undefined ones have none and are left out.

    >>> worst_segments(np.array([0.5, np.nan, 0.1, 0.5]), 3)
    [2, 0, 3]
    """
    order = np.argsort(scores, kind="stable")  # NaN sorts last
    return [int(segment) for segment in order[:count] if not np.isnan(scores[segment])]


def mark_chunks(
    hypothesis: Sequence[str], reference: Sequence[str], spans: Sequence[tuple[int, int, int, int]]
) -> tuple[str, str]:
    """Write both sentences with their common chunks in brackets, numbered in reference order.

    ``spans`` are matches: start and size in the hypothesis, start and size in the reference.

    >>> words = ["to", "reduce", "it", "plans"], ["plans", "now", "to", "reduce"]
    >>> mark_chunks(*words, [(0, 1, 2, 1), (1, 1, 3, 1), (3, 1, 0, 1)])
    ('[2 to reduce] it [1 plans]', '[1 plans] now [2 to reduce]')
    """
    chunks: list[list[int]] = []  # first and end in the hypothesis, first and end in the reference
    for h, h_size, r, r_size in sorted(spans):
        if chunks and chunks[-1][1] == h and chunks[-1][3] == r:
            chunks[-1][1], chunks[-1][3] = h + h_size, r + r_size
        else:
            chunks.append([h, h + h_size, r, r + r_size])
    numbered = list(enumerate(sorted(chunks, key=lambda chunk: chunk[2]), start=1))
    return (
        _bracket(hypothesis, [(chunk[0], chunk[1], number) for number, chunk in numbered]),
        _bracket(reference, [(chunk[2], chunk[3], number) for number, chunk in numbered]),
    )


def _bracket(words: Sequence[str], spans: Sequence[tuple[int, int, int]]) -> str:
    parts: list[str] = []
    place = 0
    for first, end, number in sorted(spans):
        parts += [*words[place:first], f"[{number} {' '.join(words[first:end])}]"]
        place = end
    return " ".join([*parts, *words[place:]])


def _show(scores: Scores, texts: Texts, metric: str, systems: list[str], rows: list[int]) -> str:
    hypotheses, references = texts.pick(systems, rows)
    columns = tokenise([*hypotheses, *references], tokenizer=texts.tokenizer, lowercase=texts.lowercase)
    match = texts.matching.over(columns[0].vocabulary)
    lines = []
    for place, row in enumerate(rows):
        shown_scores = "  ".join(
            f"{system} {metric} {scores.segment_scores(system, metric)[row]:.3f}" for system in systems
        )
        lines.append(f"segment {row + 1}  {shown_scores}")
        for s in range(len(systems)):
            words = columns[s]
            shown = [_marked(match, words, gold, place) for gold in columns[len(systems) :]]
            hypothesis, reference, matched, chunks = max(shown, key=lambda option: option[2])
            title = "hyp" if len(systems) == 1 else systems[s]
            lines.append(f"  {'ref':{len(title)}}  {reference}")
            lines.append(f"  {title:3}  {hypothesis}")
            lines.append(f"  {'':{max(len(title), 3)}}  {matched} reference words matched in {chunks} chunks")
        lines.append("")
    return "\n".join(lines) + "\n" if lines else ""


def _marked(match: object, hypothesis: Tokens, reference: Tokens, row: int) -> tuple[str, str, int, int]:
    assert callable(match)
    matches: Matches = match(hypothesis.slice(row, row + 1), reference.slice(row, row + 1), None)
    spans = list(
        zip(
            matches.hypothesis.tolist(),
            matches.hypothesis_size.tolist(),
            matches.reference.tolist(),
            matches.reference_size.tolist(),
            strict=True,
        )
    )
    marked = mark_chunks(hypothesis.words(row), reference.words(row), spans)
    return *marked, int(matches.reference_size.sum()), int(matches.chunks.sum())
