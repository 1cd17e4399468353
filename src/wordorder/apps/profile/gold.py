"""Compare the reorderings in automatic alignments with those in gold alignments (Birch 2011, §4.3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.apps.profile.corpus import Corpus
from wordorder.apps.profile.measures import Measures
from wordorder.apps.profile.profiles import profile
from wordorder.core.reorderings.quantity import rquantity
from wordorder.core.runtime.columns import Floats, Int64s, rows_of
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.plain import plain
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.correlation import correlate
from wordorder.core.statistics.resampling import interval
from wordorder.core.statistics.tests import bootstrap_p
from wordorder.report.table import Cell, Column, Table


@dataclass(frozen=True)
class GoldAgreement:
    """A comparison of one corpus with gold alignments of the same sentences.

    ``difference`` is the mean RQuantity of the corpus minus that of the gold alignments, with the 95% interval
    ``low`` to ``high``; ``p`` is the p-value of a paired bootstrap test. ``r`` is the correlation between the
    RQuantity of the sentences in the corpus and in the gold alignments. ``found`` is the number of reorderings that
    have the same spans in both; divided by all reorderings in the corpus, it gives ``precision``; by all gold
    reorderings, ``recall``.
    """

    corpus: str
    sentences: int
    rquantity: float
    difference: float
    low: float
    high: float
    p: float
    r: float
    reorderings: int
    found: int
    precision: float
    recall: float


@dataclass(frozen=True, eq=False)
class GoldComparison:
    """The comparisons of one or more corpora with gold alignments.

    ``rquantity`` and ``reorderings`` are the mean RQuantity and the number of reorderings in the gold alignments.
    """

    gold: str
    rquantity: float
    reorderings: int
    agreements: tuple[GoldAgreement, ...]
    side: str
    resampling: Resampling

    def table(self) -> Table:
        """Return a table that compares RQuantity (as in Birch 2011, Table 4.2) and reorderings with the gold ones."""
        columns = [Column("alignments", "left"), Column("RQuantity"), Column("difference"), Column("p", number=".2g")]
        columns += map(Column, ("r", "reorderings", "in both", "precision", "recall"))
        rows: list[list[Cell | str | float | int | None]] = [
            [self.gold, self.rquantity, *[None] * 3, self.reorderings, *[None] * 3]
        ]
        for row in self.agreements:
            change = Cell(row.difference, (row.low, row.high))
            counts = row.reorderings, row.found, row.precision, row.recall
            rows.append([row.corpus, row.rquantity, change, row.p, row.r, *counts])
        notes = [
            f"RQuantity in {self.side} words; difference from {self.gold}, 95% intervals and p from "
            f"{self.resampling.samples} bootstrap samples of sentences",
            "r: correlation of RQuantity over sentences; in both: reorderings with the same words on both sides",
        ]
        return Table.of("", columns, rows, notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparisons as unrounded plain data; undefined numbers are None."""
        gold = {"corpus": self.gold, "rquantity": self.rquantity, "reorderings": self.reorderings}
        return {"gold": plain(gold), "corpora": [plain(vars(row)) for row in self.agreements]}


class GoldComparer:
    """A collector of the measures of gold and other alignments, block by block, which finally compares them."""

    def __init__(self, gold: Corpus, *, side: str = "target") -> None:
        self.gold = gold.name
        self.side = side
        self._blocks: dict[str, list[_Sentences]] = {gold.name: []}

    def add(self, corpus: Corpus, measures: Measures) -> None:
        """Add the measures of a block of sentences, from a corpus or from the gold alignments."""
        self._blocks.setdefault(corpus.name, []).append(_compared_columns(measures, self.side))

    def compare(self, *, resampling: Resampling) -> GoldComparison:
        """Compare every corpus with the gold alignments; raise an error if the sentences differ."""
        known = {name: _join(parts) for name, parts in self._blocks.items()}
        gold = known.pop(self.gold)
        found = []
        for name, other in known.items():
            _check_sentences(name, other, self.gold, gold)
            found.append(_compare(name, other, gold, resampling))
        defined = gold.amounts[~np.isnan(gold.amounts)]
        mean = float(defined.mean()) if len(defined) else np.nan
        return GoldComparison(self.gold, mean, len(gold.spans), tuple(found), self.side, resampling)


def compare_with_gold(
    gold: Corpus,
    *corpora: Corpus,
    side: str = "target",
    threads: int = 1,
    resampling: Resampling | None = None,
) -> GoldComparison:
    """Compare the alignments of one or more corpora with gold alignments of the same sentences.

    >>> from wordorder.core.orders import Alignment
    >>> gold = Corpus("gold", [Alignment(((0, 1), (1, 0)), 2, 2)])
    >>> compare_with_gold(gold, Corpus("made", [Alignment(((0, 0), (1, 1)), 2, 2)])).agreements[0].difference
    -1.0
    """
    comparer = GoldComparer(gold, side=side)
    profile(gold, *corpora, side=side, threads=threads, visit=comparer.add)
    return comparer.compare(resampling=resampling or Resampling(threads=threads))


@dataclass(frozen=True, eq=False)
class _Sentences:
    """The sentences of a corpus as arrays: their source and target lengths, RQuantity, and reorderings.

    Each row of ``spans`` is a reordering: the number of its sentence, then the first and last words of its four
    spans.
    """

    lengths: Int64s
    amounts: Floats
    spans: Int64s


def _compared_columns(block: Measures, side: str) -> _Sentences:
    pairs, reorderings = block.alignments, block.reorderings
    lengths = np.stack([pairs.source_lengths, pairs.target_lengths], axis=1).astype(np.int64)
    rows = rows_of(reorderings.offsets) + block.first_row
    spans = np.column_stack([rows, reorderings.spans.reshape(len(rows), 8)]).astype(np.int64)
    return _Sentences(lengths, rquantity(reorderings, pairs, side=side), spans)


def _join(parts: Sequence[_Sentences]) -> _Sentences:
    empty = _Sentences(np.zeros((0, 2), np.int64), np.zeros(0), np.zeros((0, 9), np.int64))
    columns = zip(*((part.lengths, part.amounts, part.spans) for part in (empty, *parts)), strict=True)
    return _Sentences(*map(np.concatenate, columns))


def _check_sentences(name: str, other: _Sentences, gold_name: str, gold: _Sentences) -> None:
    if len(other.lengths) != len(gold.lengths):
        raise InputError(
            f"found {len(other.lengths)} and {len(gold.lengths)} sentence pairs in {name} and {gold_name}; both must "
            "align the "
            "same sentences"
        )
    differing = (other.lengths != gold.lengths).any(axis=1)
    if differing.any():
        row = int(np.argmax(differing))
        one, two = ("{} and {} words".format(*lengths[row].tolist()) for lengths in (other.lengths, gold.lengths))
        raise InputError(
            f"sentence pair {row + 1} has {one} in {name}, but {two} in {gold_name}; both must align the same "
            "sentences"
        )


def _compare(name: str, other: _Sentences, gold: _Sentences, resampling: Resampling) -> GoldAgreement:
    both = ~np.isnan(gold.amounts)  # lengths are equal, so the same sentences are undefined in both
    amounts = np.stack([other.amounts[both], gold.amounts[both]], axis=1)
    count = len(amounts)
    mean, gold_mean = amounts.mean(axis=0).tolist() if count else (np.nan, np.nan)
    replicates = resampling.sums(amounts) / max(count, 1)
    changes = replicates[:, 0] - replicates[:, 1]
    low, high = interval(changes)
    shared = len(set(map(tuple, other.spans.tolist())) & set(map(tuple, gold.spans.tolist())))
    return GoldAgreement(
        corpus=name,
        sentences=count,
        rquantity=mean,
        difference=mean - gold_mean,
        low=float(low),
        high=float(high),
        p=float(bootstrap_p(mean - gold_mean, changes)) if len(changes) else np.nan,
        r=correlate(amounts[:, 0], amounts[:, 1]).value,
        reorderings=len(other.spans),
        found=shared,
        precision=shared / len(other.spans) if len(other.spans) else np.nan,
        recall=shared / len(gold.spans) if len(gold.spans) else np.nan,
    )
