"""Show the best and the worst scores that choices from n-best lists can reach, and the score of the model's choice.

examples:
  wordorder nbest oracle dev.nbest.gz --ref dev.ref --metrics lr-kb4,bleu
  wordorder nbest oracle dev.nbest.gz --ref dev.ref1 dev.ref2 --order source --ref-align r1.align r2.align
  wordorder nbest oracle fairseq:generate.out --ref dev.ref --metrics bleu,chrf
  wordorder nbest oracle samples.txt --nbest-format lines --count 64 --ref dev.ref
"""

import argparse

from wordorder.apps.nbest.commands.arguments import add_lists, add_scoring, read_lists, score_lists
from wordorder.cli.arguments import add_metrics
from wordorder.cli.output import add_output, print_result

COMMON = "lists ref metrics nbest_format order tokenize lowercase format threads"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_lists(parser)
    add_metrics(parser, "metrics to compute (default kendall-sqrt,pef,bleu)")
    add_scoring(parser)
    add_output(parser, percent=True)


def run(options: argparse.Namespace) -> None:
    """Score the lists, and print the oracle scores."""
    from wordorder.apps.nbest import oracle_table

    scored = score_lists(options, read_lists(options), options.metrics)
    print_result(options, lambda: oracle_table(scored))
