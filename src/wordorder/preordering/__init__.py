"""Pre-ordering: reorder parsed source sentences by rules, and find out how good the order is and what is to blame.

The stand-alone tool of Talbot et al. (2011): rules and parses go in, reference orders from word alignments judge
them, and no translation system is run.
"""

from wordorder.preordering.annotation import check_annotation
from wordorder.preordering.blame import Blame
from wordorder.preordering.judging import evaluate_orders, find_cautions, order_systems, parser_table
from wordorder.preordering.language import BUILT_IN, format_rules, load_rules, parse_rules, write_rules
from wordorder.preordering.learning import CrossValidation, Learner
from wordorder.preordering.precedence import order_best
from wordorder.preordering.reference import Reference, share_words
from wordorder.preordering.reorder import reorder, written_orders
from wordorder.preordering.rule_sets import RuleSet
from wordorder.preordering.selection import select_parses
from wordorder.preordering.self_training import SelfTraining

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
