"""Align the words of parallel text with a newly trained or a saved model, and write or evaluate the links.

examples:
  wordorder align --source s.txt --target t.txt -o st.align
  wordorder align --bitext st.src-tgt --train-source big.s --train-target big.t -o st.align --threads 0
  wordorder align --train-source big.s --train-target big.t --save st.model
  wordorder align --source s.txt --target t.txt --align-model st.model --posteriors -o st.probabilities
  wordorder align --source s.txt --target t.txt --gold gold.talp --gold-format talp
  wordorder align --align neural.align --gold gold.talp --gold-format talp     evaluate existing links
  wordorder align --source s.txt --target t.txt --lexicon eng-fra -o st.align      with an installed dictionary
  wordorder align --gold xl-wa:en-ru.tsv --train-source big.en --train-target big.ru      text and gold in one file
  wordorder align --gold pud:en-fr --aligner hmm                                          a treebank folder

Text is split at whitespace and aligned in lower case. The aligner learns from the text to align and any training
text. Links are written 0-based, source-target, one line per sentence pair.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import add_settings, add_threads, settings_from
from wordorder.cli.inputs import add_aligner, add_gold_alignments
from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import InputError, UsageError, count_of, mention, refuse
from wordorder.core.runtime.plain import plain
from wordorder.scoring.options import InputOptions

if TYPE_CHECKING:
    from wordorder.core.orders import Alignments
    from wordorder.core.text import Tokens
    from wordorder.formats.gold import Gold
    from wordorder.linking.aligning import Aligner

COMMON = (
    "source target bitext aligner symmetrise align_model train_source train_target lexicon save gold tokenize output "
    "threads"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    text = parser.add_argument_group("text")
    add = text.add_argument
    add("--source", metavar="FILE", help="source sentences, one per line")
    add("--target", metavar="FILE", help="target sentences, one per line")
    both = "both sides in one file, one sentence pair per line: source ||| target (as in fast_align)"
    add("--bitext", metavar="FILE", help=both)
    add_settings(text, InputOptions, "tokenize", "join_subwords", tokenize={"default": "none"})
    add("--keep-case", action="store_true", help="do not lower-case")
    add("--align", metavar="FILE", help="evaluate these existing links instead of aligning text")
    add_settings(text, InputOptions, "align_format", "base", align_format={"default": "pharaoh"})

    model = parser.add_argument_group("aligner")
    add_aligner(model, aligner={"help": "model1, diagonal, hmm or eflomal (default hmm)"})
    add = model.add_argument
    add("--iterations", type=int, default=5, metavar="N", help="training iterations of each model (default 5)")
    add("--save", metavar="FILE", help="save the model to this file, for later use with --align-model")
    add_threads(model)

    group = parser.add_argument_group("result")
    group.add_argument("-o", "--output", metavar="FILE", help="file for the links (default: standard output)")
    group.add_argument("--posteriors", action="store_true", help="write every likely link with its probability")
    add_gold_alignments(group, "gold alignments: print precision, recall and alignment error rate")
    partial = "ignore words that the gold file does not mention (always on for pud)"
    group.add_argument("--partial", action="store_true", help=partial)
    add_output(parser, file=False)


def run(options: argparse.Namespace) -> None:
    """Align the text and write the links, or compare links with gold alignments."""
    _check(options)
    if options.align:
        links, gold = _read_both(options)
        _evaluate(links, gold, options)
        return
    texts = _texts(options)
    given = None
    if options.gold:  # read before training, which would be wasted if the file is wrong
        lengths = {f"{side}_lengths": texts[side].lengths for side in ("source", "target")}
        given = _read_gold(options, **lengths)
    aligner = _aligner(options, texts)
    if options.save:
        aligner.save(options.save)
    if "source" not in texts:
        return
    pair = texts["source"], texts["target"]
    if options.posteriors and (options.output or given is None):
        _write(aligner.posteriors(*pair, threads=options.threads), options)
    how: Any = {"symmetrise": options.symmetrise, "threads": options.threads}
    if given is None:
        if not options.posteriors:
            _write(aligner.align_parts(*pair, **how), options)
        return
    links = aligner.align(*pair, **how)
    if not options.posteriors and options.output:
        _write(replace(links, probability=None), options)
    _evaluate(links, given, options)


def _check(options: argparse.Namespace) -> None:
    """Raise an error for unknown aligners and for options that cannot be combined, before reading anything."""
    sides = [options.source, options.target]
    has_text = bool(options.bitext or options.source)
    model = options.align_model or options.save or options.train_source
    lacks_text = not options.align and not has_text
    refuse(options.bitext and any(sides), "--bitext contains both sides; leave out --source and --target")
    refuse(any(sides) and not all(sides), "--source and --target must be given together")
    refuse(bool(options.train_source) != bool(options.train_target), "give both --train-source and --train-target")
    if options.align_model and (options.save or options.train_source):
        raise UsageError("--align-model uses a model unchanged, so it cannot be used with --save or training text")
    refuse(options.align and not options.gold, "--align requires --gold, because it evaluates existing links")
    only = "--align evaluates existing links, so it cannot be combined with texts to align or with models"
    refuse(options.align and (has_text or model), only)
    if options.align and (options.output or options.posteriors):
        raise UsageError("--align only evaluates links, so it cannot be combined with -o or --posteriors")
    if lacks_text and not (options.gold and _gold_has_text(options)):
        if not (options.train_source and options.save):
            raise UsageError(
                "nothing to align; give --source and --target, or --bitext (or, to train a model, training text and "
                "--save)"
            )
        if options.output or options.gold or options.posteriors:
            raise UsageError("no text to align; -o, --gold and --posteriors need --source and --target, or --bitext")
    from wordorder.linking.aligning import Aligning

    how = Aligning(**settings_from(options, Aligning))  # raises an error for unknown names
    options.aligner, options.symmetrise = how.aligner, how.symmetrise


def _gold_has_text(options: argparse.Namespace) -> bool:
    from wordorder.formats.gold import has_text

    return has_text(options.gold, options.gold_format)


def _texts(options: argparse.Namespace) -> dict[str, Tokens]:
    """Read and tokenise all texts; return their tokens by name, with one vocabulary for all of them."""
    from wordorder.core.text import tokenise
    from wordorder.core.text.checks import check_texts, warn_about
    from wordorder.core.text.tokenizers import join_subwords, refuse_long_sentences
    from wordorder.core.text.tokens import lower
    from wordorder.formats import text

    lines: dict[str, Any] = {}
    if options.bitext:
        lines["source"], lines["target"] = text.read_bitext(options.bitext)
    elif options.gold and not options.source and _gold_has_text(options):
        from wordorder.formats.gold import read_texts

        lines["source"], lines["target"] = read_texts(options.gold, options.gold_format)
    for side in ("source", "target", "train_source", "train_target"):
        if getattr(options, side):
            lines[side] = text.read(getattr(options, side))
    for one, two in (("source", "target"), ("train_source", "train_target")):
        if one in lines and len(lines[one]) != len(lines[two]):
            left, right = getattr(options, one), getattr(options, two)
            raise InputError(f"{left} has {count_of(len(lines[one]), 'line')}, but {right} has {len(lines[two])}")
    if options.join_subwords:
        lines = {name: join_subwords(column) for name, column in lines.items()}
    sides = [[name for name in lines if name.endswith(side)] for side in ("source", "target")]
    warn_about(check_texts(lines, options.tokenize, together=sides))
    for name, column in lines.items():
        path = getattr(options, name) or options.bitext or options.gold
        refuse_long_sentences(column, path, range(1, len(column) + 1), tokenizer=options.tokenize)
    columns = tokenise(list(lines.values()), tokenizer=options.tokenize)
    if not options.keep_case:
        columns = lower(columns)
    return dict(zip(lines, columns, strict=True))


def _aligner(options: argparse.Namespace, texts: dict[str, Tokens]) -> Aligner:
    from wordorder.core.text import Tokens
    from wordorder.linking import aligning

    if options.align_model:
        return aligning.load(options.align_model)
    sides = [
        Tokens.concatenate([texts[name] for name in names if name in texts])
        for names in (("train_source", "source"), ("train_target", "target"))
    ]
    how: Any = {"iterations": options.iterations, "lexicon": options.lexicon, "threads": options.threads}
    return aligning.train(*sides, model=options.aligner, **how)


def _write(links: Alignments | Iterable[Alignments], options: argparse.Namespace) -> None:
    from wordorder.formats import write_alignments

    write_alignments(options.output or "-", links)


def _evaluate(links: Alignments, gold: Gold, options: argparse.Namespace) -> None:
    """Print the precision, recall and alignment error rate of links compared with gold alignments."""
    from wordorder.formats.gold import is_partial
    from wordorder.linking.aligning import error_rate
    from wordorder.report import Table

    if len(gold.alignments) != len(links):
        expected = count_of(len(links), "gold alignment")
        message = f"expected {expected}, one for each alignment, found {len(gold.alignments)}"
        raise InputError(message, path=options.gold)
    partial = options.partial or is_partial(options.gold, options.gold_format)
    rate = error_rate(links, gold.alignments, counted=gold.touched(links) if partial else None)
    found = {
        "precision": rate.precision,
        "recall": rate.recall,
        "aer": rate.aer,
        "links": int(rate.found.sum()),
        "sure": int(rate.sure.sum()),
        "sentences": len(rate),
    }
    notes = ["partial gold: links of unannotated words are not counted"] if partial else []
    # If the links are written to standard output, the rates go to standard error.
    file = sys.stderr if (options.output or "").rpartition(":")[2] == "-" else sys.stdout
    table = Table.of("", list(found), [list(found.values())], notes=notes)
    print_result(options, lambda: table, lambda: plain(found), file=file)


def _read_both(options: argparse.Namespace) -> tuple[Alignments, Gold]:
    """Read the links and the gold links, adding the empty alignments that NAACL format omits at the end."""
    from wordorder.formats import AlignmentFile

    links = _read(options.align, format=options.align_format, base=options.base)
    gold = _read_gold(options)
    if AlignmentFile.parse(options.align, format=options.align_format).format == "naacl":
        links = _filled(links, len(gold.alignments))
    if AlignmentFile.parse(options.gold, format=options.gold_format).format == "naacl":
        gold = gold.filled(_filled(gold.alignments, len(links)))
    return links, gold


def _read_gold(options: argparse.Namespace, **lengths: Any) -> Gold:
    """Read gold links; error messages about the base mention ``--gold-base`` instead of ``--base``."""
    from wordorder.formats import gold

    try:
        return gold.read(options.gold, format=options.gold_format, base=options.gold_base, **lengths)
    except InputError as error:
        message = error.message
        for base in (0, 1):
            message = message.replace(mention("base", base), mention("gold_base", base))
        raise InputError(message, path=error.path, line=error.line) from None


def _read(path: str, **how: Any) -> Alignments:
    """Read a whole alignment file into one column."""
    from wordorder.core.orders import Alignments
    from wordorder.formats import read_alignments

    return Alignments.concatenate(list(read_alignments(path, **how)))


def _filled(column: Alignments, rows: int) -> Alignments:
    from wordorder.core.orders import Alignment, Alignments

    return Alignments.concatenate([column, Alignments.of([Alignment(())] * (rows - len(column)))])
