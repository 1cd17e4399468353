"""Reorder parsed sentences by rules, and print each sentence on a line, with its words in the new order.

examples:
  wordorder preorder apply --parses en.conllu --rules r5 > reordered.txt
  wordorder preorder apply --parses en.conllu --rules mine.rules --format orders > new.orders
  wordorder preorder apply --parses en.conllu --rules r5 --sentence 3 --picture third.svg
"""

import argparse
import sys

from wordorder.apps.preorder.commands import arguments
from wordorder.cli.arguments import add_picture
from wordorder.cli.output import add_file
from wordorder.core.runtime.errors import UsageError, reject


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    arguments.add_parses(parser, several=False)
    arguments.add_rules(parser, several=False)
    forms = "text: the words in their new order; orders: their positions in the source, from 1 (default text)"
    parser.add_argument("--format", choices=("text", "orders"), default="text", help=forms)
    parser.add_argument("--sentence", type=int, metavar="N", help="reorder only sentence number N (the first is 1)")
    add_picture(parser)
    add_file(parser)


def run(options: argparse.Namespace) -> None:
    """Reorder and print the sentences; if a picture is requested, draw one of them."""
    from wordorder.apps.preorder import load_rules, reorder, written_orders
    from wordorder.formats import permutations

    rules = load_rules(options.rules)
    parses = arguments.read_parses(options)
    arguments.print_cautions({rules.name: rules}, parses)
    (trees,) = parses.values()
    if options.picture and options.sentence is None and len(trees) != 1:
        raise UsageError("--picture shows a single sentence; add --sentence N to choose one")
    if options.sentence is not None:
        if not 1 <= options.sentence <= len(trees):
            raise UsageError(f"--sentence must be between 1 and {len(trees)}, not {options.sentence}")
        trees = trees[options.sentence - 1 : options.sentence]
    orders = reorder(trees, rules)
    if options.picture:
        from wordorder.apps.preorder.pictures import draw_dependencies

        reject(
            not len(trees[0]),
            f"sentence {options.sentence or 1} has no words to draw",
            path=options.parses and options.parses[0],
        )
        draw_dependencies(trees[0], order=orders[0]).save(options.picture)
    if options.format == "orders":
        permutations.write(sys.stdout, orders)
        return
    for line in written_orders(trees, orders):
        print(line)
