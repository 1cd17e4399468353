"""Work with n-best lists and samples of a translation system: evaluate them, and choose translations from them.

Lists are read in the format of Moses, or in another format (--nbest-format, or FORMAT:FILE).
"""

from __future__ import annotations

import argparse

from wordorder.cli.parser import add_commands

EXAMPLES = """\
examples:
  wordorder nbest oracle dev.nbest.gz --ref dev.ref --metrics lr-kb4,bleu         how good they could be
  wordorder nbest tune dev.nbest.gz --ref dev.ref --objective lr-kb4 --save weights.tsv      better weights
  wordorder nbest rerank test.nbest.gz --weights weights.tsv -o best.txt          … and use the weights
  wordorder nbest mbr samples.nbest.gz --utility lr-kb4 -o best.txt               the one most like the others
  wordorder nbest loop --decoder '… {source} {weights} {nbest}' --work tuning …     tune a decoder from end to end
  wordorder nbest COMMAND --help                                                  what each takes, with examples
"""

COMMANDS = {
    "oracle": ("wordorder.apps.nbest.commands.oracle", "oracle scores: the best and the worst choice from lists"),
    "tune": ("wordorder.apps.nbest.commands.tune", "tune feature weights for one or more objectives"),
    "rerank": (
        "wordorder.apps.nbest.commands.rerank",
        "choose the best translation of each sentence under given weights",
    ),
    "mbr": (
        "wordorder.apps.nbest.commands.mbr",
        "take the translation that is most like all the others (minimum Bayes risk)",
    ),
    "loop": (
        "wordorder.apps.nbest.commands.loop",
        "tune a decoder by translating and tuning in turn; can be resumed",
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands to a parser."""
    add_commands(parser, COMMANDS, required=True)
