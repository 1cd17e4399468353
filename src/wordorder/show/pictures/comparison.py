"""Draw a hypothesis and its reference, showing matched words, their chunks, and the words that would have to move."""

from collections.abc import Sequence
from typing import NamedTuple

from wordorder.core.orders.ascending import mark_ascending
from wordorder.linking.matching import Matches
from wordorder.linking.matching.matches import Chunks
from wordorder.metrics.batch import Batch
from wordorder.show.pictures.rows import Place, Rows, lay_out
from wordorder.show.pictures.svg import COLOURS, Canvas, Look, Picture

_SIGNS = (
    "Boxes: matched words that stand together, numbered as in the reference. Dashed: would have to move. "
    "Dots: not matched."
)
_LABELS = ("hypothesis", "reference")


class Chunk(NamedTuple):
    """A chunk: its first and last word on each side (hypothesis, reference), and whether it would have to move."""

    spans: tuple[tuple[int, int], tuple[int, int]]
    moves: bool


def draw_comparison(
    hypothesis: str,
    reference: str,
    *,
    tokenizer: str = "13a",
    lowercase: bool = False,
    title: str = "",
    layout: str = "auto",
) -> Picture:
    """Draw a translation above its reference. Matched words that are adjacent in both sentences form a chunk.

    Chunks are numbered in reference order, so the words of the hypothesis are in order if its numbers increase. A
    dashed frame marks a chunk that would have to move if as few words as possible were moved. Words without a match
    have a dotted underline. Identical words match, as in ``wordorder score``.

    >>> draw_comparison("sat the cat", "the cat sat").description
    'Hypothesis: sat the cat. Reference: the cat sat. 3 of 3 reference words are matched, in 2 chunks; \
to be moved: sat.'
    """
    batch = Batch.of_sentences(hypothesis, [reference], tokenizer=tokenizer, lowercase=lowercase)
    words = batch.hypothesis.words(0), batch.references[0].words(0)
    matches = batch.matches[0]
    chunks = find_chunks(matches)
    rows = lay_out(words, layout=layout, gap=84)
    canvas = Canvas()
    for number, chunk in enumerate(chunks):
        _draw_chunk(canvas, rows, number, chunk)
    spans = matches.hypothesis, matches.hypothesis_size, matches.reference, matches.reference_size
    for h, h_size, r, r_size in zip(*(span.tolist() for span in spans), strict=True):
        number = next(place for place, chunk in enumerate(chunks) if chunk.spans[0][0] <= h <= chunk.spans[0][1])
        _draw_match(canvas, rows, (h, h + h_size - 1), (r, r + r_size - 1), number, moves=chunks[number].moves)
    for side in (0, 1):
        covered = {word for chunk in chunks for word in range(chunk.spans[side][0], chunk.spans[side][1] + 1)}
        rows.write(canvas, side, faint=[word for word in range(len(words[side])) if word not in covered])
    rows.label(canvas, _LABELS)
    canvas.legend([_SIGNS])
    return canvas.picture(title or "Hypothesis and reference", _describe(words, matches, chunks))


def find_chunks(matches: Matches) -> list[Chunk]:
    """Return the chunks of the first sentence pair in ``matches``, in reference order."""
    (order,) = matches.orders()
    stays = mark_ascending(order.column()).tolist() if len(order) else []
    chunks = Chunks.of_matches(matches)
    columns = chunks.hypothesis, chunks.hypothesis_size, chunks.reference, chunks.reference_size
    found: list[Chunk] = []
    seen = 0
    for first, size, gold, gold_size in zip(*(column.tolist() for column in columns), strict=True):
        found.append(Chunk(((first, first + size - 1), (gold, gold + gold_size - 1)), not stays[seen]))
        seen += gold_size
    return sorted(found, key=lambda chunk: chunk.spans[1])


def _draw_chunk(canvas: Canvas, rows: Rows, number: int, chunk: Chunk) -> None:
    colour = COLOURS[number % len(COLOURS)]
    moves = chunk.moves
    for side in (0, 1):
        box = rows.span(side, *chunk.spans[side])
        look: Look = {
            "class_": "chunk moved" if moves else "chunk",
            "data_chunk": str(number + 1),
            "data_side": _LABELS[side],
        }
        look |= {"stroke": colour, "stroke_width": "2" if moves else "1.5", "fill": colour, "fill_opacity": "0.1"}
        if moves:
            look["stroke_dasharray"] = "6 3"
        canvas.rect(box.x - 5, box.y, box.width + 10, box.height, round=5, **look)
    for side in (0, 1):
        canvas.badge(*_badge_place(rows, side, rows.span(side, *chunk.spans[side])), str(number + 1), colour)


def _badge_place(rows: Rows, side: int, box: Place) -> tuple[float, float]:
    """Return the position for the number of a chunk: on the outer side of the sentence, where no lines are drawn."""
    if rows.down:
        return (box.x - 16, box.middle[1]) if side == 0 else (box.x + box.width + 16, box.middle[1])
    return (box.middle[0], box.y - 11) if side == 0 else (box.middle[0], box.y + box.height + 11)


def _draw_match(
    canvas: Canvas, rows: Rows, words: tuple[int, int], gold: tuple[int, int], number: int, *, moves: bool
) -> None:
    one, two = rows.span(0, *words), rows.span(1, *gold)
    if rows.down:
        ends = (one.x + one.width + 6, one.middle[1], two.x - 6, two.middle[1])
    else:
        ends = (one.middle[0], one.y + one.height, two.middle[0], two.y)
    look: Look = {"stroke": COLOURS[number % len(COLOURS)], "stroke_width": "2" if moves else "1.2"}
    if moves:
        look["stroke_dasharray"] = "6 3"
    canvas.line(*ends, **look, class_="match", data_link=f"{words[0]}-{gold[0]}")


def _describe(words: tuple[Sequence[str], Sequence[str]], matches: Matches, chunks: list[Chunk]) -> str:
    moved = [" ".join(words[0][first : last + 1]) for ((first, last), _), moves in sorted(chunks) if moves]
    hypothesis, reference = map(" ".join, words)
    counts = f"{int(matches.reference_size.sum())} of {len(words[1])} reference words are matched"
    texts = f"Hypothesis: {hypothesis}. Reference: {reference}. {counts}, in {len(chunks)} chunks; to be moved: "
    return f"{texts}{', '.join(moved) or 'nothing'}."
