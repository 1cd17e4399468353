"""Tune the parameters of a metric for agreement with human judgements; the result can be passed to 'wordorder score'.

examples:
  wordorder tune full:order=pef --vary alpha=0:1 order.beta=0:1 \\
      --judgements rankings.csv --pair de-en --ref ref.en --hyp outputs/de-en/*
  wordorder tune lr-kb4 --vary theta=0:1 --dk de-en=0.739 cs-en=0.85 --set de-en … --set cs-en …
  wordorder tune full:order=pef --vary alpha=0:1 --search grid --curve …        all tried settings
  wordorder tune full:order=pef --vary alpha=0:1 --search grid --plot alpha.svg …        a chart of all tried settings
  wordorder tune … --save tuned.spec && wordorder score --metrics "$(cat tuned.spec)" …

The parameters are chosen on half of the judged segments; the printed results are measured on the other half.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from wordorder.apps.metaeval.options import add_sets, filters_judgements, keep_agreed, read_inputs
from wordorder.cli.arguments import add_plot, add_resampling, assignments, resampling, write_plot
from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import count_of, refuse

if TYPE_CHECKING:
    from wordorder.apps.metaeval import MetaEvaluation
    from wordorder.apps.tune.tuning import Tuning, TuningSet
    from wordorder.report import Table

COMMON = "metric vary judgements judgement_format pair ref hyp mtme coefficient search share curve save format"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("metric", metavar="METRIC", help="the metric to tune, with its fixed parameters")
    add = parser.add_argument_group("tuning").add_argument
    add("--vary", nargs="+", required=True, metavar="KEY=LOW:HIGH", help="the parameters to tune, with their ranges")
    add("--search", choices=("climb", "grid"), default="climb", help="search method (default climb)")
    add("--restarts", type=int, default=20, metavar="N", help="random starts for --search climb (default 20)")
    add("--steps", type=int, default=11, metavar="N", help="values per parameter for --search grid (default 11)")
    why = "coefficient to maximise (default tau-zero; tau ignores ties, which would reward undecided metrics)"
    add("--coefficient", default="tau-zero", metavar="NAME", help=why)
    about = "level at which the coefficient is computed (default segment)"
    add("--level", choices=("segment", "system"), default="segment", help=about)
    add("--share", type=float, default=0.5, metavar="X", help="share of the segments to tune on (default 0.5)")
    about = "dk of each set (the monotonicity of its language pair), for metrics with α = θ^dk"
    add("--dk", nargs="+", default=[], metavar="SET=X", help=about)
    add("--curve", action="store_true", help="print the results of all settings that were tried")
    add("--save", metavar="FILE", help="write the spec of the tuned metric to this file")
    add_sets(parser)
    add_resampling(parser)
    add_output(parser)
    add_plot(parser, kinds=("curve", "scaled"))


def run(options: argparse.Namespace) -> None:
    """Tune the parameters, save the tuned metric if requested, and print its results on the held-out segments."""
    from wordorder.apps.metaeval import Setup, metaevaluate
    from wordorder.apps.tune.tuning import Range, tune
    from wordorder.core.runtime.files import atomic_write

    settings = ("search", "level", "coefficient", "share", "restarts", "steps", "seed")
    how: dict[str, Any] = {name: getattr(options, name) for name in settings}
    found = tune(options.metric, [Range.parse(text) for text in options.vary], _sets(options), **how)
    if options.save:
        with atomic_write(options.save) as target:
            target.write(found.spec + "\n")
    write_plot(options, lambda: found.plot(scaled=options.plot_as == "scaled"))
    setup = Setup(resampling(options))
    chosen: dict[str, Any] = {"segment": (), "system": (), options.level: (options.coefficient,)}
    result = [metaevaluate([one], setup=setup, **chosen) for one in found.held_out]
    table = partial(_held_out_table, found, result, left_out=filters_judgements(options))
    document = {"held_out": [one.to_dict() for one in result]}
    print_result(options, found.curve if options.curve else table, lambda: found.to_dict() | document)


def _held_out_table(found: Tuning, result: list[MetaEvaluation], *, left_out: bool) -> Table:
    """Return a table of the tuned metric's correlation coefficients on the held-out segments."""
    from wordorder.report import Column, Table

    tables = [one.table() for one in result]
    rows: list[list[Any]] = [
        [one.name, *row] for one, table in zip(found.held_out, tables, strict=True) for row in table.rows
    ]
    columns = [Column("set", "left"), *tables[0].columns]
    notes = [
        f"tuned: {found.spec}",
        f"{found.coefficient} {found.train:.4f} on the tuning part, {found.test:.4f} on the held-out part; "
        f"{count_of(len(found.tried), 'setting')} tried; the table shows the held-out part",
    ]
    for one in found.held_out if left_out else ():
        left = [f"{what}: {count}" for what, count in one.judgements.left_out.items()]
        notes.append(f"{one.name}, left out: {', '.join(left) or 'nothing'}")
    return Table.of("", columns, rows, notes=notes, signature=result[0].signature)


def _sets(options: argparse.Namespace) -> list[TuningSet]:
    from wordorder.apps.tune.tuning import TuningSet
    from wordorder.core.runtime.threads import progress
    from wordorder.metrics import metric

    amounts = assignments(options.dk, "--dk", "SET=NUMBER")
    inputs = read_inputs(options)
    for name in amounts:
        refuse(name not in [one.name for one in inputs], f"--dk {name}=…: there is no test set with this name")
    found = []
    for one in progress(inputs, label="matching words", total=len(inputs)):
        fixed = {"dk": amounts[one.name]} if one.name in amounts else {}
        kept = keep_agreed(one.judgements, options)
        tuned = metric(options.metric)
        found.append(TuningSet.of(one.name, one.inputs, kept, metric=tuned, fixed=fixed, about=one.about))
    return found
