"""What the explorer knows of segments: texts, chunks, links and scores, all of them columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import pairwise

from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.text import Tokens
from wordorder.linking.matching.matches import Chunks


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
