"""Measure how much word order differs between two languages, in one or more word-aligned corpora.

A reordering is a pair of adjacent blocks of source words that are in the opposite order in the target. RQuantity is
the number of words in all reorderings, divided by the sentence length (Birch 2011). With --hyp-align, the command
measures which reorderings of the reference each system reproduces; with --factors, it analyses what makes a language
pair hard to translate.

examples:
  wordorder profile --source de.txt --target en.txt            align the texts, and measure
  wordorder profile --source en.txt --target ja.txt fr.txt     does Japanese reorder more than French?
  wordorder profile de-en.align --source de.txt --target en.txt
  wordorder profile ja=en-ja.align fr=en-fr.align --source en.txt --target ja.txt fr.txt
  wordorder profile a.align --source-lengths s.len --target-lengths t.len --by length --step 5
  wordorder profile pud/en-jp pud/en-zh pud/en-fr          folders of aligned treebanks
  wordorder profile a.align --source en.txt --target ja.txt --unalign-source the,a,an
  wordorder profile a.align --source en.conllu --target ja.txt --unalign-source-pos DET
  wordorder profile characters.align --words zh.segmented.txt --target en.txt      links refer to characters

divide sentences into test sets by amount of reordering, and score systems on each set:
  wordorder profile ref.align --source src.txt --target ref.txt --write-buckets buckets.txt
  wordorder score --ref ref.txt --hyp A.txt B.txt --buckets buckets.txt

do automatic alignments show the same reorderings as gold alignments?
  wordorder profile hmm=made.align --gold gold.talp --source de.txt --target en.txt

which reorderings of the reference did systems reproduce?
  wordorder profile --ref-align ref.align --hyp-align A=a.align B=b.align

draw a chart of reorderings by width, or of RQuantity by length:
  wordorder profile ja=en-ja.align fr=en-fr.align --source en.txt --target ja.txt fr.txt --by length --plot out.svg

what makes a language pair hard? (Birch 2011, Tables 4.5 to 4.7, or your own table)
  wordorder profile --factors
  wordorder profile --factors pairs.tsv --response bleu --predictors rquantity,similarity

show one measure of many language pairs as a source × target matrix, with the mean of every language:
  wordorder profile --factors --matrix rquantity
  wordorder profile de-en=de.align fr-en=fr.align --source de.txt fr.txt --target en.txt --matrix rquantity
  wordorder profile --cognates classes.tsv               how related are languages? (Birch 2011, Table 4.4)
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from wordorder.cli import arguments
from wordorder.cli.inputs import add_aligner, add_gold_alignments
from wordorder.cli.output import add_html, add_output, check_html, for_people, print_result, write_html
from wordorder.core.runtime.errors import UsageError, count_of, mention, refuse
from wordorder.core.runtime.settings import settings_of
from wordorder.scoring.options import InputOptions

if TYPE_CHECKING:
    from wordorder.apps.profile import Corpus, LanguagePairs, Measures
    from wordorder.report import Table


COMMON = "corpora source target by side write_buckets hyp_align ref_align factors unalign_source html format threads"

_LENGTHS = re.compile(r"(\d{1,6})-(\d{1,6})")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_corpora(parser)
    shown = parser.add_argument_group("what is shown")
    add = shown.add_argument
    sides = "side on which widths and lengths are measured, for all outputs (default target)"
    add("--side", choices=("target", "source"), default="target", help=sides)
    about = (
        "instead of the usual table, show reorderings by width, RQuantity by sentence length, or which neighbouring "
        "children in parse trees of the source swap (needs a treebank as the source)"
    )
    add("--by", choices=("width", "length", "tree"), help=about)
    about = "with --by length: group sentences into length ranges of N words (default 10)"
    add("--step", type=int, default=10, metavar="N", help=about)
    about = "also show the vocabulary size of each side, and the similarity of both vocabularies"
    add("--vocabulary", action="store_true", help=about)
    policies = f"{settings_of(InputOptions)['policy'].help}; for cycles, operators and BLEU in source order"
    arguments.add_settings(shown, InputOptions, "policy", policy={"default": "birch", "help": policies})
    about = "also write the measures of each sentence to this file, one JSON object per line"
    add("--segments", metavar="OUT.jsonl", help=about)
    matrices = (
        "show this measure (rquantity, per_sentence …; with --factors, any column) as a source × target matrix, "
        "with the mean of every language; corpora must be named after language pairs: de-en=FILE"
    )
    add("--matrix", metavar="COLUMN", help=matrices)
    add("--pairs", metavar="OUT.tsv", help="also write the measures as a table that --factors can read")

    add = parser.add_argument_group("test sets by amount of reordering (one corpus)").add_argument
    about = "write the test set of each sentence, one per line: none, low, medium, high or - (left out)"
    add("--write-buckets", metavar="OUT", help=about)
    about = "leave out sentences shorter than A or longer than B words (default 20-39)"
    add("--bucket-lengths", default="20-39", metavar="A-B", help=about)

    group = parser.add_argument_group("gold alignments of the same sentences, with which the corpora are compared")
    add_gold_alignments(group, "gold alignments, or a folder of aligned treebanks")

    add = parser.add_argument_group("reproduced reorderings, instead of corpora").add_argument
    add("--ref-align", metavar="FILE", help="source→reference alignments, with the reorderings to be reproduced")
    add("--hyp-align", nargs="+", metavar="FILE", help="source→hypothesis alignments, one per system")

    add = parser.add_argument_group("factors of difficulty, instead of corpora").add_argument
    tables = (
        "table of language pairs with the columns source, target and measures (default: the 110 Europarl pairs "
        "of Birch 2011)"
    )
    add("--factors", nargs="?", const="", metavar="TABLE.tsv", help=tables)
    add("--response", default="bleu", metavar="COLUMN", help="column of the table to explain (default bleu)")
    add("--predictors", metavar="LIST", help="comma-separated columns that explain --response (default: all others)")

    add = parser.add_argument_group("similarity of languages, instead of corpora").add_argument
    classes = (
        "table of cognate classes, with either a row for each language and a column for each meaning, or the "
        "columns language, meaning and class"
    )
    add("--cognates", metavar="TABLE", help=classes)
    arguments.add_resampling(parser)
    add_html(parser)
    add_output(parser)
    arguments.add_plot(parser)


def run(options: argparse.Namespace) -> None:
    """Run the analysis that the options select: of corpora, systems, language pairs or cognates."""
    options.corpora = [*options.corpora, *(options.align or [])]
    _check(options)
    if options.factors is not None:
        _run_factors(options)
    elif options.cognates:
        _run_cognates(options)
    elif options.hyp_align:
        _run_systems(options)
    else:
        _run_corpora(options)


def _check(options: argparse.Namespace) -> None:
    given = {
        "corpora": bool(options.corpora),
        "--hyp-align": bool(options.hyp_align),
        "--factors": options.factors is not None,
        "--cognates": bool(options.cognates),
    }
    modes = [name for name, used in given.items() if used]
    refuse(len(modes) > 1, f"{' and '.join(modes[:2])} cannot be combined; leave out one of them")
    if not modes and not (options.source or options.target):
        raise UsageError("no input; give --source and --target, alignments, --hyp-align, --factors or --cognates")
    both = "--hyp-align and --ref-align compare systems with a reference; give both"
    refuse(bool(options.hyp_align) != bool(options.ref_align), both)
    corpora = options.corpora or (() if modes else options.target or ())
    if options.write_buckets and len(corpora) != 1:
        raise UsageError(f"--write-buckets needs exactly one corpus, but {len(corpora)} were given")
    if options.pairs and not (corpora or options.cognates):
        raise UsageError("--pairs writes measures of corpora or cognates; give corpora or --cognates")
    refuse(options.matrix and options.hyp_align, "--matrix cannot show results of --hyp-align; leave out one of them")
    compared = "--gold needs alignments to compare with the gold alignments; give alignment files"
    refuse(options.gold and not options.corpora, compared)
    refuse(options.gold and options.write_buckets, "--gold and --write-buckets cannot be combined; leave out one")
    if options.html and (options.factors is not None or options.cognates):
        raise UsageError("--html shows sentences, which --factors and --cognates do not have; leave out --html")
    check_html(options)
    refuse(options.step < 1, f"--step must be 1 or more, not {options.step}")


@contextlib.contextmanager
def _segments(path: str | None) -> Iterator[Callable[[dict[str, object], Iterable[dict[str, object]]], None]]:
    """Yield a function that writes records to the ``--segments`` file, if there is one.

    The function takes a dictionary with the name of the corpus or system, which it adds to each record, and the
    records.
    """
    from wordorder.core.runtime.files import atomic_write

    if path is None:
        yield lambda name, records: None
        return
    with atomic_write(path) as target:
        yield lambda name, rows: target.writelines(json.dumps(name | row, ensure_ascii=False) + "\n" for row in rows)


# --- corpora --------------------------------------------------------------------------------------------------------


def _run_corpora(options: argparse.Namespace) -> None:
    from wordorder.apps.profile import Divider, GoldComparer, profile
    from wordorder.apps.profile.sisters import SisterCounter, read_trees
    from wordorder.core.runtime.plain import plain
    from wordorder.report.terminal import page_width

    shortest, longest = _length_range(options.bucket_lengths)
    divider = Divider(side=options.side, shortest=shortest, longest=longest)
    gold = read_gold(options) if options.gold else None
    comparer = GoldComparer(gold, side=options.side) if gold else None
    sisters: dict[str, SisterCounter] = {}
    with _segments(options.segments) as write:

        def visit(corpus: Corpus, measures: Measures) -> None:
            write({"corpus": corpus.name}, measures.records())
            if options.write_buckets:
                divider.add(measures)
            if comparer:
                comparer.add(corpus, measures)
            if options.by == "tree":
                if corpus.name not in sisters:
                    sisters[corpus.name] = SisterCounter(corpus.name, read_trees(corpus))
                sisters[corpus.name].add(measures)

        corpora = read_corpora(options) if options.corpora else align_corpora(options)
        shown = [*([gold] if gold else []), *corpora]
        how = {name: getattr(options, name) for name in ("side", "policy", "vocabulary", "threads")}
        profiles = profile(*shown, visit=visit, **how)
    if options.write_buckets:
        divider.write(options.write_buckets)
    if options.pairs:
        profiles.pairs().write(options.pairs)
    if options.html:
        from wordorder.apps.profile.page import profile_page

        write_html(options, profile_page(profiles, shown, command=options.command, threads=options.threads))
    if options.matrix:
        _print_matrix(profiles.pairs(), options.matrix, options)
        return
    kind = "length" if options.by == "length" else "width"
    arguments.write_plot(options, lambda: profiles.plot(kind, step=options.step))
    compared = comparer.compare(resampling=arguments.resampling(options)) if comparer else None
    by_length = partial(profiles.length_table, step=options.step)
    kinds: dict[str | None, Callable[[], Table]] = {"width": profiles.width_table, "length": by_length}

    def tables() -> dict[str, Table]:
        found = {f"sisters in {name}": each.table() for name, each in sisters.items()}
        found = found or {"profile": kinds.get(options.by, profiles.table)()}
        if options.write_buckets:
            found["buckets"] = divider.table()
        return found if compared is None else found | {"gold": compared.table()}

    def document() -> dict[str, Any]:
        found = profiles.to_dict(step=options.step)
        if options.write_buckets:
            found["buckets"] = [plain(vars(row)) for row in divider.summary()]
        if sisters:
            found["sisters"] = {name: [plain(asdict(pair)) for pair in each.pairs()] for name, each in sisters.items()}
        return found if compared is None else found | {"gold": compared.to_dict()}

    print_result(options, tables, document)
    if for_people(options) and options.by in (None, "width"):
        print("\n" + profiles.histogram(width=page_width(sys.stdout)))


def _print_matrix(pairs: LanguagePairs, column: str, options: argparse.Namespace, *, number: str = ".3f") -> None:
    from wordorder.apps.profile import LanguageMatrix

    matrix = LanguageMatrix.of(pairs, column, number=number)
    arguments.write_plot(options, lambda: pairs.plot(column))
    print_result(options, lambda: {"matrix": matrix.table(), "means": matrix.means_table()}, matrix.to_dict)


def _length_range(text: str) -> tuple[int, int]:
    found = _LENGTHS.fullmatch(text)
    if found is None:
        raise UsageError(f"--bucket-lengths must be a range of sentence lengths such as 20-39, not {text!r}")
    return int(found[1]), int(found[2])


# --- reproduced reorderings -----------------------------------------------------------------------------------------


def _run_systems(options: argparse.Namespace) -> None:
    from wordorder.apps.profile import reproduce

    reference, systems = read_systems(options)
    with _segments(options.segments) as write:
        how: dict[str, Any] = {"side": options.side, "resampling": arguments.resampling(options)}
        found = reproduce(reference, systems, **how, visit=lambda system, records: write({"system": system}, records))
    if options.html:
        from wordorder.apps.profile.page import reproduction_page

        write_html(options, reproduction_page(found, reference, systems, command=options.command))
    arguments.write_plot(options, found.plot)
    print_result(options, found.table, found.to_dict)


# --- factors of difficulty ------------------------------------------------------------------------------------------


def _run_factors(options: argparse.Namespace) -> None:
    from wordorder.apps.profile import europarl, find_factors, read_pairs
    from wordorder.apps.profile.regression import model_table, slope_table

    pairs = read_pairs(options.factors) if options.factors else europarl()
    if options.matrix:
        _print_matrix(pairs, options.matrix, options)
        return
    predictors = options.predictors.split(",") if options.predictors else None
    factors = find_factors(pairs, response=options.response, predictors=predictors)
    arguments.write_plot(options, factors.plot)
    print_result(
        options,
        lambda: {
            "regression": factors.regression_table(),
            "correlation": factors.correlation_table(),
            "multiple": factors.multiple_table(),
        },
        factors.to_dict,
    )
    if options.format != "json":
        # The model comes last: if statsmodels is missing or the table is too small, the other tables are printed.
        found = factors.explain()
        print()
        print_result(options, lambda: {"model": model_table(found), "slopes": slope_table(found)})


# --- similarity of languages ----------------------------------------------------------------------------------------


def _run_cognates(options: argparse.Namespace) -> None:
    from wordorder.apps.profile import read_cognates

    pairs = read_cognates(options.cognates).pairs()
    if options.pairs:
        pairs.write(options.pairs)
    column = options.matrix or "similarity"
    _print_matrix(pairs, column, options, number=".1%" if column == "similarity" else ".0f")


_TEXTS = ("source", "target", "source_lengths", "target_lengths", "source_words", "target_words")


def add_corpora(parser: argparse.ArgumentParser) -> None:
    """Add the options for corpora, and for words whose links are removed before anything is measured."""
    files = "alignment file of a corpus, or folder of aligned treebanks (alignment.json, en.conllu, target.conllu)"
    parser.add_argument("corpora", nargs="*", metavar="[NAME=]ALIGNMENT", help=files)
    about = "alignment files, as an alternative to positional arguments"
    parser.add_argument("--align", nargs="+", metavar="[NAME=]FILE", help=about)
    corpus = parser.add_argument_group(
        "corpora (one file for all corpora, or one for each in the same order; texts without alignments are aligned)"
    )
    for side in ("source", "target"):
        about = f"tokenised {side} text, or a treebank in CoNLL-U format (.conllu)"
        corpus.add_argument(f"--{side}", nargs="+", metavar="FILE", help=about)
    for side in ("source", "target"):
        lengths = f"{side} sentence lengths, one per line"
        corpus.add_argument(f"--{side}-lengths", nargs="+", metavar="FILE", help=lengths)
    characters = (
        "the source split into words (text, .conllu, or bracketed trees in .mrg or .ptb), if links refer to "
        "characters or, with --source, to the tokens of that text"
    )
    corpus.add_argument("--words", "--source-words", nargs="+", dest="source_words", metavar="FILE", help=characters)
    about = "the target split into words, if links refer to its characters (see --words)"
    corpus.add_argument("--target-words", nargs="+", metavar="FILE", help=about)
    arguments.add_settings(corpus, InputOptions, "align_format", "base")
    group = parser.add_argument_group("aligner, for --source and --target without alignments")
    add_aligner(group, aligner={"help": "model1, diagonal, hmm or eflomal (default hmm)"})
    corpus.add_argument("--sure", action="store_true", help="use only sure links; leave out those marked as possible")

    before = parser.add_argument_group("words to unalign first, such as determiners (comma-separated, or @FILE)")
    for side in ("source", "target"):
        before.add_argument(f"--unalign-{side}", metavar="WORDS", help=f"{side} words to unalign, ignoring case")
        about = f"{side} parts of speech whose links are removed (needs a .conllu file)"
        before.add_argument(f"--unalign-{side}-pos", metavar="TAGS", help=about)


def read_corpora(options: argparse.Namespace) -> list[Corpus]:
    """Return the corpora in the options: alignment files with their texts, or folders of aligned treebanks."""
    from wordorder.apps.profile import Corpus

    files = arguments.named_files([item.rstrip("/") or item for item in options.corpora], what="corpora")
    plain = [name for name, path in files.items() if not os.path.isdir(path)]
    texts = {name: _one_for_each(getattr(options, name), plain, name) for name in _TEXTS}
    common = _common(options)
    found = []
    for name, path in files.items():
        own: dict[str, Any] = {text: chosen.get(name) for text, chosen in texts.items()}
        found.append(Corpus(name, path, **own, **common))
    return found


def read_gold(options: argparse.Namespace) -> Corpus:
    """Return the corpus of gold alignments, with the texts of the options unless it is a folder of treebanks."""
    from wordorder.apps.profile import Corpus

    names = () if os.path.isdir(options.gold) else _TEXTS
    texts = _single_files(options, names, "--gold compares alignments of the same sentences")
    common = _common(options) | {"align_format": options.gold_format, "base": options.gold_base}
    return Corpus("gold", options.gold, **texts, **common)


def _single_files(options: argparse.Namespace, names: Sequence[str], reason: str) -> dict[str, Any]:
    """Return the only file, or None, for each of these options; raise an error if one has several files."""
    found = {name: getattr(options, name) or [None] for name in names}
    for name, files in found.items():
        refuse(len(set(files)) > 1, f"{mention(name)} must be a single file, because {reason}")
    return {name: files[0] for name, files in found.items()}


def align_corpora(options: argparse.Namespace) -> list[Corpus]:
    """Align each target text with its source text, and return corpora named after the target texts."""
    from wordorder.apps.profile import align_texts
    from wordorder.linking.aligning import Aligning

    both = "without alignment files, texts are aligned automatically, which needs both --source and --target"
    refuse(not (options.source and options.target), both)
    targets = arguments.named_files(options.target, what="corpora")
    sources = _one_for_each(options.source, list(targets), "source")
    common = _common(options)
    del common["align_format"], common["base"]
    aligning = arguments.settings_from(options, Aligning)
    how = {"aligning": Aligning(**aligning) if aligning else None, "threads": options.threads, **common}
    return [align_texts(name, sources[name], path, **how) for name, path in targets.items()]


def read_systems(options: argparse.Namespace) -> tuple[Corpus, list[Corpus]]:
    """Return the corpora of source→reference and source→hypothesis alignments, which have the same source text."""
    from wordorder.apps.profile import Corpus

    for name in ("target", "target_lengths", "target_words", "unalign_target", "unalign_target_pos"):
        own = "every system has its own target; leave it out"
        refuse(getattr(options, name), f"{mention(name)} cannot be combined with --hyp-align: {own}")
    names = ("source", "source_lengths", "source_words")
    common = _common(options) | _single_files(options, names, "all systems translate the same source")
    reference, *systems = (
        Corpus(name, path, **common)
        for name, path in [("reference", options.ref_align), *arguments.named_files(options.hyp_align).items()]
    )
    return reference, systems


def _one_for_each(files: list[str] | None, corpora: list[str], name: str) -> dict[str, str]:
    """Return the file for each corpus by name: the file at the same position, or the only file for all corpora."""
    if files is None:
        return {}
    refuse(not corpora, f"{mention(name)} cannot be used with aligned treebanks, which include texts; leave it out")
    if len(files) == 1:
        return dict.fromkeys(corpora, files[0])
    counts = f"{count_of(len(files), 'file')} for {count_of(len(corpora), 'corpus', 'corpora')}"
    each = "give one file for all corpora, or one for each in the same order"
    refuse(len(files) != len(corpora), f"{mention(name)} has {counts}; {each}")
    return dict(zip(corpora, files, strict=True))


def _common(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments that are the same for all corpora."""
    from wordorder.apps.profile import Unaligned

    listed = arguments.comma_list
    return {
        "align_format": options.align_format or "pharaoh",
        "base": options.base,
        "sure": options.sure,
        "unalign_source": Unaligned(*map(listed, (options.unalign_source, options.unalign_source_pos))),
        "unalign_target": Unaligned(*map(listed, (options.unalign_target, options.unalign_target_pos))),
    }
