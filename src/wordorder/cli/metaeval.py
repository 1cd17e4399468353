"""Find out which metric agrees with people: correlation with human judgements, with intervals and tests."""

from __future__ import annotations

import argparse

from wordorder.cli.arguments import add_output, add_resampling, print_json, wants_json
from wordorder.cli.judged import add_judged, read_sets
from wordorder.runtime.errors import UsageError

DEFAULT_METRICS = "lr-kb4,full,kendall-sqrt,pef,bleu"

HELP = "compare metrics with human judgements"
EXAMPLES = """\
examples:
  wordorder metaeval --judgements rankings.csv --pair de-en --ref ref.en --hyp outputs/de-en/*
  wordorder metaeval --set de-en rankings.csv ref.en de-en/* --set cs-en rankings.csv ref.en cs-en/* \\
      --metrics full:order=kendall,full:order=pef --segment tau,consistency --system rho,r
  wordorder metaeval … --compare                       every two metrics: p by permutation, Holm-corrected
  wordorder metaeval … --versus kendall,hamming        sets won/lost/drawn against baselines
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_judged(parser)
    what = parser.add_argument_group("what is measured")
    what.add_argument("--metrics", "-m", default=DEFAULT_METRICS, metavar="LIST", help=f"default {DEFAULT_METRICS}")
    what.add_argument(
        "--segment",
        metavar="LIST",
        help="segment level: tau (default), tau-zero, tau-discordant, tau-b, consistency, accuracy; for ratings "
        "pearson, spearman, kendall with .none, .segment or .system; 'none' for nothing",
    )
    what.add_argument("--system", metavar="LIST", help="system level: rho (default), r, tau-b, accuracy; or 'none'")
    what.add_argument("--document", metavar="LIST", help="document level: delta-r, delta-rho (needs --docs)")
    what.add_argument(
        "--human",
        choices=("wins", "better-or-equal"),
        default="wins",
        help="score of a system from comparisons: wins/(wins+losses), or the share of better-or-equal",
    )
    what.add_argument(
        "--resample",
        choices=("segments", "judgements"),
        default="segments",
        help="what the bootstrap draws (default segments)",
    )
    more = parser.add_argument_group("instead of the table")
    more.add_argument("--compare", action="store_true", help="test every two metrics")
    more.add_argument("--versus", metavar="LIST", help="wins/losses/draws against these baselines over all sets")
    add_resampling(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Score, compare with people, print."""
    from wordorder.metaevaluation import Setup, metaevaluate
    from wordorder.report import print_table

    if options.compare and options.versus:
        raise UsageError("give one of --compare and --versus")
    setup = Setup(options.samples, options.seed, options.threads, options.resample, options.human)
    found = metaevaluate(
        read_sets(options, options.metrics),
        segment=_names(options.segment),
        system=_names(options.system),
        document=_names(options.document) or (),
        setup=setup,
    )
    if wants_json(options):
        print_json(found.to_json())
    elif options.compare:
        print_table(found.comparison_table(), options.format)
    elif options.versus:
        print_table(found.versus_table([_spec(name) for name in options.versus.split(",")]), options.format)
    else:
        print_table(found.table(), options.format)


def _names(listed: str | None) -> tuple[str, ...] | None:
    if listed is None:
        return None
    return () if listed == "none" else tuple(name.strip() for name in listed.split(","))


def _spec(name: str) -> str:
    from wordorder.metrics import metric

    return str(metric(name.strip()))
