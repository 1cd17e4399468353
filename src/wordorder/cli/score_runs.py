"""``score --runs`` compares several runs of each system; ``score --versus`` compares pairs of systems."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import split_name
from wordorder.cli.inputs import THROUGH_SOURCE, inputs_from
from wordorder.cli.output import chosen_style, print_result
from wordorder.core.runtime.errors import refuse

if TYPE_CHECKING:
    from wordorder.report import Table

_AMOUNT = "kendall-sqrt,hamming"
_PER_SYSTEM = ("hyp", "hyp_align", "hyp_parses", "permutations")


def _check(options: argparse.Namespace, what: str) -> None:
    """Raise an error for options that cannot be combined with the option ``what``."""
    others = ("buckets", "segments", "worst", "worst_of", "worst_between", "correlate", "html", "plot", "expected")
    used = any(getattr(options, name) for name in others) or (options.docs and options.resample != "documents")
    allowed = "it allows --docs only with --resample documents, and it cannot show buckets, segments, charts or pages"
    refuse(used, f"{what} prints a different table; {allowed}")


def run_runs(options: argparse.Namespace) -> None:
    """Score all runs, and print the mean scores of each system and their spread over runs."""
    from wordorder.cli.score import score_options
    from wordorder.scoring.runs import Runs

    _check(options, "--runs")
    own = "--runs uses its own test, which shuffles runs within segments"
    refuse(options.versus, "--runs compares each system with the best one or with --baseline; omit --versus")
    refuse(options.test != "bootstrap", f"{own}; omit --test {options.test}")
    changed: dict[str, Any] = {}
    members: dict[str, list[str]] = {}
    for name in _PER_SYSTEM:
        if files := getattr(options, name):
            named = [split_name(file)[0] for file in files]
            if members and not any(named):
                continue  # in the order of the systems
            changed[name], members = _number_runs(files)
    scores = score_options(options, inputs_from(options, **changed))
    found = Runs(scores, members, options.baseline)
    style = chosen_style(options)
    print_result(options, lambda: found.table(style=style), found.to_dict)


def _number_runs(files: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Number the runs of each system; return the renamed files and, by system, the names of its runs.

    For example, ``ours=a ours=b`` becomes ``ours/1=a ours/2=b``."""
    from wordorder.formats.sources import system_name
    from wordorder.scoring.runs import name_runs

    counts: dict[str, int] = {}
    renamed = []
    for file in files:
        given, path = split_name(file)
        name = given or system_name(path)
        counts[name] = counts.get(name, 0) + 1
        renamed.append(f"{name}/{counts[name]}={path}")
    return renamed, name_runs(counts)


def run_versus(options: argparse.Namespace) -> None:
    """Score all systems and compare pairs of them; with a source, also compare how much each system reorders."""
    from wordorder.cli.score import score_options

    _check(options, "--versus")
    refuse(options.baseline, "--versus already selects the pairs to compare; omit --baseline")
    amount = options.source and options.ref and options.hyp and options.order != "monotone"
    if options.order == "source" and bool(options.hyp_align) != bool(options.ref_align):
        amount = False  # given links and automatic links are not comparable
    matched = amount and options.order in (None, "matched")
    unused = dict.fromkeys(THROUGH_SOURCE) if matched else {}
    found = score_options(options, inputs_from(options, **unused)).versus(options.versus)
    style = chosen_style(options)
    if not amount:
        print_result(options, lambda: found.table(style=style), found.to_dict)
        return
    parses = dict.fromkeys(("grammar", "parser", "spacy", "hyp_parses", "ref_parses"))
    inputs = inputs_from(options, order="monotone", weight="segments", **parses)
    reordering = score_options(options, inputs, metrics=_AMOUNT).versus(found.pairs)

    def tables() -> dict[str, Table]:
        title = "amount of reordering: against the source, compared with the reference"
        return {"scores": found.table(style=style), "reordering": replace(reordering.table(style=style), title=title)}

    print_result(options, tables, lambda: found.to_dict() | {"reordering": reordering.to_dict()})
