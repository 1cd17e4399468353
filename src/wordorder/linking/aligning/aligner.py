"""Word alignment with a trained model. The result is alignment links or the posterior probabilities of links."""

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.core.orders import Alignments
from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints, offsets_from_lengths
from wordorder.core.runtime.errors import InputError, UsageError, check_choice
from wordorder.core.runtime.kernels import kernel
from wordorder.core.runtime.threads import map_chunks, progress, spans
from wordorder.core.text import Tokens
from wordorder.linking.aligning import symmetrisation
from wordorder.linking.aligning.cooccurrence import LARGEST_PAIR, Bitext, check_pairs, number_words
from wordorder.linking.aligning.lookup import Shape, cell_layout
from wordorder.linking.aligning.motion import Motion, Posteriors, both_posteriors
from wordorder.linking.aligning.translation_tables import TranslationTables

DIRECTIONS = ("forward", "backward", "both")

_AT_ONCE = 1 << 17  # the number of sentence pairs in one part

FEW_PAIRS = 5_000
"""With fewer sentence pairs than this, links and scores change noticeably when text is added."""

DIGEST_SIZE = 6
_WORDS_AT_A_TIME = 1 << 20


@dataclass(frozen=True)
class TrainingText:
    """The size and digest of the sentence pairs that an aligner was trained on.

    ``pairs`` is None if the aligner was loaded from a file that does not record the number. ``digest`` identifies the
    text or, if ``model`` is true, the saved model. ``lexicon`` is the name of the dictionary, if one was used.
    """

    pairs: int | None
    digest: str
    model: bool = False
    lexicon: str | None = None

    @classmethod
    def of(cls, parts: Sequence[tuple[Tokens, Tokens]]) -> "TrainingText":
        """Count the sentence pairs and compute their digest, which does not depend on the word IDs.

        >>> from wordorder.core.text import encode
        >>> source, target = encode(["la casa", "verde"], ["the house", "green"])
        >>> TrainingText.of([(source, target)])
        TrainingText(pairs=2, digest='578ff7c26da0', model=False, lexicon=None)
        """
        digest = hashlib.blake2b(digest_size=DIGEST_SIZE)
        for side in zip(*parts, strict=True):
            words = map(str.encode, side[0].vocabulary.to_pylist())
            codes = np.frombuffer(b"".join(hashlib.blake2b(word, digest_size=8).digest() for word in words), "<u8")
            for column in side:
                digest.update(column.lengths.astype("<i8").tobytes())
            for column in side:
                for start, stop in spans(len(column.ids), _WORDS_AT_A_TIME):
                    digest.update(codes[column.ids[start:stop]].tobytes())
        return cls(sum(len(source) for source, _ in parts), digest.hexdigest())

    @property
    def signature(self) -> dict[str, Any]:
        """The score signature fields that describe the training text."""
        known = {} if self.pairs is None else {"train_pairs": self.pairs}
        named = {} if self.lexicon is None else {"lexicon": self.lexicon}
        return known | {"model" if self.model else "train_text": self.digest} | named

    @property
    def note(self) -> str:
        """A note for score tables: the size of the training text and a caveat about confidence intervals."""
        learnt = "an unknown number of" if self.pairs is None else f"{self.pairs:,}"
        advice = ""
        if self.pairs is not None and self.pairs < FEW_PAIRS:
            remedy = "use training text or a saved model"
            advice = f"; with fewer than {FEW_PAIRS:,}, scores change with every text added ({remedy})"
        return f"links by an aligner trained on {learnt} sentence pairs{advice}; intervals leave out alignment noise"


class Aligner(ABC):
    """The base class of word aligners. Use :func:`train` or :func:`load` to get an aligner."""

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

        In each direction, every word is linked to its most probable partner, or to none. The method ``symmetrise``
        then combines the links of the two directions. The posterior methods (``posterior-product`` and
        ``soft-union``) work differently: they keep every link whose combined posterior is at least ``threshold``. The
        other methods ignore ``threshold``. The probability of a link is the mean of its posteriors in the two
        directions.
        """
        symmetrisation.check_method(symmetrise)
        check_pairs(source, target)
        return self._align(source, target, symmetrise, threshold, threads)

    def align_parts(self, source: Tokens, target: Tokens, **how: Any) -> Iterator[Alignments]:
        """Align sentence pairs in parts, so that the memory used for one part is freed before the next is aligned.

        The links have no probabilities, because storing them would double the memory needed.
        """
        for start, stop in spans(len(source), _AT_ONCE):
            yield replace(self.align(source[start:stop], target[start:stop], **how), probability=None)

    @abstractmethod
    def _align(self, source: Tokens, target: Tokens, method: str, threshold: float, threads: int) -> Alignments: ...

    def posteriors(
        self, source: Tokens, target: Tokens, *, direction: str = "both", floor: float = 1e-3, threads: int = 1
    ) -> Alignments:
        """Return every link whose posterior probability is at least ``floor``.

        With the direction ``forward``, the posteriors for each target word sum to 1 over the source words and the
        null word; with ``backward``, those for each source word sum to 1 over the target words and the null word.
        ``both`` returns the mean of the two directions.
        """
        raise UsageError(f"{self.model} does not provide posteriors; use the model hmm, diagonal or model1")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, which :func:`load` can read."""
        raise UsageError(f"a model trained with {self.model} cannot be saved; use the model hmm, diagonal or model1")


@dataclass(frozen=True, eq=False)
class TrainedAligner(Aligner):
    """A trained model that can align any text, using its translation tables and its models of word positions.

    Unknown words get smoothed probabilities. Each sentence pair is aligned independently of all others, and the
    number of threads does not affect the result.
    """

    model: str
    tables: TranslationTables
    motions: tuple[Motion, Motion]
    null: float
    training_text: TrainingText

    def _align(self, source: Tokens, target: Tokens, method: str, threshold: float, threads: int) -> Alignments:
        def work(cells: "_Cells") -> Alignments:
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
        check_choice(direction, DIRECTIONS, "direction")
        return self._map(
            lambda cells: cells.keep(np.flatnonzero(cells.probability(direction) >= floor), direction),
            source,
            target,
            threads=threads,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file."""
        from wordorder.linking.aligning.storage import save

        save(self, path)

    def _map(
        self, work: "Callable[[_Cells], Alignments]", source: Tokens, target: Tokens, *, threads: int
    ) -> Alignments:
        """Compute posteriors chunk by chunk, apply ``work`` to those of each chunk, and concatenate the results."""
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
            found = both_posteriors(self.motions, chunk, emissions, nulls, null=self.null, count=False)
            return work(_Cells(chunk, *found))

        spans = text.spans()
        found = map_chunks(infer, spans, threads=threads)
        return Alignments.concatenate(list(progress(found, label="aligning", total=len(spans))))


@dataclass(frozen=True, eq=False)
class _Cells:
    """The posteriors in both directions of every cell (source word × target word) of some sentence pairs."""

    text: Bitext
    forward: Posteriors
    backward: Posteriors

    def probability(self, direction: str, cells: Int64s | slice = slice(None)) -> Floats:
        forward, backward = self.forward.links[cells], self.backward.links[cells]
        if direction == "both":
            return symmetrisation.combine(forward, backward, "soft-union")
        return forward if direction == "forward" else backward

    def decode(self) -> tuple[Bools, Bools]:
        """For each word, mark its most probable cell, unless the null word is at least as probable.

        The first array marks the cells chosen for target words; the second marks those chosen for source words.
        """
        offsets = self.text.source_offsets, self.text.target_offsets
        forward = _decode((*offsets, False), self.forward.links, self.forward.null)
        return forward, _decode((*offsets, True), self.backward.links, self.backward.null)

    def find(self, cells: Int64s) -> tuple[Int64s, Ints, Ints]:
        """Return the sentence pair, source position and target position of each given cell."""
        starts = offsets_from_lengths(self.text.cells)
        rows = np.searchsorted(starts, cells, side="right") - 1
        source, target = np.divmod(cells - starts[rows], np.diff(self.text.target_offsets)[rows])
        return rows, source.astype(np.int32), target.astype(np.int32)

    def keep(self, cells: Int64s, direction: str = "both") -> Alignments:
        """Return the given cells as links with probabilities; the cells must be in ascending order."""
        rows, source, target = self.find(cells)
        offsets = offsets_from_lengths(np.bincount(rows, minlength=len(self.text)))
        ends = self.text.source_offsets, self.text.target_offsets
        lengths = np.diff(ends[0]).astype(np.int32), np.diff(ends[1]).astype(np.int32)
        return Alignments(source, target, offsets, *lengths, None, self.probability(direction, cells))


@kernel
def _decode(shape: Shape, links: Floats, null_links: Floats) -> Bools:
    """For each observed word, mark the cell with the largest posterior, or the first of these if several are equal.

    No cell of the word is marked if the null word is at least as probable.
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
