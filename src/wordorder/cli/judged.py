"""Arguments that name texts and judgements, shared by the commands that compare metrics with people."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from wordorder.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.formats.judgements import Comparisons, Ratings
    from wordorder.metaevaluation import JudgedSet
    from wordorder.runtime.cache import Cache


def add_judged(parser: argparse.ArgumentParser) -> None:
    """Add what names a judged set, and how its texts are scored."""
    data = parser.add_argument_group("texts and judgements")
    data.add_argument("--judgements", metavar="FILE", help="what people said (WMT rankings by default; see --form)")
    data.add_argument("--pair", metavar="xx-yy", help="the language pair to take from the file")
    data.add_argument("--ref", nargs="+", metavar="FILE", help="references")
    data.add_argument(
        "--hyp", nargs="+", metavar="FILE", help="outputs of the judged systems (NAME=FILE to name one)"
    )
    data.add_argument(
        "--set",
        nargs="+",
        action="append",
        metavar="PART",
        help="one of several sets: xx-yy JUDGEMENTS REF HYP HYP …; repeat for more language pairs",
    )
    data.add_argument("--docs", metavar="FILE", help="document of every segment, one a line (one set only)")

    text = parser.add_argument_group("how texts are scored")
    text.add_argument("--tokenize", "-tok", default="13a", metavar="NAME", help="tokeniser (default 13a)")
    text.add_argument("--lowercase", "-lc", action="store_true", help="lower-case all text")
    text.add_argument(
        "--match", default="exact", metavar="STAGES", help="exact, stem, synonym, paraphrase joined by +"
    )
    text.add_argument("--language", default="english", metavar="NAME", help="language of the stemmer")
    text.add_argument(
        "--weight",
        "-w",
        choices=("segments", "ref-length"),
        default="segments",
        help="system scores: plain means over segments, or weighted by reference length",
    )
    text.add_argument("--no-cache", action="store_true", help="keep no scores on disk")


def scoring_options(options: argparse.Namespace) -> dict[str, Any]:
    """Gather how texts are scored."""
    from wordorder.scoring import Matching

    return {
        "tokenizer": options.tokenize,
        "lowercase": options.lowercase,
        "matching": Matching(tuple(options.match.split("+")), options.language),
        "weight": options.weight,
        "threads": options.threads,
    }


def open_cache(options: argparse.Namespace) -> Cache:
    """Open the cache, or one that remembers nothing."""
    from wordorder.runtime.cache import Cache, cache_folder

    return Cache(None if options.no_cache else cache_folder())


def named_sets(options: argparse.Namespace) -> list[tuple[str, str, list[str], list[str]]]:
    """Give name, judgements, references and hypotheses of every set."""
    if options.set:
        if options.judgements or options.ref or options.hyp:
            raise UsageError("give either --set (once or more) or --judgements, --ref and --hyp")
        for parts in options.set:
            if len(parts) < 4:
                raise UsageError(
                    f"--set {' '.join(parts)}: expected a language pair, judgements, a reference, systems"
                )
        return [(parts[0], parts[1], [parts[2]], parts[3:]) for parts in options.set]
    if not (options.judgements and options.ref and options.hyp):
        raise UsageError("give --judgements, --ref and --hyp, or --set xx-yy JUDGEMENTS REF HYP …")
    return [(options.pair or "all", options.judgements, options.ref, options.hyp)]


def read_sets(options: argparse.Namespace, metrics: str) -> list[JudgedSet]:
    """Read judgements and score texts of all sets."""
    from wordorder.cli.texts import text_files
    from wordorder.metaevaluation import JudgedSet
    from wordorder.metaevaluation.cached import cached_scores
    from wordorder.runtime.progress import progress

    cache, scoring = open_cache(options), scoring_options(options)
    documents = None
    if options.docs:
        from wordorder.formats import text

        documents = text.read(options.docs).to_pylist()
    found = []
    wanted = named_sets(options)
    for name, judgements, references, hypotheses in progress(wanted, label="scoring sets", total=len(wanted)):
        said = read_judgements(judgements, None if name == "all" else name)
        systems, gold = text_files(hypotheses, references)
        scores = cached_scores(systems, gold, metrics=metrics, cache=cache, **scoring)
        found.append(JudgedSet.of(name, scores, said, documents))
    return found


def read_judgements(path: str, pair: str | None) -> Comparisons | Ratings:
    """Read WMT rankings."""
    from wordorder.formats import wmt_rankings

    return wmt_rankings.read(path, pair=pair)
