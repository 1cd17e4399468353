"""List the rule sets that come along, or print one: the text to start a set of your own from."""

from __future__ import annotations

import argparse

HELP = "list or print the rule sets that come along"
EXAMPLES = """\
examples:
  wordorder preorder rules
  wordorder preorder rules r5 > mine.rules
  wordorder preorder rules mine.rules              is my file right?
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="print this set; a file is checked and printed too")


def run(options: argparse.Namespace) -> None:
    """Run 'preorder rules' and print."""
    from wordorder.preordering import BUILT_IN, format_rules, load_rules
    from wordorder.preordering.language import built_in

    if options.name is None:
        for name in BUILT_IN:
            print(f"{name:16} {built_in(name).partition(chr(10))[0].removeprefix('# ').partition(': ')[2]}")
    elif options.name in BUILT_IN:
        print(built_in(options.name), end="")
    else:
        print(format_rules(load_rules(options.name)), end="")
