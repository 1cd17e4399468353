"""Test sets with metric scores of systems and human judgements of their translations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.runtime.errors import InputError, UsageError, count_of
from wordorder.core.statistics.rows import CompactRows
from wordorder.formats.judgements import Comparisons, Ratings, check_segments
from wordorder.scoring.common_words import uses_order_alone
from wordorder.scoring.scores import Scores


@dataclass(frozen=True, eq=False)
class TranslationPairs:
    """Pairs of translations of the same segment.

    ``human`` is positive if people prefer the first translation, negative if they prefer the second, and 0 for a tie.
    ``unit`` is the index, below ``units``, of the segment or screen that each pair is resampled with.
    """

    segment: Int64s
    first: Int64s
    second: Int64s
    human: Floats
    weight: Floats
    unit: Int64s
    units: int


@dataclass(frozen=True, eq=False)
class JudgedSet:
    """A test set: its name (often a language pair), scores, human judgements and, optionally, documents.

    ``labels`` replace the names of the metrics. They are needed if a name differs between sets, because it contains
    settings taken from the set, or if one metric is scored in two ways. If ``common_words`` is true, metrics of order
    alone compare two translations on the reference words that both match.
    """

    name: str
    scores: Scores
    judgements: Comparisons | Ratings
    documents: Sequence[str] | None = None
    labels: tuple[str, ...] | None = None
    common_words: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        scores: Scores,
        judgements: Comparisons | Ratings,
        documents: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
    ) -> "JudgedSet":
        """Build a test set by matching scores and judgements by system name."""
        known = judgements.among(scores.systems)
        check_segments(known, len(scores))
        if not len(known):
            raise InputError(
                f"{name}: none of the scored systems was judged; there are judgements for "
                f"{', '.join(judgements.systems[:8])}, but scores for {', '.join(scores.systems[:8])}"
            )
        if documents is not None and len(documents) != len(scores):
            raise InputError(
                f"{name}: found {count_of(len(documents), 'document ID')} for {count_of(len(scores), 'segment')}; "
                "expected one per segment"
            )
        return cls(name, scores, known, documents, None if labels is None else tuple(labels))

    def combine(self, other: "JudgedSet") -> "JudgedSet":
        """Return a set with the metrics of both sets, which must contain scores of the same translations."""
        if self.scores.systems != other.scores.systems or len(self.scores) != len(other.scores):
            raise UsageError(f"{self.name}: scores can be combined only if they cover the same systems and segments")
        labels = *self.metrics, *other.metrics
        for label in labels:
            if labels.count(label) > 1:
                raise UsageError(f"{self.name}: two metrics are called {label!r}; give them different labels")
        both = zip(self.scores.statistics, other.scores.statistics, strict=True)
        scores = replace(
            self.scores,
            metrics=(*self.scores.metrics, *other.scores.metrics),
            statistics=tuple(map(CompactRows.beside, both)),
            inputs=join_signatures([self.scores.inputs, other.scores.inputs]),
            counts=self.scores.counts or other.scores.counts,
        )
        return replace(self, scores=scores, labels=labels)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics."""
        return self.labels or tuple(self.scores.labels)

    @cached_property
    def segment_scores(self) -> Floats:
        """Segment scores ``[metrics, systems, segments]``; higher is always better, NaN where undefined."""
        return np.stack(
            [
                np.stack([self.scores.scores_at(s, m) for s in range(len(self.scores.systems))]) * sign
                for m, sign in enumerate(self.direction)
            ]
        )

    def differences(self, pairs: TranslationPairs) -> Floats:
        """Return the difference between the two translations of each pair, ``[metrics, pairs]``, NaN if undefined."""
        sides = (pairs.first, pairs.segment), (pairs.second, pairs.segment)
        found = np.stack([scores[sides[0]] - scores[sides[1]] for scores in self.segment_scores])
        if self.common_words:
            ordered = [m for m, metric in enumerate(self.scores.metrics) if uses_order_alone(metric)]
            found[ordered] = self._differences_on_common_words(pairs)
        return found

    def _differences_on_common_words(self, pairs: TranslationPairs) -> Floats:
        low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
        sign = np.where(pairs.first == low, 1.0, -1.0)
        places, values = [], []
        for a, b in np.unique(np.stack([low, high], axis=1), axis=0).tolist():
            part = self.scores.on_common_words(self.scores.systems[a], self.scores.systems[b])
            rows = np.flatnonzero((low == a) & (high == b))
            one, two = (np.stack([part.scores_at(s, m) for m in range(len(part.metrics))]) for s in (0, 1))
            places.append(rows)
            values.append((one - two)[:, pairs.segment[rows]] * sign[rows])
        return np.hstack(values)[:, np.argsort(np.concatenate(places))]

    @property
    def direction(self) -> list[float]:
        """For each metric, −1 if lower is better, otherwise 1."""
        return [-1.0 if metric.higher_is_better is False else 1.0 for metric in self.scores.metrics]

    @cached_property
    def ratings(self) -> Floats:
        """Mean ratings ``[systems, segments]``; only for sets with ratings."""
        assert isinstance(self.judgements, Ratings)
        return self.judgements.means(len(self.scores))

    def pairs(self, unit: str = "segments") -> TranslationPairs:
        """Return the compared pairs of translations; ratings compare all pairs of rated systems on each segment."""
        given = self.judgements
        if isinstance(given, Comparisons):
            numbers = given.segment if unit == "segments" else given.screen
            units, place = np.unique(numbers, return_inverse=True)
            human = given.preference.astype(np.float64)
            return TranslationPairs(given.segment, given.first, given.second, human, given.weight, place, len(units))
        left, right = np.triu_indices(len(self.scores.systems), k=1)
        human = self.ratings[left] - self.ratings[right]
        pair, segment = np.nonzero(~np.isnan(human))
        units, place = np.unique(segment, return_inverse=True)
        weight = np.ones(len(segment))
        return TranslationPairs(segment, left[pair], right[pair], human[pair, segment], weight, place, len(units))

    def human_rows(self, unit: str = "segments") -> tuple[Floats, Int64s]:
        """Return the counts that :func:`human_scores` needs for each resampling unit, and the segment of each unit.

        For comparisons, rows are ``[units, systems, 5]``: wins, losses, ties, screens on which no other system was
        better, and all screens. For ratings, they are ``[units, systems, 2]``: the weighted sum and the total weight.
        """
        judged = self.judgements
        count = len(self.scores.systems)
        if isinstance(judged, Ratings):
            size = len(self.scores) * count
            cell = judged.segment * count + judged.system
            weight = np.ones(len(judged)) if judged.weight is None else judged.weight
            total = np.bincount(cell, weights=judged.value * weight, minlength=size).astype(np.float64)
            given = np.bincount(cell, weights=weight, minlength=size).astype(np.float64)
            return np.stack([total, given], axis=1).reshape(-1, count, 2), np.arange(len(self.scores))
        numbers = judged.segment if unit == "segments" else judged.screen
        _, where, place = np.unique(numbers, return_index=True, return_inverse=True)
        rows = np.zeros(len(where) * count * 5)
        for system, sign in ((judged.first, 1), (judged.second, -1)):
            outcome = np.where(judged.preference == 0, 2, np.where(judged.preference == sign, 0, 1))
            cell = (place * count + system) * 5 + outcome
            rows += np.bincount(cell, weights=judged.weight, minlength=len(rows))
        found = rows.reshape(-1, count, 5)
        _, first, screen = np.unique(judged.screen, return_index=True, return_inverse=True)
        seen, lost = np.zeros((2, len(first), count))
        for system, sign in ((judged.first, 1), (judged.second, -1)):
            seen[screen, system] = 1
            beaten = judged.preference == -sign
            lost[screen[beaten], system[beaten]] = 1
        np.add.at(found, place[first], np.stack([np.zeros_like(seen)] * 3 + [seen * (1 - lost), seen], axis=-1))
        return found, judged.segment[where]

    @property
    def knows_words(self) -> bool:
        """Whether ratings can be averaged over segments; for error rates, this requires their numbers of words."""
        judged = self.judgements
        return isinstance(judged, Comparisons) or judged.weight is None or not np.isnan(judged.weight).any()

    def describe(self) -> dict[str, Any]:
        """Return the numbers of systems, segments, judges, judgements and ties, and the numbers of items left out."""
        judged = self.judgements
        known: dict[str, Any] = {
            "systems": len(self.scores.systems),
            "segments": len(np.unique(judged.segment)),
            "judges": len(judged.judges),
        }
        if isinstance(judged, Comparisons):
            known |= {"comparisons": len(judged), "ties": judged.ties}
        else:
            known |= {"ratings": len(judged)}
        return known | ({"left_out": dict(judged.left_out)} if judged.left_out else {})


def join_signatures(signatures: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Join several score signatures; settings that differ become lists in the order of the signatures.

    >>> join_signatures([{"dk": 0.8, "seed": 1}, {"dk": 0.9, "alpha": [0.1], "seed": 1}])
    {'dk': [0.8, 0.9], 'seed': 1, 'alpha': [0.1]}
    """
    joined: dict[str, Any] = {}
    for key in dict.fromkeys(key for signature in signatures for key in signature):
        values = [signature[key] for signature in signatures if key in signature]
        if all(value == values[0] for value in values):
            joined[key] = values[0]
        else:
            joined[key] = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return joined
