"""The DPM family: F-measures that compare the fragments of two dependency trees, or of two lists of parses.

Kahn, Ostendorf & Roark 2009. A tree is divided into fragments of one or several types. ``1g`` is a word and ``2g`` a
pair of neighbouring words, without sentence boundaries. Each arc yields a fragment of the dependent and the label
(``dl``), of the label and the head (``lh``), of all three (``dlh``), or of the dependent and the head (``dh``). A
``chain`` consists of a word, its head and the head's head, without labels (the headword chains of Liu & Gildea 2005).
The root arc is included; its head is ROOT, which is not a word.

If a sentence has several parses, fragments have expected counts under p̃ ∝ p^γ, normalised over the n best parses or
over all derivations in the packed forest. In each segment, hypothesis and reference have Σ min(expected counts)
fragments in common. The scores of documents and systems are computed from the sums of this number and of the numbers
of fragments in hypotheses and references.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import UsageError, choices
from wordorder.metrics import fragments
from wordorder.metrics.base import Array, Batch, ForestRequest, Metric, Need, parameter
from wordorder.metrics.fragments import FragmentSource

SCORES = ("f", "precision", "recall")
LIST, FOREST = SOURCES = ("list", "forest")

_FRAGMENTS = f"types of fragments: {' '.join(fragments.FRAGMENTS)}, joined by +"


@dataclass(frozen=True)
class Dpm(Metric):
    """Dependency pair match: the F1 score of the fragments in the parses of hypothesis and reference.

    By default, the fragments are the labelled dependencies of the best parse, as in SParseval and in Owczarzak's
    metric d. If the fragments are only words and word pairs (``dpm:parts=1g+2g``), no parses are needed.
    """

    name: ClassVar[str] = "dpm"
    formula: ClassVar[str] = "2·Σ min(hyp, ref) / (|hyp| + |ref|), expected counts of fragments under p^γ of n parses"
    paper: ClassVar[str] = "Kahn, Ostendorf & Roark 2009"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.PARSES})
    slow: ClassVar[bool] = True

    fragments: str = parameter("dlh", _FRAGMENTS, key="parts")
    n: int = parameter(1, "parses of each sentence that count", low=1)
    gamma: float = parameter(1.0, "flattening: 0 uniform, 1 the parser's own probabilities", low=0)
    lowercase: bool = parameter(False, "compare words in lower case")
    score: str = parameter("f", "which number is reported", options=SCORES)
    source: str = parameter(
        LIST,
        "expectation over the list of the n best parses, or over the whole forest",
        options=SOURCES,
        key="parses",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.isfinite(self.gamma):
            raise UsageError(f"{self.name}: gamma must be a finite number, not {self.gamma}")
        chosen = self.fragments.split("+")
        for part in chosen:
            if part not in fragments.FRAGMENTS:
                raise choices(part, list(fragments.FRAGMENTS), what=f"part of {self.name}")
        if len(set(chosen)) < len(chosen):
            raise UsageError(f"{self.name}: {self.fragments!r} contains the same part twice; name each part once")
        if self.source == FOREST and self.n != type(self).n:
            raise UsageError(f"{self.name}: n, the number of parses, has no effect with parses=forest; leave it out")
        # The order of the types does not affect the bag, so it must not affect the printed form either.
        object.__setattr__(self, "fragments", "+".join(part for part in fragments.FRAGMENTS if part in chosen))

    @property
    def types(self) -> tuple[str, ...]:
        """The types of fragments that are counted."""
        return tuple(self.fragments.split("+"))

    @property
    def requires(self) -> frozenset[Need]:
        """The required kind of input: text if only words and word pairs are counted; otherwise parses."""
        return frozenset({Need.TEXT}) if set(self.types) <= set(fragments.STRING_FRAGMENTS) else self.needs

    @property
    def parses(self) -> int:
        """The number of parses of each sentence that this metric uses."""
        return self.n if Need.PARSES in self.requires and self.source == LIST else 0

    @property
    def forest(self) -> ForestRequest | None:
        """The expected counts that this metric requires from packed forests, or None if it does not use forests."""
        if Need.PARSES in self.requires and self.source == FOREST:
            return ForestRequest(self.gamma, fragments.CHAIN in self.types)
        return None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the statistics: the numbers of matched, hypothesis and reference fragments for each type."""
        return tuple(f"{part}_{what}" for part in self.types for what in ("matched", "hypothesis", "reference"))

    def statistics(self, batch: Batch) -> Array:
        """Count the matched, hypothesis and reference fragments of each type for each segment and reference."""
        hypothesis, *references = self._sentences(batch)
        counts = [[fragments.overlap(part, hypothesis, each) for part in self.types] for each in references]
        return np.stack([np.concatenate(each, axis=1) for each in counts], axis=1)

    def segment(self, rows: Array) -> Array:
        """Return F1, precision or recall over all types of fragments; it is NaN if neither side has fragments."""
        return _measure(self._joint(rows), self.score)

    def parts(self, sums: Array) -> dict[str, Array]:
        """Return precision, recall and F1 over all types of fragments, and the F1 of each type."""
        joint = self._joint(sums)
        single = {part: _measure(sums[..., 3 * i : 3 * i + 3], "f") for i, part in enumerate(self.types)}
        return {name: _measure(joint, name) for name in ("precision", "recall", "f")} | single

    def _joint(self, sums: Array) -> Array:
        result: Array = sums.reshape(*sums.shape[:-1], len(self.types), 3).sum(axis=-2)
        return result

    def _sentences(self, batch: Batch) -> list[FragmentSource]:
        """Return the fragments of the hypotheses and of each reference, with word IDs from a common vocabulary."""
        if Need.PARSES not in self.requires:
            return fragments.from_tokens(batch.hypothesis, *batch.references, lowercase=self.lowercase)
        if self.source == FOREST:
            return fragments.from_forests(*batch.forests(self.gamma), lowercase=self.lowercase)
        hypothesis, references = batch.parses
        return fragments.from_parses(hypothesis, *references, n=self.n, gamma=self.gamma, lowercase=self.lowercase)


@dataclass(frozen=True)
class Edpm(Dpm):
    """Expected dependency pair match: F1 of words, word pairs and parts of arcs, with expected counts over 50 parses.

    Each arc has two parts: the dependent with the label, and the label with the head.
    """

    name: ClassVar[str] = "edpm"
    formula: ClassVar[str] = "dpm:parts=1g+2g+dl+lh:n=50:gamma=0.25"

    fragments: str = parameter("1g+2g+dl+lh", _FRAGMENTS, key="parts")
    n: int = parameter(50, "parses of each sentence that count", low=1)
    gamma: float = parameter(0.25, "flattening: 0 uniform, 1 the parser's own probabilities", low=0)


def _measure(counts: Floats, score: str) -> Array:
    """Return F1, precision or recall, given the number of matched, hypothesis and reference fragments.

    The score is 0 if only one of the two sides has fragments, and NaN if neither has any.
    """
    matched, hypothesis, reference = np.moveaxis(counts, -1, 0)
    total = {"f": (hypothesis + reference) / 2, "precision": hypothesis, "recall": reference}[score]
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(total > 0, matched / total, 0.0)
    return np.where(hypothesis + reference > 0, value, np.nan)
