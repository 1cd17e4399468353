"""Arguments shared by the commands on n-best lists: how to read lists, and how to score hypotheses."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import add_settings, add_threads, assignments
from wordorder.cli.inputs import add_parser_choice, add_words, text_files, text_options
from wordorder.core.runtime.errors import mention, refuse
from wordorder.core.runtime.plain import to_number
from wordorder.scoring.options import InputOptions, ScoreOptions

if TYPE_CHECKING:
    from wordorder.apps.nbest import NBest, ScoredLists

FORMATS = ("moses", "marian", "fairseq", "lines", "jsonl")


def add_lists(parser: argparse.ArgumentParser) -> None:
    """Add the argument for the n-best list file, and the options for reading this file."""
    parser.add_argument("lists", metavar="LIST", help="file with n-best lists: FILE or FORMAT:FILE")
    add = parser.add_argument_group("list format").add_argument
    add_nbest_format(add, "moses (default; also Joshua's and Z-MERT's), marian, fairseq, lines or jsonl")
    add("--count", type=int, metavar="N", help="number of hypotheses per sentence (only with --nbest-format lines)")
    add("--scores", metavar="FILE", help="file with the scores of each hypothesis (only with --nbest-format lines)")
    add("--log-base", metavar="BASE", help="base of log scores (--nbest-format fairseq): 2 (default), e or a number")
    add("--keys", metavar="KEY=NAME,…", help="for format jsonl: key names, such as translations=samples,id=n")
    take = "number the sentences in file order, ignoring the numbers in the file"
    add("--renumber", action="store_true", help=take)


def add_nbest_format(add: Callable[..., Any], about: str) -> None:
    """Add the option ``--nbest-format`` with the help text ``about``."""
    add("--nbest-format", choices=FORMATS, default="moses", metavar="NAME", help=about)


def add_scoring(
    parser: argparse.ArgumentParser, *, source: str = "source text, needed if the list has no phrases"
) -> None:
    """Add the options for references and for scoring hypotheses; ``source`` is the help text for ``--source``."""
    compared = parser.add_argument_group("references")
    compared.add_argument("--ref", nargs="+", required=True, metavar="FILE", help="one or more reference files")
    add_settings(compared, ScoreOptions, "reference_choice")
    add_settings(compared, InputOptions, "weight")
    add_words(parser.add_argument_group("words"))
    group = parser.add_argument_group("orders")
    order = (
        "matched: order of the words that hypothesis and reference share (default); source: order of source words, "
        "through the alignments in the list and --ref-align"
    )
    changes: dict[str, Any] = {
        "order": {"choices": ("matched", "source"), "default": "matched", "help": order},
        "source": {"help": source},
        "ref_align": {"help": "source→reference alignments, in the order of --ref"},
        "align_format": {"default": "pharaoh"},
    }
    add_settings(group, InputOptions, *changes, "base", "policy", **changes)
    add_parses(parser)
    add_threads(parser.add_argument_group("speed"))


def add_parses(parser: argparse.ArgumentParser) -> None:
    """Add the options that select a grammar or parser for metrics that compare parses."""
    add_parser_choice(parser.add_argument_group("parses (for dpm and edpm)"))


def parsing_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the grammar or parser as a keyword argument, if one is given."""
    given = {name: getattr(options, name) for name in ("grammar", "parser", "spacy")}
    if not any(given.values()):
        return {}
    from wordorder.linking.parsing import Parsing

    return {"parsing": Parsing(**given)}


def read_lists(options: argparse.Namespace, path: str | None = None) -> NBest:
    """Read the n-best lists given to the command, or those in another file (``path``) of the same format."""
    from wordorder.apps.nbest import NBest

    aligned = hasattr(options, "order") and "order" in scoring_options(options)
    path = options.lists if path is None else path
    prefix, colon, rest = path.partition(":")
    format = options.nbest_format
    if colon and rest and prefix in FORMATS and not os.path.exists(path):
        format, path = prefix, rest
    needed = format == "lines" and options.count is None
    refuse(needed, "the list format 'lines' requires --count N, the number of hypotheses per sentence")
    form = "KEY=NAME,…, such as translations=samples,id=n"
    return NBest.read(
        path,
        format=format,
        alignments=aligned,
        count=options.count,
        scores=options.scores,
        log_base=None if options.log_base is None else _log_base(options.log_base),
        keys=None if options.keys is None else assignments(options.keys.split(","), "--keys", form),
    )


def score_lists(
    options: argparse.Namespace, lists: NBest, metrics: Any, *, references: list[str] | None = None
) -> ScoredLists:
    """Score every hypothesis against the files ``references`` or, by default, those given by ``--ref``."""
    texts = text_files([], options.ref if references is None else references)[1]
    return lists.score(texts, metrics, renumber=options.renumber, threads=options.threads, **scoring_options(options))


def scoring_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments for scoring hypotheses; raise UsageError if options cannot be combined."""
    found = {"reference_choice": options.reference_choice, **text_options(options), **parsing_options(options)}
    if options.order == "source":
        needs = "--order source needs --ref-align, the alignments of the source with the references"
        refuse(not options.ref_align, needs)
        found |= {name: getattr(options, name) for name in ("order", "source", "align_format", "base")}
        found |= {"policy": options.policy} if options.policy else {}
        return found | {"ref_align": list(map(Path, options.ref_align))}
    unused = ("source", "ref_align", "policy") if hasattr(options, "lists") else ("ref_align", "policy")
    for name in unused:
        refuse(getattr(options, name) is not None, f"{mention(name)} requires --order source")
    return found


def _log_base(text: str) -> float:
    base = math.e if text == "e" else to_number(text)
    refuse(not base > 1, f"--log-base {text}: expected 2, 10, e or another number above 1")
    return base
