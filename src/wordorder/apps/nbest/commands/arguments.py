"""Arguments that the commands for n-best lists share: how lists are read and scored."""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import add_settings, add_threads
from wordorder.cli.inputs import add_words, text_files, text_options
from wordorder.core.runtime.errors import UsageError
from wordorder.scoring.options import InputOptions, ScoreOptions

if TYPE_CHECKING:
    from wordorder.apps.nbest import NBest, ScoredLists

FORMATS = ("moses", "marian", "fairseq", "lines", "jsonl")


def add_lists(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for reading lists."""
    parser.add_argument("lists", metavar="LIST", help="an n-best list, FILE or FORMAT:FILE")
    add = parser.add_argument_group("how lists are read").add_argument
    dialects = "moses (default; also Joshua's and Z-MERT's), marian, fairseq, lines or jsonl"
    add("--nbest-format", choices=FORMATS, default="moses", metavar="NAME", help=dialects)
    add("--count", type=int, metavar="N", help="lines: number of hypotheses per sentence")
    add("--scores", metavar="FILE", help="lines: a file with the scores of each line")
    add("--log-base", metavar="BASE", help="fairseq: base of the logarithms, 2 (default), e or a number")
    add("--keys", metavar="KEY=NAME,…", help="jsonl: names of keys, such as translations=samples,id=n")
    take = "take the lists in file order, ignoring their sentence numbers"
    add("--renumber", action="store_true", help=take)


def add_judging(
    parser: argparse.ArgumentParser,
    *,
    required: bool = True,
    source: str = "the source text, where the list has no phrases",
) -> None:
    """Add the arguments for scoring hypotheses; ``source`` is the help text for the source."""
    judged = parser.add_argument_group("what hypotheses are compared with")
    judged.add_argument("--ref", nargs="+", required=required, metavar="FILE", help="one or more references")
    add_settings(judged, ScoreOptions, "reference_choice")
    add_settings(judged, InputOptions, "weight")
    add_words(parser.add_argument_group("words"))
    through = parser.add_argument_group("orders")
    through.add_argument(
        "--order",
        choices=("matched", "source"),
        default="matched",
        help="matched: words that hypothesis and reference share (default); source: the order of the source words, "
        "through the alignments in the list and --ref-align",
    )
    through.add_argument("--source", metavar="FILE", help=source)
    through.add_argument("--ref-align", nargs="+", metavar="FILE", help="source→reference alignments, as --ref")
    add_settings(through, InputOptions, "align_format", "base", "policy", align_format={"default": "pharaoh"})
    add_threads(parser.add_argument_group("speed"))


def read_lists(options: argparse.Namespace, path: str | None = None) -> NBest:
    """Read the lists of the command, or other lists with the same options."""
    from wordorder.apps.nbest import NBest

    aligned = hasattr(options, "order") and _through_source(options)
    path = options.lists if path is None else path
    prefix, colon, rest = path.partition(":")
    format = options.nbest_format
    if colon and rest and prefix in FORMATS and not os.path.exists(path):
        format, path = prefix, rest
    given: dict[str, Any] = {
        "count": options.count,
        "scores": options.scores,
        "log_base": _log_base(options.log_base),
        "keys": _keys(options.keys),
    }
    if format == "lines" and options.count is None:
        raise UsageError("lists of plain lines need --count: the number of hypotheses per sentence")
    return NBest.read(path, format=format, alignments=aligned, **given)


def judge_lists(
    options: argparse.Namespace, lists: NBest, metrics: Any, *, references: list[str] | None = None
) -> ScoredLists:
    """Score all hypotheses with the given options."""
    given = options.ref if references is None else references
    through: dict[str, Any] = {}
    if options.order == "source":
        aligned = [Path(file) for file in options.ref_align]
        through = {"ref_align": aligned, "source": options.source, "order": "source"}
        through |= {"align_format": options.align_format, "base": options.base}
        through |= {"policy": options.policy} if options.policy else {}
    return lists.score(
        text_files([], given)[1],
        metrics,
        reference_choice=options.reference_choice,
        renumber=options.renumber,
        threads=options.threads,
        **through,
        **text_options(options),
    )


def _through_source(options: argparse.Namespace) -> bool:
    """Return whether orders come from alignments; refuse options that do not fit."""
    if options.order == "source":
        if not options.ref_align:
            raise UsageError("--order source needs --ref-align: how the references are aligned with the source")
        return True
    for name in ("source", "ref_align", "policy"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name.replace('_', '-')} is for --order source")
    return False


def _log_base(written: str | None) -> float | None:
    if written is None:
        return None
    try:
        base = math.e if written == "e" else float(written)
    except ValueError:
        base = math.nan
    if not base > 1:
        raise UsageError(f"--log-base {written}: expected 2, 10, e or another number above 1")
    return base


def _keys(written: str | None) -> dict[str, str] | None:
    if written is None:
        return None
    pairs = [pair.partition("=") for pair in written.split(",")]
    if any(not key or not equals or not name for key, equals, name in pairs):
        raise UsageError(f"--keys {written}: expected KEY=NAME,…, such as translations=samples,id=n")
    return {key: name for key, _, name in pairs}
