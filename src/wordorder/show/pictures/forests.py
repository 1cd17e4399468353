"""Draw permutation forests (Stanojević & Sima'an 2014, §3.1), showing every way to divide a node into blocks."""

from collections.abc import Sequence

from wordorder.core.orders import ForestNode, Permutation, PermutationForest
from wordorder.core.runtime.errors import UsageError
from wordorder.show.pictures.lettering import runs_right_to_left
from wordorder.show.pictures.rows import Point
from wordorder.show.pictures.svg import COLOURS, Canvas, Look, Picture
from wordorder.show.pictures.trees import draw_leaf, draw_operator, leaf_labels, leaf_width, operator_width

MOST_INFERENCES = 200
"""The largest number of inferences in a picture; a picture with more lines would not be legible."""

_DASHES = ("", "7 3", "2 3", "9 3 2 3")
_LEVEL = 64


def draw_forest(
    order: Permutation | PermutationForest | str | Sequence[int],
    words: str | Sequence[str] | None = None,
    *,
    title: str = "",
) -> Picture:
    """Draw a permutation forest, with a box for each node and, below the box, a dot for each of its inferences.

    An inference is a way to divide a node into blocks; lines connect its dot with these blocks. A permutation tree
    (PET) uses one inference at every node that it contains. The more words a node spans, the higher its box. Only
    forests small enough to be legible are drawn; for a longer order, draw the tree instead.

    >>> draw_forest("1 2 3").description
    'Permutation 1 2 3. 6 nodes, words included; 4 inferences; 2 PETs.'
    """
    forest = order if isinstance(order, PermutationForest) else PermutationForest.of(order)
    nodes = list(forest)
    inferences = sum(len(node.inferences) for node in nodes)
    if inferences > MOST_INFERENCES:
        raise UsageError(
            f"the forest has {inferences} inferences, too many for a picture (at most {MOST_INFERENCES}); "
            "draw a tree instead, in which a chain of equal operators is a single node"
        )
    leaves = leaf_labels([rank + 1 for rank in forest.order.ranks], words)
    places = _place(nodes, leaves)
    canvas = Canvas()
    for node in nodes:
        _draw_inferences(canvas, node, places)
    for node in nodes:
        if node.is_word:
            draw_leaf(canvas, places[node.span], leaves[node.start])
        else:
            kind = "monotone" if node.operator == (1, 2) else "inverted" if node.operator == (2, 1) else "simple"
            draw_operator(canvas, places[node.span], node.operator, kind)
    canvas.legend(["Each dot is an inference: a way to divide a node into blocks. A PET takes one at every node."])
    described = (
        f"Permutation {forest.order}. {len(nodes)} nodes, words included; {inferences} inferences; "
        f"{forest.count_pets()} PETs."
    )
    return canvas.picture(title or f"Permutation forest of {forest.order}", described)


def _place(nodes: list[ForestNode], leaves: list[tuple[str, str]]) -> dict[tuple[int, int], Point]:
    room = max(map(leaf_width, leaves))
    room = max(room, *(operator_width(node.operator) + 18 for node in nodes if node.operator), 60.0)
    sign = -1 if runs_right_to_left(word for _, word in leaves) else 1
    heights = sorted({node.stop - node.start for node in nodes})  # one level for each width
    level = {width: len(heights) - 1 - place for place, width in enumerate(heights)}
    half = sign * room / 2
    return {node.span: (half * (node.start + node.stop), _LEVEL * level[node.stop - node.start]) for node in nodes}


def _draw_inferences(canvas: Canvas, node: ForestNode, places: dict[tuple[int, int], Point]) -> None:
    x, y = places[node.span]
    count = len(node.inferences)
    for number, inference in enumerate(node.inferences):
        look: Look = {"stroke": COLOURS[number % len(COLOURS)], "stroke_dasharray": _DASHES[number % len(_DASHES)]}
        dot = x + 14 * (number - (count - 1) / 2), y + 19
        for block in node.blocks(inference):
            below = places[block]
            canvas.line(*dot, below[0], below[1] - 12, class_="branch", **look)
        canvas.circle(*dot, 3.5, fill=look["stroke"], class_="inference", data_span=f"{node.start}-{node.stop}")
