"""Tune the weights of a decoder: translate, tune on all lists so far, translate again.

The decoder is any command that reads {source} and {weights} and writes the n-best list {nbest} with features.
Everything is kept in the folder --work; the same command resumes from there, even after a crash.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from wordorder.apps.nbest.commands.arguments import FORMATS, add_judging
from wordorder.apps.nbest.commands.tune import add_search, search_settings
from wordorder.cli.inputs import text_options
from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import UsageError

COMMON = "decoder start work source ref objective iterations method runs nbest_format weights_format threads"
EXAMPLES = """\
examples:
  wordorder nbest loop --decoder 'wordorder smt translate de-en {source} --weights {weights} --nbest {nbest}' \\
    --start de-en/weights.tsv --source dev.de --ref dev.en --objective lr-kb4 --work tuning
  wordorder nbest loop --decoder 'moses -f moses.ini -weight-file {weights} -n-best-list {nbest} 100 < {source}' \\
    --weights-format moses --start start.tsv --source dev.de --ref dev.en --objective bleu --runs 3 --work tuning
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    add = parser.add_argument_group("decoder").add_argument
    add("--decoder", required=True, metavar="COMMAND", help="with {source}, {weights} and {nbest} as its files")
    add("--start", required=True, metavar="FILE", help="the first weights: lines 'feature<TAB>weight'")
    add("--work", required=True, metavar="FOLDER", help="where all files are kept; a run resumes from it")
    add("--nbest-format", choices=FORMATS, default="moses", metavar="NAME", help="format of lists (default moses)")
    add(
        "--weights-format",
        choices=("tsv", "moses"),
        default="tsv",
        help="format of {weights}: lines 'feature<TAB>weight' (tsv, default) or 'feature= weight weight …' (moses)",
    )
    group = parser.add_argument_group("tuning")
    add = group.add_argument
    add("--objective", default="lr-kb4", metavar="METRIC", help="what is maximised (default lr-kb4)")
    add("--iterations", type=int, default=15, metavar="N", help="maximum number of iterations (default 15)")
    add("--patience", type=int, default=3, metavar="N", help="stop after N iterations without gain (default 3)")
    add("--runs", type=int, default=1, metavar="N", help="runs from different random starts (default 1)")
    add_search(group)
    add_judging(parser, source="the development text, which is translated")
    add_output(parser, percent=True)


def run(options: argparse.Namespace) -> None:
    """Tune the decoder, and print the iterations or the runs."""
    from wordorder.apps.nbest.loop import LoopSettings, runs_table, tune_decoder, tune_runs
    from wordorder.apps.nbest.weights import read_weights

    if options.source is None:
        raise UsageError("--source is missing: the development text, which is translated")
    tuning = search_settings(options)
    tuning.pop("runs")  # each run is a loop of its own
    settings = LoopSettings(
        decoder=options.decoder,
        source=options.source,
        references=tuple(options.ref),
        start=read_weights(options.start),
        objective=options.objective,
        seed=tuning.pop("seed"),
        restarts=tuning.pop("restarts"),
        format=options.nbest_format,
        weights_format=options.weights_format,
        scoring=_judging(options),
        tuning=tuning,
        iterations=options.iterations,
        patience=options.patience,
        threads=tuning.pop("threads"),
    )
    if options.runs == 1:
        print_result(options, tune_decoder(settings, options.work).table)
        return
    loops = tune_runs(settings, options.work, runs=options.runs)
    print_result(options, lambda: runs_table(loops))


def _judging(options: argparse.Namespace) -> dict[str, Any]:
    """Return the settings for scoring hypotheses."""
    found = {"reference_choice": options.reference_choice, **text_options(options)}
    if options.order == "source":
        if not options.ref_align:
            raise UsageError("--order source needs --ref-align: how the references are aligned with the source")
        found |= {"order": "source", "ref_align": list(map(Path, options.ref_align))}
        found |= {"source": options.source, "align_format": options.align_format, "base": options.base}
        found |= {"policy": options.policy} if options.policy else {}
    elif options.ref_align or options.policy:
        raise UsageError("--ref-align and --policy are for --order source")
    return found
