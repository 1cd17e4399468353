"""Write every sentence in its new order, one per line."""

from __future__ import annotations

import argparse
import sys

from wordorder.cli.output import add_file
from wordorder.cli.preorder import arguments

HELP = "write the reordered sentences"
EXAMPLES = """\
examples:
  wordorder preorder apply --parses en.conllu --rules r5 > reordered.txt
  wordorder preorder apply --parses en.conllu --rules mine.rules --format orders > new.orders
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_parses(parser, several=False)
    arguments.add_rules(parser, several=False)
    forms = "text: the words in their new order; orders: their places in the source, from 1 (default text)"
    parser.add_argument("--format", choices=("text", "orders"), default="text", help=forms)
    add_file(parser)


def run(options: argparse.Namespace) -> None:
    """Run 'preorder apply' and print."""
    from wordorder.formats import permutations
    from wordorder.preordering import load_rules, reorder, written_orders

    rules = load_rules(options.rules)
    parses = arguments.read_parses(options)
    arguments.print_cautions({rules.name: rules}, parses)
    (trees,) = parses.values()
    orders = reorder(trees, rules)
    if options.format == "orders":
        permutations.write(sys.stdout, orders)
        return
    for line in written_orders(trees, orders):
        print(line)
