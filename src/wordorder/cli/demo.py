"""A first look: three invented systems translate sixteen German sentences. Which orders the words best?

One writes good English, one puts English words in German order, and one scrambles the right words. With --files the
demo data are written into a folder, where every command in the documentation runs as it is printed.
"""

from __future__ import annotations

import argparse
import shutil
from importlib.resources import files
from pathlib import Path

from wordorder.cli.output import add_output, for_people, print_result
from wordorder.runtime.errors import UsageError

HELP = "a first look: score the demo data that comes with the package"
EXAMPLES = """\
examples:
  wordorder demo
  wordorder demo --format tsv
  wordorder demo --files demo          the data, to try other commands on
"""

SYSTEMS = ("good", "monotone", "scrambled")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--files", metavar="FOLDER", help="write the demo data into this folder (new or empty) instead of scoring it"
    )
    add_output(parser, percent=True)


def run(options: argparse.Namespace) -> None:
    """Score the demo systems, print the table and show the worst-ordered sentence of each; or write the data."""
    folder = Path(str(files("wordorder"))) / "data" / "demo"
    if options.files:
        _write_files(folder, Path(options.files))
        return
    from wordorder.scoring.shortcuts import score
    from wordorder.scoring.worst import show_worst

    scores = score({name: str(folder / f"{name}.txt") for name in SYSTEMS}, str(folder / "reference.txt"))
    print_result(options, lambda: scores.table(digits=options.digits, percent=options.percent), scores.to_dict)
    if for_people(options):
        print("\nThe worst-ordered sentence of each (chunks are numbered in reference order):\n")
        print(show_worst(scores, count=1, by="kendall-sqrt"), end="")


def _write_files(data: Path, folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"--files {folder}: already exists and is not an empty folder")
    shutil.copytree(data, folder, dirs_exist_ok=True)
    print(f"The demo data are in {folder}. Try:")
    print(f"  cd {folder}")
    print("  wordorder score --ref reference.txt --hyp good.txt monotone.txt scrambled.txt")
