"""Draw a dependency tree as arcs, before and after reordering (Talbot et al. 2011, Figures 1 and 2)."""

from collections.abc import Sequence
from typing import Any

from wordorder.apps.preorder import RuleSet, load_rules, reorder
from wordorder.core.orders import Permutation
from wordorder.core.runtime.errors import UsageError, refuse
from wordorder.core.trees import DependencyTree
from wordorder.core.trees.dependency import ROOT
from wordorder.show.pictures.lettering import text_width
from wordorder.show.pictures.links import crossed
from wordorder.show.pictures.rows import Place, Rows, lay_out
from wordorder.show.pictures.svg import BLUE, GREY, INK, PAPER, Canvas, Look, Picture

_STEP = 22
_LABEL = 11
_HALO: Look = {"stroke": PAPER, "stroke_width": "4", "paint_order": "stroke"}


def draw_dependencies(
    tree: DependencyTree,
    rules: RuleSet | str | None = None,
    *,
    order: Permutation | str | Sequence[int] | None = None,
    title: str = "",
    layout: str = "auto",
) -> Picture:
    """Draw a dependency tree; with ``rules`` or ``order``, draw it both before and after reordering.

    ``rules`` is a rule set, a rule file or the name of a built-in set; ``order`` lists the words of the new order by
    their positions in the sentence, from 1. Arcs lead from heads to dependents. Lines join the old and new positions
    of each word; lines that cross others are blue and thick.

    >>> cats = DependencyTree(("cats", "eat", "fish"), (1, -1, 1), ("nsubj", "root", "obj"), ("NOUN", "VERB", "NOUN"))
    >>> draw_dependencies(cats, "r5").description
    'Before: cats eat fish. After: cats fish eat. cats is nsubj of eat; eat is root; fish is obj of eat.'
    """
    if rules is not None:
        refuse(order is not None, "expected either rules or a new order, found both; leave one of them out")
        chosen = load_rules(rules) if isinstance(rules, str) else rules
        order = reorder(tree.column(), chosen)[0]
    new = None if order is None else Permutation.of(order).ranks
    if new is not None and len(new) != len(tree):
        raise UsageError(f"the new order and the tree differ in length: {len(new)} and {len(tree)} words")
    sentences = [tree.words] if new is None else [tree.words, [tree.words[word] for word in new]]
    room = max((text_width(label, _LABEL) for label in tree.labels), default=0) + 14
    rows = lay_out(sentences, layout=layout, gap=64, air=10, least=room)
    canvas = Canvas()
    _draw_arcs(canvas, rows, 0, tree.heads, tree.labels)
    if new is not None:
        place = {word: number for number, word in enumerate(new)}
        _draw_moves(canvas, rows, place)
        heads = [place[tree.heads[word]] if tree.heads[word] != ROOT else ROOT for word in new]
        _draw_arcs(canvas, rows, 1, heads, [tree.labels[word] for word in new])
    for row in range(len(sentences)):
        rows.write(canvas, row)
    return canvas.picture(title or "Dependency tree", _describe(tree, sentences))


def _draw_moves(canvas: Canvas, rows: Rows, place: dict[int, int]) -> None:
    crossing = crossed(place.items())
    for word, to in sorted(place.items(), key=lambda link: link in crossing):
        moved = (word, to) in crossing
        look: Look = {"stroke": BLUE, "stroke_width": "2"} if moved else {"stroke": GREY, "stroke_width": "1.2"}
        kind = "move crossing" if moved else "move"
        canvas.line(*rows.last_side(0, word), *rows.first_side(1, to), **look, class_=kind, data_link=f"{word}-{to}")


def arc_levels(heads: Sequence[int]) -> list[int]:
    """Return the level at which to draw the arc to each word: above all arcs within it, or 0 for the arc to the root.

    >>> arc_levels([1, -1, 3, 1])
    [1, 0, 1, 2]
    """
    arcs = sorted((abs(word - head), *sorted((word, head)), word) for word, head in enumerate(heads) if head != ROOT)
    levels = [0] * len(heads)
    done: list[tuple[int, int, int]] = []
    for _, left, right, word in arcs:
        # An arc is also drawn above a shorter arc if they cross, or if the shorter one is inside and shares a word.
        inside = [level for first, last, level in done if first < right and last > left]
        levels[word] = 1 + max(inside, default=0)
        done.append((left, right, levels[word]))
    return levels


def _draw_arcs(canvas: Canvas, rows: Rows, row: int, heads: Sequence[int], labels: Sequence[str]) -> None:
    """Draw the arcs of a row of words: above the first row, below the second, or beside them in vertical text."""
    places = rows.places[row]
    side = -1 if row == 0 else 1
    edge = _edge(rows, row, side)
    levels = arc_levels(heads)
    step = _STEP if not rows.down else max(text_width(label, _LABEL) for label in labels) + 6
    top = edge + side * step * (max(levels) + 1)
    for word, head in enumerate(heads):
        look: Look = {"class_": "arc", "data_arc": f"{head}-{word}"}
        if head == ROOT:
            middle = _along(rows, places[word], 0)
            _stroke(canvas, rows, [(middle, top), (middle, edge)], **look)
            _write_label(canvas, rows, middle, top, labels[word])
        else:
            lean = 5 if word > head else -5
            lean = -lean if _runs_back(rows, row) else lean
            start, end = _along(rows, places[head], lean), _along(rows, places[word], -lean)
            height = edge + side * step * levels[word]
            corner = 6 if end > start else -6
            points = [(start, edge), (start, height), (end, height), (end, edge)]
            _stroke(canvas, rows, points, corner=corner, **look)
            _write_label(canvas, rows, (start + end) / 2, height, labels[word])
        _arrow(canvas, rows, _along(rows, places[word], 0 if head == ROOT else -lean), edge, side)


def _edge(rows: Rows, row: int, side: int) -> float:
    boxes = rows.places[row]
    if rows.down:
        return min(box.x for box in boxes) - 8 if side < 0 else max(box.x + box.width for box in boxes) + 8
    return boxes[0].y if side < 0 else boxes[0].y + boxes[0].height


def _runs_back(rows: Rows, row: int) -> bool:
    places = rows.places[row]
    return not rows.down and places[0].x > places[-1].x


def _along(rows: Rows, place: Place, lean: float) -> float:
    return place.middle[1 if rows.down else 0] + lean


def _turned(rows: Rows, point: tuple[float, float]) -> tuple[float, float]:
    """Convert a point (distance along the sentence, distance from the sentence) to page coordinates."""
    return (point[1], point[0]) if rows.down else point


def _stroke(canvas: Canvas, rows: Rows, points: list[tuple[float, float]], *, corner: float = 0, **look: Any) -> None:
    """Draw lines from point to point; with ``corner``, round off the two corners of an arc."""
    page = [_turned(rows, point) for point in points]
    if corner:
        (start, edge), (_, height), (end, _), _ = points
        bend = min(abs(corner), abs(end - start) / 2, abs(height - edge)) * (1 if corner > 0 else -1)
        down = abs(bend) if edge > height else -abs(bend)
        bends = [
            (start, height + down),
            (start, height),
            (start + bend, height),
            (end - bend, height),
            (end, height),
            (end, height + down),
        ]
        a, b, c, d, e, f = ("{:g} {:g}".format(*_turned(rows, point)) for point in bends)
        written = "M{:g} {:g}L".format(*page[0]) + f"{a}Q{b} {c}L{d}Q{e} {f}L" + "{:g} {:g}".format(*page[-1])
    else:
        written = "M" + "L".join("{:g} {:g}".format(*point) for point in page)
    canvas.path(written, page, fill="none", stroke=GREY, stroke_width="1.2", **look)


def _write_label(canvas: Canvas, rows: Rows, along: float, away: float, label: str) -> None:
    x, y = _turned(rows, (along, away))
    canvas.text(x, y + 4, label, size=_LABEL, fill=INK, class_="label", **_HALO)


def _arrow(canvas: Canvas, rows: Rows, along: float, edge: float, side: int) -> None:
    tip = [(along, edge), (along - 3.5, edge + side * 7), (along + 3.5, edge + side * 7)]
    page = [_turned(rows, point) for point in tip]
    canvas.path("M" + "L".join("{:g} {:g}".format(*point) for point in page) + "Z", page, fill=GREY)


def _describe(tree: DependencyTree, sentences: Sequence[Sequence[str]]) -> str:
    names = ("Before", "After") if len(sentences) > 1 else ("Sentence",)
    parts = [f"{name}: {' '.join(words)}." for name, words in zip(names, sentences, strict=True)]
    arcs = [
        f"{word} is {label}" + (f" of {tree.words[head]}" if head != ROOT else "")
        for word, head, label in zip(tree.words, tree.heads, tree.labels, strict=True)
    ]
    return " ".join([*parts, "; ".join(arcs) + "."])
