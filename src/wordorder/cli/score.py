"""Score translations or word orders: corpus scores with 95 % intervals, and which differences are real."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import add_output, add_resampling, named_files, print_json, wants_json
from wordorder.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.scoring import Scores

HELP = "score translations or word orders of one or more systems"
EXAMPLES = """\
examples:
  wordorder score --ref ref.txt --hyp A.txt B.txt
  wordorder score --ref r1.txt r2.txt --hyp ours=A.txt theirs=B.txt --metrics lr-kb4,full,ribes,bleu
  wordorder score --ref ref.txt --hyp A.txt B.txt --baseline A --test randomisation --format latex
  wordorder score --ref ref.txt --hyp A.txt --worst 10 --by pef
  wordorder score --permutations A.orders B.orders --metrics all
  wordorder score --hyp-align A=a.align B=b.align --ref-align ref.align --source src.txt

A permutation is the judged side read left to right, each word shown by its rank in the reference order.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    text = parser.add_argument_group("text (a system may be named: NAME=FILE)")
    text.add_argument("--hyp", nargs="+", metavar="FILE", help="hypotheses, one file per system (text, .sgm, .xml)")
    text.add_argument("--ref", nargs="+", metavar="FILE", help="references, one sentence a line")
    text.add_argument(
        "--tokenize", "-tok", default="13a", metavar="NAME", help="sacreBLEU's tokenisers (default 13a)"
    )
    text.add_argument("--lowercase", "-lc", action="store_true", help="lower-case all text")
    text.add_argument(
        "--match",
        default="exact",
        metavar="STAGES",
        help="exact, stem, synonym, paraphrase joined by + (default exact)",
    )
    text.add_argument(
        "--language", default="english", metavar="NAME", help="language of the stemmer (default english)"
    )
    text.add_argument("--wordnet", metavar="FOLDER", help="WordNet database (default: where Debian puts it)")
    text.add_argument("--paraphrases", metavar="FILE", help="paraphrase table in METEOR's format")

    orders = parser.add_argument_group("word orders instead of text")
    orders.add_argument("--permutations", nargs="+", metavar="FILE", help="one permutation per line, 1-based")
    orders.add_argument("--hyp-align", nargs="+", metavar="FILE", help="source→hypothesis alignments, one per system")
    orders.add_argument("--ref-align", nargs="+", metavar="FILE", help="source→reference alignments")
    orders.add_argument("--source", metavar="FILE", help="tokenised source text: gives the source lengths")
    orders.add_argument("--source-lengths", metavar="FILE", help="number of source words, one number per line")
    orders.add_argument("--align-format", default="pharaoh", metavar="NAME", help="format of the alignment files")
    orders.add_argument("--base", type=int, choices=(0, 1), help="do indices count from 0 or 1 (default: per format)")
    orders.add_argument(
        "--policy",
        default="birch",
        metavar="NAME",
        help="from alignment to order: birch, talbot, attach-left, attach-right, drop (default birch)",
    )

    what = parser.add_argument_group("what is measured")
    what.add_argument(
        "--metrics",
        "-m",
        metavar="LIST",
        help="comma-separated; groups order, lexical, combined, all (default from text lr-kb4,kendall-sqrt,pef,bleu; "
        "from orders kendall-sqrt,hamming,fuzzy,pef); see 'wordorder metrics'",
    )
    what.add_argument(
        "--references",
        choices=("closest", "average"),
        default="closest",
        help="several references: the closest one per segment and metric, or their average (default closest)",
    )
    what.add_argument(
        "--weight",
        "-w",
        choices=("segments", "ref-length"),
        default="segments",
        help="means over segments: plain, or weighted by reference length (default segments)",
    )
    what.add_argument("--docs", metavar="FILE", help="one document id per line: scores per document")

    compare = parser.add_argument_group("which differences are real")
    compare.add_argument("--baseline", metavar="SYSTEM", help="compare with this system, not with the best one")
    compare.add_argument(
        "--test",
        choices=("bootstrap", "randomisation", "wilcoxon", "sign"),
        default="bootstrap",
        help="paired test (default bootstrap); p values are Holm-corrected per metric",
    )
    compare.add_argument(
        "--paired-bs", action="store_const", const="bootstrap", dest="test", help="as in sacreBLEU: --test bootstrap"
    )
    compare.add_argument(
        "--resample",
        choices=("segments", "documents"),
        default="segments",
        help="what is resampled (default segments)",
    )
    add_resampling(parser)

    look = parser.add_argument_group("looking at segments")
    look.add_argument("--segments", metavar="OUT.jsonl", help="write one JSON object per segment and system")
    look.add_argument("--worst", type=int, metavar="N", help="show the N worst segments of each system")
    look.add_argument("--worst-between", nargs=2, metavar=("A", "B"), help="show where two systems differ most")
    look.add_argument("--by", metavar="METRIC", help="metric for --worst and --worst-between (default: the first)")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Score and print."""
    _check_inputs(options)
    from wordorder.report import print_table
    from wordorder.scoring import Matching, score

    documents = _documents(options.docs)
    common: dict[str, Any] = {
        "metrics": options.metrics,
        "base": options.base,
        "reference_choice": options.references,
        "weight": options.weight,
        "documents": documents,
        "baseline": options.baseline,
        "test": options.test,
        "resample": options.resample,
        "samples": options.samples,
        "seed": options.seed,
        "threads": options.threads,
    }
    if options.hyp:
        from wordorder.cli.texts import text_files, warn_unsegmented

        systems, references = text_files(options.hyp, options.ref)
        warn_unsegmented(references[0], options.tokenize)
        matching = Matching(tuple(options.match.split("+")), options.language, options.wordnet, options.paraphrases)
        scores = score(
            systems,
            references,
            tokenizer=options.tokenize,
            lowercase=options.lowercase,
            matching=matching,
            **common,
        )
    elif options.permutations:
        scores = score(permutations=named_files(options.permutations), **common)
    else:
        scores = score(
            hypothesis_alignments=named_files(options.hyp_align),
            reference_alignments=[Path(path) for path in options.ref_align],
            source=options.source,
            source_lengths=options.source_lengths,
            policy=options.policy,
            align_format=options.align_format,
            **common,
        )
    if options.segments:
        scores.write_segments(options.segments)
    if wants_json(options):
        print_json(scores.to_json())
    elif not (options.worst or options.worst_between):
        print_table(scores.document_table() if documents else scores.table(), options.format)
    if options.worst or options.worst_between:
        _show_worst(scores, options)


def _check_inputs(options: argparse.Namespace) -> None:
    given = [name for name in ("hyp", "permutations", "hyp_align") if getattr(options, name)]
    if not given:
        raise UsageError(
            "nothing to score: give --hyp with --ref, or --permutations, or --hyp-align with --ref-align"
        )
    if len(given) > 1:
        raise UsageError(f"--{given[0].replace('_', '-')} and --{given[1].replace('_', '-')} do not go together")
    if options.hyp and not options.ref:
        raise UsageError("--hyp needs --ref: the reference to compare with")
    if options.ref and not options.hyp:
        raise UsageError("--ref goes with --hyp")
    if options.hyp_align and not options.ref_align:
        raise UsageError("--hyp-align needs --ref-align: the order of the reference to compare with")
    if options.permutations and options.ref_align:
        raise UsageError("--permutations already are word orders; they do not go with --ref-align")
    if (options.worst or options.worst_between) and not options.hyp:
        raise UsageError("--worst shows text; it needs --hyp and --ref")
    if (options.worst or options.worst_between) and wants_json(options):
        raise UsageError("--worst is for reading and does not go with --json; --segments writes every segment")
    folder = os.path.dirname(options.segments or "")
    if folder and not os.path.isdir(folder):  # better told now than after hours of scoring
        raise UsageError(f"{options.segments}: there is no folder {folder}")
    if options.worst is not None and options.worst < 1:
        raise UsageError(f"--worst must be 1 or more, not {options.worst}")


def _documents(path: str | None) -> list[str] | None:
    if path is None:
        return None
    from wordorder.formats import text

    ids: list[str] = text.read(path).to_pylist()
    return ids


def _show_worst(scores: Scores, options: argparse.Namespace) -> None:
    from wordorder.scoring.worst import show_worst

    print(show_worst(scores, count=options.worst or 10, by=options.by, between=options.worst_between), end="")
