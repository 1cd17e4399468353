"""Pre-ordering: reorder parsed source sentences by rules, evaluate the new orders, and find the causes of errors.

This follows the stand-alone evaluation of Talbot et al. (2011): rules are applied to parses, and the new orders are
compared with reference orders derived from word alignments, without running a translation system.
"""

from wordorder.apps.preorder.blame import Blame as Blame
from wordorder.apps.preorder.evaluation import SelfTraining as SelfTraining
from wordorder.apps.preorder.evaluation import evaluate_orders as evaluate_orders
from wordorder.apps.preorder.evaluation import find_cautions as find_cautions
from wordorder.apps.preorder.evaluation import order_systems as order_systems
from wordorder.apps.preorder.evaluation import parser_table as parser_table
from wordorder.apps.preorder.evaluation import select_parses as select_parses
from wordorder.apps.preorder.language import BUILT_IN as BUILT_IN
from wordorder.apps.preorder.language import RuleSet as RuleSet
from wordorder.apps.preorder.language import format_rules as format_rules
from wordorder.apps.preorder.language import load_rules as load_rules
from wordorder.apps.preorder.language import parse_rules as parse_rules
from wordorder.apps.preorder.language import write_rules as write_rules
from wordorder.apps.preorder.learning import CrossValidation as CrossValidation
from wordorder.apps.preorder.learning import Learner as Learner
from wordorder.apps.preorder.precedence import order_best as order_best
from wordorder.apps.preorder.precedence import reorder as reorder
from wordorder.apps.preorder.precedence import written_orders as written_orders
from wordorder.apps.preorder.reference import Reference as Reference
from wordorder.apps.preorder.reference import share_words as share_words
from wordorder.linking.annotation import check_annotation as check_annotation
