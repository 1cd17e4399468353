"""Training of a chain of models, each initialised with the tables of the previous one (Brown et al. 1993)."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from wordorder.core.runtime.columns import Float32s, Floats, Ints
from wordorder.core.runtime.errors import UsageError, check_choice, mention, refuse
from wordorder.core.runtime.kernels import kernel
from wordorder.core.runtime.threads import map_chunks, progress
from wordorder.core.text import Tokens
from wordorder.linking.aligning.aligner import Aligner, TrainedAligner, TrainingText
from wordorder.linking.aligning.cooccurrence import LARGEST_PAIR, Bitext, SentencePairs, check_pairs, number_words
from wordorder.linking.aligning.estimation import Estimator
from wordorder.linking.aligning.lookup import find_cells, find_probabilities
from wordorder.linking.aligning.motion import UNIFORM, Diagonal, Jumps, Motion, Posteriors, both_posteriors
from wordorder.linking.aligning.symmetrisation import check_method
from wordorder.linking.aligning.translation_tables import Smoothing
from wordorder.linking.settings import AligningSettings

MODELS = ("model1", "diagonal", "hmm", "eflomal")
DEFAULT_MODEL = "hmm"

_REMEMBERED_CELLS = 1 << 25  # these cells take 128 megabytes
_SAMPLED = 64  # the smallest number of chunks from which the positions of words are learned, if there are so many
_NEGLIGIBLE = 1e-7  # links with a smaller posterior probability are not counted


@dataclass(frozen=True)
class Aligning(AligningSettings):
    """The options that determine how missing alignments are computed: the aligner and its training text.

    A saved model (``align_model``) is used without further training. Otherwise, a model is trained on the training
    texts, if there are any, followed by the texts to be scored.

    >>> str(Aligning(symmetrise="intersection"))
    'hmm+intersection'
    """

    def __post_init__(self) -> None:  # fail before a training run whose result could not be used
        check_choice(self.aligner, MODELS, "alignment model")
        check_method(self.symmetrise)
        if (self.train_source is None) != (self.train_target is None):
            raise UsageError(f"training requires both {mention('train_source')} and {mention('train_target')}")
        if self.align_model is not None and self.train_source is not None:
            raise UsageError(f"a saved model cannot be trained further; remove {mention('train_source')}")
        if self.align_model is not None and self.lexicon is not None:
            raise UsageError(f"a saved model cannot learn from a dictionary; remove {mention('lexicon')}")

    def __str__(self) -> str:
        return f"{self.align_model or self.aligner}+{self.symmetrise}"


def train(
    source: Tokens,
    target: Tokens,
    *,
    beside: Sequence[SentencePairs] = (),
    lexicon: str | None = None,
    model: str = DEFAULT_MODEL,
    iterations: int = 5,
    null: float = 0.15,
    agreement: bool = True,
    smoothing: Smoothing | None = None,
    threads: int = 1,
) -> Aligner:
    """Train an aligner on sentence pairs, in both directions at once.

    ``beside`` contains additional training pairs that share the vocabulary of ``source`` and ``target``, such as
    other translations of the same source. ``lexicon`` is the file or the name of a dictionary, of which each entry
    that fits the text counts as one more sentence pair. The model ``model1`` runs the given number of iterations of
    IBM model 1; ``diagonal`` then adds the same number of iterations of its own model, and ``hmm`` one less.
    ``null`` is the probability of the null word. With ``agreement``, the iterations of ``diagonal`` and ``hmm``
    weight each link by the product of its posteriors in the two directions (Liang, Taskar & Klein 2006). Training
    uses no random numbers and adds in a fixed order, so the same text always yields the same model, with any number
    of threads.

    Sentence pairs with an empty side or with more than 2,048 × 2,048 word pairs are ignored. The model ``eflomal``
    ignores all training options.

    >>> from wordorder.core.text import encode
    >>> source, target = encode(["la casa", "la casa verde", "verde"], ["the house", "the green house", "green"])
    >>> aligner = train(source, target)
    >>> [str(row) for row in aligner.align(source, target)]
    ['0-0 1-1', '0-0 1-2 2-1', '0-0']
    """
    check_choice(model, MODELS, "alignment model")
    refuse(iterations < 1, f"iterations must be at least 1, not {iterations}")
    refuse(not 0 < null < 1, f"the probability of the null word must be between 0 and 1, not {null}")
    parts = [(source, target), *beside]
    for pairs in parts:
        check_pairs(*pairs)
    if lexicon is not None:
        from wordorder.linking.aligning.lexicon import with_entries

        parts = with_entries(parts, lexicon)
    if model == "eflomal":
        from wordorder.linking.aligning.eflomal import EflomalAligner

        sources, targets = zip(*parts, strict=True)
        return EflomalAligner.train(Tokens.concatenate(sources), Tokens.concatenate(targets))
    parts = [_usable(*pairs) for pairs in parts]
    known = TrainingText.of(parts)
    if lexicon is not None:
        size = sum(len(column) for column, _ in parts[:-1])  # without the entries
        known = replace(known, pairs=size, lexicon=os.path.basename(lexicon))
    text, words = number_words(parts)
    estimator = Estimator(text, words, smoothing or Smoothing(), threads=threads)
    trainer = _Trainer(text, estimator, null, threads, remember=int(text.cells.sum()) <= _REMEMBERED_CELLS)
    chain: list[tuple[str, Motion]] = [("model1", UNIFORM)]
    if model != "model1":
        chain.append((model, Diagonal() if model == "diagonal" else Jumps.start()))
    for name, start in chain:
        motions = start, start
        rounds = max(1, iterations - 1) if name == "hmm" else iterations
        for iteration in range(rounds):
            label = f"training {name} {iteration + 1}/{rounds}"
            motions = trainer.iterate(motions, agree=agreement and name != "model1", label=label)
    return TrainedAligner(model, estimator.tables(), motions, null, known)


@dataclass(frozen=True, eq=False)
class _Trainer:
    """Expectation-maximisation training on one text."""

    text: Bitext
    estimator: Estimator
    null: float
    threads: int
    remember: bool
    found: dict[tuple[int, int], Ints] = field(default_factory=dict)

    def iterate(self, motions: tuple[Motion, Motion], *, agree: bool, label: str) -> tuple[Motion, Motion]:
        """Run one iteration: update the translation tables and return new position models for both directions."""
        tables = self.estimator
        counts = np.zeros((1 if agree else 2, len(tables.pairs) + 1), dtype=np.float32)
        source_null, target_null = nulls = [np.zeros(len(words)) for words in tables.words]
        statistics: list[Floats] = []
        spans = self.text.spans()
        # Chunks are returned in order and added one by one, so the sums do not depend on the number of threads.
        every = max(1, len(spans) // _SAMPLED)
        jobs = ((span, number % every == 0) for number, span in enumerate(spans))
        chunks = map_chunks(lambda job: self._expect(*job, motions), jobs, threads=self.threads)
        for text, pairs, forward, backward in progress(chunks, label=label, total=len(spans)):
            if agree:
                _add_products(pairs, forward.links, backward.links, counts[0])
            else:
                _add(pairs, forward.links, counts[0])
                _add(pairs, backward.links, counts[1])
            _add(text.source, backward.null, source_null)
            _add(text.target, forward.null, target_null)
            both = [forward.statistics, backward.statistics]
            if not statistics:
                statistics = both
            elif len(both[0]):
                statistics = [old + new for old, new in zip(statistics, both, strict=True)]
        tables.update(counts, nulls, stems=tables.smoothing.stems)
        if not statistics:
            return motions
        return motions[0].learn(statistics[0]), motions[1].learn(statistics[1])

    def _expect(
        self, span: tuple[int, int], count: bool, motions: tuple[Motion, Motion]
    ) -> tuple[Bitext, Ints, Posteriors, Posteriors]:
        """E-step for one span: return its sentence pairs, the word pair of each cell and both sets of posteriors."""
        tables, chunk, pairs = self.estimator, self.text.slice(*span), self._pairs(span)
        emissions = find_probabilities(pairs, tables.forward.table, tables.backward.table)
        nulls = tables.null[0][chunk.source], tables.null[1][chunk.target]
        return chunk, pairs, *both_posteriors(motions, chunk, emissions, nulls, null=self.null, count=count)

    def _pairs(self, span: tuple[int, int]) -> Ints:
        """Return the word pair of each cell in a span; the result is cached unless it needs too much memory."""
        if span in self.found:
            return self.found[span]
        chunk = self.text.slice(*span)
        pairs = find_cells(self.estimator.pairs.arrays, *self.estimator.spread, chunk.arrays, int(chunk.cells.sum()))
        if self.remember:
            self.found[span] = pairs
        return pairs


@kernel
def _add_products(words: Ints, forward: Floats, backward: Floats, sums: Float32s) -> None:
    for place in range(len(words)):
        value = forward[place] * backward[place]
        if value > _NEGLIGIBLE:
            sums[words[place]] += value


@kernel
def _add(words: Ints, values: Floats, sums: Floats | Float32s) -> None:
    for place in range(len(words)):
        sums[words[place]] += values[place]


def _usable(source: Tokens, target: Tokens) -> tuple[Tokens, Tokens]:
    """Remove sentence pairs that have an empty side or are too large to be aligned."""
    cells = source.lengths * target.lengths
    keep = (cells > 0) & (cells <= LARGEST_PAIR)
    if keep.all():
        return source, target
    return source.take(np.flatnonzero(keep)), target.take(np.flatnonzero(keep))
