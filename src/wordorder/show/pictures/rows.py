"""Lay out sentences as rows or columns of words, with space between them for lines.

Sentences run across the page if they fit and all have the same writing direction. Otherwise each sentence becomes a
column of words, which keeps long sentences legible and avoids misleading lines: between a left-to-right row and a
right-to-left row, lines would cross without any reordering.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from wordorder.core.runtime.errors import check_choice, mention, refuse
from wordorder.show.pictures.lettering import runs_right_to_left, text_width
from wordorder.show.pictures.svg import GREY, INK, SIZE, Canvas

LAYOUTS = ("auto", "across", "down")
WIDEST = 1000
"""The largest width, in pixels, of a sentence that runs across the page."""

_BETWEEN_WORDS = 16
_LINE = 26
_BETWEEN_ROWS, _BETWEEN_COLUMNS = 76, 120
_LEAST_SLOPE = 5
"""Pixels between columns for each word of the longest sentence, so that steep lines remain easy to follow."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Place:
    """The box around a word, including some space above and below the letters."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> Point:
        """The centre of the box."""
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True)
class Rows:
    """The words of all sentences, their boxes, and whether the sentences run down the page."""

    words: tuple[tuple[str, ...], ...]
    places: tuple[tuple[Place, ...], ...]
    down: bool

    def first_side(self, row: int, word: int) -> Point:
        """Return the point, above or to the left of a word, where lines from the previous sentence end."""
        place = self.places[row][word]
        return (place.x - 4, place.middle[1]) if self.down else (place.middle[0], place.y)

    def last_side(self, row: int, word: int) -> Point:
        """Return the point, below or to the right of a word, where lines to the next sentence start."""
        box = self.places[row][word]
        return (box.x + box.width + 4, box.middle[1]) if self.down else (box.middle[0], box.y + box.height)

    def span(self, row: int, first: int, last: int) -> Place:
        """Return the box around the words from ``first`` to ``last`` (inclusive)."""
        boxes = self.places[row][first : last + 1]
        left, top = min(box.x for box in boxes), min(box.y for box in boxes)
        right = max(box.x + box.width for box in boxes)
        bottom = max(box.y + box.height for box in boxes)
        return Place(left, top, right - left, bottom - top)

    def write(self, canvas: Canvas, row: int, *, faint: Sequence[int] = ()) -> None:
        """Write the words of a row; words at the positions ``faint`` are grey and have a dotted underline."""
        for number, (word, place) in enumerate(zip(self.words[row], self.places[row], strict=True)):
            x, y = place.middle
            faded = number in faint
            canvas.text(x, y + 0.35 * SIZE, word, class_="word", fill=GREY if faded else INK)
            if faded:
                ends = place.x, y + 0.35 * SIZE + 4, place.x + place.width, y + 0.35 * SIZE + 4
                canvas.line(*ends, stroke=GREY, stroke_dasharray="1.5 2.5", class_="unmatched")

    def label(self, canvas: Canvas, labels: Sequence[str]) -> None:
        """Write a label in front of each row or above each column."""
        rightwards = all(places[0].x <= places[-1].x for places in self.places if places)
        ends = [box.x if rightwards else box.x + box.width for places in self.places for box in places]
        edge = min(ends) - 14 if rightwards else max(ends) + 14
        for places, label in zip(self.places, labels, strict=True):
            if not places or not label:
                continue
            if self.down:
                canvas.text(places[0].middle[0], places[0].y - 10, label, size=12, fill=GREY)
            else:
                side = "end" if rightwards else "start"
                canvas.text(edge, places[0].middle[1] + 4, label, size=12, anchor=side, fill=GREY)


def split_words(sentence: str | Sequence[str]) -> tuple[str, ...]:
    """Return the words of a sentence, splitting it at whitespace if it is a string."""
    return tuple(sentence.split()) if isinstance(sentence, str) else tuple(sentence)


def lay_out(
    sentences: Sequence[str | Sequence[str]],
    *,
    layout: str = "auto",
    gap: float = _BETWEEN_ROWS,
    air: float = 8,
    least: float = 0,
) -> Rows:
    """Split the sentences into words, and compute the box of every word.

    If sentences run across the page, ``gap`` is the space between rows, ``air`` the extra height of a box, and
    ``least`` the smallest width reserved for a word.
    """
    check_choice(layout, LAYOUTS, "layout")
    rows = tuple(split_words(sentence) for sentence in sentences)
    refuse(not any(rows), "there are no words to draw")
    leftwards = [runs_right_to_left(row) for row in rows if row]
    widths = [[text_width(word) for word in row] for row in rows]
    lengths = [sum(max(width + _BETWEEN_WORDS, least) for width in row) for row in widths]
    mixed = len(set(leftwards)) > 1
    if layout == "down" or (layout == "auto" and (mixed or max(lengths) > WIDEST)):
        return Rows(rows, _columns(widths, max(_BETWEEN_COLUMNS, _LEAST_SLOPE * max(map(len, rows)))), down=True)
    refuse(mixed, f"sentences with opposite directions must be in columns; use {mention('layout', 'down')}")
    return Rows(rows, _lines(widths, gap, air, least, leftwards[0]), down=False)


def _lines(
    widths: list[list[float]], gap: float, air: float, least: float, leftwards: bool
) -> tuple[tuple[Place, ...], ...]:
    found = []
    height = SIZE + air
    for number, row in enumerate(widths):
        x, y = 0.0, number * (height + gap)
        places = []
        for width in row:
            room = max(width + _BETWEEN_WORDS, least)
            start = -x - room if leftwards else x
            places.append(Place(start + (room - width) / 2, y, width, height))
            x += room
        found.append(tuple(places))
    return tuple(found)


def _columns(widths: list[list[float]], gap: float) -> tuple[tuple[Place, ...], ...]:
    found = []
    x = 0.0
    for number, row in enumerate(widths):
        widest = max(row, default=0.0)
        # The first column is right-aligned and the last column left-aligned, towards their lines.
        lean = 1.0 if number == 0 and len(widths) > 1 else 0.0 if number == len(widths) - 1 else 0.5
        places = (Place(x + lean * (widest - width), _LINE * y, width, SIZE + 6) for y, width in enumerate(row))
        found.append(tuple(places))
        x += widest + gap
    return tuple(found)
