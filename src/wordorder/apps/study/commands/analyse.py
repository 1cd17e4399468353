"""Analyse the answers: effects with intervals and tests, agreement between people, and correlation with metrics.

examples:
  wordorder study analyse DIR
  wordorder study analyse DIR --plot bins.svg --plot-as bins
  wordorder study analyse DIR --json > findings.json
  wordorder study analyse DIR --simulated                use simulated answers
  wordorder study analyse DIR --pilot                    use the answers of the pilot
"""

import argparse

from wordorder.apps.study.commands.arguments import add_study, database_of
from wordorder.cli.arguments import add_plot, write_plot
from wordorder.cli.output import add_output, print_result

COMMON = "folder simulated pilot plot plot_as format result_file"
PLOTS = ("bins", "systems", "metrics", "r-by-bin", "time")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_study(parser)
    parser.add_argument("--simulated", action="store_true", help="analyse the answers written by 'study simulate'")
    add_plot(parser, kinds=PLOTS)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Analyse the answers and print the tables."""
    from wordorder.apps.study import Study

    found = Study.read(options.folder).analyse(simulated=options.simulated, database=database_of(options))
    write_plot(options, lambda: found.plot(options.plot_as))
    print_result(options, lambda: found.tables, found.to_dict)
