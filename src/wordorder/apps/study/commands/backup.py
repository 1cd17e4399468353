"""Copy everything that is stored, while the study is served or not, into one SQLite file.

The file can take the place of study.db in the folder, also if the study was stored in PostgreSQL. It contains what
people said about themselves, and only its owner can read it.

examples:
  wordorder study backup DIR --to monday.db
"""

import argparse
import os

from wordorder.apps.study.commands.arguments import add_study, open_study


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_study(parser)
    parser.add_argument("--to", required=True, metavar="FILE", help="new file for the copy; never overwritten")


def run(options: argparse.Namespace) -> None:
    """Copy the database and print how many events it has."""
    from wordorder.core.runtime.drafts import draft_folder
    from wordorder.core.runtime.errors import count_of, refuse

    refuse(os.path.exists(options.to), f"{options.to}: already exists; choose another file")
    with open_study(options) as (_, store), draft_folder(os.path.dirname(os.path.abspath(options.to))) as draft:
        copy = os.path.join(draft, "study.db")
        os.close(os.open(copy, os.O_CREAT | os.O_WRONLY, 0o600))
        count = store.copy_to(copy)
        os.rename(copy, options.to)
    print(f"{options.to}: {count_of(count, 'event')}")
