"""Aligning text with a trained model: links, or the posteriors of links."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from wordorder.aligning.cooccurrence import LARGEST_PAIR, Bitext
from wordorder.aligning.lexicon import Lexicon
from wordorder.aligning.motion import Motion, Posteriors
from wordorder.aligning.symmetrisation import (
    DEFAULT_METHOD,
    DEFAULT_THRESHOLD,
    POSTERIOR_METHODS,
    check_method,
    choose,
    combine,
)
from wordorder.orders import Alignments
from wordorder.runtime.errors import InputError, choices
from wordorder.runtime.kernels import kernel
from wordorder.runtime.progress import progress
from wordorder.runtime.ragged import offsets_from_lengths
from wordorder.runtime.threads import map_chunks
from wordorder.text import Tokens

if TYPE_CHECKING:
    import pyarrow as pa

DIRECTIONS = ("forward", "backward", "both")


class Aligner(Protocol):
    """Aligns sentence pairs; :func:`wordorder.aligning.train` and :func:`wordorder.aligning.load` give one."""

    @property
    def model(self) -> str:
        """Give the name of the model."""

    def align(
        self,
        source: Tokens,
        target: Tokens,
        *,
        symmetrise: str = DEFAULT_METHOD,
        threshold: float = DEFAULT_THRESHOLD,
        threads: int = 1,
    ) -> Alignments:
        """Align sentence pairs."""

    def posteriors(
        self, source: Tokens, target: Tokens, *, direction: str = "both", floor: float = 1e-3, threads: int = 1
    ) -> Alignments:
        """Give every link whose posterior probability is at least ``floor``."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model into one file."""


@dataclass(frozen=True, eq=False)
class TrainedAligner:
    """Aligns any text with the tables and the motion of its model; unseen words do not break anything.

    The alignment of a sentence pair does not depend on the pairs around it, nor on the number of threads.
    """

    model: str
    lexicon: Lexicon
    forward: Motion
    backward: Motion
    null: float

    def align(
        self,
        source: Tokens,
        target: Tokens,
        *,
        symmetrise: str = DEFAULT_METHOD,
        threshold: float = DEFAULT_THRESHOLD,
        threads: int = 1,
    ) -> Alignments:
        """Align sentence pairs: in each direction the likeliest state of every word, then both joined.

        ``threshold`` is for the posterior methods, which do not decode but keep every link whose joint posterior
        reaches it. The probability of a link is the mean of its posteriors in the two directions.
        """
        check_method(symmetrise)

        def work(cells: _Cells) -> Alignments:
            if symmetrise in POSTERIOR_METHODS:
                joint = combine(cells.forward.links, cells.backward.links, symmetrise)
                return cells.keep(np.flatnonzero(joint >= threshold))
            forward, backward = cells.decode()
            union = np.flatnonzero(forward | backward)
            rows, i, j = cells.find(union)
            offsets = offsets_from_lengths(np.bincount(rows, minlength=len(cells.text)))
            chosen = choose(i, j, offsets, forward[union], backward[union], symmetrise)
            return cells.keep(union[chosen])

        return self._map(work, source, target, threads=threads)

    def posteriors(
        self, source: Tokens, target: Tokens, *, direction: str = "both", floor: float = 1e-3, threads: int = 1
    ) -> Alignments:
        """Give every link whose posterior probability is at least ``floor``.

        ``forward``: of a source word for each target word; ``backward``: of a target word for each source word; what
        is missing from 1 is the probability that the word is unaligned. ``both``: the mean of the two.
        """
        if direction not in DIRECTIONS:
            raise choices(direction, list(DIRECTIONS), what="direction")

        def work(cells: _Cells) -> Alignments:
            probability = cells.probability(direction)
            return cells.keep(np.flatnonzero(probability >= floor), direction)

        return self._map(work, source, target, threads=threads)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model into one file; :func:`wordorder.aligning.load` reads it back."""
        from wordorder.aligning.storage import save

        save(self, path)

    def _map(
        self, work: Callable[[_Cells], Alignments], source: Tokens, target: Tokens, *, threads: int
    ) -> Alignments:
        """Compute the posteriors of all sentence pairs chunk by chunk and do something with each chunk."""
        if len(source) != len(target):
            raise InputError(f"{len(source)} source sentences but {len(target)} target sentences")
        (source_ids, source_words), (target_ids, target_words) = renumber(source), renumber(target)
        text = Bitext(source_ids, source.offsets.copy(), target_ids, target.offsets.copy())
        large = text.cells > LARGEST_PAIR
        if large.any():
            row = int(np.argmax(large))
            raise InputError(
                f"a sentence pair of {source.lengths[row]} × {target.lengths[row]} words is too long to align "
                f"(at most {LARGEST_PAIR} word pairs)",
                line=row + 1,
            )
        readings = self.lexicon.read(source_words, target_words)

        def infer(span: tuple[int, int]) -> Alignments:
            chunk = text.slice(*span)
            forward, backward = self.lexicon.emissions(chunk, *readings)
            source_null, target_null = readings[0].null[chunk.source], readings[1].null[chunk.target]
            return work(
                _Cells(
                    chunk,
                    self.forward.posteriors(chunk, forward, target_null, null=self.null, backward=False),
                    self.backward.posteriors(chunk, backward, source_null, null=self.null, backward=True),
                )
            )

        spans = text.spans()
        found = map_chunks(infer, spans, threads=threads)
        return Alignments.concatenate(list(progress(found, label="aligning", total=len(spans))))


@dataclass(frozen=True, eq=False)
class _Cells:
    """Some sentence pairs with the posteriors of both directions for each cell."""

    text: Bitext
    forward: Posteriors
    backward: Posteriors

    def probability(self, direction: str) -> NDArray[np.float64]:
        if direction == "both":
            return combine(self.forward.links, self.backward.links, "soft-union")
        return self.forward.links if direction == "forward" else self.backward.links

    def decode(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Mark the likeliest cell of every target word, and of every source word, unless null is likelier."""
        shape = self.text.source_offsets, self.text.target_offsets
        forward = _decode(*shape, False, self.forward.links, self.forward.null)
        return forward, _decode(*shape, True, self.backward.links, self.backward.null)

    def find(self, cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Give the sentence pair, the source word and the target word of some cells."""
        starts = offsets_from_lengths(self.text.cells)
        rows = np.searchsorted(starts, cells, side="right") - 1
        source, target = np.divmod(cells - starts[rows], np.diff(self.text.target_offsets)[rows])
        return rows, source.astype(np.int32), target.astype(np.int32)

    def keep(self, cells: NDArray[np.int64], direction: str = "both") -> Alignments:
        """Give some cells as links; they must be sorted."""
        rows, source, target = self.find(cells)
        return Alignments(
            source,
            target,
            offsets_from_lengths(np.bincount(rows, minlength=len(self.text))),
            np.diff(self.text.source_offsets).astype(np.int32),
            np.diff(self.text.target_offsets).astype(np.int32),
            None,
            self.probability(direction)[cells],
        )


@kernel
def _decode(
    source_offsets: NDArray[np.int64],
    target_offsets: NDArray[np.int64],
    backward: bool,
    links: NDArray[np.float64],
    null_links: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Mark the cell with the largest posterior for every observed word, the first of equals."""
    marked = np.zeros(len(links), dtype=np.bool_)
    cell = 0
    place = 0
    for sentence in range(len(source_offsets) - 1):
        states = source_offsets[sentence + 1] - source_offsets[sentence]
        observed = target_offsets[sentence + 1] - target_offsets[sentence]
        stride, step = observed, 1
        if backward:
            states, observed, stride, step = observed, states, 1, observed
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


def renumber(tokens: Tokens) -> tuple[NDArray[np.int32], pa.Array]:
    """Number the words a column really uses, and give them in that order."""
    import pyarrow as pa

    used, ids = np.unique(tokens.ids, return_inverse=True)
    return ids.astype(np.int32), tokens.vocabulary.take(used).cast(pa.large_string())
