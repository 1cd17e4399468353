"""Parses as the command line takes them: files of them, or something to parse the text with."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wordorder.cli.arguments import files_of
from wordorder.runtime.errors import UsageError

PARSE_OPTIONS = ("grammar", "spacy", "hyp_parses", "ref_parses")


def add_parser_choice(group: argparse._ArgumentGroup) -> None:
    """Add what text is parsed with."""
    group.add_argument("--grammar", metavar="FILE", help="parse the text with a grammar ('wordorder parse train')")
    group.add_argument("--spacy", metavar="MODEL", help="parse it with this spaCy pipeline")


def add_parses(parser: argparse.ArgumentParser) -> None:
    """Add where parses come from."""
    group = parser.add_argument_group("parses (for dpm and edpm): made from the text, or given")
    add_parser_choice(group)
    group.add_argument("--no-cache", action="store_true", help="keep no parses on disk")
    group.add_argument(
        "--hyp-parses",
        nargs="+",
        metavar="FILE",
        help="parses of the hypotheses, one file per system: in the order of --hyp, or NAME=FILE; without --hyp "
        "their words are the text",
    )
    group.add_argument("--ref-parses", nargs="+", metavar="FILE", help="parses of the references, in their order")
    group.add_argument(
        "--parse-format", metavar="NAME", help="nbest, brackets or conllu (default: seen from the file)"
    )
    group.add_argument(
        "--log-base", metavar="BASE", help="base of the logarithms in n-best lists: 2 (default), e or a number"
    )


def parse_inputs(options: argparse.Namespace, systems: Mapping[str, Any] | None) -> dict[str, Any]:
    """Gather the files of parses, named as the systems are, and what to parse with."""
    from wordorder.scoring import Parsing

    settings: dict[str, Any] = {"format": options.parse_format, "cached": not options.no_cache}
    if options.log_base is not None:
        settings["base"] = _log_base(options.log_base)
    return {
        "hypothesis_parses": files_of(list(systems or ()), options.hyp_parses),
        "reference_parses": [Path(path) for path in options.ref_parses] if options.ref_parses else None,
        "parsing": Parsing(options.grammar, options.spacy, **settings),
    }


def _log_base(text: str) -> float:
    try:
        return math.e if text == "e" else float(text)
    except ValueError:
        raise UsageError(f"--log-base {text}: expected 2, 10, e or another number") from None
