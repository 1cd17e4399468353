"""List the built-in rule sets, or print one of them as a starting point for your own.

examples:
  wordorder preorder rules
  wordorder preorder rules r5 > mine.rules
  wordorder preorder rules mine.rules              check your own file
"""

import argparse

from wordorder.cli.output import add_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="rule set to print, or rule file to check and print")
    add_file(parser)


def run(options: argparse.Namespace) -> None:
    """Print a list of the built-in rule sets, or print a single rule set."""
    from wordorder.apps.preorder import BUILT_IN, format_rules, load_rules
    from wordorder.apps.preorder.language import built_in

    if options.name is None:
        for name in BUILT_IN:
            print(f"{name:16} {built_in(name).partition(chr(10))[0].removeprefix('# ').partition(': ')[2]}")
    elif options.name in BUILT_IN:
        print(built_in(options.name), end="")
    else:
        print(format_rules(load_rules(options.name)), end="")
