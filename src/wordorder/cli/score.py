"""Score translations or word orders, with 95% confidence intervals and significance tests.

examples:
  wordorder score --ref ref.txt --hyp A.txt B.txt
  wordorder score --ref r1.txt r2.txt --hyp ours=A.txt theirs=B.txt --metrics lr-kb4,full,ribes,bleu
  wordorder score --ref ref.txt --hyp A.txt B.txt --baseline A --test randomisation --format latex
  wordorder score --ref ref.txt --hyp A.txt --worst 10 --by pef
  wordorder score --ref ref.txt --hyp A.txt B.txt --plot scores.svg         a chart of the table
  wordorder score --ref ref.txt --hyp A.txt B.txt --plot both.html --plot-as segments       … of two systems' segments
  wordorder score --ref ref.txt --hyp A.txt B.txt --html report.html        look at segments in a browser
  wordorder score --ref references/en-de.refA.txt --hyp system-outputs/en-de/*.txt -m pef,full \\
      --mtme-scores metric-scores/en-de                                     files for a metrics task
  wordorder score --ref ref.txt --hyp A.txt B.txt --given comet=COMET.seg.score         scores of another metric
  wordorder score --ref ref.txt --hyp A.txt B.txt --given comet=COMET.seg.score -m full:lexical=given:comet
  wordorder score --permutations A.orders B.orders --metrics all
  wordorder score --hyp-align A=a.align B=b.align --ref-align ref.align --source src.txt
  wordorder score --source src.txt --hyp A.txt B.txt                        how monotone, without a reference
  wordorder score --source src.txt --hyp A.txt B.txt --ref ref.txt --order monotone     … compared with the reference
  wordorder score --source src.txt --hyp A.txt B.txt --ref ref.txt --order source       through word alignments
  wordorder score --source src.txt --hyp A.txt B.txt --ref ref.txt --expected 50        … mean over 50 alignments
  wordorder score --ref ref.txt --hyp A.txt B.txt --buckets buckets.txt     per amount of reordering
  wordorder score --ref ref.txt --runs --hyp ours=a1 ours=a2 base=b1 base=b2            several runs of each system
  wordorder score --ref ref.txt --hyp dl0=a dl3=b dl6=c --versus previous --test wilcoxon
  wordorder score --ref ref.txt --hyp A.txt B.txt --grammar en.grammar -m edpm,bleu     dependencies, parsed here
  wordorder score --ref-parses ref.nbest --hyp-parses A.nbest B.nbest -m edpm           … or parsed earlier

A permutation lists the reference rank of each hypothesis word, from left to right.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import stat
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import add_metrics, add_plot, add_resampling, add_settings, resampling, write_plot
from wordorder.cli.inputs import (
    add_aligning,
    add_given,
    add_order,
    add_parses,
    add_words,
    inputs_from,
    name_given,
    read_names,
)
from wordorder.cli.output import add_html, add_output, check_html, chosen_style, for_people, print_result, write_html
from wordorder.core.runtime.errors import GateError, UsageError, count_of, refuse
from wordorder.report.table import printable_lines, split_shared
from wordorder.scoring.options import InputOptions, ScoreOptions

if TYPE_CHECKING:
    from wordorder.report import Table
    from wordorder.scoring.inputs import Inputs
    from wordorder.scoring.scores import Scores

COMMON = (
    "hyp ref source permutations metrics baseline test docs worst html lowercase tokenize match format result_file "
    "threads"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    text = parser.add_argument_group("text (to name a system, write NAME=FILE)")
    text.add_argument("given_ref", nargs="*", metavar="REF", help="reference, the same as --ref REF (as in sacreBLEU)")
    several = "hypotheses, one file per system (text, .sgm, .xml; default: a pipe or file on standard input)"
    text.add_argument("--hyp", nargs="+", metavar="FILE", help=several)
    text.add_argument("--ref", nargs="+", metavar="FILE", help="references, one sentence per line")
    add_order(text)
    add_words(text)

    orders = parser.add_argument_group("word orders instead of text")
    add_settings(orders, InputOptions, "permutations", "source_lengths")
    add_aligning(parser)
    add_parses(parser)

    what = parser.add_argument_group("what is measured")
    add_metrics(
        what,
        "metric names, or the groups order, lexical, combined, monotonicity or all (default for text: "
        "kendall-sqrt,pef,bleu; for orders: kendall-sqrt,hamming,fuzzy,pef; for --order monotone: "
        "kendall-sqrt,pef and most of monotonicity); see 'wordorder metrics'",
    )
    add_given(what)
    add_settings(what, ScoreOptions, "reference_choice")
    add_settings(what, InputOptions, "weight")
    add_settings(what, ScoreOptions, "docs", "buckets")
    add_gates(parser.add_argument_group("gates for tests (exit code 3 if a system fails)").add_argument)
    correlation = "instead of scores, print the correlation of each metric pair over documents (--docs) or segments"
    what.add_argument("--correlate", action="store_true", help=correlation)

    tests = parser.add_argument_group("significance of differences")
    add_settings(tests, ScoreOptions, "baseline", "test", test={"kind": lambda s: s.replace("randomiz", "randomis")})
    for name, test in (("--paired-bs", "bootstrap"), ("--paired-ar", "randomisation")):
        same = f"the same as --test {test} (as in sacreBLEU)"
        tests.add_argument(name, action="store_const", const=test, dest="test", help=same)
    from wordorder.core.statistics import Resampling

    add_settings(tests, Resampling, "resample", resample={"choices": ("segments", "documents")})
    pairs = (
        "test each system against the previous one (previous), or test pairs: A=B,C=D (A against B, C against D); "
        "stars mark p < .05, .01 and .001; with --source and --ref, also compare the amount of reordering"
    )
    tests.add_argument("--versus", metavar="PAIRS", help=pairs)
    runs = (
        "compare systems over several optimiser runs, which share a name (ours=a1 ours=a2): mean, s_sel, s_opt, and "
        "p-values from shuffling runs within segments"
    )
    tests.add_argument("--runs", action="store_true", help=runs)
    add_resampling(parser)

    add = parser.add_argument_group("looking at segments").add_argument
    add("--segments", metavar="OUT.jsonl", help="write one JSON object per segment and system")
    files = "write segment and system scores in the format of mt-metrics-eval: NAME-REF.seg.score and .sys.score"
    add("--mtme-scores", metavar="FOLDER", help=files)
    instead = "the value that --mtme-scores writes for undefined scores (default 0)"
    add("--undefined", type=float, metavar="VALUE", help=instead)
    add("--segment-text", action="store_true", help="with --segments, also write the text of the segments")
    add("--worst", type=int, metavar="N", help="below the table, show the N worst segments of each system")
    add("--worst-of", nargs="+", metavar="SYSTEM", help="with --worst, or alone, only of these systems")
    add("--worst-between", nargs=2, metavar=("A", "B"), help="also show the segments where two systems differ most")
    by = (
        "metric for --worst and --worst-between (default: the first of the order metrics); the loss of a segment is "
        "multiplied by its number of ordered words"
    )
    add("--by", metavar="METRIC", help=by)
    add_html(parser)
    add_output(parser, percent=True)
    by = "sort the table by this metric, by name, or as given (default: the first metric)"
    add("--sort", metavar="METRIC", help=by)
    more = "also print parts of metrics, undefined segments, words, and the p-values of all pairs of systems"
    add("--verbose", action="store_true", dest="details", help=more)
    add_plot(parser, kinds=("scores", "histogram", "segments"))


def add_gates(add: Callable[..., Any]) -> None:
    """Add the options that let the command fail."""
    under = "fail if a system scores less than VALUE under METRIC (from 0 to 1; with --percent, from 0 to 100)"
    add("--fail-under", nargs="+", metavar="METRIC=VALUE", help=under)
    worse = "fail if a system is significantly worse than --baseline under any of the metrics"
    add("--fail-if-worse", action="store_true", help=worse)


def run(options: argparse.Namespace) -> GateError | None:
    """Score the systems and print the result; return an error if a system fails a gate."""
    _complete(options)
    check_html(options)
    name_given(options)
    if options.runs or options.versus:
        from wordorder.cli.score_runs import run_runs, run_versus

        (run_runs if options.runs else run_versus)(options)
        return None
    scores = score_options(options, inputs_from(options), baseline=options.baseline)
    from wordorder.scoring import tables

    failed = _failures(options, scores) if options.fail_under or options.fail_if_worse else []

    # if resampled, documents only affect the intervals of total scores
    by_document = options.docs and options.resample != "documents"
    group = "bucket" if options.buckets else "document" if by_document else None
    shown = "correlation" if options.correlate else "segments" if options.worst_between else f"{group or 'score'}s"
    write_plot(options, lambda: scores.plot(options.plot_as or shown, metric=options.by, systems=options.worst_between))
    if options.segments:
        tables.write_segments(scores, options.segments, text=options.segment_text)
    if options.mtme_scores:
        _write_submission(options, scores)
    if options.html:
        from wordorder.show.explorer import scores_page

        write_html(options, scores_page(scores, source=options.source, command=options.command))
    chosen = {"by": options.by, "of": options.worst_of, "between": options.worst_between}
    worst = scores.worst(options.worst, **chosen) if options.worst else []
    if options.correlate:
        print_result(options, lambda: tables.correlation_table(scores))
        return None
    examples = {"worst": [example.to_dict() for example in worst]} if options.worst else {}
    print_result(options, partial(_tables, options, scores, group), lambda: scores.to_dict() | examples)
    if options.worst and for_people(options):
        title, what = "The worst segments", "loss"
        if options.worst_between:
            title, what = "Where the systems differ most", "difference"
        heading = [f"{title} by {worst[0].label} ({what} times number of ordered words):\n"] if worst else []
        print("", *heading, printable_lines(str(worst)), sep="\n")
    return GateError("; ".join(failed)) if failed else None


def _failures(options: argparse.Namespace, scores: Scores) -> list[str]:
    """Return why systems fail the gates of the options; a system that cannot be tested fails, too."""
    failed = [f"{system} cannot be judged: {reason}" for system, reason in scores.unranked.items()]
    for item in options.fail_under or ():
        name, _, limit = item.rpartition("=")
        try:
            least = float(limit) / (100 if options.percent else 1)
        except ValueError:
            least = math.nan
        if math.isnan(least):
            raise UsageError(f"--fail-under {item}: expected METRIC=VALUE, such as pef=0.9")
        for system, value in zip(scores.systems, scores.values[:, scores.metric_place(name)].tolist(), strict=True):
            if not value >= least:
                below = "undefined" if math.isnan(value) else f"{value:.4g}, below {least:.4g}"
                hint = " (without --percent, scores run from 0 to 1)" if least > 1 >= value else ""
                failed.append(f"{system}: {name} is {below}{hint}")
    if options.fail_if_worse:
        worse: dict[str, list[str]] = {}
        for found in scores.comparisons:
            if not found.decidable:
                failed.append(f"too few segments or samples to test {found.a} against {found.b} by {found.metric}")
            sign = -1 if scores.metrics[scores.metric_place(found.metric)].higher_is_better is False else 1
            if found.significant and sign * found.difference < 0:
                worse.setdefault(found.a, []).append(found.metric)
        short = dict(zip(scores.systems, split_shared(scores.systems)[1], strict=True))
        named = ", ".join(f"{short[a]} ({', '.join(by)})" for a, by in worse.items())
        failed += [f"significantly worse than {options.baseline}: {named}"] * bool(worse)
    return failed


def _tables(options: argparse.Namespace, scores: Scores, group: str | None) -> Table | dict[str, Table]:
    """Return what the command prints as a table: a summary for people, and everything for programs and papers."""
    from wordorder.scoring import tables

    style = chosen_style(options)
    if group:
        return tables.groups_table(scores, group, style=style)
    if not for_people(options):
        return tables.scores_table(scores, sort=options.sort, style=style)
    if options.details:
        scored = tables.scores_table(scores, sort=options.sort, style=style, short=True)
        return {"scores": scored, **tables.p_tables(scores)}
    summary = tables.summary_table(scores, sort=options.sort, style=style)
    if options.caption:
        options.caption += f" ({summary.title})"
    return summary


def _write_submission(options: argparse.Namespace, scores: Scores) -> None:
    from wordorder.scoring.submission import write_submission

    value = 0.0 if options.undefined is None else options.undefined
    lost = write_submission(scores, options.mtme_scores, references=options.ref or (), undefined=value)
    for name, count in lost.items():
        if count:
            written = f"{name}: {count_of(count, 'undefined segment score')} written as {value:g}"
            print(f"wordorder: note: {written}", file=sys.stderr)


def score_options(options: argparse.Namespace, inputs: Inputs, **changed: Any) -> Scores:
    """Score the inputs as the options specify; ``changed`` arguments for ``score`` replace options."""
    from wordorder.scoring.score import score

    settings = {
        "metrics": options.metrics,
        "reference_choice": options.reference_choice,
        "docs": read_names(options.docs) if options.docs else None,
        "buckets": read_names(options.buckets) if options.buckets else None,
        "test": options.test,
        "resampling": resampling(options, **{"samples": 0} if options.correlate else {}),
        "count_chunks": bool(options.segments),
    }
    return score(inputs, **(settings | changed))


def _complete(options: argparse.Namespace) -> None:
    """Complete the options, and raise an error if they cannot be combined, before anything is scored.

    As with sacreBLEU, a file without an option is the reference, and standard input, if it is a pipe or a file, is
    the hypothesis.
    """
    refuse(options.given_ref and options.ref, f"unexpected argument {(options.given_ref or ['?'])[0]!r} besides --ref")
    options.ref = options.ref or options.given_ref or None
    others = (options.hyp, options.permutations, options.hyp_align, options.hyp_parses)
    if (options.ref or options.source) and not any(others) and "-" not in (*(options.ref or ()), options.source):
        with contextlib.suppress(OSError, ValueError):
            mode = os.fstat(sys.stdin.fileno()).st_mode
            options.hyp = ["hypothesis=-"] if stat.S_ISFIFO(mode) or stat.S_ISREG(mode) else None
    if options.worst is None and (options.worst_of or options.worst_between):
        options.worst = 10
    folder = os.path.dirname(options.segments or "")
    gates = options.fail_under or options.fail_if_worse
    other = options.runs or options.versus or options.correlate
    refuse(gates and other, "--fail-under and --fail-if-worse apply to tables of scores only")
    refuse(options.fail_if_worse and not options.baseline, "--fail-if-worse requires --baseline")
    refuse(options.by and options.worst is None, "--by requires --worst, --worst-of or --worst-between")
    refuse(options.worst_of and options.worst_between, "--worst-of cannot be combined with --worst-between")
    refuse(options.worst is not None and options.worst < 1, f"--worst must be 1 or more, not {options.worst}")
    refuse(len(set(options.worst_between or "AB")) < 2, "--worst-between requires two different systems")
    refuse(options.segment_text and not options.segments, "--segment-text requires --segments")
    refuse(options.undefined is not None and not options.mtme_scores, "--undefined requires --mtme-scores")
    if options.worst and not for_people(options) and options.format != "json":
        raise UsageError(f"--worst cannot be used with --format {options.format}; use --segments to get all segments")
    if options.correlate and (options.worst or options.buckets):
        raise UsageError("--correlate prints a different table, so it cannot be combined with --worst or --buckets")
    refuse(folder and not os.path.isdir(folder), f"{options.segments}: there is no folder {folder}")
    if str(options.segments).endswith((".parquet", ".tsv", ".csv")):
        raise UsageError(f"{options.segments}: segments are written as JSON Lines, so use the suffix .jsonl")
    if options.expected is not None and options.expected < 2:
        raise UsageError(f"--expected (the number of sampled alignments) must be 2 or more, not {options.expected}")
