"""Choose the best translation of each sentence from n-best lists, using feature weights.

With --utility, a second pass looks at the best translations only, and chooses the one that is most similar to the
others; this is how a slow metric, such as edpm, can select among translations that are already good.

examples:
  wordorder nbest rerank test.nbest.gz --weights weights.tsv -o best.txt
  wordorder nbest rerank test.nbest.gz --weights weights.tsv --objective lr-kb4 -o best.txt
  wordorder nbest rerank test.nbest.gz -o first.txt             the decoder's own choice
  wordorder nbest rerank test.nbest.gz --weights weights.tsv --utility edpm --grammar en.grammar --best 10 -o late.txt
"""

import argparse

from wordorder.apps.nbest.commands.arguments import add_lists, add_parses, parsing_options, read_lists
from wordorder.cli.arguments import add_threads
from wordorder.cli.inputs import add_words, text_options
from wordorder.cli.output import add_file
from wordorder.core.runtime.errors import UsageError, refuse

COMMON = "lists weights objective utility best grammar nbest_format result_file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_lists(parser)
    parser.add_argument("--weights", metavar="FILE", help="feature weights saved by 'wordorder nbest tune --save'")
    parser.add_argument("--objective", metavar="NAME", help="column of the weights file to use, if it has several")
    add = parser.add_argument_group("second pass").add_argument
    add("--utility", metavar="NAME", help="metric for comparing the best translations with each other")
    add("--best", type=int, metavar="N", help="number of best translations to compare (default 10)")
    add_words(parser.add_argument_group("words (with --utility)"))
    add_parses(parser)
    add_threads(parser.add_argument_group("speed"))
    add_file(parser)


def run(options: argparse.Namespace) -> None:
    """Print the best translation of each sentence."""
    from wordorder.apps.nbest import mbr, read_weights, rerank

    if options.objective and not options.weights:
        raise UsageError("--objective selects a column of the weights file, so it requires --weights FILE")
    parsing = parsing_options(options)
    late = bool(parsing) or options.best is not None
    refuse(late and not options.utility, "--best and parsers are for the second pass; add --utility METRIC")
    weights = read_weights(options.weights, options.objective) if options.weights else None
    lists = read_lists(options)
    lists = lists.renumbered() if options.renumber else lists
    if options.utility:
        few = lists.best(10 if options.best is None else options.best, weights)
        how = {**text_options(options), **parsing, "threads": options.threads}
        print("\n".join(mbr(few, options.utility, **how)))
    else:
        print("\n".join(rerank(lists, weights)))
