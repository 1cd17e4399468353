"""Refinement of treebank categories, which makes a context-free grammar sensitive to context.

Vertical markovisation adds the parent to the category (Johnson 1998): ``NP^S`` is a subject, ``NP^VP`` an object. For
English, there are also splits of Klein and Manning (2003), *Accurate unlexicalized parsing*: those that improve
results with a treebank of about ten thousand sentences. Each split has a name and can be switched off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wordorder.core.runtime.errors import UsageError, choices

SPLITS: dict[str, str] = {
    "tag-parent": "tags carry the category of their parent",
    "in": "prepositions and complementisers carry the category above their parent",
    "possessive": "a noun phrase that ends in a possessive marker is marked",
    "base-np": "a noun phrase without a noun phrase right below is marked",
    "verb-form": "verb phrases and clauses carry the form of their first verb: finite, base, infinitive, …",
}
"""The name and the effect of each split."""

_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_VERBAL = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD", "TO", "VP"})


@dataclass(frozen=True)
class StateSplits:
    """Settings for refining categories.

    ``vertical`` is the number of labels in a refined category: 1 for the label alone, 2 to add that of the parent,
    and so on.
    """

    vertical: int = 2
    splits: tuple[str, ...] = tuple(SPLITS)

    def __post_init__(self) -> None:
        if self.vertical < 1:
            raise UsageError(f"the order of vertical markovisation must be 1 or more, not {self.vertical}")
        for split in self.splits:
            if split not in SPLITS:
                raise choices(split, list(SPLITS), what="split")

    def refine(self, labels: Sequence[str], parents: Sequence[int], children: Sequence[Sequence[int]]) -> list[str]:
        """Return the refined category of every node of one tree; the nodes must be in preorder.

        >>> StateSplits().refine(["ROOT", "NP", "DT", "NN"], [-1, 0, 1, 1], [[1], [2, 3], [], []])
        ['ROOT', 'NP^ROOT-B', 'DT^NP', 'NN^NP']
        """
        names = []
        for node, label in enumerate(labels):
            if children[node]:
                above = _ancestors(node, self.vertical - 1, labels, parents)
                names.append(label + above + self._marks(node, labels, children))
            else:
                height = ("tag-parent" in self.splits) + ("in" in self.splits and label == "IN")
                names.append(label + _ancestors(node, height, labels, parents))
        return names

    def _marks(self, node: int, labels: Sequence[str], children: Sequence[Sequence[int]]) -> str:
        below = [labels[child] for child in children[node]]
        if labels[node] == "NP":
            if "possessive" in self.splits and below[-1] == "POS":
                return "-P"
            if "base-np" in self.splits and "NP" not in below:
                return "-B"
        if "verb-form" in self.splits and labels[node] in ("VP", "S"):
            return _verb_form(node, labels, children)
        return ""


def _ancestors(node: int, height: int, labels: Sequence[str], parents: Sequence[int]) -> str:
    names = ""
    for _ in range(height):
        node = parents[node] if node >= 0 else node
        names += f"^{labels[node]}" if node >= 0 else ""
    return names


def _verb_form(node: int, labels: Sequence[str], children: Sequence[Sequence[int]]) -> str:
    """Return the form of the inflected verb, that is, of the first verb found by descending through verb phrases."""
    while children[node]:
        verbal = [child for child in children[node] if labels[child] in _VERBAL]
        if not verbal:
            return ""
        node = verbal[0]
    return "-FIN" if labels[node] in _FINITE else f"-{labels[node]}"
