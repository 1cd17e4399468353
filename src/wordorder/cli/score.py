"""Score word orders: corpus means with 95 % bootstrap intervals, for any number of systems."""

from __future__ import annotations

import argparse

from wordorder.cli.arguments import add_output, add_resampling, named_files, print_json, wants_json
from wordorder.runtime.errors import UsageError

HELP = "score word orders of one or more systems"
EXAMPLES = """\
examples:
  wordorder score --permutations A.orders B.orders --metrics all
  wordorder score --hyp-align A=a.align B=b.align --ref-align ref.align --source src.txt
  wordorder score --hyp-align h.align --ref-align r.align --policy drop --json
  wordorder score --permutations A.orders --segments A.jsonl

A permutation is the judged side read left to right, each word shown by its rank in the reference order.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    inputs = parser.add_argument_group("input (a name may be given: NAME=FILE)")
    inputs.add_argument(
        "--permutations", nargs="+", metavar="FILE", help="word orders, one permutation per line, 1-based"
    )
    inputs.add_argument("--hyp-align", nargs="+", metavar="FILE", help="source→hypothesis alignments, one per system")
    inputs.add_argument("--ref-align", nargs="+", metavar="FILE", help="source→reference alignments")
    inputs.add_argument("--source", metavar="FILE", help="tokenised source text: gives the source lengths")
    inputs.add_argument("--source-lengths", metavar="FILE", help="number of source words, one number per line")
    inputs.add_argument("--align-format", default="pharaoh", metavar="NAME", help="format of the alignment files")
    inputs.add_argument("--base", type=int, choices=(0, 1), help="do indices count from 0 or 1 (default: per format)")
    what = parser.add_argument_group("what is measured")
    what.add_argument(
        "--metrics",
        "-m",
        metavar="LIST",
        help="metrics, comma-separated, or all (default kendall-sqrt,hamming,fuzzy,pef)",
    )
    what.add_argument(
        "--policy",
        default="birch",
        metavar="NAME",
        help="from alignment to permutation: birch, talbot, attach-left, attach-right, drop (default birch)",
    )
    what.add_argument(
        "--references",
        choices=("closest", "average"),
        default="closest",
        help="with several references: the closest one per segment, or their average (default closest)",
    )
    add_resampling(parser)
    add_output(parser)
    parser.add_argument("--segments", metavar="OUT.jsonl", help="write one JSON object per segment")


def run(options: argparse.Namespace) -> None:
    """Score and print."""
    if not options.permutations and not options.hyp_align:
        raise UsageError("nothing to score: give --permutations FILE, or --hyp-align H with --ref-align R")
    if options.permutations and (options.hyp_align or options.ref_align):
        raise UsageError("--permutations already are word orders; they do not go with --hyp-align or --ref-align")
    if options.hyp_align and not options.ref_align:
        raise UsageError("--hyp-align needs --ref-align: the order of the reference to compare with")

    from wordorder.metrics.registry import ORDER_DEFAULTS
    from wordorder.report import print_table
    from wordorder.scoring import score

    scores = score(
        permutations=named_files(options.permutations) if options.permutations else None,
        hypothesis_alignments=named_files(options.hyp_align) if options.hyp_align else None,
        reference_alignments=options.ref_align,
        source=options.source,
        source_lengths=options.source_lengths,
        metrics=options.metrics or ORDER_DEFAULTS,
        policy=options.policy,
        align_format=options.align_format,
        base=options.base,
        reference_choice=options.references,
        samples=options.samples,
        seed=options.seed,
        threads=options.threads,
    )
    if options.segments:
        scores.write_segments(options.segments)
    if wants_json(options):
        print_json(scores.to_json())
    else:
        print_table(scores.table(), options.format)
