"""Command-line options for texts and judgements, shared by the commands that compare metrics with people."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from wordorder.cli.arguments import add_settings, assignments, files_of, named_files
from wordorder.cli.inputs import (
    THROUGH_SOURCE,
    add_aligning,
    add_given,
    add_order,
    add_parser_choice,
    add_words,
    given_per_set,
    inputs_from,
    read_names,
)
from wordorder.core.runtime.errors import InputError, UsageError, count_of, mention, refuse
from wordorder.scoring.options import InputOptions

if TYPE_CHECKING:
    from wordorder.apps.metaeval import JudgedSet
    from wordorder.formats.annotations import Annotations
    from wordorder.formats.judgements import Comparisons, Ratings
    from wordorder.scoring.inputs import Inputs
    from wordorder.scoring.scores import Scores

FORMS = ("wmt", "ratings", "mqm", "preferences", "hter")
"""The formats of judgements; ``mqm`` covers all recognised error tables (formats/error_tables.py)."""


def add_sets(parser: argparse.ArgumentParser, *, orders: bool = False) -> None:
    """Add the options for sets of texts and judgements; ``orders`` adds options for word orders without texts."""
    add = parser.add_argument_group("texts and judgements").add_argument
    judgements = "human judgements; see --judgement-format (hter: a file per system, in --hyp order, or NAME=FILE)"
    add("--judgements", nargs="+", metavar="FILE", help=judgements)
    add("--pair", metavar="xx-yy", help="language pair to select from the judgements or the test set")
    instead = "references (for --mtme, names such as refB, or all; for error tables, also a system of the table)"
    add("--ref", nargs="+", metavar="FILE", help=instead)
    add("--hyp", nargs="+", metavar="FILE", help="outputs of the judged systems (FILE or NAME=FILE)")
    parts = "a set, given as xx-yy JUDGEMENTS REF HYP HYP …; repeat for more language pairs"
    parser.set_defaults(permutations=None, source_lengths=None)
    if orders:
        instead = "word orders of the systems instead of text, one permutation per line (or --hyp-align, --ref-align)"
        add("--permutations", nargs="+", metavar="FILE", help=instead)
        lengths = "number of source words, one number per line, for --hyp-align without text"
        add("--source-lengths", metavar="FILE", help=lengths)
    add("--set", nargs="+", action="append", metavar="PART", help=parts)
    add("--mtme", metavar="FOLDER", help="folder of a test set in the layout of mt-metrics-eval; needs --pair")
    add("--human-score", metavar="NAME", help="human scores to use from the test set of --mtme (mqm, wmt-z …)")
    add("--docs", metavar="FILE", help="document ID of each segment, one per line (for a single set)")

    add = parser.add_argument_group("format of the judgements").add_argument
    forms = (
        "wmt: rankings as CSV (default); ratings: a table, one translation per line; mqm: a table of errors (MQM of "
        "Google, Unbabel and WMT's chat task, ESA) with its texts; preferences: a table of A/B choices; "
        "hter: one error rate per line, or edits and words"
    )
    add("--judgement-format", choices=FORMS, default="wmt", help=forms)
    roles = "columns of a table: system, segment, score, judge; first, second, choice (default: common names)"
    add("--columns", nargs="+", default=[], metavar="ROLE=NAME", help=roles)
    about = "number that the judgements give the first segment (default 1; for ESA, 0)"
    add("--segment-base", type=int, metavar="N", help=about)
    add("--lower-is-better", action="store_true", help="lower ratings are better (--judgement-format ratings)")
    edited = "post-edited system outputs, whose words are counted (hter; files as in --judgements)"
    add("--post-edits", nargs="+", metavar="FILE", help=edited)
    others = "leave out judgements of systems without text (default: stop with an error)"
    add("--allow-unplaced", action="store_true", help=others)

    share = "leave out screens on which less than SHARE (default 1) of the answers agree with other judges"
    add("--agreed", nargs="?", type=float, const=1.0, metavar="SHARE", help=share)
    add("--confirmed", action="store_true", help="with --agreed: also leave out screens that no other judge shares")

    text = parser.add_argument_group("scoring")
    add_order(text, sources=True, several=orders)
    add_words(text, sets=True)
    add_given(text, sets=True)
    add_settings(text, InputOptions, "weight")
    text.add_argument("--no-cache", action="store_true", help="do not cache scores on disk")
    add_aligning(parser, sources=True)
    add_parser_choice(parser.add_argument_group("parses (for dpm and edpm)"))


@dataclass(frozen=True)
class InputsWithJudgements:
    """A test set that is not scored yet: its name, inputs, judgements and documents."""

    name: str
    inputs: Inputs
    judgements: Comparisons | Ratings
    documents: Sequence[str] | None
    file: str
    """The file or folder with the judgements."""

    about: Mapping[str, Any] = field(default_factory=dict)
    """More fields for the signature."""


def gives_orders(options: argparse.Namespace) -> bool:
    """Return whether word orders are given instead of texts."""
    text = options.hyp or options.set or options.mtme
    return bool(options.permutations or (options.hyp_align and not text))


def read_inputs(options: argparse.Namespace) -> list[InputsWithJudgements]:
    """Read the judgements and build the inputs of all sets."""
    if options.mtme:
        return [_read_mtme(options)]
    if options.judgement_format == "mqm":
        return _read_errors(options)
    sets = _named_sets(options)
    settings = settings_per_set(options, len(sets))
    documents = read_names(options.docs) if options.docs else None
    found = []
    for (name, files, references, hypotheses), changed in zip(sets, settings, strict=True):
        inputs = inputs_from(options, hyp=hypotheses, ref=references, **changed)
        judgements = _read_judgements(files, name, list(inputs.systems), options)
        judged = match_systems(judgements, inputs, options, files[0])
        found.append(InputsWithJudgements(name, inputs, judged, documents, files[0]))
    return found


Judgements = TypeVar("Judgements", "Comparisons | Ratings", "Annotations")


def match_systems(judgements: Judgements, inputs: Inputs, options: argparse.Namespace, path: str) -> Judgements:
    """Return the judgements with their systems matched to the systems of the inputs.

    Judged systems without text cause an error or, with ``--allow-unplaced``, are left out. ``path`` is the
    file with the judgements, for error messages.
    """
    from wordorder.formats.judgements import UnplacedError

    try:
        return judgements.among(inputs.systems, unplaced="drop" if options.allow_unplaced else "error")
    except UnplacedError as error:
        message = f"{error.message}; --allow-unplaced leaves such judgements out"
        raise UnplacedError(message, path=path) from None


def _read_errors(options: argparse.Namespace) -> list[InputsWithJudgements]:
    """Read error tables as ratings; the translations are in the tables or in separate files."""
    from wordorder.apps.metaeval.marked_options import read_marked

    found = []
    for one in read_marked(options, whole=True):
        documents, ratings = one.annotations.documents, one.annotations.ratings()
        about = {"reference": one.references} if one.references else {}
        found.append(InputsWithJudgements(one.name, one.inputs, ratings, documents, one.table, about))
    return found


_PER_SET = ("source", "align_model", "train_source", "train_target")


def settings_per_set(options: argparse.Namespace, count: int) -> list[dict[str, Any]]:
    """Return the settings that can differ between sets (source, aligner, language, external scores) for each set."""
    for name in (*_PER_SET, "language"):
        items = getattr(options, name) or ()
        shared = name == "language" and len(items) == 1
        found = f"{count_of(len(items), 'language' if name == 'language' else 'file')} for {count_of(count, 'set')}"
        wrong = items and len(items) != count and not shared
        refuse(wrong, f"{mention(name)} has {found}; expected one per set")
    single = options.hyp_align or options.ref_align or options.docs
    refuse(count > 1 and single, f"--docs, --hyp-align and --ref-align allow only one set, but {count} were given")
    return [
        {
            **{name: getattr(options, name)[place] if getattr(options, name) else None for name in _PER_SET},
            "language": options.language[min(place, len(options.language) - 1)],
            "given": given,
        }
        for place, given in enumerate(given_per_set(options, count))
    ]


def read_judgements(options: argparse.Namespace) -> list[tuple[str, Comparisons | Ratings]]:
    """Return the name and the judgements of each set; texts are not needed.

    With ``--agreed``, each set is followed by the same set without the judgements that other judges contradict.
    """
    if options.mtme:
        whole = _read_mtme(options)
        found = [(whole.name, whole.judgements)]
    else:
        if options.judgements and not options.set:
            sets = [(options.pair or "all", options.judgements, options.ref or [], options.hyp or [])]
        else:
            sets = _named_sets(options)
        found = [
            (name, _read_judgements(files, name, list(named_files(hypotheses)), options))
            for name, files, _, hypotheses in sets
        ]
    if not filters_judgements(options):
        return found
    return [one for name, every in found for one in ((name, every), (f"{name} agreed", keep_agreed(every, options)))]


def filters_judgements(options: argparse.Namespace) -> bool:
    """Return whether to leave out judgements that other judges contradict."""
    refuse(options.confirmed and options.agreed is None, "--confirmed makes --agreed stricter; give --agreed too")
    return options.agreed is not None


def keep_agreed(judgements: Comparisons | Ratings, options: argparse.Namespace) -> Comparisons | Ratings:
    """Return the judgements; if ``--agreed`` is given, leave out those that other judges contradict."""
    from wordorder.apps.metaeval import agreement
    from wordorder.formats.judgements import Comparisons

    if not filters_judgements(options):
        return judgements
    if not isinstance(judgements, Comparisons):
        raise UsageError("--agreed needs comparisons (--judgement-format wmt or preferences), but these are ratings")
    return agreement.keep_agreed(judgements, share=options.agreed, confirmed=options.confirmed)


def read_sets_in_both_orders(options: argparse.Namespace, metrics: str) -> list[JudgedSet]:
    """Read the sets, and score them twice: with word orders from matching and from alignments with the source.

    The metrics are labelled accordingly, such as ``pef@matched`` and ``pef@source``. Metrics that do not depend on
    order are scored once and keep their names.
    """
    unused = dict.fromkeys(("source", "expected", *THROUGH_SOURCE))
    matched = argparse.Namespace(**{**vars(options), **unused, "order": "matched"})
    source = argparse.Namespace(**{**vars(options), "order": "source"})
    first = read_sets(matched, metrics)
    ordered = _order_metrics(first[0])
    refuse(not ordered, "two --order values were given, but no metric depends on word order; add one with --metrics")
    pairs = zip(first, read_sets(source, ",".join(ordered)), strict=True)
    return [_label_order(one, "matched").combine(_label_order(two, "source")) for one, two in pairs]


def _order_metrics(judged: JudgedSet) -> list[str]:
    """Return the names of the metrics that depend on order."""
    from wordorder.metrics import Need

    named = zip(judged.metrics, judged.scores.metrics, strict=True)
    return [name for name, metric in named if Need.ORDER in metric.requires]


def _label_order(judged: JudgedSet, order: str) -> JudgedSet:
    ordered = _order_metrics(judged)
    return replace(judged, labels=tuple(f"{name}@{order}" if name in ordered else name for name in judged.metrics))


def read_sets(options: argparse.Namespace, metrics: str) -> list[JudgedSet]:
    """Read the judgements and score the texts of all sets; metrics keep the names under which they were requested."""
    from wordorder.apps.metaeval import JudgedSet
    from wordorder.core.runtime.threads import progress
    from wordorder.formats.judgements import check_segments
    from wordorder.metrics import choose_metrics

    inputs = read_inputs(options)
    found = []
    for one in progress(inputs, label="scoring sets", total=len(inputs)):
        scores = cached(options, one.inputs, metrics)
        scores = replace(scores, inputs={**scores.inputs, **one.about})
        labels = [str(each) for each in choose_metrics(metrics, available=one.inputs.offers)]
        check_segments(one.judgements, len(scores), path=one.file)
        found.append(JudgedSet.of(one.name, scores, one.judgements, one.documents, labels))
    return found


def cached(options: argparse.Namespace, inputs: Inputs, metrics: str) -> Scores:
    """Return the scores of the inputs, which are cached on disk unless ``--no-cache`` is given."""
    from wordorder.core.runtime.cache import Cache, cache_folder
    from wordorder.core.statistics import Resampling
    from wordorder.scoring.cache import cached_scores
    from wordorder.scoring.score import score

    if getattr(options, "common_words", False):  # the cache does not hold the matched words
        return score(inputs, metrics=metrics, resampling=Resampling(samples=0, threads=options.threads))
    cache = Cache(None if options.no_cache else cache_folder())
    return cached_scores(inputs, metrics=metrics, cache=cache, threads=options.threads)


def _named_sets(options: argparse.Namespace) -> list[tuple[str, list[str], list[str], list[str]]]:
    """Return the name, judgements, references and hypotheses of each set."""
    if options.set:
        if options.judgements or options.ref or options.hyp or options.permutations:
            raise UsageError("--set names its own files; leave out --judgements, --ref, --hyp and --permutations")
        return split_sets(options, 4, "xx-yy JUDGEMENTS REF HYP …")
    if not (options.judgements and (gives_orders(options) or (options.ref and options.hyp))):
        raise UsageError(
            "judgements or texts are missing; give --judgements with --ref and --hyp (or with --permutations), "
            "--set xx-yy JUDGEMENTS REF HYP …, or --mtme"
        )
    return [(options.pair or "all", options.judgements, options.ref or [], options.hyp or [])]


def split_sets(options: argparse.Namespace, least: int, form: str) -> list[tuple[str, list[str], list[str], list[str]]]:
    """Return the name, judgements, references and hypotheses of each ``--set``.

    Raise an error that shows the expected ``form`` if a set has fewer than ``least`` parts.
    """
    for parts in options.set:
        refuse(len(parts) < least, f"--set {' '.join(parts)}: expected {form}")
    return [(parts[0], [parts[1]], parts[2:3], parts[3:]) for parts in options.set]


def _read_judgements(
    files: list[str], name: str, systems: list[str], options: argparse.Namespace
) -> Comparisons | Ratings:
    from wordorder.formats import error_tables, ratings, wmt_rankings

    if options.judgement_format == "hter":
        edits = _files_by_system(systems, options.post_edits, "--post-edits") if options.post_edits else None
        return ratings.read_hter(_files_by_system(systems, files, "--judgements"), post_edits=edits)
    refuse(options.post_edits, "--post-edits can be used only with --judgement-format hter")
    pair = None if name == "all" else name
    if options.judgement_format == "mqm":
        found = error_tables.read(named_files(files, what="tables"), pair=pair, base=options.segment_base)
        refuse_several_pairs(found, files[0])
        return found[0].ratings()
    base = 1 if options.segment_base is None else options.segment_base
    refuse(len(files) > 1, f"--judgements: expected one file, found {len(files)}; only hter has one file per system")
    path = files[0]
    columns = assignments(options.columns, "--columns", "ROLE=NAME")
    only = systems[0] if len(systems) == 1 else None
    if options.judgement_format == "wmt":
        try:
            return wmt_rankings.read(path, pair=pair)
        except InputError as error:
            if "no column" not in error.message:
                raise
            message = f"{error.message}; if these are not WMT rankings, choose another --judgement-format"
            raise InputError(message, path=error.path, line=error.line) from None
    if options.judgement_format == "preferences":
        return ratings.read_preferences(path, columns=columns, base=base)
    return ratings.read(path, columns=columns, base=base, lower_is_better=options.lower_is_better, system=only)


def refuse_several_pairs(found: Sequence[Annotations], path: str) -> None:
    """Raise UsageError if a file contains error tables for more than one language pair."""
    pairs = ", ".join(one.pair for one in found)
    refuse(len(found) > 1, f"{path} contains several language pairs ({pairs}); choose one with --pair")


def _files_by_system(systems: list[str], files: list[str], option: str) -> dict[str, str]:
    found = files_of(systems, files)
    if set(found) != set(systems):
        raise UsageError(
            f"--judgement-format hter needs a file for each system in {option}, in the order of --hyp or as "
            f"NAME=FILE; the systems are {', '.join(systems)}, but the files are for {', '.join(found)}"
        )
    return found


def _read_mtme(options: argparse.Namespace) -> InputsWithJudgements:
    from wordorder.formats import mtme

    refuse(not options.pair, "--mtme needs the language pair to read; give --pair")
    if options.judgements or options.hyp or options.set:
        raise UsageError("--mtme provides texts and judgements; leave out --judgements, --hyp and --set")
    named = options.ref or ()
    found = mtme.read(options.mtme, pair=options.pair, human=options.human_score, references=named)
    hypotheses = [f"{name}={path}" for name, path in found.systems.items()]
    references = [str(path) for path in found.references.values()]
    (changed,) = settings_per_set(options, 1)
    changed["source"] = changed["source"] or found.source
    inputs = inputs_from(options, hyp=hypotheses, ref=references, **changed)
    ratings = match_systems(found.ratings, inputs, options, options.mtme)
    about = {"reference": list(found.references)}
    return InputsWithJudgements(options.pair, inputs, ratings, found.documents, options.mtme, about)
