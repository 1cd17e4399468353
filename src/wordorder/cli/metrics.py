"""List every metric with its formula, parameters, range and paper.

examples:
  wordorder metrics
  wordorder metrics pef
  wordorder metrics --json

A metric is written name[:key=value]*, for example pef:beta=0.5:gamma=0.1
"""

import argparse

from wordorder.cli.output import add_output, print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="describe only these metrics")
    add_output(parser, tables=False)


def run(options: argparse.Namespace) -> None:
    """Print the description of every metric, or only of the named metrics."""
    from wordorder.metrics import METRICS
    from wordorder.metrics.registry import describe

    described = [describe(name) for name in options.names or METRICS]
    if options.format == "json":
        print_json(described)
        return
    for metric in described:
        print(f"{metric['name']}   [{metric['paper']}]")
        print(f"    {metric['formula']}")
        for parameter in metric["parameters"]:
            default = "" if parameter["default"] is None else parameter["default"]
            print(f"    {parameter['name']}={default}  ({parameter['range']})  {parameter['meaning']}")
        print(f"    range {metric['range']}; needs {', '.join(metric['needs'])}")
        print()
