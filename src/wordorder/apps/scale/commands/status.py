"""Show the progress of a run: finished, failed and remaining parts, and unusable rows. No engine is contacted.

examples:
  wordorder scale status scores
  watch wordorder scale status scores
  wordorder scale status scores --json
"""

from __future__ import annotations

import argparse

from wordorder.cli.output import add_output, print_result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("folder", metavar="FOLDER", help="folder of the results")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Read the folder of the results and print the progress."""
    from wordorder.apps.scale import status

    found = status(options.folder)
    print_result(options, found.table, found.to_dict)
