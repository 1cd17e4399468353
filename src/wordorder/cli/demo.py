"""A first look: score three small systems that come with the package."""

from __future__ import annotations

import argparse
from importlib.resources import files

from wordorder.cli.arguments import add_output, print_json, wants_json

HELP = "a first look: score the demo data that comes with the package"
EXAMPLES = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Score the demo systems and print the table."""
    from wordorder.report import print_table
    from wordorder.scoring import score

    folder = files("wordorder") / "data" / "demo"
    systems = {name: str(folder / f"{name}.align") for name in ("good", "monotone", "scrambled")}
    scores = score(
        hypothesis_alignments=systems,
        reference_alignments=str(folder / "reference.align"),
        source=str(folder / "source.txt"),
    )
    if wants_json(options):
        print_json(scores.to_json())
    else:
        print_table(scores.table(), options.format)
