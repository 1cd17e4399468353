"""Show the progress of a run: the numbers of finished, failed and remaining parts, and of unusable rows.

examples:
  wordorder scale status scores
  watch wordorder scale status scores
  wordorder scale status scores --json
"""

import argparse

from wordorder.cli.output import add_output, print_result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("folder", metavar="FOLDER", help="folder with the results of the run")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Read the output folder and print the progress."""
    from wordorder.apps.scale import status

    found = status(options.folder)
    print_result(options, found.table, found.to_dict)
