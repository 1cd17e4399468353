"""Take a person out of the study, because they asked for it.

Their answers are left out of exports and analyses from now on. --erase deletes them, and everything else known about
the person; the log then says that, and nothing more.
"""

from __future__ import annotations

import argparse

from wordorder.apps.study.commands.arguments import add_study, open_study

EXAMPLES = """\
examples:
  wordorder study withdraw DIR p7
  wordorder study withdraw DIR p7 --erase
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_study(parser)
    parser.add_argument("person", metavar="PERSON", help="id of the person, as 'study status' shows it")
    parser.add_argument("--erase", action="store_true", help="delete their answers and details; cannot be undone")


def run(options: argparse.Namespace) -> None:
    """Run 'study withdraw' and say what was done."""
    from wordorder.core.runtime.plain import count_of

    with open_study(options) as (_, store):
        count = store.withdraw(options.person, erase=options.erase)
        done = f"erased ({count_of(count, 'event')} deleted)" if options.erase else "withdrawn; the answers are kept"
        print(f"{options.person}: {done}")
