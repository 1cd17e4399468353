"""Binarisation of trees with horizontal markovisation, so that rules have at most two right-hand-side categories.

A phrase with more than two children is built in several steps, each of which adds one child. The category of a step,
``@parent|context``, records the parent, the head child (in head-outward binarisation only) and the last
``horizontal`` sisters. Head-outward binarisation starts with the head, adds the children on its right, then those on
its left (Collins 1999, Klein and Manning 2003). Left-factored binarisation separates the leftmost child from the
rest, then the next child, and so on. A chain of nodes with one child each becomes a single unary rule, so a span
never needs more than one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

BINARISATIONS = ("head", "left")


class BinaryStep(NamedTuple):
    """One step of binarisation, which joins ``left`` and ``right``.

    ``left`` and ``right`` are node numbers, or negative numbers for earlier steps: −1 is the first step, −2 the
    second, and so on.
    """

    context: tuple[str, ...]
    left: int
    right: int


def binarise(
    children: Sequence[int], head: int, labels: Sequence[str], *, horizontal: int, binarisation: str
) -> list[BinaryStep]:
    """Return the steps that build a phrase from two or more children, innermost first; the last one completes it.

    The context of a step lists the labels that the category of the step records, most important first.

    >>> labels = ["VP", "RB", "VBZ", "NP", "PP"]
    >>> for step in binarise([1, 2, 3, 4], 2, labels, horizontal=1, binarisation="head"):
    ...     print(step)
    BinaryStep(context=('VBZ', '>NP'), left=2, right=3)
    BinaryStep(context=('VBZ', '>PP'), left=-1, right=4)
    BinaryStep(context=(), left=1, right=-2)
    """
    steps: list[BinaryStep] = []
    if binarisation == "left":
        current = children[-1]
        for place in range(len(children) - 2, -1, -1):
            before = [f"<{labels[child]}" for child in children[max(0, place - horizontal) : place]][::-1]
            steps.append(BinaryStep(tuple(before), children[place], current))
            current = -len(steps)
    else:
        at = children.index(head)
        current = head
        added: list[str] = []
        for child in (*children[at + 1 :], *children[:at][::-1]):
            after = child in children[at:]
            added.append(f"{'>' if after else '<'}{labels[child]}")
            parts = (current, child) if after else (child, current)
            steps.append(BinaryStep((labels[head], *added[::-1][:horizontal]), *parts))
            current = -len(steps)
    steps[-1] = steps[-1]._replace(context=())
    return steps


def unary_chains(children: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield each maximal chain of nodes as a list, ordered from top to bottom.

    Every node of a chain except the last has exactly one child. A node that is not part of a longer chain is a chain
    by itself.

    >>> list(unary_chains([[1], [2], [3, 4], [], []]))
    [[0, 1, 2], [3], [4]]
    """
    inside = [False] * len(children)
    for node in range(len(children)):
        if inside[node]:
            continue
        chain = [node]
        while len(children[chain[-1]]) == 1:
            chain.append(children[chain[-1]][0])
            inside[chain[-1]] = True
        yield chain
