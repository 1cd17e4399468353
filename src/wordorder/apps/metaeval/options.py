"""Read the texts and judgements that the commands for comparing metrics with people share."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from wordorder.cli.arguments import add_settings, files_of, named_files
from wordorder.cli.inputs import (
    add_aligning,
    add_given,
    add_order,
    add_parser_choice,
    add_words,
    given_per_set,
    inputs_from,
    read_names,
)
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.runtime.plain import count_of
from wordorder.scoring.options import InputOptions

if TYPE_CHECKING:
    from wordorder.apps.metaeval import JudgedSet
    from wordorder.formats.annotations import Annotations
    from wordorder.formats.judgements import Comparisons, Ratings
    from wordorder.scoring.inputs import Inputs
    from wordorder.scoring.scores import Scores

FORMS = ("wmt", "ratings", "mqm", "preferences", "hter")
"""The formats of judgements; ``mqm`` is any table of errors that ``formats/error_tables.py`` recognises."""


def add_judged(parser: argparse.ArgumentParser, *, orders: bool = False) -> None:
    """Add the arguments for judgements, texts and scoring; with ``orders``, also word orders instead of texts."""
    add = parser.add_argument_group("texts and judgements").add_argument
    said = "human judgements; see --judgement-format (hter: one file per system, in the order of --hyp, or NAME=FILE)"
    add("--judgements", nargs="+", metavar="FILE", help=said)
    add("--pair", metavar="xx-yy", help="the language pair to take from the file")
    add("--ref", nargs="+", metavar="FILE", help="references")
    add("--hyp", nargs="+", metavar="FILE", help="outputs of the judged systems (or NAME=FILE)")
    parts = "one of several sets: xx-yy JUDGEMENTS REF HYP HYP …; repeat for more language pairs"
    parser.set_defaults(permutations=None, source_lengths=None)
    if orders:
        instead = "word orders of the systems instead of text, one permutation per line (or --hyp-align, --ref-align)"
        add("--permutations", nargs="+", metavar="FILE", help=instead)
        lengths = "number of source words, one number per line, for --hyp-align without text"
        add("--source-lengths", metavar="FILE", help=lengths)
    add("--set", nargs="+", action="append", metavar="PART", help=parts)
    add("--mtme", metavar="FOLDER", help="a test set of mt-metrics-eval (with --pair)")
    add("--human-score", metavar="NAME", help="which of its human scores (mqm, wmt-z …)")
    add("--docs", metavar="FILE", help="document of every segment, one per line (one set only)")

    add = parser.add_argument_group("format of the judgements").add_argument
    forms = (
        "wmt: rankings as CSV (default); ratings: a table, one translation per line; mqm: a table of errors (MQM of "
        "Google, Unbabel and WMT's chat task, ESA) with its texts; preferences: a table of A/B choices; "
        "hter: one error rate per line, or edits and words"
    )
    add("--judgement-format", choices=FORMS, default="wmt", help=forms)
    roles = "columns of a table: system, segment, score, judge; first, second, choice (default: common names)"
    add("--columns", nargs="+", default=[], metavar="ROLE=NAME", help=roles)
    add("--segment-base", type=int, metavar="N", help="number of the first segment (default 1; in ESA 0)")
    add("--lower-is-better", action="store_true", help="in this table, lower scores are better")
    edited = "post-edited outputs of the systems, to count their words (hter; files as in --judgements)"
    add("--post-edits", nargs="+", metavar="FILE", help=edited)
    others = "leave out judgements of systems without text instead of stopping"
    add("--allow-unplaced", action="store_true", help=others)

    share = "leave out screens on which less than SHARE of the answers agree with other judges (no SHARE: 1)"
    add("--agreed", nargs="?", type=float, const=1.0, metavar="SHARE", help=share)
    add("--confirmed", action="store_true", help="with --agreed: also leave out screens nobody else judged")

    text = parser.add_argument_group("how texts are scored")
    add_order(text, sources=True, several=orders)
    add_words(text, sets=True)
    add_given(text, sets=True)
    add_settings(text, InputOptions, "weight")
    text.add_argument("--no-cache", action="store_true", help="do not cache scores on disk")
    add_aligning(parser, sources=True)
    add_parser_choice(parser.add_argument_group("parses (for dpm and edpm)"))


@dataclass(frozen=True)
class InputsWithJudgements:
    """A test set before scoring: its name, inputs, judgements and documents."""

    name: str
    inputs: Inputs
    judgements: Comparisons | Ratings
    documents: list[str] | None


def assignments(items: list[str], option: str, form: str) -> dict[str, str]:
    """Read the values of an option whose items have the form ``KEY=VALUE``."""
    for item in items:
        if "=" not in item:
            raise UsageError(f"{option} {item}: expected {form}")
    return {key: value for key, _, value in (item.partition("=") for item in items)}


def gives_orders(options: argparse.Namespace) -> bool:
    """Return whether word orders are given instead of texts."""
    text = options.hyp or options.set or options.mtme
    return bool(options.permutations or (options.hyp_align and not text))


def read_inputs(options: argparse.Namespace) -> list[InputsWithJudgements]:
    """Read the judgements of all sets, and make their inputs."""
    if options.mtme:
        return [_read_mtme(options)]
    if options.judgement_format == "mqm":
        return _read_errors(options)
    sets = _named_sets(options)
    through = one_per_set(options, len(sets))
    if len(sets) > 1 and (options.hyp_align or options.ref_align or options.docs):
        raise UsageError("--docs, --hyp-align and --ref-align are for one set; there are several")
    documents = read_names(options.docs) if options.docs else None
    found = []
    for (name, judgements, references, hypotheses), files in zip(sets, through, strict=True):
        inputs = inputs_from(options, hyp=hypotheses, ref=references, **files)
        said = _read_judgements(judgements, name, list(inputs.systems), options)
        found.append(InputsWithJudgements(name, inputs, placed(said, inputs, options, judgements[0]), documents))
    return found


Judgements = TypeVar("Judgements", "Comparisons | Ratings", "Annotations")


def placed(said: Judgements, inputs: Inputs, options: argparse.Namespace, path: str) -> Judgements:
    """Match the systems of judgements with those of texts; refuse or leave out judgements of other systems.

    ``path`` is the file of the judgements, for messages.
    """
    from wordorder.formats.judgements import UnplacedError

    try:
        return said.among(inputs.systems, unplaced="drop" if options.allow_unplaced else "error")
    except UnplacedError as error:
        message = f"{error.message}; --allow-unplaced leaves such judgements out"
        raise UnplacedError(message, path=path) from None


def _read_errors(options: argparse.Namespace) -> list[InputsWithJudgements]:
    """Read tables of errors as ratings, with texts from the tables or from files."""
    from wordorder.apps.metaeval.marked_options import read_marked

    found = []
    for one in read_marked(options, whole=True):
        documents = one.annotations.documents
        found.append(
            InputsWithJudgements(
                one.name, one.inputs, one.annotations.ratings(), None if documents is None else list(documents)
            )
        )
    return found


_PER_SET = ("source", "align_model", "train_source", "train_target")


def one_per_set(options: argparse.Namespace, count: int) -> list[dict[str, Any]]:
    """Return for each set the options that have one value per set: source, aligner, given scores, language."""
    for name in (*_PER_SET, "language"):
        files = getattr(options, name)
        shared = name == "language" and len(files or ()) == 1
        if files and len(files) != count and not shared:
            option = f"--{name.replace('_', '-')}"
            found = (
                f"{count_of(len(files), 'language' if name == 'language' else 'file')} for {count_of(count, 'set')}"
            )
            raise UsageError(f"{option} has {found}; expected one per set")
    return [
        {
            **{name: getattr(options, name)[place] if getattr(options, name) else None for name in _PER_SET},
            "language": options.language[min(place, len(options.language) - 1)],
            "given": given,
        }
        for place, given in enumerate(given_per_set(options, count))
    ]


def read_judgements(options: argparse.Namespace) -> list[tuple[str, Comparisons | Ratings]]:
    """Read the judgements of all sets without texts; return them with the names of the sets.

    With ``--agreed``, each set is followed by its remaining judgements.
    """
    if options.mtme:
        whole = _read_mtme(options)
        read = [(whole.name, whole.judgements)]
    else:
        if options.judgements and not options.set:
            sets = [(options.pair or "all", options.judgements, options.hyp or [])]
        else:
            sets = [(name, judgements, hypotheses) for name, judgements, _, hypotheses in _named_sets(options)]
        read = [
            (name, _read_judgements(judgements, name, list(named_files(hypotheses)), options))
            for name, judgements, hypotheses in sets
        ]
    if not filters(options):
        return read
    return [one for name, said in read for one in ((name, said), (f"{name} agreed", agreed(said, options)))]


def filters(options: argparse.Namespace) -> bool:
    """Return whether contradicted judgements are left out (``--agreed``)."""
    if options.confirmed and options.agreed is None:
        raise UsageError("--confirmed goes with --agreed")
    return options.agreed is not None


def agreed(said: Comparisons | Ratings, options: argparse.Namespace) -> Comparisons | Ratings:
    """Leave out contradicted judgements if ``--agreed`` is given."""
    from wordorder.apps.metaeval.filtering import keep_agreed
    from wordorder.formats.judgements import Comparisons

    if not filters(options):
        return said
    if not isinstance(said, Comparisons):
        raise UsageError("--agreed looks at comparisons (--judgement-format wmt or preferences); these are ratings")
    return keep_agreed(said, share=options.agreed, confirmed=options.confirmed)


def read_sets_both_ways(options: argparse.Namespace, metrics: str) -> list[JudgedSet]:
    """Read sets that are scored both by matched words and through the source, as ``pef@matched`` and ``pef@source``.

    Metrics without order are scored only once.
    """
    matched = argparse.Namespace(**{**vars(options), **dict.fromkeys(_THROUGH_SOURCE), "order": "matched"})
    source = argparse.Namespace(**{**vars(options), "order": "source"})
    first = read_sets(matched, metrics)
    ordered = _ordered(first[0])
    if not ordered:
        raise UsageError("two values of --order need a metric that depends on order; these metrics score only words")
    pairs = zip(first, read_sets(source, ",".join(ordered)), strict=True)
    return [_marked(one, "matched").combine(_marked(two, "source")) for one, two in pairs]


def _ordered(judged: JudgedSet) -> list[str]:
    """Return the names of the metrics that depend on order."""
    from wordorder.metrics import Need

    named = zip(judged.metrics, judged.scores.metrics, strict=True)
    return [name for name, metric in named if Need.ORDER in metric.requires]


def _marked(judged: JudgedSet, order: str) -> JudgedSet:
    ordered = _ordered(judged)
    return replace(judged, labels=tuple(f"{name}@{order}" if name in ordered else name for name in judged.metrics))


_THROUGH_SOURCE = (
    *_PER_SET, "aligner", "symmetrise", "hyp_align", "ref_align", "align_format", "base", "policy", "expected",
)  # fmt: skip


def read_sets(options: argparse.Namespace, metrics: str) -> list[JudgedSet]:
    """Read the judgements and score the texts of all sets; metrics keep their requested names."""
    from wordorder.apps.metaeval import JudgedSet
    from wordorder.core.runtime.progress import progress
    from wordorder.metrics import choose_metrics

    inputs = read_inputs(options)
    found = []
    for one in progress(inputs, label="scoring sets", total=len(inputs)):
        scores = keep_scores(options, one.inputs, metrics)
        labels = [str(each) for each in choose_metrics(metrics, available=one.inputs.offers)]
        found.append(JudgedSet.of(one.name, scores, one.judgements, one.documents, labels))
    return found


def keep_scores(options: argparse.Namespace, inputs: Inputs, metrics: str) -> Scores:
    """Score inputs; scores are cached on disk unless ``--no-cache`` is given."""
    from wordorder.core.runtime.cache import Cache, cache_folder
    from wordorder.scoring.cache import cached_scores

    cache = Cache(None if options.no_cache else cache_folder())
    return cached_scores(inputs, metrics=metrics, cache=cache, threads=options.threads)


def _named_sets(options: argparse.Namespace) -> list[tuple[str, list[str], list[str], list[str]]]:
    """Return the name, judgements, references and hypotheses of each set."""
    if options.set:
        if options.judgements or options.ref or options.hyp or options.permutations:
            raise UsageError("give either --set (once or more) or --judgements with --ref and --hyp, or word orders")
        for parts in options.set:
            if len(parts) < 4:
                raise UsageError(f"--set {' '.join(parts)}: expected xx-yy JUDGEMENTS REF HYP …")
        return [(parts[0], [parts[1]], [parts[2]], parts[3:]) for parts in options.set]
    if options.judgements and gives_orders(options):
        return [(options.pair or "all", options.judgements, options.ref or [], options.hyp or [])]
    if not (options.judgements and options.ref and options.hyp):
        raise UsageError(
            "give --judgements with --ref and --hyp, or with --permutations; or --set xx-yy JUDGEMENTS REF HYP …; "
            "or --mtme"
        )
    return [(options.pair or "all", options.judgements, options.ref, options.hyp)]


def _read_judgements(
    files: list[str], name: str, systems: list[str], options: argparse.Namespace
) -> Comparisons | Ratings:
    from wordorder.formats import ratings, wmt_rankings

    if options.judgement_format == "hter":
        return _read_hter(files, systems, options)
    if options.post_edits:
        raise UsageError("--post-edits is for --judgement-format hter")
    if options.judgement_format == "mqm":
        return _read_marks(files, name, options)
    base = 1 if options.segment_base is None else options.segment_base
    if len(files) > 1:
        raise UsageError(f"--judgements names {len(files)} files; only --judgement-format hter has one per system")
    path = files[0]
    columns = assignments(options.columns, "--columns", "ROLE=NAME")
    only = systems[0] if len(systems) == 1 else None
    if options.judgement_format == "wmt":
        try:
            return wmt_rankings.read(path, pair=None if name == "all" else name)
        except InputError as error:
            if "has no column" not in error.message:
                raise
            other = "if these are not WMT rankings, say what they are with --judgement-format"
            raise InputError(f"{error.message}; {other}", path=error.path, line=error.line) from None
    if options.judgement_format == "preferences":
        return ratings.read_preferences(path, columns=columns, base=base)
    return ratings.read(path, columns=columns, base=base, lower_is_better=options.lower_is_better, system=only)


def _read_marks(files: list[str], name: str, options: argparse.Namespace) -> Ratings:
    """Read ratings from a table of errors without its texts."""
    from wordorder.formats import error_tables

    pair = None if name == "all" else name
    found = error_tables.read(named_files(files, what="tables"), pair=pair, base=options.segment_base)
    if len(found) > 1:
        pairs = ", ".join(one.pair for one in found)
        raise UsageError(f"{files[0]} has several language pairs ({pairs}); choose one with --pair")
    return found[0].ratings()


def _read_hter(files: list[str], systems: list[str], options: argparse.Namespace) -> Ratings:
    from wordorder.formats import ratings

    rates = _one_for_each(systems, files, "--judgements")
    edited = _one_for_each(systems, options.post_edits, "--post-edits") if options.post_edits else None
    return ratings.read_hter(rates, post_edits=edited)


def _one_for_each(systems: list[str], files: list[str], option: str) -> dict[str, str]:
    found = files_of(systems, files)
    if set(found) != set(systems):
        raise UsageError(
            f"--judgement-format hter needs a file for each system in {option}: in the order of --hyp, or NAME=FILE; "
            f"the systems are {', '.join(systems)}, and the files are of {', '.join(found)}"
        )
    return found


def _read_mtme(options: argparse.Namespace) -> InputsWithJudgements:
    from wordorder.formats import mtme

    if not options.pair:
        raise UsageError("--mtme needs --pair, the language pair")
    if options.judgements or options.ref or options.hyp or options.set:
        raise UsageError(
            "--mtme brings texts and judgements; it cannot be combined with --judgements, --ref, --hyp or --set"
        )
    found = mtme.read(options.mtme, pair=options.pair, human=options.human_score)
    documents = None if found.documents is None else list(found.documents)
    hypotheses = [f"{name}={path}" for name, path in found.systems.items()]
    references = [str(path) for path in found.references.values()]
    (files,) = one_per_set(options, 1)
    inputs = inputs_from(options, hyp=hypotheses, ref=references, **files)
    return InputsWithJudgements(options.pair, inputs, placed(found.ratings, inputs, options, options.mtme), documents)
