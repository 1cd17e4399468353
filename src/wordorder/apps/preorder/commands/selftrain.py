"""Try targeted self-training: does a parser order better if it learns from its own parses that reorder best?

In each fold a parser is learned from some of the trees and parses the rest many times; the parses that reorder best
('targeted'), or the likeliest ones ('self-trained'), are added to what it learns from. Only sentences that
none of the parsers has seen are scored.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wordorder.apps.preorder.commands import arguments
from wordorder.cli.arguments import add_metrics, add_resampling, resampling
from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.report import Table

COMMON = "treebank align rules folds metrics format"
EXAMPLES = """\
examples:
  wordorder preorder selftrain --treebank pud/en-jp --rules r5
  wordorder preorder selftrain --gold en.conllu --align en-ja.align --rules r5 --folds 5 --nbest 25 --caseless

The loop itself, on all the data, takes four commands: 'wordorder parse train', 'wordorder preorder select',
'wordorder parse train' and 'wordorder preorder evaluate'.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--gold", metavar="FILE", help="gold trees of the source sentences (CoNLL-U)")
    parser.add_argument("--treebank", metavar="FOLDER", help="trees and links: a folder of an aligned treebank")
    arguments.add_reference(parser)
    arguments.add_rules(parser, several=False)
    add_metrics(parser, arguments.METRICS)
    how = parser.add_argument_group("self-training")
    how.add_argument("--folds", type=int, default=10, metavar="N", help="parts, each tested in turn (default 10)")
    share = "share of the other folds whose gold trees are learned from (default 0.5); the rest have only orders"
    how.add_argument("--share", type=float, default=0.5, metavar="X", help=share)
    how.add_argument("--nbest", type=int, default=50, metavar="N", help="parses of each sentence (default 50)")
    how.add_argument("--by", default="fuzzy", metavar="METRIC", help="the metric to choose parses by (default fuzzy)")
    how.add_argument("--beam", type=int, default=8, metavar="N", help="beam size of the parser (default 8)")
    how.add_argument("--passes", type=int, default=10, metavar="N", help="passes over the trees (default 10)")
    how.add_argument("--caseless", action="store_true", help="ignore case")
    add_resampling(parser)
    add_output(parser, percent=True)


def run(options: argparse.Namespace) -> None:
    """Run 'preorder selftrain' and print the results."""
    import os

    from wordorder.apps.preorder import (
        Reference,
        SelfTraining,
        evaluate_orders,
        load_rules,
        order_systems,
        parser_table,
        share_words,
    )
    from wordorder.formats import conllu
    from wordorder.linking.parsing.transition import ParserOptions
    from wordorder.report import table_records

    if bool(options.gold) == bool(options.treebank):
        raise UsageError("give gold trees: --gold FILE, or --treebank FOLDER")
    rules = load_rules(options.rules)
    trees = conllu.read(options.gold or os.path.join(options.treebank, "en.conllu"))
    reference = arguments.read_reference(options, trees)
    how = ParserOptions(beam=options.beam, passes=options.passes, caseless=options.caseless, seed=options.seed)
    setting = SelfTraining(how, options.nbest, options.by, options.folds, options.share)
    parses = share_words(setting.try_folds(trees, reference, rules))
    judged = Reference.of(reference.places, next(iter(parses.values())), instances=options.instances)
    orders = order_systems(parses, {rules.name: rules}, judged)
    scores = evaluate_orders(orders, judged, metrics=options.metrics, resampling=resampling(options))
    parsers = parser_table(parses, trees)

    def tables() -> dict[str, Table]:
        return {"scores": scores.table(digits=options.digits, percent=options.percent), "parsers": parsers}

    print_result(options, tables, lambda: scores.to_dict() | {"parsers": table_records(parsers)})
