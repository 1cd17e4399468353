"""Close a study: it keeps its answers but accepts no more. A running server notices within a second.

examples:
  wordorder study close DIR
  wordorder study close DIR --reopen
"""

import argparse

from wordorder.apps.study.commands.arguments import add_study, open_study


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_study(parser)
    parser.add_argument("--reopen", action="store_true", help="accept answers again")


def run(options: argparse.Namespace) -> None:
    """Close or reopen the study and print its state."""
    with open_study(options) as (_, store):
        from wordorder.apps.study.store import Event

        if store.state().closed == options.reopen:
            store.append([Event("reopen" if options.reopen else "close")])
        print(f"{options.folder}: {'open' if options.reopen else 'closed'}")
