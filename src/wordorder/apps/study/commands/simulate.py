"""Do a full dry run: let simulated people with known effects answer a study, and analyse their answers.

The simulated answers are written to simulated.jsonl, separate from those of real people. Without --set or --follow,
conditions have no effect, so any significant result is due to chance.

examples:
  wordorder study simulate DIR --people 28 --set "bin3=-0.5" --seed 1
  wordorder study simulate DIR --set bin1=-0.5 bin2=-1 person=0.9 noise=1.2 --clickers 2
  wordorder study simulate DIR --follow kendall-sqrt      ratings that follow a metric (scramble)
  wordorder study simulate DIR --set A=0.55               A is preferred in 55 of 100 judgements (prefer)
"""

import argparse

from wordorder.cli.arguments import arguments_for, assignments
from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import UsageError

_SETTING = "NAME=VALUE such as bin3=-0.5"
COMMON = "folder people set follow clickers dropouts seed format"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add = parser.add_argument
    add("folder", metavar="DIR", help="study folder")
    add("--people", type=int, default=28, metavar="N", help="number of people (default 28)")
    effects = "effects of bins or systems, and standard deviations (person, item, stimulus, interaction, noise)"
    add("--set", nargs="+", default=[], metavar="NAME=VALUE", help=effects)
    add("--follow", metavar="METRIC", help="order metric whose scores determine the ratings (scramble)")
    add("--clickers", type=int, default=0, metavar="N", help="number of people who answer instantly and at random")
    add("--dropouts", type=float, default=0.0, metavar="SHARE", help="share of people who stop before the end")
    add("--seed", type=int, default=1, metavar="N", help="random seed for the answers (default 1)")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Simulate people, save their answers, and print the analysis."""
    from wordorder.apps.study import Study
    from wordorder.apps.study.answers import write_simulated
    from wordorder.apps.study.simulation import SimulationPlan, simulate

    effects = {}
    for name, value in assignments(options.set, "--set", _SETTING).items():
        try:
            effects[name] = float(value)
        except ValueError:
            raise UsageError(f"--set {name}={value}: expected {_SETTING}") from None
    study = Study.read(options.folder)
    write_simulated(study, simulate(study, SimulationPlan(**arguments_for(options, SimulationPlan, effects=effects))))
    found = study.analyse(simulated=True)
    print_result(options, lambda: found.tables, found.to_dict)
