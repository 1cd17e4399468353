"""Draw two or more sentences with a line for every link between neighbouring sentences."""

from collections.abc import Iterable, Sequence

from wordorder.core.orders import Alignment
from wordorder.core.runtime.errors import UsageError, refuse
from wordorder.show.pictures.rows import Rows, lay_out
from wordorder.show.pictures.svg import BLUE, GREY, Canvas, Look, Picture


def draw_links(
    sentences: Sequence[str | Sequence[str]],
    alignments: Sequence[Alignment | str],
    *,
    labels: Sequence[str] | None = None,
    title: str = "",
    layout: str = "auto",
) -> Picture:
    """Draw sentences with lines for the links from each sentence to the next; crossing lines show reordering.

    ``alignments[i]`` links sentence i with sentence i + 1; it is an alignment or a string such as ``0-0 1-2``. Lines
    that cross another line are blue and thick; possible links are dashed. Words without a link have a dotted
    underline. With ``layout``, sentences run ``across`` or ``down`` the page; ``auto`` chooses ``down`` if a sentence
    is long or the sentences have opposite directions.

    >>> picture = draw_links(["a b c", "c a b"], ["0-1 1-2 2-0"])
    >>> picture.description
    'Sentence 1: a b c. Sentence 2: c a b. 3 links; 2 pairs of links cross.'
    """
    if len(alignments) != len(sentences) - 1 or not alignments:
        raise UsageError(f"found {len(alignments)} as the number of alignments; expected {len(sentences) - 1}")
    names = list(labels or [f"sentence {number}" for number in range(1, len(sentences) + 1)])
    refuse(len(names) != len(sentences), f"expected {len(sentences)} labels, one for each sentence, found {len(names)}")
    rows = lay_out(sentences, layout=layout)
    pairs = [
        to_alignment(links, len(rows.words[number]), len(rows.words[number + 1]))
        for number, links in enumerate(alignments)
    ]
    canvas = Canvas()
    for number, pair in enumerate(pairs):
        _draw_lines(canvas, rows, number, pair)
    for number, words in enumerate(rows.words):
        linked = {source for source, _ in pairs[number].links} if number < len(pairs) else set()
        linked |= {target for _, target in pairs[number - 1].links} if number else set()
        rows.write(canvas, number, faint=[word for word in range(len(words)) if word not in linked])
    if labels:
        rows.label(canvas, names)
    crossing = sum(int(pair.column().crossings()[0]) for pair in pairs)
    texts = [f"{name.capitalize()}: {' '.join(words)}." for name, words in zip(names, rows.words, strict=True)]
    count = sum(map(len, pairs))
    texts.append(f"{count} links; {crossing} pairs of links cross.")
    return canvas.picture(title or f"Word alignment with {crossing} crossings", " ".join(texts))


def to_alignment(links: Alignment | str, source: int | None = None, target: int | None = None) -> Alignment:
    """Return an alignment with the given sentence lengths; a string such as ``0-0 1-2`` counts words from 0."""
    if isinstance(links, str):
        return Alignment.parse(links, source_length=source, target_length=target)
    return Alignment(tuple(dict.fromkeys(links.links)), source, target, links.possible)


def linked_length(pair: Alignment, side: int) -> int:
    """Return the smallest length of one side (0: source, 1: target) that the links allow, at least 1."""
    return 1 + max((link[side] for link in pair.links), default=0)


def crossed(links: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the links that cross another link.

    >>> sorted(crossed([(0, 1), (1, 0), (2, 2), (2, 3)]))
    [(0, 1), (1, 0)]
    """
    found: set[tuple[int, int]] = set()
    pairs = list(links)
    for source, target in pairs:
        if any((source - other) * (target - goal) < 0 for other, goal in pairs):
            found.add((source, target))
    return found


def _draw_lines(canvas: Canvas, rows: Rows, number: int, pair: Alignment) -> None:
    crossing = crossed(pair.links)
    for link in sorted(pair.links, key=lambda link: link in crossing):
        source, target = link
        look: Look = {"stroke": GREY, "stroke_width": "1.2", "class_": "link"}
        if link in crossing:
            look |= {"stroke": BLUE, "stroke_width": "2", "class_": "link crossing"}
        if link in pair.possible:
            look["stroke_dasharray"] = "4 3"
        begin, end = rows.last_side(number, source), rows.first_side(number + 1, target)
        canvas.line(*begin, *end, **look, data_link=f"{source}-{target}")
