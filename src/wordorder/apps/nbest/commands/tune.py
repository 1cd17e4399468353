"""Tune feature weights so that they choose the best translations from n-best lists (MERT, PRO or MIRA).

Any metric can be the objective; if there are several objectives, weights are tuned for each separately. The weights
are evaluated on test lists or, by default, on the tuning lists. After several runs with different random starts,
scores are printed as means and standard deviations.

examples:
  wordorder nbest tune dev.nbest.gz --ref dev.ref --objective lr-kb4 --save weights.tsv
  wordorder nbest tune dev.nbest.gz --ref dev.ref --objective bleu lr-hb4 lr-kb4 --runs 3 \\
      --test test.nbest.gz --test-ref test.ref --metrics bleu,lr-hb4,lr-kb4,meteor --save weights.tsv
  wordorder nbest tune dev.nbest.gz --ref dev.ref --objective bleu --fix Distortion=0.1 --positive LM TM
  wordorder nbest rerank test.nbest.gz --weights weights.tsv --objective lr-kb4 -o best.txt
"""

import argparse
import math
from typing import Any

from wordorder.apps.nbest.commands.arguments import add_lists, add_scoring, read_lists, score_lists
from wordorder.cli.arguments import add_metrics, assignments
from wordorder.cli.output import add_output, print_result
from wordorder.cli.parser import JoinNames
from wordorder.core.runtime.errors import UsageError, refuse
from wordorder.core.runtime.plain import to_number

COMMON = "lists ref objective method metrics test test_ref save nbest_format tokenize lowercase format threads"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_lists(parser)
    group = parser.add_argument_group("tuning")
    add = group.add_argument
    objectives = "metric to maximise (default lr-kb4); with several metrics, weights are tuned for each separately"
    add("--objective", nargs="+", action=JoinNames, metavar="NAME", help=objectives)
    add("--runs", type=int, default=1, metavar="N", help="number of runs with different random starts (default 1)")
    add("--start", metavar="FILE", help="file with additional starting weights, such as the decoder's weights")
    add_search(group)
    add("--average-runs", action="store_true", help="use the mean weights of all runs, not the best run's weights")
    add("--save", metavar="FILE", help="write the weights to this file, with a column for each objective")
    test = parser.add_argument_group("test lists").add_argument
    test("--test", metavar="LIST", help="evaluate the weights on these lists (default: the tuning lists)")
    test("--test-ref", nargs="+", metavar="FILE", help="references for the test lists")
    add_metrics(parser, "metrics for evaluating the weights (default: the objectives)")
    add_scoring(parser)
    add_output(parser, percent=True)


def add_search(group: argparse._ArgumentGroup) -> None:
    """Add the options for the weight search."""
    add = group.add_argument
    methods = "tuning method: mert (default) or, for many features, pro or mira (neither uses restarts or directions)"
    add("--method", choices=("mert", "pro", "mira"), default="mert", help=methods)
    add("--restarts", type=int, default=100, metavar="N", help="number of random starts per run (default 100)")
    add("--directions", type=int, metavar="N", help="random directions per round (default: number of features)")
    add("--fix", nargs="+", default=[], metavar="NAME=X", help="features whose weights stay fixed at X")
    add("--positive", nargs="+", default=[], metavar="NAME", help="features whose weights must not be negative")
    add("--bound", nargs="+", default=[], metavar="NAME=LOW:HIGH", help="lower and upper bounds for weights")
    add("--range", default="-1:1", metavar="LOW:HIGH", help="range of random starting weights (default -1:1)")
    smooth = "smooth scores by the mean or minimum over N intervals on each side: average:3, minimum:3 (default none)"
    add("--smooth", default="none", metavar="KIND:N", help=smooth)
    add("--seed", type=int, default=12345, metavar="N", help="random seed (default 12345)")


def run(options: argparse.Namespace) -> None:
    """Tune the weights, save them, and print their scores."""
    from wordorder.apps.nbest import optimise, read_weights, tuning_table, write_weights
    from wordorder.report import table_document

    if bool(options.test) != bool(options.test_ref):
        raise UsageError("give --test (the test lists) and --test-ref (their references) together")
    objectives = (options.objective or "lr-kb4").split(",")
    how = search_settings(options)
    metrics = ",".join([*objectives, *([options.metrics] if options.metrics else [])])
    scored = score_lists(options, read_lists(options), metrics)
    if options.method != "mira":
        scored = scored.without_texts()
    shown, tested = options.metrics or ",".join(objectives), scored
    if options.test:  # its mistakes are reported before the long work, and nothing is written before it is read
        lists = read_lists(options, options.test)
        tested = score_lists(options, lists, shown, references=options.test_ref).without_texts()
    if options.start:
        how["start"] = read_weights(options.start)
    tuned = {name: optimise(scored, name, **how) for name in objectives}
    if options.save:
        chosen = {name: one.average() if options.average_runs else one.weights for name, one in tuned.items()}
        write_weights(options.save, chosen)
    table = tuning_table(list(tuned.values()), tested, metrics=shown.split(","), average=options.average_runs)
    document = {
        name: {"objective": str(one.objective), "runs": [{"score": r.score, "weights": r.weights} for r in one.runs]}
        for name, one in tuned.items()
    }
    print_result(options, lambda: table, lambda: {"tuned": document, "table": table_document(table)})


def search_settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of the weight search as keyword arguments for ``optimise``."""
    fixed = assignments(options.fix, "--fix", "NAME=X")
    bounds = assignments(options.bound, "--bound", "NAME=LOW:HIGH")
    names = ("method", "runs", "restarts", "directions", "positive", "smooth", "seed", "threads")
    return {name: getattr(options, name) for name in names} | {
        "fixed": {name: _number(value, f"--fix {name}") for name, value in fixed.items()},
        "bounds": {name: _span(value, f"--bound {name}") for name, value in bounds.items()},
        "ranges": _span(options.range, "--range"),
    }


def _span(text: str, option: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    given = f"{option} {text}"
    refuse(not colon, f"{given}: expected LOW:HIGH, such as 0:1")
    return _number(low, given) if low else -math.inf, _number(high, given) if high else math.inf


def _number(text: str, option: str) -> float:
    number = to_number(text)
    refuse(math.isnan(number), f"{option}: expected a number, found {text!r}")
    return number
