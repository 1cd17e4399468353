"""Measure the amount of reordering in a word-aligned corpus, and print the same table as 'wordorder profile'.

examples:
  wordorder scale profile aligned --out profile --workers 0
  wordorder scale profile aligned --out profile --segments              also writes the measures of every pair
  wordorder scale profile corpus --columns source=de target=en links=giza --out profile
"""

import argparse

from wordorder.apps.scale.commands import arguments
from wordorder.cli.output import add_output, print_result

COMMON = "corpus out columns segments workers shard dask"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    arguments.add_corpus(parser, columns="columns of source, target and links (default: these names)", split=True)
    add = parser.add_argument_group("measures").add_argument
    about = "side whose words are counted for the width of a reordering: source or target (default target)"
    add("--side", choices=("target", "source"), default="target", help=about)
    policies = (
        "policy for deriving word orders from alignments, used for cycles, operators and BLEU in source order "
        "(default birch)"
    )
    add("--policy", default="birch", metavar="NAME", help=policies)
    add("--segments", action="store_true", help="also write the measures of every pair to the output folder")
    arguments.add_running(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Profile the corpus and print the table."""
    arguments.require(options, "corpus", "out")
    from wordorder.apps.scale import profile

    with arguments.end_of_shard(options):
        found = profile(**arguments.arguments_of(options, profile, tokenizer=options.tokenize))
        print_result(options, found.table, found.to_dict)
