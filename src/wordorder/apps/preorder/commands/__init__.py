"""Reorder parsed source sentences by rules, and find out how good the order is and what is to blame.

It takes parses, reordering rules and reference orders (from word alignments); no translation system is run (Talbot
et al. 2011).
"""

from __future__ import annotations

import argparse

from wordorder.cli.parser import add_commands

EXAMPLES = """\
examples:
  wordorder preorder rules r5 > mine.rules                                        a rule set to start from
  wordorder preorder apply --parses en.conllu --rules mine.rules > reordered.txt
  wordorder preorder evaluate --parses en.conllu --align en-ja.align --rules r1 r4 r5 mine.rules learned
  wordorder preorder blame --parses en.conllu --align en-ja.align --rules mine.rules
  wordorder preorder COMMAND --help                                               what each takes, with examples
"""

COMMANDS = {
    "evaluate": ("wordorder.apps.preorder.commands.evaluate", "score rule sets and parsers"),
    "apply": ("wordorder.apps.preorder.commands.apply", "write the reordered sentences"),
    "blame": ("wordorder.apps.preorder.commands.blame", "what goes wrong, and is it the rules or the parse?"),
    "learn": ("wordorder.apps.preorder.commands.learn", "learn rules from reference orders"),
    "select": ("wordorder.apps.preorder.commands.select", "of several parses, choose the one that reorders best"),
    "selftrain": (
        "wordorder.apps.preorder.commands.selftrain",
        "cross-validate whether a parser gains from its own parses that reorder best",
    ),
    "reference": (
        "wordorder.apps.preorder.commands.reference",
        "write reference orders people can edit, or check the alignments they come from",
    ),
    "rules": ("wordorder.apps.preorder.commands.rules", "list or print the built-in rule sets"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the commands below this one."""
    add_commands(parser, COMMANDS, required=True)
