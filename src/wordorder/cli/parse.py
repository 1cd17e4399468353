"""Parse text with spaCy, a dependency parser or a grammar; 'train' learns the latter two from treebanks.

examples:
  wordorder parse train fr-train.conllu -o fr.parser                 learn a dependency parser from CoNLL-U
  wordorder parse --parser fr.parser text.txt > text.conllu          tags, heads and labels of every line
  wordorder parse --parser fr.parser --nbest 50 text.txt -o text.nbest.conllu
  wordorder parse --parser fr.parser --gold fr-test.conllu           how good are its parses? UAS, LAS, tags
  wordorder parse train wsj/*.mrg -o en.grammar                      learn a grammar from bracketed trees
  wordorder parse --grammar en.grammar text.txt > text.trees         the best tree of every line, in brackets
  wordorder parse --grammar en.grammar --nbest 50 text.txt -o text.nbest --threads 0
  wordorder parse --grammar en.grammar --parse-format conllu text.txt > text.conllu
  wordorder parse --grammar en.grammar --gold wsj_23.mrg              how good are its parses? F1, exact, tags
  wordorder parse --spacy fr_core_news_sm text.txt > text.conllu
  wordorder score --ref-parses ref.nbest --hyp-parses A.nbest B.nbest --metrics edpm

Each line is a sentence. Text is split into words by --tokenize and, with a grammar, also at clitics as in its
treebank (do n't, Rosa 's); with --tokenize none, text is split only at whitespace.
A dependency parser also accepts text in CoNLL-U; the words in such a file are not split further, and --tags given
uses its tags.
With a grammar, a sentence that cannot be parsed gets a flat tree, (ROOT (FLAT ...)). N-best lists have the format of
Charniak's parser: 'n sentence-id', then for each parse its base-2 log probability and its tree.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wordorder.cli.arguments import add_settings, add_threads, arguments_for
from wordorder.cli.inputs import add_parser_choice
from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import InputError, UsageError, count_of, refuse, reject
from wordorder.core.runtime.plain import plain
from wordorder.scoring.options import InputOptions

if TYPE_CHECKING:
    from wordorder.core.trees import ConstituencyTrees, DependencyTrees, ParseLists

COMMON = "files grammar parser spacy nbest parse_format gold output tokenize threads"
LINES_AT_ONCE = 1024
_MOST_LISTED = 5
_OF_PARSERS = ("beam", "tags", "caseless", "passes", "seed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    files = "a text to parse, or 'train' and treebank files: CoNLL-U for a dependency parser, otherwise brackets"
    parser.add_argument("files", nargs="*", metavar="TEXT | train TREEBANK", help=files)
    parser.add_argument("-o", "--output", metavar="FILE", help="output file (default for parses: standard output)")

    group = parser.add_argument_group("parsing")
    add_parser_choice(group)
    group.add_argument("--nbest", type=int, default=1, metavar="N", help="number of parses per sentence (default 1)")
    formats = "output format (default: conllu; with a grammar: brackets, or nbest if --nbest is above 1)"
    group.add_argument("--parse-format", choices=("nbest", "brackets", "conllu"), help=formats)
    add_settings(group, InputOptions, "tokenize")
    gold = "evaluate the parser: parse the words of these gold trees and compare the parses with them"
    group.add_argument("--gold", metavar="TREES", help=gold)
    add_threads(group)

    add = parser.add_argument_group("learning and using a dependency parser").add_argument
    beam = "beam size, 1 for greedy parsing (default: 8 when training, otherwise the value used in training)"
    add("--beam", type=int, metavar="N", help=beam)
    tags = "own: learn and use a tagger (default); given: use the tags of the text, which must be in CoNLL-U"
    add("--tags", choices=("own", "given"), help=tags)
    add("--caseless", action="store_true", help="learn a parser that ignores case")
    add("--passes", type=int, metavar="N", help="passes over the treebank (default 10)")
    add("--seed", type=int, metavar="N", help="random seed for the order of training sentences (default 12345)")

    add = parser.add_argument_group("learning a grammar").add_argument
    add("--vertical", type=int, metavar="N", help="order of vertical markovisation (default 2)")
    add("--horizontal", type=int, metavar="N", help="order of horizontal markovisation (default 1)")
    add_output(parser, file=False)


def run(options: argparse.Namespace) -> None:
    """Train a parser, evaluate a parser, or parse a text."""
    if options.files[:1] == ["train"]:
        _train(options)
    elif options.gold:
        _evaluate(options)
    else:
        _parse(options)


def _train(options: argparse.Namespace) -> None:
    from wordorder.formats import parse_lists

    paths = options.files[1:]
    if not paths or not options.output:
        raise UsageError("'train' needs treebank files and an output file: wordorder parse train TREEBANK… -o PARSER")
    if options.grammar or options.spacy or options.parser:
        raise UsageError("'train' learns a new parser, so it cannot be combined with --grammar, --parser or --spacy")
    if paths[0] != "-" and parse_lists.guess_format(paths[0]) == "conllu":
        _train_parser(options, paths)
    else:
        _train_grammar(options, paths)


def _train_parser(options: argparse.Namespace, paths: list[str]) -> None:
    import numpy as np

    from wordorder.core.trees import DependencyTrees, lift
    from wordorder.formats import conllu
    from wordorder.linking.parsing.transition import DependencyParser, ParserOptions, fingerprint, save

    _refuse_options(options, ("vertical", "horizontal"), "allowed only for learning grammars, from bracketed trees")
    trees = DependencyTrees.concatenate([conllu.read(path) for path in paths])
    reject(not len(trees.words), "no trees to learn from", path=paths[0])
    parser = DependencyParser.learn(trees, ParserOptions(**arguments_for(options, ParserOptions)))
    save(parser, options.output)
    crossing = int(np.count_nonzero(lift(trees)[1]))
    lifted = f" ({crossing} with crossing arcs, made projective)" if crossing else ""
    print(
        f"{options.output}: {count_of(len(trees), 'tree')}{lifted}, {count_of(len(trees.words), 'word')}, "
        f"{count_of(len(parser.tags), 'tag')}, {count_of(len(parser.labels), 'label')}; "
        f"fingerprint {fingerprint(parser)}",
        file=sys.stderr,
    )


def _train_grammar(options: argparse.Namespace, paths: list[str]) -> None:
    from wordorder.core.runtime.threads import progress
    from wordorder.core.trees import ConstituencyTrees
    from wordorder.formats import brackets
    from wordorder.linking.parsing import Grammar, GrammarOptions, save

    _refuse_options(options, _OF_PARSERS, "allowed only for learning dependency parsers, from CoNLL-U")
    files = progress(paths, label="reading trees", total=len(paths), unit=" files")
    trees = ConstituencyTrees.concatenate([brackets.read(path) for path in files])
    reject(not len(trees), "no trees to learn from", path=paths[0])
    grammar = Grammar.learn(trees, GrammarOptions(**arguments_for(options, GrammarOptions)))
    save(grammar, options.output)
    counts = grammar.counts
    rules = f"{len(counts.binary)} binary rules, {len(counts.unary)} unary chains"
    words = len({word for word, _ in counts.words})
    print(
        f"{options.output}: {count_of(len(trees), 'tree')}, {len(counts.categories)} categories, {rules}, "
        f"{count_of(words, 'word')}",
        file=sys.stderr,
    )


def _refuse_options(options: argparse.Namespace, names: tuple[str, ...], reason: str) -> None:
    """Raise an error with the given reason if any of these options is given."""
    given = [f"--{name}" for name in names if getattr(options, name) not in (None, False)]
    refuse(given, f"{', '.join(given)}: {reason}")


def _evaluate(options: argparse.Namespace) -> None:
    """Parse the words of the gold trees, and print how well the parses agree with these trees."""
    from wordorder.report import Table

    wrong = options.files or options.spacy or not (options.grammar or options.parser)
    refuse(wrong, "--gold parses the words of the gold trees, so it requires --grammar or --parser, and no text")
    found = _evaluate_parser(options) if options.parser else _evaluate_grammar(options)
    print_result(options, lambda: Table.of("", list(found), [list(found.values())]), lambda: plain(found))


def _evaluate_grammar(options: argparse.Namespace) -> dict[str, float]:
    from wordorder.core.trees import score_brackets
    from wordorder.formats import brackets
    from wordorder.linking.parsing import Parser, load

    gold = brackets.read(options.gold)
    reject(not len(gold), "no trees to compare with", path=options.gold)
    parses = Parser(load(options.grammar)).parse([tree.words for tree in gold], threads=options.threads)
    score = score_brackets(gold, parses.trees)
    return {
        "precision": score.precision,
        "recall": score.recall,
        "f1": score.f1,
        "exact": score.exact / score.sentences,
        "tags": score.tag_accuracy,
        "sentences": score.sentences,
    }


def _evaluate_parser(options: argparse.Namespace) -> dict[str, float]:
    from wordorder.core.trees import attachment, best_trees
    from wordorder.formats import conllu
    from wordorder.linking.parsing.transition import load

    gold = conllu.read(options.gold)
    reject(not len(gold.words), "no trees to compare with", path=options.gold)
    parser = load(options.parser)
    parses = parser.parse(gold, beam=options.beam, given_tags=_given_tags(options), threads=options.threads)
    score = attachment(best_trees(parses), gold)
    return {
        "UAS": score.uas,
        "LAS": score.las,
        "LAS without subtypes": score.universal_las,
        "tags": score.pos,
        "sentences": len(gold),
        "words": len(gold.words),
    }


def _parse(options: argparse.Namespace) -> None:
    from wordorder.core.runtime.files import atomic_write
    from wordorder.formats import parse_lists

    _check(options)
    form = options.parse_format or ("nbest" if options.nbest > 1 else "brackets") if options.grammar else "conllu"
    forms: dict[str, Callable[[ParseLists[Any]], Iterator[str]]] = {
        "nbest": parse_lists.format_lists,
        "conllu": _conllu,
        "brackets": _brackets,
    }
    done = 0
    flat: list[str] = []
    with atomic_write(options.output or "-") as target:
        for lists in _parsed(options):
            lists = replace(lists, names=tuple(str(done + row + 1) for row in range(len(lists))))
            target.writelines(forms[form](lists))
            flat += _flat(lists)
            done += len(lists)
    if flat:
        which = ", ".join(flat[:_MOST_LISTED]) + (", …" if len(flat) > _MOST_LISTED else "")
        count = count_of(len(flat), "sentence")
        print(f"wordorder: {count} could not be parsed and got a flat tree (FLAT): line {which}", file=sys.stderr)


def _parsed(options: argparse.Namespace) -> Iterator[ParseLists[Any]]:
    """Yield the parses of the text, one block of lines at a time."""
    from wordorder.core.runtime.files import display_name, without_packing
    from wordorder.core.text.tokenizers import without_long_sentences
    from wordorder.formats.sources import text_blocks
    from wordorder.linking.parsing import Parsing

    parsing = Parsing(options.grammar, options.spacy)
    blocks = text_blocks(options.files[0], lines=LINES_AT_ONCE)
    blocks = without_long_sentences(blocks, display_name(options.files[0]), tokenizer=options.tokenize)
    if not options.parser:
        how = {"tokenizer": options.tokenize, "n": options.nbest, "threads": options.threads}
        yield from (parsing.parse_trees(lines, **how) for lines in blocks)
    elif without_packing(options.files[0]).endswith(".conllu"):
        from wordorder.formats import conllu

        blocks = conllu.read_blocks(options.files[0], sentences=LINES_AT_ONCE, heads=False)
        yield from _parse_dependencies(options, blocks)
    else:
        words = (parsing.words(lines, tokenizer=options.tokenize) for lines in blocks)
        yield from _parse_dependencies(options, words)


def _parse_dependencies(options: argparse.Namespace, blocks: Iterator[Any]) -> Iterator[ParseLists[DependencyTrees]]:
    """Parse blocks of words, with or without tags, using a dependency parser."""
    from wordorder.linking.parsing.transition import load

    parser = load(options.parser)
    how = {"n": options.nbest, "beam": options.beam, "given_tags": _given_tags(options), "threads": options.threads}
    for words in blocks:
        yield parser.parse(words, **how)


def _given_tags(options: argparse.Namespace) -> bool | None:
    """Return whether to use the tags in the text, or None to let the parser decide."""
    return None if options.tags is None else bool(options.tags == "given")


def _check(options: argparse.Namespace) -> None:
    """Raise an error for options that cannot be combined for parsing a text."""
    files = f"{len(options.files)} files" if options.files else "none"
    given = [name for name in ("--grammar", "--parser", "--spacy") if getattr(options, name[2:])]
    constituents = options.parse_format not in (None, "conllu")
    refuse(len(options.files) != 1, f"expected one text to parse (or 'train' and treebank files), found {files}")
    refuse(len(given) > 1, f"{' and '.join(given)} cannot be combined; give only one parser")
    refuse(not given, "no parser was given; use --grammar, --parser or --spacy ('wordorder parse train' learns one)")
    refuse(options.nbest < 1, f"--nbest must be 1 or more, not {options.nbest}")
    if options.spacy and (options.nbest > 1 or constituents):
        raise UsageError("spaCy gives one dependency parse per sentence; use --parse-format conllu without --nbest")
    refuse(options.parser and constituents, "a dependency parser produces no constituents; use --parse-format conllu")
    if options.parse_format == "brackets" and options.nbest > 1:
        raise UsageError("the format 'brackets' has only one parse per sentence; use --parse-format nbest or conllu")
    refuse(options.format, "--format and --json apply only to --gold scores; for parses, use --parse-format")
    _refuse_options(
        options, ("vertical", "horizontal", "passes", "caseless", "seed"), "allowed only with 'wordorder parse train'"
    )
    if not options.parser:
        _refuse_options(options, _OF_PARSERS, "allowed only with dependency parsers (--parser)")


def _brackets(lists: ParseLists[ConstituencyTrees]) -> Iterator[str]:
    from wordorder.formats import brackets

    for row, count in enumerate((lists.offsets[1:] - lists.offsets[:-1]).tolist()):
        if not count:
            other = "use --parse-format nbest or conllu"
            message = f"the format 'brackets' cannot represent line {lists.names[row]}, which has no words"
            raise InputError(f"{message}; {other}")
    return (f"{tree}\n" for tree in brackets.format_trees(lists.trees))


def _conllu(lists: ParseLists[ConstituencyTrees] | ParseLists[DependencyTrees]) -> Iterator[str]:
    from wordorder.formats import parse_lists
    from wordorder.linking.parsing.parsing import dependency_lists

    return parse_lists.format_conllu(dependency_lists(lists))


def _flat(lists: ParseLists[Any]) -> list[str]:
    """Return the names of the sentences that could not be parsed."""
    from wordorder.core.trees import ConstituencyTrees
    from wordorder.linking.parsing import is_flat

    if not isinstance(lists.trees, ConstituencyTrees):
        return []
    flat = is_flat(lists.trees)
    spans = zip(lists.names, lists.offsets[:-1].tolist(), lists.offsets[1:].tolist(), strict=True)
    return [name for name, start, stop in spans if start < stop and flat[start]]
