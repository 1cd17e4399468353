"""Command-line arguments shared by the ``preorder`` commands: parses, reference orders and rule sets."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

from wordorder.cli.arguments import add_settings, named_files
from wordorder.core.runtime.errors import InputError, LengthError, UsageError, count_of, refuse, reject
from wordorder.scoring.options import InputOptions

if TYPE_CHECKING:
    from wordorder.apps.preorder import CrossValidation, Reference, RuleSet
    from wordorder.core.orders import Alignments
    from wordorder.core.text import Tokens
    from wordorder.core.trees import DependencyTrees, ParseLists

LEARNED = "learned"
_TREEBANK = "en.conllu, target.conllu and alignment.json"


def add_parses(parser: argparse.ArgumentParser, *, several: bool) -> None:
    """Add the options for parses, which come from files, from an aligned treebank or from parsing the source text.

    With ``several``, parses by several parsers can be given.
    """
    naming, count = (" (a parser may be named: NAME=FILE)", "+") if several else ("", 1)
    add = parser.add_argument_group(f"parsed source sentences{naming}").add_argument
    add("--parses", metavar="FILE", nargs=count, help="dependency trees")
    formats = (
        "conllu, or constituency trees that are converted to dependencies: brackets (one tree per sentence) or nbest "
        "(lists, of which the likeliest parse is used); default: recognised from the content; conllu for standard "
        "input"
    )
    add("--parse-format", choices=("conllu", "brackets", "nbest"), help=formats)
    add("--treebank", metavar="FOLDER", help=f"an aligned treebank: a folder with {_TREEBANK}")
    add("--source", metavar="FILE", help="tokenised text to parse with --parser or --spacy")
    add("--parser", metavar="FILE", nargs=count, help="parse --source with a parser made by 'wordorder parse train'")
    add("--spacy", metavar="MODEL", nargs=count, help="parse --source with this spaCy pipeline")


def add_gold(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--gold`` for a file of gold trees."""
    parser.add_argument("--gold", metavar="FILE", help="gold trees (CoNLL-U), to measure the accuracy of the parses")


def add_reference(parser: argparse.ArgumentParser) -> None:
    """Add the options for reference orders, which are either derived from alignments or read from a file."""
    group = parser.add_argument_group("reference orders")
    group.add_argument("--align", metavar="FILE", help="word alignments of source and target")
    add_settings(group, InputOptions, "align_format", "base", align_format={"default": "pharaoh"})
    policies = "how to convert alignments to orders: talbot (default), birch, attach-left, attach-right or drop"
    group.add_argument("--policy", default="talbot", metavar="NAME", help=policies)
    about = "reference orders written by 'wordorder preorder reference', instead of --align"
    group.add_argument("--reference", metavar="FILE", help=about)
    matched = (
        "which instance of a repeated word is used in the reference: the first unused one, as in the paper (words, "
        "default), or the one at its own source position (positions)"
    )
    group.add_argument("--instances", choices=("words", "positions"), default="words", help=matched)


METRICS = "order metrics (default fuzzy,kendall,kendall-sqrt,pef); see 'wordorder metrics'"


def add_rules(parser: argparse.ArgumentParser, *, several: bool) -> None:
    """Add the option ``--rules``.

    It takes one rule set or, with ``several``, any number of them; then the options for learning rules are added too.
    """
    about = "a rule file or a built-in set: r1 … r5, head-initial-r3 …; see 'wordorder preorder rules'"
    if not several:
        parser.add_argument("--rules", required=True, metavar="RULES", help=about)
        return
    about += f"; '{LEARNED}': rules learned from the same data in cross-validation"
    parser.add_argument("--rules", nargs="+", required=True, metavar="[NAME=]RULES", help=about)
    add_learning(parser)


def add_learning(parser: argparse.ArgumentParser) -> None:
    """Add the options for learning rules."""
    add = parser.add_argument_group("learned rules").add_argument
    add("--folds", type=int, default=10, metavar="N", help="number of cross-validation folds (default 10)")
    about = "smallest number of examples from which to learn a label, rule or move (default 5)"
    add("--least", type=int, default=5, metavar="N", help=about)
    parts = "keep only rules that help on held-out sentences, using N parts (default 3; 0: keep all rules)"
    add("--parts", type=int, default=3, metavar="N", help=parts)
    add("--learn-metric", default="fuzzy", metavar="METRIC", help="metric that rules must improve (default fuzzy)")


def read_parses(options: argparse.Namespace) -> dict[str, DependencyTrees]:
    """Return the parses by parser name; all parsers must have parsed the same words."""
    from wordorder.apps.preorder import share_words
    from wordorder.core.trees import best_trees
    from wordorder.formats import conllu, parse_lists
    from wordorder.linking.parsing import parse_with_spacy

    parses: dict[str, DependencyTrees] = {}
    if options.treebank:
        path = os.path.join(options.treebank, "en.conllu")
        refuse(not os.path.isfile(path), f"{options.treebank} has no en.conllu; expected a folder with {_TREEBANK}")
        parses["gold"] = conllu.read(path)
    for name, path in _named(options.parses or [], "parsers", suffix=".conllu", taken=parses).items():
        form = options.parse_format or guess_format(path)
        if form == "conllu":
            parses[name] = conllu.read(path)
        else:
            parses[name] = best_trees(parse_lists.read_dependencies(path, format=form))
        reject(not len(parses[name]), "the file contains no sentences", path=path)
    needs_text = options.parser or options.spacy
    refuse(needs_text and not options.source, "--parser and --spacy need the text to parse; add --source FILE")
    unused = options.source and not needs_text
    refuse(unused, "--source can only be used with --parser or --spacy")
    for name, path in _named(options.parser or [], "parsers", suffix=".parser", taken=parses).items():
        parses[name] = best_trees(parse_source(options.source, path))
    if options.spacy:
        sentences = _words(options.source)
        for name, model in _named(options.spacy, "parsers", taken=parses).items():
            parses[name] = best_trees(parse_with_spacy(sentences, model=model))
    refuse(not parses, "no parses were given; use --parses, --treebank, or --source with --parser or --spacy")
    return share_words(parses)


def parse_source(source: str, parser: str, *, n: int = 1) -> ParseLists[DependencyTrees]:
    """Parse a tokenised text or the words of a treebank with a trained dependency parser.

    Return a list of up to ``n`` parses for each sentence.
    """
    from wordorder.linking.parsing.transition import load

    return load(parser).parse(_words(source), n=n)


def guess_format(path: str) -> str:
    """Guess the format of a file of parses from its content; standard input is assumed to be CoNLL-U."""
    from wordorder.formats import parse_lists

    return "conllu" if path == "-" else parse_lists.guess_format(path)


def read_reference(options: argparse.Namespace, trees: DependencyTrees) -> Reference:
    """Return the reference orders of the sentences whose parses are ``trees``."""
    from wordorder.apps.preorder import Reference
    from wordorder.core.orders.projection import place
    from wordorder.formats import reference_orders

    if options.reference:
        if options.align or options.policy != "talbot":
            raise UsageError("--reference already gives the reference orders; leave out --align and --policy")
        places = reference_orders.read(options.reference, trees)
    else:
        places = place(read_links(options, trees)[0], policy=options.policy)
    return Reference.of(places, trees, instances=options.instances)


def read_links(options: argparse.Namespace, trees: DependencyTrees) -> tuple[Alignments, Tokens | None]:
    """Return the word alignments and the target words (None if unknown), from files or an aligned treebank."""
    import numpy as np

    from wordorder.core.orders import Alignments
    from wordorder.formats import pud, read_alignments

    treebank = getattr(options, "treebank", None)
    target = _words(options.target) if getattr(options, "target", None) else None
    if options.align:
        form = {"format": options.align_format or "pharaoh", "base": options.base}
        blocks = read_alignments(options.align, **form, source_lengths=trees.lengths.astype(np.int32))
        try:
            alignments = Alignments.concatenate(list(blocks))
        except LengthError as error:
            files = next(filter(None, (getattr(options, name, None) for name in ("parses", "source", "gold"))))
            files = files if isinstance(files, str) else " ".join(files)
            message = f"{error.message}; is this the alignment of {files}, sentence by sentence?"
            raise InputError(message, path=error.path, line=error.line) from None
    elif treebank:
        gold = pud.read(treebank)
        alignments, target = gold.alignments, target or gold.target
    else:
        raise UsageError("no reference orders were given; add --align, --reference or --treebank")
    if len(alignments) != len(trees):
        found = f"found {count_of(len(alignments), 'alignment')} for {count_of(len(trees), 'parsed sentence')}"
        raise InputError(found, path=options.align or treebank)
    return alignments, target


def read_target_trees(options: argparse.Namespace) -> DependencyTrees:
    """Return the dependency trees of the target text, read from ``--target`` or from the treebank."""
    from wordorder.formats import conllu

    path = options.target or (os.path.join(options.treebank, "target.conllu") if options.treebank else None)
    if path is None or not path.removesuffix(".gz").endswith(".conllu"):
        raise UsageError("--particle-pos needs a parsed target text; add --target FILE.conllu")
    return conllu.read(path)


def read_rules(
    options: argparse.Namespace, items: list[str], *, taken: Container[str] = ()
) -> dict[str, RuleSet | CrossValidation]:
    """Return the rule sets by name; the set in the file ``mine.rules`` is named ``mine``.

    Rules that have yet to be learned are represented by the settings for learning them.
    """
    from wordorder.apps.preorder import load_rules

    return {
        name: read_learning(options) if source == LEARNED else load_rules(source, others=[LEARNED])
        for name, source in _named(items, "rule sets", suffix=".rules", taken=taken).items()
    }


def read_learning(options: argparse.Namespace) -> CrossValidation:
    """Return the settings for learning and cross-validating rules."""
    from wordorder.apps.preorder import CrossValidation, Learner

    return CrossValidation(options.folds, Learner(options.least, options.learn_metric, options.parts))


def print_cautions(rule_sets: Mapping[str, RuleSet | CrossValidation], parses: Mapping[str, DependencyTrees]) -> None:
    """Print warnings about the rule sets and parses to standard error."""
    from wordorder.apps.preorder import find_cautions

    for caution in find_cautions(rule_sets, parses):
        print(f"wordorder: {caution}", file=sys.stderr)


def _named(items: list[str], what: str, *, suffix: str = "", taken: Container[str] = ()) -> dict[str, str]:
    """Return files by name; an item is ``NAME=FILE``, or ``FILE`` to use the file name without its suffix."""
    found: dict[str, str] = {}
    for written, source in named_files(items, what=what).items():
        name = written.removesuffix(suffix)
        if name in found or name in taken:
            raise UsageError(f"two {what} have the name {name!r}; rename one of them, as in NAME={source}")
        found[name] = source
    return found


def _words(path: str) -> Tokens:
    """Return the words of a file, which is a tokenised text or a treebank in CoNLL-U."""
    from wordorder.core.runtime.files import without_packing
    from wordorder.core.text import encode
    from wordorder.formats import conllu, text
    from wordorder.formats.reference_orders import tokens_of

    if without_packing(path).endswith(".conllu"):
        return tokens_of(conllu.read(path))
    return encode(text.read(path), whitespace="ascii")[0]
