"""Arguments that name texts and judgements, shared by the commands that compare metrics with people."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordorder.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.formats.judgements import Comparisons, Ratings
    from wordorder.metaevaluation import JudgedSet
    from wordorder.runtime.cache import Cache

FORMS = ("wmt", "ratings", "mqm", "preferences", "hter")


def add_judged(parser: argparse.ArgumentParser) -> None:
    """Add what names a judged set, and how its texts are scored."""
    data = parser.add_argument_group("texts and judgements")
    data.add_argument("--judgements", metavar="FILE", help="what people said; see --form")
    data.add_argument("--pair", metavar="xx-yy", help="the language pair to take from the file")
    data.add_argument("--ref", nargs="+", metavar="FILE", help="references")
    data.add_argument("--hyp", nargs="+", metavar="FILE", help="outputs of the judged systems (or NAME=FILE)")
    data.add_argument(
        "--set",
        nargs="+",
        action="append",
        metavar="PART",
        help="one of several sets: xx-yy JUDGEMENTS REF HYP HYP …; repeat for more language pairs",
    )
    data.add_argument("--mtme", metavar="FOLDER", help="a test set of mt-metrics-eval (with --pair)")
    data.add_argument("--human-score", metavar="NAME", help="which of its human scores (mqm, wmt-z …)")
    data.add_argument("--docs", metavar="FILE", help="document of every segment, one a line (one set only)")

    form = parser.add_argument_group("form of the judgements")
    form.add_argument(
        "--form",
        choices=FORMS,
        default="wmt",
        help="wmt: rankings as CSV (default); ratings: a table, one translation a line; mqm: Google's error table; "
        "preferences: a table of A/B choices; hter: one number a line",
    )
    form.add_argument(
        "--columns",
        nargs="+",
        default=[],
        metavar="ROLE=NAME",
        help="columns of a table: system, segment, score, judge; first, second, choice (else by common names)",
    )
    form.add_argument(
        "--segment-base", type=int, default=1, metavar="N", help="number of the first segment (default 1)"
    )
    form.add_argument("--lower-is-better", action="store_true", help="in this table less is better")

    text = parser.add_argument_group("how texts are scored")
    text.add_argument("--tokenize", "-tok", default="13a", metavar="NAME", help="tokeniser (default 13a)")
    text.add_argument("--lowercase", "-lc", action="store_true", help="lower-case all text")
    text.add_argument(
        "--match", default="exact", metavar="STAGES", help="exact, stem, synonym joined by + (default exact)"
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


@dataclass(frozen=True)
class Inputs:
    """One set before it is scored: its name, texts, judgements and documents."""

    name: str
    systems: dict[str, Any]
    references: list[Any]
    judgements: Comparisons | Ratings
    documents: list[str] | None


def scoring_options(options: argparse.Namespace) -> dict[str, Any]:
    """Gather how texts are scored."""
    from wordorder.scoring import Matching

    return {
        "tokenizer": options.tokenize,
        "lowercase": options.lowercase,
        "matching": Matching(tuple(options.match.split("+")), options.language),
        "weight": options.weight,
    }


def open_cache(options: argparse.Namespace) -> Cache:
    """Open the cache, or one that remembers nothing."""
    from wordorder.runtime.cache import Cache, cache_folder

    return Cache(None if options.no_cache else cache_folder())


def read_inputs(options: argparse.Namespace) -> list[Inputs]:
    """Read judgements and name the texts of all sets."""
    if options.mtme:
        return [_read_mtme(options)]
    from wordorder.cli.texts import text_files

    documents = None
    if options.docs:
        from wordorder.formats import text

        documents = text.read(options.docs).to_pylist()
    found = []
    for name, judgements, references, hypotheses in _named_sets(options):
        systems, gold = text_files(hypotheses, references)
        said = _read_judgements(judgements, name, list(systems), options)
        found.append(Inputs(name, systems, gold, said, documents))
    return found


def read_sets(options: argparse.Namespace, metrics: str) -> list[JudgedSet]:
    """Read judgements and score texts of all sets."""
    from wordorder.metaevaluation import JudgedSet
    from wordorder.metaevaluation.cached import cached_scores
    from wordorder.runtime.progress import progress
    from wordorder.scoring import Parsing

    scoring = {**scoring_options(options), "cache": open_cache(options), "threads": options.threads}
    scoring["parsing"] = Parsing(options.grammar, options.spacy, cached=not options.no_cache)
    inputs = read_inputs(options)
    found = []
    for one in progress(inputs, label="scoring sets", total=len(inputs)):
        scores = cached_scores(one.systems, one.references, metrics=metrics, **scoring)
        found.append(JudgedSet.of(one.name, scores, one.judgements, one.documents))
    return found


def _named_sets(options: argparse.Namespace) -> list[tuple[str, str, list[str], list[str]]]:
    """Give name, judgements, references and hypotheses of every set."""
    if options.set:
        if options.judgements or options.ref or options.hyp:
            raise UsageError("give either --set (once or more) or --judgements, --ref and --hyp")
        for parts in options.set:
            if len(parts) < 4:
                raise UsageError(f"--set {' '.join(parts)}: expected xx-yy JUDGEMENTS REF HYP …")
        return [(parts[0], parts[1], [parts[2]], parts[3:]) for parts in options.set]
    if not (options.judgements and options.ref and options.hyp):
        raise UsageError("give --judgements, --ref and --hyp, or --set xx-yy JUDGEMENTS REF HYP …, or --mtme")
    return [(options.pair or "all", options.judgements, options.ref, options.hyp)]


def _read_judgements(path: str, name: str, systems: list[str], options: argparse.Namespace) -> Comparisons | Ratings:
    from wordorder.formats import mqm, ratings, wmt_rankings

    columns: dict[str, str] = {}
    for item in options.columns:
        role, equals, column = item.partition("=")
        if not equals:
            raise UsageError(f"--columns {item}: expected ROLE=NAME")
        columns[role] = column
    only = systems[0] if len(systems) == 1 else None
    if options.form == "wmt":
        return wmt_rankings.read(path, pair=None if name == "all" else name)
    if options.form == "mqm":
        return mqm.read(path, base=options.segment_base)
    if options.form == "preferences":
        return ratings.read_preferences(path, columns=columns, base=options.segment_base)
    if options.form == "hter":
        if only is None:
            raise UsageError(f"a file of one number a line is about one system; {len(systems)} were given")
        return ratings.read_numbers(path, system=only)
    return ratings.read(
        path, columns=columns, base=options.segment_base, lower_is_better=options.lower_is_better, system=only
    )


def _read_mtme(options: argparse.Namespace) -> Inputs:
    from pathlib import Path

    from wordorder.formats import mtme

    if not options.pair:
        raise UsageError("--mtme needs --pair, the language pair")
    if options.judgements or options.ref or options.hyp or options.set:
        raise UsageError(
            "--mtme brings texts and judgements; it goes with neither --judgements, --ref, --hyp nor --set"
        )
    found = mtme.read(options.mtme, pair=options.pair, human=options.human_score)
    documents = None if found.documents is None else list(found.documents)
    references = [Path(path) for path in found.references.values()]
    return Inputs(options.pair, dict(found.systems), references, found.ratings, documents)
