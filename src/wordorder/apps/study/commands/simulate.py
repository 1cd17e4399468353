"""Simulate people with known effects who answer a study, and analyse their answers: a full dry run.

The simulated answers are kept in simulated.jsonl, apart from the answers of people. Without --set nothing has an
effect: anything significant is then due to chance.
"""

from __future__ import annotations

import argparse

from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import UsageError

COMMON = "folder people set follow clickers dropouts seed format"
EXAMPLES = """\
examples:
  wordorder study simulate DIR --people 28 --set "bin3=-0.5" --seed 1
  wordorder study simulate DIR --set bin1=-0.5 bin2=-1 person=0.9 noise=1.2 --clickers 2
  wordorder study simulate DIR --follow kendall-sqrt      people who judge like a metric (scramble)
  wordorder study simulate DIR --set A=0.55               A is preferred in 55 of 100 judgements (prefer)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    parser.add_argument("folder", metavar="DIR", help="folder of the study")
    parser.add_argument("--people", type=int, default=28, metavar="N", help="how many people (default 28)")
    said = "effects of bins or systems, and standard deviations (person, item, stimulus, interaction, noise)"
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", help=said)
    parser.add_argument("--follow", metavar="METRIC", help="order metric that people judge like (scramble)")
    parser.add_argument("--clickers", type=int, default=0, metavar="N", help="people who answer at random, instantly")
    parser.add_argument("--dropouts", type=float, default=0.0, metavar="SHARE", help="share who stop in the middle")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of their answers (default 1)")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Simulate answers, save and analyse them, and print the tables."""
    from wordorder.apps.study import Study
    from wordorder.apps.study.answers import write_simulated
    from wordorder.apps.study.simulation import SimulationPlan, simulate

    effects = {}
    for item in options.set:
        name, equals, value = item.rpartition("=")
        try:
            effects[name.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise UsageError(f"--set {item}: expected NAME=VALUE such as bin3=-0.5")
    study = Study.read(options.folder)
    plan = SimulationPlan(options.people, options.seed, effects, options.follow, options.clickers, options.dropouts)
    write_simulated(study, simulate(study, plan))
    found = study.analyse(simulated=True)
    print_result(options, lambda: found.tables, found.to_dict)
