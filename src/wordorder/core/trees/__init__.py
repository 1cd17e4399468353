"""Syntax trees: constituency and dependency trees, head rules, and lists of parses."""

from wordorder.core.trees.attachment_scores import Attachment, attachment
from wordorder.core.trees.bracket_scores import BracketScore, score_brackets
from wordorder.core.trees.constituency import ConstituencyTree, ConstituencyTrees
from wordorder.core.trees.conversion import ROOT_LABEL, to_dependencies
from wordorder.core.trees.dependency import ROOT, DependencyTree, DependencyTrees, share_strings
from wordorder.core.trees.expected_dependencies import ExpectedCounts, ExpectedDependencies
from wordorder.core.trees.heads import HeadRules
from wordorder.core.trees.parse_lists import ParseLists, best_trees, lower_words, to_dependency_lists
from wordorder.core.trees.projectivity import lift

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
