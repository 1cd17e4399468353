"""Test whether a parser leads to better reordering if it is trained on those of its own parses that reorder best.

This is targeted self-training. In each fold, a parser is trained on some of the trees and makes several parses of
each of the other sentences. The parses with the best reordering ('targeted'), or the likeliest parses
('self-trained'), are then added to the training trees. Only sentences that none of the parsers has seen are scored.

examples:
  wordorder preorder selftrain --treebank pud/en-jp --rules r5
  wordorder preorder selftrain --gold en.conllu --align en-ja.align --rules r5 --folds 5 --nbest 25 --caseless

To apply the method to all your data, run four commands: 'wordorder parse train', 'wordorder preorder select',
'wordorder parse train' and 'wordorder preorder evaluate'.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from wordorder.apps.preorder.commands import arguments
from wordorder.cli.arguments import add_metrics, add_resampling, arguments_for, resampling
from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import refuse

if TYPE_CHECKING:
    from wordorder.report import Table

COMMON = "treebank align rules folds metrics format"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("--gold", metavar="FILE", help="gold trees of the source sentences (CoNLL-U)")
    parser.add_argument("--treebank", metavar="FOLDER", help="folder of an aligned treebank")
    arguments.add_reference(parser)
    arguments.add_rules(parser, several=False)
    add_metrics(parser, arguments.METRICS)
    add = parser.add_argument_group("self-training").add_argument
    add("--folds", type=int, default=10, metavar="N", help="number of cross-validation folds (default 10)")
    share = "share of the other folds whose gold trees are used for training (default 0.5)"
    add("--share", type=float, default=0.5, metavar="X", help=share)
    add("--nbest", type=int, default=50, metavar="N", help="parses per sentence to choose from (default 50)")
    add("--by", default="fuzzy", metavar="METRIC", help="metric for choosing the best reordering (default fuzzy)")
    add("--beam", type=int, default=8, metavar="N", help="beam size of the parser (default 8)")
    add("--passes", type=int, default=10, metavar="N", help="training passes over the trees (default 10)")
    add("--caseless", action="store_true", help="ignore case")
    add_resampling(parser)
    add_output(parser, percent=True)


def run(options: argparse.Namespace) -> None:
    """Run the cross-validation and print the scores of the orders and of the parsers."""
    import wordorder.apps.preorder as preorder
    from wordorder.formats import conllu
    from wordorder.linking.parsing.transition import ParserOptions
    from wordorder.report import table_records

    refuse(bool(options.gold) == bool(options.treebank), "give gold trees: either --gold FILE or --treebank FOLDER")
    rules = preorder.load_rules(options.rules)
    trees = conllu.read(options.gold or os.path.join(options.treebank, "en.conllu"))
    reference = arguments.read_reference(options, trees)
    how = ParserOptions(**arguments_for(options, ParserOptions))
    setting = preorder.SelfTraining(how, options.nbest, options.by, options.folds, options.share)
    parses = preorder.share_words(setting.try_folds(trees, reference, rules))
    parsed = next(iter(parses.values()))
    compared = preorder.Reference.of(reference.places, parsed, instances=options.instances)
    orders = preorder.order_systems(parses, {rules.name: rules}, compared)
    scores = preorder.evaluate_orders(orders, compared, metrics=options.metrics, resampling=resampling(options))
    parsers = preorder.parser_table(parses, trees)

    def tables() -> dict[str, Table]:
        return {"scores": scores.table(digits=options.digits, percent=options.percent), "parsers": parsers}

    print_result(options, tables, lambda: scores.to_dict() | {"parsers": table_records(parsers)})
