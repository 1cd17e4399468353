"""Compare reorderings: those of systems with those of a reference, and automatic ones with gold ones.

The share of reference reorderings that a system reproduced is measured by width (Birch 2011, §3.4.3). A reference
reordering counts as reproduced if a single phrase pair of the system covers its source words, or if any reordering of
the system lies within its source words. The share is therefore an upper bound.

The reorderings in automatic alignments are compared with those in gold alignments (Birch 2011, §4.3.1).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from wordorder.apps.profile.corpus import Corpus, check_names
from wordorder.apps.profile.measures import Measures
from wordorder.apps.profile.profiles import profile
from wordorder.core.orders import Phrases
from wordorder.core.reorderings.extraction import extract, rquantity
from wordorder.core.reorderings.reorderings import A_SOURCE, B_SOURCE, WIDTH_CLASSES, Reorderings
from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints, rows_of
from wordorder.core.runtime.errors import InputError, count_of, refuse
from wordorder.core.runtime.kernels import kernel
from wordorder.core.runtime.plain import plain
from wordorder.core.runtime.threads import progress
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.correlation import correlate
from wordorder.core.statistics.resampling import interval
from wordorder.core.statistics.tests import bootstrap_p
from wordorder.formats.sources import lockstep
from wordorder.report.table import Cell, Column, Mark, Table, Tabular
from wordorder.version import __version__

CLASSES = (*WIDTH_CLASSES, "all")
"""The width classes for which shares are reported."""


@dataclass(frozen=True, eq=False)
class Reproduction:
    """The reference reorderings that one system reproduced.

    ``flags`` and ``widths`` have an entry for each reordering of the reference: whether it was reproduced, and how
    many words wide it is.
    """

    flags: Bools
    widths: Ints
    counts: Int64s
    """Numbers of reproduced and of all reorderings, ``[sentences, width classes, 2]``."""

    @classmethod
    def concatenate(cls, parts: "Sequence[Reproduction]") -> "Reproduction":
        """Concatenate the results for consecutive blocks of sentences; there must be at least one block."""
        return cls(*map(np.concatenate, zip(*((one.flags, one.widths, one.counts) for one in parts), strict=True)))

    def by_width(self) -> dict[int, tuple[int, int]]:
        """Return, for every width, the numbers of reproduced and of all reorderings (Birch 2011, Figure 3.25)."""
        total = np.bincount(self.widths)
        done = np.bincount(self.widths[self.flags], minlength=len(total))
        return {int(width): (int(done[width]), int(total[width])) for width in np.flatnonzero(total)}


def find_reproduced(
    reference: Reorderings, hypothesis: Reorderings, *, phrases: Phrases | None = None, side: str = "target"
) -> Reproduction:
    """Find the reference reorderings that a system reproduced in the same source sentences.

    ``phrases`` are the phrase pairs of the system. The width of a reordering is measured on ``side``.

    >>> from wordorder.core.orders import Alignment
    >>> from wordorder.apps.profile import extract
    >>> reference = extract(Alignment(((0, 1), (1, 0), (2, 3), (3, 2))).column())
    >>> hypothesis = extract(Alignment(((0, 0), (1, 1), (2, 3), (3, 2))).column())
    >>> find_reproduced(reference, hypothesis).flags.tolist()
    [False, True]
    """
    for other in (hypothesis, phrases):
        if other is not None and len(other) != len(reference):
            raise InputError(
                f"the system has {count_of(len(other), 'sentence')}, but the reference has {len(reference)}; both "
                "must have the same source sentences"
            )
    if phrases is None:
        phrases = Phrases.of([()] * len(reference))
    flags = _reproduced(
        _scopes(reference), reference.offsets, _scopes(hypothesis), hypothesis.offsets, phrases.spans, phrases.offsets
    )
    classes = len(WIDTH_CLASSES)
    cells = (rows_of(reference.offsets) * classes + reference.width_classes(side)).astype(np.int64)
    size = len(reference) * classes
    counts = np.stack([np.bincount(cells[flags], minlength=size), np.bincount(cells, minlength=size)], axis=-1)
    return Reproduction(flags, reference.widths(side), counts.reshape(len(reference), classes, 2))


def _records(reference: Reorderings, found: Reproduction, first_row: int, side: str) -> Iterator[dict[str, object]]:
    """Yield the reorderings of each sentence, numbered from 1, and whether they were reproduced, as JSON records."""
    flags = iter(found.flags.tolist())
    for row, reorderings in enumerate(reference, start=first_row + 1):
        made = [{"reordering": str(one), "width": one.width(side), "reproduced": next(flags)} for one in reorderings]
        yield {"sentence": row, "reorderings": made}


@dataclass(frozen=True, eq=False)
class Reproductions(Tabular):
    """The reference reorderings that each of several systems reproduced.

    Shares are computed for each of the width classes in ``CLASSES``. Confidence intervals use the same bootstrap
    samples for all systems.
    """

    systems: tuple[str, ...]
    found: tuple[Reproduction, ...]
    inputs: dict[str, object]
    side: str = "target"
    resampling: Resampling = Resampling()

    def __len__(self) -> int:
        return len(self.found[0].counts)

    @cached_property
    def shares(self) -> Floats:
        """The share of reference reorderings that were reproduced, ``[systems, classes]``; NaN for empty classes."""
        return _shares(np.stack([each.counts.sum(axis=0) for each in self.found]).astype(np.float64))

    @cached_property
    def intervals(self) -> tuple[Floats, Floats]:
        """The lower and upper bounds of 95% intervals of ``shares``, from bootstrap samples of sentences."""
        rows = np.stack([each.counts for each in self.found], axis=1).astype(np.float64)
        drawn = self.resampling if len(self) > 1 else replace(self.resampling, samples=0)
        return interval(_shares(drawn.sums(rows.reshape(len(rows), -1)).reshape(-1, *rows.shape[1:])))

    @property
    def signature(self) -> dict[str, object]:
        """The signature, which records how the reference was read, the side, the resampling and the version."""
        drawn = {"samples": self.resampling.samples, "seed": self.resampling.seed}
        return {**self.inputs, "side": self.side, **drawn, "version": __version__}

    def table(self) -> Table:
        """Return a table of the shares by width class, with the best system in each class marked."""
        low, high = self.intervals
        best = np.fmax.reduce(self.shares, axis=0)
        rows: list[list[Cell | str]] = []
        for s, system in enumerate(self.systems):
            cells: list[Cell | str] = [system]
            for c, share in enumerate(self.shares[s]):
                marks = {Mark.BEST} if len(self.systems) > 1 and share == best[c] else set()
                cells.append(Cell(share, (low[s, c], high[s, c]), frozenset(marks)))
            rows.append(cells)
        totals = self._totals()
        notes = [
            f"share of the reference's reorderings that were reproduced; {count_of(len(self), 'segment')}",
            "reference: " + ", ".join(f"{totals[name]} {name}" for name in CLASSES),
        ]
        if self.resampling.samples:
            notes[0] += f"; 95% confidence intervals from {self.resampling.samples} bootstrap samples"
        columns = [Column("system", "left"), *(Column(name, share=True) for name in CLASSES)]
        return Table.of("", columns, rows, notes=notes, signature=self.signature)

    def plot(self) -> Any:
        """Plot the share that each system reproduced in each width class, with intervals, as an Altair chart.

        This needs the extra ``pictures``.
        """
        from wordorder.report.charts import plot_intervals

        low, high = self.intervals
        records = [
            {
                "system": system,
                "width": name,
                "share": float(self.shares[s, c]),
                "low": float(low[s, c]),
                "high": float(high[s, c]),
            }
            for c, name in enumerate(CLASSES)
            for s, system in enumerate(self.systems)
        ]
        known = [record for record in records if record["share"] == record["share"]]
        return plot_intervals(known, name="width", value="share", series="system")

    def to_dict(self) -> dict[str, Any]:
        """Return all shares as unrounded plain data; undefined numbers are None."""
        low, high = self.intervals
        totals = self._totals()
        systems = []
        for s, (system, found) in enumerate(zip(self.systems, self.found, strict=True)):
            done = [*found.counts[:, :, 0].sum(axis=0).tolist(), int(found.counts[:, :, 0].sum())]
            values = zip(self.shares[s], low[s], high[s], done, totals.values(), strict=True)
            fields = ("value", "low", "high", "reproduced", "reference")
            shares = {
                name: plain(dict(zip(fields, row, strict=True))) for name, row in zip(CLASSES, values, strict=True)
            }
            widths = [
                {"width": width, "reproduced": some, "reference": every}
                for width, (some, every) in found.by_width().items()
            ]
            systems.append({"name": system, "shares": shares, "by_width": widths})
        return {"version": __version__, "signature": self.signature, "segments": len(self), "systems": systems}

    def __repr__(self) -> str:
        return f"Reproductions({len(self.systems)} systems × {len(self)} segments)"

    def _totals(self) -> dict[str, int]:
        totals = self.found[0].counts[:, :, 1].sum(axis=0).tolist()
        return dict(zip(CLASSES, [*totals, sum(totals)], strict=True))


def reproduce(
    reference: Corpus,
    systems: Sequence[Corpus],
    *,
    side: str = "target",
    resampling: Resampling | None = None,
    visit: Callable[[str, Iterator[dict[str, object]]], None] | None = None,
) -> Reproductions:
    """Find the reorderings in source→reference alignments that the source→hypothesis alignments of systems reproduce.

    All alignments must have the same source sentences; the width of a reordering is measured on ``side``. Phrase
    pairs are taken into account if the alignments of a system include them, as those of Moses do. For every block and
    system, ``visit`` is called with the name of the system and a record for each sentence.

    >>> from wordorder.core.orders import Alignment
    >>> swapped, monotone = Alignment(((0, 1), (1, 0))), Alignment(((0, 0), (1, 1)))
    >>> found = reproduce(Corpus("R", [swapped, swapped]), [Corpus("A", [swapped, monotone])])
    >>> found.shares[0].tolist()
    [0.5, nan, nan, 0.5]
    """
    check_names(systems, "systems")
    resampling = resampling or Resampling()
    resampling.check_unit("segments")
    names = [system.name for system in systems]
    streams = {reference.path or reference.name: (pairs[0] for pairs in reference.blocks())}
    for system in systems:
        streams[f"{system.name} ({system.path or 'values'})"] = (pairs[0] for pairs in system.blocks())
    parts: list[list[Reproduction]] = [[] for _ in systems]
    rows = 0
    for gold, *hypotheses in progress(lockstep(streams), label="comparing", unit=" blocks"):
        expected = extract(gold)
        for name, column, done in zip(names, hypotheses, parts, strict=True):
            done.append(find_reproduced(expected, extract(column), phrases=column.phrases, side=side))
            if visit is not None:
                visit(name, _records(expected, done[-1], rows, side))
        rows += len(gold)
    refuse(not rows, "the alignments are empty; expected at least one sentence")
    found = tuple(map(Reproduction.concatenate, parts))
    return Reproductions(tuple(names), found, reference.signature, side, resampling)


def _shares(counts: Floats) -> Floats:
    """Return the share of reproduced reorderings in each width class and, as the last class, in all together.

    ``counts`` has the shape ``[..., classes, 2]``: the numbers of reproduced and of all reorderings.
    """
    counts = np.concatenate([counts, counts.sum(axis=-2, keepdims=True)], axis=-2)
    result = np.full(counts.shape[:-1], np.nan)
    np.divide(counts[..., 0], counts[..., 1], out=result, where=counts[..., 1] > 0)
    return result


def _scopes(reorderings: Reorderings) -> Ints:
    return np.stack([reorderings.spans[:, A_SOURCE, 0], reorderings.spans[:, B_SOURCE, 1]], axis=1)


@kernel
def _reproduced(
    reference: Ints,
    reference_offsets: Int64s,
    hypothesis: Ints,
    hypothesis_offsets: Int64s,
    phrases: Ints,
    phrase_offsets: Int64s,
) -> Bools:
    flags = np.zeros(len(reference), dtype=np.bool_)
    for row in range(len(reference_offsets) - 1):
        for r in range(reference_offsets[row], reference_offsets[row + 1]):
            first, last = reference[r, 0], reference[r, 1]
            for phrase in range(phrase_offsets[row], phrase_offsets[row + 1]):
                if phrases[phrase, 0] <= first and last <= phrases[phrase, 1]:
                    flags[r] = True
            for h in range(hypothesis_offsets[row], hypothesis_offsets[row + 1]):
                if first <= hypothesis[h, 0] and hypothesis[h, 1] <= last:
                    flags[r] = True
    return flags


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
    gold: Corpus, *corpora: Corpus, side: str = "target", threads: int = 1, resampling: Resampling | None = None
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


class _Sentences(NamedTuple):
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
    return _Sentences(*map(np.concatenate, zip(empty, *parts, strict=True)))


def _check_sentences(name: str, other: _Sentences, gold_name: str, gold: _Sentences) -> None:
    if len(other.lengths) != len(gold.lengths):
        raise InputError(
            f"found {len(other.lengths)} and {len(gold.lengths)} sentence pairs in {name} and {gold_name}; both must "
            "align the same sentences"
        )
    differing = (other.lengths != gold.lengths).any(axis=1)
    if differing.any():
        row = int(np.argmax(differing))
        one, two = ("{} and {} words".format(*lengths[row].tolist()) for lengths in (other.lengths, gold.lengths))
        raise InputError(
            f"sentence pair {row + 1} has {one} in {name}, but {two} in {gold_name}; both must align the same sentences"
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
