"""Learn rules from reference orders, write them, and score them by cross-validation beside other rule sets."""

from __future__ import annotations

import argparse

from wordorder.cli.arguments import add_output, add_resampling, print_json, print_tables, resampling, wants_json
from wordorder.cli.preorder.inputs import add_metrics, add_parses, add_reference, read_parses, read_reference
from wordorder.cli.preorder.rule_sets import LEARNED, add_learning, named_rules, print_cautions, read_learner

HELP = "learn rules from reference orders"
EXAMPLES = """\
examples:
  wordorder preorder learn --trees en.conllu --align en-ja.align -o en-ja.rules
  wordorder preorder learn --treebank pud/en-jp --least 10 -o en-jp.rules
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_parses(parser, several=False)
    add_reference(parser)
    add_learning(parser)
    add_metrics(parser)
    parser.add_argument("-o", "--output", required=True, metavar="RULES", help="where the rules are written")
    parser.add_argument(
        "--beside",
        nargs="*",
        default=["r1", "r2", "r3", "r4", "r5"],
        metavar="RULES",
        help="rule sets to compare with (default r1 to r5)",
    )
    add_resampling(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Run 'preorder learn' and print."""
    from wordorder.preordering import CrossValidation, evaluate_orders, load_rules, order_systems, write_rules

    learner = read_learner(options)
    others = {name: load_rules(source) for name, source in named_rules(options.beside, taken=(LEARNED,)).items()}
    parses = read_parses(options)
    (trees,) = parses.values()
    reference = read_reference(options, trees)
    print_cautions(others, parses)
    systems = order_systems(parses, others | {LEARNED: CrossValidation(options.folds, learner)}, reference)
    rules = learner.learn(trees, reference)
    scores = evaluate_orders(systems, reference, metrics=options.metrics, resampling=resampling(options))
    first = scores.metrics[0]
    told = f"{first} {scores.values[-1, 0]:.3f} in {options.folds}-fold cross-validation"
    write_rules(options.output, rules, comments=[f"learned from {len(trees)} sentences (judge it on others); {told}"])
    if wants_json(options):
        print_json(scores.to_json())
    else:
        print_tables(options, {"scores": scores.table()})
