"""Score translations or word orders: corpus scores with 95 % intervals, and which differences are real."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import (
    add_link_format,
    add_output,
    add_resampling,
    files_of,
    named_files,
    print_json,
    wants_json,
)
from wordorder.cli.parses import PARSE_OPTIONS, add_parses, parse_inputs
from wordorder.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.report import Table
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
  wordorder score --source src.txt --hyp A.txt B.txt                        how monotone, without a reference
  wordorder score --source src.txt --hyp A.txt B.txt --ref ref.txt --order monotone     … beside people
  wordorder score --source src.txt --hyp A.txt B.txt --ref ref.txt --order source       through word alignments
  wordorder score --ref ref.txt --hyp A.txt B.txt --buckets buckets.txt     per amount of reordering
  wordorder score --ref ref.txt --hyp A.txt B.txt --grammar en.grammar -m edpm,bleu     dependencies, parsed here
  wordorder score --ref-parses ref.nbest --hyp-parses A.nbest B.nbest -m edpm           … or parsed before

A permutation is the judged side read left to right, each word shown by its rank in the reference order.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    text = parser.add_argument_group("text (a system may be named: NAME=FILE)")
    text.add_argument("--hyp", nargs="+", metavar="FILE", help="hypotheses, one file per system (text, .sgm, .xml)")
    text.add_argument("--ref", nargs="+", metavar="FILE", help="references, one sentence a line")
    text.add_argument(
        "--source", metavar="FILE", help="the source text, for --order source and monotone (and for lengths)"
    )
    text.add_argument(
        "--order",
        choices=("matched", "source", "monotone"),
        help="matched: the words that hypothesis and reference share (default with --ref); source: the order of the "
        "source words in both, through word alignments; monotone: each translation, and each reference, against the "
        "source itself (default with --source and no --ref)",
    )
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

    through = parser.add_argument_group("alignment with the source (--order source or monotone)")
    through.add_argument(
        "--aligner",
        metavar="NAME",
        help="model1, diagonal, hmm or eflomal (default hmm); learns from the texts themselves, in lower case",
    )
    through.add_argument(
        "--symmetrise",
        metavar="NAME",
        help="how both directions are joined (default grow-diag-final-and); see 'wordorder align -h'",
    )
    through.add_argument("--align-model", metavar="FILE", help="a model saved by 'wordorder align --save'")
    through.add_argument(
        "--train-source", metavar="FILE", help="parallel text for the aligner to learn from as well: source side"
    )
    through.add_argument("--train-target", metavar="FILE", help="… and target side")
    through.add_argument(
        "--expected",
        type=int,
        metavar="N",
        help="expected scores over N alignments sampled from link probabilities, and their spread",
    )

    orders = parser.add_argument_group("word orders instead of text, or links instead of an aligner")
    orders.add_argument("--permutations", nargs="+", metavar="FILE", help="one permutation per line, 1-based")
    orders.add_argument(
        "--hyp-align",
        "--align-file",
        nargs="+",
        metavar="FILE",
        help="source→hypothesis alignments, one per system: in the order of --hyp, or NAME=FILE; beside text they "
        "count its words as --tokenize cuts it",
    )
    orders.add_argument(
        "--ref-align", nargs="+", metavar="FILE", help="source→reference alignments, in the order of --ref"
    )
    orders.add_argument("--source-lengths", metavar="FILE", help="number of source words, one number per line")
    add_link_format(orders)
    orders.add_argument(
        "--policy",
        default="birch",
        metavar="NAME",
        help="from alignment to order: birch, talbot, attach-left, attach-right, drop (default birch)",
    )

    add_parses(parser)

    what = parser.add_argument_group("what is measured")
    what.add_argument(
        "--metrics",
        "-m",
        metavar="LIST",
        help="comma-separated; groups order, lexical, combined, monotonicity, all (default from text "
        "lr-kb4,kendall-sqrt,pef,bleu; from orders kendall-sqrt,hamming,fuzzy,pef; monotone kendall-sqrt,pef and "
        "most of monotonicity); see 'wordorder metrics'",
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
    what.add_argument(
        "--buckets",
        metavar="FILE",
        help="one bucket per line, - for none: scores per bucket (see wordorder profile --buckets)",
    )

    what.add_argument(
        "--correlate",
        action="store_true",
        help="instead of scores, the correlation of every two metrics, over documents (--docs) or segments",
    )

    compare = parser.add_argument_group("which differences are real")
    compare.add_argument(
        "--baseline",
        metavar="SYSTEM",
        help="compare with this system, not with the best one (--order monotone: the reference, if there is one)",
    )
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
    from wordorder.scoring import score

    if options.expected is not None:
        _run_expected(options)
        return
    inputs = _inputs(options)
    scores = score(
        **inputs,
        **parse_inputs(options, inputs.get("hypotheses")),
        permutations=named_files(options.permutations) if options.permutations else None,
        source_lengths=options.source_lengths,
        documents=_names(options.docs),
        buckets=_names(options.buckets),
        baseline=options.baseline,
        test=options.test,
        resample=options.resample,
        samples=0 if options.correlate else options.samples,
    )
    if options.segments:
        scores.write_segments(options.segments)
    if options.correlate:
        print_table(scores.correlation_table(), "json" if wants_json(options) else options.format)
    elif wants_json(options):
        print_json(scores.to_json())
    elif not (options.worst or options.worst_between):
        print_table(_table(scores), options.format)
    if options.worst or options.worst_between:
        _show_worst(scores, options)


def _inputs(options: argparse.Namespace) -> dict[str, Any]:
    """Gather what text needs, and what all inputs share."""
    given: dict[str, Any] = {
        "source": options.source,
        "order": options.order,
        "reference_alignments": [Path(path) for path in options.ref_align] if options.ref_align else None,
        "metrics": options.metrics,
        "policy": options.policy,
        "align_format": options.align_format,
        "base": options.base,
        "reference_choice": options.references,
        "weight": options.weight,
        "seed": options.seed,
        "threads": options.threads,
    }
    from wordorder.scoring import Aligning, Matching

    stages = tuple(options.match.split("+"))
    given["matching"] = Matching(stages, options.language, options.wordnet, options.paraphrases)
    given["lowercase"] = options.lowercase
    if not options.hyp:
        return given | {"hypothesis_alignments": named_files(options.hyp_align) if options.hyp_align else None}
    from wordorder.cli.texts import text_files, warn_unsegmented

    systems, references = text_files(options.hyp, options.ref or [])
    warn_unsegmented(references[0] if references else next(iter(systems.values())), options.tokenize)
    aligning = {
        "model": options.aligner,
        "symmetrise": options.symmetrise,
        "model_file": options.align_model,
        "train_source": options.train_source,
        "train_target": options.train_target,
    }
    return given | {
        "hypotheses": systems,
        "hypothesis_alignments": files_of(list(systems), options.hyp_align),
        "references": references,
        "tokenizer": options.tokenize,
        "aligning": Aligning(**{name: value for name, value in aligning.items() if value is not None}),
    }


def _run_expected(options: argparse.Namespace) -> None:
    from wordorder.report import print_table
    from wordorder.scoring import expected_scores

    found = expected_scores(**_inputs(options), draws=options.expected)
    if wants_json(options):
        print_json(found.to_json())
    else:
        print_table(found.table(), options.format)


def _check_inputs(options: argparse.Namespace) -> None:
    if not (options.hyp or options.permutations or options.hyp_align or options.hyp_parses):
        raise UsageError(
            "nothing to score: give --hyp with --ref or --source, or --permutations, or --hyp-align with "
            "--ref-align, or --hyp-parses with --ref-parses"
        )
    files = [options.source, options.source_lengths, options.docs, options.buckets]
    for several in (options.hyp, options.ref, options.permutations, options.hyp_align, options.ref_align):
        files += several or []
    files += (options.hyp_parses or []) + (options.ref_parses or [])
    if sum(name is not None and name.rpartition("=")[2] == "-" for name in files) > 1:
        raise UsageError("standard input (-) can be read only once")
    if options.permutations and (options.hyp or options.hyp_align or options.ref_align):
        raise UsageError("--permutations already are word orders; they go with neither text nor alignments")
    asked = [f"--{name.replace('_', '-')}" for name in PARSE_OPTIONS if getattr(options, name)]
    if asked and (options.permutations or (options.hyp_align and not options.hyp) or options.expected is not None):
        raise UsageError(f"{asked[0]} goes with text: --hyp and --ref, without --expected")
    if options.hyp_parses and not options.hyp and not options.ref_parses:
        raise UsageError("--hyp-parses needs --ref-parses, the parses to compare with")
    if options.hyp and not (options.ref or options.source):
        raise UsageError("--hyp needs --ref, the reference to compare with, or --source")
    if options.ref and not options.hyp:
        raise UsageError("--ref goes with --hyp")
    if options.hyp and options.order in ("source", "monotone") and not options.source:
        raise UsageError(f"--order {options.order} needs --source")
    if options.hyp and (options.hyp_align or options.ref_align) and _order(options) == "matched":
        raise UsageError("with text, alignments are used by --order source or --order monotone; choose one")
    if options.hyp_align and not options.hyp and not options.ref_align and options.order != "monotone":
        raise UsageError("--hyp-align needs --ref-align, the order to compare with, or --order monotone")
    if options.permutations and options.order:
        raise UsageError("--permutations already are word orders; --order is for text or alignments")
    _check_aligning(options)
    _check_unused(options)
    if (options.worst or options.worst_between) and not (options.hyp and options.ref):
        raise UsageError("--worst shows text; it needs --hyp and --ref")
    if options.correlate and (options.worst or options.worst_between or options.buckets):
        raise UsageError("--correlate is a table of its own; it goes with neither --worst nor --buckets")
    if (options.worst or options.worst_between) and wants_json(options):
        raise UsageError("--worst is for reading and does not go with --json; --segments writes every segment")
    folder = os.path.dirname(options.segments or "")
    if folder and not os.path.isdir(folder):  # better told now than after hours of scoring
        raise UsageError(f"{options.segments}: there is no folder {folder}")
    if options.worst is not None and options.worst < 1:
        raise UsageError(f"--worst must be 1 or more, not {options.worst}")


def _check_unused(options: argparse.Namespace) -> None:
    """Refuse options that would change nothing."""
    links = bool(options.hyp_align or options.ref_align)
    orders = links or (bool(options.hyp) and _order(options) != "matched")
    stages = options.match.split("+")
    for given, used, message in (
        (options.by, options.worst or options.worst_between, "--by is for --worst and --worst-between"),
        (options.paraphrases, "paraphrase" in stages, "--paraphrases is for --match with the stage 'paraphrase'"),
        (options.wordnet, "synonym" in stages, "--wordnet is for --match with the stage 'synonym'"),
        (options.policy != "birch", orders, "--policy is for alignments: --hyp-align, or --order source or monotone"),
        (options.align_format != "pharaoh", links, "--align-format is for --hyp-align and --ref-align"),
        (options.base is not None, links or options.permutations, "--base is for alignments and permutations"),
        (options.source_lengths, links and not options.hyp, "--source-lengths is for --hyp-align without text"),
    ):
        if given and not used:
            raise UsageError(message)


def _order(options: argparse.Namespace) -> str:
    """Give what text is compared by."""
    default = ("matched" if options.expected is None else "source") if options.ref else "monotone"
    return options.order or default


def _check_aligning(options: argparse.Namespace) -> None:
    if options.expected is not None:
        if not (options.hyp and options.source):
            raise UsageError("--expected samples alignments of text; it needs --hyp and --source")
        if (
            options.docs
            or options.buckets
            or options.segments
            or options.worst
            or options.worst_between
            or options.baseline
            or options.correlate
        ):
            raise UsageError("--expected gives scores and their spread; no documents, segments or comparisons")
    asked = {
        "--aligner": options.aligner,
        "--symmetrise": options.symmetrise,
        "--align-model": options.align_model,
        "--train-source": options.train_source,
        "--train-target": options.train_target,
    }
    for name, value in asked.items():
        if value is not None and (not options.hyp or _order(options) == "matched"):
            raise UsageError(f"{name} is for text and --order source or --order monotone")


def _table(scores: Scores) -> Table:
    if scores.buckets is not None:
        return scores.bucket_table()
    return scores.table() if scores.documents is None else scores.document_table()


def _names(path: str | None) -> list[str] | None:
    if path is None:
        return None
    from wordorder.formats import text

    names: list[str] = text.read(path).to_pylist()
    return names


def _show_worst(scores: Scores, options: argparse.Namespace) -> None:
    from wordorder.scoring.worst import show_worst

    print(show_worst(scores, count=options.worst or 10, by=options.by, between=options.worst_between), end="")
