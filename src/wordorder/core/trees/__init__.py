"""Syntax trees: constituency and dependency trees, head rules, and lists of parses."""

from wordorder.core.trees.attachment_scores import Attachment as Attachment
from wordorder.core.trees.attachment_scores import attachment as attachment
from wordorder.core.trees.attachment_scores import score_brackets as score_brackets
from wordorder.core.trees.constituency import ConstituencyTree as ConstituencyTree
from wordorder.core.trees.constituency import ConstituencyTrees as ConstituencyTrees
from wordorder.core.trees.conversion import ROOT_LABEL as ROOT_LABEL
from wordorder.core.trees.conversion import to_dependencies as to_dependencies
from wordorder.core.trees.dependency import ROOT as ROOT
from wordorder.core.trees.dependency import DependencyTree as DependencyTree
from wordorder.core.trees.dependency import DependencyTrees as DependencyTrees
from wordorder.core.trees.dependency import ExpectedCounts as ExpectedCounts
from wordorder.core.trees.dependency import ExpectedDependencies as ExpectedDependencies
from wordorder.core.trees.dependency import share_strings as share_strings
from wordorder.core.trees.heads import HeadRules as HeadRules
from wordorder.core.trees.parse_lists import ParseLists as ParseLists
from wordorder.core.trees.parse_lists import best_trees as best_trees
from wordorder.core.trees.parse_lists import lower_words as lower_words
from wordorder.core.trees.parse_lists import take_lists as take_lists
from wordorder.core.trees.parse_lists import to_dependency_lists as to_dependency_lists
from wordorder.core.trees.projectivity import lift as lift
