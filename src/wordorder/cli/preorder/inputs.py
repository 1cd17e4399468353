"""Parsed sentences and their reference orders as the command line takes them."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from wordorder.cli.arguments import add_link_format, named_files
from wordorder.runtime.errors import InputError, UsageError

if TYPE_CHECKING:
    from wordorder.orders import Alignments
    from wordorder.preordering import Reference
    from wordorder.text import Tokens
    from wordorder.trees import DependencyTrees

_GOLD_TREES = "en.conllu"


def add_parses(parser: argparse.ArgumentParser, *, several: bool) -> None:
    """Add where parses come from: files, an aligned treebank or an installed parser."""
    group = parser.add_argument_group(
        "parsed source sentences" + (" (a parser may be named: NAME=FILE)" if several else "")
    )
    count = "+" if several else None
    group.add_argument("--trees", metavar="FILE", nargs=count, help="dependency trees")
    group.add_argument(
        "--trees-format",
        choices=("conllu", "brackets", "nbest"),
        help="conllu, or constituency trees in brackets or lists, turned into dependencies; of lists the likeliest "
        "parse (default: as the file looks; conllu on standard input)",
    )
    group.add_argument(
        "--treebank",
        metavar="FOLDER",
        help="a folder with en.conllu, target.conllu and alignment.json: trees and links",
    )
    group.add_argument("--source", metavar="FILE", help="tokenised source text, for --spacy")
    group.add_argument("--spacy", metavar="MODEL", nargs=count, help="parse --source with this spaCy pipeline")


def add_reference(parser: argparse.ArgumentParser) -> None:
    """Add where reference orders come from."""
    group = parser.add_argument_group("reference orders")
    group.add_argument("--align", metavar="FILE", help="word alignments of source and target")
    add_link_format(group)
    group.add_argument(
        "--policy",
        default="talbot",
        metavar="NAME",
        help="from alignment to order: talbot (default), birch, attach-left, attach-right, drop",
    )
    group.add_argument("--reference", metavar="FILE", help="edited orders (from 'preorder reference'), not --align")
    group.add_argument(
        "--instances",
        choices=("words", "positions"),
        default="words",
        help="a repeated word takes the first free instance of itself in the reference, as in the paper (default), "
        "or is the one it was in the source",
    )


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """Add ``--metrics``."""
    parser.add_argument(
        "--metrics",
        "-m",
        metavar="LIST",
        help="comma-separated order metrics (default fuzzy,kendall,kendall-sqrt,pef); see 'wordorder metrics'",
    )


def read_parses(options: argparse.Namespace) -> dict[str, DependencyTrees]:
    """Read the parses of every parser; all have the same words."""
    from wordorder.formats import conllu, nbest_parses
    from wordorder.parsing import parse_with_spacy
    from wordorder.preordering import share_words
    from wordorder.trees import best_trees

    parses: dict[str, DependencyTrees] = {}
    if options.treebank:
        parses["gold"] = conllu.read(_within(options.treebank, _GOLD_TREES))
    for name, path in named_files(_many(options.trees), what="parsers").items():
        name = name.removesuffix(".conllu")
        if name in parses:
            raise UsageError(f"two parsers are called {name!r}; name them: NAME={path}")
        form = options.trees_format or ("conllu" if path == "-" else nbest_parses.guess_format(path))
        if form == "conllu":
            parses[name] = conllu.read(path)
        else:
            parses[name] = best_trees(nbest_parses.read_dependencies(path, format=form))
        if not len(parses[name]):
            raise InputError("holds no sentence", path=path)
    if options.spacy:
        if not options.source:
            raise UsageError("--spacy parses the text of --source; give it")
        sentences = _words(options.source)
        for name, model in named_files(_many(options.spacy), what="parsers").items():
            if name in parses:
                raise UsageError(f"two parsers are called {name!r}; name them: NAME={model}")
            parses[name] = best_trees(parse_with_spacy(sentences, model=model))
    elif options.source:
        raise UsageError("--source is for --spacy; parses from --trees have their words")
    if not parses:
        raise UsageError("nothing is parsed: give --trees, --treebank or --spacy with --source")
    return share_words(parses)


def read_reference(options: argparse.Namespace, trees: DependencyTrees) -> Reference:
    """Read reference orders for the words of these trees."""
    from wordorder.formats import reference_orders
    from wordorder.orders.projection import place
    from wordorder.preordering import Reference

    if options.reference:
        if options.align or options.policy != "talbot":
            raise UsageError("--reference holds orders; --align and --policy do not go with it")
        places = reference_orders.read(options.reference, trees)
    else:
        places = place(read_links(options, trees)[0], policy=options.policy)
    return Reference.of(places, trees, instances=options.instances)


def read_links(options: argparse.Namespace, trees: DependencyTrees) -> tuple[Alignments, Tokens | None]:
    """Read the links of the sentences, from a file or an aligned treebank, and the target where it is known."""
    import numpy as np

    from wordorder.formats import pud, read_alignments
    from wordorder.orders import Alignments

    treebank = getattr(options, "treebank", None)
    target = _words(options.target) if getattr(options, "target", None) else None
    if options.align:
        counted = trees.lengths.astype(np.int32)
        blocks = read_alignments(
            options.align, format=options.align_format, base=options.base, source_lengths=counted
        )
        alignments = Alignments.concatenate(list(blocks))
    elif treebank:
        gold = pud.read(treebank)
        alignments, target = gold.alignments, target or gold.target
    else:
        raise UsageError("no reference orders: give --align, --reference or --treebank")
    if len(alignments) != len(trees):
        raise InputError(
            f"{options.align or treebank}: {len(alignments)} alignments for {len(trees)} parsed sentences"
        )
    return alignments, target


def _words(path: str) -> Tokens:
    """Read the words of a tokenised text or of a treebank."""
    from wordorder.formats import conllu, text
    from wordorder.formats.reference_orders import tokens_of
    from wordorder.text import encode

    if path.removesuffix(".gz").endswith(".conllu"):
        return tokens_of(conllu.read(path))
    return encode(text.read(path), blanks="ascii")[0]


def _many(given: str | list[str] | None) -> list[str]:
    return given if isinstance(given, list) else [given] if given else []


def _within(folder: str, name: str) -> str:
    path = os.path.join(folder, name)
    if not os.path.isfile(path):
        raise UsageError(
            f"{folder} has no {name}; expected a folder with en.conllu, target.conllu and alignment.json"
        )
    return path
