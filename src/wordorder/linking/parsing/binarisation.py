"""Binarisation: turning trees into rules with at most two categories on the right, with horizontal markovisation.

A phrase with more than two children is built step by step. The category of a step, ``@parent|context``, records the
parent, the head child (head-outward only) and the last ``horizontal`` sisters. Head-outward binarisation goes from
the head to the right, then to the left (Collins 1999, Klein and Manning 2003); left-factored binarisation splits off
the leftmost child first. A chain of nodes with one child each is one unary rule, so a span never takes more than one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

BINARISATIONS = ("head", "left")


class BinaryStep(NamedTuple):
    """One binary step, which joins ``left`` and ``right``.

    Each is a node, or the index of a step counted −1, −2, …
    """

    context: tuple[str, ...]
    left: int
    right: int


def binarise(
    children: Sequence[int], head: int, labels: Sequence[str], *, horizontal: int, binarisation: str
) -> list[BinaryStep]:
    """Return the steps that build a phrase from two or more children, innermost first; the last step is the phrase.

    The context of a step is what its category records, from the most to the least important.

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
    """Yield the maximal chains of nodes with one child each, from the top node to the first node without one.

    The last node of a chain has no child or several. A node that starts no longer chain is a chain of one node.

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
