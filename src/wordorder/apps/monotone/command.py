"""Compare word order with that of the source: are systems more literal than people?

examples:
  wordorder monotone --source src.en --hyp A.de B.de --ref refA.de refB.de
  wordorder monotone --source src.en --hyp A.de B.de --ref refA.de refB.de --docs documents.txt
  wordorder monotone --source src.en --hyp A.de --ref ref.de --train-source train.en --train-target train.de
  wordorder monotone --source src.en --hyp A.de --ref ref.de --hyp-align A.align --ref-align ref.align --tokenize none
  wordorder monotone … --given comet=comet.seg.score      shows means of other scores next to those of order
  wordorder monotone … --plot people.svg                  draws systems and the band of the references

No value is good or bad in itself; human translations show which values are normal. A system is called more literal or
freer than people only if it differs significantly from each reference.
"""

from __future__ import annotations

import argparse

from wordorder.cli.arguments import add_metrics, add_plot, add_resampling, add_settings, write_plot
from wordorder.cli.inputs import add_aligner, add_given, input_arguments, read_given, read_names
from wordorder.cli.output import add_output, chosen_style, print_result
from wordorder.core.runtime.errors import refuse
from wordorder.scoring.options import InputOptions, ScoreOptions

COMMON = (
    "source hyp ref hyp_align ref_align train_source train_target align_model metrics docs given tokenize format "
    "plot threads"
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
    add_given(what)
    add_resampling(parser)
    add_output(parser, percent=True)
    add_plot(parser)


_DOCS = "file with the document name of each segment, one per line; documents are then resampled instead of segments"


def run(options: argparse.Namespace) -> None:
    """Compare the systems with the references, and print the result."""
    from wordorder.apps.monotone import monotone

    refuse(not (options.hyp or options.hyp_align), "no translations were given; add --hyp FILE")
    refuse(options.hyp and not options.source, "word order is compared with the source; add --source FILE")
    arguments = input_arguments(options, given=None)
    systems = list(arguments["hyp"] or arguments["hyp_align"])
    found = monotone(
        **arguments,
        metrics=options.metrics,
        docs=read_names(options.docs) if options.docs else None,
        test=options.test,
        given=read_given(options.given, systems) if options.given else None,
        samples=options.samples,
        seed=options.seed,
        threads=options.threads,
    )
    write_plot(options, found.plot)
    style = chosen_style(options)
    print_result(options, lambda: found.table(style=style), found.to_dict)
