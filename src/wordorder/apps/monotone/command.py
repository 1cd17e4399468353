"""Compare word order with that of the source: are systems more literal than people, and how much do they guess?

examples:
  wordorder monotone --source src.en --hyp A.de B.de --ref refA.de refB.de
  wordorder monotone --source src.en --hyp A.de B.de --ref refA.de refB.de --docs documents.txt
  wordorder monotone --source src.en --hyp A.de --ref ref.de --train-source train.en --train-target train.de
  wordorder monotone --source src.en --hyp A.de --ref ref.de --hyp-align A.align --ref-align ref.align --tokenize none

how much must a simultaneous translator guess, and what does word order cost?
  wordorder monotone --source src.en --hyp usual.zh monotone.zh --tokenize zh --wait-k 1 3 5 9
  wordorder monotone --delays wait3=a/instances.log wait5=b/instances.log
  wordorder monotone --delays ours=instances.resegmented.jsonl --given comet=scores.jsonl:comet --plot curve.svg
  wordorder monotone --delays ours=simulstream.jsonl --cut segments.yaml --ref ref.de

did sentences of paragraphs or documents (one per line) swap, merge or exchange words?
  wordorder monotone --source src.en --hyp A.de B.de --ref refA.de refB.de --sentences
  wordorder monotone --source docs.jsonl:source --hyp A=out.jsonl:text --docs docs.jsonl:doc_id --sentences

No value is good or bad in itself; human translations show which values are normal. A system is called more literal or
freer than people only if it differs significantly from each reference.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import (
    add_metrics,
    add_plot,
    add_resampling,
    add_settings,
    files_of,
    named_files,
    write_plot,
)
from wordorder.cli.inputs import add_aligner, input_arguments, read_given, read_names
from wordorder.cli.output import add_output, chosen_style, print_result
from wordorder.core.runtime.errors import refuse
from wordorder.scoring.options import InputOptions, ScoreOptions

if TYPE_CHECKING:
    from wordorder.apps.monotone import Literalness, Waiting

COMMON = (
    "source hyp ref hyp_align ref_align train_source train_target align_model metrics docs given tokenize wait_k "
    "delays sentences format plot threads"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    text = parser.add_argument_group("text (to name a system, write NAME=FILE)")
    text.add_argument("--source", metavar="FILE", help="the source text, one segment per line")
    text.add_argument("--hyp", nargs="+", metavar="FILE", help="translations, one file per system")
    text.add_argument("--ref", nargs="+", metavar="FILE", help="human translations")
    add_settings(text, InputOptions, "tokenize", "lowercase", "join_subwords")
    links = parser.add_argument_group("alignment with the source")
    add_aligner(links)
    add_settings(links, InputOptions, "hyp_align", "ref_align", "align_format", "base", "source_lengths", "policy")
    what = parser.add_argument_group("what is measured")
    usual = "metrics against the source; the first decides on the verdict (default: kendall-sqrt and five others)"
    add_metrics(what, usual)
    add_settings(what, ScoreOptions, "docs", "test", docs={"help": _DOCS})
    about = "segment scores of another metric, whose means are shown, too (files as for 'wordorder score')"
    add_settings(what, InputOptions, "given", given={"help": about})
    add = parser.add_argument_group("paragraphs and documents, one per line").add_argument
    add("--sentences", action="store_true", help="measure order within and across sentences (<p> separates them, too)")
    add = parser.add_argument_group("simultaneous translation").add_argument
    add("--wait-k", nargs="+", type=int, metavar="K", help="simulate wait-k translators who write the given texts")
    logs = "logs of systems (SimulEval, OmniSTEval, simulstream) instead of --hyp: latency, and order if they have text"
    add("--delays", nargs="+", metavar="LOG", help=logs)
    cut = (
        "with --delays: segments of recordings (YAML or JSON), into which outputs are cut; with --sentences, without "
        "FILE: cut outputs where the lines of the first --ref end (needs the extra 'longform')"
    )
    add("--cut", nargs="?", const=True, metavar="FILE", help=cut)
    add("--characters", action="store_true", help="the logs count delays in characters, not in words")
    add_resampling(parser)
    add_output(parser, percent=True)
    add_plot(parser)


_DOCS = "file with the document name of each segment, one per line; documents are then resampled instead of segments"


def run(options: argparse.Namespace) -> None:
    """Run the analysis that the options select, and print its result."""
    _check(options)
    found = _measure_logs(options) if options.delays else _compare(options)
    write_plot(options, found.plot)
    style = chosen_style(options)
    print_result(options, lambda: found.table(style=style), found.to_dict)


def _check(options: argparse.Namespace) -> None:
    """Raise an error for options that cannot be combined, before anything is aligned."""
    refuse(options.delays and (options.hyp or options.source), "logs contain texts; leave out --hyp and --source")
    refuse(options.delays and options.wait_k, "--delays and --wait-k cannot be combined; leave out one of them")
    other = "--delays" if options.delays else "--wait-k"
    refuse(options.sentences and (options.delays or options.wait_k), f"--sentences cannot be combined with {other}")
    refuse(options.cut and not (options.delays or options.sentences), "--cut needs --delays LOG or --sentences")
    refuse(options.characters and not options.delays, "--characters needs --delays LOG")
    refuse(options.cut and not options.ref, "--cut needs a reference with one line per segment; add --ref FILE")
    refuse(options.cut is True and options.delays, "--cut needs the segments of the recordings: --cut FILE")
    refuse(options.sentences and options.metrics, "--sentences has its own measures; leave out --metrics")
    if options.delays:
        refuse(len(options.ref or []) > 1, "--delays allows only one reference (its lengths are used)")
        return
    refuse(not (options.hyp or options.hyp_align), "no translations were given; add --hyp FILE")
    refuse(not options.source and not options.hyp_align, "word order is compared with the source; add --source FILE")
    refuse(options.wait_k and options.given, "external scores are the same for every k; leave out --given")


def _resampling(options: argparse.Namespace) -> dict[str, Any]:
    return {"samples": options.samples, "seed": options.seed, "threads": options.threads}


def _compare(options: argparse.Namespace) -> Literalness | Waiting:
    """Compare systems with people, or simulate wait-k translators."""
    from wordorder.apps.monotone import compare_paragraphs, monotone, simulate_waiting

    arguments = input_arguments(options, given=None)
    if options.wait_k:
        return simulate_waiting(**arguments, wait_k=options.wait_k, **_resampling(options))
    docs = read_names(options.docs) if options.docs else None
    if options.sentences:
        refuse(not arguments["hyp"], "--sentences needs the texts; add --hyp FILE")
        return compare_paragraphs(**arguments, docs=docs, cut=bool(options.cut), **_resampling(options))
    systems = list(arguments["hyp"] or arguments["hyp_align"])
    return monotone(
        **arguments,
        metrics=options.metrics,
        docs=docs,
        test=options.test,
        given=read_given(options.given, systems) if options.given else None,
        **_resampling(options),
    )


def _measure_logs(options: argparse.Namespace) -> Waiting:
    from wordorder.apps.monotone import measure_logs

    logs = named_files(options.delays)
    arguments = input_arguments(options, hyp=None, ref=None, hyp_align=None, ref_align=None, given=None)
    for name in ("hyp", "ref", "tokenize"):
        arguments.pop(name, None)
    if options.hyp_align:
        arguments["hyp_align"] = files_of(logs, options.hyp_align)
    return measure_logs(
        logs,
        options.ref[0] if options.ref else None,
        segments=options.cut,
        characters=options.characters,
        given=read_given(options.given, list(logs)) if options.given else None,
        **arguments,
        **_resampling(options),
    )
