"""Set the parameters of a metric so that it agrees with people; the result is a metric that score accepts."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import add_output, add_resampling, print_json, wants_json
from wordorder.cli.judged import add_judged, read_inputs, scoring_options
from wordorder.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.metaevaluation.tuning import Tuning, TuningSet
    from wordorder.report import Table

HELP = "tune the parameters of a metric on human judgements"
EXAMPLES = """\
examples:
  wordorder tune full:order=pef --vary alpha=0:1 order.beta=0:1 \\
      --judgements rankings.csv --pair de-en --ref ref.en --hyp outputs/de-en/*
  wordorder tune lr-kb4 --vary theta=0:1 --dk de-en=0.739 cs-en=0.85 --set de-en … --set cs-en …
  wordorder tune full:order=pef --vary alpha=0:1 --search grid --curve …        the whole curve
  wordorder tune … --save tuned.spec && wordorder score --metrics "$(cat tuned.spec)" …

Half of the judged segments choose the parameters; what is printed is measured on the other half.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("metric", metavar="METRIC", help="the metric to tune, with the parameters that stay")
    what = parser.add_argument_group("tuning")
    what.add_argument("--vary", nargs="+", required=True, metavar="KEY=LOW:HIGH", help="parameters and their ranges")
    what.add_argument("--search", choices=("climb", "grid"), default="climb", help="default climb")
    what.add_argument("--restarts", type=int, default=20, metavar="N", help="random restarts of climb (default 20)")
    what.add_argument("--steps", type=int, default=11, metavar="N", help="values per parameter of grid (default 11)")
    what.add_argument(
        "--coefficient",
        default="tau-zero",
        metavar="NAME",
        help="what is maximised (default tau-zero: dropping ties, as tau does, would reward undecided metrics)",
    )
    what.add_argument("--level", choices=("segment", "system"), default="segment", help="default segment")
    what.add_argument(
        "--share", type=float, default=0.5, metavar="X", help="share of the segments to tune on (default 0.5)"
    )
    what.add_argument("--dk", nargs="+", default=[], metavar="SET=X", help="d_k of each set, for α = θ^dk")
    what.add_argument("--curve", action="store_true", help="print every setting that was tried")
    what.add_argument("--save", metavar="FILE", help="write the tuned metric into a file")
    add_judged(parser)
    add_resampling(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Tune, print, save."""
    from wordorder.metaevaluation import Setup, metaevaluate
    from wordorder.metaevaluation.tuning import Range, tune
    from wordorder.report import print_table
    from wordorder.runtime.files import atomic_write

    found = tune(
        options.metric,
        [Range.parse(text) for text in options.vary],
        _sets(options),
        search=options.search,
        level=options.level,
        coefficient=options.coefficient,
        share=options.share,
        restarts=options.restarts,
        steps=options.steps,
        seed=options.seed,
    )
    if options.save:
        with atomic_write(options.save) as target:
            target.write(found.spec + "\n")
    setup = Setup(options.samples, options.seed, options.threads)
    chosen: dict[str, Any] = {"segment": (), "system": (), options.level: (options.coefficient,)}
    result = [metaevaluate([judged], setup=setup, **chosen) for judged in found.held_out]
    if wants_json(options):
        print_json(_document(found) | {"held_out": [one.to_json() for one in result]})
    elif options.curve:
        print_table(_curve(found), options.format)
    else:
        from wordorder.report import Column, Table

        rows: list[list[Any]] = [
            [judged.name, *row]
            for judged, one in zip(found.held_out, result, strict=True)
            for row in one.table().rows
        ]
        columns = [Column("set", "left"), *result[0].table().columns]
        notes = [
            f"tuned: {found.spec}",
            f"{found.coefficient} on the tuned part {found.train:.4f}, held out {found.test:.4f}; "
            f"{len(found.tried)} settings tried; the table is of the held-out part",
        ]
        print_table(Table.of("", columns, rows, notes=notes), options.format)


def _document(found: Tuning) -> dict[str, Any]:
    keys = [one.key for one in found.ranges]
    return {
        "start": found.start,
        "spec": found.spec,
        "coefficient": found.coefficient,
        "train": _plain(found.train),
        "test": _plain(found.test),
        "tried": [
            {**dict(zip(keys, setting, strict=True)), "train": _plain(train), "test": _plain(test)}
            for setting, train, test in found.tried
        ],
    }


def _curve(found: Tuning) -> Table:
    from wordorder.report import Column, Table

    columns = [Column(one.key) for one in found.ranges] + [
        Column("train", number=".4f"),
        Column("test", number=".4f"),
    ]
    return Table.of("", columns, [[*setting, train, test] for setting, train, test in found.tried])


def _sets(options: argparse.Namespace) -> list[TuningSet]:
    from wordorder.metaevaluation.tuning import TuningSet
    from wordorder.runtime.progress import progress

    amounts: dict[str, str] = {}
    for item in options.dk:
        name, equals, value = item.partition("=")
        if not equals:
            raise UsageError(f"--dk {item}: expected SET=NUMBER")
        amounts[name] = value
    inputs = read_inputs(options)
    for name in amounts:
        if name not in [one.name for one in inputs]:
            raise UsageError(f"--dk {name}: there is no such set")
    found = []
    for one in progress(inputs, label="matching words", total=len(inputs)):
        fixed = {"dk": amounts[one.name]} if one.name in amounts else {}
        texts = one.systems, one.references
        found.append(TuningSet.of(one.name, *texts, one.judgements, fixed=fixed, **scoring_options(options)))
    return found


def _plain(value: float) -> float | None:
    return None if value != value else value
