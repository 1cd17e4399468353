"""From scores to segments: the judged texts or orders are read once more and written as columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordorder.core.runtime.columns import Floats, Int64s, sum_rows
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.text import encode, lines_of
from wordorder.formats.sources import TextSource, read_text
from wordorder.metrics import Batch, Metric
from wordorder.scoring.inputs.monotone import MonotoneTexts
from wordorder.scoring.inputs.source import SourceTexts
from wordorder.scoring.inputs.texts import Texts
from wordorder.scoring.scores import Scores
from wordorder.show.explorer.segments import Chunks, Segments, write_lines, write_words


def gather_segments(scores: Scores, *, name: str = "", source: TextSource | None = None) -> Segments:
    """Gather what there is to see of the segments of some scores.

    ``source`` is the source text to be shown where the judged input does not know it.
    """
    judged: Any = getattr(scores.judged, "texts", scores.judged)  # of parsed texts, only the texts
    if judged is None:
        raise UsageError("these scores do not keep what was judged; score again to look at segments")
    check_readable(judged, source)
    read = _Read([_System() for _ in scores.systems])
    for batches in judged.batches(()):
        read.add(batches)
    values = np.array(
        [[scores.segment_scores(system, metric) for system in scores.systems] for metric in scores.metrics]
    )
    found: dict[str, Any] = read.columns()
    if isinstance(judged, SourceTexts):
        found |= _through_source(judged)
    elif isinstance(judged, Texts) and source is not None:
        found["source"] = _read_source(source, len(scores))
    groups = {"document": scores.documents, "bucket": scores.buckets}
    return Segments(
        name,
        scores.systems,
        tuple(scores.names),
        values,
        tuple(_direction(scores, metric) for metric in scores.metrics),
        **found,
        groups={what: names for what, names in groups.items() if names is not None},
    )


def _direction(scores: Scores, metric: Metric) -> int:
    """Return 1 if more is better, −1 if less is, and 0 where no system is better than another."""
    if not scores.ranked or metric.higher_is_better is None:
        return 0
    return 1 if metric.higher_is_better else -1


def check_readable(judged: Any, source: TextSource | None = None) -> None:
    """Refuse text from a pipe: it is gone by now."""
    texts = [*judged.references, *judged.hypotheses.values()] if isinstance(judged, Texts) else []
    for text in (*texts, source):
        if isinstance(text, (str, os.PathLike)) and not os.path.isfile(text):
            raise UsageError(f"{os.fspath(text)}: a page shows the text, which is read a second time; give a file")


@dataclass
class _System:
    """The columns of one system, block after block."""

    lines: list[bytes] = field(default_factory=list)
    matches: list[tuple[Chunks, ...]] = field(default_factory=list)
    orders: list[tuple[Chunks, ...]] = field(default_factory=list)


@dataclass
class _Read:
    """Everything that was read, block after block."""

    systems: list[_System]
    references: list[tuple[bytes, ...]] = field(default_factory=list)
    lengths: list[Int64s] = field(default_factory=list)
    matched: list[Floats] = field(default_factory=list)

    def add(self, batches: Sequence[Batch]) -> None:
        """Add one block of segments."""
        text = batches[0].has_text
        names = write_words(batches[0].hypothesis) if text else None  # one vocabulary for all texts of a block
        for system, batch in zip(self.systems, batches, strict=True):
            if text:
                system.lines.append(write_lines(batch.hypothesis, names))
                system.matches.append(tuple(map(Chunks.of_matches, batch.matches)))
            if batch.has_orders:
                system.orders.append(tuple(Chunks.of_orders(each.permutations) for each in batch.orders))
        if text:
            words = [reference.lengths for reference in batches[0].references]
            self.references.append(tuple(write_lines(words, names) for words in batches[0].references))
            self.lengths.append(words[0])
            self.matched.append(np.array([_matched(system.matches[-1], words) for system in self.systems]))
        else:
            self.lengths.append(np.max([batch.orders[0].permutations.lengths for batch in batches], axis=0))

    def columns(self) -> dict[str, Any]:
        """Return the columns of all segments."""
        return {
            "lengths": np.concatenate(self.lengths),
            "references": tuple(map(b"".join, zip(*self.references, strict=True))),
            "hypotheses": tuple(b"".join(system.lines) for system in self.systems if system.lines),
            "matches": tuple(_joined(system.matches) for system in self.systems if system.matches),
            "orders": tuple(_joined(system.orders) for system in self.systems if system.orders),
            "matched": np.concatenate(self.matched, axis=1) if self.matched else None,
        }


def _joined(blocks: Iterable[tuple[Chunks, ...]]) -> tuple[Chunks, ...]:
    return tuple(Chunks.concatenate(parts) for parts in zip(*blocks, strict=True))


def _matched(chunks: Sequence[Chunks], words: Sequence[Int64s]) -> Floats:
    """Return the share of reference words that were matched, under the reference that has most of them."""
    shares = []
    for each, count in zip(chunks, words, strict=True):
        share = np.full(len(count), np.nan)
        np.divide(sum_rows(each.reference_size, each.offsets), count, out=share, where=count > 0)
        shares.append(share)
    most: Floats = np.fmax.reduce(shares)
    return most


def _through_source(judged: SourceTexts) -> dict[str, Any]:
    """Return the source and its links with every text; where references are judged too, they are systems."""
    gold, systems = judged.reference_links, judged.system_links
    first, last = 1 + len(gold), 1 + len(gold) + len(systems)
    source = judged.tokens[0]
    found: dict[str, Any] = {"source": write_lines(source), "lengths": source.lengths}
    if isinstance(judged, MonotoneTexts):
        return found | {
            "hypotheses": tuple(map(write_lines, judged.tokens[1:last])),
            "system_links": (*gold, *systems),
        }
    texts = judged.tokens[first:last]
    return found | {"hypotheses": tuple(map(write_lines, texts)), "reference_links": gold, "system_links": systems}


def _read_source(source: TextSource, count: int) -> bytes:
    """Read a source that nobody compares words with; it is shown as it is written."""
    path = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
    lines = lines_of(source) if path is None else read_text(path)
    if len(lines) != count:
        raise InputError(f"the source has {len(lines)} lines, but there are {count} segments", path=path)
    return write_lines(encode(lines)[0])
