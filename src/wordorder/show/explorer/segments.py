"""The segment data that the explorer shows: texts, chunks, links and scores, all stored as columns."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.text import Tokens
from wordorder.linking.matching.matches import Chunks


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of one test set.

    ``scores`` has the axes metric, system and segment, with NaN where undefined. For each metric, ``directions`` is 1
    if higher is better, −1 if lower is better, and 0 otherwise; ``counts`` contains the names of the metrics whose
    values are counts. Texts are bytes with one line per segment and a space between words (see ``write_lines``).
    ``matches[s][r]`` has the chunks of matched words of system s and reference r. ``orders[s][r]`` has the scored
    order if it does not follow from matched words. Links connect the source with each text. ``groups`` has the
    document or bucket name of every segment, ``matched`` has the share of reference words that each system matches in
    each segment, and ``lengths`` has the number of words in each segment. ``main`` is the metric that is shown first,
    ``order`` lists the systems from best to worst, and ``order_words`` has, for each system, the number of words in
    the order of each segment. Losses under a metric in ``weighted`` are multiplied by these numbers. ``common[m][a,
    b]`` has the scores of system a under metric m on the words that system b matches, too, of which there are
    ``common_words[a, b]`` (given for a < b).
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
    main: str = ""
    order: tuple[str, ...] = ()
    weighted: frozenset[str] = frozenset()
    order_words: tuple[NDArray[np.int32], ...] = ()
    common: Mapping[str, Mapping[tuple[int, int], Floats]] = field(default_factory=dict)
    common_words: Mapping[tuple[int, int], NDArray[np.int32]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lengths)


def write_lines(tokens: Tokens, names: Sequence[str] | None = None) -> bytes:
    """Return sentences one per line, with a space between words and no-break spaces inside words.

    ``names`` is the result of ``write_words``; columns with the same vocabulary can share it.

    >>> write_lines(Tokens.of([["10 000", "cats"], [], ["a"]])).decode()
    '10\\xa0000 cats\\n\\na\\n'
    """
    names = write_words(tokens) if names is None else names
    words = [names[number] for number in tokens.ids.tolist()]
    return "".join(" ".join(words[start:stop]) + "\n" for start, stop in pairwise(tokens.offsets.tolist())).encode()


def write_words(tokens: Tokens) -> list[str]:
    """Return the words of a vocabulary, with spaces and line ends replaced by no-break spaces."""
    words = tokens.vocabulary.to_pylist()
    space = "\N{NO-BREAK SPACE}"
    return [word if word.isprintable() and " " not in word else space.join(word.split()) for word in words]
