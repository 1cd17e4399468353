"""Word orders: permutations, word alignments, and the projection of alignments to permutations."""

from wordorder.core.orders.alignment import Alignment, Alignments, Phrases
from wordorder.core.orders.forests import ForestNode, PermutationForest
from wordorder.core.orders.permutation import Permutation, Permutations
from wordorder.core.orders.projection import (
    DEFAULT_POLICY,
    POLICIES,
    Places,
    order_against_reference,
    order_against_source,
    place,
)
from wordorder.core.orders.trees import PermutationTree, PermutationTrees

__all__ = [
    "DEFAULT_POLICY",
    "POLICIES",
    "Alignment",
    "Alignments",
    "ForestNode",
    "Permutation",
    "PermutationForest",
    "PermutationTree",
    "PermutationTrees",
    "Permutations",
    "Phrases",
    "Places",
    "order_against_reference",
    "order_against_source",
    "place",
]
