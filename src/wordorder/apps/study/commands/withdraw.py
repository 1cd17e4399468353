"""Withdraw a person from the study at their request.

From now on their answers are left out of exports and analyses. --erase also deletes their answers and everything else
that is known about them; the log keeps only a record that they were erased.

examples:
  wordorder study withdraw DIR p7
  wordorder study withdraw DIR p7 --erase
"""

import argparse

from wordorder.apps.study.commands.arguments import add_study, open_study


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_study(parser)
    parser.add_argument("person", metavar="PERSON", help="id of the person, as shown by 'study status'")
    parser.add_argument("--erase", action="store_true", help="delete their answers and details; cannot be undone")


def run(options: argparse.Namespace) -> None:
    """Withdraw the person and print what was done."""
    from wordorder.core.runtime.errors import count_of

    with open_study(options) as (_, store):
        count = store.withdraw(options.person, erase=options.erase)
        done = f"erased ({count_of(count, 'event')} deleted)" if options.erase else "withdrawn; the answers are kept"
        print(f"{options.person}: {done}")
        if options.erase:
            kept = (
                "backups" if store.engine.dialect.name == "sqlite" else "backups and the write-ahead log of PostgreSQL"
            )
            print(f"{kept} keep what they have until they are replaced")
