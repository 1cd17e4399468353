"""A first look: three small systems translate sixteen German sentences; who orders the words best?

One writes good English, one puts English words in German order, one has the right words in scrambled order.
"""

from __future__ import annotations

import argparse
import sys
from importlib.resources import files

from wordorder.cli.arguments import add_output, print_json, wants_json

HELP = "a first look: score the demo data that comes with the package"
EXAMPLES = ""

SYSTEMS = ("good", "monotone", "scrambled")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Score the demo systems, print the table and show the worst-ordered sentence of each."""
    from wordorder.report import print_table
    from wordorder.scoring import score
    from wordorder.scoring.worst import show_worst

    folder = files("wordorder") / "data" / "demo"
    scores = score({name: str(folder / f"{name}.txt") for name in SYSTEMS}, str(folder / "reference.txt"))
    if wants_json(options):
        print_json(scores.to_json())
        return
    print_table(scores.table(), options.format)
    if sys.stdout.isatty() and options.format in (None, "terminal"):
        print("\nThe worst-ordered sentence of each (chunks are numbered in reference order):\n")
        print(show_worst(scores, count=1, by="kendall-sqrt"), end="")
