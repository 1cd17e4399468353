"""METEOR with this package's word matching and an optional lower weight for function words.

Lavie & Agarwal 2007; Denkowski & Lavie 2014.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from wordorder.core.runtime.columns import Bools, Int64s, Ints, Strings, from_column, rows_of, strings, sum_rows
from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.libraries import pc
from wordorder.core.text import Tokens, read_word_list
from wordorder.linking.matching import Matches, Weights
from wordorder.metrics.base import Array, Batch, parameter
from wordorder.metrics.lexical import TextMetric


@dataclass(frozen=True)
class Meteor(TextMetric):
    """METEOR with this package's word matching: F_mean·(1 − γ(chunks/matches)^θ).

    F_mean is PR/(αP + (1 − α)R) for precision P and recall R. ``parameters`` selects values of α, γ and θ: ``thesis``
    (.8, .4, 2.5), ``2007`` (.81, .28, .83: Lavie & Agarwal 2007) or ``1.5-rank`` (.85, .6, .2: Denkowski & Lavie
    2014). ``function_words`` is a file with one word per line. In P and R, function words (in upper or lower case)
    have the weight 1 − δ = .25, and all other words the weight δ = .75. Without the file, all words have equal
    weight.

    If both texts are the same, the score is 1: their only chunk costs nothing, although it does in the formula.
    """

    name: ClassVar[str] = "meteor"
    formula: ClassVar[str] = "F_mean · (1 − γ(chunks/matches)^θ), F_mean = PR/(αP + (1 − α)R); 1 for identical texts"
    paper: ClassVar[str] = "Lavie & Agarwal 2007; Denkowski & Lavie 2014"
    columns = (
        "hypothesis_matched",
        "reference_matched",
        "hypothesis_weight",
        "reference_weight",
        "chunks",
        "matched_words",
        "unmatched_words",
    )

    parameters: str = parameter("1.5-rank", "named set of α, γ, θ", options=("thesis", "2007", "1.5-rank"))
    no_punct: bool = parameter(False, "leave out punctuation before matching")
    function_words: str = parameter("", "words that count a third as much as others, one per line", values="a file")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.function_words:
            return
        if _SETS[self.parameters].delta is None:
            raise UsageError(f"{self.name}: function_words requires parameters=1.5-rank, not {self.parameters}")
        if set(self.function_words) & set(":,"):
            raise UsageError(f"{self.name}: the file name {self.function_words!r} must not contain a colon or comma")
        _ = self._list  # report errors in the file immediately

    @cached_property
    def _list(self) -> Strings:
        return strings(sorted({word.lower() for word in read_word_list(self.function_words)}))

    @property
    def fingerprint(self) -> str:
        """The spec of the metric, followed by a digest of the list of function words if there is one."""
        if not self.function_words:
            return str(self)
        return f"{self} {hashlib.blake2b(chr(10).join(self._list.to_pylist()).encode(), digest_size=16).hexdigest()}"

    def signature_fields(self) -> dict[str, Any]:
        """Return the length of the list of function words, if there is such a list."""
        return {"function_words": [len(self._list)]} if self.function_words else {}

    def statistics(self, batch: Batch) -> Array:
        """Return the weights of matched words and of all words, and count chunks, matched and unmatched words."""
        stages = _SETS[self.parameters].stages
        hypothesis, references = batch.without_punctuation if self.no_punct else (batch.hypothesis, batch.references)
        light = self._function_words(hypothesis)
        counts = []
        found = batch.matches_weighted(stages, punctuation=not self.no_punct)
        for matches, reference in zip(found, references, strict=True):
            words = matches.hypothesis_words, matches.reference_words
            sides = (
                (hypothesis, words[0], matches.hypothesis, matches.hypothesis_size),
                (reference, words[1], matches.reference, matches.reference_size),
            )
            weighed = [self._weigh(*side, matches, light) for side in sides]
            matched = words[0].sum(axis=1) + words[1].sum(axis=1)
            unmatched = hypothesis.lengths + reference.lengths - matched
            numerators = [(by_stage * stages).sum(axis=1) for by_stage, _ in weighed]
            totals = [total for _, total in weighed]
            counts.append(np.stack([*numerators, *totals, matches.chunks, matched, unmatched], axis=1))
        return np.stack(counts, axis=1)

    def _function_words(self, tokens: Tokens) -> Bools | None:
        """Return which words of the vocabulary are function words, or None if there is no list of function words."""
        if not self.function_words:
            return None

        folded = pc.utf8_lower(tokens.vocabulary)
        return from_column(pc.is_in(folded, self._list.cast(folded.type)))

    def _weigh(
        self, tokens: Tokens, words: Int64s, starts: Ints, sizes: Ints, matches: Matches, light: Bools | None
    ) -> tuple[Array, Array]:
        """Return, for one side of each segment, the weight of its matched words by stage and of all its words."""
        delta = _SETS[self.parameters].delta
        if light is None or delta is None:
            return words.astype(np.float64), tokens.lengths.astype(np.float64)
        marked = light[tokens.ids]
        before = np.append(0, np.cumsum(marked, dtype=np.int64))
        first = tokens.offsets[rows_of(matches.offsets)] + starts
        in_matches = matches.by_stage(before[first + sizes] - before[first])
        in_all = sum_rows(marked, tokens.offsets)
        content = words - in_matches, tokens.lengths - in_all
        return delta * content[0] + (1.0 - delta) * in_matches, delta * content[1] + (1.0 - delta) * in_all

    def segment(self, rows: Array) -> Array:
        """Return METEOR scores; the score is 0 if no word is matched, and NaN if both sides are empty."""
        named = _SETS[self.parameters]
        chunks, matched, unmatched = rows[..., 4], rows[..., 5], rows[..., 6]
        with np.errstate(invalid="ignore", divide="ignore"):
            precision = rows[..., 0] / rows[..., 2]
            recall = rows[..., 1] / rows[..., 3]
            f_mean = precision * recall / (named.alpha * precision + (1.0 - named.alpha) * recall)
            whole = (chunks == 1) & (unmatched == 0)
            fragmentation = np.where(whole, 0.0, chunks / (matched / 2.0))
            score = f_mean * (1.0 - named.gamma * fragmentation**named.theta)
        return np.where(rows[..., 0] > 0, score, np.where(matched + unmatched > 0, 0.0, np.nan))


@dataclass(frozen=True)
class _Parameters:
    """A set of METEOR parameters.

    ``stages`` holds the weight of a match in each stage (exact, stem, synonym, paraphrase). ``delta`` is None if the
    set defines no lower weight for function words.
    """

    alpha: float
    gamma: float
    theta: float
    stages: Weights = (1.0, 1.0, 1.0, 1.0)
    delta: float | None = None


_SETS = {
    "thesis": _Parameters(0.8, 0.4, 2.5),
    "2007": _Parameters(0.81, 0.28, 0.83),
    "1.5-rank": _Parameters(0.85, 0.6, 0.2, (1.0, 0.6, 0.8, 0.6), delta=0.75),
}
