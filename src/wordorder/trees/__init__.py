"""Trees as values and columns: constituency and dependency trees, head rules, lists of parses."""

from wordorder.trees.attachment_scores import Attachment, attachment
from wordorder.trees.bracket_scores import BracketScore, score_brackets
from wordorder.trees.constituency import ConstituencyTree, ConstituencyTrees
from wordorder.trees.conversion import ROOT_LABEL, to_dependencies
from wordorder.trees.dependency import ROOT, DependencyTree, DependencyTrees, share_strings
from wordorder.trees.expected_dependencies import ExpectedCounts, ExpectedDependencies
from wordorder.trees.heads import HeadRules
from wordorder.trees.parse_lists import ParseLists, best_trees, lower_words, to_dependency_lists
from wordorder.trees.projectivity import lift

__all__ = [
    "ROOT",
    "ROOT_LABEL",
    "Attachment",
    "BracketScore",
    "ConstituencyTree",
    "ConstituencyTrees",
    "DependencyTree",
    "DependencyTrees",
    "ExpectedCounts",
    "ExpectedDependencies",
    "HeadRules",
    "ParseLists",
    "attachment",
    "best_trees",
    "lift",
    "lower_words",
    "score_brackets",
    "share_strings",
    "to_dependencies",
    "to_dependency_lists",
]
