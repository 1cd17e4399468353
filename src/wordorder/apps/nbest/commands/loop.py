"""Tune the weights of a decoder iteratively: translate, tune on all lists so far, and translate again.

The decoder can be any command that reads the files {source} and {weights}, and writes an n-best list with features to
the file {nbest}. The shell gets these names as the environment variables WORDORDER_SOURCE, WORDORDER_WEIGHTS and
WORDORDER_NBEST, which scripts can use, too; the placeholders must not be inside quotes. All files are kept in the
folder given by --work. If the loop is interrupted, even by a crash, the same command resumes it.

examples:
  wordorder nbest loop --decoder 'wordorder smt translate de-en {source} --weights {weights} --nbest {nbest}' \\
    --start de-en/weights.tsv --source dev.de --ref dev.en --objective lr-kb4 --work tuning
  wordorder nbest loop --decoder 'moses -f moses.ini -weight-file {weights} -n-best-list {nbest} 100 < {source}' \\
    --weights-format moses --start start.tsv --source dev.de --ref dev.en --objective bleu --runs 3 --work tuning
"""

import argparse
from typing import Any

from wordorder.apps.nbest.commands.arguments import add_nbest_format, add_scoring, scoring_options
from wordorder.apps.nbest.commands.tune import add_search, search_settings
from wordorder.cli.arguments import arguments_for
from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import refuse

COMMON = "decoder start work source ref objective iterations method runs nbest_format weights_format threads"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add = parser.add_argument_group("decoder").add_argument
    about = "decoder command; {source}, {weights} and {nbest} stand for file names"
    add("--decoder", required=True, metavar="COMMAND", help=about)
    add("--start", required=True, metavar="FILE", help="initial weights, one 'feature<TAB>weight' per line")
    add("--work", required=True, metavar="FOLDER", help="folder for all files; an interrupted loop resumes from it")
    add_nbest_format(add, "format of lists (default moses)")
    weights = "format of {weights}: lines 'feature<TAB>weight' (tsv, default) or 'feature= weight weight …' (moses)"
    add("--weights-format", choices=("tsv", "moses"), default="tsv", help=weights)
    group = parser.add_argument_group("tuning")
    add = group.add_argument
    add("--objective", default="lr-kb4", metavar="METRIC", help="metric to maximise (default lr-kb4)")
    add("--iterations", type=int, default=15, metavar="N", help="maximum number of iterations (default 15)")
    add("--patience", type=int, default=3, metavar="N", help="stop if N iterations bring no improvement (default 3)")
    add("--runs", type=int, default=1, metavar="N", help="number of runs with different random starts (default 1)")
    add_search(group)
    add_scoring(parser, source="development text to translate")
    add_output(parser, percent=True)


def run(options: argparse.Namespace) -> None:
    """Tune the decoder, and print the scores of all iterations or, after several runs, of each run."""
    from wordorder.apps.nbest.loop import LoopSettings, runs_table, tune_decoder, tune_runs
    from wordorder.apps.nbest.weights import read_weights

    refuse(options.source is None, "--source is missing; give the development text to translate")
    tuning = search_settings(options)
    for name in ("runs", "seed", "restarts", "threads"):  # these are settings of the loop itself
        del tuning[name]
    files: dict[str, Any] = {"references": tuple(options.ref), "start": read_weights(options.start)}
    how = {"format": options.nbest_format, "scoring": scoring_options(options), "tuning": tuning}
    settings = LoopSettings(**arguments_for(options, LoopSettings, **files, **how))
    if options.runs == 1:
        print_result(options, tune_decoder(settings, options.work).table)
        return
    loops = tune_runs(settings, options.work, runs=options.runs)
    print_result(options, lambda: runs_table(loops))
