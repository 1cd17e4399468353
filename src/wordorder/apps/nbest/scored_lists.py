"""Score all hypotheses of n-best lists once; the corpus score of any choice follows from the stored statistics.

The oracle scores are those of the best and the worst choice from the lists under a metric.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from wordorder.apps.nbest.nbest import NBest, check_sentences
from wordorder.core.orders.alignment import UNKNOWN, Alignment, Alignments
from wordorder.core.orders.projection import DEFAULT_POLICY, order_against_reference
from wordorder.core.runtime.columns import Floats, Int64s, Ints, rows_of, strings, to_column
from wordorder.core.runtime.errors import InputError, InputWarning, UsageError, choices, count_of, mention, refuse
from wordorder.core.runtime.files import LINES_PER_BLOCK, display_name
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.settings import accepts_options
from wordorder.core.runtime.threads import spans
from wordorder.core.statistics.rows import CompactRows
from wordorder.core.text import tokenise
from wordorder.formats.sources import alignment_blocks, as_references, length_blocks, read_text
from wordorder.metrics import Metric, Need
from wordorder.metrics.registry import MetricSelection, choose_metrics
from wordorder.report import Column, Table
from wordorder.scoring.inputs.base import Blocks, Inputs, metric_signature
from wordorder.scoring.inputs.orders import alignment_file, check_policy, policy_signature
from wordorder.scoring.inputs.texts import MatchedTexts
from wordorder.scoring.options import InputOptions
from wordorder.scoring.score import full_signature, run
from wordorder.version import __version__

if TYPE_CHECKING:
    from wordorder.linking.parsing import Parsing


ORDERS = ("matched", "source")


@dataclass(frozen=True, eq=False)
class ScoredLists:
    """N-best lists with the statistics of all hypotheses for one or more metrics.

    Row ``row_of[h]`` of ``statistics`` belongs to hypothesis h; it has the columns of one metric after another.
    """

    lists: NBest
    metrics: tuple[Metric, ...]
    statistics: CompactRows
    row_of: Ints
    requested: tuple[str, ...] = ()
    """The names of the metrics as requested, before settings from the test set were added."""
    signature: dict[str, Any] | None = None

    def without_texts(self) -> ScoredLists:
        """Return the scored lists without their texts, which take much memory and are needed only by MIRA."""
        return replace(self, lists=replace(self.lists, texts=strings([])))

    def place(self, metric: str | Metric | None = None) -> int:
        """Return the index of a metric (by default, the first)."""
        if metric is None:
            return 0
        (wanted,) = choose_metrics(metric, available=frozenset(Need))[:1]
        for known in (self.requested, tuple(map(str, self.metrics))):
            if str(wanted) in known:
                return known.index(str(wanted))
        raise choices(str(wanted), list(self.requested or map(str, self.metrics)), what="metric of the scored lists")

    def rows(self, metric: str | Metric | None = None) -> CompactRows:
        """Return the columns of ``statistics`` that belong to a metric (by default, the first), without copying."""
        place = self.place(metric)
        widths = [len(each.columns) for each in self.metrics]
        first = sum(widths[:place])
        return self.statistics.between(first, first + widths[place])

    def score(self, choice: Int64s, metric: str | Metric | None = None) -> float:
        """Return the corpus score of a choice; ``choice`` has the index of one hypothesis for each sentence."""
        chosen = self.metrics[self.place(metric)]
        return float(chosen.corpus(self.rows(metric)[self.row_of[choice]].sum(axis=0)))

    def segments(self, metric: str | Metric | None = None) -> Floats:
        """Return the segment score of each hypothesis; NaN where undefined."""
        chosen = self.metrics[self.place(metric)]
        return np.asarray(chosen.segment(self.rows(metric)[:]))[self.row_of]


@dataclass(frozen=True, eq=False)
class ListedTexts(MatchedTexts):
    """Inputs whose segments are the hypotheses of n-best lists, each with the references for its sentence.

    Segment i is text number ``numbers[i]`` of the lists, and its references are line ``lines[i]`` of each reference
    text. With ``links`` (word alignments), the order of the source words in the hypothesis is compared with their
    order in each reference.
    """

    _: KW_ONLY
    numbers: Any = None
    lines: Any = None
    links: Alignments | None = None
    reference_links: tuple[Alignments, ...] = ()
    policy: str = DEFAULT_POLICY

    def _streams(self, lines: int) -> list[Iterator[pa.LargeStringArray]]:
        return [
            *(self._taken(column, self.lines, lines) for column in self.ref),
            *(self._taken(column, self.numbers, lines) for column in self.hyp.values()),
        ]

    def _taken(self, column: pa.LargeStringArray, rows: Any, lines: int) -> Iterator[pa.LargeStringArray]:
        return (column.take(to_column(rows[start:stop])) for start, stop in spans(len(rows), lines))

    def count_blocks(self) -> int | None:
        """Return the number of blocks into which the segments are divided."""
        return -(-len(self.numbers) // LINES_PER_BLOCK)

    @cached_property
    def dk(self) -> float | None:
        """The mean ``kendall-sqrt`` of the reference orders, compared with monotone order; None without links."""
        from wordorder.scoring.inputs.source import measure_dk

        return measure_dk(self.reference_links, self.policy) if self.reference_links else None

    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Return the signature, which records whether word orders come from matched words or from alignments."""
        if self.links is None:
            return super().signature(metrics)
        through = {"order": "source", **policy_signature(self.policy), "aligner": "given", "dk": self.dk}
        return {**through, **metric_signature(metrics), **self._text_signature()}

    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Yield the texts block by block; with ``links``, each block has the word orders derived from them."""
        start = 0
        for columns in self.line_blocks(lines=lines):
            stop = start + len(columns[0])
            orders = []
            if self.links is not None:
                scored = self.links[start:stop]
                gold = (links.take(self.lines[start:stop]) for links in self.reference_links)
                orders = [[order_against_reference(scored, links, policy=self.policy) for links in gold]]
            yield self._block(tokenise(columns, tokenizer=self.tokenize), columns, orders)
            start = stop


@accepts_options(InputOptions)
def score_lists(
    lists: NBest,
    references: Any,
    metrics: MetricSelection | None = None,
    *,
    order: str = "matched",
    ref_align: Any = None,
    source: Any = None,
    align_format: str = "pharaoh",
    base: int | None = None,
    policy: str = DEFAULT_POLICY,
    parsing: Parsing | None = None,
    reference_choice: str = "closest",
    renumber: bool = False,
    threads: int = 1,
    **words: Any,
) -> ScoredLists:
    """Score each distinct hypothesis of a sentence once, against the references for this sentence.

    ``references`` are one or more texts, whose first line belongs to sentence 0. With ``renumber``, the sentences of
    the lists are numbered in file order, ignoring their own numbers. ``order`` is "matched" (the order of the words
    that hypothesis and reference share) or "source" (the order of the source words, given by the alignments in the
    lists and in ``ref_align``; Birch 2011, ch. 8). ``parsing`` is the grammar or parser for metrics that compare
    parses, such as ``edpm``. ``words`` are settings of
    :class:`~wordorder.scoring.inputs.texts.MatchedTexts`, such as tokenisation, case and matching.

    >>> lists = NBest.of([["the cat sat", "sat the cat"]])
    >>> scored = lists.score(["the cat sat"], "bleu1,kendall")
    >>> scored.segments("kendall").tolist(), scored.score(np.array([1]), "bleu1")
    ([1.0, 0.3333333333333333], 1.0)
    """
    columns = _read_references(references)
    lists = lists.renumbered() if renumber else lists
    check_sentences(lists, len(columns[0]), "reference")
    if order == "source":
        check_policy(policy)
        words |= _through_source(lists, columns, ref_align, source, align_format, base)
        words["policy"] = policy
        rows = row_of = np.arange(len(lists.text), dtype=np.int32)
    elif order != "matched":
        raise choices(order, list(ORDERS), what="order")
    elif ref_align is not None or source is not None:
        raise UsageError(f"reference alignments and the source text require {mention('order', 'source')}")
    else:
        rows, row_of = lists.distinct()
    given = {name: value for name, value in words.items() if value is not None}
    lines = lists.ids[lists.sentences[rows]]
    texts = ListedTexts({"hypotheses": lists.texts}, columns, numbers=lists.text[rows], lines=lines, **given)
    inputs: Inputs = texts
    if parsing is not None:
        from wordorder.scoring.inputs.parsed import ParsedTexts

        inputs = ParsedTexts(texts, parsing, threads=threads)
    requested = choose_metrics(inputs.defaults if metrics is None else metrics, available=inputs.offers)
    chosen = tuple(metric.bind(inputs) for metric in requested)
    how: dict[str, Any] = {"reference_choice": reference_choice, "threads": threads, "total": inputs.count_blocks}
    (statistics,) = run(inputs.batches(chosen), inputs.systems, chosen, **how).statistics
    signature = {"metrics": list(map(str, chosen)), **full_signature(inputs, chosen, reference_choice)}
    signature["version"] = __version__
    return ScoredLists(lists, chosen, statistics, row_of, tuple(map(str, requested)), signature)


def _read_references(references: Any) -> list[Any]:
    columns = [read_text(text) for text in as_references(references, of=str)]
    refuse(not columns, "no reference was given; expected one or more")
    if len({len(column) for column in columns}) > 1:
        counts = ", ".join(str(len(column)) for column in columns)
        raise InputError(f"the references must have the same number of lines, but they have {counts}")
    return columns


def warn_if_order_only(metric: Metric, purpose: str) -> None:
    """Warn if a metric scores only word order, regardless of the words."""
    if not metric.requires & {Need.TEXT, Need.PARSES}:
        warn(
            f"{metric} scores word order alone: {purpose} gives poor translations whose few matched words are in "
            "order (Birch 2011, 8.2.2.1); use a metric that also scores words, such as lr-kb4 or full",
            InputWarning,
            stacklevel=2,
        )


def _through_source(
    lists: NBest, columns: Sequence[Any], given: Any, source: Any, align_format: str, base: int | None
) -> dict[str, Any]:
    """Return the links of all hypotheses and of all references, as keyword arguments for :class:`ListedTexts`."""
    if lists.alignments is None:
        raise UsageError(
            f"{mention('order', 'source')} requires the alignments in the lists; read the lists with alignments=True"
        )
    files = as_references(given, of=Alignment, what="reference alignments")
    if len(files) != len(columns):
        counts = f"{count_of(len(files), 'reference alignment')} for {count_of(len(columns), 'reference')}"
        raise UsageError(f"expected one alignment file for each reference, found {counts}")
    lengths = _source_lengths(lists, source, len(columns[0]))
    gold = tuple(_read_links(links, lengths, align_format, base) for links in files)
    scored = lists.alignments
    own = lengths[lists.ids[lists.sentences]]
    ends = scored.source == own[rows_of(scored.offsets)]  # Marian also aligns end-of-sentence tokens
    if source is not None and ends.any():
        kept = np.append(0, np.cumsum(~ends))[scored.offsets]
        scored = scored._at(~ends, slice(None), kept)
    try:
        return {"links": scored.with_lengths(source=own.astype(np.int32)), "reference_links": gold}
    except InputError as error:
        raise InputError(f"hypothesis {error.line}: {error.message}", path=lists.name) from None


def _read_links(given: Any, lengths: Ints, align_format: str, base: int | None) -> Alignments:
    links = alignment_file(given, align_format, base)
    column = Alignments.concatenate(list(alignment_blocks(links)))
    if len(column) != len(lengths):
        counts = f"{count_of(len(column), 'alignment')} for {count_of(len(lengths), 'reference line')}"
        raise InputError(f"expected one alignment for each reference line, found {counts}")
    reach = np.zeros(len(column), dtype=np.int32)  # the lengths of sentences without hypotheses do not matter
    np.maximum.at(reach, rows_of(column.offsets), column.source + 1)
    try:
        return column.with_lengths(source=np.where(lengths == UNKNOWN, reach, lengths))
    except InputError as error:
        file = display_name(links) if isinstance(links, os.PathLike) else "reference alignments"
        raise InputError(error.message, path=file, line=error.line) from None


def _source_lengths(lists: NBest, source: Any, count: int) -> Ints:
    """Return the number of source words per line, from the source text or else from the phrases in the lists."""
    if source is not None:
        lengths = np.concatenate(list(length_blocks(source, None) or []))
        if len(lengths) != count:
            raise InputError(f"the source has {count_of(len(lengths), 'line')}, but the reference has {count}")
        return lengths
    assert lists.alignments is not None
    known = lists.alignments.source_lengths
    if (known == UNKNOWN).any():
        raise UsageError(
            f"the lists do not contain the lengths of the source sentences; give the source text ({mention('source')})"
        )
    lengths = np.full(count, UNKNOWN, dtype=np.int32)
    lengths[lists.ids[lists.sentences]] = known
    return lengths


PASSES = 10
"""The maximum number of passes over all sentences that search for a better corpus score."""


@dataclass(frozen=True, eq=False)
class Oracle:
    """The best and the worst choice under one metric, and the corpus scores of these and of the model's choice."""

    metric: Metric
    best_choice: Int64s
    worst_choice: Int64s
    best: float
    worst: float
    model: float
    average: float
    """The corpus score of the mean statistics of each list, which represents randomly chosen hypotheses."""


def oracle(scored: ScoredLists, metric: str | Metric | None = None) -> Oracle:
    """Return the best and the worst choice under a metric (by default, the first metric).

    Each sentence starts with the hypothesis that has the best segment score. Then each sentence in turn gets the
    hypothesis that gives the best corpus score, with all other sentences unchanged, until no change improves the
    score. For metrics that are means of segment scores, the result is the optimum; for BLEU, it is a local optimum,
    at least as good as the start.

    >>> from wordorder.apps.nbest import NBest
    >>> found = oracle(NBest.of([["b a", "a b"]]).score(["a b"], "kendall"))
    >>> found.best, found.worst, found.model
    (1.0, 0.0, 0.0)
    """
    place = scored.place(metric)
    chosen, rows = scored.metrics[place], scored.rows(metric)[:]
    scores = scored.segments(metric)
    choices = []
    for sign in (1.0, -1.0):
        start = scored.lists.highest(np.nan_to_num(sign * scores, nan=-np.inf))
        choices.append(_improve(scored, chosen, rows, start, sign))
    sums = np.add.reduceat(rows[scored.row_of], scored.lists.offsets[:-1], axis=0)
    average = (sums / np.diff(scored.lists.offsets)[:, None]).sum(axis=0)
    best, worst, model = (
        float(chosen.corpus(rows[scored.row_of[choice]].sum(axis=0))) for choice in (*choices, scored.lists.choose())
    )
    return Oracle(chosen, choices[0], choices[1], best, worst, model, float(chosen.corpus(average)))


def _improve(scored: ScoredLists, metric: Metric, rows: Floats, choice: Int64s, sign: float) -> Int64s:
    """Change the choice for one sentence at a time while ``sign`` × corpus score increases; return the choice."""
    choice = choice.copy()
    offsets = scored.lists.offsets.tolist()
    total = rows[scored.row_of[choice]].sum(axis=0)
    for _ in range(PASSES):
        changed = False
        for sentence, (start, stop) in enumerate(pairwise(offsets)):
            current = rows[scored.row_of[choice[sentence]]]
            others = rows[scored.row_of[start:stop]]
            scores = sign * np.asarray(metric.corpus(total - current + others))
            best = start + int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))
            if scores[best - start] > scores[choice[sentence] - start] + 1e-12:
                total = total - current + rows[scored.row_of[best]]
                choice[sentence], changed = best, True
        if not changed:
            break
    return choice


def oracle_table(scored: ScoredLists) -> Table:
    """Return a table with the worst, the average, the decoder's and the best corpus score under each metric."""
    found = [oracle(scored, metric) for metric in scored.metrics]
    names = ("worst", "average", "model", "best", "gap")
    columns = [Column("metric", "left"), *(Column(name, share=True) for name in names)]
    rows: list[list[Any]] = [
        [one.metric.label, one.worst, one.average, one.model, one.best, one.best - one.model] for one in found
    ]
    lists = scored.lists
    notes = [
        f"{len(lists)} sentences, {len(lists.text)} hypotheses, {len(lists.distinct()[0])} distinct",
        "model: the hypothesis with the highest total"
        if lists.totals is not None
        else "model: the first hypothesis of each list, since there are no totals",
        "gap: from the model's choice to the best",
    ]
    notes += [f"{one.metric}: {one.metric.note}" for one in found if one.metric.note]
    return Table.of("", columns, rows, notes=notes, signature=scored.signature)
