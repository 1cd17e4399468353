"""Write the answers as files for other commands, together with a script that runs those commands.

examples:
  wordorder study export DIR --to out             then: cd out && sh commands.txt
  wordorder study export DIR --to out --simulated
"""

import argparse

from wordorder.apps.study.commands.arguments import add_study, database_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_study(parser)
    parser.add_argument("--to", required=True, metavar="FOLDER", help="output folder, new or empty")
    parser.add_argument("--simulated", action="store_true", help="export the answers that 'study simulate' wrote")


def run(options: argparse.Namespace) -> None:
    """Write the files and print the commands that read them."""
    from wordorder.apps.study import Study
    from wordorder.apps.study.answers import open_answers, refuse_no_answers
    from wordorder.apps.study.export import export, export_stored

    study = Study.read(options.folder)
    if options.simulated:
        commands = export(study, study.answers(simulated=True), options.to)
    else:
        with open_answers(study, database_of(options)) as store:
            refuse_no_answers(study, store)
            commands = export_stored(study, store, options.to)
    print(f"wrote {options.to.rstrip('/')}/; answers.tsv has every answer, people.tsv everybody")
    for command in commands:
        print(f"  {command}")
