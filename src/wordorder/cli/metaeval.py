"""Find out which metric agrees with people: correlation with human judgements, with intervals and tests."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wordorder.cli.arguments import add_output, add_resampling, print_json, wants_json
from wordorder.cli.judged import add_judged, read_inputs, read_sets, scoring_options
from wordorder.cli.parses import add_parser_choice
from wordorder.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.report import Table

DEFAULT_METRICS = "lr-kb4,full,kendall-sqrt,pef,bleu"
_UNPARSED = ("agreement", "distinguish", "probe", "qrev")
MODES = ("compare", "versus", "agreement", "influences", "distinguish", "probe", "qrev")

HELP = "compare metrics with human judgements"
EXAMPLES = """\
examples:
  wordorder metaeval --judgements rankings.csv --pair de-en --ref ref.en --hyp outputs/de-en/*
  wordorder metaeval --set de-en rankings.csv ref.en de-en/* --set cs-en rankings.csv ref.en cs-en/* \\
      --metrics full:order=kendall,full:order=pef --segment tau,consistency --system rho,r
  wordorder metaeval --mtme wmt22 --pair en-de --human-score mqm --document delta-r
  wordorder metaeval --form ratings --judgements da.csv --columns score=z --ref ref --hyp A B
  wordorder metaeval … --compare                       every two metrics: p by permutation, Holm-corrected
  wordorder metaeval … --versus kendall,hamming        sets won/lost/drawn against baselines
  wordorder metaeval … --agreement                     do the judges agree with each other?
  wordorder metaeval … --influences                    do scores follow words or order?
  wordorder metaeval --ref r1 r2 --hyp A --distinguish does a metric tell people from machines?
  wordorder metaeval --ref ref.en --probe              disturb references, see what each metric feels
  wordorder metaeval --qrev FOLDER                     do low scores find segments tagged ORDER?
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
    what.add_argument("--document", metavar="LIST", help="document level: delta-r, delta-rho, r, rho (needs --docs)")
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
    what.add_argument(
        "--test",
        choices=("permutation", "williams"),
        default="permutation",
        help="test between metrics (default permutation of paired scores; williams: for r and pearson.none)",
    )
    add_parser_choice(parser.add_argument_group("parses (for dpm and edpm)"))
    more = parser.add_argument_group("instead of the table")
    more.add_argument("--compare", action="store_true", help="test every two metrics")
    more.add_argument("--versus", metavar="LIST", help="wins/losses/draws against these baselines over all sets")
    more.add_argument("--agreement", action="store_true", help="agreement of the judges: κ, α, each against the rest")
    more.add_argument("--influences", action="store_true", help="r and r² of each metric with words and with order")
    more.add_argument("--distinguish", action="store_true", help="references against each other and against systems")
    more.add_argument(
        "--probe",
        nargs="?",
        const="move,adjacent,block,shuffle",
        metavar="KINDS",
        help="disturb references: move, adjacent, block, shuffle; real takes the swaps that --hyp has",
    )
    more.add_argument("--amounts", metavar="LIST", help="amounts of disturbance for --probe (as 1,2,4,8)")
    more.add_argument("--qrev", metavar="FOLDER", help="translations with error tags: area under the ROC curve")
    more.add_argument("--tag", default="ORDER", metavar="NAME", help="the tag to be found (default ORDER)")
    add_resampling(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Score, compare with people, print."""
    chosen = [mode for mode in MODES if getattr(options, mode) not in (None, False)]
    if len(chosen) > 1:
        raise UsageError(f"give one of --{' and --'.join(chosen)}")
    if chosen and chosen[0] in _UNPARSED and (options.grammar or options.spacy):
        raise UsageError(f"--{chosen[0]} scores no parses; leave out --grammar and --spacy")
    if chosen and chosen[0] in _OTHERS:
        _OTHERS[chosen[0]](options)
        return
    from wordorder.metaevaluation import Setup, metaevaluate

    setup = Setup(options.samples, options.seed, options.threads, options.resample, options.human, options.test)
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
        _print(found.comparison_table(), options)
    elif options.versus:
        _print(found.versus_table([_spec(name) for name in options.versus.split(",")]), options)
    else:
        _print(found.table(), options)


def _run_agreement(options: argparse.Namespace) -> None:
    from wordorder.metaevaluation.people import agreement_table

    _print(_join([agreement_table(one.name, one.judgements) for one in read_inputs(options)]), options)


def _run_influences(options: argparse.Namespace) -> None:
    from wordorder.metaevaluation.influences import LEXICAL, ORDER, influence_table, influences

    sets = read_sets(options, f"{options.metrics},{LEXICAL},{ORDER}")
    _print(_join([influence_table(judged.name, influences(judged.scores)) for judged in sets]), options)


def _run_distinguish(options: argparse.Namespace) -> None:
    from wordorder.cli.texts import text_files
    from wordorder.metaevaluation.influences import distinction_table, distinguish

    if not (options.hyp and options.ref):
        raise UsageError("--distinguish needs --ref with two references or more, and --hyp")
    systems, references = text_files(options.hyp, options.ref)
    scoring = {**scoring_options(options), "threads": options.threads}
    _print(distinction_table(distinguish(systems, references, metrics=options.metrics, **scoring)), options)


def _run_probe(options: argparse.Namespace) -> None:
    from wordorder.formats import text
    from wordorder.metaevaluation.probe import probe, probe_table

    if not options.ref:
        raise UsageError("--probe needs --ref, the sentences to disturb")
    kinds = [kind.strip() for kind in options.probe.split(",")]
    try:
        amounts = None if options.amounts is None else [int(amount) for amount in options.amounts.split(",")]
    except ValueError:
        raise UsageError(f"--amounts {options.amounts}: expected whole numbers, as 1,2,4,8") from None
    references = [line for path in options.ref for line in text.read(path).to_pylist()]
    orders = None
    if "real" in kinds:
        from wordorder.metaevaluation.probe import matched_orders

        if not options.hyp or len(options.ref) != 1:
            raise UsageError("--probe real takes its swaps from translations: give one --ref, and --hyp")
        orders = matched_orders(options.hyp, options.ref[0], tokenizer=options.tokenize, lowercase=options.lowercase)
    found = probe(
        references,
        metrics=options.metrics,
        kinds=kinds,
        amounts=amounts,
        tokenizer=options.tokenize,
        lowercase=options.lowercase,
        orders=orders,
        samples=options.samples,
        seed=options.seed,
        threads=options.threads,
    )
    if wants_json(options):
        print_json(found.to_json())
    else:
        _print(probe_table(found), options)


def _run_qrev(options: argparse.Namespace) -> None:
    from wordorder.formats import qrev
    from wordorder.metaevaluation.detection import detect_tags

    parts = qrev.read(options.qrev, tag=options.tag, pair=options.pair)
    scoring = {**scoring_options(options), "threads": options.threads}
    found = detect_tags(parts, metrics=options.metrics, samples=options.samples, seed=options.seed, **scoring)
    if wants_json(options):
        print_json(found.to_json())
    else:
        _print(found.table(), options)


_OTHERS = {
    "agreement": _run_agreement,
    "influences": _run_influences,
    "distinguish": _run_distinguish,
    "probe": _run_probe,
    "qrev": _run_qrev,
}


def _print(table: Table, options: argparse.Namespace) -> None:
    from wordorder.report import print_table

    print_table(table, "json" if wants_json(options) else options.format)


def _join(tables: list[Table]) -> Table:
    """Put tables with the same columns under one heading."""
    from dataclasses import replace

    return replace(tables[0], rows=tuple(row for table in tables for row in table.rows))


def _names(listed: str | None) -> tuple[str, ...] | None:
    if listed is None:
        return None
    return () if listed == "none" else tuple(name.strip() for name in listed.split(","))


def _spec(name: str) -> str:
    from wordorder.metrics import metric

    return str(metric(name.strip()))
