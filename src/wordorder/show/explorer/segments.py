"""What the explorer knows of segments: texts, chunks, links and scores, all of them columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from wordorder.core.orders.alignment import Alignments
from wordorder.core.orders.permutation import Permutations
from wordorder.core.runtime.columns import Floats, Int64s, Ints, Ragged, join_offsets, positions, rows_of
from wordorder.core.text import Tokens

if TYPE_CHECKING:
    from wordorder.linking.matching import Matches


@dataclass(frozen=True, eq=False)
class Chunks(Ragged):
    """Runs of words that stand side by side in a hypothesis and in the same order in its reference.

    A chunk joins ``hypothesis_size`` words from word ``hypothesis`` on with ``reference_size`` words from word
    ``reference`` on; the sizes differ only where paraphrases of several words were matched.
    """

    hypothesis: Ints
    hypothesis_size: Ints
    reference: Ints
    reference_size: Ints
    offsets: Int64s

    @classmethod
    def of_matches(cls, matches: Matches) -> Chunks:
        """Join matches that are adjacent on both sides.

        >>> from wordorder.linking.matching import match
        >>> from wordorder.core.text import tokenise
        >>> found = Chunks.of_matches(match(*tokenise([["it sat the cat"], ["the cat sat"]])))
        >>> found.hypothesis.tolist(), found.hypothesis_size.tolist(), found.reference.tolist()
        ([1, 2], [1, 2], [2, 0])
        """
        return cls._joined(
            matches.hypothesis, matches.hypothesis_size, matches.reference, matches.reference_size, matches.offsets
        )

    @classmethod
    def of_orders(cls, orders: Permutations) -> Chunks:
        """Read word orders as matches with the identity: a chunk is a run of consecutive ranks.

        >>> Chunks.of_orders(Permutations.of(["3 1 2"])).reference.tolist()
        [2, 0]
        """
        ones = np.ones(len(orders.ranks), dtype=np.int32)
        return cls._joined(positions(orders.offsets), ones, orders.ranks, ones, orders.offsets)

    @classmethod
    def _joined(
        cls, hypothesis: Ints, hypothesis_size: Ints, reference: Ints, reference_size: Ints, offsets: Int64s
    ) -> Chunks:
        rows = rows_of(offsets)
        first = np.ones(len(rows), dtype=np.bool_)
        first[1:] = (
            (rows[1:] != rows[:-1])
            | (hypothesis[1:] != hypothesis[:-1] + hypothesis_size[:-1])
            | (reference[1:] != reference[:-1] + reference_size[:-1])
        )
        starts = np.flatnonzero(first)
        sizes = [
            np.add.reduceat(size, starts).astype(np.int32) if len(starts) else size[:0]
            for size in (hypothesis_size, reference_size)
        ]
        before = np.append(0, np.cumsum(first))
        return cls(hypothesis[first], sizes[0], reference[first], sizes[1], before[offsets])

    @classmethod
    def concatenate(cls, parts: Sequence[Chunks]) -> Chunks:
        """Put columns one after another; there must be some."""
        joined = {
            each.name: np.concatenate([getattr(part, each.name) for part in parts])
            for each in fields(cls)
            if each.name != "offsets"
        }
        return cls(**joined, offsets=join_offsets([part.offsets for part in parts]))


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of one test set; ``scores`` are ``[metrics, systems, segments]``, NaN where undefined.

    ``directions`` has 1 for a metric of which more is better, −1 where less is, 0 where neither is true; ``counts``
    names those that count something.
    Texts are bytes, one line per segment, words separated by a space (``write_lines``). ``matches[s][r]`` joins the
    words of system s and reference r; ``orders[s][r]`` is the judged order where it is not the order of matched
    words. Links join the source with each text. ``groups`` names the document or bucket of every segment, ``matched``
    is the share of reference words each system matched, ``[systems, segments]``, and ``lengths`` counts words.
    """

    name: str
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    scores: Floats
    directions: tuple[int, ...]
    lengths: Int64s
    _: KW_ONLY
    source: bytes | None = None
    references: tuple[bytes, ...] = ()
    hypotheses: tuple[bytes, ...] = ()
    matches: tuple[tuple[Chunks, ...], ...] = ()
    orders: tuple[tuple[Chunks, ...], ...] = ()
    reference_links: tuple[Alignments, ...] = ()
    system_links: tuple[Alignments, ...] = ()
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    matched: Floats | None = None
    counts: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.lengths)


def write_lines(tokens: Tokens, names: Sequence[str] | None = None) -> bytes:
    """Write sentences one a line, their words separated by one space; spaces inside a word become no-break spaces.

    ``names`` are the words of the vocabulary as they are written, where several columns share it.

    >>> write_lines(Tokens.of([["10 000", "cats"], [], ["a"]])).decode()
    '10\\xa0000 cats\\n\\na\\n'
    """
    names = write_words(tokens) if names is None else names
    words = [names[number] for number in tokens.ids.tolist()]
    return "".join(" ".join(words[start:stop]) + "\n" for start, stop in pairwise(tokens.offsets.tolist())).encode()


def write_words(tokens: Tokens) -> list[str]:
    """Return the words of a vocabulary without spaces and line ends."""
    words = tokens.vocabulary.to_pylist()
    return [
        word if word.isprintable() and " " not in word else "\N{NO-BREAK SPACE}".join(word.split()) for word in words
    ]
