"""A profile: how much a parallel corpus reorders, in how many and how wide reorderings.

A profile is a handful of counts and histograms. Blocks are counted on their own and added up, so a corpus of any
size is profiled in the memory of one block. The counts are whole numbers: neither the size of the blocks nor the
number of threads changes a digit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.metrics.ngrams import COLUMNS
from wordorder.orders import DEFAULT_POLICY, Alignments
from wordorder.reordering.characteristics import measure_similarity
from wordorder.reordering.links import SIDES
from wordorder.reordering.measures import Measures, measure, measure_blocks
from wordorder.reordering.reorderings import WIDEST_MEDIUM, WIDEST_SHORT, WIDTH_CLASSES
from wordorder.reordering.scrambled import bleu
from wordorder.runtime.errors import InputError, UsageError, choices
from wordorder.text import Tokens

WIDE = (7, 15)
"""Widths beyond which reorderings are counted on their own."""

Totals = dict[str, NDArray[np.float64]]
"""Counts and histograms by name: whole numbers, exact up to 2⁵³, so that adding them up knows no rounding."""


@dataclass(frozen=True)
class WidthRow:
    """The reorderings of one total width."""

    width: int
    reorderings: int
    per_sentence: float


@dataclass(frozen=True)
class LengthRow:
    """RQuantity of the sentences of ``shortest`` to ``longest`` words; the deviation of one sentence is NaN."""

    shortest: int
    longest: int
    sentences: int
    rquantity: float
    deviation: float


@dataclass(frozen=True, eq=False)
class Profile:
    """How much a corpus reorders. Add profiles to get that of the corpora together.

    ``words`` are the counts of the source and of the target words, where they were asked for.
    """

    name: str
    policy: str
    totals: Totals
    words: tuple[Counter[str], Counter[str]] | None = None

    def __add__(self, other: Profile) -> Profile:
        if self.policy != other.policy:
            raise UsageError(f"profiles under the policies {self.policy} and {other.policy} cannot be added")
        words = None
        if self.words is not None and other.words is not None:
            words = self.words[0] + other.words[0], self.words[1] + other.words[1]
        return Profile(self.name, self.policy, _add(self.totals, other.totals), words)

    def count(self, what: str) -> int:
        """Give one of the plain counts: sentences, source_words, target_words, links, crossings …"""
        return int(self.totals[what].sum())

    @property
    def sentences(self) -> int:
        """Give the number of sentence pairs."""
        return self.count("sentences")

    @property
    def reorderings(self) -> int:
        """Give the number of reorderings."""
        return self.count("width_target")

    def rquantity(self, side: str = "target") -> float:
        """Give the mean RQuantity of the sentences that have words on this side."""
        rows = self.by_length(side, step=0)
        return rows[0].rquantity if rows else math.nan

    def width_shares(self, side: str = "target") -> dict[str, float]:
        """Give the share of short (2–4), medium (5–8) and long (over 8) reorderings."""
        widths = self._histogram("width", side)
        parts = np.split(widths, [WIDEST_SHORT + 1, WIDEST_MEDIUM + 1])
        return {name: _ratio(part.sum(), widths.sum()) for name, part in zip(WIDTH_CLASSES, parts, strict=True)}

    def wider_than(self, width: int, side: str = "target") -> float:
        """Give the average number of reorderings per sentence wider than ``width`` words."""
        return _ratio(self._histogram("width", side)[width + 1 :].sum(), self.sentences)

    def by_width(self, side: str = "target") -> list[WidthRow]:
        """Give the number of reorderings of every width there is."""
        widths = self._histogram("width", side)
        return [
            WidthRow(int(width), int(widths[width]), _ratio(widths[width], self.sentences))
            for width in np.flatnonzero(widths)
        ]

    def by_length(self, side: str = "target", *, step: int = 10) -> list[LengthRow]:
        """Give RQuantity by sentence length, in groups of ``step`` lengths (1–10, 11–20 …); 0 is one group."""
        if step < 0:
            raise UsageError(f"lengths are grouped by 1 or more, or 0 for all together, not {step}")
        sentences = self._histogram("length", side)
        lengths = np.flatnonzero(sentences)
        lengths = lengths[lengths > 0]  # a sentence without words has no RQuantity
        rows = []
        groups = (lengths - 1) // step if step else np.zeros_like(lengths)
        for group in np.unique(groups):
            members = lengths[groups == group]
            sizes, sums = sentences[members], self.totals[f"reordered_{side}"][members]
            squares = self.totals[f"reordered_squared_{side}"][members]
            count = int(sizes.sum())
            mean = math.fsum(sums / members) / count
            # Within one length the numbers are whole, so that equal sentences have a deviation of exactly 0.
            within = (squares - sums * sums / sizes) / members**2
            spread = math.fsum(within + sizes * (sums / sizes / members - mean) ** 2)
            rows.append(
                LengthRow(
                    int(group * step + 1) if step else int(members[0]),
                    int((group + 1) * step) if step else int(members[-1]),
                    count,
                    mean,
                    math.sqrt(max(0.0, spread) / (count - 1)) if count > 1 else math.nan,
                )
            )
        return rows

    def summary(self, side: str = "target") -> dict[str, float | int | None]:
        """Give the figures of the corpus by name; an undefined one is None. Widths are those of ``side``."""
        figures: dict[str, float | int] = {
            "sentences": self.sentences,
            "unlinked_sentences": self.sentences - self.count("linked"),
            "source_words": self.count("source_words"),
            "target_words": self.count("target_words"),
            "links": self.count("links"),
            "unaligned_source": 1 - _ratio(self.count("aligned_source"), self.count("source_words")),
            "unaligned_target": 1 - _ratio(self.count("aligned_target"), self.count("target_words")),
            "rquantity": self.rquantity("target"),
            "rquantity_source": self.rquantity("source"),
            "reorderings": self.reorderings,
            "per_sentence": _ratio(self.reorderings, self.sentences),
            "reordered_sentences": _ratio(self.count("reordered"), self.sentences),
        }
        figures |= self.width_shares(side)
        figures |= {f"wider_than_{width}": self.wider_than(width, side) for width in WIDE}
        figures |= {
            "mean_width": _mean(self._histogram("width", side)),
            "mean_depth": _mean(self.totals["depth"]),
            "deepest": _largest(self.totals["depth"]),
            "blocked": _ratio(self.count("blocked"), self.count("neighbours")),
            "crossings_per_word": _ratio(self.count("crossings"), self.count("source_words")),
            "cycles_per_sentence": _ratio(self.count("cycles"), self.count("linked")),
            "longest_cycle": _largest(self.totals["longest_cycle"]),
            "binarisable": _ratio(self.count("binarisable"), self.count("linked")),
            "largest_operator": _largest(self.totals["largest_operator"]),
            "source_order_bleu": bleu(self.totals["bleu"]),
        }
        if self.words is not None:
            source, target = self.words
            figures |= {"source_vocabulary": len(source), "target_vocabulary": len(target)}
            figures["similarity"] = measure_similarity(source, target)
        return {name: None if value != value else value for name, value in figures.items()}

    def _histogram(self, what: str, side: str) -> NDArray[np.float64]:
        if side not in SIDES:
            raise choices(side, list(SIDES), what="side")
        return self.totals[f"{what}_{side}"]


def profile_blocks(
    blocks: Iterable[Alignments],
    *,
    references: Iterable[Tokens] | None = None,
    policy: str = DEFAULT_POLICY,
    threads: int = 1,
    name: str = "",
) -> Profile:
    """Profile a corpus given in blocks of alignments, with the lengths of both sides.

    ``references`` are the target sentences in blocks of the same sizes; with them the BLEU of the reference in
    source order is known too. To leave words out, :func:`~wordorder.reordering.unalign` the blocks first.

    >>> from wordorder.orders import Alignment
    >>> swapped = profile_blocks([Alignment(((0, 1), (1, 0)), 2, 2).column(), Alignment(((0, 0),), 1, 1).column()])
    >>> swapped.sentences, swapped.reorderings, swapped.rquantity()
    (2, 1, 0.5)
    """
    pairs = ((block, None) for block in blocks) if references is None else _pair(blocks, references)
    return add_up(measure_blocks(pairs, policy=policy, threads=threads), policy=policy, name=name)


def add_up(blocks: Iterable[Measures], *, policy: str = DEFAULT_POLICY, name: str = "") -> Profile:
    """Make the profile of a corpus from the measures of its blocks."""
    totals = _count(measure(Alignments.of([]), policy=policy))
    for measures in blocks:
        totals = _add(totals, _count(measures))
    return Profile(name, policy, totals)


def _pair(blocks: Iterable[Alignments], references: Iterable[Tokens]) -> Iterator[tuple[Alignments, Tokens]]:
    texts = iter(references)
    rows = 0
    for block in blocks:
        text = next(texts, None)
        if text is None or len(text) != len(block):
            found = rows + (0 if text is None else len(text))
            raise InputError(f"{found} references so far, but {rows + len(block)} alignments")
        yield block, text
        rows += len(block)
    if next(texts, None) is not None:
        raise InputError(f"there are more references than the {rows} alignments")


def _count(measures: Measures) -> Totals:
    alignments, reorderings = measures.alignments, measures.reorderings
    linked = np.diff(alignments.offsets) > 0
    totals: dict[str, NDArray[np.integer] | NDArray[np.float64]] = {
        "sentences": _one(len(measures)),
        "linked": _one(linked.sum()),
        "links": _one(len(alignments.source)),
        "aligned_source": _one(measures.aligned_source.sum()),
        "aligned_target": _one(measures.aligned_target.sum()),
        "neighbours": _one(np.maximum(measures.aligned_source.astype(np.int64) - 1, 0).sum()),
        "blocked": _one(reorderings.blocked.sum()),
        "reordered": _one((reorderings.counts > 0).sum()),
        "crossings": _one(measures.crossings.sum()),
        "cycles": _one(measures.cycles.sum()),
        "longest_cycle": np.bincount(measures.longest_cycle),
        "depth": np.bincount(reorderings.depths()),
        "largest_operator": np.bincount(measures.largest_operator),
        "binarisable": _one(((measures.largest_operator == 0) & linked).sum()),
        "bleu": np.zeros(len(COLUMNS)) if measures.bleu_counts is None else measures.bleu_counts.sum(axis=0),
    }
    for side, lengths in (("source", alignments.source_lengths), ("target", alignments.target_lengths)):
        reordered = reorderings.summed_widths(side).astype(np.float64)
        totals[f"{side}_words"] = _one(lengths.sum(dtype=np.int64))
        totals[f"length_{side}"] = np.bincount(lengths)
        totals[f"width_{side}"] = np.bincount(reorderings.widths(side))
        totals[f"reordered_{side}"] = np.bincount(lengths, weights=reordered)
        totals[f"reordered_squared_{side}"] = np.bincount(lengths, weights=reordered * reordered)
    return {name: counts.astype(np.float64) for name, counts in totals.items()}


def _one(value: int | np.integer) -> NDArray[np.int64]:
    return np.array([value], dtype=np.int64)


def _add(one: Totals, two: Totals) -> Totals:
    result: Totals = {}
    for name in one:
        longer, shorter = sorted((one[name], two[name]), key=len, reverse=True)
        total = longer.copy()
        total[: len(shorter)] += shorter
        result[name] = total
    return result


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else math.nan


def _mean(histogram: NDArray[np.float64]) -> float:
    return _ratio((histogram * np.arange(len(histogram))).sum(), histogram.sum())


def _largest(histogram: NDArray[np.float64]) -> int:
    filled = np.flatnonzero(histogram)
    return int(filled[-1]) if len(filled) else 0
