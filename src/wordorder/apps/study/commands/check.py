"""Check a study before people take part: its pages, duration, lists, checks and power.

examples:
  wordorder study check DIR
  wordorder study check DIR --people 28         power with 28 people
  wordorder study check DIR --show 3            the first items as a participant sees them
  wordorder study check DIR --no-power          skip the power analysis, which takes longest
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import refuse

if TYPE_CHECKING:
    from wordorder.report import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("folder", metavar="DIR", help="study folder")
    parser.add_argument("--people", type=int, metavar="N", help="number of people for the power analysis")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print the first N items as people see them")
    parser.add_argument("--no-power", action="store_true", help="skip the power analysis, which takes longest")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Check the study and print warnings, tables, and the first items if requested."""
    from wordorder.apps.study import Study
    from wordorder.apps.study.answers import refuse_changed_local_study
    from wordorder.apps.study.checks import find_problems, lists_table, overview_table, power_table
    from wordorder.apps.study.folder import sequence
    from wordorder.core.text.checks import warn_about

    refuse(options.people is not None and options.people < 1, f"--people {options.people}: expected 1 or more")
    study = Study.read(options.folder)
    refuse_changed_local_study(study)
    for problem in find_problems(study):
        warn_about(problem)

    def tables() -> dict[str, Table]:
        found = {"study": overview_table(study), "lists": lists_table(study)}
        power = None if options.no_power else power_table(study, options.people)
        return found | ({} if power is None else {"power": power})

    print_result(options, tables)
    for key in sequence(study, "somebody", 0)[: options.show]:
        print("\n" + json.dumps(study.kind.view(study.item(key), "somebody"), ensure_ascii=False))
