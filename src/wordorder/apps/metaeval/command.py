"""Measure how well metrics agree with people: correlations with human judgements, with intervals and tests.

examples:
  wordorder metaeval --judgements rankings.csv --pair de-en --ref ref.en --hyp outputs/de-en/*
  wordorder metaeval --set de-en rankings.csv ref.en de-en/* --set cs-en rankings.csv ref.en cs-en/* \\
      --metrics full:order=kendall,full:order=pef --segment tau,consistency --system rho,r
  wordorder metaeval --mtme wmt22 --pair en-de --human-score mqm --document delta-r
  wordorder metaeval --judgement-format ratings --judgements da.csv --columns score=z --ref ref --hyp A B
  wordorder metaeval --judgement-format hter --judgements A.hter B.hter --post-edits A.pe B.pe \\
      --ref ref --hyp A B --docs ids --document delta-r
  wordorder metaeval --judgement-format ratings --judgements ratings.tsv --permutations A=A.orders B=B.orders \\
      --metrics fuzzy,kendall --segment pearson.none,spearman.none           word orders instead of texts
  wordorder metaeval … --ranking                       the systems as ranked by people and by every metric
  wordorder metaeval … --compare                       test every pair of metrics, with corrected p-values
  wordorder metaeval … --versus kendall,hamming        count sets won/lost/drawn against these baselines
  wordorder metaeval … --order matched source --source src.de --compare
                                                       do orders found through alignments agree better with people?
  wordorder metaeval … --given comet=COMET.seg.score -m full:lexical=given:comet,given:comet --compare
                                                       does word order add anything to a neural metric?
  wordorder metaeval … --agreed 0.5                    leave out screens that other judges contradict
  wordorder metaeval … --agreement                     do the judges agree with each other?
  wordorder metaeval --judgement-format preferences --judgements ab.tsv --preferences   which system do people prefer?
  wordorder metaeval --judgement-format ratings --judgements bins.tsv --anova \\
      --columns judge=person segment=item system=bin score=fluency          do ratings differ between bins?
  wordorder metaeval --ref ref.en --hyp A --influences do scores follow words or order?
  wordorder metaeval --ref r1 r2 --hyp A --distinguish does a metric tell human from machine translation?
  wordorder metaeval --ref ref.en --probe              disturb references: which metrics notice?
  wordorder metaeval --detect "word order" --judgements A.csv B.csv      (tables of WMT's chat task contain the texts)
  wordorder metaeval --detect Style/Awkward,Grammar --judgements mqm.tsv --ref ref.de
                                                       do low scores find segments with a kind of error?
  wordorder metaeval --qrev FOLDER                     the same for QRev's segments tagged ORDER
  wordorder metaeval … --ranking --plot systems.svg    chart of human scores against each metric
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from wordorder.apps.metaeval import options as set_options
from wordorder.apps.metaeval.options import read_judgements, read_sets
from wordorder.cli.arguments import add_metrics, add_plot, add_resampling, resampling, write_plot
from wordorder.cli.inputs import name_given, text_files, text_options
from wordorder.cli.output import add_html, add_output, check_html, print_result, write_html
from wordorder.core.runtime.errors import UsageError, refuse

if TYPE_CHECKING:
    from wordorder.apps.metaeval import MetaEvaluation
    from wordorder.report import Table
    from wordorder.scoring.inputs import MatchedTexts

DEFAULT_METRICS = "lr-kb4,full,kendall-sqrt,pef,bleu"
_UNDRAWN = ("agreement", "preferences", "anova")
_UNPARSED = ("agreement", "preferences", "anova", "distinguish", "probe")

COMMON = (
    "judgements judgement_format pair ref hyp mtme metrics segment system ranking compare agreement preferences "
    "probe detect format"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    set_options.add_sets(parser, orders=True)
    group = parser.add_argument_group("measures")
    add_metrics(group, f"default {DEFAULT_METRICS}; without text, as 'wordorder score'")
    add = group.add_argument
    shared = "compare two translations on the reference words that both match (metrics of order; segment level)"
    add("--common-words", action="store_true", help=shared)
    coefficients = (
        "segment level: tau (default), tau-zero, tau-discordant, tau-b, consistency, accuracy, "
        "accuracy.segment; for ratings pearson, spearman, kendall with .none, .segment or .system; or 'none'"
    )
    add("--segment", metavar="LIST", help=coefficients)
    levels = "system level: rho (default), r, tau-b, accuracy, spa (soft pairwise accuracy); or 'none'"
    add("--system", metavar="LIST", help=levels)
    add("--document", metavar="LIST", help="document-level coefficients: delta-r, delta-rho, r, rho (needs --docs)")
    scores = (
        "how a system's score is computed from comparisons: wins/(wins+losses), the share of better-or-equal, or the "
        "share of screens on which it is best or tied (default wins)"
    )
    add("--human", choices=("wins", "better-or-equal", "best"), default="wins", help=scores)
    units = "what the bootstrap resamples (default segments; with --detect, documents if they are known)"
    add("--resample", choices=("segments", "judgements", "documents"), help=units)
    tests = (
        "test between metrics: permutation of paired scores (default); for r and pearson.none also williams, "
        "and fisher (Fisher's z, as if for independent samples); bootstrap-t: Student's t-test over bootstrap "
        "samples, which finds nearly everything significant"
    )
    add("--test", choices=("permutation", "williams", "fisher", "bootstrap-t"), default="permutation", help=tests)
    add = parser.add_argument_group("other results, instead of the table").add_argument
    add("--ranking", action="store_true", help="rank the systems by human scores and by every metric")
    add("--compare", action="store_true", help="for each pair of metrics, test whether one agrees better with people")
    about = "count the sets on which each metric beats, loses to or ties with each of these baseline metrics"
    add("--versus", metavar="LIST", help=about)
    add("--agreement", action="store_true", help="agreement between judges: κ or α, and each judge against the rest")
    add("--preferences", action="store_true", help="count preferences for each system pair, with significance tests")
    add("--anova", action="store_true", help="ANOVA of system ratings by person and by item, min F′, Tukey's test")
    about = "correlate each metric with a lexical metric and a word-order metric (r and r²)"
    add("--influences", action="store_true", help=about)
    about = "score the other references and the systems against each reference, and test which score higher"
    add("--distinguish", action="store_true", help=about)
    kinds = "disturb references: move, adjacent, block, shuffle, or real (swaps found in --hyp)"
    add("--probe", nargs="?", const="move,adjacent,block,shuffle", metavar="KINDS", help=kinds)
    add("--amounts", metavar="LIST", help="amounts of disturbance for --probe, such as 1,2,4,8")
    found = (
        "do low scores find the segments with errors of this category? AUC and precision, from a "
        "table of errors (MQM, chat, ESA, QRev, DEMETR; 'any': of any category; several: A,B)"
    )
    add("--detect", metavar="CATEGORY", help=found)
    about = "for --detect: report the precision among the k lowest scores for each k in LIST (default 10,50)"
    add("--at", metavar="LIST", help=about)
    add("--qrev", metavar="FOLDER", help="shorthand for --detect ORDER --judgements FOLDER with a QRev corpus")
    add("--tag", default="ORDER", metavar="NAME", help="error tag to detect with --qrev (default ORDER)")
    add_resampling(parser)
    add_html(parser)
    add_output(parser)
    add_plot(parser, kinds=("coefficients", "scaled", "systems", "ratings"))


def run(options: argparse.Namespace) -> None:
    """Score the sets, compare the metrics with people, and print the result of the chosen mode."""
    chosen = [
        mode for mode in ("ranking", "compare", "versus", *_OTHERS) if getattr(options, mode) not in (None, False)
    ]
    refuse(len(chosen) > 1, f"give only one of --{' and --'.join(chosen)}")
    mode = chosen[0] if chosen else ""
    unparsed = mode in _UNPARSED and (options.grammar or options.parser or options.spacy)
    refuse(unparsed, f"--{mode} does not use parses; leave out --grammar, --parser and --spacy")
    refuse(options.plot and mode in _UNDRAWN, f"--{mode} has no chart; leave out --plot")
    if options.html and mode in _OTHERS:
        raise UsageError(f"the --html page compares metrics with judgements, so it cannot be combined with --{mode}")
    check_html(options)
    if options.metrics is None:
        options.metrics = _default_metrics(options)
    name_given(options)
    both_ways = len(set(options.order or [])) > 1
    refuse(both_ways and mode in _OTHERS, f"--{mode} takes only one value of --order, but two were given")
    options.order = options.order[0] if options.order else None
    refuse(options.common_words and mode in _OTHERS, f"--common-words cannot be combined with --{mode}")
    refuse(options.common_words and both_ways, "with --order source, every word is common; leave out --common-words")
    if mode in _OTHERS:
        text_files(options.hyp or [], [])  # they must exist, even if this mode does not read them
        _OTHERS[mode](options)
        return
    from wordorder.apps.metaeval import Setup, metaevaluate

    setup = Setup(resampling(options), options.human, options.test)
    segment, system, document = map(_names, (options.segment, options.system, options.document))
    evaluate = partial(metaevaluate, segment=segment, system=system, document=document or (), setup=setup)
    sets = (set_options.read_sets_in_both_orders if both_ways else read_sets)(options, options.metrics)
    sets = [replace(one, common_words=options.common_words) for one in sets]
    kept = [replace(one, judgements=set_options.keep_agreed(one.judgements, options)) for one in sets]
    found = evaluate(kept)
    pairs = _same_metric(found.metrics) if both_ways else None
    table = partial(found.comparison_table, pairs) if options.compare else found.table
    if options.ranking:
        table = found.ranking_table
    elif options.versus:
        table = partial(found.versus_table, [_metric_name(name.strip()) for name in options.versus.split(",")])
    write_plot(options, lambda: found.plot(options.plot_as or ("systems" if options.ranking else "coefficients")))
    if options.html:
        from wordorder.apps.metaeval.page import metaevaluation_page

        write_html(options, metaevaluation_page(found, command=options.command))
    if set_options.filters_judgements(options):
        _print_effect(options, evaluate(sets), found, table, partial(found.to_dict, pairs))
    else:
        print_result(options, table, partial(found.to_dict, pairs))


def _metric_name(name: str) -> str:
    """Return the name of a metric as it appears in tables.

    A suffix for the kind of word order is kept: ``pef@source`` is pef for orders found through the source.
    """
    from wordorder.metrics import metric

    spec, *order = name.split("@")
    return "@".join([str(metric(spec)), *order])


def _same_metric(names: Sequence[str]) -> list[tuple[int, int]]:
    """Return index pairs of the same metric under both kinds of order, such as ``pef@matched`` and ``pef@source``."""
    return [
        (first, names.index(f"{name.removesuffix('@matched')}@source"))
        for first, name in enumerate(names)
        if name.endswith("@matched")
    ]


def _print_effect(
    options: argparse.Namespace,
    before: MetaEvaluation,
    after: MetaEvaluation,
    table: Callable[[], Table],
    document: Callable[[], dict[str, Any]],
) -> None:
    """Print the result for the judgements that are kept, and how leaving out the others changed it."""
    from wordorder.apps.metaeval.agreement import effect_table
    from wordorder.report import table_records

    effect = effect_table(before, after)
    more = {"agreed": options.agreed, "effect": table_records(effect)}
    print_result(options, lambda: {"agreement": table(), "effect": effect}, lambda: document() | more)


def _default_metrics(options: argparse.Namespace) -> str:
    if not set_options.gives_orders(options):
        return DEFAULT_METRICS
    from wordorder.metrics.registry import ORDER_DEFAULTS

    return ",".join(map(str, ORDER_DEFAULTS))


def _run_agreement(options: argparse.Namespace) -> None:
    from wordorder.apps.metaeval.agreement import agreement_table

    tables = [agreement_table(name, judgements) for name, judgements in read_judgements(options)]
    print_result(options, lambda: _join(tables))


def _run_preferences(options: argparse.Namespace) -> None:
    from wordorder.apps.metaeval.agreement import MOST_PAIRS, preference_table, standing_table
    from wordorder.formats.judgements import Comparisons
    from wordorder.report import DATA

    tables, standings = [], []
    for name, judgements in read_judgements(options):
        if not isinstance(judgements, Comparisons):
            raise UsageError("--preferences needs comparisons (--judgement-format wmt or preferences), not ratings")
        tables.append(preference_table(name, judgements))
        standings.append(standing_table(name, judgements))
    short = options.format not in DATA and max(len(table.rows) for table in tables) > MOST_PAIRS
    print_result(options, lambda: _join(standings if short else tables))


def _run_anova(options: argparse.Namespace) -> None:
    from wordorder.apps.metaeval.agreement import anova_table, compare_levels, means_table, pairs_table
    from wordorder.formats.judgements import Ratings

    found = []
    for name, judgements in read_judgements(options):
        if not isinstance(judgements, Ratings):
            raise UsageError("--anova needs ratings (--judgement-format ratings or mqm), but these are comparisons")
        found.append((name, compare_levels(judgements)))
    makers = {"means": means_table, "anova": anova_table, "pairs": pairs_table}
    print_result(options, lambda: {key: _join([make(*one) for one in found]) for key, make in makers.items()})


def _run_influences(options: argparse.Namespace) -> None:
    from wordorder.apps.metaeval.influences import LEXICAL, ORDER, influence_table, influences, plot_influences
    from wordorder.core.statistics import Resampling
    from wordorder.scoring.score import score

    metrics = f"{options.metrics},{LEXICAL},{ORDER}"
    if options.judgements or options.set or options.mtme:
        sets = {one.name: one.scores for one in read_sets(options, metrics)}
    else:
        how = Resampling(samples=0, threads=options.threads)
        sets = {"all": score(_matched_texts(options, "influences"), metrics=metrics, resampling=how)}
    refuse(options.plot and len(sets) > 1, "--plot draws the influences in one set, but several are given")
    write_plot(options, lambda: plot_influences(*sets.values()))
    print_result(options, lambda: _join([influence_table(name, influences(one)) for name, one in sets.items()]))


def _run_distinguish(options: argparse.Namespace) -> None:
    from wordorder.apps.metaeval.influences import distinction_table, distinguish, plot_distinction

    texts = _matched_texts(options, "distinguish")
    how = {"metrics": options.metrics, "threads": options.threads}
    found = distinguish(texts, **how)
    write_plot(options, lambda: plot_distinction(texts, **how))
    print_result(options, lambda: distinction_table(found))


def _matched_texts(options: argparse.Namespace, mode: str) -> MatchedTexts:
    """Return the texts of a mode that needs no judgements."""
    from wordorder.scoring.inputs import MatchedTexts

    more = "two or more references" if mode == "distinguish" else "references"
    refuse(not (options.hyp and options.ref), f"--{mode} needs translations and {more}; give --hyp and --ref")
    refuse(options.source, f"--{mode} without judgements compares matched words; leave out --source")
    return MatchedTexts(*text_files(options.hyp, options.ref), **text_options(options))


def _run_probe(options: argparse.Namespace) -> None:
    from wordorder.apps.metaeval.probe import matched_orders, probe
    from wordorder.formats import text
    from wordorder.scoring.inputs import MatchedTexts

    refuse(not options.ref, "--probe needs sentences to disturb; give them with --ref")
    kinds = [kind.strip() for kind in options.probe.split(",")]
    amounts = None if options.amounts is None else whole_numbers(options.amounts, "--amounts")
    references = [line for path in options.ref for line in text.read(path).to_pylist()]
    words = {"tokenize": options.tokenize, "lowercase": options.lowercase}
    orders = None
    if "real" in kinds:
        if not options.hyp or len(options.ref) != 1:
            raise UsageError("--probe real makes swaps that occur in real translations; give --hyp and one --ref")
        orders = matched_orders(MatchedTexts(*text_files(options.hyp, options.ref), **words))
    how: dict[str, Any] = {"kinds": kinds, "amounts": amounts, "orders": orders, **words}
    found = probe(references, metrics=options.metrics, resampling=resampling(options), **how)
    write_plot(options, found.plot)
    print_result(options, found.table, found.to_dict)


def _run_qrev(options: argparse.Namespace) -> None:
    refuse(options.judgements, "the folder of --qrev already contains judgements and texts; leave out --judgements")
    options.detect, options.judgements = options.tag, [options.qrev]
    _run_detect(options)


def _run_detect(options: argparse.Namespace) -> None:
    from wordorder.apps.metaeval.detection import AT, MarkedSet, detect
    from wordorder.apps.metaeval.marked_options import read_marked
    from wordorder.metrics import choose_metrics

    at = AT if options.at is None else whole_numbers(options.at, "--at")
    sets = []
    references: dict[str, None] = {}
    for one in read_marked(options):
        references |= dict.fromkeys(one.references)
        scores = set_options.cached(options, one.inputs, options.metrics)
        labels = tuple(map(str, choose_metrics(options.metrics, available=one.inputs.offers)))
        sets.append(MarkedSet(one.name, scores, one.annotations, labels))
    how = resampling(options, **{} if options.resample else {"resample": "documents"})
    found = replace(detect(sets, options.detect, at=at, resampling=how), references=tuple(references))
    write_plot(options, found.plot)
    print_result(options, found.table, found.to_dict)


_OTHERS = {
    "agreement": _run_agreement,
    "preferences": _run_preferences,
    "anova": _run_anova,
    "influences": _run_influences,
    "distinguish": _run_distinguish,
    "probe": _run_probe,
    "detect": _run_detect,
    "qrev": _run_qrev,
}


def _join(tables: list[Table]) -> Table:
    """Join tables with the same columns into one table."""
    return replace(tables[0], rows=tuple(row for table in tables for row in table.rows))


def _names(listed: str | None) -> tuple[str, ...] | None:
    if listed is None:
        return None
    return () if listed == "none" else tuple(name.strip() for name in listed.split(","))


def whole_numbers(listed: str, option: str) -> list[int]:
    """Parse positive whole numbers separated by commas."""
    try:
        found = [int(number) for number in listed.split(",")]
    except ValueError:
        found = [0]
    refuse(min(found) < 1, f"{option} {listed}: expected positive whole numbers separated by commas, such as 1,2,4,8")
    return found
