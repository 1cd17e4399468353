"""The evidence for patterns: is a label out of place more often than other words, and in one direction?

Words that move in the same segment are not independent events. So counts are divided by a design effect before they
enter a binomial test, as Korn & Graubard (1998) do for intervals: with m moves of a label in a segment, x = Σm moves
count as x²/Σm² events. The tail of the binomial distribution is exact for small numbers, and its continuous form (the
incomplete beta function) allows for weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.apps.patterns.moved_words import MovedWords
from wordorder.core.runtime.columns import Floats, Ints, Offsets
from wordorder.core.runtime.libraries import special
from wordorder.core.statistics import Resampling

DIRECTIONS = ("early", "late")


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """Sums over the words of each label in each segment where it occurs.

    ``sums`` has a row for each pair of ``label`` and ``segment``, with the weight of the words, the weights that
    stand too early and too late, and the same two weights multiplied by the distance. ``labels`` and ``segments`` are
    the numbers of labels and segments.
    """

    label: Offsets
    segment: Offsets
    sums: Floats
    labels: int
    segments: int

    @classmethod
    def of(cls, words: MovedWords, codes: Ints, labels: int) -> "LabelCounts":
        """Count the words that have a place and a label; ``codes`` has the label of each word, or −1."""
        segments = len(words.words)
        known = np.flatnonzero((codes >= 0) & (words.weight > 0))
        keys, cell = np.unique(codes[known].astype(np.int64) * segments + words.segment[known], return_inverse=True)
        moved = [words.early[known], words.late[known]]
        columns = [words.weight[known], *moved, *(part * words.distance[known] for part in moved)]
        sums = np.stack([_add(cell, column, len(keys)) for column in columns], axis=1)
        return cls(keys // max(segments, 1), keys % max(segments, 1), sums, labels, segments)

    @classmethod
    def add_up(cls, parts: "Sequence[LabelCounts]", mapping: Offsets, labels: int) -> "LabelCounts":
        """Add up the counts of several systems, with label ``mapping[i]`` instead of i."""
        segments = parts[0].segments
        keys = np.concatenate([mapping[part.label] * segments + part.segment for part in parts])
        keys, cell = np.unique(keys, return_inverse=True)
        columns = np.concatenate([part.sums for part in parts]).T
        sums = np.stack([_add(cell, column, len(keys)) for column in columns], axis=1)
        return cls(keys // segments, keys % segments, sums, labels, segments)

    @property
    def totals(self) -> Floats:
        """The sums of each label over all segments, ``[labels, 5]``."""
        return np.stack([_add(self.label, column, self.labels) for column in self.sums.T], axis=1)

    def row(self, label: int, column: int) -> Floats:
        """Return one column of the sums of a label as an array over all segments."""
        mine = self.label == label
        return _add(self.segment[mine], self.sums[mine, column], self.segments)


def _add(places: Offsets, values: Floats, size: int) -> Floats:
    """Return the sum of the values at each place from 0 to ``size`` − 1."""
    return np.bincount(places, values, minlength=size).astype(np.float64)


def events(total: Floats, squares: Floats) -> Floats:
    """Return how many independent events some moves amount to, given their sum and the sum of squares per segment.

    The result is the square of ``total`` divided by ``squares``, but not more than ``total``.
    """
    return total / np.maximum(np.divide(squares, total, out=np.ones_like(total), where=total > 0), 1.0)


def weigh_excess(counts: LabelCounts, direction: int) -> tuple[Floats, Floats, Floats]:
    """Test for each label whether its words stand too early (direction 0) or too late (1) more often than others.

    Return p-values, the lowest p-values that so many moves could have, and strengths. The p-value is the higher one
    of two: that so large a share of all moves in this direction falls on the label by chance, given its share of all
    words; and that its own moves go so clearly in this direction, given that either is equally likely. The strength
    says how well the label, rather than a wider or a narrower one, explains the moves in this direction.
    """
    totals = counts.totals
    words, moved = totals[:, 0], totals[:, 1 + direction]
    here, net = counts.sums[:, 1 + direction], counts.sums[:, 1 + direction] - counts.sums[:, 2 - direction]
    found = events(moved, _add(counts.label, here**2, counts.labels))
    share = np.divide(found, moved, out=np.ones_like(found), where=moved > 0)
    rate = _tail(found, (moved.sum() - moved) * share, words / max(words.sum(), 1.0))
    lean, lowest, _ = _sign_test(counts.label, net, np.full_like(moved, 0.5))
    return np.maximum(rate, lean), lowest, _strength(found, moved, words)


def weigh_difference(one: LabelCounts, two: LabelCounts, direction: int) -> tuple[Floats, Floats, Floats]:
    """Test for each label whether its rates of moves in a direction differ between two systems.

    In each segment, the moves that only one of the two systems makes count for this system. Without a difference,
    they are shared between the systems in proportion to the words of the label: a sign test with weights. Return
    two-sided p-values, the lowest p-values that so many moves could have, and strengths.
    """
    cells = [(each.label * each.segments + each.segment, each.sums[:, 1 + direction]) for each in (one, two)]
    keys, cell = np.unique(np.concatenate([each[0] for each in cells]), return_inverse=True)
    gain = _add(cell, np.concatenate([cells[0][1], -cells[1][1]]), len(keys))
    label = keys // max(one.segments, 1)
    words = one.totals[:, 0], two.totals[:, 0]
    both = words[0] + words[1]
    chance = np.divide(words[0], both, out=np.full_like(both, 0.5), where=both > 0)
    higher, lower = _sign_test(label, gain, chance), _sign_test(label, -gain, 1.0 - chance)
    p, lowest = (np.minimum(2.0 * np.minimum(*each), 1.0) for each in zip(higher[:2], lower[:2], strict=True))
    up, down = (_add(label, np.maximum(sign * gain, 0.0), one.labels) for sign in (1, -1))
    extra = np.abs(up - (up + down) * chance)
    return p, lowest, _strength(extra * higher[2], extra, both)


def _sign_test(label: Offsets, gain: Floats, chance: Floats) -> tuple[Floats, Floats, Floats]:
    """Test for each label whether more of its gains are positive than by chance, weighted by their sizes.

    There is one gain per label and segment. Gains of different sizes count as (Σ|g|)²/Σg² events of equal size, which
    gives their sum the variance that it has if signs are random. Return p-values, the p-values if all gains were
    positive, and events per unit of gain.
    """
    up, down, squares = (
        _add(label, each, len(chance)) for each in (np.maximum(gain, 0.0), np.maximum(-gain, 0.0), gain**2)
    )
    scale = np.divide(up + down, squares, out=np.ones_like(up), where=squares > 0)
    return _tail(up * scale, down * scale, chance), _tail((up + down) * scale, np.zeros_like(up), chance), scale


def _tail(hits: Floats, misses: Floats, chance: Floats) -> Floats:
    """Return P(X ≥ hits) for X ~ Bin(hits + misses, chance), also for numbers that are not whole.

    >>> _tail(np.array([3.0]), np.array([1.0]), np.array([0.5])).tolist()
    [0.3125]
    """
    return np.where(hits > 0, special.betainc(np.maximum(hits, 1e-12), misses + 1.0, chance), 1.0)


def _strength(found: Floats, moved: Floats, words: Floats) -> Floats:
    """Return the log-likelihood ratio of a label's share of all moves against its share of all words."""
    share, expected = moved / max(moved.sum(), 1e-9), words / max(words.sum(), 1e-9)
    divergence = special.rel_entr(share, expected) + special.rel_entr(1.0 - share, 1.0 - expected)
    events_in_all = np.divide(found, share, out=np.zeros_like(found), where=share > 0)
    strength: Floats = events_in_all * np.where(share > expected, divergence, 0.0)
    return strength


def sample_rates(rates: list[tuple[LabelCounts, int, int]], resampling: Resampling) -> Floats:
    """Return the rates of moves (counts, label, direction) in bootstrap samples of segments, ``[samples, rates]``."""
    columns = [counts.row(label, column) for counts, label, way in rates for column in (1 + way, 0)]
    sums = resampling.sums(np.stack(columns, axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        sampled: Floats = sums[:, ::2] / sums[:, 1::2]
    return sampled
