"""Take the best translation of each sentence from lists, under weights of their features.

examples:
  wordorder nbest rerank test.nbest.gz --weights weights.tsv -o best.txt
  wordorder nbest rerank test.nbest.gz --weights weights.tsv --objective lr-kb4 -o best.txt
  wordorder nbest rerank test.nbest.gz -o first.txt             what the decoder itself prefers
"""

from __future__ import annotations

import argparse

from wordorder.apps.nbest.commands.arguments import add_lists, read_lists
from wordorder.cli.output import add_file
from wordorder.core.runtime.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_lists(parser)
    parser.add_argument("--weights", metavar="FILE", help="weights of the features ('wordorder nbest tune -o')")
    parser.add_argument("--objective", metavar="NAME", help="which column of weights, where the file has several")
    add_file(parser)


def run(options: argparse.Namespace) -> None:
    """Print the best translation of each sentence."""
    from wordorder.apps.nbest import read_weights, rerank

    if options.objective and not options.weights:
        raise UsageError("--objective chooses a column of --weights; give --weights FILE, too")
    weights = read_weights(options.weights, options.objective) if options.weights else None
    lists = read_lists(options)
    print("\n".join(rerank(lists.renumbered() if options.renumber else lists, weights)))
