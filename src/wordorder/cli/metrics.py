"""List every metric with its formula, parameters, range and paper."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from wordorder.cli.arguments import print_json
from wordorder.runtime.errors import choices

HELP = "list every metric: formula, parameters, range, paper"
EXAMPLES = """\
examples:
  wordorder metrics
  wordorder metrics pef
  wordorder metrics --json

A metric is written name[:key=value]*, for example pef:beta=0.5:gamma=0.1
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these metrics")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(options: argparse.Namespace) -> None:
    """Print what is known of the metrics."""
    from wordorder.metrics import METRICS

    for name in options.names:
        if name not in METRICS:
            raise choices(name, list(METRICS), what="metric")
    described = [describe(name) for name in options.names or METRICS]
    if options.json:
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


def describe(name: str) -> dict[str, Any]:
    """Give what is known of a metric as plain data."""
    from wordorder.metrics import METRICS
    from wordorder.metrics.base import Metric, key_of

    kind = METRICS[name]
    parameters = []
    for field in dataclasses.fields(kind):
        default = field.default
        if isinstance(default, bool):
            allowed = "true or false"
        elif field.metadata.get("options"):
            allowed = " | ".join(field.metadata["options"])
        elif isinstance(default, Metric):
            allowed = "a metric"
        else:
            low, high = field.metadata.get("low"), field.metadata.get("high")
            allowed = f"{low} to {high}" if high is not None else "names" if low is None else f"{low} or more"
        parameters.append(
            {
                "name": key_of(field),
                "default": str(default).lower()
                if isinstance(default, bool)
                else default
                if default is None or isinstance(default, (int, float))
                else str(default),
                "range": allowed,
                "meaning": field.metadata.get("doc", ""),
            }
        )
    return {
        "name": name,
        "formula": kind.formula,
        "paper": kind.paper,
        "range": kind.direction,
        "needs": sorted(need.value for need in kind.needs),
        "parameters": parameters,
    }
