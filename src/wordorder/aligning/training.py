"""Training: a chain of models, each starting from the tables of the one before (Brown et al. 1993)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wordorder.aligning.aligner import Aligner, TrainedAligner, renumber
from wordorder.aligning.cooccurrence import LARGEST_PAIR, Bitext
from wordorder.aligning.estimation import Estimator
from wordorder.aligning.external import EflomalAligner
from wordorder.aligning.lexicon import Smoothing
from wordorder.aligning.lookup import find_cells
from wordorder.aligning.motion import UNIFORM, Diagonal, Jumps, Motion, Posteriors
from wordorder.runtime.errors import InputError, UsageError, choices
from wordorder.runtime.kernels import kernel
from wordorder.runtime.progress import progress
from wordorder.runtime.ragged import offsets_from_lengths, rows_of
from wordorder.runtime.threads import map_chunks
from wordorder.text import Tokens

MODELS = ("model1", "diagonal", "hmm", "eflomal")
DEFAULT_MODEL = "hmm"

_REMEMBERED_CELLS = 1 << 27  # half a gigabyte


def train(
    source: Tokens,
    target: Tokens,
    *,
    model: str = DEFAULT_MODEL,
    iterations: int = 5,
    null: float = 0.15,
    agreement: bool = True,
    smoothing: Smoothing | None = None,
    threads: int = 1,
) -> Aligner:
    """Train an aligner on sentence pairs, both directions at once.

    ``model1`` runs the given number of iterations of IBM model 1; ``diagonal`` and ``hmm`` then run as many of their
    own. ``null`` is the probability of the null word. With ``agreement`` the last model of ``diagonal`` and ``hmm``
    counts a link as often as both directions expect it: the product of their posteriors (Liang, Taskar & Klein 2006).
    Nothing is random and sums have a fixed order: the same text gives the same model for any number of threads.

    Pairs with an empty side, or larger than 2,048 × 2,048 words, are left out. ``eflomal`` takes no options.

    >>> from wordorder.text import encode
    >>> source, target = encode(["la casa", "la casa verde", "verde"], ["the house", "the green house", "green"])
    >>> aligner = train(source, target)
    >>> [str(row) for row in aligner.align(source, target)]
    ['0-0 1-1', '0-0 1-2 2-1', '0-0']
    """
    if model not in MODELS:
        raise choices(model, list(MODELS), what="alignment model")
    if iterations < 1:
        raise UsageError(f"an aligner needs at least 1 iteration, not {iterations}")
    if not 0 < null < 1:
        raise UsageError(f"the probability of the null word lies between 0 and 1, not {null}")
    if len(source) != len(target):
        raise InputError(f"{len(source)} source sentences but {len(target)} target sentences")
    if model == "eflomal":
        return EflomalAligner.train(source, target)
    source, target = _usable(source, target)
    (source_ids, source_words), (target_ids, target_words) = renumber(source), renumber(target)
    text = Bitext(source_ids, source.offsets.copy(), target_ids, target.offsets.copy())
    estimator = Estimator(text, source_words, target_words, smoothing or Smoothing(), threads=threads)
    trainer = _Trainer(text, estimator, null, threads, remember=int(text.cells.sum()) <= _REMEMBERED_CELLS)
    chain: list[tuple[str, Motion]] = [("model1", UNIFORM)]
    if model == "diagonal":
        chain.append((model, Diagonal()))
    elif model == "hmm":
        chain.append((model, Jumps.start()))
    for name, start in chain:
        motions = start, start
        for iteration in range(iterations):
            label = f"training {name} {iteration + 1}/{iterations}"
            motions = trainer.iterate(motions, agree=agreement and name != "model1", label=label)
    return TrainedAligner(model, estimator.lexicon(), *motions, null=null)


@dataclass(frozen=True, eq=False)
class _Expectation:
    """What one chunk of the training text expects: the word pair of each cell and both posteriors."""

    text: Bitext
    pairs: NDArray[np.int32]
    forward: Posteriors
    backward: Posteriors


@dataclass(frozen=True, eq=False)
class _Trainer:
    """Expectation and maximisation over one text."""

    text: Bitext
    estimator: Estimator
    null: float
    threads: int
    remember: bool
    found: dict[tuple[int, int], NDArray[np.int32]] = field(default_factory=dict)

    def iterate(self, motions: tuple[Motion, Motion], *, agree: bool, label: str) -> tuple[Motion, Motion]:
        """Run one iteration: fill the estimator's tables anew and give what the motions have learnt."""
        tables = self.estimator
        forward, backward = np.zeros(len(tables.pairs)), np.zeros(len(tables.pairs))
        source_null, target_null = (np.zeros(len(words)) for words in tables.words)
        statistics: list[NDArray[np.float64]] = []
        spans = self.text.spans()
        # Chunks come back in order and are added one by one, so the sums do not depend on the threads.
        chunks = map_chunks(lambda span: self._expect(span, motions), spans, threads=self.threads)
        for chunk in progress(chunks, label=label, total=len(spans)):
            _add_links(chunk.pairs, chunk.forward.links, chunk.backward.links, agree, forward, backward)
            _add(chunk.text.source, chunk.backward.null, source_null)
            _add(chunk.text.target, chunk.forward.null, target_null)
            both = [chunk.forward.statistics, chunk.backward.statistics]
            statistics = [old + new for old, new in zip(statistics, both, strict=True)] if statistics else both
        tables.update(forward, backward, source_null, target_null)
        if not statistics:
            return motions
        return motions[0].learn(statistics[0]), motions[1].learn(statistics[1])

    def _expect(self, span: tuple[int, int], motions: tuple[Motion, Motion]) -> _Expectation:
        tables, chunk, pairs = self.estimator, self.text.slice(*span), self._pairs(span)
        source_null, target_null = tables.null[0][chunk.source], tables.null[1][chunk.target]
        forward, backward = tables.forward.table[pairs], tables.backward.table[pairs]
        return _Expectation(
            chunk,
            pairs,
            motions[0].posteriors(chunk, forward, target_null, null=self.null, backward=False),
            motions[1].posteriors(chunk, backward, source_null, null=self.null, backward=True),
        )

    def _pairs(self, span: tuple[int, int]) -> NDArray[np.int32]:
        """Give the word pair of each cell; remembered while that takes little memory."""
        if span in self.found:
            return self.found[span]
        chunk, pattern = self.text.slice(*span), self.estimator.pairs
        pairs = find_cells(
            pattern.offsets,
            pattern.columns,
            chunk.source,
            chunk.source_offsets,
            chunk.target,
            chunk.target_offsets,
            int(chunk.cells.sum()),
        )
        if self.remember:
            self.found[span] = pairs
        return pairs


@kernel
def _add_links(
    pairs: NDArray[np.int32],
    forward: NDArray[np.float64],
    backward: NDArray[np.float64],
    agree: bool,
    forward_counts: NDArray[np.float64],
    backward_counts: NDArray[np.float64],
) -> None:
    """Add the posteriors of cells to the counts of their pairs, or the product of both to both."""
    for cell in range(len(pairs)):
        if agree:
            both = forward[cell] * backward[cell]
            forward_counts[pairs[cell]] += both
            backward_counts[pairs[cell]] += both
        else:
            forward_counts[pairs[cell]] += forward[cell]
            backward_counts[pairs[cell]] += backward[cell]


@kernel
def _add(words: NDArray[np.int32], values: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    for place in range(len(words)):
        sums[words[place]] += values[place]


def _usable(source: Tokens, target: Tokens) -> tuple[Tokens, Tokens]:
    """Leave out pairs with an empty side and pairs too large for the quadratic table of a sentence pair."""
    cells = source.lengths * target.lengths
    keep = (cells > 0) & (cells <= LARGEST_PAIR)
    if keep.all():
        return source, target
    return _select(source, keep), _select(target, keep)


def _select(tokens: Tokens, keep: NDArray[np.bool_]) -> Tokens:
    words = tokens.ids[keep[rows_of(tokens.offsets)]]
    return Tokens(words, offsets_from_lengths(tokens.lengths[keep]), tokens.vocabulary)
