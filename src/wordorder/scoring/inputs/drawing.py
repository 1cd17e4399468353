"""Show segments as readable text: common chunks in brackets, the words of crossing links, and runs of ranks."""

from collections.abc import Sequence
from itertools import combinations

from wordorder.core.orders.alignment import Alignment
from wordorder.core.orders.permutation import Permutation

Line = tuple[str, str]
"""The label of a line of text (``src``, ``ref``, ``hyp`` or empty), and the line itself."""

_MOST_CROSSINGS = 8

Spans = Sequence[tuple[int, int, int, int]]
"""Matches, each as start and size in the hypothesis, then start and size in the reference."""

Crossing = tuple[tuple[int, int], tuple[int, int]]
"""Two links (i, j) and (k, l) with i < k and j > l."""


def mark_chunks(hypothesis: Sequence[str], reference: Sequence[str], spans: Spans) -> tuple[str, str]:
    """Return both sentences with their common chunks in brackets; chunks are numbered in reference order.

    >>> words = ["to", "reduce", "it", "plans"], ["plans", "now", "to", "reduce"]
    >>> mark_chunks(*words, [(0, 1, 2, 1), (1, 1, 3, 1), (3, 1, 0, 1)])
    ('[2 to reduce] it [1 plans]', '[1 plans] now [2 to reduce]')
    """
    numbered = list(enumerate(sorted(join_chunks(spans), key=lambda chunk: chunk[2]), start=1))
    return (
        _bracket(hypothesis, [(chunk[0], chunk[1], number) for number, chunk in numbered]),
        _bracket(reference, [(chunk[2], chunk[3], number) for number, chunk in numbered]),
    )


def join_chunks(spans: Spans) -> list[list[int]]:
    """Merge adjacent matches into chunks: ``[hypothesis start, hypothesis end, reference start, reference end]``.

    >>> join_chunks([(0, 1, 2, 1), (1, 1, 3, 1), (3, 1, 0, 1)])
    [[0, 2, 2, 4], [3, 4, 0, 1]]
    """
    chunks: list[list[int]] = []
    for h, h_size, r, r_size in sorted(spans):
        if chunks and chunks[-1][1] == h and chunks[-1][3] == r:
            chunks[-1][1], chunks[-1][3] = h + h_size, r + r_size
        else:
            chunks.append([h, h + h_size, r, r + r_size])
    return chunks


def _bracket(words: Sequence[str], spans: Sequence[tuple[int, int, int]]) -> str:
    parts: list[str] = []
    place = 0
    for first, end, number in sorted(spans):
        parts += [*words[place:first], f"[{number} {' '.join(words[first:end])}]"]
        place = end
    return " ".join([*parts, *words[place:]])


def draw_runs(order: Permutation) -> str:
    """Return an order as text, with a bar between runs of consecutive ranks.

    >>> draw_runs(Permutation.parse("2 4 5 6 1 3"))
    '2 | 4 5 6 | 1 | 3'
    """
    ranks = [rank + 1 for rank in order.ranks]
    gaps = ("" if place == 0 else " " if rank == ranks[place - 1] + 1 else " | " for place, rank in enumerate(ranks))
    return "".join(f"{gap}{rank}" for gap, rank in zip(gaps, ranks, strict=True))


def find_crossings(links: Alignment) -> list[Crossing]:
    """Return all pairs of crossing links, in source order.

    >>> find_crossings(Alignment(((0, 1), (1, 0), (2, 2))))
    [((0, 1), (1, 0))]
    """
    pairs = combinations(sorted(links.links), 2)
    return [(one, two) for one, two in pairs if one[0] < two[0] and one[1] > two[1]]


def draw_crossings(
    crossings: Sequence[Crossing], source: Sequence[str] | None, target: Sequence[str] | None, *, what: str
) -> Line:
    """Return a line that lists crossing links by their words, or by word indices if there is no text.

    >>> draw_crossings([((0, 1), (1, 0))], ["maison", "bleue"], ["blue", "house"], what="crossing links")
    ('', 'crossing links: 1 (maison–house × bleue–blue)')
    """

    def name(place: int, words: Sequence[str] | None) -> str:
        return str(place) if words is None else words[place]

    first = crossings[:_MOST_CROSSINGS]
    shown = [" × ".join(f"{name(i, source)}–{name(j, target)}" for i, j in crossing) for crossing in first]
    more = f", and {len(crossings) - len(shown)} more" if len(crossings) > len(shown) else ""
    return "", f"{what}: {len(crossings)}" + (f" ({', '.join(shown)}{more})" if shown else "")


def draw_guesses(
    links: Alignment, source: Sequence[str], target: Sequence[str], wait: int, *, catchup: bool = False
) -> Line:
    """Return a line that lists the target words that a wait-k translator (k = ``wait``) would have to guess.

    The position of such a word is at least ``wait`` smaller than that of the last source word linked to it; with
    ``catchup``, its position is first scaled to the length of the source.

    >>> draw_guesses(Alignment(((0, 1), (2, 0))), ["er", "nicht", "kommt"], ["comes", "he"], 2)
    ('', 'to guess: 1 (comes before kommt)')
    """
    heard: dict[int, int] = {}
    for i, j in links.links:
        heard[j] = max(i, heard.get(j, i))
    due, rate = (len(source), len(target)) if catchup else (1, 1)
    late = [(j, i) for j, i in sorted(heard.items()) if (i + 1 - wait) * rate >= (j + 1) * due]
    guessed = [f"{target[j]} before {source[i]}" for j, i in late]
    return "", f"to guess: {len(guessed)}" + (f" ({', '.join(guessed)})" if guessed else "")
