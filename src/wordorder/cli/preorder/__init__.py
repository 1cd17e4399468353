"""Reorder parsed source sentences by rules, and find out how good the order is and what is to blame.

It takes parses, reordering rules and reference orders (from word alignments); no translation system is run (Talbot
et al. 2011).
"""

from __future__ import annotations

import argparse

from wordorder.cli.parser import add_commands
from wordorder.cli.preorder import apply, blame, evaluate, learn, reference, rules, select, selftrain

HELP = "reorder parsed sentences by rules: how good is the order, and what is to blame?"
EXAMPLES = """\
examples:
  wordorder preorder rules r5 > mine.rules                                        a rule set to start from
  wordorder preorder apply --parses en.conllu --rules mine.rules > reordered.txt
  wordorder preorder evaluate --parses en.conllu --align en-ja.align --rules r1 r4 r5 mine.rules learned
  wordorder preorder blame --parses en.conllu --align en-ja.align --rules mine.rules
  wordorder preorder COMMAND --help                                               what each takes, with examples
"""

COMMANDS = (evaluate, apply, blame, learn, select, selftrain, reference, rules)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the commands below this one."""
    add_commands(parser, COMMANDS, required=True)
