"""Alignment of text with a trained model, which yields links or the posterior probabilities of links."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.core.orders import Alignments
from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints, offsets_from_lengths
from wordorder.core.runtime.errors import InputError, UsageError, choices
from wordorder.core.runtime.kernels import kernel
from wordorder.core.runtime.progress import progress
from wordorder.core.runtime.threads import map_chunks, spans
from wordorder.core.text import Tokens
from wordorder.linking.aligning import symmetrisation
from wordorder.linking.aligning.cooccurrence import LARGEST_PAIR, Bitext, check_pairs, number_words
from wordorder.linking.aligning.lookup import Shape, cell_layout
from wordorder.linking.aligning.motion import Motion, Posteriors, both_posteriors
from wordorder.linking.aligning.training_text import TrainingText
from wordorder.linking.aligning.translation_tables import TranslationTables

DIRECTIONS = ("forward", "backward", "both")

_AT_ONCE = 1 << 17  # the number of sentence pairs in one part


class Aligner(ABC):
    """The common base of aligners, which align sentence pairs; :func:`train` and :func:`load` return them."""

    model: str
    """The name of the model."""

    training_text: TrainingText
    """The text that the model was trained on."""

    def align(
        self,
        source: Tokens,
        target: Tokens,
        *,
        symmetrise: str = symmetrisation.DEFAULT_METHOD,
        threshold: float = symmetrisation.DEFAULT_THRESHOLD,
        threads: int = 1,
    ) -> Alignments:
        """Align sentence pairs in both directions and combine the two directions into one alignment.

        In each direction, every word takes its most probable state. The posterior methods do not choose states: they
        keep every link whose combined posterior is at least ``threshold``, which has no effect on the other methods.
        The probability of a link is the mean of its posteriors in the two directions.
        """
        symmetrisation.check_method(symmetrise)
        check_pairs(source, target)
        return self._align(source, target, symmetrise, threshold, threads)

    def align_parts(self, source: Tokens, target: Tokens, **how: Any) -> Iterator[Alignments]:
        """Align sentence pairs one part at a time, so that the memory of a part is freed before the next one.

        The links have no probabilities, which would double their memory.
        """
        for start, stop in spans(len(source), _AT_ONCE):
            yield replace(self.align(source.slice(start, stop), target.slice(start, stop), **how), probability=None)

    @abstractmethod
    def _align(self, source: Tokens, target: Tokens, method: str, threshold: float, threads: int) -> Alignments: ...

    def posteriors(
        self, source: Tokens, target: Tokens, *, direction: str = "both", floor: float = 1e-3, threads: int = 1
    ) -> Alignments:
        """Return every link whose posterior probability is at least ``floor``.

        The direction ``forward`` gives the posteriors of the source words for each target word, and ``backward``
        those of the target words for each source word; the rest of the probability belongs to the null word. ``both``
        is the mean of the two directions.
        """
        raise UsageError(f"{self.model} does not provide posteriors; use the model hmm, diagonal or model1")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, which :func:`load` can read."""
        raise UsageError(f"a model trained with {self.model} cannot be saved; use the model hmm, diagonal or model1")


@dataclass(frozen=True, eq=False)
class TrainedAligner(Aligner):
    """An aligner that applies the tables and the motions of a trained model to any text.

    Probabilities of unknown words come from smoothing. The alignment of a sentence pair depends neither on the other
    pairs nor on the number of threads.
    """

    model: str
    tables: TranslationTables
    motions: tuple[Motion, Motion]
    null: float
    training_text: TrainingText

    def _align(self, source: Tokens, target: Tokens, method: str, threshold: float, threads: int) -> Alignments:
        def work(cells: _Cells) -> Alignments:
            if method in symmetrisation.POSTERIOR_METHODS:
                joint = symmetrisation.combine(cells.forward.links, cells.backward.links, method)
                return cells.keep(np.flatnonzero(joint >= threshold))
            forward, backward = cells.decode()
            union = np.flatnonzero(forward | backward)
            rows, i, j = cells.find(union)
            offsets = offsets_from_lengths(np.bincount(rows, minlength=len(cells.text)))
            return cells.keep(union[symmetrisation.choose(i, j, offsets, forward[union], backward[union], method)])

        return self._map(work, source, target, threads=threads)

    def posteriors(
        self, source: Tokens, target: Tokens, *, direction: str = "both", floor: float = 1e-3, threads: int = 1
    ) -> Alignments:
        """Return every link whose posterior probability is at least ``floor``."""
        if direction not in DIRECTIONS:
            raise choices(direction, list(DIRECTIONS), what="direction")

        def work(cells: _Cells) -> Alignments:
            return cells.keep(np.flatnonzero(cells.probability(direction) >= floor), direction)

        return self._map(work, source, target, threads=threads)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file."""
        from wordorder.linking.aligning.storage import save

        save(self, path)

    def _map(
        self, work: Callable[[_Cells], Alignments], source: Tokens, target: Tokens, *, threads: int
    ) -> Alignments:
        """Compute the posteriors of the sentence pairs in chunks, and return the concatenated results of ``work``."""
        text, words = number_words([(source, target)])
        large = text.cells > LARGEST_PAIR
        if large.any():
            row = int(np.argmax(large))
            size = f"{source.lengths[row]} × {target.lengths[row]} words"
            message = f"a sentence pair of {size} is too long to align (at most {LARGEST_PAIR} word pairs)"
            raise InputError(message, line=row + 1)
        readings = self.tables.read(*words)

        def infer(span: tuple[int, int]) -> Alignments:
            chunk = text.slice(*span)
            emissions = self.tables.emissions(chunk, *readings)
            nulls = readings[0].null[chunk.source], readings[1].null[chunk.target]
            return work(_Cells(chunk, *both_posteriors(self.motions, chunk, emissions, nulls, null=self.null)))

        spans = text.spans()
        found = map_chunks(infer, spans, threads=threads)
        return Alignments.concatenate(list(progress(found, label="aligning", total=len(spans))))


@dataclass(frozen=True, eq=False)
class _Cells:
    """Some sentence pairs, with posteriors in both directions for each cell (source word × target word)."""

    text: Bitext
    forward: Posteriors
    backward: Posteriors

    def probability(self, direction: str) -> Floats:
        if direction == "both":
            return symmetrisation.combine(self.forward.links, self.backward.links, "soft-union")
        return self.forward.links if direction == "forward" else self.backward.links

    def decode(self) -> tuple[Bools, Bools]:
        """Mark the most probable cell of each word, unless the null word is more probable.

        The first array has the cells chosen for target words, the second those chosen for source words.
        """
        offsets = self.text.source_offsets, self.text.target_offsets
        forward = _decode((*offsets, False), self.forward.links, self.forward.null)
        return forward, _decode((*offsets, True), self.backward.links, self.backward.null)

    def find(self, cells: Int64s) -> tuple[Int64s, Ints, Ints]:
        """Return the sentence pair, the source word and the target word of each given cell."""
        starts = offsets_from_lengths(self.text.cells)
        rows = np.searchsorted(starts, cells, side="right") - 1
        source, target = np.divmod(cells - starts[rows], np.diff(self.text.target_offsets)[rows])
        return rows, source.astype(np.int32), target.astype(np.int32)

    def keep(self, cells: Int64s, direction: str = "both") -> Alignments:
        """Return the given cells, which must be in ascending order, as links with probabilities."""
        rows, source, target = self.find(cells)
        offsets = offsets_from_lengths(np.bincount(rows, minlength=len(self.text)))
        ends = self.text.source_offsets, self.text.target_offsets
        lengths = np.diff(ends[0]).astype(np.int32), np.diff(ends[1]).astype(np.int32)
        return Alignments(source, target, offsets, *lengths, None, self.probability(direction)[cells])


@kernel
def _decode(shape: Shape, links: Floats, null_links: Floats) -> Bools:
    """Mark the cell with the largest posterior for each observed word, or the first of several equal cells.

    No cell is marked if the null word is at least as probable.
    """
    marked = np.zeros(len(links), dtype=np.bool_)
    cell = 0
    place = 0
    for sentence in range(len(shape[0]) - 1):
        states, observed, stride, step = cell_layout(shape, sentence)
        for j in range(observed):
            best = -1
            likeliest = null_links[place]
            for i in range(states):
                here = cell + i * stride + j * step
                if links[here] > likeliest:
                    best, likeliest = here, links[here]
            if best >= 0:
                marked[best] = True
            place += 1
        cell += states * observed
    return marked
