"""Word orders: permutations, word alignments, and the projection of alignments to permutations."""

from wordorder.core.orders.alignment import Alignment as Alignment
from wordorder.core.orders.alignment import Alignments as Alignments
from wordorder.core.orders.alignment import Phrases as Phrases
from wordorder.core.orders.forests import ForestNode as ForestNode
from wordorder.core.orders.forests import PermutationForest as PermutationForest
from wordorder.core.orders.permutation import Permutation as Permutation
from wordorder.core.orders.permutation import Permutations as Permutations
from wordorder.core.orders.projection import DEFAULT_POLICY as DEFAULT_POLICY
from wordorder.core.orders.projection import POLICIES as POLICIES
from wordorder.core.orders.projection import Places as Places
from wordorder.core.orders.projection import order_against_reference as order_against_reference
from wordorder.core.orders.projection import order_against_source as order_against_source
from wordorder.core.orders.projection import place as place
from wordorder.core.orders.trees import PermutationTree as PermutationTree
from wordorder.core.orders.trees import PermutationTrees as PermutationTrees
