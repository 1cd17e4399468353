"""Write the answers as files for other commands, together with a script that runs those commands.

examples:
  wordorder study export DIR --to out             then: cd out && sh commands.txt
  wordorder study export DIR --to out --simulated
"""

from __future__ import annotations

import argparse
from typing import Any

from wordorder.apps.study.commands.arguments import add_study, database_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_study(parser)
    parser.add_argument("--to", required=True, metavar="FOLDER", help="output folder, new or empty")
    parser.add_argument("--simulated", action="store_true", help="export the answers that 'study simulate' wrote")


def run(options: argparse.Namespace) -> None:
    """Write the files and print the commands that read them."""
    from wordorder.apps.study import Study
    from wordorder.apps.study.answers import read_exclusions, read_people, refuse_no_answers
    from wordorder.apps.study.export import export

    study = Study.read(options.folder)
    database = database_of(options)
    answers = study.answers(simulated=options.simulated, database=database)
    known: dict[str, Any] = {}
    if not options.simulated:
        refuse_no_answers(study, answers, database=database)
        known["excluded"] = read_exclusions(study, database=database)
        known["people"] = read_people(study, database=database)
    commands = export(study, answers, options.to, **known)
    print(f"wrote {options.to.rstrip('/')}/; answers.tsv has every answer, people.tsv everybody")
    for command in commands:
        print(f"  {command}")
