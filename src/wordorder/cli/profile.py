"""Measure how much two languages reorder: reorderings in word-aligned corpora, side by side.

A reordering is two neighbouring blocks of source words that stand in the other order in the target; RQuantity is the
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
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from wordorder.cli.arguments import add_output, add_resampling, print_json, wants_json
from wordorder.cli.corpora import add_corpora, read_corpora, read_systems
from wordorder.runtime.errors import UsageError

if TYPE_CHECKING:
    from wordorder.reordering import Corpus, Measures, Profiles
    from wordorder.reordering.systems import SystemBlock

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
    what = parser.add_argument_group("what is shown")
    what.add_argument(
        "--side",
        choices=("target", "source"),
        default="target",
        help="where widths and lengths are measured, also for --by and --buckets (default target)",
    )
    what.add_argument(
        "--by", choices=("width", "length"), help="reorderings by width, or RQuantity by length, instead"
    )
    what.add_argument("--step", type=int, default=10, metavar="N", help="sentence lengths in steps of N (default 10)")
    what.add_argument("--vocabulary", action="store_true", help="also both vocabularies and their similarity")
    what.add_argument(
        "--policy",
        default="birch",
        metavar="NAME",
        help="from alignment to order, for cycles, operators and BLEU in source order (default birch)",
    )
    what.add_argument("--segments", metavar="OUT.jsonl", help="write one JSON object per sentence")

    sets = parser.add_argument_group("test sets by amount of reordering (one corpus)")
    sets.add_argument("--buckets", metavar="OUT", help="write none, low, medium, high or - (outside), one per line")
    sets.add_argument(
        "--bucket-lengths", default="20-39", metavar="A-B", help="sentences of A to B words (default 20-39)"
    )

    systems = parser.add_argument_group("reproduced reorderings, instead of corpora")
    systems.add_argument("--ref-align", metavar="FILE", help="source→reference alignments")
    systems.add_argument(
        "--hyp-align", nargs="+", metavar="FILE", help="source→hypothesis alignments, one per system"
    )

    factors = parser.add_argument_group("factors of difficulty, instead of corpora (needs the extra 'analysis')")
    factors.add_argument(
        "--factors",
        nargs="?",
        const="",
        metavar="TABLE.tsv",
        help="a table 'source target …' of language pairs (default: the 110 Europarl pairs of Birch 2011)",
    )
    factors.add_argument("--response", default="bleu", metavar="COLUMN", help="what is explained (default bleu)")
    factors.add_argument("--predictors", metavar="LIST", help="columns that may explain it (default: all others)")
    add_resampling(parser)
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
    modes = [
        name
        for name, given in (
            ("corpora", bool(options.corpora)),
            ("--hyp-align", bool(options.hyp_align)),
            ("--factors", options.factors is not None),
        )
        if given
    ]
    if len(modes) > 1:
        raise UsageError(f"{modes[0]} and {modes[1]} do not go together")
    if not modes:
        files = [*(options.source or []), *(options.target or [])]
        hint = "; alignment files come first, before --source and --target" if len(files) > 2 else ""
        raise UsageError(f"nothing to profile: give alignment files, --hyp-align or --factors{hint}")
    if bool(options.hyp_align) != bool(options.ref_align):
        raise UsageError("--hyp-align and --ref-align go together")
    if options.buckets and len(options.corpora) != 1:
        raise UsageError("--buckets divides the sentences of one corpus; give one")
    if options.step < 1:
        raise UsageError(f"--step must be 1 or more, not {options.step}")


# --- corpora --------------------------------------------------------------------------------------------------------


def _run_corpora(options: argparse.Namespace) -> None:
    from wordorder.reordering import Divider, profile
    from wordorder.report import print_table

    shortest, longest = _length_range(options.bucket_lengths)
    divider = Divider(side=options.side, shortest=shortest, longest=longest)
    with _opened(options.segments) as target:

        def visit(corpus: Corpus, measures: Measures) -> None:
            if target is not None:
                for record in measures.records():
                    target.write(json.dumps({"corpus": corpus.name} | record, ensure_ascii=False) + "\n")
            if options.buckets:
                divider.see(measures)

        profiles = profile(
            *read_corpora(options),
            side=options.side,
            policy=options.policy,
            vocabulary=options.vocabulary,
            threads=options.threads,
            visit=visit,
        )
    if options.buckets:
        divider.write(options.buckets)
    if wants_json(options):
        print_json(profiles.to_json(step=options.step))
        return
    if options.by == "width":
        table = profiles.width_table()
    elif options.by == "length":
        table = profiles.length_table(step=options.step)
    else:
        table = profiles.table()
    print_table(table, options.format)
    _draw(profiles, options)


def _draw(profiles: Profiles, options: argparse.Namespace) -> None:
    drawn = options.format == "terminal" or (options.format is None and sys.stdout.isatty())
    if drawn and options.by != "length":
        print("\n" + profiles.histogram(width=shutil.get_terminal_size().columns))


def _length_range(text: str) -> tuple[int, int]:
    found = _LENGTHS.fullmatch(text)
    if found is None:
        raise UsageError(f"--bucket-lengths must look like 20-39, not {text!r}")
    return int(found[1]), int(found[2])


@contextlib.contextmanager
def _opened(path: str | None) -> Iterator[IO[str] | None]:
    """Open a file that is written whole or not at all; no path, no file."""
    from wordorder.runtime.files import atomic_write

    if path is None:
        yield None
        return
    with atomic_write(path) as target:
        yield target


# --- reproduced reorderings -----------------------------------------------------------------------------------------


def _run_systems(options: argparse.Namespace) -> None:
    from wordorder.reordering import reproduce
    from wordorder.report import print_table
    from wordorder.scoring import Resampling

    reference, systems = read_systems(options)
    with _opened(options.segments) as target:

        def visit(system: str, block: SystemBlock) -> None:
            if target is not None:
                for record in block.records():
                    target.write(json.dumps({"system": system} | record, ensure_ascii=False) + "\n")

        found = reproduce(
            reference,
            systems,
            side=options.side,
            resampling=Resampling(options.samples, options.seed, options.threads),
            visit=visit,
        )
    if wants_json(options):
        print_json(found.to_json())
    else:
        print_table(found.table(), options.format)


# --- factors of difficulty ------------------------------------------------------------------------------------------


def _run_factors(options: argparse.Namespace) -> None:
    from wordorder.reordering import europarl, find_factors, read_pairs
    from wordorder.reordering.difficulty import model_table
    from wordorder.report import print_table

    pairs = read_pairs(options.factors) if options.factors else europarl()
    predictors = options.predictors.split(",") if options.predictors else None
    factors = find_factors(pairs, response=options.response, predictors=predictors)
    if wants_json(options):
        print_json(factors.to_json())
        return
    for table in (factors.regression_table(), factors.correlation_table()):
        print_table(table, options.format)
        print()
    # The model last: without statsmodels, or with a table too small for it, the rest is there.
    print_table(model_table(factors.explain()), options.format)
