"""Train a small phrase-based translation system (Thot), and translate with it.

It writes n-best lists with features, and accepts weights and a reordering limit: all it takes to tune a system for
word order ('wordorder nbest loop').
"""

from __future__ import annotations

import argparse

from wordorder.cli.parser import add_commands

EXAMPLES = """\
examples:
  wordorder smt train --source train.de --target train.en -o de-en
  wordorder smt translate de-en test.de > test.hyp
  wordorder smt translate de-en dev.de --weights weights.tsv --limit 6 --nbest dev.nbest.gz --count 100
  wordorder smt COMMAND --help                                what each takes, with examples
"""

COMMANDS = {
    "train": ("wordorder.apps.smt.commands.train", "train a phrase-based system from parallel text"),
    "translate": (
        "wordorder.apps.smt.commands.translate",
        "translate text, with n-best lists, weights and a reordering limit",
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands to a parser."""
    add_commands(parser, COMMANDS, required=True)
