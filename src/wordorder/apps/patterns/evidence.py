"""The evidence for patterns: is a label out of place more often than other words, and in one direction?

Words that move in the same segment are not independent events. So counts are divided by a design effect before they
enter a binomial test, as Korn & Graubard (1998) do for intervals: with m moves of a label in a segment, x = Σm moves
count as x²/Σm² events. The tail of the binomial distribution is exact for small numbers, and its continuous form (the
incomplete beta function) allows for weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.apps.patterns.moved_words import MovedWords
from wordorder.core.runtime.columns import Floats, Ints, Offsets
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
    def of(cls, words: MovedWords, codes: Ints, labels: int) -> LabelCounts:
        """Count the words that have a place and a label; ``codes`` has the label of each word, or −1."""
        segments = len(words.words)
        known = np.flatnonzero((codes >= 0) & (words.weight > 0))
        keys, cell = np.unique(codes[known].astype(np.int64) * segments + words.segment[known], return_inverse=True)
        moved = [words.early[known], words.late[known]]
        columns = [words.weight[known], *moved, *(part * words.distance[known] for part in moved)]
        sums = np.stack([_add(cell, column, len(keys)) for column in columns], axis=1)
        return cls(keys // max(segments, 1), keys % max(segments, 1), sums, labels, segments)

    @classmethod
    def add_up(cls, parts: Sequence[LabelCounts], mapping: Offsets, labels: int) -> LabelCounts:
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

    It is x²/Σm², but not more than x.
    """
    return total / np.maximum(np.divide(squares, total, out=np.ones_like(total), where=total > 0), 1.0)


def weigh_excess(counts: LabelCounts, direction: int) -> tuple[Floats, Floats]:
    """Test for each label whether its words stand too early (direction 0) or too late (1) more often than others.

    Return p-values and the strengths of the evidence, which still rank labels whose p-values are 0. The p-value is
    the higher one of two: that so large a share of all moves in this direction falls on the label by chance, given
    its share of all words; and that so many of its own moves go in this direction, given that either is equally
    likely.
    """
    totals = counts.totals
    words, moved, other = totals[:, 0], totals[:, 1 + direction], totals[:, 2 - direction]
    here, net = counts.sums[:, 1 + direction], counts.sums[:, 1] - counts.sums[:, 2]
    found = events(moved, _add(counts.label, here**2, counts.labels))
    share = np.divide(found, moved, out=np.ones_like(found), where=moved > 0)
    expected = words / max(words.sum(), 1.0)
    rate = _tail(found, (moved.sum() - moved) * share, expected)
    turned = events(moved + other, _add(counts.label, net**2, counts.labels))
    share = np.divide(turned, moved + other, out=np.ones_like(turned), where=moved + other > 0)
    lean = _tail(moved * share, other * share, np.full_like(moved, 0.5))
    worse = np.where((rate[0] > lean[0]) | ((rate[0] == lean[0]) & (rate[1] < lean[1])), 0, 1)
    return np.where(worse, lean[0], rate[0]), np.where(worse, lean[1], rate[1])


def weigh_difference(one: LabelCounts, two: LabelCounts, direction: int) -> tuple[Floats, Floats]:
    """Test for each label whether its rates of moves in a direction differ between two systems.

    In each segment, the moves that only one of the two systems makes count for this system. Without a difference,
    they are shared between the systems in proportion to the words of the label: a sign test with weights. Return
    two-sided p-values and the strengths of the evidence.
    """
    cells = [(each.label * each.segments + each.segment, each.sums[:, 1 + direction]) for each in (one, two)]
    keys, cell = np.unique(np.concatenate([each[0] for each in cells]), return_inverse=True)
    gain = _add(cell, np.concatenate([cells[0][1], -cells[1][1]]), len(keys))
    sides = [np.maximum(gain, 0.0), np.maximum(-gain, 0.0)]
    label = keys // max(one.segments, 1)
    up, down, squares = (_add(label, each, one.labels) for each in (*sides, gain**2))
    scale = np.divide(events(up + down, squares), up + down, out=np.ones_like(up), where=up + down > 0)
    words = one.totals[:, 0], two.totals[:, 0]
    chance = np.divide(words[0], words[0] + words[1], out=np.full_like(up, 0.5), where=words[0] + words[1] > 0)
    tails = _tail(up * scale, down * scale, chance), _tail(down * scale, up * scale, 1.0 - chance)
    return np.minimum(2.0 * np.minimum(tails[0][0], tails[1][0]), 1.0), np.maximum(tails[0][1], tails[1][1])


def _tail(hits: Floats, misses: Floats, chance: Floats) -> tuple[Floats, Floats]:
    """Return P(X ≥ hits) for X ~ Bin(hits + misses, chance), and n times the divergence of the observed share.

    The divergence is 0 if the share is not above the chance.

    >>> [float(x.round(4)[0]) for x in _tail(np.array([3.0]), np.array([1.0]), np.array([0.5]))]
    [0.3125, 0.5232]
    """
    from scipy import special

    count = hits + misses
    p = np.where(hits > 0, special.betainc(np.maximum(hits, 1e-12), misses + 1.0, chance), 1.0)
    share = np.divide(hits, count, out=np.zeros_like(hits), where=count > 0)
    strength = count * (special.rel_entr(share, chance) + special.rel_entr(1.0 - share, 1.0 - chance))
    above = share > chance
    return np.where(above, p, np.maximum(p, 0.5)), np.where(above, strength, 0.0)


def sample_rates(rates: list[tuple[LabelCounts, int, int]], resampling: Resampling) -> Floats:
    """Return the rates of moves (counts, label, direction) in bootstrap samples of segments, ``[samples, rates]``."""
    columns = [counts.row(label, column) for counts, label, way in rates for column in (1 + way, 0)]
    sums = resampling.sums(np.stack(columns, axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        sampled: Floats = sums[:, ::2] / sums[:, 1::2]
    return sampled
