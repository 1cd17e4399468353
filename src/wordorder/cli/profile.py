"""Measure how much two languages reorder: reorderings in word-aligned corpora, side by side.

A reordering is two neighbouring blocks of source words that are in the opposite order in the target; RQuantity is the
number of words in them, divided by the length of the sentence (Birch 2011). With --hyp-align: which reorderings of
the reference did a system reproduce? With --factors: what makes a language pair hard to translate?
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import (
    add_output,
    add_resampling,
    print_json,
    print_result,
    print_table,
    resampling,
    wants_json,
)
from wordorder.cli.corpora import add_corpora, read_corpora, read_systems
from wordorder.cli.pages import add_html, check_html, write_html
from wordorder.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.reordering import Corpus, Measures
    from wordorder.report import Table

HELP = "how much do two languages reorder? reorderings in word-aligned corpora"
EXAMPLES = """\
examples:
  wordorder profile de-en.align --source de.txt --target en.txt
  wordorder profile ja=en-ja.align fr=en-fr.align --source en.txt --target ja.txt fr.txt
  wordorder profile a.align --source-lengths s.len --target-lengths t.len --by length --step 5
  wordorder profile pud/en-jp pud/en-zh pud/en-fr          folders of aligned treebanks
  wordorder profile a.align --source en.txt --target ja.txt --unalign-source the,a,an
  wordorder profile a.align --source en.conllu --target ja.txt --unalign-source-pos DET

test sets by amount of reordering, and systems on each of them:
  wordorder profile ref.align --source src.txt --target ref.txt --buckets buckets.txt
  wordorder score --ref ref.txt --hyp A.txt B.txt --buckets buckets.txt

which reorderings of the reference did systems reproduce?
  wordorder profile --ref-align ref.align --hyp-align A=a.align B=b.align

what makes a language pair hard? (Birch 2011, Tables 4.5 to 4.7; or a table of your own)
  wordorder profile --factors
  wordorder profile --factors pairs.tsv --response bleu --predictors rquantity,similarity
"""

_LENGTHS = re.compile(r"(\d{1,6})-(\d{1,6})")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_corpora(parser)
    add = parser.add_argument_group("what is shown").add_argument
    sides = "where widths and lengths are measured, also for --by and --buckets (default target)"
    add("--side", choices=("target", "source"), default="target", help=sides)
    add("--by", choices=("width", "length"), help="reorderings by width, or RQuantity by length, instead")
    add("--step", type=int, default=10, metavar="N", help="sentence lengths in steps of N (default 10)")
    add("--vocabulary", action="store_true", help="also both vocabularies and their similarity")
    policies = "from alignment to order, for cycles, operators and BLEU in source order (default birch)"
    add("--policy", default="birch", metavar="NAME", help=policies)
    add("--segments", metavar="OUT.jsonl", help="write one JSON object per sentence")

    add = parser.add_argument_group("test sets by amount of reordering (one corpus)").add_argument
    add("--buckets", metavar="OUT", help="write none, low, medium, high or - (outside), one per line")
    add("--bucket-lengths", default="20-39", metavar="A-B", help="sentences of A to B words (default 20-39)")

    add = parser.add_argument_group("reproduced reorderings, instead of corpora").add_argument
    add("--ref-align", metavar="FILE", help="source→reference alignments")
    add("--hyp-align", nargs="+", metavar="FILE", help="source→hypothesis alignments, one per system")

    add = parser.add_argument_group(
        "factors of difficulty, instead of corpora (needs the extra 'analysis')"
    ).add_argument
    tables = "a table 'source target …' of language pairs (default: the 110 Europarl pairs of Birch 2011)"
    add("--factors", nargs="?", const="", metavar="TABLE.tsv", help=tables)
    add("--response", default="bleu", metavar="COLUMN", help="what is explained (default bleu)")
    add("--predictors", metavar="LIST", help="columns that may explain it (default: all others)")
    add_resampling(parser)
    add_html(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Profile, compare or explain, and print."""
    _check(options)
    if options.factors is not None:
        _run_factors(options)
    elif options.hyp_align:
        _run_systems(options)
    else:
        _run_corpora(options)


def _check(options: argparse.Namespace) -> None:
    given = {
        "corpora": bool(options.corpora),
        "--hyp-align": bool(options.hyp_align),
        "--factors": options.factors is not None,
    }
    modes = [name for name, used in given.items() if used]
    if len(modes) > 1:
        raise UsageError(f"{modes[0]} and {modes[1]} do not go together")
    if not modes:
        files = [*(options.source or []), *(options.target or [])]
        hint = "; alignment files come first, before --source and --target" if len(files) > 2 else ""
        raise UsageError(f"nothing to profile: give alignment files, --hyp-align or --factors{hint}")
    if bool(options.hyp_align) != bool(options.ref_align):
        raise UsageError("--hyp-align and --ref-align go together")
    if options.html and options.factors is not None:
        raise UsageError("--html shows sentences; --factors has none")
    check_html(options)
    if options.buckets and len(options.corpora) != 1:
        raise UsageError("--buckets divides the sentences of one corpus; give one")
    if options.step < 1:
        raise UsageError(f"--step must be 1 or more, not {options.step}")


@contextlib.contextmanager
def _segments(path: str | None) -> Iterator[Callable[[dict[str, object], Iterable[dict[str, object]]], None]]:
    """Open the file of sentences, written whole or not at all; yield what writes records of a corpus or system."""
    from wordorder.runtime.files import atomic_write

    if path is None:
        yield lambda whose, records: None
        return
    with atomic_write(path) as target:
        yield lambda whose, records: target.writelines(
            json.dumps(whose | record, ensure_ascii=False) + "\n" for record in records
        )


# --- corpora --------------------------------------------------------------------------------------------------------


def _run_corpora(options: argparse.Namespace) -> None:
    from wordorder.reordering import Divider, profile

    shortest, longest = _length_range(options.bucket_lengths)
    divider = Divider(side=options.side, shortest=shortest, longest=longest)
    with _segments(options.segments) as write:

        def visit(corpus: Corpus, measures: Measures) -> None:
            write({"corpus": corpus.name}, measures.records())
            if options.buckets:
                divider.see(measures)

        settings = ("side", "policy", "vocabulary", "threads")
        how: dict[str, Any] = {name: getattr(options, name) for name in settings}
        corpora = read_corpora(options)
        profiles = profile(*corpora, visit=visit, **how)
    if options.buckets:
        divider.write(options.buckets)
    if options.html:
        from wordorder.explorer.corpora import profile_page

        write_html(options, profile_page(profiles, corpora, command=options.command, threads=options.threads))
    if wants_json(options):
        print_json(profiles.to_dict(step=options.step))
        return
    by_length = partial(profiles.length_table, step=options.step)
    tables: dict[str | None, Callable[[], Table]] = {"width": profiles.width_table, "length": by_length}
    print_table(tables.get(options.by, profiles.table)(), options.format)
    drawn = options.format == "terminal" or (options.format is None and sys.stdout.isatty())
    if drawn and options.by != "length":
        print("\n" + profiles.histogram(width=shutil.get_terminal_size().columns))


def _length_range(text: str) -> tuple[int, int]:
    found = _LENGTHS.fullmatch(text)
    if found is None:
        raise UsageError(f"--bucket-lengths must look like 20-39, not {text!r}")
    return int(found[1]), int(found[2])


# --- reproduced reorderings -----------------------------------------------------------------------------------------


def _run_systems(options: argparse.Namespace) -> None:
    from wordorder.reordering import reproduce

    reference, systems = read_systems(options)
    with _segments(options.segments) as write:

        def visit(system: str, records: Iterator[dict[str, object]]) -> None:
            write({"system": system}, records)

        found = reproduce(reference, systems, side=options.side, resampling=resampling(options), visit=visit)
    if options.html:
        from wordorder.explorer.corpora import reproduction_page

        write_html(options, reproduction_page(found, reference, systems, command=options.command))
    print_result(options, found.to_dict, found.table)


# --- factors of difficulty ------------------------------------------------------------------------------------------


def _run_factors(options: argparse.Namespace) -> None:
    from wordorder.reordering import europarl, find_factors, read_pairs
    from wordorder.reordering.factors import model_table

    pairs = read_pairs(options.factors) if options.factors else europarl()
    predictors = options.predictors.split(",") if options.predictors else None
    factors = find_factors(pairs, response=options.response, predictors=predictors)
    if wants_json(options):
        print_json(factors.to_dict())
        return
    for table in (factors.regression_table(), factors.correlation_table()):
        print_table(table, options.format)
        print()
    # The model last: without statsmodels, or with a table too small for it, the rest is there.
    print_table(model_table(factors.explain()), options.format)
