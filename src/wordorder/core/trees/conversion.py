"""Conversion of constituency trees to dependency trees with labels of the form A/B.

The head of a word is the head word of the lowest constituent above it that it does not head itself. In the label
``A/B``, A is the lowest constituent that dominates the dependent and is headed by the dependent's head, and B is the
highest constituent headed by the dependent (Roark et al. 2006; Kahn, Ostendorf and Roark 2009). The root has the
label ``ROOT/B``, where B is the highest constituent below the ROOT node of the tree.
"""

import numpy as np

from wordorder.core.runtime.columns import Ints, Offsets, number_strings, renumber
from wordorder.core.runtime.kernels import kernel
from wordorder.core.trees.constituency import ConstituencyTrees
from wordorder.core.trees.dependency import DependencyTrees
from wordorder.core.trees.heads import HeadRules

ROOT_LABEL = "ROOT"
"""The label of the node above the whole sentence."""


def to_dependencies(trees: ConstituencyTrees, rules: HeadRules | None = None) -> DependencyTrees:
    """Convert constituency trees to dependency trees; Penn tags become fine tags.

    >>> trees = ConstituencyTrees.of(["(ROOT (S (NP (DT the) (NN cat)) (VP (VBZ sleeps))))"])
    >>> found = to_dependencies(trees)[0]
    >>> found.heads, found.labels
    ((1, 2, -1), ('NP/DT', 'S/NP', 'ROOT/S'))
    """
    rules = rules or HeadRules.english()
    names = trees.strings.to_pylist()
    wrapper = names.index(ROOT_LABEL) if ROOT_LABEL in names else -1
    heads, above, below, tags = _attach(
        trees.labels, trees.parents, trees.node_offsets, rules.head_children(trees), trees.offsets, wrapper
    )
    roots = np.flatnonzero(heads < 0)
    if wrapper < 0:  # the root gets the same label if the trees have no ROOT node
        wrapper = len(names)
        names.append(ROOT_LABEL)
    above[roots] = wrapper
    pairs, labels = np.unique(above.astype(np.int64) * len(names) + below, return_inverse=True)
    arcs = [f"{names[pair // len(names)]}/{names[pair % len(names)]}" for pair in pairs.tolist()]
    strings, (old, unknown, new) = number_strings(trees.strings, ["_"], arcs)
    tags_unknown = np.full(len(heads), unknown[0], dtype=np.int32)
    words, fine, coded = renumber(trees.words, old), renumber(tags, old), renumber(labels.astype(np.int32), new)
    return DependencyTrees(words, heads, coded, tags_unknown, fine, trees.offsets, strings)


@kernel
def _attach(
    labels: Ints, parents: Ints, node_offsets: Offsets, head_children: Ints, offsets: Offsets, wrapper: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return arrays with the head, the label parts A and B, and the tag of every word."""
    total = offsets[-1]
    heads = np.full(total, -1, dtype=np.int32)
    above = np.zeros(total, dtype=np.int32)
    below = np.zeros(total, dtype=np.int32)
    tags = np.zeros(total, dtype=np.int32)
    for row in range(len(offsets) - 1):
        start, stop = node_offsets[row], node_offsets[row + 1]
        first = offsets[row]
        lexical = np.empty(stop - start, dtype=np.int32)  # the head word of each node
        word = offsets[row + 1] - first
        for node in range(stop - 1, start - 1, -1):
            if head_children[node] < 0:
                word -= 1
                lexical[node - start] = word
                tags[first + word] = labels[node]
            else:
                lexical[node - start] = lexical[head_children[node]]
        for node in range(start + 1, stop):
            word = lexical[node - start]
            parent = parents[node]
            if lexical[parent] != word:
                heads[first + word] = lexical[parent]
                above[first + word] = labels[start + parent]
                below[first + word] = labels[node]
        if stop > start:
            top = start
            if labels[start] == wrapper and head_children[start] >= 0:
                top = start + head_children[start]
            below[first + lexical[0]] = labels[top]
    return heads, above, below, tags
