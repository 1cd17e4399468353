"""Choose the best translation of each sentence from n-best lists, using feature weights.

examples:
  wordorder nbest rerank test.nbest.gz --weights weights.tsv -o best.txt
  wordorder nbest rerank test.nbest.gz --weights weights.tsv --objective lr-kb4 -o best.txt
  wordorder nbest rerank test.nbest.gz -o first.txt             the decoder's own choice
"""

from __future__ import annotations

import argparse

from wordorder.apps.nbest.commands.arguments import add_lists, read_lists
from wordorder.cli.output import add_file
from wordorder.core.runtime.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_lists(parser)
    parser.add_argument("--weights", metavar="FILE", help="feature weights saved by 'wordorder nbest tune --save'")
    parser.add_argument("--objective", metavar="NAME", help="column of the weights file to use, if it has several")
    add_file(parser)


def run(options: argparse.Namespace) -> None:
    """Print the best translation of each sentence."""
    from wordorder.apps.nbest import read_weights, rerank

    if options.objective and not options.weights:
        raise UsageError("--objective selects a column of the weights file, so it requires --weights FILE")
    weights = read_weights(options.weights, options.objective) if options.weights else None
    lists = read_lists(options)
    print("\n".join(rerank(lists.renumbered() if options.renumber else lists, weights)))
