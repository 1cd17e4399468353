"""Draw alignments as grids with links, consistent blocks, reorderings and discontinuous areas.

The pictures follow Birch (2011), Figures 3.1 to 3.13. The source runs across the page, the target down the page.
"""

from collections.abc import Sequence

from wordorder.core.orders import Alignment
from wordorder.core.reorderings.extraction import extract
from wordorder.core.reorderings.links import Rectangle, consistent_blocks, discontinuous_areas
from wordorder.core.reorderings.reorderings import Reordering
from wordorder.core.runtime.errors import reject
from wordorder.show.pictures.lettering import runs_right_to_left
from wordorder.show.pictures.links import linked_length, to_alignment
from wordorder.show.pictures.rows import split_words
from wordorder.show.pictures.svg import COLOURS, GREY, INK, PALE, PAPER, Canvas, Look, Picture

_CELL = 36


def draw_alignment(
    alignment: Alignment | str,
    source: str | Sequence[str] | None = None,
    target: str | Sequence[str] | None = None,
    *,
    title: str = "",
) -> Picture:
    """Draw the alignment of two sentences as a grid, with the reorderings that ``wordorder profile`` counts.

    A dot is a link; a ring is a possible link. Grey squares are the smallest consistent blocks. Reorderings are
    numbered: block A has a solid frame; block B, which follows A in the source and precedes A in the target, has a
    dashed frame. Hatched areas are discontinuous: no reordering is extracted inside them. Without words, positions
    are numbered from 1.

    >>> draw_alignment("0-1 1-0", "a b", "B A").description
    'Source: a b. Target: B A. Links: 0-1 1-0. 1 reordering: a and b. No discontinuous area.'
    """
    words = tuple(None if side is None else split_words(side) for side in (source, target))
    pair = to_alignment(alignment, *(None if side is None else len(side) for side in words))
    sides = tuple(
        tuple(map(str, range(1, linked_length(pair, place) + 1))) if side is None else side
        for place, side in enumerate(words)
    )
    grid = _Grid(*sides)
    areas, reorderings = discontinuous_areas(pair), extract(pair.column())[0]
    for block in consistent_blocks(pair):
        grid.shade(block)
    for area in areas:
        grid.hatch(area)
    grid.rule()
    grid.frame(reorderings)
    for link in sorted(pair.links):
        grid.dot(link, possible=link in pair.possible)
    grid.label(pair)
    grid.name_frames()
    grid.canvas.legend(_legend(bool(reorderings), bool(areas), bool(pair.possible), grid.leftwards))
    return grid.canvas.picture(title or "Word alignment", _describe(sides, pair, reorderings, areas))


class _Grid:
    """The grid of two sentences; a source in a right-to-left script begins on the right."""

    def __init__(self, source: tuple[str, ...], target: tuple[str, ...]) -> None:
        reject(not source or not target, "cannot draw an alignment unless both sides have at least one word")
        self.words = source, target
        self.leftwards = runs_right_to_left(source)
        self.canvas = Canvas()
        self._names: list[tuple[float, float, str, str, str]] = []

    def box(self, block: Rectangle) -> tuple[float, float, float, float]:
        first, last = block.source
        if self.leftwards:
            first, last = len(self.words[0]) - 1 - last, len(self.words[0]) - 1 - first
        height = block.target[1] - block.target[0] + 1
        return first * _CELL, block.target[0] * _CELL, (last - first + 1) * _CELL, height * _CELL

    def shade(self, block: Rectangle) -> None:
        self.canvas.rect(*self.box(block), fill="#efefef", class_="block")

    def hatch(self, area: Rectangle) -> None:
        x, y, width, height = self.box(area)
        lines = []
        low = y + height
        for start in range(-int(height), int(width), 8):  # lines that rise to the right, clipped to the rectangle
            left, right = max(start, 0), min(start + height, width)
            if right > left:
                lines.append(f"M{x + left:g} {low - (left - start):g}L{x + right:g} {low - (right - start):g}")
        corners = [(x, y), (x + width, low)]
        self.canvas.path("".join(lines), corners, stroke="#b0b0b0", fill="none", class_="hatching")
        self.canvas.rect(x, y, width, height, fill="none", stroke=GREY, stroke_dasharray="2 2", class_="area")

    def rule(self) -> None:
        width, height = (len(side) * _CELL for side in self.words)
        lines = [f"M{x} 0V{height}" for x in range(0, width + 1, _CELL)]
        lines += [f"M0 {y}H{width}" for y in range(0, height + 1, _CELL)]
        self.canvas.path("".join(lines), [(0, 0), (width, height)], stroke=PALE, fill="none")

    def frame(self, reorderings: Sequence[Reordering]) -> None:
        """Draw frames around both blocks of every reordering, nested so that their edges do not coincide."""
        frames = [
            (number, name, block)
            for number, each in enumerate(reorderings)
            for name, block in (
                ("A", Rectangle(each.a_source, each.a_target)),
                ("B", Rectangle(each.b_source, each.b_target)),
            )
        ]
        for place, (number, name, block) in enumerate(frames):
            around = [
                other
                for before, (_, _, other) in enumerate(frames)
                if other.holds(block) and (other != block or before < place)
            ]
            x, y, width, height = self.box(block)
            inset = 2 + 2.5 * min(len(around), 2)
            look: Look = {"stroke_dasharray": "5 3"} if name == "B" else {}
            colour = COLOURS[number % len(COLOURS)]
            edges = x + inset, y + inset, width - 2 * inset, height - 2 * inset
            look |= {"fill": "none", "stroke": colour, "stroke_width": "2", "class_": f"reordering {name}"}
            self.canvas.rect(*edges, round=3, **look, data_reordering=str(number + 1))
            at = (x + inset + 2, y + inset + 9) if name == "A" else (x + width - inset - 2, y + height - inset - 3)
            side = "start" if name == "A" else "end"
            self._names.append((*at, f"{name}{number + 1}", side, colour))

    def name_frames(self) -> None:
        """Write the names of the frames, such as A1 and B1, on top of everything else."""
        halo: Look = {"stroke": PAPER, "stroke_width": "2.5", "paint_order": "stroke", "font_weight": "bold"}
        for x, y, name, side, colour in self._names:
            self.canvas.text(x, y, name, size=9, anchor=side, fill=colour, **halo)

    def dot(self, link: tuple[int, int], *, possible: bool) -> None:
        x, y, width, height = self.box(Rectangle((link[0], link[0]), (link[1], link[1])))
        look: Look = {"fill": PAPER, "stroke": INK, "stroke_width": "2"} if possible else {"fill": INK}
        kind = "link possible" if possible else "link"
        size = 4.5 if possible else 5
        self.canvas.circle(x + width / 2, y + height / 2, size, **look, class_=kind, data_link=f"{link[0]}-{link[1]}")

    def label(self, pair: Alignment) -> None:
        linked = {source for source, _ in pair.links}, {target for _, target in pair.links}
        for number, word in enumerate(self.words[0]):
            x, _, width, _ = self.box(Rectangle((number, number), (0, 0)))
            fill = INK if number in linked[0] else GREY
            self.canvas.text(x + width / 2 + 4, -7, word, anchor="start", turn=-55, fill=fill, class_="source")
        for number, word in enumerate(self.words[1]):
            fill = INK if number in linked[1] else GREY
            self.canvas.text(-8, (number + 0.5) * _CELL + 5, word, anchor="end", fill=fill, class_="target")


def _legend(reorderings: bool, areas: bool, possible: bool, leftwards: bool) -> list[str]:
    signs = ["Dots: links" + (", rings: possible ones" if possible else "") + ". Grey: smallest consistent blocks."]
    if reorderings:
        signs.append("A1, B1: the blocks of reordering 1, which change places.")
    if areas:
        signs.append("Hatched: a discontinuous area.")
    if leftwards:
        signs.append("The source is read from the right.")
    return signs


def _describe(
    sides: tuple[tuple[str, ...], ...], pair: Alignment, reorderings: Sequence[Reordering], areas: list[Rectangle]
) -> str:
    def text(span: tuple[int, int]) -> str:
        return " ".join(sides[0][span[0] : span[1] + 1])

    swaps = [f"{text(each.a_source)} and {text(each.b_source)}" for each in reorderings]
    count = f"{len(swaps) or 'No'} reordering{'s' * (len(swaps) > 1)}" + (f": {'; '.join(swaps)}" if swaps else "")
    found = f"{len(areas) or 'No'} discontinuous area{'s' * (len(areas) > 1)}"
    return f"Source: {' '.join(sides[0])}. Target: {' '.join(sides[1])}. Links: {pair}. {count}. {found}."
