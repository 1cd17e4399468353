"""Choose from each list the translation that is most similar to all others: minimum Bayes risk.

examples:
  wordorder nbest mbr samples.nbest.gz --utility lr-kb4 -o best.txt
  wordorder nbest mbr beam.nbest.gz --evidence samples.nbest.gz --utility bleu -o best.txt
  wordorder nbest mbr beam.nbest.gz --posterior score:scale=0.5 -o best.txt
  wordorder nbest mbr samples.nbest.gz --utility edpm --grammar en.grammar -o best.txt
"""

import argparse

from wordorder.apps.nbest.commands.arguments import add_lists, add_parses, parsing_options, read_lists
from wordorder.cli.arguments import add_threads
from wordorder.cli.inputs import add_words, text_options
from wordorder.cli.output import add_file

COMMON = "lists utility evidence posterior nbest_format tokenize result_file threads"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_lists(parser)
    add = parser.add_argument_group("risk").add_argument
    add("--utility", default="lr-kb4", metavar="NAME", help="metric for comparing two translations (default lr-kb4)")
    add("--evidence", metavar="LIST", help="lists of translations to compare with (default: the lists themselves)")
    counted = "how to estimate their probabilities: count (samples, default), score or score:scale=X (n-best lists)"
    add("--posterior", default="count", metavar="NAME", help=counted)
    add_words(parser.add_argument_group("words"))
    add_parses(parser)
    add_threads(parser.add_argument_group("speed"))
    add_file(parser)


def run(options: argparse.Namespace) -> None:
    """Choose a translation for each sentence, and print the chosen translations."""
    from wordorder.apps.nbest import mbr

    lists = read_lists(options)
    evidence = read_lists(options, options.evidence) if options.evidence else None
    if options.renumber:
        lists, evidence = lists.renumbered(), None if evidence is None else evidence.renumbered()
    how = {"posterior": options.posterior, "threads": options.threads, **text_options(options)}
    how |= parsing_options(options)
    print("\n".join(mbr(lists, options.utility, evidence=evidence, **how)))
