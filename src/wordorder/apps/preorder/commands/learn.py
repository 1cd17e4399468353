"""Learn rules from reference orders, write them to a file, and compare them with other rule sets.

The scores of the learned rules are cross-validated.

examples:
  wordorder preorder learn --parses en.conllu --align en-ja.align -o en-ja.rules
  wordorder preorder learn --treebank pud/en-jp --least 10 -o en-jp.rules
"""

import argparse

from wordorder.apps.preorder.commands import arguments
from wordorder.cli.arguments import add_metrics, add_resampling, resampling
from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import count_of

COMMON = "parses treebank source align reference folds least beside metrics output"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    arguments.add_parses(parser, several=False)
    arguments.add_reference(parser)
    arguments.add_learning(parser)
    add_metrics(parser, arguments.METRICS)
    parser.add_argument("-o", "--output", required=True, metavar="RULES", help="file to write the learned rules to")
    sets = "rule sets to compare with (default r1 to r5)"
    parser.add_argument("--beside", nargs="*", default=["r1", "r2", "r3", "r4", "r5"], metavar="RULES", help=sets)
    add_resampling(parser)
    add_output(parser, percent=True, file=False)


def run(options: argparse.Namespace) -> None:
    """Learn and write the rules, and print their cross-validated scores and the scores of other rule sets."""
    from wordorder.apps.preorder import evaluate_orders, order_systems, write_rules

    learning = arguments.read_learning(options)
    others = arguments.read_rules(options, options.beside, taken=(arguments.LEARNED,))
    parses = arguments.read_parses(options)
    (trees,) = parses.values()
    reference = arguments.read_reference(options, trees)
    arguments.print_cautions(others, parses)
    systems = order_systems(parses, others | {arguments.LEARNED: learning}, reference)
    rules = learning.learner.learn(trees, reference)
    scores = evaluate_orders(systems, reference, metrics=options.metrics, resampling=resampling(options))
    found = f"{scores.metrics[0]} {scores.values[-1, 0]:.3f} in {options.folds}-fold cross-validation"
    comment = f"learned from {count_of(len(trees), 'sentence')} (judge it on others); {found}"
    write_rules(options.output, rules, comments=[comment])
    print_result(options, lambda: scores.table(digits=options.digits, percent=options.percent), scores.to_dict)
