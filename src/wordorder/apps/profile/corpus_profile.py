"""The profile of a parallel corpus: the amount, number and width of its reorderings.

A profile consists of counts and histograms that are added up block by block, so only one block at a time has to fit
into memory. All counts are integers, so results do not depend on the block size or the number of threads.

The characteristics of the language pair follow Birch (2011, §4.4). Vocabulary size approximates morphological
complexity (Koehn 2005). The similarity of two languages is measured by the character trigrams that they share, so no
list of cognates is needed, but both languages must use the same script.

Figures have confidence intervals, and differences between corpora are tested. Every figure is a ratio R = Σx / Σy
over the sentences of a corpus (for a mean, y = 1). Its variance is estimated by linearisation (the delta method;
Cochran 1977, *Sampling Techniques*, §2.11) as n/(n−1) · Σ(x − R·y)² / (Σy)². This needs only n and five sums, so
memory use does not grow with the corpus; x and y are integers, so the sums are exact. Two corpora are compared as
independent samples by Welch's t-test, which is conservative if they have the same sentences.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordorder.apps.profile.measures import Measures, bleu, measure
from wordorder.core.orders import DEFAULT_POLICY, Alignments
from wordorder.core.reorderings.links import check_side
from wordorder.core.reorderings.reorderings import WIDEST_MEDIUM, WIDEST_SHORT, WIDTH_CLASSES
from wordorder.core.runtime.columns import Floats, Ints, rows_of
from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.libraries import special
from wordorder.core.runtime.plain import plain
from wordorder.core.text import Tokens
from wordorder.metrics.ngrams import COLUMNS

LEVEL = 0.05
WIDE = (7, 15)
"""Widths in words; for each of them, the profile reports how many reorderings are wider."""


@dataclass(frozen=True)
class Estimate:
    """An estimate of a ratio over sentences: its value, its standard error, and the number of sentences."""

    value: float
    error: float
    sentences: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% confidence interval by Student's t-distribution, cut off at 0 because no figure is negative."""
        half = _quantile(self.sentences - 1) * self.error
        return max(self.value - half, 0.0), self.value + half


@dataclass(frozen=True)
class Difference:
    """The difference in a figure between the corpora ``a`` and ``b``, with its 95% interval and p-value.

    ``p_corrected`` is the p-value after correction for the number of compared pairs of corpora.
    """

    figure: str
    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    p_corrected: float = math.nan

    @property
    def significant(self) -> bool:
        """Whether the corpora differ significantly (at the 5% level) after correction."""
        return self.p_corrected < LEVEL


def estimate(moments: Floats) -> Estimate:
    """Estimate the ratio Σx/Σy over n sentences, and its standard error.

    ``moments`` are n, Σx, Σy, Σx², Σxy and Σy².

    >>> estimate(sum_moments([1.0, 2.0, 3.0], [1, 1, 1]))
    Estimate(value=2.0, error=0.5773502691896257, sentences=3)
    """
    count, x, y, xx, xy, yy = moments.tolist()
    if not y:
        return Estimate(math.nan, math.nan, int(count))
    ratio = x / y
    squares = max(xx - 2 * ratio * xy + ratio * ratio * yy, 0.0)
    error = math.sqrt(count / (count - 1) * squares) / abs(y) if count > 1 else math.nan
    return Estimate(ratio, error, int(count))


def compare(figure: str, a: tuple[str, Estimate], b: tuple[str, Estimate]) -> Difference:
    """Compare a figure in two corpora by Welch's t-test; ``a`` and ``b`` are pairs of a name and an estimate."""
    (first, one), (second, two) = a, b
    difference = one.value - two.value
    parts = one.error**2, two.error**2
    error = math.sqrt(sum(parts))
    if not error > 0:  # the figure does not vary, or is undefined
        p = math.nan if math.isnan(error) or math.isnan(difference) else float(difference == 0)
        return Difference(figure, first, second, difference, difference, difference, p)
    freedom = error**4 / sum(part**2 / (each.sentences - 1) for part, each in zip(parts, (one, two), strict=True))
    half = _quantile(freedom) * error
    p = float(2 * special.stdtr(freedom, -abs(difference) / error))
    return Difference(figure, first, second, difference, difference - half, difference + half, p)


def sum_moments(x: ArrayLike, y: ArrayLike) -> Floats:
    """Return n, Σx, Σy, Σx², Σxy and Σy² over the sentences whose y is not 0."""
    ups, downs = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    used = downs != 0
    ups, downs = ups[used], downs[used]
    products = (ups, downs, ups * ups, ups * downs, downs * downs)
    return np.array([len(ups), *(product.sum() for product in products)])


def figure_moments(measures: Measures, depths: Ints) -> dict[str, Floats]:
    """Return n, Σx, Σy, Σx², Σxy and Σy², by name, for every figure that is a ratio Σx/Σy over n sentences.

    Figures based on widths are included for both sides.
    """
    links, found = measures.alignments, measures.reorderings
    sentences = np.ones(len(measures))
    linked = np.diff(links.offsets) > 0
    rows, size = rows_of(found.offsets), len(measures)

    def each(weights: ArrayLike) -> Floats:
        """Return, for each sentence, the sum of the weights of its reorderings."""
        return np.bincount(rows, weights=np.asarray(weights, dtype=np.float64), minlength=size).astype(np.float64)

    lengths = {"source": links.source_lengths, "target": links.target_lengths}
    aligned = {"source": measures.aligned_source, "target": measures.aligned_target}
    ratios: dict[str, tuple[ArrayLike, ArrayLike]] = {
        "per_sentence": (found.lengths, sentences),
        "reordered_sentences": (found.lengths > 0, sentences),
        "mean_depth": (each(depths), found.lengths),
        "blocked": (found.blocked, np.maximum(measures.aligned_source.astype(np.int64) - 1, 0)),
        "crossings_per_word": (measures.crossings, links.source_lengths),
        "cycles_per_sentence": (np.where(linked, measures.cycles, 0), linked),
        "binarisable": ((measures.largest_operator == 0) & linked, linked),
    }
    for side, words in lengths.items():
        widths, summed = found.widths(side), found.summed_widths(side)
        classes = found.width_classes(side)
        ratios |= {
            f"unaligned_{side}": (words - aligned[side], words),
            f"mean_width_{side}": (summed, found.lengths),
            **{f"{name}_{side}": (each(classes == place), found.lengths) for place, name in enumerate(WIDTH_CLASSES)},
            **{f"wider_than_{width}_{side}": (each(widths > width), sentences) for width in WIDE},
        }
    return {name: sum_moments(*ratio) for name, ratio in ratios.items()}


def _quantile(freedom: float) -> float:
    """Return the 97.5% quantile of Student's t-distribution."""
    return float(special.stdtrit(freedom, 0.975)) if freedom > 0 else math.nan


Totals = dict[str, Floats]
"""Counts and histograms by name. Their values are whole numbers, so sums up to 2⁵³ are exact."""


@dataclass(frozen=True)
class WidthRow:
    """The number of reorderings that have a given total width."""

    width: int
    reorderings: int
    per_sentence: float


@dataclass(frozen=True)
class LengthRow:
    """The mean RQuantity of the sentences with ``shortest`` to ``longest`` words.

    ``deviation`` is the standard deviation of RQuantity, which is NaN if there is only one sentence.
    """

    shortest: int
    longest: int
    sentences: int
    rquantity: float
    deviation: float


@dataclass(frozen=True, eq=False)
class Profile:
    """The profile of a corpus. The sum of two profiles is the profile of both corpora together.

    ``words`` holds the word counts of the source and the target if requested, and None otherwise.
    """

    name: str
    policy: str
    totals: Totals
    words: tuple[Counter[str], Counter[str]] | None = None

    def __add__(self, other: "Profile") -> "Profile":
        if self.policy != other.policy:
            raise UsageError(
                f"only profiles with the same policy can be added, but one has {self.policy} and the other "
                f"{other.policy}"
            )
        words = None
        if self.words is not None and other.words is not None:
            words = self.words[0] + other.words[0], self.words[1] + other.words[1]
        totals = {name: _add(total, other.totals[name]) for name, total in self.totals.items()}
        return Profile(self.name, self.policy, totals, words)

    def count(self, what: str) -> int:
        """Return the count with the given name, such as sentences, source_words, target_words, links or crossings."""
        return int(self.totals[what].sum())

    @property
    def sentences(self) -> int:
        """The number of sentence pairs."""
        return self.count("sentences")

    @property
    def reorderings(self) -> int:
        """The number of reorderings."""
        return self.count("width_target")

    def rquantity(self, side: str = "target") -> float:
        """Return the mean RQuantity over all sentences that have words on the given side."""
        rows = self.by_length(side, step=0)
        return rows[0].rquantity if rows else math.nan

    def width_shares(self, side: str = "target") -> dict[str, float]:
        """Return the shares of short (2–4 words), medium (5–8) and long (over 8) reorderings, by name."""
        widths = self._histogram("width", side)
        parts = np.split(widths, [WIDEST_SHORT + 1, WIDEST_MEDIUM + 1])
        return {name: _ratio(part.sum(), widths.sum()) for name, part in zip(WIDTH_CLASSES, parts, strict=True)}

    def wider_than(self, width: int, side: str = "target") -> float:
        """Return how many reorderings a sentence has on average that are wider than ``width`` words."""
        return _ratio(self._histogram("width", side)[width + 1 :].sum(), self.sentences)

    def by_width(self, side: str = "target") -> list[WidthRow]:
        """Return the number of reorderings of every width that occurs."""
        widths = self._histogram("width", side)
        return [
            WidthRow(int(width), int(widths[width]), _ratio(widths[width], self.sentences))
            for width in np.flatnonzero(widths)
        ]

    def by_length(self, side: str = "target", *, step: int = 10) -> list[LengthRow]:
        """Return the mean RQuantity of sentences grouped by length, with ``step`` lengths in a group (1–10, 11–20 …).

        If ``step`` is 0, all sentences are in one group.
        """
        if step < 0:
            raise UsageError(
                "the number of sentence lengths per group (step) must be 1 or more, or 0 for a single group, not "
                f"{step}"
            )
        sentences = self._histogram("length", side)
        lengths = np.flatnonzero(sentences)
        lengths = lengths[lengths > 0]  # a sentence without words has no RQuantity
        rows = []
        groups = (lengths - 1) // step if step else np.zeros_like(lengths)
        for group in dict.fromkeys(groups.tolist()):
            members = lengths[groups == group]
            sizes, sums = sentences[members], self.totals[f"reordered_{side}"][members]
            squares = self.totals[f"reordered_squared_{side}"][members]
            count = int(sizes.sum())
            mean = math.fsum(sums / members) / count
            # Within one length all numbers are whole, so equal sentences have a deviation of exactly 0.
            within = (squares - sums * sums / sizes) / members**2
            spread = math.fsum(within + sizes * (sums / sizes / members - mean) ** 2)
            deviation = math.sqrt(max(0.0, spread) / (count - 1)) if count > 1 else math.nan
            bounds = (group * step + 1, (group + 1) * step) if step else (members[0], members[-1])
            rows.append(LengthRow(int(bounds[0]), int(bounds[1]), count, mean, deviation))
        return rows

    def estimate(self, figure: str, side: str = "target") -> Estimate | None:
        """Return a figure of the summary with its standard error, or None if it has no standard error."""
        if figure in ("rquantity", "rquantity_source"):
            for row in self.by_length("source" if figure == "rquantity_source" else "target", step=0):
                return Estimate(row.rquantity, row.deviation / math.sqrt(row.sentences), row.sentences)
            return None
        moments = self.totals.get(f"moments_{figure}", self.totals.get(f"moments_{figure}_{side}"))
        return None if moments is None else estimate(moments)

    def summary(self, side: str = "target") -> dict[str, float | int | None]:
        """Return all figures of the profile by name; undefined ones are None. Widths are measured on ``side``."""
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
        return cast(dict[str, float | int | None], plain(figures))

    def _histogram(self, what: str, side: str) -> Floats:
        check_side(side)
        return self.totals[f"{what}_{side}"]


def add_up(blocks: Iterable[Measures], *, policy: str = DEFAULT_POLICY, name: str = "") -> Profile:
    """Add up the measures of all blocks of a corpus, and return the profile of the corpus."""
    result = Profile(name, policy, _count(measure(Alignments.of([]), policy=policy)))
    for measures in blocks:
        result += Profile(name, policy, _count(measures))
    return result


def _count(measures: Measures) -> Totals:
    alignments, reorderings = measures.alignments, measures.reorderings
    linked = np.diff(alignments.offsets) > 0
    depths = reorderings.depths()
    counts = {
        "sentences": len(measures),
        "linked": linked.sum(),
        "links": len(alignments.source),
        "aligned_source": measures.aligned_source.sum(),
        "aligned_target": measures.aligned_target.sum(),
        "neighbours": np.maximum(measures.aligned_source.astype(np.int64) - 1, 0).sum(),
        "blocked": reorderings.blocked.sum(),
        "reordered": (reorderings.lengths > 0).sum(),
        "crossings": measures.crossings.sum(),
        "cycles": measures.cycles.sum(),
        "binarisable": ((measures.largest_operator == 0) & linked).sum(),
        "source_words": alignments.source_lengths.sum(),
        "target_words": alignments.target_lengths.sum(),
    }
    totals: dict[str, NDArray[Any]] = {name: np.array([count]) for name, count in counts.items()}
    totals |= {
        "longest_cycle": np.bincount(measures.longest_cycle),
        "depth": np.bincount(depths),
        "largest_operator": np.bincount(measures.largest_operator),
        "bleu": np.zeros(len(COLUMNS)) if measures.bleu_counts is None else measures.bleu_counts.sum(axis=0),
    }
    for side, lengths in (("source", alignments.source_lengths), ("target", alignments.target_lengths)):
        reordered = reorderings.summed_widths(side).astype(np.float64)
        totals |= {
            f"length_{side}": np.bincount(lengths),
            f"width_{side}": np.bincount(reorderings.widths(side)),
            f"reordered_{side}": np.bincount(lengths, weights=reordered),
            f"reordered_squared_{side}": np.bincount(lengths, weights=reordered * reordered),
        }
    totals |= {f"moments_{name}": moments for name, moments in figure_moments(measures, depths).items()}
    return {name: total.astype(np.float64) for name, total in totals.items()}


def _add(one: Floats, two: Floats) -> Floats:
    """Return the sum of two histograms, which may have different lengths."""
    total = np.zeros(max(len(one), len(two)))
    total[: len(one)] += one
    total[: len(two)] += two
    return total


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else math.nan


def _mean(histogram: Floats) -> float:
    return _ratio((histogram * np.arange(len(histogram))).sum(), histogram.sum())


def _largest(histogram: Floats) -> int:
    filled = np.flatnonzero(histogram)
    return int(filled[-1]) if len(filled) else 0


def count_words(tokens: Tokens) -> Counter[str]:
    """Count how often each word occurs; the results for several blocks can be added.

    >>> from wordorder.core.text import encode
    >>> count_words(encode(["a rose is a rose", "is a rose"])[0]).most_common(1)
    [('a', 3)]
    """
    counts = np.bincount(tokens.ids, minlength=len(tokens.vocabulary)).tolist()
    result: Counter[str] = Counter()
    for word, count in zip(tokens.vocabulary.to_pylist(), counts, strict=True):
        if count:
            result[word] += count  # a concatenated vocabulary may contain a word twice
    return result


def measure_similarity(source: Counter[str], target: Counter[str]) -> float:
    """Return the cosine similarity of the character trigram counts of both sides, or NaN if a side has no words.

    Case is ignored. The beginning and the end of each word are treated as characters.

    >>> round(measure_similarity(Counter(["animal", "noir"]), Counter(["animale", "nero"])), 3)
    0.477
    """
    one, two = _trigrams(source), _trigrams(target)
    if not one or not two:
        return math.nan
    # Counts are whole numbers, so the sums are exact in any order.
    product = sum(count * two[trigram] for trigram, count in one.items())
    sizes = sum(count * count for count in one.values()) * sum(count * count for count in two.values())
    return product / math.sqrt(sizes)


def _trigrams(words: Counter[str]) -> Counter[str]:
    result: Counter[str] = Counter()
    for word, count in words.items():
        padded = f" {word.casefold()} "
        for start in range(len(padded) - 2):
            result[padded[start : start + 3]] += count
    return result
