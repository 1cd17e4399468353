"""Draw permutation trees with the operator of every node (Zhang & Gildea 2007)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wordorder.core.orders import Permutation, PermutationTree
from wordorder.core.runtime.errors import UsageError, check_choice
from wordorder.show.pictures.lettering import runs_right_to_left, text_width
from wordorder.show.pictures.rows import LAYOUTS, WIDEST, Point, split_words
from wordorder.show.pictures.svg import BLUE, GREY, INK, ORANGE, PAPER, SIZE, Canvas, Look, Picture

_LOOKS: dict[str, Look] = {
    "monotone": {"stroke": GREY, "fill": "#f2f2f2"},
    "inverted": {"stroke": ORANGE, "fill": "#fdeee2", "stroke_dasharray": "5 3"},
    "simple": {"stroke": BLUE, "fill": "#e2f0f8"},
}
_SIGNS = "Grey: monotone. Dashed orange: inverted. Double blue: another operator. Numbers: ranks in the reference."
_LEVEL = 52


def draw_tree(
    order: Permutation | PermutationTree | str | Sequence[int],
    words: str | Sequence[str] | None = None,
    *,
    title: str = "",
    layout: str = "auto",
) -> Picture:
    """Draw the permutation tree of a word order, with its ``words`` if they are given.

    The tree of a permutation is flattened: a chain of equal operators becomes one node. If a tree is given instead of
    a permutation, it is drawn unchanged, even if it is not flattened. ``layout`` determines whether words run
    ``across`` or ``down`` the page; ``auto`` chooses ``down`` if they would not fit across.

    >>> draw_tree("2 4 1 3").description
    'Permutation 2 4 1 3. Tree ⟨2,4,1,3⟩(2 4 1 3).'
    """
    tree = order if isinstance(order, PermutationTree) else PermutationTree.of(Permutation.of(order))
    if tree is None:
        raise UsageError("cannot draw the empty permutation, because it has no permutation tree")
    leaves = leaf_labels([node.rank or 0 for node in tree.nodes() if node.is_word], words)
    check_choice(layout, LAYOUTS, "layout")
    down = layout == "down" or (layout == "auto" and sum(map(leaf_width, leaves)) > WIDEST)
    nodes = _number_nodes(tree)
    _place(nodes, leaves, down=down)
    canvas = Canvas()
    for node in nodes:
        for child in node.children:
            _draw_branch(canvas, node, nodes[child], down=down)
    labels = iter(leaves)
    for node in nodes:
        if node.tree.is_word:
            draw_leaf(canvas, node.at, next(labels), down=down)
        else:
            draw_operator(canvas, node.at, node.tree.operator, node.tree.kind)
    canvas.legend([_SIGNS])
    ranks = " ".join(rank for rank, _ in leaves)
    described = f"Permutation {ranks}. Tree {tree}." + (f" Words: {' '.join(split_words(words))}." if words else "")
    return canvas.picture(title or f"Permutation tree of {ranks}", described)


def leaf_labels(ranks: Sequence[int], words: str | Sequence[str] | None) -> list[tuple[str, str]]:
    """Return the rank and the word of every leaf, with empty words if ``words`` is None."""
    known = split_words(words) if words is not None else ("",) * len(ranks)
    if len(known) != len(ranks):
        raise UsageError(f"expected one word for each rank of the order, found {len(known)} for {len(ranks)}")
    return [(str(rank), word) for rank, word in zip(ranks, known, strict=True)]


def leaf_width(label: tuple[str, str]) -> float:
    """Return the width that a leaf needs if words run across the page."""
    return max(text_width(label[1]), text_width(label[0]), 16) + 18


def write_operator(operator: Sequence[int]) -> str:
    """Return an operator as text, abbreviated if it is long.

    >>> write_operator((2, 1)), write_operator(range(1, 13))
    ('⟨2,1⟩', '⟨1,2,3,4,5,…⟩')
    """
    shown = [str(rank) for rank in operator]
    return f"⟨{','.join(shown if len(shown) <= 8 else [*shown[:5], '…'])}⟩"


def operator_width(operator: Sequence[int]) -> float:
    """Return the width of the box around an operator."""
    return text_width(write_operator(operator), 12) + 16


def draw_operator(canvas: Canvas, at: Point, operator: Sequence[int], kind: str) -> None:
    """Draw a node as a box around its operator; the style of the box shows the kind of operator."""
    half = operator_width(operator) / 2
    if kind == "simple":
        canvas.rect(at[0] - half - 3, at[1] - 15, 2 * half + 6, 30, round=4, fill=PAPER, stroke=BLUE)
    canvas.rect(at[0] - half, at[1] - 12, 2 * half, 24, round=4, class_=f"node {kind}", **_LOOKS[kind])
    canvas.text(at[0], at[1] + 4.5, write_operator(operator), size=12)


def draw_leaf(canvas: Canvas, at: Point, label: tuple[str, str], *, down: bool = False) -> None:
    """Draw a word with its rank, which is below the word, or before it if words run down the page."""
    rank, word = label
    if down:
        canvas.text(at[0] + 4, at[1] + 5, rank, anchor="start", size=12, fill=GREY if word else INK, class_="rank")
        if word:
            canvas.text(at[0] + 36, at[1] + 5, word, anchor="start", class_="word")
        return
    if word:
        canvas.text(at[0], at[1] + 4, word, class_="word")
    below, size = (at[1] + 22, 12) if word else (at[1] + 4, SIZE)
    canvas.text(at[0], below, rank, size=size, fill=GREY if word else INK, class_="rank")


@dataclass
class _Node:
    tree: PermutationTree
    depth: int
    children: list[int] = field(default_factory=list)
    at: Point = (0.0, 0.0)


def _number_nodes(tree: PermutationTree) -> list[_Node]:
    """Return the nodes of a tree, parents first, with leaves in word order."""
    nodes: list[_Node] = []
    pending: list[tuple[PermutationTree, int]] = [(tree, -1)]
    while pending:
        here, parent = pending.pop()
        if parent >= 0:
            nodes[parent].children.append(len(nodes))
        nodes.append(_Node(here, nodes[parent].depth + 1 if parent >= 0 else 0))
        pending.extend((child, len(nodes) - 1) for child in reversed(here.children))
    return nodes


def _leaf_rooms(nodes: list[_Node], leaves: list[tuple[str, str]]) -> list[float]:
    """Return the width to reserve for every leaf, enough for its word and for the operators above it."""
    rooms = [leaf_width(label) for label in leaves]
    starts, ends, leaf = [0] * len(nodes), [0] * len(nodes), len(leaves)
    for number in range(len(nodes) - 1, -1, -1):
        node = nodes[number]
        if not node.children:
            leaf -= 1
            starts[number], ends[number] = leaf, leaf + 1
            continue
        starts[number], ends[number] = starts[node.children[0]], ends[node.children[-1]]
        span = range(starts[number], ends[number])
        lacking = operator_width(node.tree.operator) + 20 - sum(rooms[place] for place in span)
        for place in span if lacking > 0 else ():
            rooms[place] += lacking / len(span)
    return rooms


def _draw_branch(canvas: Canvas, parent: _Node, child: _Node, *, down: bool) -> None:
    """Draw a branch that bends towards the child before it reaches the next level, so that it crosses no box."""
    (x, y), (to_x, to_y) = parent.at, child.at
    if down:
        half = operator_width(parent.tree.operator) / 2
        corners = [(x + half, y), (x + half + 22, to_y), (to_x, to_y)]
    else:
        corners = [(x, y + 12), (to_x, y + _LEVEL - 15), (to_x, to_y - 12)]
    points = "L".join(f"{along:.1f} {away:.1f}" for along, away in corners)
    canvas.path(f"M{points}", corners, fill="none", stroke=GREY, class_="branch")


def _place(nodes: list[_Node], leaves: list[tuple[str, str]], *, down: bool) -> None:
    """Set the position of every node; a parent is centred between its first and its last child."""
    widths = _leaf_rooms(nodes, leaves)
    leftwards = not down and runs_right_to_left(word for _, word in leaves)
    deepest = max(node.depth for node in nodes)
    step = max([operator_width(node.tree.operator) for node in nodes if node.children], default=0) + 34
    along, leaf = 0.0, 0
    for node in nodes:
        if node.tree.is_word:
            room = 26.0 if down else widths[leaf]
            middle = along + room / 2
            node.at = (deepest * step, middle) if down else (-middle if leftwards else middle, deepest * _LEVEL)
            along, leaf = along + room, leaf + 1
    for node in reversed(nodes):
        if node.children:
            first, last = nodes[node.children[0]].at, nodes[node.children[-1]].at
            middle = (first[1] + last[1]) / 2 if down else (first[0] + last[0]) / 2
            node.at = (node.depth * step, middle) if down else (middle, node.depth * _LEVEL)
