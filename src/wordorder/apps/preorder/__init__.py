"""Pre-ordering: reorder parsed source sentences by rules, and find out how good the order is and what is to blame.

The stand-alone tool of Talbot et al. (2011): rules and parses go in, reference orders from word alignments judge
them, and no translation system is run.
"""

from wordorder.apps.preorder.blame import Blame
from wordorder.apps.preorder.judging import evaluate_orders, find_cautions, order_systems, parser_table
from wordorder.apps.preorder.language import BUILT_IN, format_rules, load_rules, parse_rules, write_rules
from wordorder.apps.preorder.learning import CrossValidation, Learner
from wordorder.apps.preorder.precedence import order_best
from wordorder.apps.preorder.reference import Reference, share_words
from wordorder.apps.preorder.reorder import reorder, written_orders
from wordorder.apps.preorder.rule_sets import RuleSet
from wordorder.apps.preorder.selection import select_parses
from wordorder.apps.preorder.self_training import SelfTraining
from wordorder.linking.annotation import check_annotation

__all__ = [
    "BUILT_IN",
    "Blame",
    "CrossValidation",
    "Learner",
    "Reference",
    "RuleSet",
    "SelfTraining",
    "check_annotation",
    "evaluate_orders",
    "find_cautions",
    "format_rules",
    "load_rules",
    "order_best",
    "order_systems",
    "parse_rules",
    "parser_table",
    "reorder",
    "select_parses",
    "share_words",
    "write_rules",
    "written_orders",
]
